"""New projects, imports, and what a project holds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.addresses import Place, ServerAddress
from annotator.base.errors import ExitCode, UsageError
from annotator.base.paths import project_path
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import add_project, command, project_place

if TYPE_CHECKING:
    from annotator.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add new, formats, import, status, undo, redo, backup and check."""
    parser = command(
        commands, "new", "make a project", 'annotator new p.annotator --name "My benchmark" --annotator Mei', _new
    )
    parser.add_argument(
        "project", type=project_place, metavar="PROJECT", help="the file to make, or the address of an empty database"
    )
    parser.add_argument("--name", required=True, metavar="N", help="what the project is called")
    parser.add_argument("--annotator", required=True, metavar="NAME", help="your name")
    command(commands, "formats", "list what import and export know", "annotator formats", _formats)
    parser = command(
        commands,
        "import",
        "import candidates from files or folders",
        "annotator import humaneval HumanEval.jsonl.gz --project p.annotator",
        _import,
    )
    parser.add_argument("format", metavar="FORMAT", help="see annotator formats")
    parser.add_argument("paths", type=Path, nargs="+", metavar="PATH")
    add_project(parser, option=True)
    parser.add_argument(
        "--map", action="append", default=[], metavar="FIELD=COLUMN", help="where a field is found (jsonl); repeat it"
    )
    parser.add_argument("--skip-bad", action="store_true", help="keep the good rows; bad ones are reported")
    add_project(command(commands, "status", "say what waits in a project", "annotator status p.annotator", _status))
    add_project(command(commands, "undo", "take your last act back", "annotator undo p.annotator", _undo))
    add_project(command(commands, "redo", "do what was undone again", "annotator redo p.annotator", _redo))
    parser = command(
        commands, "backup", "write a checked copy", "annotator backup p.annotator --to copy.annotator", _backup
    )
    add_project(parser)
    parser.add_argument("--to", type=Path, metavar="FILE", help="where to; default: beside the project")
    add_project(command(commands, "check", "check that a project is sound", "annotator check p.annotator", _check))


def _new(options: argparse.Namespace) -> int:
    from annotator.services import projects

    path = options.project if isinstance(options.project, ServerAddress) else project_path(options.project)
    store = projects.create_project(path, options.name, options.annotator)
    store.close()
    data = {"project": str(path), "name": options.name, "annotator": options.annotator}
    answer(options.json, data, f"{path.name} is ready. Next: annotator import FORMAT FILE --project {_typed(path)}")
    return ExitCode.DONE


def _typed(place: Place) -> str:
    """Return how a project is named on the next command line."""
    return place.name if isinstance(place, Path) else str(place)


def _formats(options: argparse.Namespace) -> int:
    from annotator.formats.registry import EXPORTS, IMPORTS, RESPONSES

    imports = [(item.name, item.title, item.example) for item in IMPORTS]
    responses = [(item.name, item.title, item.example) for item in RESPONSES]
    exports = [(item.name, item.title, "") for item in EXPORTS]
    text = "\n".join(
        [
            "import",
            table(("name", "what", "example"), imports),
            "",
            "import of responses",
            table(("name", "what", "example"), responses),
            "",
            "export",
            table(("name", "what"), [row[:2] for row in exports]),
        ]
    )
    data = {
        "import": [{"name": item.name, "title": item.title, "description": item.description} for item in IMPORTS],
        "responses": [{"name": item.name, "title": item.title, "description": item.description} for item in RESPONSES],
        "export": [{"name": item.name, "title": item.title, "description": item.description} for item in EXPORTS],
    }
    answer(options.json, data, text)
    return ExitCode.DONE


def _import(options: argparse.Namespace) -> int:
    from annotator.formats.registry import is_response_format
    from annotator.services import importing, projects, search_index

    if options.format == "published":
        return _import_published(options)
    if is_response_format(options.format):
        return _import_answers(options)
    mapping = {}
    for pair in options.map:
        field, equals, column = pair.partition("=")
        if not (field and equals and column):
            raise UsageError(f"--map takes FIELD=COLUMN, such as --map prompt=question; it was given {pair}.")
        mapping[field] = column
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        report = importing.import_paths(
            store, options.format, options.paths, mapping, options.skip_bad, progress_line("import")
        )
        data = {name: getattr(report, name) for name in ("added", "known", "changed", "bad", "errors")}
        text = f"{report.added} added, {report.known} known"
        if report.changed:
            text += f", {report.changed} known with other content (left as they were)"
        text += _bad_rows(report.bad, report.errors)
        answer(options.json, data, text)
        sys.stdout.flush()
        # They are in the project and can be worked on; only search has to catch up.
        search_index.complete(store, progress_line("search"))
    finally:
        store.close()
    return ExitCode.DONE


