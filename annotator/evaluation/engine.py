"""The engine of a run: asks and scores at the same time, and passes every result to the sink as soon as it exists.

A pool of threads sends the requests of the queue (`request_queue`), an executor scores, and only the thread that called
`Evaluation.run` calls the sink, with all results that have arrived by then. So the store writes from one thread, in one
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
from queue import Empty
from typing import Any, Protocol

from annotator.base.errors import MissingEnvironmentError
from annotator.evaluation.forecast import RequestProgress
from annotator.evaluation.planning import AnsweredRequest, FailedRequest
from annotator.evaluation.request_queue import AskingQueue, Outcome, Refusal, RepeatedRequest
from annotator.evaluation.scoring_queue import ScoredAnswer, ScoreKey, Scoring, ScoringQueue
from annotator.llm.endpoint_errors import is_final_failure
from annotator.model.token_usage import cached_tokens, reasoning_tokens
from annotator.model.vocabulary import RunState

BATCH = 200
"""Maximum number of events that are saved together."""
ITEMS_ALIKE = 20
"""Number of items that must fail the same way before the run stops."""
_POLL_S = 0.1
_CUT_OFF_S = 0.4
_OBSTACLE_CHECK_S = 1.0
# Results that arrive within this time are saved together, because a transaction for each answer is most of the work. It
# must stay far below the time of an answer, because the thread that asked waits for it.
_GATHER_S = 0.002


class Sink(Protocol):
    """Receives results. All methods are called from the thread of `Evaluation.run`; an exception ends the run."""

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


@dataclass(slots=True, kw_only=True)
class Tally:
    """The run so far, for display; changed in place, by one thread.

    ``repeated`` counts attempts that failed and were retried; ``unreadable`` counts answers that were paid for, or may
    have been, and cannot be read. ``waiting`` counts requests that wait for their next attempt. ``cached_tokens`` are
    part of the prompts' tokens, ``reasoning_tokens`` of the answers'. ``obstacle`` says why nothing is scored now,
    ``note`` describes the endpoint's work.
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
    def progress(self) -> RequestProgress:
        """The figures used to correct a forecast."""
        return RequestProgress(
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


class Evaluation:
    """A run under way: the queue that asks, the executor that scores, the sink that stores, the watch that shows."""

    def __init__(
        self,
        queue: AskingQueue,
        scoring: Scoring,
        sink: Sink,
        *,
        watch: Callable[[Tally], None] = lambda _: None,
        grace_s: float = 5.0,
    ) -> None:
        """On cancel, answers on the wire have ``grace_s`` seconds to arrive, because they are paid for."""
        self._queue = queue
        self._sink = sink
        self._watch = watch
        self._grace_s = grace_s
        self._executor = scoring.executor
        self._scoring = ScoringQueue(scoring, queue.events, sink.stored_scores)
        # Received but not on disk yet: an interruption may come at any moment and must not lose them.
        self._unsaved_events: list[Outcome | Future[Any]] = []
        self._threads = 0
        self._next_check_at = 0.0
        self._stop_reason: str | None = None
        self._error: BaseException | None = None
        self._silence = _SilenceDetector()
        self.tally = Tally()

    def run(self, unscored: Iterable[AnsweredRequest] = ()) -> RunEnd:
        """Ask, and score the answers and those ``unscored``; return when all is done or the run is stopped.

        A request without an answer does not end the run; `ITEMS_ALIKE` items that fail the same way without any answer
        do. Exceptions of the sink and programming errors in asking are raised here after the threads have been told to
        stop.
        """
        try:
            for _ in range(self._queue.limits.workers):
                # Daemons: a thread that hangs in a look-up of a host's name must not keep the program from ending.
                threading.Thread(target=self._ask, name="ask", daemon=True).start()
                self._threads += 1
            self._work(iter(unscored))
        except KeyboardInterrupt:
            self._end()
            raise
        except BaseException:
            self._queue.close()
            self._queue.interrupt()
            raise
        return self._result()

    def _ask(self) -> None:
        """Run the queue's work in this thread; its end is an event."""
        end_event: Future[None] = Future()
        try:
            self._queue.work()
        except BaseException as error:  # noqa: BLE001 - raised again where the events are read
            end_event.set_exception(error)
        else:
            end_event.set_result(None)
        self._queue.events.put(end_event)

    def _work(self, unscored: Iterator[AnsweredRequest]) -> None:
        has_stored = True
        has_ended = False
        while self._threads or has_stored or not self._scoring.idle:
            is_cancelled = self._queue.control.cancelled
            if not has_ended and (is_cancelled or self._error is not None or self._stop_reason is not None):
                has_ended = True
                self._end()
            if self._error is not None or is_cancelled:
                break
            has_stored = has_stored and self._score_stored(unscored)
            self._receive(_POLL_S)
            self._handle()
            self.tally.waiting = self._queue.waiting
            self._show_texts(self._queue.note, self._find_obstacle())
        self._show_texts(self._queue.note, self.tally.obstacle)
        if self._error is not None:
            raise self._error

    def _find_obstacle(self) -> str:
        """Return why nothing is scored, looked up at most once per `_OBSTACLE_CHECK_S`."""
        if time.monotonic() < self._next_check_at:
            return self.tally.obstacle
        self._next_check_at = time.monotonic() + _OBSTACLE_CHECK_S
        try:
            return "" if self._scoring.idle else self._executor.obstacle
        except MissingEnvironmentError as error:
            self._error = self._error or error
            return self.tally.obstacle

    def _show_texts(self, note: str, obstacle: str) -> None:
        if (note, obstacle) != (self.tally.note, self.tally.obstacle):
            self.tally.note, self.tally.obstacle = note, obstacle
            self._watch(self.tally)

    def _score_stored(self, unscored: Iterator[AnsweredRequest]) -> bool:
        """Queue stored answers for scoring, if there is room; return False when none are left."""
        if self._scoring.backlog >= BATCH:
            return True
        batch = list(islice(unscored, BATCH))
        self._save_scores(self._scoring.add(batch))
        return len(batch) == BATCH

    def _receive(self, seconds: float) -> None:
        """Receive the events that have arrived, waiting up to ``seconds`` for the first one."""
        events = self._queue.events
        try:
            self._unsaved_events.append(events.get(timeout=seconds))
            if seconds and events.qsize() < BATCH:
                # Events that arrive together are saved together.
                time.sleep(_GATHER_S)
            while len(self._unsaved_events) < BATCH:
                self._unsaved_events.append(events.get_nowait())
        except Empty:
            pass

    def _handle(self) -> None:
        """Save and count the received events."""
        events = self._unsaved_events
        answers = [event for event in events if isinstance(event, AnsweredRequest)]
        failures = [event for event in events if isinstance(event, FailedRequest)]
        # Paid answers are saved before anything else happens.
        if answers:
            self._sink.answers(answers)
        if failures:
            self._sink.failures(failures)
        self._unsaved_events = []
        scored = self._scoring.add(answers)
        for event in events:
            if isinstance(event, Future):
                if self._scoring.is_job(event):
                    scored += self._scoring.settle(event)
                else:
                    self._threads = max(0, self._threads - 1)
                    self._error = self._error or event.exception()
            else:
                self._count(event)
        self._save_scores(scored)
        self._queue.saved(
            sum(isinstance(event, (AnsweredRequest, FailedRequest, Refusal)) for event in events), self._scoring.backlog
        )
        if events:
            self._watch(self.tally)

    def _save_scores(self, scored: Sequence[ScoredAnswer]) -> None:
        if not scored:
            return
        self._sink.scores(scored)
        self.tally.scored += sum(not score.problem for score in scored)
        self.tally.unscored += sum(bool(score.problem) for score in scored)
        self.tally.executed = self._scoring.executed

    def _count(self, event: Outcome) -> None:
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
        else:
            self._stop_reason = self._stop_reason or event.reason

    def _end(self) -> None:
        """Wait for answers on the wire, then interrupt the requests. Threads that still hang are abandoned."""
        self._queue.close()
        self._drain(self._grace_s)
        self._queue.interrupt()
        self._drain(_CUT_OFF_S)
        self._threads = 0
        self._receive(0.0)
        self._handle()

    def _drain(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self._threads and time.monotonic() < deadline:
            self._receive(min(_POLL_S, max(0.0, deadline - time.monotonic())))
            self._handle()

    def _result(self) -> RunEnd:
        tally = self.tally
        if self._queue.control.cancelled:
            return RunEnd(RunState.STOPPED, "Cancelled. Answers so far are kept; resume to go on.", tally)
        if self._stop_reason is not None:
            return RunEnd(RunState.STOPPED, self._stop_reason, tally)
        if self._queue.capped:
            spent = self._queue.limits.budget.spent
            reason = f"The cost cap was reached after {spent:.2f}. Raise it and resume to go on."
            return RunEnd(RunState.PAUSED, reason, tally)
        return RunEnd(RunState.DONE, "", tally)


def _describe_silence(failure: FailedRequest) -> str:
    return (
        f"{ITEMS_ALIKE} items failed the same way without any answer between them, so the run was stopped. The last: "
        f"{failure.reason} Answers so far are kept; retry the run when that is fixed."
    )
