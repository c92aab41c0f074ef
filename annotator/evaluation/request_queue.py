"""The requests of a run on their way: from the plan into a slot, out of it as an outcome, or back with a due time.

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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count

from annotator.base.errors import KnownError
from annotator.evaluation.cost_cap import Budget
from annotator.evaluation.planning import AnsweredRequest, FailedRequest, PlannedRequest
from annotator.jobs.progress import Progress
from annotator.llm.answers import Answer
from annotator.llm.client import Attempts, RetryPolicy, describe_failure
from annotator.llm.endpoint_errors import AttemptFailedError, RequestFailedError

REPEATS_AT_LEAST = 200
"""Retries that even the smallest run may make; each request that is begun adds one more."""
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class RepeatedRequest:
    """A request that is retried after ``seconds``; ``costly`` means that an answer was paid for in vain."""

    planned: PlannedRequest
    cause: str
    costly: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why the endpoint, or a stopped client, refused a request: the run ends."""

    reason: str


Outcome = AnsweredRequest | FailedRequest | RepeatedRequest | Refusal


@dataclass(order=True, slots=True, kw_only=True)
class _QueuedEntry:
    """A request to send, ordered by its due time."""

    due: float
    number: int
    planned: PlannedRequest = field(compare=False)
    began: float = field(compare=False)
    attempts: Attempts = field(default_factory=Attempts, compare=False)


class RequestQueue:
    """Sends requests from any number of threads; each calls `work`.

    The plan is read as requests are needed. No request is taken while the control is paused, while ``has_room`` says
    that too many answers wait to be scored, while ``workers`` answers are on the wire or not on disk yet, or while the
    budget might be exceeded; requests on the wire still finish.
    """

    def __init__(
        self,
        planned: Iterator[PlannedRequest],
        ask: Callable[[PlannedRequest], Answer],
        emit: Callable[[Outcome], None],
        *,
        control: Progress,
        budget: Budget,
        has_room: Callable[[], bool],
        workers: int,
        policy: RetryPolicy,
    ) -> None:
        """``ask`` makes one attempt; ``emit`` is called from every thread."""
        self._planned, self._ask, self._emit = planned, ask, emit
        self._control, self._budget, self._has_room = control, budget, has_room
        self._workers, self._policy = workers, policy
        self._condition = threading.Condition()
        self._numbers = count()
        self._waiting: list[_QueuedEntry] = []
        self._next: _QueuedEntry | None = None
        self._new_turn = False
        self._asking = self._unsaved = 0
        self._repeats_left = REPEATS_AT_LEAST
        self._failed_in_a_row = 0
        self._held_until = 0.0
        self._closed = False
        self.capped = False
        self.note = ""

    @property
    def waiting(self) -> int:
        """How many requests wait for their next attempt."""
        return len(self._waiting)

    def close(self) -> None:
        """Take no further requests."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def saved(self, number: int) -> None:
        """Record how many results have been saved."""
        if number:
            with self._condition:
                self._unsaved -= number
                self._condition.notify_all()

    def work(self) -> None:
        """Send requests until none is left. Exceptions of the plan and programming errors pass through."""
        try:
            while (entry := self._take()) is not None:
                self._emit(self._attempt(entry))
        except BaseException:
            self.close()
            raise

    def _take(self) -> _QueuedEntry | None:
        """Wait until the next request may be sent and return it; None when none is left."""
        with self._condition:
            while not self._closed and not self._control.cancelled:
                now = time.monotonic()
                full = self._control.paused or not self._has_room() or self._asking + self._unsaved >= self._workers
                if full or self._held_until > now:
                    self._condition.wait(_POLL_S)
                    continue
                entry = self._candidate(now)
                if entry is None:
                    if not self._waiting and not self._asking:
                        return None
                    due = self._waiting[0].due - now if self._waiting else _POLL_S
                    self._condition.wait(min(_POLL_S, max(due, 0.001)))
                elif self._budget.reserve(entry.planned):
                    self._remove(entry)
                    self._asking += 1
                    return entry
                elif not self._asking:
                    # No request on the wire can release a reservation: the cap is reached.
                    self.capped, self._closed = True, True
                    self._condition.notify_all()
                else:
                    self._condition.wait(_POLL_S)
            return None

    def _candidate(self, now: float) -> _QueuedEntry | None:
        """Return the next request without taking it: alternately one due for a retry, and a new one.

        Requests that keep failing must not hold up those that would be answered.
        """
        due = self._waiting[0] if self._waiting and self._waiting[0].due <= now else None
        if due is not None and not self._new_turn:
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
        self._new_turn = entry is not self._next
        if entry is self._next:
            self._next = None
            self._repeats_left += 1
        else:
            heappop(self._waiting)

    def _attempt(self, entry: _QueuedEntry) -> Outcome:
        """Make one attempt; a failure that may be retried goes back into the queue."""
        planned, answer, cost = entry.planned, None, 0.0
        failed: AttemptFailedError | None = None
        outcome: Outcome | None = None
        try:
            answer = self._ask(planned)
        except AttemptFailedError as error:
            failed = error
        except RequestFailedError as error:
            outcome = FailedRequest(
                planned=planned, cause=error.cause, reason=error.message, attempts=error.attempts, began=entry.began
            )
        except KnownError as error:
            self.close()
            outcome = Refusal(error.message)
        finally:
            lost = failed is not None and failed.costly
            cost = self._budget.settle(planned, answer, lost=lost)
            with self._condition:
                self._asking -= 1
                self._slow_down(failed)
                if failed is not None:
                    outcome = self._requeue(entry, failed)
                self._unsaved += not isinstance(outcome, RepeatedRequest)
                self._condition.notify_all()
        if answer is not None:
            retries = entry.attempts.made
            return AnsweredRequest(planned, replace(answer, retries=retries) if retries else answer, cost)
        assert outcome is not None
        return outcome

    def _requeue(self, entry: _QueuedEntry, failed: AttemptFailedError) -> FailedRequest | RepeatedRequest:
        seconds = self._policy.wait_after(entry.attempts.count(failed), failed)
        if seconds is None or self._repeats_left <= 0:
            reason = describe_failure(failed, entry.attempts, self._policy)
            if seconds is not None:
                reason += " (the run has used up its repetitions)"
            return FailedRequest(
                planned=entry.planned,
                cause=failed.cause,
                reason=reason,
                attempts=entry.attempts.made,
                costly=failed.costly,
                began=entry.began,
            )
        self._repeats_left -= 1
        entry.due = time.monotonic() + seconds
        heappush(self._waiting, entry)
        return RepeatedRequest(entry.planned, failed.cause, failed.costly, seconds)

    def _slow_down(self, failed: AttemptFailedError | None) -> None:
        """Pause after a whole round of failed attempts: an endpoint that restarts needs a while."""
        if failed is None or not failed.may_repeat:
            self._failed_in_a_row = 0
            return
        self._failed_in_a_row += 1
        rounds, remainder = divmod(self._failed_in_a_row, max(1, self._workers))
        if rounds and not remainder:
            self._held_until = time.monotonic() + self._policy.wait(rounds - 1)
