"""A single-shot timer that can be restarted, to wait until typing pauses."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def debounce(parent: QObject, milliseconds: int, slot: Callable[[], object]) -> QTimer:
    """Create a timer that calls a slot once, ``milliseconds`` after its last start."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(slot)
    return timer
