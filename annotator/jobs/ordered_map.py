"""Apply a function to items in a few threads, yielding the results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
WORKERS = 3
"""Enough to keep the sandbox busy while one worker reads its results."""


def map_in_order(work: Callable[[Item], Result], items: Iterable[Item], workers: int = WORKERS) -> Generator[Result]:
    """Yield the results in the order of the items while later items are already being processed.

    At most ``workers`` items are started and not yet yielded. An item's error is raised in its turn; then, or when the
    generator is closed, running work is awaited and no more is started. A KeyboardInterrupt does not wait.
    """
    waiting: deque[Future[Result]] = deque()
    threads = ThreadPoolExecutor(workers, thread_name_prefix="in-order")
    patient = True
    try:
        for item in items:
            if len(waiting) == workers:
                yield waiting.popleft().result()
            waiting.append(threads.submit(work, item))
        while waiting:
            yield waiting.popleft().result()
    except KeyboardInterrupt:
        patient = False
        raise
    finally:
        threads.shutdown(wait=patient, cancel_futures=True)
