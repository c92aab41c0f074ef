"""Garbage is collected in the window's thread, and nowhere else."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from annotator.ui.app.application import Collector


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
    qtbot.waitUntil(lambda: bool(Ring.where))
    assert set(Ring.where) == {threading.get_ident()}


def test_little_is_left_alone_and_python_takes_over_again(collector: Collector) -> None:
    collector.collect()
    gc.collect()
    assert collector.collect() == -1
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()


class Working(QObject):
    """Stands for a session: it has jobs."""

    jobs_changed = Signal()
    jobs: tuple[object, ...] = ()

    def set(self, *jobs: object) -> None:
        self.jobs = jobs
        self.jobs_changed.emit()


def test_what_was_there_before_a_job_is_looked_at_after_it(collector: Collector) -> None:
    session = Working()
    collector.follow(session)  # type: ignore[arg-type]
    Ring.where.clear()
    make_many()
    session.set("mining")
    assert gc.get_freeze_count() > 5_000
    gc.collect()
    assert Ring.where == []
    session.set("mining", "a run")
    make_many()
    gc.collect()
    assert len(Ring.where) == 5_000
    session.set()
    assert gc.get_freeze_count() == 0
    gc.collect()
    assert len(Ring.where) == 10_000


def test_a_job_under_way_does_not_outlive_the_collector(collector: Collector) -> None:
    session = Working()
    collector.follow(session)  # type: ignore[arg-type]
    session.set("mining")
    collector.stop()
    assert gc.get_freeze_count() == 0


def test_many_new_objects_are_looked_at_before_they_are_too_many(collector: Collector) -> None:
    gc.collect()
    kept: list[list[list[int]]] = []
    for _ in range(12):
        kept.append([[] for _ in range(1_000)])
        if collector.collect() > 0:
            break
    assert 9 <= len(kept) <= 11
