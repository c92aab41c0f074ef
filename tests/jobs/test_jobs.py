"""Lanes keep order; progress can be paused and cancelled."""

from __future__ import annotations

import threading

import pytest

from annotator.base.errors import KnownError
from annotator.jobs.lanes import Lanes
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
    assert len(heard) < 100
