"""The engine of a run: ask and score at the same time, and hand every result on the moment it exists.

A pool of threads asks what the queue hands out (`request_queue`), an executor scores, and the thread that called `run`
stands between them: it alone calls the sink, with as many results as have arrived by then. So a store writes from one
thread, in one transaction for what came together. A thread asks again when its last answer is on disk: a process that
is killed loses no more answers than it may ask for at once.
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
from annotator.llm.errors import has_arrived
from annotator.model.token_usage import cached_tokens, reasoning_tokens
from annotator.model.vocabulary import RunState

BATCH = 200
BACKLOG = 5000
ITEMS_ALIKE = 20
_LOOK_S = 0.1
_CUT_S = 0.4
_OBSTACLE_S = 1.0
# What comes within so short a time goes to disk together: a transaction for each answer is most of the work. It must
# stay far below the time of an answer, for whoever asked waits for it.
_TOGETHER_S = 0.002


class Asking(Protocol):
    """What asks: `work` is called from each asking thread, all else from the thread that works."""

    @property
    def waiting(self) -> int:
        """How many requests wait for their next attempt."""
        ...

    @property
    def note(self) -> str:
        """What is waited for at the endpoint, for a person."""
        ...

    @property
    def capped(self) -> bool:
        """Whether the budget keeps the rest from being asked."""
        ...

    def work(self) -> None:
        """Ask until nothing more is to be asked."""
        ...

    def close(self) -> None:
        """Ask nothing more."""
        ...

    def saved(self, number: int) -> None:
        """Take note that so many results are on disk."""
        ...


QueueMaker = Callable[[Callable[[Outcome], None], Callable[[], bool], Progress, Budget], Asking]
"""Makes what asks, from what takes its outcomes, what says whether there is room for more, control and budget."""


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


@dataclass(slots=True, kw_only=True)
class Tally:
    """The run so far, for a screen; changed in place, by one thread.

    ``repeated`` attempts failed and were made again; ``unreadable`` ones of all brought an answer that was paid for, or
    may have been, and cannot be read. ``waiting`` requests wait for their next attempt. ``cached_tokens`` are among
    those of the prompts, ``reasoning_tokens`` among those of the answers. ``obstacle`` is why nothing is scored now,
    ``note`` what is waited for at the endpoint.
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
        """What a forecast is corrected from."""
        return AskingProgress(
            settled=self.answered + self.failed,
            asked=self.answered - self.cached,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost=self.cost,
        )


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended: done, paused (at its cost cap) or stopped, with a reason that a person can act on.

    What a run that is done lacks is told by its tally.
    """

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
    policy: RetryPolicy | None = None,
    make_queue: QueueMaker | None = None,
) -> RunEnd:
    """Ask what is planned, score what was answered; returns when both are done, or when the run is stopped.

    ``planned`` is what is still to ask (`pending`), ``unscored`` are answers on disk without a score; both are read as
    they are needed. With an empty plan this scores again without asking. ``control`` pauses and cancels; its total is
    ``total``. On cancel, answers on the wire have ``grace_s`` seconds to arrive (they are paid for), then ``interrupt``
    is called to end them. ``workers`` threads ask: `threads_for` says how many keep an endpoint busy.

    ``ask`` makes one attempt; ``policy`` says when another is made. A request without an answer does not end the run;
    `ITEMS_ALIKE` items that fail the same way without any answer do. ``make_queue`` makes what asks in place of all
    that (``planned``, ``ask`` and ``policy`` are not read). What the sink raises, and bugs in ``ask``, are
    raised here after the threads were told to stop.
    """
    control, budget = control or Progress(), budget or Budget(None, None)
    work = _Run(sink, scoring, control, budget, total, watch)
    queue: Asking
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
    """Return how many threads keep so many requests in flight: some are always between two of them."""
    return concurrency + max(2, concurrency // 32)


_Scored = tuple[ScoreKey, Future[Any]]
# A future of None is an asking thread that has ended.
_Event = Outcome | _Scored | Future[None]


class _Silence:
    """Tells when an endpoint answers nothing: so many distinct items failed the same way, and none was answered.

    Before the first answer every cause counts; after it only those that are the endpoint's, for items that are too long
    or filtered may well stand side by side, and only of what was asked since: at the end of a run those that were asked
    again and again are all that is left.
    """

    def __init__(self) -> None:
        self._items: dict[str, set[str]] = {}
        self._answered_at: float | None = None

    def answered(self) -> None:
        self._answered_at = time.monotonic()
        self._items.clear()

    def failed(self, failure: FailedRequest) -> bool:
        """Count a request without an answer; returns whether that is enough."""
        if self._answered_at is not None and (has_arrived(failure.cause) or failure.began <= self._answered_at):
            return False
        items = self._items.setdefault(failure.cause, set())
        items.add(failure.planned.item_id)
        return len(items) >= ITEMS_ALIKE


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
        self._scoring, self._look_at = scoring, 0.0
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
        self._silence = _Silence()
        self._total = total
        self.tally = Tally()

    def emit(self, event: _Event) -> None:
        """Hand an event on to the thread that works; called from every thread."""
        self._events.put(event)

    def run(
        self,
        queue: Asking,
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

    def _ask(self, queue: Asking) -> None:
        """Work in a thread of its own; how it ended is an event."""
        ended: Future[None] = Future()
        try:
            queue.work()
        except BaseException as error:  # noqa: BLE001 - raised again where the events are read
            ended.set_exception(error)
        else:
            ended.set_result(None)
        self._events.put(ended)

    def has_room(self) -> bool:
        """Whether more may be asked: what waits for its score is held in memory."""
        return self._backlog < BACKLOG

    def _work(
        self,
        queue: Asking,
        unscored: Iterator[AnsweredRequest],
        interrupt: Callable[[], None] | None,
        grace_s: float,
    ) -> None:
        more, ended = self._scoring_queue is not None, False
        while self._threads or more or (self._scoring_queue is not None and not self._scoring_queue.idle):
            stopping = self._error is not None or self._stop_reason is not None or self._control.cancelled
            if stopping and not ended:
                ended = True
                self._end(queue, interrupt, grace_s)
            if self._error is not None or self._control.cancelled:
                break
            more = more and self._score_stored(unscored)
            self._take(_LOOK_S)
            queue.saved(self._handle())
            self.tally.waiting = queue.waiting
            self._look_for_note(queue.note)
            self._look_for_obstacle()
        self._look_for_note(queue.note)
        if self._error is not None:
            raise self._error

    def _look_for_note(self, note: str) -> None:
        if note != self.tally.note:
            self.tally.note = note
            self._report()

    def _look_for_obstacle(self) -> None:
        """Say now and then why nothing is scored, also where nothing else happens."""
        if self._scoring is None or time.monotonic() < self._look_at:
            return
        self._look_at = time.monotonic() + _OBSTACLE_S
        idle = self._scoring_queue is None or self._scoring_queue.idle
        try:
            found = "" if idle else self._scoring.executor.obstacle
        except MissingEnvironmentError as error:
            self._error = self._error or error
            return
        if found != self.tally.obstacle:
            self.tally.obstacle = found
            self._report()

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
            elif isinstance(event, Refusal):
                self._stop_reason = self._stop_reason or event.reason
            self._count(event)
        self._backlog = self._scoring_queue.backlog if self._scoring_queue is not None else 0
        self._keep_scores(judged)
        if events:
            self._report()
        return sum(isinstance(event, (AnsweredRequest, FailedRequest, Refusal)) for event in events)

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
                self._stop_reason = self._stop_reason or _no_answers(event)
        elif isinstance(event, RepeatedRequest):
            tally.repeated += 1
            tally.unreadable += event.costly

    def _report(self) -> None:
        self._control.tell(self.tally.answered + self.tally.failed, self._total, "")
        if self._watch is not None:
            self._watch(self.tally)

    def _end(self, queue: Asking, interrupt: Callable[[], None] | None, grace_s: float) -> None:
        """Take in what is on the wire, for a while; then cut it off. Threads that hang all the same are left behind."""
        queue.close()
        for seconds, before in ((grace_s, None), (_CUT_S, interrupt)):
            if before is not None:
                before()
            deadline = time.monotonic() + seconds
            while self._threads and time.monotonic() < deadline:
                self._take(min(_LOOK_S, max(0.0, deadline - time.monotonic())))
                self._handle()
        self._threads = 0
        self._take(0.0)
        self._handle()

    def _result(self, queue: Asking) -> RunEnd:
        tally = self.tally
        if self._control.cancelled:
            return RunEnd(RunState.STOPPED, "Cancelled. What was answered is kept; resume to go on.", tally)
        if self._stop_reason is not None:
            return RunEnd(RunState.STOPPED, self._stop_reason, tally)
        if queue.capped:
            return RunEnd(
                RunState.PAUSED,
                f"The cost cap was reached after {self._budget.spent:.2f}. Raise it and resume to go on.",
                tally,
            )
        return RunEnd(RunState.DONE, "", tally)


def _no_answers(failure: FailedRequest) -> str:
    return (
        f"{ITEMS_ALIKE} items failed the same way without any answer between them, so the run was stopped. The last: "
        f"{failure.reason} What was answered is kept; retry the run when that is mended."
    )
