"""Run models on a release: start, resume, retry, score again, import, list."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode, UsageError
from annotator.cli.commands import run_options, run_views
from annotator.cli.output import answer, percent, progress_line, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.jobs.progress import Progress
    from annotator.model.rows import Changes, RunRow
    from annotator.store.project_file import ProjectFile

    Work = Callable[[ProjectFile, str, Progress], tuple[RunRow, Changes]]


def add(commands: Commands) -> None:
    """Add the run commands."""
    run = group(commands, "run", "evaluate models on a release")
    _add_start(run)
    parser = _add_again(run, "resume", "go on with a run", _resume)
    parser.add_argument("--queued", action="store_true", help="all runs that wait, one after the other")
    parser.add_argument("--replay", type=Path, metavar="F", help="the file, for a run of recorded responses")
    _add_again(run, "retry", "ask and score again what failed in machinery", _retry)
    parser = command(
        run, "rescore", "score a run again without asking", "annotator run rescore p.annotator 0198 --with project",
        _rescore,
    )  # fmt: skip
    _add_run(parser)
    parser.add_argument(
        "--with", dest="source", default="project", metavar="S",
        help="whose criteria: project (as they stand now; default), release (the run's own), or a release's version",
    )  # fmt: skip
    parser.add_argument("--sets", action="store_true", help="list the scorings of the run instead")
    parser.add_argument("--use", metavar="ID", help="let an earlier scoring count instead of scoring again")
    parser = command(
        run, "import", "take samples made elsewhere as runs", "annotator run import p.annotator samples.jsonl", _import
    )
    add_project(parser)
    parser.add_argument("file", type=Path, metavar="F")
    parser.add_argument("--release", metavar="V", help="default: the newest")
    parser.add_argument("--model", action="append", default=[], metavar="M", help="only this model; repeat it")
    run_options.add_protocol(parser)
    parser = command(
        run, "samples", "keep responses to try criteria on", "annotator run samples p.annotator a.jsonl", _keep
    )
    add_project(parser)
    parser.add_argument("file", type=Path, metavar="F")
    run_views.add(run)


def _add_start(run: Commands) -> None:
    parser = command(
        run,
        "start",
        "start a run",
        "annotator run start p.annotator --model m --base-url http://localhost:8000/v1 --preset infibench",
        _start,
    )
    add_project(parser)
    parser.add_argument("--release", metavar="V", help="default: the newest")
    parser.add_argument("--model", action="append", default=[], metavar="M", help="a model; repeat it for several")
    parser.add_argument("--replay", type=Path, metavar="F", help="answer from recorded responses: no endpoint, no cost")
    run_options.add_endpoint(parser)
    parser.add_argument("--endpoint", metavar="NAME", help="an endpoint that is kept in the project")
    parser.add_argument("--stream", action="store_true", help="read answers piece by piece, for slow servers")
    parser.add_argument("--token-field", choices=("max_tokens", "max_completion_tokens"), help="what the server knows")
    parser.add_argument("--timeout", type=run_options.amount, metavar="S", help="seconds of silence before a new try")
    run_options.add_protocol(parser)
    run_options.add_money(parser)
    parser.add_argument("--executor", default="local", metavar="E", help="where to score: local or dask://HOST:PORT")
    parser.add_argument("--again", action="store_true", help="pay anew for what was answered before")
    parser.add_argument("--queue", action="store_true", help="put the run into the queue and do not start it")
    parser.add_argument("--forecast", action="store_true", help="say what it would take, and do not start it")


def _add_run(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("run", nargs="?", default="", metavar="RUN", help="its id or the beginning of it")


def _add_again(
    run: Commands, name: str, summary: str, call: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser = command(run, name, summary, f"annotator run {name} p.annotator", call)
    _add_run(parser)
    run_options.add_endpoint(parser)
    run_options.add_money(parser)
    parser.add_argument("--executor", metavar="E", help="where to score from now on: local or dask://HOST:PORT")
    return parser


@contextmanager
def _project(options: argparse.Namespace) -> Iterator[ProjectFile]:
    """Open the project; being asked to end is like Ctrl+C: what is on the wire is taken in, and the run says so."""
    from annotator.services import projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:  # not in the main thread: whoever started it there minds its end
        before = None
    try:
        yield store
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)
        store.close()


def _start(options: argparse.Namespace) -> int:
    from annotator.services import run_plan, running

    if options.replay is not None:
        return _replay(options)
    with _project(options) as store:
        specs = run_options.specs_from(store, options)
        forecasts = [run_plan.forecast_run(store, spec) for spec in specs]
        for spec, found in zip(specs, forecasts, strict=True):
            sys.stderr.write(run_options.forecast_text(spec, found) + "\n")
        if options.forecast:
            answer(options.json, {"forecasts": forecasts}, "")
            return ExitCode.DONE
        # All are planned before the first is asked, so that nothing is forgotten if this is cut off.
        ids = [run_plan.plan_run(store, spec)[0] for spec in specs]
        if options.queue:
            rows = [running.find(store, run_id) for run_id in ids]
            answer(options.json, {"runs": rows}, "\n".join(f"{row.id[:13]} {row.model}: queued" for row in rows))
            return ExitCode.DONE
        return _carry_out(options, store, ids, running.resume)


def _replay(options: argparse.Namespace) -> int:
    if options.base_url or options.endpoint:
        raise UsageError("Give either --replay or an endpoint, not both.")
    if options.queue or options.forecast:
        raise UsageError("Recorded responses cost nothing and are scored at once; leave --queue and --forecast out.")
    return _scored(options, options.replay)


def _import(options: argparse.Namespace) -> int:
    return _scored(options, options.file)


def _scored(options: argparse.Namespace, file: Path) -> int:
    from annotator.services import running

    named = options.preset or options.protocol
    with _project(options) as store:
        protocol = run_options.protocol_from(store, options) if named else None
        rows, _ = running.start_replay(
            store, options.release, file, options.model, progress_line("run"), protocol=protocol
        )
    return _said(options, rows)


def _carry_out(options: argparse.Namespace, store: ProjectFile, ids: list[str], work: Work) -> int:
    rows = []
    for run_id in ids:
        row, _ = work(store, run_id, progress_line("run"))
        rows.append(row)
        if row.state != "done":
            break
    return _said(options, rows)


def _said(options: argparse.Namespace, rows: Sequence[RunRow]) -> int:
    """Answer with the runs as they ended; one that did not end as done can be resumed."""
    lines = []
    for row in rows:
        cost = f", {row.cost:.4f} {row.currency}" if row.currency else ""
        lines.append(
            f"{row.model}: {row.done} of {row.expected} responses scored on {row.version}{cost} ({row.id[:13]})"
        )
        if row.reason:
            sys.stderr.write(f"{row.model}: {row.reason}\n")
    answer(options.json, {"runs": rows}, "\n".join(lines))
    return ExitCode.DONE if all(row.state == "done" for row in rows) else ExitCode.INTERRUPTED


def _resume(options: argparse.Namespace) -> int:
    from annotator.model.run_rows import resumable
    from annotator.services import running

    with _project(options) as store:
        if options.queued:
            if options.run:
                raise UsageError("Give either a run or --queued.")
            ids = [row.id for row in running.queued(store)]
            if not ids:
                raise BadInputError("No run waits in the queue.")
        else:
            ids = [_chosen(store, options.run, resumable, "There is no run to go on with.").id]
        _change(store, options, ids)
        if options.replay is None:
            return _carry_out(options, store, ids, running.resume)
        row, _ = running.resume(store, ids[0], progress_line("run"), recorded=options.replay)
        return _said(options, [row])


def _retry(options: argparse.Namespace) -> int:
    from annotator.model.run_rows import retryable
    from annotator.services import running

    with _project(options) as store:
        row = _chosen(store, options.run, retryable, "Nothing of any run failed in machinery.")
        _change(store, options, [row.id])
        return _carry_out(options, store, [row.id], running.retry)


def _chosen(store: ProjectFile, given: str, fits: Callable[[RunRow], bool], none: str) -> RunRow:
    """Return the run that is named, else the newest that fits."""
    from annotator.services import running

    if given:
        return running.find(store, given)
    found = next((row for row in running.runs(store) if fits(row)), None)
    if found is None:
        raise BadInputError(none)
    return found


def _change(store: ProjectFile, options: argparse.Namespace, ids: list[str]) -> None:
    from annotator.services import run_plan, running

    for run_id in ids:
        price = None
        if options.price_in is not None or options.price_out is not None:
            price = run_options.price_from(store, options, running.find(store, run_id).model)
        run_plan.change_settings(
            store,
            run_id,
            base_url=options.base_url,
            key_name=options.key_name,
            concurrency=options.jobs,
            cap=options.cap,
            executor=options.executor,
            price=price,
        )


def _rescore(options: argparse.Namespace) -> int:
    from annotator.services import rescoring

    with _project(options) as store:
        row = _chosen(store, options.run, _has_answers, "There is no run with responses.")
        if options.use:
            rescoring.use_scores(store, row.id, options.use)
        if options.use or options.sets:
            sets = rescoring.score_sets(store, row.id)
            lines = [
                (item.id, item.source, percent(item.score), str(item.scored), "yes" if item.current else "")
                for item in sets
            ]
            answer(
                options.json, {"sets": sets}, table(("id", "criteria of", "score %", "scored", "counts"), lines, (2, 3))
            )
            return ExitCode.DONE
        source = options.source if options.source in ("project", "release") else f"release {options.source}"
        report, _ = rescoring.rescore(store, row.id, source, progress_line("rescore"))
    text = (
        f"{row.model}: {percent(report.before)} before, {percent(report.after)} now (score %); "
        f"{len(report.differing)} of {report.responses} responses score differently, {report.flips} cross passing"
    )
    answer(options.json, report, text)
    if report.unscored:
        sys.stderr.write(f"{report.unscored} responses could not be scored; score again to complete them.\n")
    return ExitCode.DONE


def _has_answers(row: RunRow) -> bool:
    return row.answered > 0


def _keep(options: argparse.Namespace) -> int:
    from annotator.services import running

    with _project(options) as store:
        added, _ = running.keep_samples(store, options.file)
    answer(options.json, {"added": added}, f"{added} sample responses added.")
    return ExitCode.DONE
