"""Runs and results."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode, UsageError
from annotator.cli.output import answer, as_csv, percent, progress_line, table
from annotator.cli.parser import add_project, command, group, not_in_this_version

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.model.rows import ItemScoreRow, Leaderboard

HEADERS = ("rank", "model", "score %", "95 % interval", "pass", "partial", "fail", "no answer", "machinery", "items")


def add(commands: Commands) -> None:
    """Add run and results."""
    run = group(commands, "run", "evaluate models on a release")
    parser = command(
        run, "start", "start a run", "annotator run start p.annotator --release 0.1 --replay answers.jsonl", _start
    )
    add_project(parser)
    parser.add_argument("--release", metavar="V", help="default: the newest")
    parser.add_argument(
        "--replay", type=Path, metavar="F", help="recorded responses: JSON lines subject, model, response"
    )
    parser.add_argument("--model", action="append", default=[], metavar="M", help="only this model; repeat it")
    parser.add_argument("--base-url", metavar="U", help="an OpenAI-compatible endpoint")
    parser.add_argument("--preset", metavar="P", help="a protocol")
    parser.add_argument("--jobs", type=int, metavar="N", help="requests at a time")
    parser.add_argument("--executor", metavar="E", help="local or dask://HOST:PORT")
    parser = command(
        run, "samples", "keep responses to try criteria on", "annotator run samples p.annotator a.jsonl", _keep
    )
    add_project(parser)
    parser.add_argument("file", type=Path, metavar="F")
    add_project(command(run, "list", "list the runs", "annotator run list p.annotator", _list))
    for name, what in (("resume", "go on with a run"), ("retry", "retry failed calls"), ("rescore", "score again")):
        parser = command(run, name, what, f"annotator run {name} p.annotator", _later)
        parser.set_defaults(what=f"annotator run {name}")
        add_project(parser)
    parser = command(commands, "results", "show the leaderboard", "annotator results p.annotator --csv", _results)
    add_project(parser)
    parser.add_argument("--release", metavar="V", help="default: the newest with a run")
    parser.add_argument("--by", choices=("language", "domain", "task", "difficulty"), help="add a column per group")
    parser.add_argument("--run", action="append", default=[], metavar="R", help="list one run's items instead")
    parser.add_argument("--csv", action="store_true", help="answer with CSV")
    parser.add_argument("--table", metavar="T", help="a table by name")
    parser.add_argument("--latex", action="store_true", help="answer with LaTeX")
    parser.add_argument("--figure", type=Path, metavar="F.svg", help="draw a figure")


def _later(options: argparse.Namespace) -> int:
    not_in_this_version(options.what)


def _start(options: argparse.Namespace) -> int:
    if options.base_url or options.preset or options.executor or options.jobs:
        not_in_this_version("Asking models over an endpoint")
    if options.replay is None:
        raise UsageError("Give --replay with a file of recorded responses; asking models is not in this version.")
    from annotator.services import projects, running

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows, _ = running.start_replay(store, options.release, options.replay, options.model, progress_line("run"))
    finally:
        store.close()
    lines = [f"{row.model}: {row.done} of {row.expected} responses scored on {row.version}" for row in rows]
    answer(options.json, {"runs": rows}, "\n".join(lines))
    return ExitCode.DONE


def _keep(options: argparse.Namespace) -> int:
    from annotator.services import projects, running

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        added, _ = running.keep_samples(store, options.file)
    finally:
        store.close()
    answer(options.json, {"added": added}, f"{added} sample responses added.")
    return ExitCode.DONE


def _list(options: argparse.Namespace) -> int:
    from annotator.services import projects, running

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows = running.runs(store)
    finally:
        store.close()
    lines = [
        (row.id[:8], row.model, row.version, row.preset, row.state, f"{row.done}/{row.expected}", row.created_at[:16])
        for row in rows
    ]
    text = table(("run", "model", "release", "preset", "state", "responses", "started"), lines, (5,))
    answer(options.json, {"runs": rows}, text if rows else "There is no run yet.")
    return ExitCode.DONE


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
