"""Execute a run: ask and score only what is not on disk yet, so that a run can be resumed after any end."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from annotator import __version__
from annotator.base.errors import BadInputError, KnownError
from annotator.evaluation.answer_scoring import ItemScorer, ScoredResponse, ScoreJob, job_of, score_job
from annotator.evaluation.batch_queue import BatchQueue
from annotator.evaluation.cost_cap import Budget
from annotator.evaluation.engine import QueueMaker, RunEnd, Scoring, Tally, run_evaluation, threads_for
from annotator.evaluation.executors import DaskExecutor, ScoringExecutor, SplitExecutor, WorkerFacts, make_executor
from annotator.evaluation.forecast import Outlook, format_seconds, update_forecast
from annotator.evaluation.planning import AnsweredRequest, PlannedRequest, pending_requests
from annotator.evaluation.presets import Protocol
from annotator.evaluation.released_items import Item
from annotator.evaluation.request_queue import Outcome
from annotator.jobs.progress import Progress
from annotator.llm.answers import Answer
from annotator.llm.batches import BatchClient
from annotator.llm.cache import CachedAsker
from annotator.llm.client import Client, RetryPolicy
from annotator.llm.endpoint_errors import is_final_failure
from annotator.llm.probe import ProbedAsker, ProbeReport, probe_endpoint, question_like
from annotator.llm.requests import Request
from annotator.model.tables.run_tables import Run
from annotator.model.vocabulary import RunState
from annotator.services.program import sandbox
from annotator.services.runs.batch_journal import StoredBatches
from annotator.services.runs.recorder import StoreCache, StoreSink, load_stored_answers
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
from annotator.services.tasks.item_scorer import item_scorer
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import run_data, stored_runs
from annotator.store.runs.run_data import BEAT_S, Place, is_live, owner_here

INTERRUPTED = "Interrupted. Answers so far are kept; resume to go on."
# An interruption must take two seconds at most; answers in flight have this long to arrive.
GRACE_S = 0.9
_SWITCH_INTERVAL_S = 0.002
_FEW_WORKERS = 8
# Each attempt of a batch may take a day.
_BATCH_ATTEMPTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLive:
    """The live progress of a run. ``total`` requests are to be asked and ``to_score`` stored answers to be scored.

    All counts are since this process started or resumed the run. ``outcomes`` counts scores, ``causes`` failures,
    ``repeated`` retried attempts, ``unreadable`` answers that were (or may have been) paid for in vain, ``waiting``
    requests that are due later. ``outlook`` estimates the rest from the answers so far, ``obstacle`` is why nothing is
    being scored, ``note`` what the endpoint is busy with.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _RequestSource:
    """Requests to ask and how: the function that answers, the threads, the interrupt, retries or a batch queue."""

    planned: Iterable[PlannedRequest]
    ask: Callable[[PlannedRequest], Answer]
    workers: int
    interrupt: Callable[[], None] | None = None
    policy: RetryPolicy | None = None
    make_queue: QueueMaker | None = None


class _PauseControl(Progress):
    """Forwards pause and cancel from the work's progress, but no reports: `_RunPart` makes these itself."""

    def __init__(self, work: Progress) -> None:
        super().__init__()
        self._work = work

    @property
    def cancelled(self) -> bool:
        return self._work.cancelled

    @property
    def paused(self) -> bool:
        return self._work.paused


def execute_run(
    store: ProjectFile,
    run_id: str,
    work: Progress,
    *,
    recording: RecordedSource | None = None,
    machinery: bool = False,
    watch: Watch | None = None,
) -> RunEnd:
    """Ask and score what a run still lacks, and update the run's state on disk.

    With ``machinery`` also retry answers that could not be scored, and requests that the endpoint refused or answered
    unreadably. Raises `BadInputError` if another process is executing the run, and any error that prevents the start;
    the run's state is unchanged then.
    """
    with store.read() as db:
        run_row = run_data.fetch_run(db, run_id)
        model = stored_runs.model_of(db, run_row)
    if is_live(run_row.owner, run_row.beat_at):
        raise BadInputError("This run is already running. Pause or stop it where it runs, or wait for its end.")
    carrier = _RunPart(store, run_row, model.name, work, watch)
    with ExitStack() as stack:
        return carrier.run(stack, recording, machinery)


