"""Run Python's garbage collector in the window's thread only, in small steps while jobs are running.

Automatic collection runs in whichever thread allocates. In a worker thread it would destroy the remains of closed
dialogs, and destroying Qt objects outside their thread crashes the process. A full collection takes a quarter of a
second with an open project, so it waits for a moment without a job; objects from before a job are frozen during it.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

from annotator.ui.app.session.session import Session

_EVERY_MS = 50
_YOUNG, _OLD = 700, 10
# Examining this many new objects takes a few milliseconds.
_MIDDLE = 10_000
_OLD_EVERY_S = 20.0
# Objects of a job are new and mostly still in use, so repeated full collections would find little garbage.
_OLD_EVERY_S_IN_JOBS = 600.0


class Collector(QObject):
    """Replaces Python's automatic collection until stopped; runs in the thread that creates it."""

    def __init__(self, parent: QObject | None = None) -> None:
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
        """Adapt to the jobs of a session."""
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
        """Collect the generations that are due; return the oldest one collected, or -1 for none."""
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
        """Restore Python's automatic collection as it was before."""
        self._timer.stop()
        if self._in_job:
            gc.unfreeze()
        if self._was_on:
            gc.enable()
