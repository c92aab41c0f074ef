"""Runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode, UsageError
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import add_project, command, group, not_in_this_version

if TYPE_CHECKING:
    from annotator.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add run."""
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