def _bad_rows(bad: int, errors: Sequence[object]) -> str:
    """List what is wrong with rows that were left out, and return how many they are, for the end of a sentence."""
    for error in errors:
        sys.stderr.write(f"  {error}\n")
    return f", {bad} bad" if bad else ""


def _import_published(options: argparse.Namespace) -> int:
    from annotator.services import projects, published

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        reports = [published.import_published(store, path) for path in options.paths]
    finally:
        store.close()
    names = [name for report in reports for name in report.names]
    data = {
        "added": sum(report.added for report in reports),
        "known": sum(report.known for report in reports),
        "tables": names,
    }
    text = f"{data['added']} added, {data['known']} known: {', '.join(names)}"
    answer(options.json, data, f"{text}\nNext: annotator results {options.project} --published {names[0]}")
    return ExitCode.DONE


def _import_answers(options: argparse.Namespace) -> int:
    from annotator.services import answering, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        report = answering.import_answers(
            store, options.format, options.paths, options.skip_bad, progress_line("import")
        )
    finally:
        store.close()
    names = ("added", "known", "left_out", "bad", "runs", "errors")
    text = f"{report.added} added, {report.known} known"
    if report.runs:
        text += f", {report.runs} runs"
    if report.left_out:
        text += f", {report.left_out} on nothing that is here"
    text += _bad_rows(report.bad, report.errors)
    answer(options.json, {name: getattr(report, name) for name in names}, text)
    return ExitCode.DONE


def _status(options: argparse.Namespace) -> int:
    from annotator.services import projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        counts, disk = projects.stage_counts(store), projects.disk_status(store)
    finally:
        store.close()
    rows = [
        ("subjects", str(counts.subjects)),
        ("open", str(counts.open)),
        ("accepted", str(counts.accepted)),
        ("rejected", str(counts.rejected)),
        ("skipped", str(counts.skipped)),
        ("flagged", str(counts.flagged)),
        ("accepted without a paraphrase", str(counts.without_prompt)),
        ("accepted without a criterion", str(counts.without_criterion)),
        ("proven, not in the newest release as they are", str(counts.to_release)),
        ("releases", str(counts.releases)),
        ("runs", str(counts.runs)),
        ("decisions on disk", str(counts.decisions)),
    ]
    data = {"name": store.project_name, "annotator": store.annotator, "counts": counts, "disk": disk}
    answer(
        options.json, data, f"{store.project_name}, as {store.annotator.name}\n{table(('what', 'count'), rows, (1,))}"
    )
    return ExitCode.DONE


def _undo(options: argparse.Namespace) -> int:
    return _step(options, "undo")


def _redo(options: argparse.Namespace) -> int:
    return _step(options, "redo")


def _step(options: argparse.Namespace, which: str) -> int:
    from annotator.services import history, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes = history.undo(store) if which == "undo" else history.redo(store)
    finally:
        store.close()
    label = changes.label if changes else None
    answer(options.json, {"done": label}, label or f"There is nothing to {which}.")
    return ExitCode.DONE


def _backup(options: argparse.Namespace) -> int:
    from annotator.services import projects

    store = projects.open_project(options.project, read_only=True)
    try:
        path = projects.backup(store, options.to)
    finally:
        store.close()
    answer(options.json, {"backup": str(path)}, f"{path.name} was written and checked.")
    return ExitCode.DONE


def _check(options: argparse.Namespace) -> int:
    from annotator.services import projects

    store = projects.open_project(options.project, read_only=True)
    try:
        problems = projects.check(store)
    finally:
        store.close()
    text = "\n".join(problems) if problems else f"{options.project.name} is sound."
    answer(options.json, {"sound": not problems, "problems": problems}, text)
    return ExitCode.BAD_INPUT if problems else ExitCode.DONE
