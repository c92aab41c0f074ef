"""Named lanes of worker threads: a lane starts work in order, and lanes do not wait for each other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from annotator.base.errors import KnownError

T = TypeVar("T")

LANES: dict[str, int] = {"store": 1, "read": 2, "cpu": 1, "net": 4, "sandbox": 2, "runs": 1, "drafts": 1}


class Lanes:
    """The project's worker threads; ``store`` has one, so writes never compete; ``runs`` is a queue."""

    def __init__(self, prepare: Callable[[], object] | None = None) -> None:
        """Create no threads yet; each lane starts with its first piece of work.

        ``prepare`` runs once, in the first lane that starts, and all work waits for it. It imports libraries, because
        threads that import parts of one package at the same time can see half-initialised modules.
        """
        self._executors: dict[str, ThreadPoolExecutor] = {}
        self._closed = False
        self._prepare = prepare
        self._preparing = threading.Lock()

    def submit(self, lane: str, work: Callable[[], T]) -> Future[T]:
        """Run ``work`` in a lane of `LANES`; raises `KnownError` once the lanes are closed."""
        if self._closed:
            raise KnownError("The project is being closed; no new work is taken.")
        if lane not in self._executors:
            self._executors[lane] = ThreadPoolExecutor(LANES[lane], thread_name_prefix=f"lane-{lane}")
        return self._executors[lane].submit(partial(self._run_prepared, work))

    def _run_prepared(self, work: Callable[[], T]) -> T:
        with self._preparing:
            prepare, self._prepare = self._prepare, None
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
