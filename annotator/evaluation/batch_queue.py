"""The queue of a run that uses a batch endpoint: requests are uploaded as files, polled, and collected when done.

```
plan ─┐
      ├→ part (limits of a file, budget) → upload → on disk → batch → on disk → ended? → answers and failures → events
again ┘                                                                            └ may be repeated → again
```
The journal on disk records which positions of the plan are in which batch, so a process that is killed at any moment
finds its batches again: the name of the uploaded file is written before its batch is created, and the endpoint can look
up the batch of a file. A batch is removed from the journal once all its answers are on disk.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Protocol, TypeVar

from annotator.base.errors import KnownError
from annotator.base.messages import Message
from annotator.evaluation.planning import AnsweredRequest, FailedRequest, PlannedRequest
from annotator.evaluation.request_queue import AskingLimits, AskingQueue, Outcome, Refusal, RepeatedRequest
from annotator.jobs.progress import Progress
from annotator.llm.batches import EXPIRED, MAX_FILE_BYTES, MAX_FILE_REQUESTS, BatchClient, BatchLine, BatchReport
from annotator.llm.client import AnswerCache, Attempts, describe_failure
from annotator.llm.endpoint_errors import AttemptFailedError, EndpointStopError
from annotator.llm.requests import Request

FIRST_POLL_S = 0.5
"""Seconds from creating a batch to the first poll."""
LAST_POLL_S = 60.0
"""The longest time between two polls."""
_POLL_S = 0.1
_MAX_UNREACHED = 3
"""Empty polls of a batch after which the run stops, at an endpoint that was never reached."""
_MAX_EMPTY_POLLS = 60
"""The same at any other endpoint."""
_MAX_UNSAVED = 1000
_NOT_FOUND = 404
_NOT_ALLOWED = "HTTP 405"
_TOO_MANY = "token_limit_exceeded"
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch in the journal: the ids of its file and of itself ("" if perhaps not created), and its contents.

    ``places`` are half-open ranges of positions in the run's plan, in the order of the file's lines.
    """

    file: str
    id: str
    places: tuple[tuple[int, int], ...]

    @property
    def positions(self) -> Iterator[int]:
        """The positions of the file's lines."""
        return chain.from_iterable(range(*place) for place in self.places)


class BatchJournal(Protocol):
    """Storage of the sent batches; `save` returns after they are on disk."""

    def load(self) -> Sequence[SentBatch]:
        """Return the batches of the last `save`."""
        ...

    def save(self, sent: Sequence[SentBatch]) -> None:
        """Replace the stored batches."""
        ...


@dataclass(slots=True)
class _QueuedRequest:
    """A request to send, with all planned requests that it answers: items may share a prompt."""

    position: int
    places: list[PlannedRequest]
    began: float = 0.0
    attempts: Attempts = field(default_factory=Attempts)

    @property
    def request(self) -> Request:
        return self.places[0].request


