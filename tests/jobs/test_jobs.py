"""Lanes keep order, a few pieces of work go on at a time, and progress can be paused and cancelled."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import KnownError
from annotator.jobs.lanes import Lanes, map_in_order
from annotator.jobs.progress import Cancelled, Progress


def test_the_store_lane_is_one_thread_in_order() -> None:
    lanes, seen = Lanes(), list[tuple[int, str]]()
    futures = [lanes.submit("store", lambda n=n: seen.append((n, threading.current_thread().name))) for n in range(50)]
    for future in futures:
        future.result(timeout=60)
    lanes.close()
    assert [number for number, _ in seen] == list(range(50))
    assert len({name for _, name in seen}) == 1


def test_closed_lanes_take_no_work() -> None:
    lanes = Lanes()
    lanes.close()
    with pytest.raises(KnownError):
        lanes.submit("store", int)


def test_cancel_stops_the_worker_at_its_next_report() -> None:
    progress = Progress()
    progress.report(1, 10)
    assert progress.fraction == 0.1
    progress.cancel()
    with pytest.raises(Cancelled):
        progress.report(2)


def test_pause_holds_the_worker_until_resumed() -> None:
    progress, reached = Progress(), threading.Event()
    progress.pause()

    def work() -> None:
        progress.report(1, 2)
        reached.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert not reached.wait(0.2)
    progress.resume()
    assert reached.wait(60)
    thread.join()


def test_a_paused_worker_can_be_cancelled() -> None:
    progress, outcome = Progress(), list[BaseException]()
    progress.pause()

    def work() -> None:
        try:
            progress.check()
        except Cancelled as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    progress.cancel()
    thread.join(60)
    assert len(outcome) == 1


def test_the_listener_hears_the_end() -> None:
    heard: list[int] = []
    progress = Progress(lambda item: heard.append(item.done))
    for number in range(100):
        progress.report(number + 1, 100)
    assert heard[-1] == 100
    progress.report(1, text="reading")
    progress.report(2)
    assert (progress.text, progress.total) == ("reading", 100)
    assert len(heard) < 100


# A few pieces of work at a time.


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
        if item == 2:
            raise ValueError(item)
        (finished.set if item else lambda: released.wait(60))()
        return item

    def items() -> Iterator[int]:
        yield from (0, 2, 1)
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
