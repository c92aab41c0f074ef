"""The engine of a run: asks and scores at the same time, and passes every result to the sink as soon as it exists.

A pool of threads sends the requests of the queue (`request_queue`), an executor scores, and only the thread that called
`run_evaluation` calls the sink, with all results that have arrived by then. So the store writes from one thread, in one
transaction per group. A thread sends its next request once its last answer is on disk: a killed process loses no more
answers than it may request at once.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from annotator.base.errors import MissingEnvironmentError
from annotator.evaluation.cost_cap import Budget
from annotator.evaluation.executors import ScoringExecutor
from annotator.evaluation.forecast import AskingProgress
from annotator.evaluation.planning import AnsweredRequest, FailedRequest, PlannedRequest
from annotator.evaluation.request_queue import Outcome, Refusal, RepeatedRequest, RequestQueue
from annotator.evaluation.scoring_queue import ScoredAnswer, ScoreKey, ScoringQueue
from annotator.jobs.progress import Progress
from annotator.llm.answers import Answer
from annotator.llm.client import RetryPolicy
from annotator.llm.endpoint_errors import is_final_failure
from annotator.model.token_usage import cached_tokens, reasoning_tokens
from annotator.model.vocabulary import RunState

BATCH = 200
BACKLOG = 5000
ITEMS_ALIKE = 20
_POLL_S = 0.1
_CUT_OFF_S = 0.4
_OBSTACLE_CHECK_S = 1.0
# Results that arrive within this time are saved together, because a transaction for each answer is most of the work. It
# must stay far below the time of an answer, because the thread that asked waits for it.
_GATHER_S = 0.002


class AskingQueue(Protocol):
    """A queue of requests: `work` runs in each asking thread, everything else is called from the engine's thread."""

    @property
    def waiting(self) -> int:
        """How many requests wait for their next attempt."""
        ...

    @property
    def note(self) -> str:
        """What the endpoint is busy with, as a text for users."""
        ...

    @property
    def capped(self) -> bool:
        """Whether the budget keeps the rest from being asked."""
        ...

    def work(self) -> None:
        """Send requests until none is left."""
        ...

    def close(self) -> None:
        """Send no further requests."""
        ...

    def saved(self, number: int) -> None:
        """Record how many results have been saved."""
        ...


QueueMaker = Callable[[Callable[[Outcome], None], Callable[[], bool], Progress, Budget], AskingQueue]
"""Makes the queue from: a callback for outcomes, a check for room in the backlog, control, and budget."""


class Sink(Protocol):
    """Receives results. All methods are called from the thread of `run_evaluation`; an exception ends the run."""

    def answers(self, batch: Sequence[AnsweredRequest]) -> None:
        """Save answers: their requests are never sent again."""
        ...

    def failures(self, batch: Sequence[FailedRequest]) -> None:
        """Record requests without an answer; they remain pending."""
        ...

    def scores(self, batch: Sequence[ScoredAnswer]) -> None:
        """Save scores."""
        ...

    def stored_scores(self, keys: Collection[ScoreKey]) -> Mapping[ScoreKey, Any]:
        """Return the stored results of identical responses."""
        ...


@dataclass(frozen=True, slots=True)
class Scoring:
    """How responses are scored: the executor, and the function that makes a job of a response."""

    executor: ScoringExecutor
    job_of: Callable[[AnsweredRequest], Any]


