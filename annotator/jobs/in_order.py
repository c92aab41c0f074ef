"""A few pieces of work at a time, their results in the order of what they were made from."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
AT_ONCE = 3
"""Enough that the sandbox is not idle while one piece reads what it found."""


def in_order(work: Callable[[Item], Result], items: Iterable[Item], at_once: int = AT_ONCE) -> Generator[Result]:
    """Yield the result of each item, in their order, while the next ones are worked on already.

    No more than ``at_once`` are begun and not yet taken. What an item raises is raised in its turn; then, or when the
    iterator is closed, what has begun is waited for and nothing more is begun.
    """
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(at_once, thread_name_prefix="in-order") as threads:
        try:
            for item in items:
                if len(waiting) == at_once:
                    yield waiting.popleft().result()
                waiting.append(threads.submit(work, item))
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
