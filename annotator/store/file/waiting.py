"""The writes of a project that wait for their turn, so that a long write can let them through."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from annotator.store.file.file_lock import FileLock


class WaitingWrites:
    """Threads of this process that wait to write are counted; another process is seen by its lock on the file."""

    def __init__(self, lock: FileLock | None = None) -> None:
        """Count this process alone without a ``lock``."""
        self._file_lock = lock
        self._counting = threading.Lock()
        self._count = 0

    @contextmanager
    def wait(self) -> Iterator[None]:
        """Count as waiting in the block, in which the turn to write is taken."""
        self._add(1)
        try:
            yield
        finally:
            self._add(-1)

    def exist(self) -> bool:
        """Return whether a write waits; True on systems where another process cannot be seen."""
        return self._count > 0 or (self._file_lock is not None and self._file_lock.is_awaited())

    def _add(self, change: int) -> None:
        with self._counting:
            self._count += change
            if self._file_lock is not None:
                self._file_lock.mark_waiting(is_waiting=self._count > 0)
