"""Which windows have a project file open: each holds a lock on a small file of its own beside the project.

The operating system ends a lock with its process, so that a window that was killed is not there any more. The project
itself is never opened here: closing it would drop SQLite's locks on it.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

WINDOWS = 8
"""How many windows are told from each other; a further one sees the others and is not seen."""


class WindowLocks:
    """The lock of this window, and a look at those of the others."""

    def __init__(self, project: Path) -> None:
        """Take the first place that is free; where no file can be made, or all are taken, this window is not seen."""
        self._places = [project.with_name(f".{project.name}.window{number}") for number in range(1, WINDOWS + 1)]
        self._own: Path | None = None
        self._descriptor = -1
        for place in self._places:
            descriptor = _lock(place, create=True)
            if descriptor is not None:
                self._own, self._descriptor = place, descriptor
                return

    def count_others(self) -> int:
        """Return how many other windows have the project open; what a killed one left behind is cleared away."""
        count = 0
        for place in self._places:
            if place == self._own or not place.exists():
                continue
            descriptor = _lock(place, create=False)
            if descriptor is None:
                count += 1
            else:
                _release(place, descriptor)
        return count

    def close(self) -> None:
        """Give the place up."""
        if self._own is not None:
            _release(self._own, self._descriptor)
        self._own = None


def _lock(place: Path, *, create: bool) -> int | None:
    """Return the descriptor of a locked file, None if somebody else has it or it cannot be had."""
    while True:
        try:
            descriptor = os.open(place, os.O_RDWR | (os.O_CREAT if create else 0), 0o666)
        except OSError:
            return None
        try:
            if sys.platform == "win32":
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), place.stat()):
                return descriptor
        except FileNotFoundError:
            # Whoever had it removed it between our opening and locking it.
            pass
        except OSError:
            os.close(descriptor)
            return None
        os.close(descriptor)


def _release(place: Path, descriptor: int) -> None:
    """Remove a locked file and let go of it; Windows removes only files that nobody has open."""
    if sys.platform != "win32":
        with suppress(OSError):
            place.unlink()
    os.close(descriptor)
    if sys.platform == "win32":
        with suppress(OSError):
            place.unlink()
