"""Garbage is collected in the window's thread, and nowhere else."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from annotator.ui.collector import Collector


class Ring:
    """Refers to itself, and remembers in which thread it was taken apart."""

    where: list[int] = []

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        self.where.append(threading.get_ident())


@pytest.fixture
def collector(qapp: object) -> Iterator[Collector]:
    gc.enable()
    made = Collector()
    yield made
    made.stop()
    made.deleteLater()
    gc.enable()


def make_many() -> None:
    for _ in range(5_000):
        Ring()


def test_what_a_worker_leaves_is_collected_in_the_windows_thread(collector: Collector, qtbot: QtBot) -> None:
    Ring.where.clear()
    worker = threading.Thread(target=make_many)
    worker.start()
    worker.join(60)
    assert not worker.is_alive() and Ring.where == []
    qtbot.waitUntil(lambda: bool(Ring.where), timeout=30_000)
    assert set(Ring.where) == {threading.get_ident()}


def test_little_is_left_alone_and_python_takes_over_again(collector: Collector) -> None:
    collector.collect()
    gc.collect()
    assert collector.collect() == -1
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()
