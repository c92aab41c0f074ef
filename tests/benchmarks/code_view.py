"""The code view: until its first lines are painted in colour, what a key costs, and the longest stop it makes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.benchmarks.figures import Figure, at_most, quantile

if TYPE_CHECKING:
    from annotator.ui.widgets.code.code_view import CodeView

LINES = 20_000
LONG_LINE = 200_000
_ROUNDS = 5
_KEYS = 60


def measure() -> list[Figure]:
    """Measure a long file to read, the same file edited, and a file with one huge line."""
    text = "\n".join(
        f"def step_{line}(value, other=None):\n    return value * {line}  # and on" for line in range(LINES // 2)
    )
    first, slices = _shown(text)
    huge, huge_slices = _shown(f"x = [{'1, ' * (LONG_LINE // 3)}]\ny = 1")
    return [
        at_most("code view", f"{LINES:,} lines, coloured first paint, CPU", first, "ms", 20),
        at_most("code view", f"{LINES:,} lines, longest slice after it, CPU", slices, "ms", 8),
        at_most("code view", f"a line of {LONG_LINE // 1000} KB, first paint, CPU", huge, "ms", 100),
        at_most("code view", f"a line of {LONG_LINE // 1000} KB, longest slice, CPU", huge_slices, "ms", 100),
        at_most("code view", f"keystroke in {LINES:,} lines p95, CPU", _key(text), "ms", 6),
    ]


def _view(*, read_only: bool) -> CodeView:
    from PySide6.QtWidgets import QApplication

    from annotator.ui.app.application import make_application
    from annotator.ui.app.theme.look import Theme
    from annotator.ui.widgets.code.code_view import CodeView

    view = CodeView(Theme(make_application()), "Code", read_only=read_only, language="python")
    view.resize(900, 700)
    view.show()
    QApplication.processEvents()
    return view


def _pass() -> float:
    """Let the window do what comes next; returns the milliseconds of processor it took."""
    from PySide6.QtCore import QEventLoop
    from PySide6.QtWidgets import QApplication

    wait = QEventLoop.ProcessEventsFlag.AllEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
    start = time.thread_time()
    QApplication.processEvents(wait)
    return (time.thread_time() - start) * 1000


def _shown(text: str) -> tuple[float, float]:
    """Show a text; returns the time until its first lines are painted, all in colour, and of the longest pass then."""
    firsts, longest = [], []
    for _ in range(_ROUNDS):
        view = _view(read_only=True)
        start = time.thread_time()
        view.set_code(text, "python")
        view.repaint()
        first = (time.thread_time() - start) * 1000
        passes = [0.0]
        while view.is_colouring:
            passes.append(_pass())
        firsts.append(first + sum(passes))
        while view.busy:
            passes.append(_pass())
        longest.append(max(passes))
        view.close()
        view.deleteLater()
    return min(firsts), min(longest)


def _key(text: str) -> float:
    """Type into a text; returns what a key costs until it is painted, and what it changed is coloured."""
    from PySide6.QtCore import QEvent, Qt
    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QApplication

    view = _view(read_only=False)
    view.set_code(text, "python")
    view.go_to_line(LINES // 2)
    keys = []
    for number in range(_KEYS):
        # The first key is typed, not counted: it finds nothing where later ones find it.
        while number < 2 and view.busy:
            _pass()
        typed = "a" if number % 5 else " "
        event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, typed)
        start = time.thread_time()
        QApplication.sendEvent(view, event)
        spent = [(time.thread_time() - start) * 1000]
        while view.is_colouring:
            spent.append(_pass())
        keys.append(sum(spent))
    view.close()
    return quantile(keys[1:], 0.95)
