"""Garbage is collected in the window's thread alone, and little by little while something works behind the window.

Python collects wherever it happens to allocate. In a worker that would take apart what is left of closed dialogs, and
Qt's objects taken apart outside their thread end the process. To look at everything takes a quarter of a second once a
project is open, so that waits for a moment without a job; what was there before a job is not looked at during it.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

from annotator.ui.app.session.session import Session

_EVERY_MS = 50
_YOUNG, _OLD = 700, 10
# So many new objects are looked at in a few milliseconds.
_MIDDLE = 10_000
_OLD_EVERY_S = 20.0
# Whatever a job keeps is new, and looking at all of it again and again would only find that it is kept.
_OLD_EVERY_S_IN_JOBS = 600.0


class Collector(QObject):
    """Takes over from Python's automatic collection until it is stopped; lives in the thread that makes it."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Take over."""
        super().__init__(parent)
        self._was_on = gc.isenabled()
        self._last_old = time.monotonic()
        self._new = 0
        self._session: Session | None = None
        self._in_job = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        gc.disable()
        self._timer.start(_EVERY_MS)

    def follow(self, session: Session) -> None:
        """Take account of a session's jobs."""
        self._session = session
        session.jobs_changed.connect(self._jobs_changed)

    def _jobs_changed(self) -> None:
        working = self._session is not None and bool(self._session.jobs)
        if working == self._in_job:
            return
        self._in_job = working
        if working:
            gc.freeze()
        else:
            gc.unfreeze()

    def collect(self) -> int:
        """Collect what is due; returns the oldest generation collected, -1 for none."""
        young, _, old = gc.get_count()
        if young <= _YOUNG:
            return -1
        self._new += young
        now = time.monotonic()
        rest = _OLD_EVERY_S_IN_JOBS if self._in_job else _OLD_EVERY_S
        if old > _OLD and now - self._last_old > rest:
            self._last_old, generation = now, 2
        else:
            generation = 1 if self._new > _MIDDLE else 0
        if generation:
            self._new = 0
        gc.collect(generation)
        return generation

    def stop(self) -> None:
        """Hand back to Python, in the state it was found in."""
        self._timer.stop()
        if self._in_job:
            gc.unfreeze()
        if self._was_on:
            gc.enable()
