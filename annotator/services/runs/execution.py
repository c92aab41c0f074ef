"""Execute a run: request and score only what is not stored yet, so that a run can be resumed however it ended."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from annotator import __version__
from annotator.base.errors import BadInputError, KnownError
from annotator.base.records import record_from
from annotator.evaluation.answer_scoring import ItemScorer, ScoredResponse, ScoreJob, job_of, score_job
from annotator.evaluation.batch_queue import BatchQueue
from annotator.evaluation.engine import Evaluation, RunEnd, Tally
from annotator.evaluation.executors import DaskExecutor, ScoringExecutor, SplitExecutor, WorkerFacts, make_executor
from annotator.evaluation.forecast import Outlook, format_seconds, update_forecast
from annotator.evaluation.planning import AnsweredRequest, PlannedRequest, pending_requests
from annotator.evaluation.released_items import Item
from annotator.evaluation.request_queue import AskingLimits, AskingQueue, Budget, RequestQueue, threads_for
from annotator.evaluation.scoring_queue import Scoring
from annotator.jobs.progress import Progress
from annotator.llm.answers import ONLY_REASONING, Answer
from annotator.llm.batches import BatchClient
from annotator.llm.client import CachedAsker, Client
from annotator.llm.endpoint_errors import is_final_failure, is_refused
from annotator.llm.probe import ProbedAsker, probe_endpoint
from annotator.model.rows.run_rows import CauseRow
from annotator.model.tables.run_tables import Run
from annotator.model.vocabulary import RunState
from annotator.sandbox import Runner
from annotator.services.program import sandbox
from annotator.services.runs.recorder import StoreCache, StoredBatches, StoreSink, load_stored_answers
from annotator.services.runs.run_plan import (
    RELEASED,
    endpoint_of,
    is_batch,
    items_of_run,
    planned_requests,
    price_of_run,
    protocol_of,
    score_hashes,
)
from annotator.services.sandbox_sessions import Workbench, workbench
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue.first_page import is_live
from annotator.store.runs import run_data, run_views, stored_runs
from annotator.store.runs.run_data import BEAT_S, owner_here

INTERRUPTED = "Interrupted. Answers so far are kept; resume to go on."
# An interruption must take two seconds at most; answers in flight have this long to arrive.
GRACE_S = 0.9
_SWITCH_INTERVAL_S = 0.002
_MAX_WORKERS_AT_NORMAL_INTERVAL = 8
# Each attempt of a batch may take a day.
_BATCH_ATTEMPTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLive:
    """The live progress of a run: ``total`` requests to send and ``to_score`` stored answers to score.

    All counts are since this process started or resumed the run. ``outcomes`` counts scores, ``causes`` failures,
    ``repeated`` retried attempts, ``unreadable`` unusable answers that were (or may have been) charged, ``waiting``
    requests that are due later. ``outlook`` estimates the rest from the answers so far, ``obstacle`` is the reason why
    nothing is being scored, ``note`` what the endpoint is busy with.
    """

    run_id: str
    total: int
    to_score: int
    answered: int
    cached: int
    failed: int
    scored: int
    cost: float
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    outcomes: Mapping[str, int] = field(default_factory=dict)
    causes: Mapping[str, int] = field(default_factory=dict)
    repeated: int = 0
    unreadable: int = 0
    waiting: int = 0
    outlook: Outlook | None = None
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    obstacle: str = ""
    note: str = ""

    @property
    def per_minute(self) -> float:
        """Answers per minute since the run was started or resumed."""
        return 60.0 * self.answered / self.seconds if self.seconds > 0 else 0.0


Watch = Callable[[RunLive], None]


@dataclass(frozen=True, slots=True)
class RecordedSource:
    """Recorded answers: the planned requests, and a function that answers them."""

    planned: Sequence[PlannedRequest]
    ask: Callable[[PlannedRequest], Answer]


class RunExecution:
    """The execution of one run in this process, from claiming the run to recording its final state."""

    def __init__(
        self,
        store: ProjectFile,
        run_id: str,
        work: Progress | None = None,
        watch: Watch | None = None,
        *,
        recording: RecordedSource | None = None,
        retry_failed: bool = False,
    ) -> None:
        """Prepare the run. Raises `BadInputError` if another process is executing it.

        ``retry_failed`` also retries answers that could not be scored, and requests that the endpoint refused or
        answered unreadably.
        """
        self._store = store
        self._work = work or Progress()
        self._watch = watch
        self._recording = recording
        self._retry_failed = retry_failed
        with store.read() as db:
            self._run = run_data.fetch_run(db, run_id)
            self._model = stored_runs.model_of(db, self._run).name
        if is_live(self._run.owner, self._run.beat_at):
            raise BadInputError("This run is already running. Pause or stop it where it runs, or wait for its end.")
        self._protocol = protocol_of(self._run)
        self._items: list[dict[str, Any]] = items_of_run(store, self._run)
        self._started = time.monotonic()
        self._total = self._to_score = 0
        self._scored: Counter[str] = Counter()

    def run(self) -> RunEnd:
        """Send the missing requests, score the unscored answers, and update the stored state of the run.

        Raises any error that prevents the start; the run's state is unchanged then.
        """
        store = self._store
        run_id = self._run.id
        release_set_id = self._release_score_set()
        with store.read() as db:
            hashes = stored_runs.hashes_of(db, release_set_id)
            unscored = run_data.find_unscored_places(db, run_id, release_set_id, machinery=self._retry_failed)
            spent = run_data.run_cost(db, run_id) + run_data.lost_answers(self._run)[1]
        self._to_score = len(unscored)
        budget = Budget(self._run.settings.get("cap"), price_of_run(self._run), spent)
        cache = StoreCache(store)
        sink = StoreSink(store, run_id, self._run.model_id, hashes, cache)
        self._scored = sink.outcomes
        keys = {item["id"]: item["key"] for item in self._items}
        with ExitStack() as stack:
            queue = self._open_queue(stack, budget, cache)
            scoring = stack.enter_context(open_scoring(store, self._run, self._items))
            stack.enter_context(longer_switch_interval(queue.limits.workers))
            evaluation = Evaluation(queue, scoring, sink, watch=self._report, grace_s=GRACE_S)
            return self._claim(evaluation, budget, load_stored_answers(store, run_id, unscored, keys))

    def _release_score_set(self) -> str:
        """Return the id of the score set for the release's own criteria; it is added to runs made by older versions."""
        with self._store.read() as db:
            sets = stored_runs.sets_of(db, self._run.id)
        if sets:
            return sets[0].id
        with self._store.write(durable=False) as db:
            hashes = score_hashes(self._items, self._protocol)
            new_set = stored_runs.add_score_set(db, self._run.id, self._store.annotator.id, RELEASED, hashes)
            stored_runs.choose_score_set(db, self._run.id, new_set.id)
            return new_set.id

    def _open_queue(self, stack: ExitStack, budget: Budget, cache: StoreCache) -> AskingQueue:
        """Return the queue of missing requests, without those that are retried only if a person asks for it."""
        with self._store.read() as db:
            stored = run_data.fetch_stored_places(db, self._run.id)
            failed = {} if self._retry_failed else run_data.fetch_failed_places(db, self._run.id)
        endpoint = endpoint_of(self._run)
        recording = self._recording
        if recording is not None:
            remaining = list(pending_requests(recording.planned, stored))
            self._total = len(remaining)
            limits = AskingLimits(budget=budget, workers=2 if remaining else 0)
            return RequestQueue(remaining, recording.ask, limits=limits, control=self._work)
        if endpoint is None:
            return RequestQueue(limits=AskingLimits(workers=0), control=self._work)
        final_failures = {place for place, cause in failed.items() if is_final_failure(cause)}
        self._total = len(self._items) * self._protocol.samples - len(stored) - len(final_failures)
        missing = pending_requests(planned_requests(self._run, self._model, self._items), stored)
        to_ask = cache.prefetch(item for item in missing if item.id not in final_failures)
        client = stack.enter_context(Client(endpoint))
        if is_batch(self._run):
            return self._open_batches(client, to_ask, budget, cache)
        probe = partial(probe_endpoint, endpoint, stopped=lambda: client.stopped)
        asker = CachedAsker(ProbedAsker(client, probe), cache)
        return RequestQueue(
            to_ask,
            lambda planned: asker.ask(planned.request),
            limits=AskingLimits(workers=threads_for(endpoint.concurrency), budget=budget, policy=client.policy),
            control=self._work,
            interrupt=client.stop,
        )

    def _open_batches(
        self, client: Client, to_ask: Iterable[PlannedRequest], budget: Budget, cache: StoreCache
    ) -> BatchQueue:
        order = {str(item["id"]): number * self._protocol.samples for number, item in enumerate(self._items)}
        return BatchQueue(
            ((order[planned.item_id] + planned.sample, planned) for planned in to_ask),
            BatchClient(client),
            StoredBatches(self._store, self._run.id),
            cache,
            limits=AskingLimits(workers=1, budget=budget, policy=replace(client.policy, attempts=_BATCH_ATTEMPTS)),
            control=self._work,
        )

    def _claim(self, evaluation: Evaluation, budget: Budget, unscored: Iterable[AnsweredRequest]) -> RunEnd:
        """Run the evaluation while this process claims the run, and record its final state however it ends."""
        with self._store.write(durable=False) as db:
            run_data.claim_run(db, self._run.id, owner_here())
        has_ended = threading.Event()
        beat_thread = threading.Thread(target=self._beat, args=(has_ended,), name="run-beat", daemon=True)
        beat_thread.start()
        state = RunState.STOPPED
        reason = "Stopped by an error. Answers so far are kept; resume to go on."
        try:
            self._report(evaluation.tally)
            end = evaluation.run(unscored)
            state = end.state
            reason = end.reason
            return end
        except KeyboardInterrupt:
            reason = INTERRUPTED
            raise
        finally:
            has_ended.set()
            beat_thread.join(BEAT_S)
            with self._store.write(durable=False) as db:
                if state == RunState.DONE:
                    reason = describe_missing(self._run.settings, run_views.fetch_causes(db, self._run.id))
                lost = (evaluation.tally.unreadable, budget.lost)
                seconds = time.monotonic() - self._started
                run_data.release_claim(db, self._run.id, state, reason, seconds, lost)

    def _beat(self, has_ended: threading.Event) -> None:
        while not has_ended.wait(BEAT_S):
            state = RunState.PAUSED if self._work.paused else RunState.RUNNING
            try:
                with self._store.write(durable=False) as db:
                    run_data.beat_run(db, self._run.id, owner_here(), state)
            except KnownError:
                continue  # If the file stays unwritable, writing answers fails and ends the run with a message.

    def _report(self, tally: Tally) -> None:
        seconds = time.monotonic() - self._started
        live = record_from(
            RunLive,
            tally,
            run_id=self._run.id,
            total=self._total,
            to_score=self._to_score,
            scored=tally.scored + tally.unscored,
            seconds=seconds,
            outcomes=dict(self._scored),
            causes=dict(tally.failures),
            outlook=update_forecast(tally.progress, self._total, seconds),
        )
        # Asking and scoring count equally.
        done_count = live.answered + live.failed + live.scored
        total = 2 * self._total + self._to_score
        text = f"{live.answered:,} of {self._total:,} answered" if self._total else f"{live.scored:,} scored"
        if live.failed:
            text += f", {live.failed:,} without an answer"
        if live.waiting:
            text += f", {live.waiting:,} wait to be asked again"
        if live.outlook is not None and live.answered + live.failed < self._total:
            text += f", about {format_seconds(live.outlook.seconds_left)} left"
        if live.note:
            text += f". {live.note}"
        if live.obstacle:
            text += f". {live.obstacle}"
        self._work.tell(min(done_count, total), total, text)
        if self._watch is not None:
            self._watch(live)


