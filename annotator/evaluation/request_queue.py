"""The queue of a run's requests: it sends them under a cost cap, retries failed attempts, and reports outcomes.

```
plan ─┐
      ├→ take (free slot, budget, nothing held) → one attempt → answer or failure → events
due  ─┘                                              └ may be repeated → due (a heap by time)
```
A request that waits for its next attempt holds no slot. Each has its own limit of attempts (`RetryPolicy`); the run
has one too, so that an endpoint that always fails is not asked for ever.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count
from queue import SimpleQueue
from typing import Any

from annotator.base.errors import BadInputError, KnownError
from annotator.evaluation.planning import AnsweredRequest, FailedRequest, PlannedRequest
from annotator.jobs.progress import Progress
from annotator.llm.answers import Answer
from annotator.llm.client import Attempts, RetryPolicy, describe_failure
from annotator.llm.endpoint_errors import AttemptFailedError, RequestFailedError
from annotator.llm.prices import Price, count_tokens

BACKLOG = 5000
"""Maximum number of answers that wait for their score before asking pauses."""
REPEATS_AT_LEAST = 200
"""Retries that even the smallest run may make; each request that is begun adds one more."""
_POLL_S = 0.1
LONGEST_ANSWER_TOKENS = 8192
# Code has fewer characters a token than prose; a cap must hold for it too.
_FEWEST_CHARACTERS_PER_TOKEN = 2


@dataclass(frozen=True, slots=True)
class RepeatedRequest:
    """A request that is retried after ``seconds``; ``costly`` means that an unusable answer was paid for."""

    planned: PlannedRequest
    cause: str
    costly: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why the endpoint, or a stopped client, refused a request: the run ends."""

    reason: str


Outcome = AnsweredRequest | FailedRequest | RepeatedRequest | Refusal


