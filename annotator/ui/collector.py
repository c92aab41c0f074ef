"""Garbage is collected in the window's thread alone.

Python collects wherever it happens to allocate. In a worker that would take apart what is left of closed dialogs, and
Qt's objects taken apart outside their thread end the process.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 250
_YOUNG, _MIDDLE, _OLD = 700, 10, 10
# A collection of everything takes as long as a slow key; it must not come often.
_OLD_EVERY_S = 20.0


class Collector(QObject):
    """Takes over from Python's automatic collection until it is stopped; lives in the thread that makes it."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Take over."""
        super().__init__(parent)
        self._was_on = gc.isenabled()
        self._last_old = time.monotonic()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        gc.disable()
        self._timer.start()

    def collect(self) -> int:
        """Collect what is due by Python's own rule of generations; returns the oldest one collected, -1 for none."""
        young, middle, old = gc.get_count()
        if young <= _YOUNG:
            return -1
        now = time.monotonic()
        if old > _OLD and middle > _MIDDLE and now - self._last_old > _OLD_EVERY_S:
            self._last_old, generation = now, 2
        else:
            generation = 1 if middle > _MIDDLE else 0
        gc.collect(generation)
        return generation

    def stop(self) -> None:
        """Hand back to Python, in the state it was found in."""
        self._timer.stop()
        if self._was_on:
            gc.enable()