@contextmanager
def longer_switch_interval(workers: int) -> Iterator[None]:
    """Raise the interpreter's switch interval while many threads are running.

    Every waiting thread requests the interpreter after each interval. With dozens of threads and the window's interval
    of half a millisecond, that cost as much as the requests themselves.
    """
    earlier_interval = sys.getswitchinterval()
    sys.setswitchinterval(
        max(earlier_interval, _SWITCH_INTERVAL_S) if workers > _MAX_WORKERS_AT_NORMAL_INTERVAL else earlier_interval
    )
    try:
        yield
    finally:
        sys.setswitchinterval(earlier_interval)


@contextmanager
def open_scoring(store: ProjectFile, run: Run, items: Sequence[Item]) -> Iterator[Scoring]:
    """Open the executor that scores a run's responses to these items, and end it with the block."""
    by_id = {str(item["id"]): item for item in items}
    protocol = protocol_of(run)
    with workbench(store) as bench:
        executor = open_scoring_executor(str(run.settings.get("executor") or "local"), item_scorer(bench), items)
        try:
            yield Scoring(executor, lambda finished: job_of(by_id[finished.planned.item_id], finished, protocol))
        finally:
            # Stopping the sandbox first ends running code, so closing need not wait for it.
            bench.stop()
            executor.close()


