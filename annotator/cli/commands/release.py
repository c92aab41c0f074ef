"""Releases: create, list, compare, export, verify."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode, UsageError
from annotator.cli.output import answer, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands


LINES_SHOWN = 50


def add(commands: Commands) -> None:
    """Add the release commands."""
    release = group(commands, "release", "freeze, compare and export versions")
    parser = command(
        release, "create", "freeze the accepted subjects", "annotator release create p.annotator --version 0.1", _create
    )
    add_project(parser)
    parser.add_argument("--version", metavar="V", help="default: the one suggested")
    parser.add_argument("--notes", default="", metavar="N")
    parser.add_argument("--override", default="", metavar="REASON", help="release although a gate is not met; recorded")
    parser = command(release, "gates", "say what still blocks a release", "annotator release gates p.annotator", _gates)
    add_project(parser)
    add_project(command(release, "list", "list the releases", "annotator release list p.annotator", _list))
    parser = command(
        release, "diff", "compare two versions", "annotator release diff p.annotator --version 0.1 --to 0.2", _diff
    )
    add_project(parser)
    parser.add_argument("--version", required=True, metavar="V", help="the older version")
    parser.add_argument("--to", metavar="W", help="the newer version; default: the present state")
    parser = command(
        release,
        "export",
        "write a release to a folder",
        "annotator release export p.annotator --out release-0.1",
        _export,
    )
    add_project(parser)
    parser.add_argument("--version", metavar="V", help="default: the newest")
    parser.add_argument("--format", default="annotator", metavar="F", help="see annotator formats")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new or empty folder")
    parser = command(
        release,
        "datasheet",
        "show the datasheet's questions, or answer one",
        'annotator release datasheet p.annotator --question purpose --text "To measure ..."',
        _datasheet,
    )
    add_project(parser)
    parser.add_argument("--question", metavar="ID", help="which question, or description, url, citation")
    parser.add_argument("--text", metavar="T", help="the answer; an empty one takes it away")
    parser = command(release, "verify", "check an exported release", "annotator release verify release-0.1", _verify)
    parser.add_argument("folder", type=Path, metavar="DIR")


def _create(options: argparse.Namespace) -> int:
    from annotator.services import projects, releasing

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        version = options.version or releasing.suggest_version(store)
        row, _ = releasing.create_release(store, version, options.notes, options.override)
    finally:
        store.close()
    answer(options.json, row, f"Release {row.version} with {row.item_count} items.")
    return ExitCode.DONE


def _gates(options: argparse.Namespace) -> int:
    from annotator.services import gating, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        gates = gating.gates(store)
    finally:
        store.close()
    rows = [("met" if gate.ok else ("blocks" if gate.required else "open"), gate.name, gate.reason) for gate in gates]
    answer(options.json, {"gates": gates}, table(("state", "gate", "detail"), rows))
    return ExitCode.DONE


def _list(options: argparse.Namespace) -> int:
    from annotator.services import projects, releasing

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows = releasing.releases(store)
    finally:
        store.close()
    lines = [(row.version, str(row.item_count), row.created_at[:10], row.annotator, row.notes) for row in rows]
    text = table(("version", "items", "made", "by", "notes"), lines, (1,)) if rows else "There is no release yet."
    answer(options.json, {"releases": rows}, text)
    return ExitCode.DONE


def _diff(options: argparse.Namespace) -> int:
    from annotator.services import projects, releasing

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        diff = releasing.diff(store, options.version, options.to)
    finally:
        store.close()
    lines = [f"+ {item.key}  {item.title}" for item in diff.added]
    lines += [f"- {item.key}  {item.title}" for item in diff.removed]
    lines += [f"~ {item.key}  {item.title} ({', '.join(item.fields)})" for item in diff.changed]
    lines.append(f"{diff.same} items are the same.")
    answer(options.json, diff, "\n".join(lines))
    return ExitCode.DONE


def _export(options: argparse.Namespace) -> int:
    from annotator.services import projects, releasing

    store = projects.open_project(options.project, read_only=True)
    try:
        done = releasing.export(store, options.version, options.format, options.out)
    finally:
        store.close()
    names = [str(path) for path in done.files]
    data = {"files": names, "items": done.items, "left_out": done.left_out, "notes": done.notes}
    answer(options.json, data, f"{len(names)} files were written to {options.out.name}.")
    if done.left_out:
        sys.stderr.write(f"{len(done.left_out)} items were left out, for the format cannot hold them:\n")
    said = (*done.left_out, *done.notes)
    for line in said[:LINES_SHOWN]:
        sys.stderr.write(f"  {line}\n")
    if len(said) > LINES_SHOWN:
        sys.stderr.write(f"  and {len(said) - LINES_SHOWN} more; all of them are in manifest.json\n")
    return ExitCode.DONE


def _datasheet(options: argparse.Namespace) -> int:
    from annotator.services import datasheet, projects

    if (options.question is None) != (options.text is None):
        raise UsageError("Give --question and --text together, or neither to see all questions.")
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        if options.question is not None:
            datasheet.write(store, options.question, options.text)
        found = datasheet.answers(store)
    finally:
        store.close()
    rows = [
        (item.question.id, "open" if item.open else "known", "yes" if item.question.required else "",
         item.question.text)
        for item in found
    ]  # fmt: skip
    answer(options.json, {"answers": found}, table(("question", "state", "required", "text"), rows))
    return ExitCode.DONE


def _verify(options: argparse.Namespace) -> int:
    from annotator.formats.native import verify

    problems = verify(options.folder)
    text = "\n".join(problems) if problems else f"{options.folder.name} is as it was exported."
    answer(options.json, {"sound": not problems, "problems": problems}, text)
    return ExitCode.BAD_INPUT if problems else ExitCode.DONE
