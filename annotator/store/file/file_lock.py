"""A lock on an open project's file that survives the closing of other descriptors.

The last connection to close a project removes its log. SQLite detects other users by their locks, but a process loses
its POSIX locks on a file as soon as it closes any descriptor of that file. Linux also has open file description locks,
which stay until that description is closed; SQLite in other processes sees no difference (fcntl(2), "Open file
description locks"). A second lock shows other processes that a write is waiting.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annotator.base.open_files import holds_open, open_to_lock
from annotator.store.file.network_drive import ComputerMark

if sys.platform == "linux":
    import fcntl


# Where SQLite locks a file (https://www.sqlite.org/fileformat.html, "The Lock-Byte Page"): a reader holds the
# shared bytes, and briefly locks the pending byte before them.
_PENDING = (0x4000_0000, 1)
_SHARED = (0x4000_0002, 510)
# The page of these bytes contains no data, and SQLite does not use the byte after them. Processes that wait to write
# hold a shared lock on it.
_WAITING = (0x4000_0200, 1)
SEES_OTHERS = sys.platform == "linux"
"""Whether a waiting write of another process can be detected."""
_FLOCK = "@hhqqi4x"
"""The fields of struct flock: type, whence, start, length, process."""
_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
"""The errors of a file system without locks, such as NFS without its lock service, which SQLite reports as busy."""
_MAX_WAIT_S = 1.0
_RETRY_S = 0.01


def lacks_locks(path: Path) -> bool:
    """Return whether a file cannot be used because its file system has no locks; False if it is open here."""
    if sys.platform != "linux":
        return False
    try:
        status = path.stat()
        if holds_open((status.st_dev, status.st_ino)):
            return False
        descriptor = open_to_lock(path)
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _flock(fcntl.F_RDLCK, _WAITING))
        finally:
            os.close(descriptor)
    except OSError as error:
        return error.errno in _WITHOUT_LOCKS
    return False


class FileLock:
    """A lock that shows other processes that a file is in use here. Does nothing on systems without such locks."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mark = ComputerMark(path)
        self._descriptor = -1
        self._owners = 1

    def share(self) -> FileLock:
        """Return this lock for one more owner. Every owner releases and closes it."""
        self._owners += 1
        return self

    def claim_drive(self) -> None:
        """Mark a project on a network drive as in use on this computer until `close`; call this before it is read.

        Raises `MissingEnvironmentError` if it is in use on another computer.
        """
        self._mark.place()

    def hold(self) -> None:
        """Keep other processes from treating their connection as the last one to the file."""
        if sys.platform == "linux" and self._owners:
            if self._descriptor < 0:
                self._descriptor = open_to_lock(self._path)
            self._lock(fcntl.F_RDLCK, _SHARED)

    def is_deleted(self) -> bool:
        """Return whether the locked file has been deleted (no name left); False without a lock."""
        return self._descriptor >= 0 and os.fstat(self._descriptor).st_nlink == 0

    def bar(self) -> None:
        """Keep all processes, including this one, from opening the file until `unbar`."""
        if sys.platform == "linux":
            self.hold()
            end = time.monotonic() + _MAX_WAIT_S
            # Others hold the pending byte for a moment when they open the file.
            while not self._lock(fcntl.F_WRLCK, _PENDING) and time.monotonic() < end:
                time.sleep(_RETRY_S)

    def unbar(self) -> None:
        """Let others read the file again."""
        if sys.platform == "linux" and self._descriptor >= 0:
            self._lock(fcntl.F_UNLCK, _PENDING)

    def mark_waiting(self, *, is_waiting: bool) -> None:
        """Show other processes whether a write of this one is waiting."""
        if sys.platform == "linux" and self._descriptor >= 0:
            self._lock(fcntl.F_RDLCK if is_waiting else fcntl.F_UNLCK, _WAITING)

    def is_awaited(self) -> bool:
        """Return whether a write of another process is waiting; True if that cannot be detected."""
        if sys.platform != "linux" or self._descriptor < 0:
            return True
        try:
            answer = fcntl.fcntl(self._descriptor, fcntl.F_OFD_GETLK, _flock(fcntl.F_WRLCK, _WAITING))
        except OSError:
            return True
        return bool(struct.unpack(_FLOCK, answer)[0] != fcntl.F_UNLCK)

    def release(self) -> None:
        """Remove one owner; without owners, SQLite may treat its connections as the last ones. Then call `close`."""
        self._owners -= 1
        if sys.platform == "linux" and self._descriptor >= 0 and not self._owners:
            self._lock(fcntl.F_UNLCK, _SHARED)

    def close(self) -> None:
        """Close the descriptor of a released lock, once no connection has locks on the file any more.

        It stays open while the file is open here a second time: closing it would drop the locks of that use.
        """
        if self._owners:
            return
        self._mark.remove()
        if self._descriptor < 0:
            return
        status = os.fstat(self._descriptor)
        if not holds_open((status.st_dev, status.st_ino)):
            os.close(self._descriptor)
            self._descriptor = -1

    def _lock(self, kind: int, byte_range: tuple[int, int]) -> bool:
        """Take or drop a lock; returns whether that succeeded."""
        if sys.platform != "linux":
            return False
        try:
            fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, _flock(kind, byte_range))
        except OSError:
            return False
        return True


def _flock(kind: int, byte_range: tuple[int, int]) -> bytes:
    # The process is 0 for these locks.
    return struct.pack(_FLOCK, kind, os.SEEK_SET, *byte_range, 0)


class WaitingWrites:
    """Detects waiting writes: counts those of this process's threads, and sees other processes by their lock."""

    def __init__(self, lock: FileLock | None = None) -> None:
        """Store the lock; without one, only this process is counted."""
        self._file_lock = lock
        self._counting = threading.Lock()
        self._count = 0

    @contextmanager
    def wait(self) -> Iterator[None]:
        """Count this thread as waiting in the block, in which it acquires the right to write."""
        self._add(1)
        try:
            yield
        finally:
            self._add(-1)

    def exist(self) -> bool:
        """Return whether a write is waiting; True on systems where those of other processes cannot be detected."""
        return self._count > 0 or (self._file_lock is not None and self._file_lock.is_awaited())

    def _add(self, change: int) -> None:
        with self._counting:
            self._count += change
            if self._file_lock is not None:
                self._file_lock.mark_waiting(is_waiting=self._count > 0)
