"""The engine of a run: ask and score at the same time, and hand every result on the moment it exists.

A pool of threads asks, an executor scores, and the thread that called `run` stands between them: it alone calls the
sink, with as many results as have arrived by then. So a store writes from one thread, in one transaction for what came
together. A thread asks again when its last answer is on disk: a process that is killed loses no more answers than it
may ask for at once.
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

from annotator.base.errors import KnownError
from annotator.evaluation.cost_cap import Budget
from annotator.evaluation.executors import ScoringExecutor
from annotator.evaluation.planning import AnsweredRequest, FailedRequest, PlannedRequest
from annotator.evaluation.scoring_queue import ScoredAnswer, ScoreKey, ScoringQueue
from annotator.jobs.progress import Progress
from annotator.llm.answers import Answer
from annotator.llm.errors import RequestFailedError
from annotator.model.vocabulary import RunState

BATCH = 200
BACKLOG = 5000
FAILURES_IN_A_ROW = 10
_LOOK_S = 0.1
# What comes within so short a time goes to disk together: a transaction for each answer is most of the work. It must
# stay far below the time of an answer, for whoever asked waits for it.
_TOGETHER_S = 0.002


class Sink(Protocol):
    """Where results go. All methods are called from the thread that called `run`; what they raise ends the run."""

    def answers(self, batch: Sequence[AnsweredRequest]) -> None:
        """Keep answers: after this they are never asked again."""
        ...

    def failures(self, batch: Sequence[FailedRequest]) -> None:
        """Take note of requests without an answer; they stay to be asked."""
        ...

    def scores(self, batch: Sequence[ScoredAnswer]) -> None:
        """Keep scores."""
        ...

    def known(self, keys: Collection[ScoreKey]) -> Mapping[ScoreKey, Any]:
        """Return the stored results of identical responses, where there are any."""
        ...


@dataclass(frozen=True, slots=True)
class Scoring:
    """How responses are scored: where, and what job is made of each."""

    executor: ScoringExecutor
    job_of: Callable[[AnsweredRequest], Any]


@dataclass(slots=True)
class Tally:
    """The run so far, for a screen; changed in place, by one thread."""

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
    in_a_row: int = 0

    @property
    def failed(self) -> int:
        """How many requests have no answer."""
        return self.failures.total()


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended: done, paused (at its cost cap) or stopped, with a reason that a person can act on."""

    state: RunState
    reason: str
    tally: Tally


def run(
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
) -> RunEnd:
    """Ask what is planned, score what was answered; returns when both are done, or when the run is stopped.

    ``planned`` is what is still to ask (`pending`), ``unscored`` are answers on disk without a score; both are read as
    they are needed. With an empty plan this scores again without asking. ``control`` pauses and cancels; its total is
    ``total``. On cancel, answers on the wire have ``grace_s`` seconds to arrive (they are paid for), then ``interrupt``
    is called to end them. ``workers`` threads ask: `threads_for` says how many keep an endpoint busy.

    A request without an answer does not end the run, `FAILURES_IN_A_ROW` of them without any answer between do. What
    the sink raises, and bugs in ``ask``, are raised here after the threads were told to stop.
    """
    work = _Run(sink, scoring, control or Progress(), budget or Budget(None, None), total, watch)
    return work.run(iter(planned), ask, iter(unscored), workers, interrupt, grace_s)


