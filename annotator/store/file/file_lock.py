"""A lock on an open project's file that no other descriptor's closing can drop.

Whoever closes a project as the last removes its log. SQLite asks by a lock, but its own locks are dropped as soon as
anything in this process closes another descriptor of the file. Linux also has locks of an open file description, which
stay until that one is closed; to SQLite in other processes they are the same (fcntl(2), "Open file description locks").
"""

from __future__ import annotations

import os
import struct
import sys
import time
from pathlib import Path

from annotator.base.open_files import holds_open, open_to_lock

if sys.platform == "linux":
    import fcntl

# Where SQLite locks a file (https://www.sqlite.org/fileformat.html, "The Lock-Byte Page"): whoever reads it holds the
# shared bytes, and passes the pending byte on the way there.
_PENDING = (0x4000_0000, 1)
_SHARED = (0x4000_0002, 510)
_PATIENCE_S = 1.0
_PAUSE_S = 0.01


class FileLock:
    """Tells other processes that a file is read here. Where the system has no such locks, it does nothing."""

    def __init__(self, path: Path) -> None:
        """Hold nothing yet."""
        self._path = path
        self._descriptor = -1
        self._owners = 1

    def share(self) -> FileLock:
        """Return this lock for one more owner, each of whom closes it."""
        self._owners += 1
        return self

    def hold(self) -> None:
        """Keep others from closing the file as the last one."""
        if sys.platform == "linux" and self._owners:
            if self._descriptor < 0:
                self._descriptor = open_to_lock(self._path)
            self._lock(fcntl.F_RDLCK, _SHARED)

    def is_deleted(self) -> bool:
        """Tell whether the file that is held has no name at all any more; False where nothing is held."""
        return self._descriptor >= 0 and os.fstat(self._descriptor).st_nlink == 0

    def bar(self) -> None:
        """Keep everybody, in this process too, from beginning to read the file, until `unbar`."""
        if sys.platform == "linux":
            self.hold()
            end = time.monotonic() + _PATIENCE_S
            # Others hold the pending byte for a moment, when they open the file.
            while not self._lock(fcntl.F_WRLCK, _PENDING) and time.monotonic() < end:
                time.sleep(_PAUSE_S)

    def unbar(self) -> None:
        """Let others read the file again."""
        if sys.platform == "linux" and self._descriptor >= 0:
            self._lock(fcntl.F_UNLCK, _PENDING)

    def release(self) -> None:
        """Let the connections of the last owner close the file as the last ones, if they are; then `close` this."""
        self._owners -= 1
        if sys.platform == "linux" and self._descriptor >= 0 and not self._owners:
            self._lock(fcntl.F_UNLCK, _SHARED)

    def close(self) -> None:
        """Close the descriptor of a released lock, once no connection needs its own locks on the file any more.

        It stays open for ever while the file is open here a second time: closing it would drop the locks there.
        """
        if self._descriptor < 0 or self._owners:
            return
        status = os.fstat(self._descriptor)
        if not holds_open((status.st_dev, status.st_ino)):
            os.close(self._descriptor)
            self._descriptor = -1

    def _lock(self, kind: int, place: tuple[int, int]) -> bool:
        """Take or drop a lock; tells whether that could be done."""
        if sys.platform != "linux":
            return False
        # struct flock: type, whence, start, length, process (0 for these locks).
        wanted = struct.pack("@hhqqi4x", kind, os.SEEK_SET, *place, 0)
        try:
            fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, wanted)
        except OSError:
            return False
        return True