class _RunPart:
    """The execution of a run by this process, from claiming it to its end."""

    def __init__(self, store: ProjectFile, run_row: Run, model: str, work: Progress, watch: Watch | None) -> None:
        self._store, self._run, self._model, self._work, self._watch = store, run_row, model, work, watch
        self._protocol = protocol_of(run_row)
        self._items: list[dict[str, Any]] = items_of_run(store, run_row)
        self._started = time.monotonic()
        self._total = self._to_score = 0
        self._unreadable = 0
        self._sink: StoreSink | None = None

    def run(self, stack: ExitStack, recording: RecordedSource | None, machinery: bool) -> RunEnd:
        store, run_id = self._store, self._run.id
        released = self._released_set()
        with store.read() as db:
            stored = run_data.stored_places(db, run_id)
            failed = {} if machinery else run_data.failed_places(db, run_id)
            hashes = stored_runs.hashes_of(db, released)
            unscored = run_data.unscored_places(db, run_id, released, machinery=machinery)
            spent = run_data.run_cost(db, run_id) + run_data.lost_answers(self._run)[1]
            budget = Budget(self._run.settings.get("cap"), price_of_run(self._run), spent)
        cache = StoreCache(store)
        settled = {place for place, cause in failed.items() if is_final_failure(cause)}
        source = self._source(stack, recording, stored, settled, cache)
        bench = stack.enter_context(workbench(store))
        executor = open_scoring_executor(
            str(self._run.settings.get("executor") or "local"), item_scorer(bench), self._items
        )
        stack.callback(executor.close)
        # Callbacks run last to first: stopping the sandbox first ends running code, so closing need not wait for it.
        stack.callback(bench.stop)
        self._to_score = len(unscored)
        self._sink = StoreSink(store, run_id, self._run.model_id, hashes, cache)
        keys = {item["id"]: item["key"] for item in self._items}
        with self._claimed(budget) as ended, longer_switch_interval(source.workers):
            end = run_evaluation(
                source.planned,
                source.ask,
                self._sink,
                scoring=Scoring(executor, score_job_maker(self._items, self._protocol)),
                unscored=load_stored_answers(store, run_id, unscored, keys),
                control=_PauseControl(self._work),
                workers=source.workers,
                budget=budget,
                watch=self._report,
                interrupt=source.interrupt,
                grace_s=GRACE_S,
                policy=source.policy,
                make_queue=source.make_queue,
            )
            ended.append(end)
        return end

    def _released_set(self) -> str:
        """Return the id of the run's score set for the release's own criteria; runs of older versions get one now."""
        with self._store.read() as db:
            sets = stored_runs.sets_of(db, self._run.id)
        if sets:
            return sets[0].id
        with self._store.write(durable=False) as db:
            hashes = score_hashes(self._items, self._protocol)
            new_set = stored_runs.add_score_set(db, self._run.id, self._store.annotator.id, RELEASED, hashes)
            stored_runs.choose_score_set(db, self._run.id, new_set.id)
            return new_set.id

    def _source(
        self,
        stack: ExitStack,
        recording: RecordedSource | None,
        stored: set[tuple[str, int, str]],
        settled: set[Place],
        cache: StoreCache,
    ) -> _RequestSource:
        """Return the source of requests; ``settled`` places are skipped until a person retries them."""
        endpoint = endpoint_of(self._run)
        if endpoint is None or recording is not None:
            recorded = recording or RecordedSource((), _no_answer)
            remaining = list(pending_requests(recorded.planned, stored))
            self._total = len(remaining)
            return _RequestSource(planned=remaining, ask=recorded.ask, workers=2 if remaining else 0)
        self._total = len(self._items) * self._protocol.samples - len(stored) - len(settled)
        client = stack.enter_context(Client(endpoint))
        test = partial(probe_endpoint, endpoint, stopped=lambda: client.stopped)
        asker = CachedAsker(ProbedAsker(client, test), cache)
        lacking = pending_requests(planned_requests(self._run, self._model, self._items), stored)
        to_ask = (item for item in lacking if item.id not in settled)
        if is_batch(self._run):
            return self._batch_source(client, cache, cache.foreseen(to_ask), test)
        return _RequestSource(
            planned=cache.foreseen(to_ask),
            ask=partial(_ask, asker),
            workers=threads_for(endpoint.concurrency),
            interrupt=client.stop,
            policy=client.policy,
        )

    def _batch_source(
        self,
        client: Client,
        cache: StoreCache,
        to_ask: Iterable[PlannedRequest],
        test: Callable[[Request], ProbeReport],
    ) -> _RequestSource:
        """Return the source of a run that asks in batches."""
        order = {str(item["id"]): number for number, item in enumerate(self._items)}

        def position(planned: PlannedRequest) -> int:
            return order[planned.item_id] * self._protocol.samples + planned.sample

        def make(
            emit: Callable[[Outcome], None], has_room: Callable[[], bool], control: Progress, budget: Budget
        ) -> BatchQueue:
            return BatchQueue(
                to_ask,
                position,
                BatchClient(client),
                StoredBatches(self._store, self._run.id),
                cached=cache.get,
                probe=lambda request: test(question_like(request)),
                emit=emit,
                has_room=has_room,
                control=control,
                budget=budget,
                policy=replace(client.policy, attempts=_BATCH_ATTEMPTS),
            )

        return _RequestSource(planned=(), ask=_no_answer, workers=1, interrupt=client.stop, make_queue=make)

    @contextmanager
    def _claimed(self, budget: Budget) -> Iterator[list[RunEnd]]:
        """Claim the run for this process, and record its final state however the block ends."""
        ended: list[RunEnd] = []
        with self._store.write(durable=False) as db:
            run_data.claim_run(db, self._run.id, owner_here())
        has_ended = threading.Event()
        beat_thread = threading.Thread(target=self._beat, args=(has_ended,), name="run-beat", daemon=True)
        beat_thread.start()
        state, reason = RunState.STOPPED, "Stopped by an error. Answers so far are kept; resume to go on."
        try:
            yield ended
            state, reason = ended[0].state, ended[0].reason
        except KeyboardInterrupt:
            reason = INTERRUPTED
            raise
        finally:
            has_ended.set()
            beat_thread.join(BEAT_S)
            with self._store.write(durable=False) as db:
                seconds = time.monotonic() - self._started
                run_data.release_claim(db, self._run.id, state, reason, seconds, (self._unreadable, budget.lost))

    def _beat(self, has_ended: threading.Event) -> None:
        while not has_ended.wait(BEAT_S):
            state = RunState.PAUSED if self._work.paused else RunState.RUNNING
            try:
                with self._store.write(durable=False) as db:
                    run_data.beat_run(db, self._run.id, owner_here(), state)
            except KnownError:
                continue  # If the file stays unwritable, writing answers fails and ends the run with a message.

    def _report(self, tally: Tally) -> None:
        self._unreadable = tally.unreadable
        seconds = time.monotonic() - self._started
        live = RunLive(
            run_id=self._run.id,
            total=self._total,
            to_score=self._to_score,
            answered=tally.answered,
            cached=tally.cached,
            failed=tally.failed,
            scored=tally.scored + tally.unscored,
            cost=tally.cost,
            prompt_tokens=tally.prompt_tokens,
            completion_tokens=tally.completion_tokens,
            seconds=seconds,
            outcomes=dict(self._sink.outcomes) if self._sink else {},
            causes=dict(tally.failures),
            repeated=tally.repeated,
            unreadable=tally.unreadable,
            waiting=tally.waiting,
            outlook=update_forecast(tally.progress, self._total, seconds),
            cached_tokens=tally.cached_tokens,
            reasoning_tokens=tally.reasoning_tokens,
            obstacle=tally.obstacle,
            note=tally.note,
        )
        # Asking and scoring count equally.
        done, total = live.answered + live.failed + live.scored, 2 * self._total + self._to_score
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
        self._work.tell(min(done, total), total, text)
        if self._watch is not None:
            self._watch(live)


