"""Guard files that only SQLite may open: project files, and any file that this process has open; write other files.

POSIX drops all locks that a process holds on a file as soon as it closes any of its descriptors of that file. A project
that is open here is therefore read through SQLite only (https://www.sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.paths import PROJECT_SUFFIX

if sys.platform != "win32":
    import fcntl

_PROJECT_ENDINGS = tuple(f"{PROJECT_SUFFIX}{ending}" for ending in ("", "-wal", "-shm", "-journal"))
_DESCRIPTORS = Path("/dev/fd")
_SQLITE_HEADER = b"SQLite format 3\x00"


def is_project_name(name: str) -> bool:
    """Return whether a name is that of a project file or one of SQLite's files beside it (WAL, index, journal)."""
    return name.endswith(_PROJECT_ENDINGS)


def is_open_here(path: Path) -> bool:
    """Return whether this process has opened a regular file, under this name or another.

    Inherited descriptors, such as a shell's redirections, do not count. On Windows locks belong to a descriptor, so
    closing another one is harmless, and the result is always False.
    """
    return bool(_find_descriptors(path))


def _find_descriptors(path: Path) -> list[int]:
    try:
        target = path.stat()
    except OSError:
        return []
    is_regular = stat.S_ISREG(target.st_mode)
    return [descriptor for descriptor, status in _open_descriptors() if is_regular and os.path.samestat(target, status)]


def holds_open(identity: tuple[int, int]) -> bool:
    """Return whether this process has opened the file with this (device, inode), even if it was unlinked."""
    return any((status.st_dev, status.st_ino) == identity for _, status in _open_descriptors())


def open_to_lock(path: Path) -> int:
    """Open a file to hold a lock on it; such a descriptor counts neither for `is_open_here` nor for `holds_open`."""
    # O_NONBLOCK has no effect on a regular file; it only marks our lock descriptors.
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)


def _open_descriptors() -> list[tuple[int, os.stat_result]]:
    if sys.platform == "win32":
        return []
    descriptors = []
    for entry in _DESCRIPTORS.iterdir():
        try:
            descriptor = int(entry.name)
            # Python opens files with close-on-exec, so an inherited descriptor lacks the flag.
            is_opened_here = fcntl.fcntl(descriptor, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
            if is_opened_here and not fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_NONBLOCK:
                descriptors.append((descriptor, os.fstat(descriptor)))
        except OSError:
            # Already closed, such as the descriptor with which the folder was listed.
            continue
    return descriptors


def refuse_project(path: Path) -> None:
    """Raise `BadInputError` for a project file or any other SQLite database, before it is read as something else.

    A file that is already open here is recognised by its identity and not opened again. Paths that are not regular
    files are left to the caller.
    """
    if not path.is_file():
        return
    descriptors = _find_descriptors(path)
    try:
        if is_project_name(path.name):
            header = _SQLITE_HEADER
        elif descriptors:
            # Already open in this process: closing a second descriptor would drop SQLite's locks.
            header = os.pread(descriptors[0], len(_SQLITE_HEADER), 0)
        else:
            with path.open("rb") as file:
                header = file.read(len(_SQLITE_HEADER))
    except OSError:
        return
    if header == _SQLITE_HEADER:
        description = "a project, or part of one" if descriptors or is_project_name(path.name) else "a database"
        raise BadInputError(f"{path.name} is {description}, and cannot be used as input. Nothing was changed.")


def refuse_replacing_project(path: Path) -> None:
    """Raise `BadInputError` if writing a file would replace a project or a file that is open here."""
    if path.is_file() and (is_project_name(path.name) or is_open_here(path)):
        raise BadInputError(f"{path.name} belongs to a project, so nothing was written. Choose another name.")


@contextmanager
def open_output(path: Path) -> Iterator[TextIOWrapper]:
    """Open a file for writing text (or bytes, to its ``buffer``); it replaces ``path`` once it is complete.

    A link, a device or a pipe is written through instead: replacing /dev/null would break the machine. Raises
    `BadInputError` if it would replace a project, `MissingEnvironmentError` if it cannot be written.
    """
    target = path
    try:
        refuse_replacing_project(path)
        if (path.is_file() and not path.is_symlink()) or not os.path.lexists(path):
            target = path.with_name(f".{path.name}.part")
        with target.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        if target != path:
            target.replace(path)
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} could not be written ({error.strerror}).") from error
    finally:
        if target != path:
            with suppress(OSError):
                target.unlink()
