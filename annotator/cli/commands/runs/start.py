"""Run models on a release: start, resume, retry, score again, import samples."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, ExitCode, InterruptedWorkError, KnownError, UsageError
from annotator.base.records import record_from
from annotator.cli.command import Argument, AsEvents, Option, Texts, command
from annotator.cli.commands.runs.options import (
    ModelOptions,
    MoneyOptions,
    ProtocolOptions,
    ServerOptions,
    WireOptions,
    describe_forecast,
    find_endpoint,
)
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_list, percent_text, write_error, write_event
from annotator.cli.progress_display import ProgressDisplay
from annotator.jobs.progress import Progress
from annotator.llm.probe import plain_question, probe_endpoint
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import RunRow
from annotator.model.rows.run_rows import is_resumable, is_retryable, lost_answers, state_word
from annotator.services.runs import rescoring, run_control, run_list, run_log, run_plan
from annotator.services.runs.execution import RunLive, Watch, describe_causes, describe_missing_finish_reasons
from annotator.services.runs.run_control import ReplayOptions
from annotator.services.runs.run_log import describe_probe
from annotator.services.runs.run_plan import RunSpec
from annotator.store.file.project_file import ProjectFile

_RunOrNewest = Annotated[str, Argument("RUN", "id of the run, or its first characters")]
_EVENT_INTERVAL_S = 0.5
_NO_MODEL_TEXT = (
    "Give --base-url with the address of an endpoint and --model with the endpoint's name of the model, "
    "or --replay with a file of recorded answers."
)
_NO_QUEUE_TEXT = "Recorded responses cost nothing and are scored at once; leave --queue and --forecast out."
_NO_REQUESTS_TEXT = (
    "Recorded responses come from a file, not from an endpoint; leave out the options on requests and prices: "
    "--batch, --again, --jobs, --key-name, --stream, --token-field, --timeout, --cap, --price-… and --currency."
)
_Executor = Annotated[str | None, Option("E", "where to score from now on: local or dask://HOST:PORT")]


@dataclass(frozen=True, kw_only=True)
class RunReports:
    """The progress of runs, on the display or as JSON lines."""

    display: ProgressDisplay
    as_json: AsEvents

    def watch(self, store: ProjectFile) -> Watch | None:
        """Return a callback that writes a JSON line when a run starts, then its progress at most twice a second.

        A note or an obstacle is written at once, because no further progress may follow to write it with.
        """
        if not self.as_json:
            return None
        run_id = ""
        written_at = 0.0
        written_texts = ("", "")

        def write_live(live: RunLive) -> None:
            nonlocal run_id, written_at, written_texts
            if live.run_id != run_id:
                run_id = live.run_id
                written_at = -_EVENT_INTERVAL_S
                written_texts = ("", "")
                write_event("start", {"run": run_id, "model": run_list.find_run(store, run_id).model})
            texts = (live.note, live.obstacle)
            if time.monotonic() - written_at >= _EVENT_INTERVAL_S or texts != written_texts:
                written_at = time.monotonic()
                written_texts = texts
                write_event("progress", live)

        return write_live

    @contextmanager
    def interruptible(self, store: ProjectFile, is_affected: Callable[[RunRow], bool], advice: str) -> Iterator[None]:
        """On Ctrl+C, write the final event with the current state of matching runs, and re-raise with advice."""
        try:
            yield
        except KeyboardInterrupt:
            if self.as_json:
                write_event("end", {"runs": [row for row in run_list.list_runs(store) if is_affected(row)]})
            raise KeyboardInterrupt(advice) from None


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """The runs to start: models on a release, or recorded responses, under one or several protocols."""

    release: Annotated[str | None, Option("V", "default: the newest")] = None
    model: Annotated[Texts, Option("M", "model; may be repeated")] = ()
    replay: Annotated[
        Path | None, Option("F", "use recorded responses: no endpoint, no cost; - for stdin", stdin=".jsonl")
    ] = None
    server: ServerOptions
    wire: WireOptions
    how: ProtocolOptions
    money: MoneyOptions
    executor: Annotated[str, Option("E", "where to score: local or dask://HOST:PORT")] = "local"
    batch: Annotated[bool, Option(help="use the endpoint's batch interface: cheaper, answered within a day")] = False
    again: Annotated[bool, Option(help="request again, and pay again, what was answered before")] = False

    def find_specs(self, store: ProjectFile) -> list[RunSpec]:
        """Return the settings of each run. Raises `UsageError` if there is nobody to ask."""
        if not self.model:
            raise UsageError(_NO_MODEL_TEXT)
        endpoint = find_endpoint(store, self.server, self.wire)
        protocols = self.how.find_all(store)
        return [
            record_from(
                RunSpec,
                self,
                model=name,
                protocol=protocol,
                endpoint=endpoint,
                version=self.release,
                price=self.money.price_of(store, name, endpoint.name),
                cap=self.money.cap,
            )
            for name in self.model
            for protocol in protocols
        ]

    def find_replay(self, store: ProjectFile, *, waits: bool) -> ReplayOptions:
        """Return how to replay. Raises `UsageError` for an option that would change nothing about it."""
        if self.server.base_url or self.wire.endpoint:
            raise UsageError("Give either --replay or an endpoint, not both.")
        if waits:
            raise UsageError(_NO_QUEUE_TEXT)
        request_options = (self.server, self.wire, self.money)
        if self.batch or self.again or request_options != (ServerOptions(), WireOptions(), MoneyOptions()):
            raise UsageError(_NO_REQUESTS_TEXT)
        return _build_replay_options(store, self.model, self.how, self.executor)


@dataclass(frozen=True, kw_only=True)
class RunChange:
    """Changes of a run's settings before it goes on."""

    server: ServerOptions
    money: MoneyOptions
    executor: _Executor = None

    def save(self, store: ProjectFile, ids: Sequence[str]) -> None:
        """Change the settings of these runs."""
        for run_id in ids:
            model = run_list.find_run(store, run_id).model
            run_plan.change_settings(
                store,
                run_id,
                base_url=self.server.base_url,
                key_name=self.server.key_name,
                concurrency=self.server.jobs,
                cap=self.money.cap,
                executor=self.executor,
                price=self.money.price_of(store, model) if self.money.has_price else None,
            )