def item_scorer(runner: Runner | None = None) -> ItemScorer:
    """Return a scorer that uses an item's criterion, its tests, or for an item made from code its engine.

    The engines are imported when the first such answer is graded.
    """
    return ItemScorer(sandbox=runner, grader=_grade)


def _grade(job: ScoreJob, runner: Runner | None) -> ScoredResponse:
    from annotator.services.tasks.grading import grade_made_item

    return grade_made_item(job, runner)


def open_scoring_executor(name: str, scorer: ItemScorer, items: Iterable[Item]) -> ScoringExecutor:
    """Return an executor that scores responses in local threads (sandboxed code) and processes, or on a cluster.

    A cluster's workers open their own sandbox (`score_on_cluster`). Raises the errors of `make_executor`, and
    `MissingEnvironmentError` if the cluster has no worker, or one that cannot score these items.
    """
    if name == "local":
        return SplitExecutor(scorer, scorer.is_heavy, score_job, max(2, len(os.sched_getaffinity(0))))
    executor = make_executor(name, score_on_cluster)
    if isinstance(executor, DaskExecutor):
        try:
            executor.check_workers(describe_worker, partial(_find_worker_problem, _list_executed_languages(items)))
        except BaseException:
            executor.close()
            raise
    return executor


def _list_executed_languages(items: Iterable[Item]) -> frozenset[str]:
    """Return the languages of the items whose answers are executed."""
    return frozenset(str(item.get("language") or "python").lower() for item in items if _runs_code(item))


