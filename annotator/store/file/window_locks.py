"""Count the windows that have a project file open: each locks its own small file next to the project.

The operating system releases a lock when its process ends, so a killed window is no longer counted. The project
itself is never opened here, because closing it would drop SQLite's locks on it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

WINDOWS = 8
"""Maximum number of windows that are counted; a further one can count the others but is not counted."""


class WindowLocks:
    """This window's lock, and the count of the other windows."""

    def __init__(self, project: Path) -> None:
        """Lock the first free file; if none can be made or locked, this window is not counted."""
        self._lock_paths = _lock_paths(project)
        self._own: Path | None = None
        self._descriptor = -1
        for path in self._lock_paths:
            descriptor = _lock(path, create=True)
            if descriptor is not None:
                self._own, self._descriptor = path, descriptor
                return

    def count_others(self) -> int:
        """Return how many other windows have the project open; removes the files of killed ones."""
        return _count_locked(path for path in self._lock_paths if path != self._own)

    def close(self) -> None:
        """Release this window's lock."""
        if self._own is not None:
            _release(self._own, self._descriptor)
        self._own = None


def count_windows(project: Path) -> int:
    """Return how many windows have a project open, without being one of them."""
    return _count_locked(_lock_paths(project))


def _lock_paths(project: Path) -> list[Path]:
    return [project.with_name(f".{project.name}.window{number}") for number in range(1, WINDOWS + 1)]


def _count_locked(paths: Iterable[Path]) -> int:
    """Count the locked files, and remove the others."""
    count = 0
    for path in paths:
        if not path.exists():
            continue
        descriptor = _lock(path, create=False)
        if descriptor is None:
            count += 1
        else:
            _release(path, descriptor)
    return count


def _lock(path: Path, *, create: bool) -> int | None:
    """Lock a file and return its descriptor, None if that fails or somebody else holds the lock."""
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o666)
        except OSError:
            return None
        try:
            if sys.platform == "win32":
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except FileNotFoundError:
            # Its owner removed it between our opening and locking it.
            pass
        except OSError:
            os.close(descriptor)
            return None
        os.close(descriptor)


def _release(path: Path, descriptor: int) -> None:
    """Remove and unlock a locked file. Windows can only remove it after closing."""
    if sys.platform != "win32":
        with suppress(OSError):
            path.unlink()
    os.close(descriptor)
    if sys.platform == "win32":
        with suppress(OSError):
            path.unlink()
