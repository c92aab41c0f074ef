"""A timer that runs once and can be started again before it ends, to wait until typing pauses."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def debounce(parent: QObject, milliseconds: int, slot: Callable[[], object]) -> QTimer:
    """Return a timer that calls a slot once, that long after it was started last."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(slot)
    return timer
