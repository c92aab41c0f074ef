"""Run jobs on warm supervisors: as many at once as there are processors, each unit exactly once.

One thread owns all links. If a supervisor dies while it runs a unit, the unit is run again on a fresh one, at most
twice.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import os
import selectors
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from annotator.base.errors import KnownError
from annotator.sandbox.links import Link, LinkClosedError
from annotator.sandbox.sandbox_jobs import MACHINERY, Job, JobResult
from annotator.sandbox.second_look import FurtherRuns
from annotator.sandbox.units import Unit, command_unit, units_of
from annotator.sandbox.verdicts import UnitResult, merge_unit_results, read_result, sandbox_failure

ATTEMPTS = 3
_MAX_QUEUED = 2
"""Units sent to one supervisor, so that it need not wait for the next."""
_LONG_S = 120.0
"""No unit is queued behind one with this limit or more: it would start sooner on the next free supervisor."""
_GRACE_S = 20.0
_START_S = 60.0
_CONTAINER_EXTRA_MB = 192
_IDLE_S = 60.0
_MAX_IDLE = 4
"""Number of idle supervisors: a start takes longer than most tests, and an idle one costs only memory."""
_MAX_FAILED_STARTS = 8
_MIN_FAILING_S = 10.0


class Starter(Protocol):
    """Starts supervisors: in Docker, in bubblewrap or on this machine itself."""

    tools: str

    def start(self, group: str, memory_mb: int, preload: tuple[str, ...]) -> Link:
        """Start a supervisor for a group of languages. Raises `KnownError`."""
        ...


Key = tuple[str, int, tuple[str, ...]]


@dataclass(slots=True, kw_only=True)
class _Task:
    """A unit that waits for a supervisor or runs on one."""

    unit: Unit
    key: Key
    done: Callable[[UnitResult, int], None]
    number: int
    attempts: int = 0


@dataclass(slots=True, kw_only=True)
class _Worker:
    """A supervisor and its tasks, first in first out; the first one is running."""

    link: Link
    key: Key
    ready: bool = False
    tasks: deque[_Task] = field(default_factory=deque)
    deadline: float = 0.0
    idle_since: float = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether it waits for work."""
        return self.ready and not self.tasks


@dataclass(slots=True)
class _FailedStarts:
    """How many times in a row a kind of supervisor ended before it was ready, and since when."""

    since: float
    count: int = 0


