"""Whose turn a candidate is."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode
from annotator.cli.output import answer, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.services.queues import QueueShare


def add(commands: Commands) -> None:
    """Add queue show, queue deal and queue take-back."""
    inner = group(commands, "queue", "deal the candidates out, so that no two people decide on the same one")
    add_project(
        command(inner, "show", "show how far everybody's share is", "annotator queue show p.annotator --json", _show)
    )
    parser = command(
        inner,
        "deal",
        "make open candidates that are nobody's turn the turn of some people",
        "annotator queue deal p.annotator --to Mei --to Lin --count 150 --language python",
        _deal,
    )
    add_project(parser)
    parser.add_argument("--to", action="append", required=True, metavar="NAME", help="repeat it to deal to several")
    parser.add_argument(
        "--count", type=int, metavar="N", help="how many everybody gets at most; default: all there are"
    )
    parser.add_argument("--search", default="", metavar="TEXT", help="words that start some word of the candidate")
    for name in ("language", "task", "domain", "area", "difficulty"):
        parser.add_argument(f"--{name}", action="append", default=[], metavar=name[0].upper())
    parser = command(
        inner,
        "take-back",
        "make what people have not decided on nobody's turn again",
        "annotator queue take-back p.annotator --from Lin",
        _take_back,
    )
    add_project(parser)
    parser.add_argument("--from", dest="people", action="append", default=[], metavar="NAME", help="default: everybody")


def _show(options: argparse.Namespace) -> int:
    from annotator.services import projects, queues

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        found = queues.shares(store)
    finally:
        store.close()
    answer(options.json, {"shares": found}, _text(found))
    return ExitCode.DONE


def _deal(options: argparse.Namespace) -> int:
    from annotator.model.rows import QueueFilter
    from annotator.services import projects, queues

    wanted = QueueFilter(
        text=options.search,
        languages=tuple(options.language),
        tasks=tuple(options.task),
        domains=tuple(options.domain),
        areas=tuple(options.area),
        difficulties=tuple(options.difficulty),
    )
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes, found = queues.allot(store, options.to, wanted, count=options.count)
    finally:
        store.close()
    answer(options.json, {"done": changes.label, "change": changes.change_id, "shares": found}, _text(found))
    return ExitCode.DONE


def _take_back(options: argparse.Namespace) -> int:
    from annotator.services import projects, queues

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes = queues.take_back(store, options.people)
    finally:
        store.close()
    answer(options.json, {"done": changes.label, "change": changes.change_id}, changes.label)
    return ExitCode.DONE


def _text(found: tuple[QueueShare, ...]) -> str:
    rows = [
        (item.person or "nobody", *map(str, (item.candidates, item.open, item.decided, item.later))) for item in found
    ]
    return table(("person", "candidates", "open", "decided", "skipped or flagged"), rows, (1, 2, 3, 4))
