"""A few pieces of work at a time."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.jobs.lanes import map_in_order


@given(st.lists(st.integers()), st.integers(1, 5))
def test_results_come_in_the_order_of_the_items(items: list[int], at_once: int) -> None:
    assert list(map_in_order(lambda item: item * 2, items, at_once)) == [item * 2 for item in items]


def test_a_few_are_worked_on_together_and_no_more() -> None:
    together = threading.Barrier(3, timeout=60)
    running, most, lock = 0, 0, threading.Lock()

    def work(item: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait()
        with lock:
            running -= 1
        return item

    assert list(map_in_order(work, range(9), 3)) == list(range(9)), "the barrier opens only for three at a time"
    assert most == 3


def test_nothing_is_begun_after_it_is_closed_and_what_began_has_ended() -> None:
    begun: list[int] = []
    ended: list[int] = []

    def work(item: int) -> int:
        begun.append(item)
        time.sleep(0.01)
        ended.append(item)
        return item

    with closing(map_in_order(work, range(100), 2)) as results:
        assert next(results) == 0
    seen = list(begun)
    assert sorted(seen) == sorted(ended) and len(seen) < 10
    time.sleep(0.05)
    assert begun == seen


def test_an_error_comes_in_its_turn() -> None:
    def work(item: int) -> int:
        if item == 2:
            raise ValueError("two")
        return item

    results = map_in_order(work, range(5), 3)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="two"):
        next(results)


def test_an_interruption_keeps_what_is_finished_behind_an_unfinished_item() -> None:
    released, finished = threading.Event(), threading.Event()

    def work(item: int) -> int:
        (finished.set if item else lambda: released.wait(60))()
        return item

    def items() -> Iterator[int]:
        yield from range(2)
        assert finished.wait(60)
        time.sleep(0.1)
        raise KeyboardInterrupt

    found: list[int] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            for result in map_in_order(work, items(), 3):
                found.append(result)
        assert found == [1]
    finally:
        released.set()


def test_an_interruption_waits_for_nothing() -> None:
    released = threading.Event()

    def work(item: int) -> int:
        released.wait(60)
        return item

    def items() -> Iterator[int]:
        yield 0
        raise KeyboardInterrupt

    since = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            list(map_in_order(work, items(), 2))
        assert time.monotonic() - since < 30
    finally:
        released.set()