class Pool:
    """Runs at most ``size`` units at a time, each on a supervisor of its own; a few more supervisors may be idle."""

    def __init__(self, starter: Starter, size: int | None = None) -> None:
        """Use a starter; without a size, one supervisor per processor. Nothing is started before there is work."""
        self._starter = starter
        self.size = size or len(os.sched_getaffinity(0))
        self._waiting: dict[Key, deque[_Task]] = {}
        self._workers: list[_Worker] = []
        self._inbox: deque[_Task] = deque()
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        self._selector.register(self._wake_read, selectors.EVENT_READ, None)
        self._numbers = itertools.count()
        self._units = itertools.count()
        self._closing = False
        self._failed_starts: dict[Key, _FailedStarts] = {}
        self.replaced = 0
        self._thread: threading.Thread | None = None

    # -- from any thread ------------------------------------------------------------------------------------------

    def submit(self, job: Job) -> Future[JobResult]:
        """Run a job; its future holds the result, or the `KnownError` that prevented it."""
        future: Future[JobResult] = Future()
        try:
            units = units_of(job, self._starter.tools)
        except KnownError as error:
            future.set_exception(error)
            return future
        if isinstance(units, JobResult):
            future.set_result(units)
            return future
        self._enqueue(job, units, future)
        return future

    def submit_command(self, group: str, argv: tuple[str, ...], seconds: float = 10.0) -> Future[JobResult]:
        """Run one command in a group's image, for at most ``seconds``."""
        future: Future[JobResult] = Future()
        self._enqueue(
            Job(id="command", language="bash", code=" ".join(argv)), (command_unit(group, argv, seconds),), future
        )
        return future

    def _enqueue(self, job: Job, units: tuple[Unit, ...], future: Future[JobResult]) -> None:
        collector = _JobCollector(job, len(units), future)
        with self._lock:
            if self._closing:
                future.set_exception(KnownError("The sandbox is being closed; no new work is taken."))
                return
            for index, unit in enumerate(units):
                done = collector.slot(index)
                if job.tests:
                    again = partial(self._look_again, job)
                    done = FurtherRuns(job, job.tests[index], self._starter.tools, again, done).done
                self._add(job, unit, done)
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="sandbox-pool", daemon=True)
                self._thread.start()
        self._wake()

    def _add(self, job: Job, unit: Unit, done: Callable[[UnitResult, int], None]) -> None:
        key = (unit.group, job.limits.memory_mb, unit.preload)
        self._inbox.append(_Task(unit=unit, key=key, done=done, number=next(self._numbers)))

    def _look_again(self, job: Job, unit: Unit, done: Callable[[UnitResult, int], None]) -> None:
        with self._lock:
            self._add(job, unit, done)
        self._wake()

    def run(self, jobs: Iterable[Job], ahead: int | None = None) -> Iterator[JobResult]:
        """Run jobs as they come and yield their results in the jobs' order, with bounded work in flight."""
        ahead = ahead or self.size * 16
        pending: deque[tuple[Job, Future[JobResult]]] = deque()
        remaining_jobs = iter(jobs)
        try:
            for job in remaining_jobs:
                pending.append((job, self.submit(job)))
                if len(pending) >= ahead:
                    job_result = _wait_for_result(*pending[0])
                    pending.popleft()
                    yield job_result
        except KeyboardInterrupt:
            yield from _finished_results(pending)
            raise
        except Exception:
            # A job that cannot be read ends the batch; those before it are still answered.
            yield from _results_in_order(pending)
            raise
        yield from _results_in_order(pending)

    def close(self) -> None:
        """Stop all work and end every supervisor. Idempotent."""
        with self._lock:
            self._closing = True
            thread = self._thread
        self._wake()
        if thread is not None:
            thread.join()
            self._thread = None

    def __enter__(self) -> Pool:
        """Return the pool."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the pool."""
        self.close()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._wake_write, b"x")

    # -- in the pool's thread -------------------------------------------------------------------------------------

    def _loop(self) -> None:
        try:
            while True:
                self._take_inbox()
                if self._closing:
                    break
                self._assign()
                self._serve(self._selector.select(self._seconds_to_wait()))
                self._drop_late_workers()
        finally:
            # Also after an error: units submitted later would wait forever.
            with self._lock:
                self._closing = True
            self._shut_down()

    def _take_inbox(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wake_read, 4096):
                pass
        with self._lock:
            tasks, self._inbox = self._inbox, deque()
        for task in tasks:
            self._waiting.setdefault(task.key, deque()).append(task)

    def _seconds_to_wait(self) -> float:
        now = time.monotonic()
        times = [worker.deadline - now for worker in self._workers if worker.tasks or not worker.ready]
        times += [worker.idle_since + _IDLE_S - now for worker in self._workers if worker.is_idle]
        return max(0.0, min(times, default=3600.0))

    def _assign(self) -> None:
        """Assign waiting units, oldest first, to suitable supervisors; start one if there is none."""
        for _, key in heapq.nsmallest(
            len(self._waiting), [(queue[0].number, key) for key, queue in self._waiting.items()]
        ):
            while self._waiting.get(key):
                worker = self._worker_for(key)
                if worker is None:
                    break
                self._send_task(worker, self._waiting[key].popleft())
            if not self._waiting.get(key):
                self._waiting.pop(key, None)

    def _worker_for(self, key: Key) -> _Worker | None:
        matching = [worker for worker in self._workers if worker.key == key]
        if sum(not worker.is_idle for worker in self._workers) < self.size:
            free = next((worker for worker in matching if worker.is_idle), None)
            return free or self._start(key)
        not_full = [
            worker for worker in matching if 0 < len(worker.tasks) < _MAX_QUEUED and not _is_long(worker.tasks[0].unit)
        ]
        return min(not_full, key=lambda worker: len(worker.tasks)) if not_full else None

    def _make_room(self) -> None:
        """End the supervisors that have been idle longest, so that one more may be idle."""
        idle = [worker for worker in self._workers if worker.is_idle]
        for worker in sorted(idle, key=lambda worker: worker.idle_since, reverse=True)[_MAX_IDLE - 1 :]:
            self._drop(worker)

    def _start(self, key: Key) -> _Worker | None:
        group, memory_mb, preload = key
        self._make_room()
        try:
            link = self._starter.start(group, memory_mb + _CONTAINER_EXTRA_MB, preload)
        except KnownError as error:
            for task in self._waiting.pop(key, ()):
                task.done(sandbox_failure(task.unit, error.message), task.attempts)
            return None
        worker = _Worker(link=link, key=key, deadline=time.monotonic() + _START_S)
        self._workers.append(worker)
        self._selector.register(link.fileno(), self._events(worker), worker)
        return worker

    def _send_task(self, worker: _Worker, task: _Task) -> None:
        worker.tasks.append(task)
        if len(worker.tasks) == 1 and worker.ready:
            self._begin_first(worker)
        try:
            worker.link.send({**task.unit.head, "unit": next(self._units)}, *task.unit.parts)
        except LinkClosedError as error:
            self._handle_lost(worker, str(error))
            return
        self._watch(worker)

    def _begin_first(self, worker: _Worker) -> None:
        limits = worker.tasks[0].unit.head["limits"]
        worker.deadline = time.monotonic() + limits["total_s"] * limits["longest"] + _GRACE_S

    def _events(self, worker: _Worker) -> int:
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if worker.link.wants_to_write else 0)

    def _watch(self, worker: _Worker) -> None:
        if worker in self._workers:
            self._selector.modify(worker.link.fileno(), self._events(worker), worker)

    def _serve(self, ready: list[tuple[selectors.SelectorKey, int]]) -> None:
        for key, _ in ready:
            worker = key.data
            if worker is None or worker not in self._workers:
                continue
            try:
                worker.link.flush()
                frames = worker.link.frames()
            except LinkClosedError as error:
                self._handle_lost(worker, str(error))
                continue
            for frame in frames:
                self._take_frame(worker, frame)
            self._watch(worker)

    def _take_frame(self, worker: _Worker, frame: dict[str, object]) -> None:
        if worker not in self._workers:
            return
        if frame.get("ready"):
            worker.ready = True
            self._failed_starts.pop(worker.key, None)
        else:
            if not worker.tasks:
                self._handle_lost(worker, "the supervisor sent a result without a request")
                return
            task = worker.tasks.popleft()
            task.done(_read_frame(task.unit, frame), task.attempts + 1)
            if frame.get("unclean"):
                self._requeue(worker)
                self._drop(worker)
                self.replaced += 1
                return
        if worker.tasks:
            self._begin_first(worker)
        else:
            worker.idle_since = time.monotonic()

    def _handle_lost(self, worker: _Worker, reason: str) -> None:
        """Replace a supervisor that has ended: retry its running unit, and requeue the ones that had not begun."""
        self.replaced += 1
        if not worker.ready:
            # Nothing was run yet, so no unit is to blame; but a start that always fails must not be retried forever.
            now = time.monotonic()
            failed = self._failed_starts.setdefault(worker.key, _FailedStarts(now))
            failed.count += 1
            if failed.count >= _MAX_FAILED_STARTS and now - failed.since >= _MIN_FAILING_S:
                self._abandon(worker, f"the supervisor did not start ({reason})")
        elif worker.tasks:
            first = worker.tasks[0]
            first.attempts += 1
            if first.attempts >= ATTEMPTS:
                worker.tasks.popleft()
                stderr_lines = worker.link.stderr.decode("utf-8", "replace").strip().splitlines()
                detail = f" ({stderr_lines[-1][:200]})" if stderr_lines else ""
                first.done(sandbox_failure(first.unit, f"{reason}, {ATTEMPTS} times{detail}"), first.attempts)
        self._requeue(worker)
        self._drop(worker)

    def _abandon(self, worker: _Worker, reason: str) -> None:
        """Report all units that wait for this kind of supervisor as not run (outcome ``machinery``)."""
        self._failed_starts.pop(worker.key, None)
        stderr_lines = worker.link.stderr.decode("utf-8", "replace").strip().splitlines()
        for task in (*worker.tasks, *self._waiting.pop(worker.key, ())):
            task.done(sandbox_failure(task.unit, " ".join([reason, *stderr_lines[-1:]])), task.attempts)
        worker.tasks.clear()

    def _requeue(self, worker: _Worker) -> None:
        queue = self._waiting.setdefault(worker.key, deque())
        while worker.tasks:
            queue.appendleft(worker.tasks.pop())
        if not queue:
            del self._waiting[worker.key]

    def _drop_late_workers(self) -> None:
        now = time.monotonic()
        for worker in list(self._workers):
            if (worker.tasks or not worker.ready) and now > worker.deadline:
                self._handle_lost(worker, "the supervisor did not answer")
            elif worker.is_idle and now > worker.idle_since + _IDLE_S:
                self._drop(worker)

    def _drop(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(worker.link.fileno())
        worker.link.close()

    def _shut_down(self) -> None:
        for worker in list(self._workers):
            self._requeue(worker)
            self._drop(worker)
        self._take_inbox()
        for queue in self._waiting.values():
            for task in queue:
                task.done(sandbox_failure(task.unit, "the sandbox was closed"), task.attempts)
        self._waiting.clear()
        self._selector.close()
        os.close(self._wake_read)
        os.close(self._wake_write)


class _JobCollector:
    """Collects the results of a job's units and completes its future once."""

    def __init__(self, job: Job, count: int, future: Future[JobResult]) -> None:
        self._job, self._future = job, future
        self._results: list[UnitResult | None] = [None] * count
        self._attempts = 1

    def slot(self, index: int) -> Callable[[UnitResult, int], None]:
        """Return the callback for one unit's result."""

        def done(result: UnitResult, attempts: int) -> None:
            self._results[index] = result
            self._attempts = max(self._attempts, attempts)
            results = [item for item in self._results if item is not None]
            if len(results) == len(self._results) and not self._future.done():
                self._future.set_result(self._merge_results(results))

        return done

    def _merge_results(self, results: list[UnitResult]) -> JobResult:
        try:
            return merge_unit_results(self._job, results, self._attempts)
        except Exception as error:  # noqa: BLE001 - one job's results must not end the work on all others
            return JobResult(
                id=self._job.id, outcome=MACHINERY, message=f"The results could not be put together ({error})."
            )


def _is_long(unit: Unit) -> bool:
    return float(unit.head["limits"]["total_s"]) >= _LONG_S


def _read_frame(unit: Unit, frame: dict[str, object]) -> UnitResult:
    try:
        return read_result(unit, frame)
    except Exception as error:  # noqa: BLE001 - one unit's answer must not end the work on all others
        return sandbox_failure(unit, f"the supervisor's answer could not be read ({type(error).__name__}: {error})")


def _wait_for_result(job: Job, future: Future[JobResult]) -> JobResult:
    """Wait for a job's result; the error of a job that cannot be run becomes its result, so that others continue."""
    try:
        return future.result()
    except KnownError as error:
        return JobResult(id=job.id, outcome=MACHINERY, message=error.message)


def _results_in_order(pending: deque[tuple[Job, Future[JobResult]]]) -> Iterator[JobResult]:
    try:
        while pending:
            job_result = _wait_for_result(*pending[0])
            pending.popleft()
            yield job_result
    except KeyboardInterrupt:
        yield from _finished_results(pending)
        raise


def _finished_results(pending: deque[tuple[Job, Future[JobResult]]]) -> Iterator[JobResult]:
    """Yield the results that are done, so that an interruption does not lose them."""
    for job, future in pending:
        if future.done():
            yield _wait_for_result(job, future)


__all__ = ["ATTEMPTS", "MACHINERY", "Pool", "Starter"]