def threads_for(concurrency: int) -> int:
    """Return how many threads keep so many requests in flight: some are always between two of them."""
    return concurrency + max(2, concurrency // 32)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """The sentence in which the endpoint, or the client that was stopped, refused a request: nothing more is asked."""

    reason: str


_Scored = tuple[ScoreKey, Future[Any]]
# A future of None is an asking thread that has ended.
_Event = AnsweredRequest | FailedRequest | _Refusal | _Scored | Future[None]


class _Generation:
    """The work of the threads that ask: each takes the next request, asks, and hands the answer over at once.

    The plan is read as requests are needed. Nothing is taken while the control is paused, while ``has_room`` says that
    too much waits to be scored, while as many answers as there are ``workers`` are on the wire or not on disk yet, or
    while the budget might be passed; requests on the wire finish all the same.
    """

    def __init__(
        self,
        planned: Iterator[PlannedRequest],
        ask: Callable[[PlannedRequest], Answer],
        events: SimpleQueue[_Event],
        control: Progress,
        budget: Budget,
        has_room: Callable[[], bool],
        workers: int,
    ) -> None:
        self._workers, self._unsaved = workers, 0
        self._planned, self._ask, self._events = planned, ask, events
        self._control, self._budget, self._has_room = control, budget, has_room
        self._condition = threading.Condition()
        self._closed = False
        self._next: PlannedRequest | None = None
        self._asking = 0
        self.capped = False

    def close(self) -> None:
        """Take nothing more."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def work(self) -> None:
        """Ask until nothing more is to be asked. Raises what the plan raises, and bugs in asking."""
        try:
            while (planned := self._take_next()) is not None:
                self._events.put(self._ask_one(planned))
        except BaseException:
            self.close()
            raise

    def saved(self, count: int) -> None:
        """Take note that so many results are on disk."""
        with self._condition:
            self._unsaved -= count
            self._condition.notify_all()

    def _ask_one(self, planned: PlannedRequest) -> AnsweredRequest | FailedRequest | _Refusal:
        answer: Answer | None = None
        try:
            answer = self._ask(planned)
        except RequestFailedError as error:
            return FailedRequest(planned, error.cause, error.message, error.attempts)
        except KnownError as error:
            self.close()
            return _Refusal(error.message)
        finally:
            cost = self._budget.settle(planned, answer)
            with self._condition:
                self._asking -= 1
                self._unsaved += 1
                self._condition.notify_all()
        return AnsweredRequest(planned, answer, cost)

    def _take_next(self) -> PlannedRequest | None:
        """Return the next request when it may be asked; None when nothing more is to be."""
        with self._condition:
            while not self._closed and not self._control.cancelled:
                if self._control.paused or not self._has_room() or self._asking + self._unsaved >= self._workers:
                    self._condition.wait(_LOOK_S)
                    continue
                if self._next is None:
                    self._next = next(self._planned, None)
                if self._next is None:
                    return None
                if self._budget.reserve(self._next):
                    planned, self._next = self._next, None
                    self._asking += 1
                    return planned
                if not self._asking:
                    # Nothing on the wire can give anything back: this is the cap.
                    self.capped, self._closed = True, True
                    self._condition.notify_all()
                    return None
                self._condition.wait(_LOOK_S)
            return None


class _Run:
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
        self._scoring_queue = (
            ScoringQueue(scoring.executor, scoring.job_of, lambda *done: self._events.put(done), sink.known)
            if scoring is not None
            else None
        )
        self._backlog = 0
        # Taken from the queue and not on disk yet: an interruption comes at any moment, and must not lose it.
        self._taken: list[_Event] = []
        self._threads = 0
        self._stop_reason: str | None = None
        self._error: BaseException | None = None
        self._total = total
        self.tally = Tally()

    def run(
        self,
        planned: Iterator[PlannedRequest],
        ask: Callable[[PlannedRequest], Answer],
        unscored: Iterator[AnsweredRequest],
        workers: int,
        interrupt: Callable[[], None] | None,
        grace_s: float,
    ) -> RunEnd:
        generation = _Generation(planned, ask, self._events, self._control, self._budget, self._has_room, workers)
        try:
            for _ in range(workers):
                # Daemons: a thread that hangs in a look-up of a host's name must not keep the program from ending.
                threading.Thread(target=self._ask, args=(generation,), name="ask", daemon=True).start()
                self._threads += 1
            self._work(generation, unscored, interrupt, grace_s)
        except KeyboardInterrupt:
            self._end(generation, interrupt, grace_s)
            raise
        except BaseException:
            generation.close()
            if interrupt is not None:
                interrupt()
            raise
        return self._result(generation)

    def _ask(self, generation: _Generation) -> None:
        """Work in a thread of its own; how it ended is an event."""
        ended: Future[None] = Future()
        try:
            generation.work()
        except BaseException as error:  # noqa: BLE001 - raised again where the events are read
            ended.set_exception(error)
        else:
            ended.set_result(None)
        self._events.put(ended)

    def _has_room(self) -> bool:
        """Whether more may be asked: what waits for its score is held in memory."""
        return self._backlog < BACKLOG

    def _work(
        self,
        generation: _Generation,
        unscored: Iterator[AnsweredRequest],
        interrupt: Callable[[], None] | None,
        grace_s: float,
    ) -> None:
        more, ended = self._scoring_queue is not None, False
        while self._threads or more or (self._scoring_queue is not None and not self._scoring_queue.idle):
            stopping = self._error is not None or self._stop_reason is not None or self._control.cancelled
            if stopping and not ended:
                ended = True
                self._end(generation, interrupt, grace_s)
            if self._error is not None or self._control.cancelled:
                break
            more = more and self._score_stored(unscored)
            self._take(_LOOK_S)
            generation.saved(self._handle())
            if self.tally.in_a_row >= FAILURES_IN_A_ROW and self._stop_reason is None:
                self._stop_reason = self._no_answers()
        if self._error is not None:
            raise self._error

    def _score_stored(self, unscored: Iterator[AnsweredRequest]) -> bool:
        """Feed answers that are on disk already, as far as there is room; False when there are no more."""
        if self._scoring_queue is None:
            return False
        if self._scoring_queue.backlog >= BATCH:
            return True
        batch = list(islice(unscored, BATCH))
        self._keep_scores(self._scoring_queue.add(batch))
        return len(batch) == BATCH

    def _take(self, seconds: float) -> None:
        """Take what has come, or the first that comes within so many seconds and what follows it at once."""
        try:
            self._taken.append(self._events.get(timeout=seconds))
            if seconds:
                self._gather()
            while len(self._taken) < BATCH:
                self._taken.append(self._events.get_nowait())
        except Empty:
            pass

    def _gather(self) -> None:
        """Let what comes within a moment come."""
        if self._events.qsize() < BATCH:
            time.sleep(_TOGETHER_S)

    def _handle(self) -> int:
        """Hand on what was taken; return how many requests that settles."""
        events = self._taken
        answers = [event for event in events if isinstance(event, AnsweredRequest)]
        failures = [event for event in events if isinstance(event, FailedRequest)]
        # What was paid for goes to disk before anything else is looked at.
        if answers:
            self._sink.answers(answers)
        if failures:
            self._sink.failures(failures)
        self._taken = []
        judged = self._scoring_queue.add(answers) if self._scoring_queue is not None else []
        for event in events:
            if isinstance(event, tuple) and self._scoring_queue is not None:
                judged += self._scoring_queue.settle(*event)
            elif isinstance(event, Future):
                self._threads -= 1
                self._error = self._error or event.exception()
            elif isinstance(event, _Refusal):
                self._stop_reason = self._stop_reason or event.reason
            self._count(event)
        self._backlog = self._scoring_queue.backlog if self._scoring_queue is not None else 0
        self._keep_scores(judged)
        if events:
            self._report()
        return sum(isinstance(event, (AnsweredRequest, FailedRequest, _Refusal)) for event in events)

    def _keep_scores(self, judged: Sequence[ScoredAnswer]) -> None:
        if not judged:
            return
        self._sink.scores(judged)
        self.tally.scored += sum(not item.problem for item in judged)
        self.tally.unscored += sum(bool(item.problem) for item in judged)
        if self._scoring_queue is not None:
            self.tally.executed = self._scoring_queue.executed

    def _count(self, event: _Event) -> None:
        tally = self.tally
        if isinstance(event, AnsweredRequest):
            answer = event.answer
            tally.answered += 1
            tally.cached += answer.cached
            tally.cost += event.cost
            tally.prompt_tokens += 0 if answer.cached else answer.prompt_tokens or 0
            tally.completion_tokens += 0 if answer.cached else answer.completion_tokens or 0
            tally.outcomes[answer.outcome] += 1
            tally.in_a_row = 0
        elif isinstance(event, FailedRequest):
            tally.failures[event.cause] += 1
            tally.in_a_row += 1

    def _report(self) -> None:
        self._control.tell(self.tally.answered + self.tally.failed, self._total, "")
        if self._watch is not None:
            self._watch(self.tally)

    def _no_answers(self) -> str:
        causes = ", ".join(f"{cause} ({count})" for cause, count in self.tally.failures.most_common(3))
        return (
            f"The endpoint gave no answer to {FAILURES_IN_A_ROW} requests in a row: {causes}. What was answered is "
            "kept; resume when the endpoint works again."
        )

    def _end(self, generation: _Generation, interrupt: Callable[[], None] | None, grace_s: float) -> None:
        """Take in what is on the wire, for a while; then cut it off. Threads that hang all the same are left behind."""
        generation.close()
        for seconds, before in ((grace_s, None), (1.0, interrupt)):
            if before is not None:
                before()
            deadline = time.monotonic() + seconds
            while self._threads and time.monotonic() < deadline:
                self._take(min(_LOOK_S, max(0.0, deadline - time.monotonic())))
                self._handle()
        self._threads = 0
        self._take(0.0)
        self._handle()

    def _result(self, generation: _Generation) -> RunEnd:
        tally = self.tally
        if self._control.cancelled:
            return RunEnd(RunState.STOPPED, "Cancelled. What was answered is kept; resume to go on.", tally)
        if self._stop_reason is not None:
            return RunEnd(RunState.STOPPED, self._stop_reason, tally)
        if generation.capped:
            return RunEnd(
                RunState.PAUSED,
                f"The cost cap was reached after {self._budget.spent:.2f}. Raise it and resume to go on.",
                tally,
            )
        left = []
        if tally.failed:
            left.append(f"{tally.failed} requests have no answer")
        if tally.unscored:
            left.append(f"{tally.unscored} responses have no score")
        reason = f"{' and '.join(left)} because the machinery failed; retry to complete them." if left else ""
        return RunEnd(RunState.DONE, reason, tally)