@dataclass(slots=True, kw_only=True)
class Tally:
    """The run so far, for display; changed in place, by one thread.

    ``repeated`` counts attempts that failed and were retried; ``unreadable`` counts answers that were paid for, or may
    have been, and cannot be read. ``waiting`` counts requests that wait for their next attempt. ``cached_tokens`` are
    part of the prompts' tokens, ``reasoning_tokens`` of the answers'. ``obstacle`` says why nothing is scored now,
    ``note`` what the endpoint is busy with.
    """

    answered: int = 0
    cached: int = 0
    scored: int = 0
    executed: int = 0
    cost: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    unscored: int = 0
    repeated: int = 0
    unreadable: int = 0
    waiting: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    obstacle: str = ""
    note: str = ""

    @property
    def failed(self) -> int:
        """How many requests have no answer."""
        return self.failures.total()

    @property
    def progress(self) -> AskingProgress:
        """The figures that a forecast is corrected by."""
        return AskingProgress(
            settled=self.answered + self.failed,
            new_answers=self.answered - self.cached,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost=self.cost,
        )


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended: done, paused (at its cost cap) or stopped, with a reason that users can act on.

    The tally of a finished run says which answers or scores are missing.
    """

    state: RunState
    reason: str
    tally: Tally


def run_evaluation(
    planned: Iterable[PlannedRequest],
    ask: Callable[[PlannedRequest], Answer],
    sink: Sink,
    *,
    scoring: Scoring | None = None,
    unscored: Iterable[AnsweredRequest] = (),
    control: Progress | None = None,
    workers: int = 16,
    budget: Budget | None = None,
    total: int | None = None,
    watch: Callable[[Tally], None] | None = None,
    interrupt: Callable[[], None] | None = None,
    grace_s: float = 5.0,
    policy: RetryPolicy | None = None,
    make_queue: QueueMaker | None = None,
) -> RunEnd:
    """Send the planned requests and score their answers; return when both are done or the run is stopped.

    ``planned`` are the requests without an answer (`pending_requests`), ``unscored`` the answers without a score;
    both are read lazily. With an empty plan this scores again without asking. ``control`` pauses and cancels;
    its total is ``total``. On cancel, answers on the wire have ``grace_s`` seconds to arrive (they are paid for), then
    ``interrupt`` is called to end them. ``workers`` threads ask; see `threads_for`.

    ``ask`` makes one attempt; ``policy`` decides on further ones. A request without an answer does not end the run;
    `ITEMS_ALIKE` items that fail the same way without any answer do. ``make_queue`` makes another queue (``planned``,
    ``ask`` and ``policy`` are then unused). Exceptions of the sink and programming errors in ``ask`` are raised here
    after the threads have been told to stop.
    """
    control, budget = control or Progress(), budget or Budget(None, None)
    work = _RunLoop(sink, scoring, control, budget, total, watch)
    queue: AskingQueue
    if make_queue is not None:
        queue = make_queue(work.emit, work.has_room, control, budget)
    else:
        queue = RequestQueue(
            iter(planned),
            ask,
            work.emit,
            control=control,
            budget=budget,
            has_room=work.has_room,
            workers=workers,
            policy=policy or RetryPolicy(),
        )
    return work.run(queue, iter(unscored), workers, interrupt, grace_s)


def threads_for(concurrency: int) -> int:
    """Return how many threads keep ``concurrency`` requests in flight: some are always between two requests."""
    return concurrency + max(2, concurrency // 32)


_Scored = tuple[ScoreKey, Future[Any]]
# A future of None is an asking thread that has ended.
_Event = Outcome | _Scored | Future[None]


class _SilenceDetector:
    """Detects an endpoint that answers nothing: `ITEMS_ALIKE` distinct items failed the same way, none was answered.

    Before the first answer every cause counts. After it only causes that lie with the endpoint count, because several
    items that are too long or filtered may follow each other; and only requests that began since, because at the end of
    a run only those are left that fail again and again.
    """

    def __init__(self) -> None:
        self._items: dict[str, set[str]] = {}
        self._answered_at: float | None = None

    def answered(self) -> None:
        self._answered_at = time.monotonic()
        self._items.clear()

    def failed(self, failure: FailedRequest) -> bool:
        """Count a request without an answer; return whether the limit is reached."""
        if self._answered_at is not None and (is_final_failure(failure.cause) or failure.began <= self._answered_at):
            return False
        items = self._items.setdefault(failure.cause, set())
        items.add(failure.planned.item_id)
        return len(items) >= ITEMS_ALIKE


class _RunLoop:
    def __init__(
        self,
        sink: Sink,
        scoring: Scoring | None,
        control: Progress,
        budget: Budget,
        total: int | None,
        watch: Callable[[Tally], None] | None,
    ) -> None:
        self._sink, self._control, self._budget, self._watch = sink, control, budget, watch
        self._events: SimpleQueue[_Event] = SimpleQueue()
        self._scoring, self._next_check_at = scoring, 0.0
        self._scoring_queue = (
            ScoringQueue(scoring.executor, scoring.job_of, lambda *done: self._events.put(done), sink.stored_scores)
            if scoring is not None
            else None
        )
        self._backlog = 0
        # Received but not on disk yet: an interruption may come at any moment and must not lose them.
        self._unsaved_events: list[_Event] = []
        self._threads = 0
        self._stop_reason: str | None = None
        self._error: BaseException | None = None
        self._silence = _SilenceDetector()
        self._total = total
        self.tally = Tally()

    def emit(self, event: _Event) -> None:
        """Pass an event to the engine's thread; called from any thread."""
        self._events.put(event)

    def run(
        self,
        queue: AskingQueue,
        unscored: Iterator[AnsweredRequest],
        workers: int,
        interrupt: Callable[[], None] | None,
        grace_s: float,
    ) -> RunEnd:
        try:
            for _ in range(workers):
                # Daemons: a thread that hangs in a look-up of a host's name must not keep the program from ending.
                threading.Thread(target=self._ask, args=(queue,), name="ask", daemon=True).start()
                self._threads += 1
            self._work(queue, unscored, interrupt, grace_s)
        except KeyboardInterrupt:
            self._end(queue, interrupt, grace_s)
            raise
        except BaseException:
            queue.close()
            if interrupt is not None:
                interrupt()
            raise
        return self._result(queue)

    def _ask(self, queue: AskingQueue) -> None:
        """Run the queue's work in this thread; its end is an event."""
        ended: Future[None] = Future()
        try:
            queue.work()
        except BaseException as error:  # noqa: BLE001 - raised again where the events are read
            ended.set_exception(error)
        else:
            ended.set_result(None)
        self._events.put(ended)

    def has_room(self) -> bool:
        """Whether more may be asked: answers that wait for their score are held in memory."""
        return self._backlog < BACKLOG

    def _work(
        self,
        queue: AskingQueue,
        unscored: Iterator[AnsweredRequest],
        interrupt: Callable[[], None] | None,
        grace_s: float,
    ) -> None:
        has_stored, has_ended = self._scoring_queue is not None, False
        while self._threads or has_stored or (self._scoring_queue is not None and not self._scoring_queue.idle):
            should_stop = self._error is not None or self._stop_reason is not None or self._control.cancelled
            if should_stop and not has_ended:
                has_ended = True
                self._end(queue, interrupt, grace_s)
            if self._error is not None or self._control.cancelled:
                break
            has_stored = has_stored and self._score_stored(unscored)
            self._receive(_POLL_S)
            queue.saved(self._handle())
            self.tally.waiting = queue.waiting
            self._update_note(queue.note)
            self._update_obstacle()
        self._update_note(queue.note)
        if self._error is not None:
            raise self._error

    def _update_note(self, note: str) -> None:
        if note != self.tally.note:
            self.tally.note = note
            self._report()

    def _update_obstacle(self) -> None:
        """Update why nothing is scored, at most once per `_OBSTACLE_CHECK_S`, even without any event."""
        if self._scoring is None or time.monotonic() < self._next_check_at:
            return
        self._next_check_at = time.monotonic() + _OBSTACLE_CHECK_S
        idle = self._scoring_queue is None or self._scoring_queue.idle
        try:
            obstacle = "" if idle else self._scoring.executor.obstacle
        except MissingEnvironmentError as error:
            self._error = self._error or error
            return
        if obstacle != self.tally.obstacle:
            self.tally.obstacle = obstacle
            self._report()

    def _score_stored(self, unscored: Iterator[AnsweredRequest]) -> bool:
        """Queue stored answers for scoring, if there is room; return False when none are left."""
        if self._scoring_queue is None:
            return False
        if self._scoring_queue.backlog >= BATCH:
            return True
        batch = list(islice(unscored, BATCH))
        self._save_scores(self._scoring_queue.add(batch))
        return len(batch) == BATCH

    def _receive(self, seconds: float) -> None:
        """Receive the events that have arrived, waiting up to ``seconds`` for the first one."""
        try:
            self._unsaved_events.append(self._events.get(timeout=seconds))
            if seconds:
                self._gather()
            while len(self._unsaved_events) < BATCH:
                self._unsaved_events.append(self._events.get_nowait())
        except Empty:
            pass

    def _gather(self) -> None:
        """Wait a moment for events that arrive together."""
        if self._events.qsize() < BATCH:
            time.sleep(_GATHER_S)

    def _handle(self) -> int:
        """Save and count the received events; return how many requests they settle."""
        events = self._unsaved_events
        answers = [event for event in events if isinstance(event, AnsweredRequest)]
        failures = [event for event in events if isinstance(event, FailedRequest)]
        # Paid answers are saved before anything else happens.
        if answers:
            self._sink.answers(answers)
        if failures:
            self._sink.failures(failures)
        self._unsaved_events = []
        scored = self._scoring_queue.add(answers) if self._scoring_queue is not None else []
        for event in events:
            if isinstance(event, tuple) and self._scoring_queue is not None:
                scored += self._scoring_queue.settle(*event)
            elif isinstance(event, Future):
                self._threads -= 1
                self._error = self._error or event.exception()
            elif isinstance(event, Refusal):
                self._stop_reason = self._stop_reason or event.reason
            self._count(event)
        self._backlog = self._scoring_queue.backlog if self._scoring_queue is not None else 0
        self._save_scores(scored)
        if events:
            self._report()
        return sum(isinstance(event, (AnsweredRequest, FailedRequest, Refusal)) for event in events)

    def _save_scores(self, scored: Sequence[ScoredAnswer]) -> None:
        if not scored:
            return
        self._sink.scores(scored)
        self.tally.scored += sum(not item.problem for item in scored)
        self.tally.unscored += sum(bool(item.problem) for item in scored)
        if self._scoring_queue is not None:
            self.tally.executed = self._scoring_queue.executed

    def _count(self, event: _Event) -> None:
        tally = self.tally
        if isinstance(event, AnsweredRequest):
            answer = event.answer
            tally.answered += 1
            tally.cached += answer.cached
            tally.cost += event.cost
            if not answer.cached:
                tally.prompt_tokens += answer.prompt_tokens or 0
                tally.completion_tokens += answer.completion_tokens or 0
                tally.cached_tokens += cached_tokens(answer.usage)
                tally.reasoning_tokens += reasoning_tokens(answer.usage)
            tally.outcomes[answer.outcome] += 1
            if not answer.cached:
                self._silence.answered()
        elif isinstance(event, FailedRequest):
            tally.failures[event.cause] += 1
            tally.unreadable += event.costly
            if self._silence.failed(event):
                self._stop_reason = self._stop_reason or _describe_silence(event)
        elif isinstance(event, RepeatedRequest):
            tally.repeated += 1
            tally.unreadable += event.costly

    def _report(self) -> None:
        self._control.tell(self.tally.answered + self.tally.failed, self._total, "")
        if self._watch is not None:
            self._watch(self.tally)

    def _end(self, queue: AskingQueue, interrupt: Callable[[], None] | None, grace_s: float) -> None:
        """Wait ``grace_s`` for answers on the wire, then interrupt them. Threads that still hang are abandoned."""
        queue.close()
        for seconds, interrupt_call in ((grace_s, None), (_CUT_OFF_S, interrupt)):
            if interrupt_call is not None:
                interrupt_call()
            deadline = time.monotonic() + seconds
            while self._threads and time.monotonic() < deadline:
                self._receive(min(_POLL_S, max(0.0, deadline - time.monotonic())))
                self._handle()
        self._threads = 0
        self._receive(0.0)
        self._handle()

    def _result(self, queue: AskingQueue) -> RunEnd:
        tally = self.tally
        if self._control.cancelled:
            return RunEnd(RunState.STOPPED, "Cancelled. Answers so far are kept; resume to go on.", tally)
        if self._stop_reason is not None:
            return RunEnd(RunState.STOPPED, self._stop_reason, tally)
        if queue.capped:
            return RunEnd(
                RunState.PAUSED,
                f"The cost cap was reached after {self._budget.spent:.2f}. Raise it and resume to go on.",
                tally,
            )
        return RunEnd(RunState.DONE, "", tally)


def _describe_silence(failure: FailedRequest) -> str:
    return (
        f"{ITEMS_ALIKE} items failed the same way without any answer between them, so the run was stopped. The last: "
        f"{failure.reason} Answers so far are kept; retry the run when that is fixed."
    )
