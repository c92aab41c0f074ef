"""Items made from code: make, list, show, decide on and export them."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.commands.bugs import opened
from annotator.cli.commands.work import read_text
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import add_project, command, group
from annotator.model.task_rows import TASK_FAMILIES

if TYPE_CHECKING:
    from annotator.cli.parser import Commands

_VERDICTS = ("open", "accept", "reject", "skip", "flag")


def add(commands: Commands) -> None:
    """Add tasks make, update, list, show, decide and export."""
    tasks = group(commands, "tasks", "items made from code: understanding, completion, modification, review")
    parser = command(
        tasks, "make", "make items from accepted subjects and accepted bugs; each is controlled before it is kept",
        "annotator tasks make p.annotator --family understanding --family completion", _make,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument(
        "--subject", metavar="ID", action="append", default=[], help="default: all accepted subjects with tests"
    )
    _family(parser)
    parser.add_argument("--most", type=int, default=2, metavar="N", help="how many of a kind and subject at most (2)")
    _add_update(tasks)
    parser = command(tasks, "list", "list made items", "annotator tasks list p.annotator --verdict open", _list)
    add_project(parser)
    _family(parser)
    parser.add_argument("--verdict", action="append", default=[], choices=_VERDICTS)
    parser.add_argument("--subject", metavar="ID", help="only those made from this subject")
    parser = command(
        tasks, "show", "show a made item with its answer",
        "annotator tasks show p.annotator --item made:HumanEval/0/forward-1a2b3c4d", _show,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument("--item", required=True, metavar="ID", help="its id or key")
    parser = command(
        tasks, "decide", "accept or reject made items",
        "annotator tasks decide p.annotator --verdict accept --family understanding", _decide,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument("--item", action="append", default=[], metavar="ID", help="default: all open ones of --family")
    _family(parser)
    parser.add_argument("--verdict", required=True, choices=_VERDICTS[1:])
    parser.add_argument("--reason", default="", metavar="R")
    parser = command(
        tasks, "export", "write made items, one JSON object a line",
        "annotator tasks export p.annotator --out items.jsonl", _export,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="F.jsonl")
    _family(parser)
    parser.add_argument("--verdict", action="append", default=[], choices=_VERDICTS, help="default: accept; repeat it")


def _family(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--family", action="append", default=[], choices=TASK_FAMILIES, help="default: all; repeat it")


def _add_update(tasks: Commands) -> None:
    parser = command(
        tasks, "update", "make an item from a changed interface: old code is to be brought to the subject's",
        "annotator tasks update p.annotator --subject sized --code-file old.py --old collections.Sized "
        "--new collections.abc.Sized --library collections --version 3.10", _update,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument("--subject", metavar="ID", required=True, help="its reference uses the new call, its tests run")
    parser.add_argument("--code-file", type=Path, required=True, metavar="F.py", help="the old program; - for stdin")
    parser.add_argument("--old", required=True, metavar="NAME", help="the call that is gone, as the old program has it")
    parser.add_argument("--new", required=True, metavar="NAME", help="the call in its place, as the reference has it")
    parser.add_argument("--library", required=True, metavar="MODULE", help="a test of the subject must import it")
    parser.add_argument(
        "--version", required=True, metavar="V", help="the first version that does not have the old call"
    )


def _make(options: argparse.Namespace) -> int:
    from annotator.services import task_making

    with opened(options) as store:
        rows, changes = task_making.make(
            store, options.subject, options.family or TASK_FAMILIES, progress_line("making"), most=options.most
        )
    shown = [(row.key, *(str(row.kept.get(family, 0)) for family in TASK_FAMILIES), row.reason) for row in rows]
    dropped: Counter[str] = Counter()
    for row in rows:
        dropped.update(row.dropped)
    lines = [
        table(("key", *TASK_FAMILIES, "reason"), shown, (1, 2, 3, 4)),
        *(f"{count} left out: {reason}" for reason, count in dropped.most_common()),
        f"{changes.label}." if changes.label else "Nothing new was made.",
    ]
    answer(options.json, {"subjects": rows, "done": changes.label, "change": changes.change_id}, "\n".join(lines))
    return ExitCode.DONE


def _update(options: argparse.Namespace) -> int:
    from annotator.services import task_updates

    code = read_text(options.code_file)
    with opened(options) as store:
        key, changes = task_updates.make_update(
            store, options.subject, code, old=options.old, new=options.new, library=options.library,
            version=options.version, progress=progress_line("proving"),
        )  # fmt: skip
    done = f"{changes.label}." if changes.label else "This item is there already."
    answer(options.json, {"item": key, "done": changes.label, "change": changes.change_id}, f"{done}\n{key}")
    return ExitCode.DONE


def _list(options: argparse.Namespace) -> int:
    from annotator.services import task_listing

    with opened(options) as store:
        rows = task_listing.listing(store, options.family, options.verdict, options.subject)
    shown = [
        (row.key, row.task, row.what, row.difficulty, row.verdict or "open", "yes" if row.proven else "no",
         "yes" if row.fits else "no")
        for row in rows
    ]  # fmt: skip
    text = table(("key", "family", "what", "difficulty", "verdict", "proven", "fits"), shown)
    answer(options.json, rows, f"{text}\n{len(rows)} items")
    return ExitCode.DONE


def _show(options: argparse.Namespace) -> int:
    from annotator.services import task_listing

    with opened(options) as store:
        view = task_listing.item(store, options.item)
    row = view.row
    facts = "\n".join(f"{name}: {value}" for name, value in view.facts)
    text = f"{row.key} ({row.task}, {row.what})\n\n{view.prompt}\n\nReference answer:\n{view.reference}\n\n{facts}"
    answer(options.json, view, text)
    return ExitCode.DONE


def _decide(options: argparse.Namespace) -> int:
    from annotator.model.words import Verdict
    from annotator.services import selecting, task_listing

    with opened(options) as store:
        if options.item:
            ids = [task_listing.item(store, item).row.id for item in options.item]
        else:
            ids = [row.id for row in task_listing.listing(store, options.family, ("open",))]
        if not ids:
            raise BadInputError("No made item is open, so there is nothing to decide on.")
        changes = selecting.decide(store, ids, Verdict(options.verdict), options.reason)
    data = {"done": changes.label, "change": changes.change_id, "items": len(ids)}
    answer(options.json, data, changes.label)
    return ExitCode.DONE


def _export(options: argparse.Namespace) -> int:
    from annotator.services import task_listing

    with opened(options) as store:
        count = task_listing.export(store, options.out, options.family, tuple(options.verdict) or ("accept",))
    answer(options.json, {"items": count, "file": str(options.out)}, f"{count} items in {options.out.name}")
    return ExitCode.DONE
