"""The requests of a run in batches: sent as files, looked at now and then, and taken in when they have ended.

```
plan ─┐
      ├→ part (limits of a file, budget) → upload → on disk → batch → on disk → ended? → answers and failures → events
again ┘                                                                            └ may be repeated → again
```
What is on disk says which places of the plan are in which batch, so a process that is killed at any moment finds its
batches again: the name of the uploaded file is written before a batch is made of it, and the endpoint lists the batch
of a file. A batch leaves the disk when all that it brought is there.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Protocol, TypeVar

from annotator.base.errors import KnownError
from annotator.base.messages import Message
from annotator.evaluation.cost_cap import Budget
from annotator.evaluation.planning import AnsweredRequest, FailedRequest, PlannedRequest
from annotator.evaluation.request_queue import Outcome, Refusal, RepeatedRequest
from annotator.jobs.progress import Progress
from annotator.llm.answers import Answer
from annotator.llm.batches import EXPIRED, MOST_BYTES, MOST_REQUESTS, BatchClient, BatchLine, BatchReport
from annotator.llm.client import Attempts, RetryPolicy, describe_failure
from annotator.llm.errors import AttemptFailedError, EndpointStopError
from annotator.llm.requests import Request

FIRST_LOOK_S, LAST_LOOK_S = 0.5, 60.0
"""How long after a batch was made it is looked at, and how long between two looks at most."""
_LOOK_S = 0.1
_MOST_UNREACHED, _MOST_SILENT = 3, 60
"""After so many looks at a batch that brought nothing the run stops: at an endpoint never reached, and at another."""
_MOST_UNSAVED = 1000
_NOT_FOUND, _NOT_ALLOWED = 404, "HTTP 405"
_TOO_MANY = "token_limit_exceeded"
_Received = TypeVar("_Received")


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch on disk: the endpoint's names of its file and of itself (empty: maybe not made), and what is in it.

    ``places`` are ranges (first, behind the last) of positions in the run's plan, in the order of the file's lines.
    """

    file: str
    id: str
    places: tuple[tuple[int, int], ...]

    @property
    def positions(self) -> Iterator[int]:
        """The positions of the file's lines."""
        return chain.from_iterable(range(*place) for place in self.places)


class BatchJournal(Protocol):
    """Where sent batches are kept; what `save` was given is on disk when it returns."""

    def load(self) -> Sequence[SentBatch]:
        """Return what was saved last."""
        ...

    def save(self, sent: Sequence[SentBatch]) -> None:
        """Keep these and no others."""
        ...


@dataclass(slots=True)
class _Wanted:
    """A request to ask, and all that it is asked for: items may share a prompt."""

    position: int
    places: list[PlannedRequest]
    began: float = 0.0
    tried: Attempts = field(default_factory=Attempts)

    @property
    def request(self) -> Request:
        return self.places[0].request


