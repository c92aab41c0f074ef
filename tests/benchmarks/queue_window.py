"""The queue of a project in its list: what opening it, jumping in it and painting it cost, and the memory it takes.

python -m tests.benchmarks.queue_window PROJECT prints the figures of one project as JSON.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import KnownError
from tests.benchmarks import making, memory, triage
from tests.benchmarks.figures import Figure, at_most, quantile, within

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

SMALL = 1_000
_LOADED = 20_000
_OPENED, _JUMPS, _PAINTS = 5, 60, 60
_PATIENCE_S = 60.0


def figures(path: Path, subjects: int) -> list[Figure]:
    """Measure a project in a process of its own; a small one beside it says what the program itself takes."""
    small = making.project(path.parent / f"{SMALL}.annotator", SMALL)
    found, other = _measured(path), _measured(small)
    loading = loaded(path, min(_LOADED, subjects)) * subjects
    what = f"{subjects:,} subjects"
    return [
        at_most("queue in its list", f"open {what}, CPU of all threads", found["open"], "ms", 100),
        within(
            "queue in its list", f"open {what}, CPU", found["open"], "ms", 1 / 30, (loading, "as objects of the ORM")
        ),
        at_most("queue in its list", "random jump p95, CPU of all threads", found["jump"], "ms", 8),
        within("queue in its list", "repaint, CPU", found["paint"], "ms", 1.5, (found["peer"], "a model in C++")),
        at_most("queue in its list", f"memory beside {SMALL:,} subjects", found["memory"] - other["memory"], "MB", 60),
    ]  # fmt: skip


def _measured(path: Path) -> dict[str, float]:
    words = [sys.executable, "-m", "tests.benchmarks.queue_window", str(path)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def loaded(path: Path, many: int) -> float:
    """Return the milliseconds of processor that loading a subject as an object takes, by so many of them."""
    from annotator.model.tables.subject_tables import Subject
    from annotator.services.project import projects

    store = projects.open_project(path)
    try:
        with store.read() as db:
            start = time.thread_time()
            with warnings.catch_warnings():
                # The old way needs no statement, and statements are made in the store alone.
                warnings.simplefilter("ignore", DeprecationWarning)
                found = db.query(Subject).limit(many).all()
            return (time.thread_time() - start) * 1000 / len(found)
    finally:
        store.close()


def measure(path: Path) -> dict[str, float]:
    """Measure the queue of a project in its window; milliseconds, and MB once it is shown."""
    application, window, page = triage.shown(path)
    # A large project is checked once it is open, which is no part of its queue.
    triage.rest(application, 6.0)
    for job in window.session.jobs:
        job.progress.cancel()
    triage.wait(application, lambda: not window.session.jobs)
    resident = memory.resident()
    queue = page.queue
    opened = [_cpu(partial(_open, application, queue)) for _ in range(_OPENED)]
    chance, many = random.Random(3), queue.model.rowCount()
    jumps = [_cpu(partial(_jump, application, queue, chance.randrange(many))) for _ in range(_JUMPS)]
    paint, peer = _painted(application, queue)
    window.close()
    return {
        "open": min(opened), "jump": quantile(jumps, 0.95), "paint": paint, "peer": peer, "memory": resident,
    }  # fmt: skip


def _cpu(work: Callable[[], object]) -> float:
    """Return the milliseconds of processor that this process used meanwhile."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def _until(application: QApplication, holds: Callable[[], object]) -> None:
    """Let the window work until something holds, without using the processor to wait for it, and not for ever."""
    from PySide6.QtCore import QEventLoop, QTimer

    wait = QEventLoop.ProcessEventsFlag.AllEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
    end, tick = time.perf_counter() + _PATIENCE_S, QTimer(interval=200)
    tick.start()
    while not holds():
        if time.perf_counter() > end:
            raise KnownError("The queue did not get there in time.")
        application.processEvents(wait)


def _open(application: QApplication, queue: Any) -> None:
    queue.model.set_rows(())
    queue.reload()
    _until(application, lambda: queue.model.rowCount() and queue.model.subject(0) is not None)
    queue.list.viewport().repaint()


def _jump(application: QApplication, queue: Any, place: int) -> None:
    from PySide6.QtWidgets import QAbstractItemView

    queue.list.scrollTo(queue.model.index(place), QAbstractItemView.ScrollHint.PositionAtCenter)
    queue.list.viewport().repaint()
    _until(application, lambda: queue.model.subject(place) is not None)
    queue.list.viewport().repaint()


def _painted(application: QApplication, queue: Any) -> tuple[float, float]:
    """Paint the list with its own model and with one of Qt's in turns; returns the median of each."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QStandardItem, QStandardItemModel

    _jump(application, queue, 0)
    peer = QStandardItemModel()
    for place in range(min(queue.model.rowCount(), 40)):
        item = QStandardItem("")
        item.setData(queue.model.subject(place), Qt.ItemDataRole.UserRole)
        peer.appendRow(item)
    times: dict[Any, list[float]] = {queue.model: [], peer: []}
    for _ in range(_PAINTS):
        for model, taken in times.items():
            queue.list.setModel(model)
            application.processEvents()
            queue.list.viewport().repaint()
            start = time.thread_time()
            queue.list.viewport().repaint()
            taken.append((time.thread_time() - start) * 1000)
    queue.list.setModel(queue.model)
    return statistics.median(times[queue.model]), statistics.median(times[peer])


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(Path(sys.argv[1]))) + "\n")
