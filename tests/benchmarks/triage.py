"""300 candidates triaged by keyboard alone: the time from each key to the next candidate on screen.

    python -m tests.benchmarks.triage [--x11] [--count 300]

A scripted person waits for each candidate to be painted, looks at it for a moment and presses the next key. With
``--x11`` the keys are real ones, sent to the X server by xdotool (a display and a window manager must be there), and
every fiftieth candidate is flagged with a reason that is typed; without it Qt hands the keys in. Afterwards every
candidate must have the verdict of its key, and no pointer may have been used.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import KnownError
from annotator.model.rows.queue_rows import QueueFilter
from tests.benchmarks import making
from tests.benchmarks.figures import quantile

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from annotator.ui.app.main_window import MainWindow

COUNT = 300
LOOK_SECONDS = 0.06
WITH_REASON = 50
REASON = "odd"
_DIALOG_MS = 200
VERDICTS = {"a": "accept", "r": "reject", "s": "skip", "f": "flag"}


@dataclass(frozen=True, slots=True)
class Triaged:
    """What came of a triage: milliseconds by quantile, candidates decided as their key said, pointer events seen."""

    keys: int
    p50: float
    p95: float
    worst: float
    right: int
    reasons: int
    pointer_events: int


class Wire:
    """Presses keys as X events, through one xdotool that stays."""

    def __init__(self) -> None:
        """Start it. Raises `KnownError` where it is not installed."""
        try:
            self._tool = subprocess.Popen(["xdotool", "-"], stdin=subprocess.PIPE, text=True)
        except OSError as error:
            raise KnownError("xdotool is needed to press keys; install it (Debian: xdotool).") from error

    def press(self, key: str) -> None:
        """Press and release a key by its X name, such as ``a``, ``ctrl+2`` or ``Return``."""
        stream = self._tool.stdin
        if stream is not None:
            stream.write(f"key {key}\n")
            stream.flush()

    def close(self) -> None:
        """End it."""
        if self._tool.stdin is not None:
            self._tool.stdin.close()
        self._tool.wait(10)


class Hands:
    """Hands keys in through Qt, where there is no X server."""

    def press(self, key: str) -> None:
        """Press and release a key by its X name in whatever has the focus."""
        from PySide6.QtCore import Qt
        from PySide6.QtGui import QKeySequence
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QApplication

        held = QKeySequence.fromString(key)[0]  # type: ignore[index]  # the stubs leave indexing out
        target = QApplication.focusWidget() or QApplication.activeModalWidget() or QApplication.topLevelWidgets()[0]
        if key.islower() and len(key) == 1:
            QTest.keyClicks(target, key)
        else:
            QTest.keyClick(target, held.key() if key != "Return" else Qt.Key.Key_Return, held.keyboardModifiers())

    def close(self) -> None:
        """Nothing is held."""


def open_window(application: QApplication, path: Path) -> MainWindow:
    """Open a project in a window and wait for its first page."""
    from annotator.base.settings import Settings
    from annotator.ui.app.main_window import MainWindow
    from annotator.ui.app.theme.look import Theme

    window = MainWindow(Theme(application), Settings(path.parent / "bench.json", {}))
    window.resize(1280, 800)
    window.show()
    window.open_project(path)
    wait(application, lambda: window.pages.current_name != "")
    return window


def shown(path: Path) -> tuple[QApplication, MainWindow, Any]:
    """Open a project in a window and wait for the first subject of Select; returns application, window and page."""
    from annotator.ui.app.application import make_application

    application = make_application()
    window = open_window(application, path)
    window.show_page("Select")
    page: Any = window.pages.page("Select")
    wait(application, lambda: page.view is not None)
    return application, window, page


def wait(application: QApplication, condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Let the window work until something holds."""
    end = time.perf_counter() + seconds
    while not condition():
        if time.perf_counter() > end:
            raise KnownError("The window did not get there in time.")
        application.processEvents()


