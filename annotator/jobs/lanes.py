"""Worker threads: independent lanes, each of which starts its work in order, and a map over items."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from annotator.base.errors import KnownError

T = TypeVar("T")
Item = TypeVar("Item")
Result = TypeVar("Result")

WORKERS = 3
"""The default number of workers, enough to keep the sandbox busy while one of them reads results."""

LANES: dict[str, int] = {"store": 1, "read": 2, "cpu": 1, "net": 4, "sandbox": 2, "runs": 1, "drafts": 1}
"""The number of threads by lane."""


class Lanes:
    """The project's worker threads. ``store`` and ``runs`` have one each: writes never compete, and runs queue up."""

    def __init__(self, prepare: Callable[[], object] | None = None) -> None:
        """Create no threads yet; a lane's threads start with its first piece of work.

        ``prepare`` runs once, in the first lane that starts, and all work waits for it. Let it import the libraries,
        because threads that import parts of one package at the same time can see half-initialised modules.
        """
        self._executors: dict[str, ThreadPoolExecutor] = {}
        self._closed = False
        self._prepare = prepare
        self._prepare_lock = threading.Lock()

    def submit(self, lane: str, work: Callable[[], T]) -> Future[T]:
        """Run ``work`` in a lane of `LANES`; raises `KnownError` once the lanes are closed."""
        if self._closed:
            raise KnownError("The project is being closed, so no new work can be started.")
        if lane not in self._executors:
            self._executors[lane] = ThreadPoolExecutor(LANES[lane], thread_name_prefix=f"lane-{lane}")
        return self._executors[lane].submit(partial(self._run_prepared, work))

    def _run_prepared(self, work: Callable[[], T]) -> T:
        with self._prepare_lock:
            prepare = self._prepare
            self._prepare = None
            if prepare is not None:
                prepare()
        return work()

    def finish(self, lane: str) -> None:
        """Wait for running work of a lane, drop queued work, and end its threads."""
        executor = self._executors.pop(lane, None)
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Wait for running work of all lanes, drop queued work, and end the threads."""
        self._closed = True
        for executor in self._executors.values():
            executor.shutdown(wait=True, cancel_futures=True)
        self._executors.clear()


def map_in_order(work: Callable[[Item], Result], items: Iterable[Item], workers: int = WORKERS) -> Generator[Result]:
    """Yield the results in the order of the items while later items are already being processed.

    At most ``workers`` items are in progress or finished but not yet yielded. An item's error is raised when its result
    is due. After an error, or when the generator is closed, running work is awaited and no more is started. A
    KeyboardInterrupt does not wait: every finished result is yielded, also behind an unfinished one, then it is raised.
    """
    futures: deque[Future[Result]] = deque()
    executor = ThreadPoolExecutor(workers, thread_name_prefix="in-order")
    should_wait = True

    def wait_for_first() -> Result:
        result = futures[0].result()
        futures.popleft()
        return result

    try:
        for item in items:
            if len(futures) == workers:
                yield wait_for_first()
            futures.append(executor.submit(work, item))
        while futures:
            yield wait_for_first()
    except KeyboardInterrupt:
        should_wait = False
        yield from [future.result() for future in futures if future.done() and future.exception() is None]
        raise
    finally:
        executor.shutdown(wait=should_wait, cancel_futures=True)
