"""Run Python's garbage collector in the window's thread only, in small steps while jobs are running.

Automatic collection runs in whichever thread allocates memory. In a worker thread it could destroy closed dialogs, and
destroying Qt objects outside their thread crashes the process. A full collection takes a quarter of a second with an
open project, so it is rare during a job, and then skips the objects that existed before the job (`gc.freeze`).
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

from annotator.ui.app.session.session import Session

_CHECK_MS = 50
_MIN_NEW_OBJECTS, _MIN_OLD_COLLECTIONS = 700, 10
# Examining this many new objects takes a few milliseconds.
_MIN_MIDDLE_OBJECTS = 10_000
_FULL_COLLECTION_S = 20.0
# Objects of a job are new and mostly still in use, so repeated full collections would find little garbage.
_FULL_COLLECTION_IN_JOBS_S = 600.0


class Collector(QObject):
    """Replaces Python's automatic collection until stopped; runs in the thread that creates it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_enabled = gc.isenabled()
        self._last_full_at = time.monotonic()
        self._uncollected_count = 0
        self._session: Session | None = None
        self._in_job = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        gc.disable()
        self._timer.start(_CHECK_MS)

    def follow(self, session: Session) -> None:
        """Watch the jobs of a session."""
        self._session = session
        session.jobs_changed.connect(self._jobs_changed)

    def _jobs_changed(self) -> None:
        has_jobs = self._session is not None and bool(self._session.jobs)
        if has_jobs == self._in_job:
            return
        self._in_job = has_jobs
        if has_jobs:
            gc.freeze()
        else:
            gc.unfreeze()

    def collect(self) -> int:
        """Collect the generations that are due; return the oldest one collected, or -1 for none."""
        young, _, old = gc.get_count()
        if young <= _MIN_NEW_OBJECTS:
            return -1
        self._uncollected_count += young
        now = time.monotonic()
        interval_s = _FULL_COLLECTION_IN_JOBS_S if self._in_job else _FULL_COLLECTION_S
        if old > _MIN_OLD_COLLECTIONS and now - self._last_full_at > interval_s:
            self._last_full_at, generation = now, 2
        else:
            generation = 1 if self._uncollected_count > _MIN_MIDDLE_OBJECTS else 0
        if generation:
            self._uncollected_count = 0
        gc.collect(generation)
        return generation

    def stop(self) -> None:
        """Restore Python's automatic collection as it was before."""
        self._timer.stop()
        if self._in_job:
            gc.unfreeze()
        if self._was_enabled:
            gc.enable()