@command(
    "run start", "annotator run start p.annotator --model m --base-url http://localhost:8000/v1 --preset infibench"
)
def start_run(
    store: Project,
    *,
    request: RunRequest,
    queue: Annotated[bool, Option(help="queue the run without starting it")] = False,
    forecast: Annotated[bool, Option(help="show calls, time and cost without starting the run")] = False,
    reports: RunReports,
) -> CommandAnswer:
    """Start a run."""
    if request.replay is not None:
        options = request.find_replay(store, waits=queue or forecast)
        return _replay_responses(store, reports, request.replay, request.release, options)
    specs = request.find_specs(store)
    forecasts = [run_plan.forecast_run(store, spec) for spec in specs]
    for spec, run_forecast in zip(specs, forecasts, strict=True):
        write_error(describe_forecast(spec, run_forecast))
    if forecast:
        return CommandAnswer({"forecasts": forecasts}, "", event="end")
    if reports.as_json:
        write_event("forecast", {"forecasts": forecasts})
    # All runs are planned before the first one starts, so that an interruption loses none of them.
    ids = [run_plan.plan_run(store, spec)[0] for spec in specs]
    if queue:
        rows = [run_list.find_run(store, run_id) for run_id in ids]
        lines = [f"{row.id[:13]} {row.model}: queued" for row in rows]
        return CommandAnswer({"runs": rows}, "\n".join(lines), event="end")
    return _execute_runs(store, reports, ids, run_control.resume_execution)