def rest(application: QApplication, seconds: float) -> None:
    """Let the window work for a while."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        application.processEvents()
        time.sleep(0.001)


def _open(application: QApplication, path: Path, count: int, hands: Wire | Hands) -> tuple[MainWindow, Any]:
    """Open the project in the window and go to Select, by its key."""
    window = open_window(application, path)
    window.activateWindow()
    wait(application, window.isActiveWindow)
    hands.press("ctrl+2")
    wait(application, lambda: window.pages.current_name == "Select")
    page: Any = window.pages.page("Select")
    wait(application, lambda: page.view is not None and page.queue.model.rowCount() == count)
    rest(application, 1.5)
    return window, page


def triage(application: QApplication, path: Path, count: int, hands: Wire | Hands) -> Triaged:
    """Decide on every candidate of a project; ``path`` must hold ``count`` of them, none decided."""
    from PySide6.QtCore import QEvent, QObject, QTimer

    class Watch(QObject):
        seen = 0

        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            self.seen += event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)
            return False

    window, page = _open(application, path, count, hands)
    watch, times = Watch(), list[float]()
    application.installEventFilter(watch)
    for number in range(count):
        before = page.view.row.id
        reasoned = _with_reason(number, hands)
        if reasoned:
            # The question has an event loop of its own, in which the answer is typed.
            QTimer.singleShot(_DIALOG_MS, partial(_type_reason, application, hands))
        start = time.perf_counter()
        hands.press("shift+f" if reasoned else list(VERDICTS)[number % 4])
        if number < count - 1:
            wait(application, lambda seen=before: page.view.row.id != seen)  # type: ignore[misc]
        # What the new candidate changed on screen is painted when the window's events are done.
        application.processEvents()
        if not reasoned:
            times.append((time.perf_counter() - start) * 1000)
        rest(application, LOOK_SECONDS)
    application.removeEventFilter(watch)
    with_reason = {number for number in range(count) if _with_reason(number, hands)}
    right, reasons = _outcome(application, window, count, with_reason)
    window.close()
    p50, p95, worst = (round(quantile(times, share), 1) for share in (0.5, 0.95, 1.0))
    return Triaged(count, p50, p95, worst, right, reasons, watch.seen)


def _type_reason(application: QApplication, hands: Wire | Hands) -> None:
    from PySide6.QtCore import QTimer

    if application.activeModalWidget() is None:
        QTimer.singleShot(_DIALOG_MS, partial(_type_reason, application, hands))
        return
    for key in (*REASON, "Return"):
        hands.press(key)


def _with_reason(number: int, hands: Wire | Hands) -> bool:
    return isinstance(hands, Wire) and number % WITH_REASON == WITH_REASON - 1


def _outcome(application: QApplication, window: MainWindow, count: int, reasoned: Collection[int]) -> tuple[int, int]:
    """Count the candidates with the verdict of their key, and those with the reason typed, once all is saved."""
    from annotator.services.project import projects
    from annotator.services.select import triage as selecting

    store = window.session.store
    if store is None:
        raise KnownError("The project was closed meanwhile.")
    wait(application, lambda: projects.stage_counts(store).decisions >= count, 60)
    rows = selecting.subjects_at_rows(store, selecting.queue_ids(store, QueueFilter()))
    words = list(VERDICTS.values())
    right = sum(row.verdict == ("flag" if n in reasoned else words[n % 4]) for n, row in enumerate(rows))
    reasons = sum(selecting.load_subject(store, rows[n].id).decisions[0].reason == REASON for n in sorted(reasoned))
    wait(application, lambda: not window.session.jobs)
    return right, reasons


def measure(count: int, *, x11: bool) -> Triaged:
    """Make a project and triage it."""
    from annotator.ui.app.application import SWITCH_SECONDS, GarbageCollector, make_application

    sys.setswitchinterval(SWITCH_SECONDS)
    application = make_application()
    collector = GarbageCollector(application)
    hands: Wire | Hands = Wire() if x11 else Hands()
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = making.project(Path(folder) / "triage.annotator", count)
            return triage(application, path, count, hands)
    finally:
        hands.close()
        collector.stop()


def main() -> None:
    """Measure and print as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--x11", action="store_true", help="real keys through the X server")
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args()
    sys.stdout.write(json.dumps(asdict(measure(options.count, x11=options.x11))) + "\n")


if __name__ == "__main__":
    main()
