"""Implanted bugs: propose, ask for and prove them, combine, list, review, edit and export."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode
from annotator.cli.commands import bugs_more
from annotator.cli.commands.work import read_text
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import add_project, command, group
from annotator.model.bug_rows import ASPECTS, BUG_STATES, LABELS, REASONS, SEVERAL

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.store.project_file import ProjectFile

FAMILIES = ("logic", "performance", "security", "syntax", "naming")


def add(commands: Commands) -> None:
    """Add bugs propose, ask, combine, prove, list, show, review, edit and export."""
    bugs = group(commands, "bugs", "implant bugs, prove them and review them")
    parser = command(
        bugs, "propose", "put bugs into subjects and keep those that are proven",
        "annotator bugs propose p.annotator --subject HumanEval/0 --family logic", _propose,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument(
        "--subject", metavar="ID", action="append", default=[], help="default: all accepted subjects with code"
    )
    parser.add_argument("--family", action="append", default=[], choices=FAMILIES, help="default: all; repeat it")
    parser.add_argument("--most", type=int, default=3, metavar="N", help="how many bugs a subject at most (3)")
    bugs_more.add(bugs)
    parser = command(bugs, "prove", "prove bugs that have no proof", "annotator bugs prove p.annotator", _prove)
    add_project(parser)
    parser.add_argument("--bug", metavar="ID", action="append", default=[], help="prove this one (again)")
    parser = command(bugs, "list", "list bugs", "annotator bugs list p.annotator --state disputed", _list)
    add_project(parser)
    parser.add_argument("--state", action="append", default=[], choices=BUG_STATES)
    parser.add_argument("--family", action="append", default=[], choices=(*FAMILIES, SEVERAL))
    parser.add_argument("--subject", metavar="ID")
    parser = command(
        bugs, "show", "show a bug with its proof and reviews", "annotator bugs show p.annotator --bug 0192f", _show
    )
    _bug(parser)
    _add_people(bugs)
    parser = command(
        bugs, "export", "write bugs as modification and review items",
        "annotator bugs export p.annotator --out bugs.jsonl", _export,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="F.jsonl")
    parser.add_argument(
        "--state", action="append", default=[], choices=BUG_STATES[1:], help="default: accepted; repeat it"
    )
    parser.add_argument("--full", action="store_true", help="put the corrected program into review items")


def _add_people(bugs: Commands) -> None:
    parser = command(
        bugs, "review", "accept or reject a bug",
        'annotator bugs review p.annotator --bug 0192f --verdict reject --reason "too easy"', _review,
    )  # fmt: skip
    _bug(parser)
    parser.add_argument("--verdict", required=True, choices=("accept", "reject"))
    parser.add_argument("--reason", default="", metavar="R", help=f"why; usual ones: {', '.join(REASONS)}")
    parser.add_argument("--holds", action="append", default=[], choices=ASPECTS, help="an aspect that holds; repeat it")
    parser.add_argument("--fails", action="append", default=[], choices=ASPECTS, help="an aspect that does not")
    parser.add_argument(
        "--also", action="append", default=[], choices=LABELS, help="a label that review answers may name as well"
    )
    parser = command(
        bugs, "edit", "put your version in a bug's place, and prove it",
        "annotator bugs edit p.annotator --bug 0192f --code-file changed.py", _edit,
    )  # fmt: skip
    _bug(parser)
    parser.add_argument("--code-file", type=Path, required=True, metavar="F.py", help="the whole program; - for stdin")


def _bug(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("--bug", required=True, metavar="ID", help="its id, or the beginning of it")


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[ProjectFile]:
    """Open the project of the options for as long as the block lasts."""
    from annotator.services import projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        yield store
    finally:
        store.close()


def _propose(options: argparse.Namespace) -> int:
    from annotator.services import bugs

    with opened(options) as store:
        rows, _ = bugs.propose(
            store, options.subject, options.family or FAMILIES, progress_line("proposing"), most=options.most
        )
    shown = [(row.key, str(row.tried), str(row.proven), str(row.kept), row.reason) for row in rows]
    text = table(("key", "tried", "proven", "kept", "reason"), shown, (1, 2, 3))
    answer(options.json, rows, f"{text}\n{sum(row.kept for row in rows)} bugs in {len(rows)} subjects")
    return ExitCode.DONE


def _prove(options: argparse.Namespace) -> int:
    from annotator.services import bugs

    with opened(options) as store:
        rows, _ = bugs.prove(store, options.bug, progress_line("proving"))
    text = table(("bug", "key", "outcome", "reason"), [(row.bug_id, row.key, row.outcome, row.reason) for row in rows])
    answer(options.json, rows, text if rows else "Every bug has a proof.")
    return ExitCode.DONE


def _list(options: argparse.Namespace) -> int:
    from annotator.services import bugs

    with opened(options) as store:
        rows = bugs.listing(store, options.state, options.family, options.subject)
    shown = [(row.id, row.key, row.kind, row.operator, row.state, f"{row.accepts}:{row.rejects}") for row in rows]
    text = table(("bug", "key", "kind", "operator", "state", "votes"), shown)
    answer(options.json, rows, f"{text}\n{len(rows)} bugs")
    return ExitCode.DONE


def _show(options: argparse.Namespace) -> int:
    import difflib

    from annotator.services import bugs

    with opened(options) as store:
        view = bugs.bug(store, options.bug)
    row = view.row
    parts = [
        f"{row.id} {row.key} {row.kind} by {row.operator}: {row.state}",
        "\n".join(
            difflib.unified_diff(view.reference.splitlines(), view.code.splitlines(), "reference", "bug", "", "", 3, "")
        ),
        table(("test", "before", "after"), view.matrix) if view.matrix else view.problem,
        *(f"{item.annotator}: {item.verdict} {item.reason}".rstrip() for item in view.reviews),
    ]
    answer(options.json, view, "\n\n".join(parts))
    return ExitCode.DONE


def _review(options: argparse.Namespace) -> int:
    from annotator.services import bugs

    aspects = {**dict.fromkeys(options.holds, True), **dict.fromkeys(options.fails, False)}
    with opened(options) as store:
        changes = bugs.review(store, options.bug, options.verdict, options.reason, aspects, options.also)
        row = bugs.bug(store, options.bug).row
    data = {"done": changes.label, "change": changes.change_id, "bug": row.id, "state": row.state}
    answer(options.json, data, f"{changes.label}. It is {row.state.replace('_', ' ')}.")
    return ExitCode.DONE


def _edit(options: argparse.Namespace) -> int:
    from annotator.services import bugs

    code = read_text(options.code_file)
    with opened(options) as store:
        made, changes = bugs.edit(store, options.bug, code)
        (row,), _ = bugs.prove(store, [made], progress_line("proving"))
    data = {"done": changes.label, "change": changes.change_id, "bug": made, "outcome": row.outcome, "why": row.reason}
    how = "It is proven." if row.outcome == "pass" else f"It is not proven: {row.reason}."
    answer(options.json, data, f"{changes.label}. {how}\n{made}")
    return ExitCode.DONE


def _export(options: argparse.Namespace) -> int:
    from annotator.services import bug_items

    states = tuple(options.state) or ("accepted",)
    with opened(options) as store:
        count = bug_items.export(store, options.out, states, full=options.full)
    data = {"bugs": count, "items": 2 * count, "file": str(options.out)}
    answer(options.json, data, f"{count} bugs as {2 * count} items in {options.out.name}")
    return ExitCode.DONE