class BatchQueue:
    """What is to be asked in batches, for one thread that calls `work`."""

    def __init__(
        self,
        planned: Iterable[PlannedRequest],
        position: Callable[[PlannedRequest], int],
        client: BatchClient,
        journal: BatchJournal,
        *,
        cached: Callable[[str], Answer | None],
        probe: Callable[[Request], object],
        emit: Callable[[Outcome], None],
        has_room: Callable[[], bool],
        control: Progress,
        budget: Budget,
        policy: RetryPolicy,
        limits: tuple[int, int] = (MOST_REQUESTS, MOST_BYTES),
    ) -> None:
        """Read nothing yet. ``position`` is the place in the plan, ``limits`` the requests and bytes of a file."""
        self._planned, self._position, self._client, self._journal = planned, position, client, journal
        self._cached, self._probe, self._emit, self._has_room = cached, probe, emit, has_room
        self._control, self._budget, self._policy = control, budget, policy
        self._most_requests, self._most_bytes = limits
        self._wanted: dict[str, _Wanted] = {}
        self._at: dict[int, str] = {}
        self._sent: list[SentBatch] = []
        self._under_way: set[str] = set()
        self._done: dict[str, int] = {}
        self._silent: Counter[str] = Counter()
        self._look_s, self._pause_s, self._held = FIRST_LOOK_S, 0.0, False
        self._probed = False
        self._condition = threading.Condition()
        self._unsaved = 0
        self._closed = threading.Event()
        self.capped = False
        self.note = ""

    @property
    def waiting(self) -> int:
        """How many requests wait for their next attempt."""
        return sum(bool(one.tried.made) for name, one in self._wanted.copy().items() if name not in self._under_way)

    def close(self) -> None:
        """Send nothing more and look at nothing any more; batches go on at the endpoint."""
        self._closed.set()
        with self._condition:
            self._condition.notify_all()

    def saved(self, number: int) -> None:
        """Take note that so many results are on disk."""
        if number:
            with self._condition:
                self._unsaved -= number
                self._condition.notify_all()

    def work(self) -> None:
        """Ask until nothing more is to be asked. Raises what the plan raises, and bugs in asking."""
        try:
            self._read_plan()
            self._find_sent()
            while not self._is_over():
                self._send_all()
                if not self._sent:
                    return
                self._watch()
        except KnownError as error:
            self.close()
            self._tell(Refusal(error.message))
        except BaseException:
            self.close()
            raise

    def _is_over(self) -> bool:
        return self._closed.is_set() or self._control.cancelled

    def _tell(self, outcome: Outcome) -> None:
        with self._condition:
            self._unsaved += not isinstance(outcome, RepeatedRequest)
        self._emit(outcome)

    def _wait(self, seconds: float) -> None:
        """Wait so long, and for as long as the run is paused."""
        deadline = time.monotonic() + seconds
        while not self._is_over() and (time.monotonic() < deadline or self._control.paused):
            self._closed.wait(min(_LOOK_S, max(0.001, deadline - time.monotonic())))

    def _read_plan(self) -> None:
        """Learn what is wanted; what has an answer already is handed on."""
        for planned in self._planned:
            if self._is_over():
                return
            found = self._cached(planned.hash)
            if found is not None:
                self._wait_for_room()
                self._tell(AnsweredRequest(planned, replace(found, cached=True)))
            elif planned.hash in self._wanted:
                self._wanted[planned.hash].places.append(planned)
            else:
                position = self._position(planned)
                self._wanted[planned.hash] = _Wanted(position, [planned])
                self._at[position] = planned.hash

    def _wait_for_room(self) -> None:
        with self._condition:
            while not self._is_over() and (not self._has_room() or self._unsaved >= _MOST_UNSAVED):
                self._condition.wait(_LOOK_S)

    def _find_sent(self) -> None:
        """Go on with the batches of an earlier part of the run."""
        for sent in self._journal.load():
            found = sent if sent.id else self._find_made(sent)
            if found is not None:
                self._sent.append(found)
                for name in self._names_in(found):
                    self._under_way.add(name)
                    self._budget.reserve(self._wanted[name].places[0])
        self._keep_sent()

    def _find_made(self, sent: SentBatch) -> SentBatch | None:
        """Return the batch that was made of a file, None if there is none, as far as the endpoint tells."""
        try:
            report = self._persist(lambda: self._client.find(sent.file))
        except EndpointStopError as error:
            if error.status != _NOT_FOUND:
                raise
            return None
        return replace(sent, id=report.id) if report is not None else None

    def _names_in(self, sent: SentBatch) -> list[str]:
        """Return the hashes of what is in a batch and still wanted."""
        names = (self._at.get(position) for position in sent.positions)
        return [name for name in names if name is not None and name in self._wanted]

    def _keep_sent(self) -> None:
        self._journal.save(self._sent)

    def _send_all(self) -> None:
        """Send what is in no batch, as far as the budget goes."""
        self._wait(self._pause_s)
        self._pause_s = 0.0
        waiting = [name for name in self._wanted if name not in self._under_way]
        while waiting and not self._held and not self._is_over():
            lines = self._take_part(waiting)
            if not lines:
                self.capped = not self._sent
                return
            self._send([self._wanted[name] for name in lines], lines.values())
            waiting = waiting[len(lines) :]

    def _take_part(self, waiting: Sequence[str]) -> dict[str, bytes]:
        """Return the lines of one file: the first of what waits that fit, and that the budget lets go."""
        lines: dict[str, bytes] = {}
        size = 0
        for name in waiting[: self._most_requests]:
            line = self._client.encode(self._wanted[name].request)
            size += len(line)
            if (lines and size > self._most_bytes) or not self._budget.reserve(self._wanted[name].places[0]):
                break
            lines[name] = line
        return lines

    def _send(self, wanted: Sequence[_Wanted], lines: Iterable[bytes]) -> None:
        """Make a batch of some requests; each step is on disk before the next."""
        if not self._probed:
            self._probe(wanted[0].request)
            self._probed = True
        lines = list(lines)
        try:
            file = self._persist(lambda: self._client.upload(lines))
        except EndpointStopError as error:
            raise _no_batches(error) from None
        sent = SentBatch(file, "", _ranges([one.position for one in wanted]))
        self._sent.append(sent)
        self._keep_sent()
        made = self._create(sent, wanted[0].request)
        self._sent[-1] = made
        self._keep_sent()
        for one in wanted:
            one.began = time.monotonic()
            self._under_way.add(one.request.hash)
        self._look_s = FIRST_LOOK_S
        self._describe()

    def _create(self, sent: SentBatch, request: Request) -> SentBatch:
        """Have a file answered, once: whether a failed attempt made a batch all the same is looked up."""
        tried = Attempts()
        while True:
            try:
                return replace(sent, id=self._client.create(sent.file, request.form).id)
            except EndpointStopError as error:
                self._forget(sent)
                raise _no_batches(error) from None
            except AttemptFailedError as error:
                failed = error
            seconds = self._policy.wait_after(tried.count(failed), failed)
            if not failed.may_repeat:
                self._forget(sent)
            if seconds is None:
                raise EndpointStopError(f"The endpoint makes no batch. {describe_failure(failed, tried, self._policy)}")
            self._wait(seconds)
            found = self._find_made(sent)
            if found is not None:
                return found

    def _forget(self, sent: SentBatch) -> None:
        """Remove a batch that is over."""
        self._sent = [one for one in self._sent if one.file != sent.file]
        self._under_way.difference_update(self._at.get(position, "") for position in sent.positions)
        self._done.pop(sent.id, None)
        self._keep_sent()
        self._held = False
        self._describe()

    def _persist(self, exchange: Callable[[], _Received]) -> _Received:
        """Do something that may be repeated. Raises `EndpointStopError` when that does not help."""
        tried = Attempts()
        while True:
            try:
                return exchange()
            except AttemptFailedError as error:
                failed = error
            if failed.cause == _NOT_ALLOWED:
                raise EndpointStopError(failed.reason, _NOT_FOUND)
            seconds = self._policy.wait_after(tried.count(failed), failed)
            if seconds is None or self._is_over():
                raise EndpointStopError(describe_failure(failed, tried, self._policy))
            self._wait(seconds)

    def _watch(self) -> None:
        """Look at what was sent, after a while, and take in what has ended."""
        self._wait(self._look_s)
        self._look_s = min(LAST_LOOK_S, 1.5 * self._look_s)
        for sent in list(self._sent):
            if self._is_over():
                return
            try:
                report = self._client.look(sent.id)
            except AttemptFailedError as error:
                self._look_failed(sent, error)
                continue
            except EndpointStopError as error:
                raise self._lost(sent, error) from None
            self._silent.pop(sent.id, None)
            self._done[sent.id] = report.done
            self._describe()
            if report.ended:
                self._take_in(sent, report)

    def _look_failed(self, sent: SentBatch, failed: AttemptFailedError) -> None:
        """Note that a look brought nothing. Raises `EndpointStopError` where more looks hardly help."""
        if not failed.may_repeat:
            raise EndpointStopError(f"The endpoint does not tell how far a batch is: {failed.reason}") from None
        self._silent[sent.id] += 1
        if self._silent[sent.id] >= (_MOST_SILENT if self._client.connected else _MOST_UNREACHED):
            raise EndpointStopError(
                f"The endpoint does not tell how far its batch is ({failed.reason}). The batch may go on there; resume "
                "to look again."
            ) from None
        self.note = Message("The endpoint does not tell how far its batch is ({reason})", reason=failed.reason)

    def _lost(self, sent: SentBatch, error: EndpointStopError) -> EndpointStopError:
        """Return what to say where the endpoint refuses to tell of a batch; one it does not know is given up."""
        if error.status != _NOT_FOUND:
            return error
        number = len(self._names_in(sent))
        self._forget(sent)
        return EndpointStopError(
            f"The endpoint no longer knows the batch {sent.id}, or its answers. Resume to ask its {number} requests "
            "again."
        )

    def _describe(self) -> None:
        total = len(self._under_way)
        done = min(total, sum(self._done.values()))
        self.note = (
            Message("The endpoint works on a batch: {done} of {total} requests", done=f"{done:,}", total=f"{total:,}")
            if total
            else ""
        )

    def _take_in(self, sent: SentBatch, report: BatchReport) -> None:
        """Hand on what a batch that has ended brought; it is forgotten when all of that is on disk."""
        open_names = set(self._names_in(sent))
        refused: EndpointStopError | None = None
        for file in report.files:
            try:
                lines = self._persist(lambda file=file: self._client.lines(file))  # type: ignore[misc]
            except EndpointStopError as error:
                raise self._lost(sent, error) from None
            for line in lines:
                if self._is_over():
                    return
                if line.custom_id in open_names:
                    open_names.discard(line.custom_id)
                    refused = self._settle(line) or refused
        problem = self._settle_rest(sent, report, open_names)
        with self._condition:
            while self._unsaved > 0 and not self._is_over():
                self._condition.wait(_LOOK_S)
        if self._is_over():
            return
        self._forget(sent)
        if problem == _TOO_MANY:
            self._send_less(len(list(sent.positions)))
        elif refused or problem:
            raise refused or EndpointStopError(problem)

    def _settle(self, line: BatchLine) -> EndpointStopError | None:
        """Hand on what a line says of its request; return what it says of them all."""
        self._wait_for_room()
        wanted = self._wanted[line.custom_id]
        first = wanted.places[0]
        try:
            answer = self._client.answer_of(wanted.request, line)
        except AttemptFailedError as error:
            self._fail(wanted, error)
            return None
        except EndpointStopError as error:
            self._budget.settle(first, None)
            return error
        made = wanted.tried.made
        answer = replace(answer, retries=made) if made else answer
        del self._wanted[line.custom_id]
        self._tell(AnsweredRequest(first, answer, self._budget.settle(first, answer)))
        for planned in wanted.places[1:]:
            self._tell(AnsweredRequest(planned, replace(answer, cached=True)))
        return None

    def _fail(self, wanted: _Wanted, failed: AttemptFailedError) -> None:
        """Ask again in another batch, or say that there is no answer."""
        first = wanted.places[0]
        self._budget.settle(first, None, lost=failed.costly)
        seconds = self._policy.wait_after(wanted.tried.count(failed), failed)
        if seconds is not None:
            self._pause_s = max(self._pause_s, seconds)
            self._tell(RepeatedRequest(first, failed.cause, failed.costly, seconds))
            return
        reason, made = describe_failure(failed, wanted.tried, self._policy), wanted.tried.made
        del self._wanted[first.hash]
        for planned in wanted.places:
            self._tell(
                FailedRequest(
                    planned=planned,
                    cause=failed.cause,
                    reason=reason,
                    attempts=made,
                    costly=failed.costly,
                    began=wanted.began,
                )
            )

    def _settle_rest(self, sent: SentBatch, report: BatchReport, names: set[str]) -> str:
        """Settle what a batch brought nothing for; return why nothing more can be sent, nothing if it can."""
        if report.state in ("completed", "expired"):
            missing = AttemptFailedError(EXPIRED, "the batch ended before this request was answered")
            for name in names:
                self._fail(self._wanted[name], missing)
            return ""
        positions = list(sent.positions)
        refused = [one for one in report.problems if one.line is not None and 1 <= one.line <= len(positions)]
        for problem in refused:
            name = self._at.get(positions[(problem.line or 0) - 1], "")
            if name in names:
                names.discard(name)
                reason = f"HTTP 400: {problem.message} ({problem.code})"
                self._fail(self._wanted[name], AttemptFailedError("HTTP 400", reason, may_repeat=False))
        for name in names:
            self._budget.settle(self._wanted[name].places[0], None)
        if report.state == "cancelled":
            return f"The batch {sent.id} was cancelled. What was answered is kept; resume to ask the rest again."
        if refused:
            return ""
        if any(one.code == _TOO_MANY for one in report.problems) and (len(positions) > 1 or len(self._sent) > 1):
            return _TOO_MANY
        told = "; ".join(one.message or one.code for one in report.problems[:3]) or "it does not say why"
        return f"The endpoint refuses the batch: {told}. Nothing of it was asked. Ask without a batch, or mend that."

    def _send_less(self, number: int) -> None:
        """Wait until another batch has ended; where there is none, send half as much at once."""
        if self._sent:
            self._held = True
        else:
            self._most_requests = max(1, number // 2)


def _ranges(positions: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return numbers as ranges, in their order."""
    found: list[tuple[int, int]] = []
    for position in positions:
        if found and found[-1][1] == position:
            found[-1] = (found[-1][0], position + 1)
        else:
            found.append((position, position + 1))
    return tuple(found)


def _no_batches(error: EndpointStopError) -> EndpointStopError:
    if error.status != _NOT_FOUND:
        return error
    return EndpointStopError(f"This endpoint takes no batches ({error.message}) Start the run without a batch.")