@command("run resume", "annotator run resume p.annotator")
def resume_run(
    store: Project,
    *,
    run: _RunOrNewest = "",
    change: RunChange,
    queued: Annotated[bool, Option(help="all queued runs, one after the other")] = False,
    replay: Annotated[Path | None, Option("F", "file of recorded responses, for a run on such a file")] = None,
    reports: RunReports,
) -> CommandAnswer:
    """Resume a run."""
    if queued:
        if run:
            raise UsageError("Give either a run or --queued.")
        ids = [row.id for row in run_list.list_queued_runs(store)]
        if not ids:
            raise BadInputError("The queue is empty.")
    else:
        ids = [_choose_run(store, run, is_resumable, "There is no run to resume.").id]
    change.save(store, ids)
    return _execute_runs(store, reports, ids, partial(run_control.resume_execution, recorded=replay))


@command("run retry", "annotator run retry p.annotator")
def retry_run(store: Project, *, run: _RunOrNewest = "", change: RunChange, reports: RunReports) -> CommandAnswer:
    """Request and score again what failed for a technical reason."""
    row = _choose_run(store, run, is_retryable, "No run has technical failures.")
    change.save(store, [row.id])
    return _execute_runs(store, reports, [row.id], run_control.retry_failures)


@dataclass(frozen=True, kw_only=True)
class RescoreOptions:
    """The protocol and the place of a new scoring."""

    source: Annotated[
        str,
        Option(
            "S",
            "whose criteria: project (current; default), release (the run's own), or a release's version",
            flag="--with",
        ),
    ] = "project"
    executor: _Executor = None


@command("run rescore", "annotator run rescore p.annotator 0198 --with project")
def rescore_run(
    store: Project,
    display: ProgressDisplay,
    *,
    run: _RunOrNewest = "",
    how: RescoreOptions,
    sets: Annotated[bool, Option(help="list the scorings of the run instead")] = False,
    use: Annotated[str | None, Option("ID", "use an earlier scoring instead of scoring again")] = None,
) -> CommandAnswer:
    """Score a run again without new requests."""
    row = _choose_run(store, run, lambda row: row.answered > 0, "No run has responses.")
    if use:
        rescoring.use_score_set(store, row.id, use)
    if use or sets:
        score_sets = rescoring.list_score_sets(store, row.id)
        lines = [
            (item.id, item.source, percent_text(item.score), item.scored, "yes" if item.current else "")
            for item in score_sets
        ]
        return answer_list("sets", score_sets, ("id", "criteria of", "score %", "scored", "counts"), lines, (2,))
    if how.executor is not None:
        run_plan.change_settings(store, row.id, executor=how.executor)
    source = how.source if how.source in ("project", "release") else f"release {how.source}"
    report, _ = rescoring.rescore_responses(store, row.id, source, display.start("Scoring again"))
    text = (
        f"{row.model}: {percent_text(report.before)} before, {percent_text(report.after)} now (score %); "
        f"{len(report.differing)} of {report.responses} responses score differently, "
        f"{report.flips} switch between passing and failing"
    )
    if report.unscored:
        unscored = [cause for cause in run_log.failure_causes(store, row.id) if cause.kind == "no score"]
        causes = describe_causes(unscored, "Score again") or [f"{report.unscored} answers not scored"]
        write_error(f"{'. '.join(causes)}.")
    return CommandAnswer(report, text)


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """The release, models and protocol of samples made elsewhere."""

    release: Annotated[str | None, Option("V", "default: the newest")] = None
    model: Annotated[Texts, Option("M", "only this model; or the model, if the file names none")] = ()
    how: ProtocolOptions
    executor: Annotated[str, Option("E", "where to score: local or dask://HOST:PORT")] = "local"


@command("run import", "annotator run import p.annotator samples.jsonl")
def import_samples(
    store: Project,
    *,
    file: Annotated[Path, Argument("F", "the file; - for JSON lines from stdin", stdin=".jsonl")],
    samples: SampleOptions,
    reports: RunReports,
) -> CommandAnswer:
    """Import samples made elsewhere as runs."""
    options = _build_replay_options(store, samples.model, samples.how, samples.executor)
    return _replay_responses(store, reports, file, samples.release, options)


@command("run samples", "annotator run samples p.annotator a.jsonl")
def add_samples(
    store: Project, *, file: Annotated[Path, Argument("F", "the file; - for JSON lines from stdin", stdin=".jsonl")]
) -> CommandAnswer:
    """Add sample responses to try criteria on."""
    added, _ = run_control.store_recorded_samples(store, file)
    return CommandAnswer({"added": added}, f"{added} sample responses added.")