class Budget:
    """A cap on the cost of a run. A request is sent only if even its longest possible answer stays below the cap."""

    def __init__(self, cap: float | None = None, price: Price | None = None, spent: float = 0.0) -> None:
        """``spent`` is the cost of earlier parts of the run. Raises `BadInputError` for a cap without a price."""
        if cap is not None and price is None:
            raise BadInputError(
                "There is no price for this model, so a cost cap cannot be enforced. Add one to the price table, "
                "or start without a cap."
            )
        self._cap = cap
        self._price = price
        self._spent = spent
        self._lost = 0.0
        self._reserved: dict[tuple[str, int], float] = {}
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """The cost so far."""
        return self._spent

    @property
    def lost(self) -> float:
        """The most that unreadable answers may have cost."""
        return self._lost

    def reserve(self, planned: PlannedRequest) -> bool:
        """Set aside the most a request can cost; False if that would pass the cap."""
        if self._price is None:
            return True
        max_cost = self._price.cost(
            -(-planned.request.characters // _FEWEST_CHARACTERS_PER_TOKEN),
            planned.request.decoding.max_tokens or LONGEST_ANSWER_TOKENS,
        )
        with self._lock:
            if self._cap is not None and self._spent + sum(self._reserved.values()) + max_cost > self._cap:
                return False
            self._reserved[planned.id] = max_cost
            return True

    def settle(self, planned: PlannedRequest, answer: Answer | None, *, lost: bool = False) -> float:
        """Release a request's reservation, add the cost of its answer, and return that cost.

        An answer that was ``lost`` (unreadable, so its tokens are unknown) counts with the whole reservation.
        """
        with self._lock:
            max_cost = self._reserved.pop(planned.id, 0.0)
            if lost:
                self._spent += max_cost
                self._lost += max_cost
            if answer is None or answer.cached or self._price is None:
                return 0.0
            tokens = count_tokens(answer, planned.request.characters)
            cost = self._price.cost(tokens.prompt, tokens.completion, tokens.cached)
            self._spent += cost
            return cost


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingLimits:
    """The limits of asking: threads (see `threads_for`), money, and the attempts of a request."""

    workers: int = 16
    budget: Budget = field(default_factory=Budget)
    policy: RetryPolicy = field(default_factory=RetryPolicy)


def threads_for(concurrency: int) -> int:
    """Return how many threads keep ``concurrency`` requests in flight: some are always between two requests."""
    return concurrency + max(2, concurrency // 32)


class AskingQueue(ABC):
    """The queue of a run's requests. Asking threads call `work`; everything else is for the engine's thread.

    The engine reads `events`: the outcomes, and the events that it put there itself. ``note`` tells users what the
    endpoint is busy with; ``capped`` means that the budget keeps the rest from being asked.
    """

    def __init__(self, limits: AskingLimits, control: Progress, interrupt: Callable[[], None]) -> None:
        """``control`` pauses and cancels; ``interrupt`` ends the requests on the wire."""
        self.limits = limits
        self.control = control
        self.interrupt = interrupt
        self.events: SimpleQueue[Outcome | Future[Any]] = SimpleQueue()
        self.note = ""
        self.capped = False
        self._condition = threading.Condition()
        self._closed = False
        self._unsaved = self._backlog = 0

    @property
    @abstractmethod
    def waiting(self) -> int:
        """How many requests wait for their next attempt."""

    @abstractmethod
    def work(self) -> None:
        """Send requests until none is left. Exceptions of the plan and programming errors pass through."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be sent."""
        return self._closed or self.control.cancelled

    @property
    def _has_room(self) -> bool:
        """Whether more may be asked: answers that wait for their score are held in memory."""
        return self._backlog < BACKLOG

    def close(self) -> None:
        """Send no further requests."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def saved(self, number: int, backlog: int) -> None:
        """Record how many results have been saved, and how many answers wait for their score."""
        with self._condition:
            self._backlog = backlog
            if number:
                self._unsaved -= number
                self._condition.notify_all()


@dataclass(order=True, slots=True, kw_only=True)
class _QueuedEntry:
    """A request to send, ordered by its due time."""

    due: float
    number: int
    planned: PlannedRequest = field(compare=False)
    began: float = field(compare=False)
    attempts: Attempts = field(default_factory=Attempts, compare=False)


def _answer_nothing(planned: PlannedRequest) -> Answer:
    raise BadInputError(f"No recorded response answers {planned.item_key}.")


class RequestQueue(AskingQueue):
    """Sends requests from any number of threads.

    The plan is read as requests are needed. No request is taken while the control is paused, while too many answers
    wait to be scored, while as many answers as there are threads are on the wire or not on disk yet, or while the
    budget might be exceeded; requests on the wire still finish.
    """

    def __init__(
        self,
        planned: Iterable[PlannedRequest] = (),
        ask: Callable[[PlannedRequest], Answer] = _answer_nothing,
        *,
        limits: AskingLimits,
        control: Progress,
        interrupt: Callable[[], None] = lambda: None,
    ) -> None:
        """``ask`` makes one attempt; it raises `AttemptFailedError` for one that may be repeated."""
        super().__init__(limits, control, interrupt)
        self._planned = iter(planned)
        self._ask = ask
        self._numbers = count()
        self._waiting: list[_QueuedEntry] = []
        self._next: _QueuedEntry | None = None
        self._is_turn_of_new = False
        self._asking = 0
        self._repeats_left = REPEATS_AT_LEAST
        self._failed_in_a_row = 0
        self._paused_until = 0.0

    @property
    def waiting(self) -> int:
        """How many requests wait for their next attempt."""
        return len(self._waiting)

    def work(self) -> None:
        """Send requests until none is left."""
        try:
            while (entry := self._take()) is not None:
                self.events.put(self._attempt(entry))
        except BaseException:
            self.close()
            raise

    def _take(self) -> _QueuedEntry | None:
        """Wait until the next request may be sent and return it; None when none is left."""
        with self._condition:
            while not self.is_over:
                now = time.monotonic()
                is_full = not self._has_room or self._asking + self._unsaved >= self.limits.workers
                if is_full or self.control.paused or self._paused_until > now:
                    self._condition.wait(_POLL_S)
                    continue
                entry = self._next_entry(now)
                if entry is None:
                    if not self._waiting and not self._asking:
                        return None
                    due = self._waiting[0].due - now if self._waiting else _POLL_S
                    self._condition.wait(min(_POLL_S, max(due, 0.001)))
                elif self.limits.budget.reserve(entry.planned):
                    self._remove(entry)
                    self._asking += 1
                    return entry
                elif not self._asking:
                    # No request on the wire can release a reservation: the cap is reached.
                    self.capped = self._closed = True
                    self._condition.notify_all()
                else:
                    self._condition.wait(_POLL_S)
            return None

    def _next_entry(self, now: float) -> _QueuedEntry | None:
        """Return the next request without taking it: alternately one due for a retry, and a new one.

        Requests that keep failing must not hold up those that would be answered.
        """
        due = self._waiting[0] if self._waiting and self._waiting[0].due <= now else None
        if due is not None and not self._is_turn_of_new:
            return due
        if self._next is None:
            planned = next(self._planned, None)
            self._next = (
                None
                if planned is None
                else _QueuedEntry(due=now, number=next(self._numbers), planned=planned, began=now)
            )
        return self._next or due

    def _remove(self, entry: _QueuedEntry) -> None:
        self._is_turn_of_new = entry is not self._next
        if entry is self._next:
            self._next = None
            self._repeats_left += 1
        else:
            heappop(self._waiting)

    def _attempt(self, entry: _QueuedEntry) -> Outcome:
        """Make one attempt; a failure that may be retried goes back into the queue."""
        planned = entry.planned
        answer = None
        cost = 0.0
        failure: AttemptFailedError | None = None
        outcome: Outcome | None = None
        try:
            answer = self._ask(planned)
        except AttemptFailedError as error:
            failure = error
        except RequestFailedError as error:
            outcome = FailedRequest(
                planned=planned, cause=error.cause, reason=error.message, attempts=error.attempts, began=entry.began
            )
        except KnownError as error:
            self.close()
            outcome = Refusal(error.message)
        finally:
            is_lost = failure is not None and failure.costly
            cost = self.limits.budget.settle(planned, answer, lost=is_lost)
            with self._condition:
                self._asking -= 1
                self._slow_down(failure)
                if failure is not None:
                    outcome = self._requeue(entry, failure)
                self._unsaved += not isinstance(outcome, RepeatedRequest)
                self._condition.notify_all()
        if answer is not None:
            retries = entry.attempts.total
            return AnsweredRequest(planned, replace(answer, retries=retries) if retries else answer, cost)
        assert outcome is not None
        return outcome

    def _requeue(self, entry: _QueuedEntry, failure: AttemptFailedError) -> FailedRequest | RepeatedRequest:
        seconds = self.limits.policy.wait_after(entry.attempts.count(failure), failure)
        if seconds is None or self._repeats_left <= 0:
            reason = describe_failure(failure, entry.attempts, self.limits.policy)
            if seconds is not None:
                reason += " (the run has used up its repetitions)"
            return FailedRequest(
                planned=entry.planned,
                cause=failure.cause,
                reason=reason,
                attempts=entry.attempts.total,
                costly=failure.costly,
                began=entry.began,
            )
        self._repeats_left -= 1
        entry.due = time.monotonic() + seconds
        heappush(self._waiting, entry)
        return RepeatedRequest(entry.planned, failure.cause, failure.costly, seconds)

    def _slow_down(self, failure: AttemptFailedError | None) -> None:
        """Pause after a whole round of failed attempts: an endpoint that restarts needs a while."""
        if failure is None or not failure.may_repeat:
            self._failed_in_a_row = 0
            return
        self._failed_in_a_row += 1
        rounds, remainder = divmod(self._failed_in_a_row, max(1, self.limits.workers))
        if rounds and not remainder:
            self._paused_until = time.monotonic() + self.limits.policy.wait(rounds - 1)
