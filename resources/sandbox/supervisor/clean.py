"""Nothing a job started or wrote is there for the next one."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import time

PLACES = ("/tmp", "/dev/shm", "/dev/mqueue", "/var/tmp")
_SECONDS = 5.0


class UncleanError(Exception):
    """Something could not be removed or ended; this container must not be used again."""


def end_everything(own: bool) -> None:
    """Kill every other process and wait for its end; this process must be the one that takes over orphans.

    ``own`` says that every process this one may kill is of the job; else only its descendants are killed.
    """
    deadline = time.monotonic() + _SECONDS
    while True:
        if own:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        else:
            _kill_descendants()
        try:
            while True:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
        except ChildProcessError:
            return
        if time.monotonic() > deadline:
            raise UncleanError("a process of the job could not be ended")
        time.sleep(0.0005)


def _kill_descendants() -> None:
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stream:
                    parents[int(name)] = int(stream.read().rpartition(b")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
    mine = {os.getpid()}
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in mine} - mine
        mine |= more
        grown = bool(more)
    for pid in mine - {os.getpid()}:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def empty(place: str) -> None:
    """Remove what is in a folder, if there is one, however deep, without following a link. Raises `UncleanError`.

    Folders are moved up before they are emptied, so depth costs neither stack nor descriptors.
    """
    try:
        if os.listdir(place):
            _empty(place)
    except OSError as error:
        if os.path.isdir(place):
            raise UncleanError(f"{place} could not be emptied ({error})") from error


def _empty(place: str) -> None:
    counter = 0
    waiting = [entry.name for entry in os.scandir(place)]
    root = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        while waiting:
            name = waiting.pop()
            if not stat.S_ISDIR(os.lstat(name, dir_fd=root).st_mode):
                os.unlink(name, dir_fd=root)
                continue
            folder = _open_folder(name, root)
            try:
                for entry in os.listdir(folder):
                    if stat.S_ISDIR(os.lstat(entry, dir_fd=folder).st_mode):
                        counter += 1
                        moved = f".gone-{counter}"
                        os.rename(entry, moved, src_dir_fd=folder, dst_dir_fd=root)
                        waiting.append(moved)
                    else:
                        os.unlink(entry, dir_fd=folder)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=root)
    finally:
        os.close(root)


def _open_folder(name: str, root: int) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        return os.open(name, flags, dir_fd=root)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=root)
        return os.open(name, flags, dir_fd=root)
