"""Run a function on items in a few threads and yield the results in the order of the items."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
WORKERS = 3
"""Enough that the sandbox is not idle while one piece reads what it found."""


def map_in_order(work: Callable[[Item], Result], items: Iterable[Item], workers: int = WORKERS) -> Generator[Result]:
    """Yield the result of each item, in their order, while the next ones are worked on already.

    No more than ``workers`` are begun and not yet taken. What an item raises is raised in its turn; then, or when the
    iterator is closed, what has begun is waited for and nothing more is begun. An interruption waits for nothing.
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