@contextmanager
def longer_switch_interval(workers: int) -> Iterator[None]:
    """Raise the interpreter's switch interval while many threads are running.

    Every waiting thread requests the interpreter after each interval. With dozens of threads and the window's interval
    of half a millisecond, that cost as much as the requests themselves.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(max(before, _SWITCH_INTERVAL_S) if workers > _FEW_WORKERS else before)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _ask(asker: CachedAsker, planned: PlannedRequest) -> Answer:
    return asker.ask(planned.request)


def _no_answer(planned: PlannedRequest) -> Answer:
    raise BadInputError(f"No recorded response answers {planned.item_key}.")


def score_job_maker(items: Sequence[Item], protocol: Protocol) -> Callable[[AnsweredRequest], ScoreJob]:
    """Return a function that makes the scoring job of an answered request."""
    by_id = {str(item["id"]): item for item in items}

    def make(finished: AnsweredRequest) -> ScoreJob:
        return job_of(by_id[finished.planned.item_id], finished, protocol)

    return make


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
            executor.check_workers(describe_worker, partial(_refuse_worker, _languages_run(items)))
        except BaseException:
            executor.close()
            raise
    return executor


def _languages_run(items: Iterable[Item]) -> frozenset[str]:
    """Return the languages of the items whose answers are executed."""
    return frozenset(
        str(item.get("language") or "python").lower()
        for item in items
        if ("unit_test" in item["criterion"] if item.get("criterion") else item.get("tests"))
    )


def _refuse_worker(languages: frozenset[str], facts: WorkerFacts) -> str:
    """Return why a worker cannot score answers in these languages, empty if it can."""
    if facts.version != __version__:
        return f"it has version {facts.version} of Annotator, and this is {__version__}. Install the same everywhere."
    if languages and facts.problem:
        return f"it runs no code ({facts.problem})"
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
def _cluster_scorer() -> ItemScorer:
    """Return the scorer of this worker process, cached because the cluster only calls functions by name."""
    bench = Workbench()
    atexit.register(bench.close)
    return item_scorer(bench)


def score_on_cluster(job: ScoreJob) -> ScoredResponse:
    """Score one job in a cluster's worker. The sandbox opens with the first job that needs it and closes at exit."""
    return _cluster_scorer()(job)