def _runs_code(item: Item) -> bool:
    if item.get("criterion"):
        return "unit_test" in item["criterion"]
    return bool(item.get("tests"))


def _find_worker_problem(languages: frozenset[str], facts: WorkerFacts) -> str:
    """Return why a worker cannot score answers in these languages, or an empty string."""
    if facts.version != __version__:
        return f"it has version {facts.version} of Annotator, and this is {__version__}. Install the same everywhere."
    if languages and facts.problem:
        return f"it cannot run code ({facts.problem})"
    missing = ", ".join(sorted(languages - set(facts.languages)))
    if missing:
        return f"it has no image for {missing}. Build it there with: annotator sandbox build --languages {missing}"
    return ""


def describe_worker() -> WorkerFacts:
    """Return this worker's version and languages; called on the cluster."""
    status = sandbox.sandbox_status(versions=False)
    ready = tuple(item.language for item in status.languages if item.ready)
    return WorkerFacts(__version__, status.problem, ready)


@lru_cache(maxsize=1)
def _open_cluster_scorer() -> ItemScorer:
    """Return the scorer of this worker process, cached because the cluster only calls functions by name."""
    bench = Workbench()
    atexit.register(bench.close)
    return item_scorer(bench)


def score_on_cluster(job: ScoreJob) -> ScoredResponse:
    """Score one job in a cluster's worker. The sandbox opens with the first job that needs it and closes at exit."""
    return _open_cluster_scorer()(job)