@command("run test", "annotator run test p.annotator --model m --base-url http://localhost:8000/v1")
def try_endpoint(store: Project, *, model_options: ModelOptions) -> CommandAnswer:
    """Test an endpoint with a tiny request."""
    endpoint = model_options.find_endpoint(store)
    report = probe_endpoint(endpoint, plain_question(endpoint, model_options.model))
    status = ExitCode.ENVIRONMENT if report.seconds is None else ExitCode.DONE
    return CommandAnswer(report, "\n".join(describe_probe(report)), status)


def _build_replay_options(store: ProjectFile, models: Texts, how: ProtocolOptions, executor: str) -> ReplayOptions:
    return ReplayOptions(
        models=models,
        name=models[0] if len(models) == 1 else "",
        protocol=how.find_of_recorded(store),
        executor=executor,
        test_timeout_s=how.test_timeout,
    )


def _replay_responses(
    store: ProjectFile, reports: RunReports, file: Path, release: str | None, options: ReplayOptions
) -> CommandAnswer:
    """Score recorded responses under the selected protocol, or under their own."""
    earlier = {row.id for row in run_list.list_runs(store)}
    advice = "'annotator run resume --replay FILE' continues"
    with reports.interruptible(store, lambda row: row.id not in earlier, advice):
        progress, watch = reports.display.start("Running"), reports.watch(store)
        rows, _ = run_control.start_replay(store, release, file, options, progress=progress, watch=watch)
    return _describe_ends(rows)


_RunWork = Callable[[ProjectFile, str, Progress, Watch | None], tuple[RunRow, Changes]]


def _execute_runs(store: ProjectFile, reports: RunReports, ids: Sequence[str], work: _RunWork) -> CommandAnswer:
    """Execute runs one after the other; a failed run does not stop the next one."""
    advice = "'annotator run resume' continues"
    if len(ids) > 1:
        advice += ", and 'annotator run resume --queued' starts the queued ones"
    with reports.interruptible(store, lambda row: row.id in ids, advice):
        for run_id in ids:
            try:
                work(store, run_id, reports.display.start("Running"), reports.watch(store))
            except KnownError as error:
                if len(ids) == 1 or isinstance(error, InterruptedWorkError):
                    raise
                write_error(f"{run_list.find_run(store, run_id).model}: {error.message}")
    return _describe_ends([run_list.find_run(store, run_id) for run_id in ids])


def _describe_ends(rows: Sequence[RunRow]) -> CommandAnswer:
    """Return an answer with the state of each run; unfinished ones can be resumed."""
    lines = []
    runs_by_model = Counter(row.model for row in rows)
    for row in rows:
        name = row.model if runs_by_model[row.model] == 1 else f"{row.model}, {row.preset}"
        cost = f", {row.cost:.4f} {row.currency}" if row.currency else ""
        scored = f"{row.done} of {row.expected} responses scored on {row.version}{cost}"
        lines.append(f"{name}: {state_word(row)}, {scored} ({row.id[:13]})")
        if row.reason:
            write_error(f"{name}: {row.reason}")
        if unknown_ends := describe_missing_finish_reasons(row.settings.get("replay") or {}):
            write_error(f"{name}: finish reasons {unknown_ends}.")
        if lost_answers(row):
            write_error(f"{name}: {lost_answers(row)} answers are unreadable but were, or may have been, charged.")
    return CommandAnswer(
        {"runs": rows},
        "\n".join(lines),
        ExitCode.DONE if all(row.state == "done" for row in rows) else ExitCode.INTERRUPTED,
        event="end",
    )


def _choose_run(store: ProjectFile, run_id: str, is_suitable: Callable[[RunRow], bool], none: str) -> RunRow:
    """Return the run with this id, or the newest that ``is_suitable`` if the id is empty."""
    if run_id:
        return run_list.find_run(store, run_id)
    newest = next((row for row in run_list.list_runs(store) if is_suitable(row)), None)
    if newest is None:
        raise BadInputError(none)
    return newest
