"""Results: tables, figures and a report, with the numbers of the window."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode, UsageError
from annotator.cli.output import answer, as_csv, percent, table
from annotator.cli.parser import add_project, command

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.model.results import ItemScoreRow, Leaderboard, Table
    from annotator.services.result_tables import TableOptions
    from annotator.store.project_file import ProjectFile

HEADERS = ("rank", "model", "score %", "95 % interval", "pass", "partial", "fail", "no answer", "machinery", "items")
TABLES = (
    "leaderboard", "domains", "weighted", "dsi", "correlation", "passes", "rank-intervals", "ranks", "scaling",
    "compare", "items", "difficulty", "skill", "cost", "context", "decoding", "metric", "leakage", "recall", "errors",
    "releases", "audit", "quotas",
)  # fmt: skip
GROUPINGS = ("domain", "language", "area", "type", "difficulty", "metric", "task", "repository")


def add(commands: Commands) -> None:
    """Add results."""
    parser = command(
        commands,
        "results",
        "show results: the leaderboard, further tables, figures, a report",
        "annotator results p.annotator --table domains --by language --latex\n"
        "  annotator results p.annotator --table compare --a aurora --b borealis --figure pair.svg\n"
        "  annotator results p.annotator --published coco --table correlation",
        _results,
    )
    add_project(parser)
    parser.add_argument("--release", metavar="V", help="default: the newest with a run")
    parser.add_argument("--table", metavar="T", help=f"one of {', '.join(TABLES)}")
    parser.add_argument("--by", choices=GROUPINGS, help="how items are grouped (default: domain)")
    parser.add_argument(
        "--run", action="append", default=[], metavar="R", help="only this run; without --table, list its responses"
    )
    parser.add_argument("--protocol", metavar="P", help="only runs under this protocol")
    parser.add_argument("--k", type=int, metavar="K", help="score every item by its best of k samples")
    parser.add_argument("--a", metavar="M", default="", help="the first of a comparison: a model or run")
    parser.add_argument("--b", metavar="M", default="", help="the second")
    parser.add_argument("--with", dest="other_release", metavar="V", default="", help="the other release")
    parser.add_argument(
        "--against", type=Path, metavar="F", help="another benchmark's scores: CSV or JSON, model, score"
    )
    parser.add_argument("--cluster", choices=GROUPINGS, default="", help="items of a group are not independent")
    parser.add_argument("--threshold", type=float, default=10.0, metavar="T", help="DSI of a comfort domain (10)")
    parser.add_argument("--target", type=float, metavar="S", help="the score a scaling line is followed to")
    parser.add_argument(
        "--frontier", action="append", default=[], metavar="M", help="draw the scaling line through this model; repeat"
    )
    parser.add_argument("--draws", type=int, default=10_000, metavar="N", help="bootstrap draws (10000)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the draws (0)")
    parser.add_argument("--published", metavar="NAME", help="a published table that was imported, in place of runs")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--csv", action="store_true", help="answer with CSV")
    forms.add_argument("--latex", action="store_true", help="answer with LaTeX (booktabs)")
    forms.add_argument("--markdown", action="store_true", help="answer with Markdown")
    parser.add_argument("--figure", type=Path, metavar="F.svg", help="draw the table: .svg, .pdf or .png")
    parser.add_argument("--dark", action="store_true", help="draw for a dark ground")
    parser.add_argument("--report", type=Path, metavar="F.html", help="write all tables and figures as one page")
    parser.add_argument(
        "--send-back", action="append", default=[], metavar="KEY", help="flag an item for the queue; repeat it"
    )
    parser.add_argument("--reason", default="", metavar="TEXT", help="why items are sent back")
    parser.add_argument(
        "--set-difficulty", action="store_true", help="label the items with their difficulty by pass rates"
    )


def _results(options: argparse.Namespace) -> int:
    wanted = _options(options)
    from annotator.services import projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        if options.send_back:
            return _send_back(store, options)
        if options.set_difficulty:
            return _set_difficulty(store, options)
        if options.report is not None:
            return _report(store, options, wanted)
        special = options.table or options.published or options.figure or options.latex or options.markdown
        if options.run and not special:
            return _items(store, options)
        if special:
            return _table(store, options, wanted)
        return _board(store, options)
    finally:
        store.close()


def _set_difficulty(store: ProjectFile, options: argparse.Namespace) -> int:
    from annotator.services import result_data, result_difficulty

    data = result_data.load(store, options.release, protocol=options.protocol, runs=tuple(options.run), k=options.k)
    count, changes = result_difficulty.apply_difficulty(store, data)
    answer(options.json, {"done": changes.label, "change": changes.change_id, "items": count}, f"{changes.label}.")
    return ExitCode.DONE


def _options(options: argparse.Namespace) -> TableOptions:
    if options.table is not None and options.table not in TABLES:
        raise UsageError(f"There is no table {options.table}. There is: {', '.join(TABLES)}.")
    if options.json and (options.csv or options.latex or options.markdown):
        raise UsageError("Choose one of --json, --csv, --latex and --markdown.")
    if not 10 <= options.draws <= 1_000_000:
        raise UsageError("--draws must be between 10 and 1000000.")
    if options.k is not None and not 1 <= options.k <= 10_000:
        raise UsageError("--k must be between 1 and 10000.")
    from annotator.services.result_acts import read_scores
    from annotator.services.result_tables import TableOptions

    return TableOptions(
        by=options.by or "domain",
        threshold=options.threshold,
        draws=options.draws,
        seed=options.seed,
        cluster=options.cluster,
        a=options.a,
        b=options.b,
        other_version=options.other_release,
        scores=read_scores(options.against) if options.against else {},
        target=options.target,
        frontier=tuple(options.frontier),
    )


def _table(store: ProjectFile, options: argparse.Namespace, wanted: TableOptions) -> int:
    from annotator.formats.tables import as_json, render
    from annotator.services import result_figures

    found = _find(store, options, wanted)
    form = next((name for name in ("csv", "latex", "markdown") if getattr(options, name)), "")
    text = render(found, form) if form else table_text(found)
    if options.figure is not None:
        result_figures.write(found, options.figure, dark=options.dark)
        if not (form or options.json or options.table):
            text = f"{options.figure.name} was written."
    answer(options.json, as_json(found), text)
    return ExitCode.DONE


def _find(store: ProjectFile, options: argparse.Namespace, wanted: TableOptions) -> Table:
    from annotator.services import published, result_data, results

    name = options.table or "leaderboard"
    if options.published:
        return published.table(published.published_named(store, options.published), name, wanted)
    if name in ("audit", "quotas"):
        raise UsageError(f"{name} is of a published table. Import one, then name it with --published.")
    data = result_data.load(store, options.release, protocol=options.protocol, runs=tuple(options.run), k=options.k)
    return results.table(store, data, name, wanted)


def _board(store: ProjectFile, options: argparse.Namespace) -> int:
    from annotator.services import result_data, results

    board = results.board_of(result_data.load(store, options.release, protocol=options.protocol, k=options.k))
    by = options.by if options.by in ("language", "domain", "task", "difficulty") else None
    if options.by and by is None:
        options.table = "domains"
        return _table(store, options, _options(options))
    headers, lines = leaderboard_table(board, by)
    answer(options.json, board, as_csv(headers, lines) if options.csv else leaderboard_text(board, by))
    return ExitCode.DONE


def _items(store: ProjectFile, options: argparse.Namespace) -> int:
    from annotator.services import results, running

    ids = [row.id for row in running.runs(store) if row.id.startswith(tuple(options.run)) and row.state == "done"]
    if not ids:
        raise BadInputError(f"There is no finished run {options.run[0]} in this project.")
    items = [item for run in ids for item in results.items(store, run)]
    answer(options.json, {"items": items}, _items_text(items, as_text=not options.csv))
    return ExitCode.DONE


def _items_text(items: Sequence[ItemScoreRow], *, as_text: bool) -> str:
    headers = ("key", "title", "language", "sample", "outcome", "score %")
    lines = [
        (item.key, item.title, item.language, str(item.sample), item.outcome, percent(item.score)) for item in items
    ]
    return table(headers, lines, (3, 5)) if as_text else as_csv(headers, lines)


def _send_back(store: ProjectFile, options: argparse.Namespace) -> int:
    from annotator.services import result_acts

    changes = result_acts.send_back(store, options.send_back, options.reason)
    answer(options.json, {"flagged": sorted(changes.subjects)}, f"{changes.label}.")
    return ExitCode.DONE


def _report(store: ProjectFile, options: argparse.Namespace, wanted: TableOptions) -> int:
    from annotator.services import result_report

    written = result_report.write(store, options.report, options.release, wanted, protocol=options.protocol)
    names = ", ".join(written.tables)
    answer(options.json, written, f"{options.report.name} was written with {names}.")
    return ExitCode.DONE


def table_text(found: Table) -> str:
    """Return a table as people read it, its notes below."""
    lines = [tuple(cell.text for cell in row) for row in found.rows]
    right = [at for at, numeric in enumerate(found.numeric) if numeric]
    return "\n".join([found.title, table(found.headers, lines, right), *found.notes])


def leaderboard_table(board: Leaderboard, by: str | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the leaderboard's headers and cells as text, with a column per value of the group ``by``."""
    groups = sorted({name for row in board.rows for name in row.groups[by]}) if by else []
    lines = [
        (
            "n/a" if row.rank is None else str(row.rank),
            row.name,
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
