"""An expert's work on subjects: decisions, paraphrases, criteria."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.commands.scoring import add_score
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import add_project, command, group
from annotator.model.rows import SORTS

if TYPE_CHECKING:
    from annotator.cli.parser import Commands

VERDICTS = ("accept", "reject", "skip", "flag")


def add(commands: Commands) -> None:
    """Add list, show, select, prompt and criterion."""
    parser = command(
        commands, "list", "list the subjects of a project", "annotator list p.annotator --verdict open", _list
    )
    add_project(parser)
    parser.add_argument("--search", default="", metavar="TEXT", help="words that start some word of the subject")
    parser.add_argument("--verdict", action="append", default=[], choices=(*VERDICTS, "open"))
    parser.add_argument("--language", action="append", default=[], metavar="L")
    parser.add_argument("--task", action="append", default=[], metavar="T")
    parser.add_argument("--domain", action="append", default=[], metavar="D")
    parser.add_argument("--area", action="append", default=[], metavar="A")
    parser.add_argument("--difficulty", action="append", default=[], metavar="D")
    parser.add_argument("--turn", action="append", default=[], choices=("me", "nobody"), help="whose turn it is")
    parser.add_argument("--sort", default="", choices=SORTS, help="default: the order of import")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="how many at most (50)")
    parser.add_argument("--after", type=int, metavar="ROW", help="go on after this row")
    parser = command(commands, "show", "show one subject", "annotator show p.annotator --subject HumanEval/0", _show)
    _subject(parser)
    parser = command(
        commands,
        "select",
        "decide on a candidate",
        'annotator select p.annotator --subject HumanEval/0 --verdict reject --reason "too simple"',
        _select,
    )
    _subject(parser, many=True)
    parser.add_argument("--verdict", required=True, choices=VERDICTS)
    parser.add_argument("--reason", default="", metavar="R")
    parser = command(
        commands,
        "label",
        "say how hard a subject is, or what kind of question",
        "annotator label p.annotator --subject HumanEval/0 --difficulty hard",
        _label,
    )
    _subject(parser, many=True)
    said = parser.add_mutually_exclusive_group(required=True)
    for name, example in (
        ("difficulty", "easy, medium, hard"),
        ("question-type", "own words too"),
        ("domain", ""),
        ("area", ""),
    ):
        said.add_argument(f"--{name}", metavar="V", help=example or None)
    parser = command(
        commands,
        "prompt",
        "save a paraphrase of a subject's prompt",
        "annotator prompt p.annotator --subject HumanEval/0 --text-file prompt.txt",
        _prompt,
    )
    _subject(parser)
    parser.add_argument("--text-file", type=Path, required=True, metavar="F", help="the text, UTF-8; - for stdin")
    parser.add_argument("--note", default="", metavar="N")
    _add_criterion(group(commands, "criterion", "write, prove and try criteria"))


def _add_criterion(criterion: Commands) -> None:
    parser = command(
        criterion,
        "set",
        "save a subject's criterion",
        "annotator criterion set p.annotator --subject HumanEval/0 --file criterion.yaml",
        _criterion_set,
    )
    _subject(parser)
    parser.add_argument("--file", type=Path, required=True, metavar="F.yaml")
    parser.add_argument("--note", default="", metavar="N")
    parser = command(
        criterion, "check", "check a criterion document", "annotator criterion check c.yaml", _criterion_check
    )
    parser.add_argument("file", type=Path, metavar="F.yaml")
    parser = command(
        criterion, "prove", "prove that a criterion is sound", "annotator criterion prove p.annotator", _criterion_prove
    )
    add_project(parser)
    parser.add_argument(
        "--subject",
        metavar="ID",
        action="append",
        default=[],
        help="default: accepted subjects that are not proven yet",
    )
    command(criterion, "schema", "write the JSON Schema of criteria", "annotator criterion schema > c.json", _schema)
    draft = command(
        criterion,
        "from-tests",
        "write criteria from the tests that subjects came with",
        "annotator criterion from-tests p.annotator",
        _from_tests,
    )
    add_project(draft)
    draft.add_argument(
        "--subject", metavar="ID", action="append", default=[], help="default: accepted subjects without a criterion"
    )
    add_score(criterion)


def _subject(parser: argparse.ArgumentParser, *, many: bool = False) -> None:
    add_project(parser)
    parser.add_argument(
        "--subject",
        required=True,
        metavar="ID",
        action="append" if many else "store",
        help="its id or key" + ("; repeat it to decide on several at once" if many else ""),
    )


def read_text(path: Path) -> str:
    """Read a UTF-8 text file, or stdin for ``-``. Raises `BadInputError` naming the file and the first bad byte."""
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise BadInputError(f"{path.name} cannot be read ({error.strerror}). Nothing was changed.") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name} is not UTF-8 text (byte {error.start + 1}). Nothing was changed.") from error


def _list(options: argparse.Namespace) -> int:
    from annotator.model.rows import QueueFilter
    from annotator.services import projects, search_index, selecting

    wanted = QueueFilter(
        text=options.search,
        verdicts=tuple(options.verdict),
        languages=tuple(options.language),
        tasks=tuple(options.task),
        domains=tuple(options.domain),
        areas=tuple(options.area),
        difficulties=tuple(options.difficulty),
        sort=options.sort,
        holders=tuple(options.turn),
    )
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        if wanted.text.strip():
            # What an import was killed before.
            search_index.complete(store, progress_line("search"))
        page = selecting.queue_page(store, wanted, options.after, max(1, options.limit))
    finally:
        store.close()
    rows = [
        (str(row.row), row.key, row.title, row.task, row.language, row.domain, row.verdict or "open")
        for row in page.rows
    ]
    total = f"more than {page.total}" if page.capped else str(page.total)
    text = table(("row", "key", "title", "task", "language", "domain", "verdict"), rows, (0,))
    if page.unsearched:
        sys.stderr.write(
            f"Search is not complete yet: it does not know {page.unsearched} candidates of a long import.\n"
        )
    answer(options.json, page, f"{text}\n{len(rows)} of {total} subjects")
    return ExitCode.DONE


def _show(options: argparse.Namespace) -> int:
    from annotator.services import projects, selecting

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        view = selecting.subject(store, options.subject)
    finally:
        store.close()
    row = view.row
    parts = [
        f"{row.title}\n{row.key} · {row.task} · {row.language} · {row.domain} · {row.verdict or 'open'}",
        f"prompt\n{view.prompt}",
    ]
    if view.paraphrase:
        parts.append(f"paraphrase by {view.paraphrase.annotator}\n{view.paraphrase.text}")
    if view.reference:
        parts.append(f"reference\n{view.reference}")
    if view.criterion:
        parts.append(f"criterion by {view.criterion.annotator}\n{view.criterion.source}")
    answer(options.json, view, "\n\n".join(parts))
    return ExitCode.DONE


def _select(options: argparse.Namespace) -> int:
    from annotator.model.words import Verdict
    from annotator.services import projects, selecting

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes = selecting.decide(store, options.subject, Verdict(options.verdict), options.reason)
    finally:
        store.close()
    answer(options.json, {"done": changes.label, "change": changes.change_id}, changes.label)
    return ExitCode.DONE


def _label(options: argparse.Namespace) -> int:
    from annotator.services import projects, selecting

    names = ("difficulty", "question_type", "domain", "area")
    name, value = next((name, getattr(options, name)) for name in names if getattr(options, name) is not None)
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows = [selecting.row_of(store, item) for item in options.subject]
        changes = selecting.label_rows(store, rows, name, value)
    finally:
        store.close()
    answer(options.json, changes, changes.label)
    return ExitCode.DONE


def _prompt(options: argparse.Namespace) -> int:
    from annotator.services import projects, prompting

    text = read_text(options.text_file)
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes = prompting.save_prompt(store, options.subject, text, options.note)
    finally:
        store.close()
    answer(options.json, {"done": changes.label, "change": changes.change_id}, changes.label)
    return ExitCode.DONE


def _criterion_set(options: argparse.Namespace) -> int:
    from annotator.services import authoring, projects

    source = read_text(options.file)
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes = authoring.save_criterion(store, options.subject, source, options.note)
    finally:
        store.close()
    answer(options.json, {"done": changes.label, "change": changes.change_id}, changes.label)
    return ExitCode.DONE


def _criterion_check(options: argparse.Namespace) -> int:
    from annotator.criteria import check

    checked = check(read_text(options.file))
    lines = [
        f"{options.file.name}:{item.line}:{item.column}: {item.severity}: {item.message}" for item in checked.problems
    ]
    sound = checked.document is not None
    answer(options.json, {"sound": sound, "problems": checked.problems}, "\n".join(lines) or "The criterion is sound.")
    return ExitCode.DONE if sound else ExitCode.BAD_INPUT


def _criterion_prove(options: argparse.Namespace) -> int:
    from annotator.services import projects, proving

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows, _ = proving.prove_subjects(store, options.subject, progress_line("Proving"))
    finally:
        store.close()
    words = {"pass": "proven", "machinery": "not tried"}
    lines = [(row.key, words.get(row.outcome, "not proven"), row.reason) for row in rows]
    text = table(("subject", "outcome", "reason"), lines) if rows else "Every criterion is proven already."
    answer(options.json, {"proofs": rows}, text)
    return ExitCode.DONE


def _schema(_: argparse.Namespace) -> int:
    from annotator.criteria.schema import json_schema

    answer(True, json_schema(), "")
    return ExitCode.DONE


def _from_tests(options: argparse.Namespace) -> int:
    from annotator.services import authoring, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        written, left_out = authoring.criteria_from_tests(store, options.subject)
    finally:
        store.close()
    lines = [f"{key}: {reason}" for key, reason in left_out]
    text = "\n".join([f"{len(written)} criteria written from tests.", *lines])
    answer(options.json, {"written": written, "left_out": dict(left_out)}, text)
    return ExitCode.DONE
