"""Threads of one process take turns at a channel.

Standard library only. Every fork of a process in which the module threading is loaded goes through all it knows, and
most jobs have no threads: it is not loaded here.
"""

from __future__ import annotations

from _thread import LockType, allocate_lock


class Turns:
    """A lock that can be waited under, as threading's Condition."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._waiting: list[LockType] = []

    def __enter__(self) -> None:
        """Take the lock."""
        self._lock.acquire()

    def __exit__(self, *_error: object) -> None:
        """Give the lock back."""
        self._lock.release()

    def wait(self) -> None:
        """Give the lock back, wait to be notified, and take it again."""
        own = allocate_lock()
        own.acquire()
        self._waiting.append(own)
        self._lock.release()
        try:
            own.acquire()
        finally:
            self._lock.acquire()

    def notify_all(self) -> None:
        """Wake all that wait; they go on when the lock is given back."""
        waiting, self._waiting = self._waiting, []
        for own in waiting:
            own.release()
