"""Files that must not be opened beside SQLite: those of projects, and whatever this process has open.

POSIX drops all locks that a process holds on a file as soon as it closes any of its descriptors of that file. A project
that is open here is therefore read through SQLite alone (https://www.sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.base.paths import PROJECT_SUFFIX

if sys.platform != "win32":
    import fcntl

_PARTS = tuple(f"{PROJECT_SUFFIX}{ending}" for ending in ("", "-wal", "-shm", "-journal"))
_DESCRIPTORS = Path("/dev/fd")
_DATABASE = b"SQLite format 3\x00"


def is_project_name(name: str) -> bool:
    """Tell whether a file is a project, its log, or the log's index, by its name."""
    return name.endswith(_PARTS)


def is_open_here(path: Path) -> bool:
    """Tell whether this process itself has opened a regular file, under this name or another.

    Descriptors that were inherited, such as those of a shell's redirections, do not count. On Windows, where locks
    belong to a descriptor and closing another one does no harm, the answer is always no.
    """
    return bool(_descriptors_of(path))


def _descriptors_of(path: Path) -> list[int]:
    try:
        wanted = path.stat()
    except OSError:
        return []
    regular = stat.S_ISREG(wanted.st_mode)
    return [descriptor for descriptor, status in _opened_here() if regular and os.path.samestat(wanted, status)]


def holds_open(identity: tuple[int, int]) -> bool:
    """Tell whether this process has opened the file of a device and inode, which may have no name any more."""
    return any((status.st_dev, status.st_ino) == identity for _, status in _opened_here())


def open_to_lock(path: Path) -> int:
    """Open a file to hold a lock on it; such a descriptor counts neither for `is_open_here` nor for `holds_open`."""
    # The flag that tells it from others means nothing for a regular file.
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)


def _opened_here() -> list[tuple[int, os.stat_result]]:
    if sys.platform == "win32":
        return []
    found = []
    for entry in _DESCRIPTORS.iterdir():
        try:
            descriptor = int(entry.name)
            own = fcntl.fcntl(descriptor, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
            if own and not fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_NONBLOCK:
                found.append((descriptor, os.fstat(descriptor)))
        except OSError:
            # Closed meanwhile, as the one by which the folder was listed.
            continue
    return found


def refuse_project(path: Path) -> None:
    """Raise `BadInputError` for a file of a project, and for any other database, before it is read as something else.

    A file that is open here is told by its identity and not opened. What is no file is left to the caller.
    """
    if not path.is_file():
        return
    opened = _descriptors_of(path)
    try:
        if is_project_name(path.name):
            head = _DATABASE
        elif opened:
            # Somebody here reads it already. Another descriptor would have to be closed again.
            head = os.pread(opened[0], len(_DATABASE), 0)
        else:
            with path.open("rb") as file:
                head = file.read(len(_DATABASE))
    except OSError:
        return
    if head == _DATABASE:
        what = "a project, or part of one" if opened or is_project_name(path.name) else "a database"
        raise BadInputError(f"{path.name} is {what}, not a file to read from. Nothing was changed.")


def refuse_replacing_project(path: Path) -> None:
    """Raise `BadInputError` if writing a file would replace a project, or what is open here."""
    if path.is_file() and (is_project_name(path.name) or is_open_here(path)):
        raise BadInputError(f"{path.name} is a project, or part of one, so nothing was written. Choose another name.")
