"""Results of runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.output import answer, as_csv, percent, table
from annotator.cli.parser import add_project, command, not_in_this_version

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.model.rows import ItemScoreRow, Leaderboard

HEADERS = ("rank", "model", "score %", "95 % interval", "pass", "partial", "fail", "no answer", "machinery", "items")


def add(commands: Commands) -> None:
    """Add results."""
    parser = command(commands, "results", "show the leaderboard", "annotator results p.annotator --csv", _results)
    add_project(parser)
    parser.add_argument("--release", metavar="V", help="default: the newest with a run")
    parser.add_argument("--by", choices=("language", "domain", "task", "difficulty"), help="add a column per group")
    parser.add_argument("--run", action="append", default=[], metavar="R", help="list one run's items instead")
    parser.add_argument("--csv", action="store_true", help="answer with CSV")
    parser.add_argument("--table", metavar="T", help="a table by name")
    parser.add_argument("--latex", action="store_true", help="answer with LaTeX")
    parser.add_argument("--figure", type=Path, metavar="F.svg", help="draw a figure")


def _results(options: argparse.Namespace) -> int:
    if options.latex or options.figure or options.table:
        not_in_this_version("Exporting LaTeX, figures and further tables")
    from annotator.services import projects, results, running

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        if options.run:
            ids = [row.id for row in running.runs(store) if row.id.startswith(tuple(options.run))]
            if not ids:
                raise BadInputError(f"There is no run {options.run[0]} in this project.")
            items = [item for run in ids for item in results.items(store, run)]
            text = _items_text(items, as_text=not options.csv)
            answer(options.json, {"items": items}, text)
            return ExitCode.DONE
        board = results.leaderboard(store, options.release)
    finally:
        store.close()
    headers, lines = leaderboard_table(board, options.by)
    text = as_csv(headers, lines) if options.csv else leaderboard_text(board, options.by)
    answer(options.json, board, text)
    return ExitCode.DONE


def _items_text(items: Sequence[ItemScoreRow], *, as_text: bool) -> str:
    headers = ("key", "title", "language", "sample", "outcome", "score %")
    lines = [
        (item.key, item.title, item.language, str(item.sample), item.outcome, percent(item.score)) for item in items
    ]
    return table(headers, lines, (3, 5)) if as_text else as_csv(headers, lines)


def leaderboard_table(board: Leaderboard, by: str | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the leaderboard's headers and cells as text, with a column per value of the group ``by``."""
    groups = sorted({name for row in board.rows for name in row.groups[by]}) if by else []
    lines = [
        (
            str(row.rank),
            row.model,
            percent(row.score),
            f"{percent(row.low)} to {percent(row.high)}",
            *(str(count) for count in (row.passed, row.partial, row.failed, row.no_answer, row.machinery)),
            f"{row.items} of {board.items}",
            *(percent(row.groups[by].get(name)) if by else "" for name in groups),
        )
        for row in board.rows
    ]
    return (*HEADERS, *groups), lines


def leaderboard_text(board: Leaderboard, by: str | None = None) -> str:
    """Return the leaderboard as people read it; failures of our machinery are said beside it."""
    if not board.rows:
        return f"Release {board.version} has no finished run yet."
    headers, lines = leaderboard_table(board, by)
    right = (0, *range(2, len(headers)))
    text = f"Leaderboard of release {board.version}\n{table(headers, lines, right)}"
    failed = sum(row.machinery for row in board.rows)
    if failed:
        text += f"\n{failed} responses could not be scored here; they count neither for nor against a model."
    return text