class BatchQueue(AskingQueue):
    """Sends requests in batches, in the one thread that calls `work`."""

    def __init__(
        self,
        planned: Iterable[tuple[int, PlannedRequest]],
        client: BatchClient,
        journal: BatchJournal,
        cache: AnswerCache,
        *,
        limits: AskingLimits,
        control: Progress,
    ) -> None:
        """``planned`` are the requests with their positions in the plan."""
        super().__init__(limits, control, client.stop)
        self._planned = planned
        self._client = client
        self._journal = journal
        self._cache = cache
        self._max_requests = MAX_FILE_REQUESTS
        self._requests: dict[str, _QueuedRequest] = {}
        self._hash_at: dict[int, str] = {}
        self._sent: list[SentBatch] = []
        self._hashes_in_batches: set[str] = set()
        self._done: dict[str, int] = {}
        self._empty_polls: Counter[str] = Counter()
        self._poll_s = FIRST_POLL_S
        self._pause_s = 0.0
        self._is_on_hold = False
        self._probed = False

    @property
    def waiting(self) -> int:
        """How many requests wait for their next attempt."""
        return sum(
            bool(queued.attempts.total)
            for request_hash, queued in self._requests.copy().items()
            if request_hash not in self._hashes_in_batches
        )

    def work(self) -> None:
        """Send and collect until the plan is finished. On closing, batches continue at the endpoint."""
        try:
            self._read_plan()
            self._resume_sent()
            while not self.is_over:
                self._send_all()
                if not self._sent:
                    return
                self._poll()
        except KnownError as error:
            self.close()
            self._emit_outcome(Refusal(error.message))
        except BaseException:
            self.close()
            raise

    def _emit_outcome(self, outcome: Outcome) -> None:
        with self._condition:
            self._unsaved += not isinstance(outcome, RepeatedRequest)
        self.events.put(outcome)

    def _wait(self, seconds: float) -> None:
        """Wait for at least ``seconds``, and until the run is no longer paused."""
        deadline = time.monotonic() + seconds
        with self._condition:
            while not self.is_over and (time.monotonic() < deadline or self.control.paused):
                self._condition.wait(min(_POLL_S, max(0.001, deadline - time.monotonic())))

    def _read_plan(self) -> None:
        """Collect the requests to send; emit those with a stored answer at once."""
        for position, planned in self._planned:
            if self.is_over:
                return
            answer = self._cache.get(planned.hash)
            if answer is not None:
                self._wait_for_room()
                self._emit_outcome(AnsweredRequest(planned, replace(answer, cached=True)))
            elif planned.hash in self._requests:
                self._requests[planned.hash].places.append(planned)
            else:
                self._requests[planned.hash] = _QueuedRequest(position, [planned])
                self._hash_at[position] = planned.hash

    def _wait_for_room(self) -> None:
        with self._condition:
            while not self.is_over and (not self._has_room or self._unsaved >= _MAX_UNSAVED):
                self._condition.wait(_POLL_S)

    def _resume_sent(self) -> None:
        """Resume the batches that an earlier process sent."""
        for sent in self._journal.load():
            batch = sent if sent.id else self._find_created(sent)
            if batch is not None:
                self._sent.append(batch)
                for request_hash in self._open_hashes(batch):
                    self._hashes_in_batches.add(request_hash)
                    self.limits.budget.reserve(self._requests[request_hash].places[0])
        self._save_sent()

    def _find_created(self, sent: SentBatch) -> SentBatch | None:
        """Ask the endpoint for the batch of an uploaded file; None if it has none."""
        try:
            report = self._retry_exchange(lambda: self._client.find(sent.file))
        except EndpointStopError as error:
            if error.status != _NOT_FOUND:
                raise
            return None
        return replace(sent, id=report.id) if report is not None else None

    def _open_hashes(self, sent: SentBatch) -> list[str]:
        """Return the hashes of a batch's requests that have no answer yet."""
        hashes = (self._hash_at.get(position) for position in sent.positions)
        return [request_hash for request_hash in hashes if request_hash is not None and request_hash in self._requests]

    def _save_sent(self) -> None:
        self._journal.save(self._sent)

    def _send_all(self) -> None:
        """Send all requests that are in no batch yet, within the budget."""
        self._wait(self._pause_s)
        self._pause_s = 0.0
        hashes = [request_hash for request_hash in self._requests if request_hash not in self._hashes_in_batches]
        while hashes and not self._is_on_hold and not self.is_over:
            lines = self._next_file(hashes)
            if not lines:
                self.capped = not self._sent
                return
            self._send([self._requests[request_hash] for request_hash in lines], lines.values())
            hashes = hashes[len(lines) :]

    def _next_file(self, hashes: Sequence[str]) -> dict[str, bytes]:
        """Return the lines of the next file by request hash: the first that fit into its limits and the budget."""
        lines: dict[str, bytes] = {}
        size = 0
        for request_hash in hashes[: self._max_requests]:
            line = self._client.encode(self._requests[request_hash].request)
            size += len(line)
            if (lines and size > MAX_FILE_BYTES) or not self.limits.budget.reserve(
                self._requests[request_hash].places[0]
            ):
                break
            lines[request_hash] = line
        return lines

    def _send(self, requests: Sequence[_QueuedRequest], lines: Iterable[bytes]) -> None:
        """Upload some requests and create their batch; each step is in the journal before the next begins."""
        if not self._probed:
            self._client.probe(requests[0].request)
            self._probed = True
        lines = list(lines)
        try:
            file = self._retry_exchange(lambda: self._client.upload(lines))
        except EndpointStopError as error:
            raise _no_batches_error(error) from None
        sent = SentBatch(file, "", _as_ranges([queued.position for queued in requests]))
        self._sent.append(sent)
        self._save_sent()
        created = self._create(sent, requests[0].request)
        self._sent[-1] = created
        self._save_sent()
        for queued in requests:
            queued.began = time.monotonic()
            self._hashes_in_batches.add(queued.request.hash)
        self._poll_s = FIRST_POLL_S
        self._update_note()

    def _create(self, sent: SentBatch, request: Request) -> SentBatch:
        """Create the batch of an uploaded file, exactly once: a failed attempt may have created it nevertheless."""
        attempts = Attempts()
        while True:
            try:
                return replace(sent, id=self._client.create(sent.file, request.form).id)
            except EndpointStopError as error:
                self._forget(sent)
                raise _no_batches_error(error) from None
            except AttemptFailedError as error:
                failure = error
            seconds = self.limits.policy.wait_after(attempts.count(failure), failure)
            if not failure.may_repeat:
                self._forget(sent)
            if seconds is None:
                raise EndpointStopError(
                    f"The endpoint did not create the batch. {describe_failure(failure, attempts, self.limits.policy)}"
                )
            self._wait(seconds)
            batch = self._find_created(sent)
            if batch is not None:
                return batch

    def _forget(self, sent: SentBatch) -> None:
        """Remove a finished batch from the journal."""
        self._sent = [batch for batch in self._sent if batch.file != sent.file]
        self._hashes_in_batches.difference_update(self._hash_at.get(position, "") for position in sent.positions)
        self._done.pop(sent.id, None)
        self._save_sent()
        self._is_on_hold = False
        self._update_note()

    def _retry_exchange(self, exchange: Callable[[], _Result]) -> _Result:
        """Call ``exchange``, with retries. Raises `EndpointStopError` when they are used up."""
        attempts = Attempts()
        while True:
            try:
                return exchange()
            except AttemptFailedError as error:
                failure = error
            if failure.cause == _NOT_ALLOWED:
                raise EndpointStopError(failure.reason, _NOT_FOUND)
            seconds = self.limits.policy.wait_after(attempts.count(failure), failure)
            if seconds is None or self.is_over:
                raise EndpointStopError(describe_failure(failure, attempts, self.limits.policy))
            self._wait(seconds)

    def _poll(self) -> None:
        """Wait, poll every sent batch, and collect those that have ended."""
        self._wait(self._poll_s)
        # A batch takes from seconds to a day, so polls become rarer.
        self._poll_s = min(LAST_POLL_S, 1.5 * self._poll_s)
        for sent in list(self._sent):
            if self.is_over:
                return
            try:
                report = self._client.fetch_report(sent.id)
            except AttemptFailedError as error:
                self._count_empty_poll(sent, error)
                continue
            except EndpointStopError as error:
                raise self._describe_lost(sent, error) from None
            self._empty_polls.pop(sent.id, None)
            self._done[sent.id] = report.done
            self._update_note()
            if report.ended:
                self._collect(sent, report)

    def _count_empty_poll(self, sent: SentBatch, failure: AttemptFailedError) -> None:
        """Count an empty poll; raise `EndpointStopError` after too many."""
        if not failure.may_repeat:
            raise EndpointStopError(f"The endpoint does not report the progress of a batch: {failure.reason}") from None
        self._empty_polls[sent.id] += 1
        if self._empty_polls[sent.id] >= (_MAX_EMPTY_POLLS if self._client.connected else _MAX_UNREACHED):
            raise EndpointStopError(
                f"The endpoint does not report the progress of the batch ({failure.reason}). The batch may still "
                "be running there; resume to check again."
            ) from None
        self.note = Message("The endpoint does not report the progress of the batch ({reason})", reason=failure.reason)

    def _describe_lost(self, sent: SentBatch, error: EndpointStopError) -> EndpointStopError:
        """Return the error to raise for a rejected poll; a batch that the endpoint no longer knows is removed."""
        if error.status != _NOT_FOUND:
            return error
        request_count = len(self._open_hashes(sent))
        self._forget(sent)
        return EndpointStopError(
            f"The endpoint no longer knows the batch {sent.id}, or its answers. Resume to ask its {request_count} "
            "requests again."
        )

    def _update_note(self) -> None:
        total = len(self._hashes_in_batches)
        done = min(total, sum(self._done.values()))
        self.note = (
            Message(
                "The endpoint is processing a batch: {done} of {total} requests", done=f"{done:,}", total=f"{total:,}"
            )
            if total
            else ""
        )

    def _collect(self, sent: SentBatch, report: BatchReport) -> None:
        """Emit the outcomes of a finished batch, and remove it once all of them are on disk."""
        open_hashes = set(self._open_hashes(sent))
        refusal: EndpointStopError | None = None
        for file in report.files:
            try:
                lines = self._retry_exchange(lambda file=file: self._client.lines(file))  # type: ignore[misc]
            except EndpointStopError as error:
                raise self._describe_lost(sent, error) from None
            for line in lines:
                if self.is_over:
                    return
                if line.custom_id in open_hashes:
                    open_hashes.discard(line.custom_id)
                    refusal = self._settle(line) or refusal
        problem = self._settle_missing(sent, report, open_hashes)
        with self._condition:
            while self._unsaved > 0 and not self.is_over:
                self._condition.wait(_POLL_S)
        if self.is_over:
            return
        self._forget(sent)
        if problem == _TOO_MANY:
            self._reduce_size(len(list(sent.positions)))
        elif refusal or problem:
            raise refusal or EndpointStopError(problem)

    def _settle(self, line: BatchLine) -> EndpointStopError | None:
        """Emit the outcome of one line; return an error that concerns all requests, None if there is none."""
        self._wait_for_room()
        queued = self._requests[line.custom_id]
        first_planned = queued.places[0]
        try:
            answer = self._client.answer_of(queued.request, line)
        except AttemptFailedError as error:
            self._fail(queued, error)
            return None
        except EndpointStopError as error:
            self.limits.budget.settle(first_planned, None)
            return error
        retries = queued.attempts.total
        answer = replace(answer, retries=retries) if retries else answer
        del self._requests[line.custom_id]
        self._emit_outcome(AnsweredRequest(first_planned, answer, self.limits.budget.settle(first_planned, answer)))
        for planned in queued.places[1:]:
            self._emit_outcome(AnsweredRequest(planned, replace(answer, cached=True)))
        return None

    def _fail(self, queued: _QueuedRequest, failure: AttemptFailedError) -> None:
        """Leave a request for another batch, or emit its failure when its retries are used up."""
        first_planned = queued.places[0]
        self.limits.budget.settle(first_planned, None, lost=failure.costly)
        seconds = self.limits.policy.wait_after(queued.attempts.count(failure), failure)
        if seconds is not None:
            self._pause_s = max(self._pause_s, seconds)
            self._emit_outcome(RepeatedRequest(first_planned, failure.cause, failure.costly, seconds))
            return
        reason = describe_failure(failure, queued.attempts, self.limits.policy)
        attempts = queued.attempts.total
        del self._requests[first_planned.hash]
        for planned in queued.places:
            self._emit_outcome(
                FailedRequest(
                    planned=planned,
                    cause=failure.cause,
                    reason=reason,
                    attempts=attempts,
                    costly=failure.costly,
                    began=queued.began,
                )
            )

    def _settle_missing(self, sent: SentBatch, report: BatchReport, hashes: set[str]) -> str:
        """Settle the requests without a line in a batch; return the reason to stop sending, "" if there is none."""
        if report.state in ("completed", "expired"):
            missing = AttemptFailedError(EXPIRED, "the batch ended before this request was answered")
            for request_hash in hashes:
                self._fail(self._requests[request_hash], missing)
            return ""
        positions = list(sent.positions)
        rejected_lines = [
            problem for problem in report.problems if problem.line is not None and 1 <= problem.line <= len(positions)
        ]
        for problem in rejected_lines:
            request_hash = self._hash_at.get(positions[(problem.line or 0) - 1], "")
            if request_hash in hashes:
                hashes.discard(request_hash)
                reason = f"HTTP 400: {problem.message} ({problem.code})"
                self._fail(self._requests[request_hash], AttemptFailedError("HTTP 400", reason, may_repeat=False))
        for request_hash in hashes:
            self.limits.budget.settle(self._requests[request_hash].places[0], None)
        if report.state == "cancelled":
            return f"The batch {sent.id} was cancelled. Answers so far are kept; resume to ask the rest again."
        if rejected_lines:
            return ""
        if any(problem.code == _TOO_MANY for problem in report.problems) and (
            len(positions) > 1 or len(self._sent) > 1
        ):
            return _TOO_MANY
        reasons = "; ".join(problem.message or problem.code for problem in report.problems[:3]) or "it does not say why"
        return (
            f"The endpoint refuses the batch: {reasons}. Nothing of it was asked. Ask without a batch, or correct that."
        )

    def _reduce_size(self, request_count: int) -> None:
        """Hold back until another batch ends; if there is none, halve the requests of a file."""
        if self._sent:
            self._is_on_hold = True
        else:
            self._max_requests = max(1, request_count // 2)


def _as_ranges(positions: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return positions as half-open ranges, in their order."""
    ranges: list[tuple[int, int]] = []
    for position in positions:
        if ranges and ranges[-1][1] == position:
            ranges[-1] = (ranges[-1][0], position + 1)
        else:
            ranges.append((position, position + 1))
    return tuple(ranges)


def _no_batches_error(error: EndpointStopError) -> EndpointStopError:
    if error.status != _NOT_FOUND:
        return error
    return EndpointStopError(f"This endpoint does not support batches ({error.message}) Start the run without a batch.")