_MAX_CAUSES = 3
_MAX_CAUSE_CHARACTERS = 200
_MAX_EXAMPLE_CHARACTERS = 120


def describe_missing(settings: Mapping[str, Any], causes: Sequence[CauseRow]) -> str:
    """Describe what is missing in a finished run, one sentence per cause; empty if it is complete."""
    parts = describe_causes(causes, "Retry")
    reasoning_only_count = sum(cause.count for cause in causes if cause.cause == ONLY_REASONING)
    if reasoning_only_count:
        verb = "contains" if reasoning_only_count == 1 else "contain"
        parts.append(f"{count_with_noun(reasoning_only_count, 'answer')} {verb} only reasoning")
    return ". ".join([*parts, *_describe_recorded(settings.get("replay") or {})])


def describe_causes(causes: Sequence[CauseRow], retry_verb: str) -> list[str]:
    """Return a sentence for each cause of missing answers or scores; ``retry_verb`` begins the suggestion to retry.

    A retry is suggested only if it can help: not if the endpoint refuses the request, the sandbox lacks a library, or
    an item cannot be scored at all.
    """
    missing = [cause for cause in causes if cause.kind != "no solution"]
    parts = [_describe_cause(cause) for cause in missing[:_MAX_CAUSES]]
    if missing[_MAX_CAUSES:]:
        other_count = sum(cause.count for cause in missing[_MAX_CAUSES:])
        parts.append(f"{other_count} more for other causes, see annotator run show")
    retryable = [
        cause for cause in missing if not (cause.lasting or (cause.kind == "no answer" and is_refused(cause.cause)))
    ]
    retryable_count = sum(cause.count for cause in retryable)
    total = sum(cause.count for cause in missing)
    if retryable_count:
        objects = "them" if retryable_count == total else f"{retryable_count} of them"
        parts.append(f"{retry_verb} to complete {objects}")
    return parts


def count_with_noun(number: int, noun: str) -> str:
    """Return a number with its noun in singular or plural."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _describe_cause(cause: CauseRow) -> str:
    if cause.kind == "no score":
        return f"{count_with_noun(cause.count, 'answer')} not scored: {cause.cause[:_MAX_CAUSE_CHARACTERS].rstrip('.')}"
    # The endpoint's own message follows in quotes; annotator run show prints it in full.
    explanation = cause.example.partition(": '")[0][:_MAX_EXAMPLE_CHARACTERS].rstrip(".")
    return f"{count_with_noun(cause.count, 'request')} not answered: {cause.cause} ({explanation})"


def _describe_recorded(replay_settings: Mapping[str, Any]) -> list[str]:
    """Describe the recorded answers that were left out."""
    sentences = []
    if replay_settings.get("left_out"):
        sentences.append(f"{replay_settings['left_out']} responses are for items outside this release")
    if replay_settings.get("other_prompt"):
        sentences.append(f"{replay_settings['other_prompt']} responses are for a different prompt and were left out")
    return sentences


def describe_missing_finish_reasons(recorded: Mapping[str, Any]) -> str:
    """Describe how many recorded answers have no finish reason, empty if all have one."""
    unknown_count = int(recorded.get("unended", 0))
    if not unknown_count:
        return ""
    return f"unknown for {count_with_noun(unknown_count, 'answer')}, so truncated answers among them count as wrong"
