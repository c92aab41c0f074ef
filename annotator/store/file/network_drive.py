"""Marks of the computers that use a project on a network drive.

SQLite's log has an index in memory, which only programs of one computer share (https://www.sqlite.org/wal.html). A
second computer would write by its own index and destroy saved work, and file locks do not always reach it. So each
computer creates an empty file with its name beside the project, and opens nothing if it sees the mark of another.
"""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from pathlib import Path

from annotator.base.errors import MissingEnvironmentError

if sys.platform == "linux":
    import fcntl

_MOUNTS = Path("/proc/self/mountinfo")
_MARK = "-in-use-on-"


def is_on_network_drive(path: Path) -> bool:
    """Return whether a file is on a mount of another computer; False on systems whose mounts cannot be listed."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace")
        return is_network_device(mounts, path.stat().st_dev)
    except OSError:
        return False


def is_network_device(mounts: str, device: int) -> bool:
    """Return whether a device's source names another computer (``host:/path``, ``//host/share``, ``https://…``)."""
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        # proc_pid_mountinfo(5): number, parent, device, root, mount point, options …, "-", type, source, options
        mount, _, file_system = line.partition(" - ")
        source = file_system.split(" ")[1] if " " in file_system else ""
        if mount.split(" ")[2:3] == [number]:
            return source.startswith("//") or (":" in source and not source.startswith("/"))
    return False


class ComputerMark:
    """The mark of this computer beside one project; does nothing for a project on a local disk."""

    def __init__(self, path: Path, computer: str = "") -> None:
        """Create nothing yet; without ``computer``, the name of this one is used."""
        self._path = path
        self._mark = Path(f"{path}{_MARK}{computer or platform.node()}")
        self._descriptor = -1

    def place(self) -> None:
        """Create the mark. Raises `MissingEnvironmentError` if the project is in use on another computer."""
        if sys.platform != "linux" or self._descriptor >= 0 or not is_on_network_drive(self._path):
            return
        # The folder may be read-only, or the drive without locks, which is noticed when the project is opened.
        with suppress(OSError):
            self._create()
        other = next((file for file in self._path.parent.iterdir() if self._is_mark_of_another(file)), None)
        if other is not None:
            self.remove()
            computer = other.name.removeprefix(self._path.name + _MARK)
            raise MissingEnvironmentError(
                f"{self._path.name} is on a network drive and in use on the computer {computer}, and two computers at "
                "once would damage it. Close it there, or share the project on a server. If nothing uses it any more, "
                f"delete the file {other.name}."
            )

    def remove(self) -> None:
        """Remove the mark unless another program of this computer still uses the project."""
        if sys.platform != "linux" or self._descriptor < 0:
            return
        descriptor, self._descriptor = self._descriptor, -1
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._mark.unlink(missing_ok=True)
        except OSError:
            pass  # Another program uses it, or the drive cannot be reached any more.
        finally:
            os.close(descriptor)

    def _create(self) -> None:
        while True:
            self._descriptor = os.open(self._mark, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            # Shared by the programs of this computer, so that the last one removes the mark.
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)
            if self._mark.exists():
                return
            # Another program removed it just before it was locked here.
            os.close(self._descriptor)

    def _is_mark_of_another(self, file: Path) -> bool:
        return file.name.startswith(f"{self._path.name}{_MARK}") and file.name != self._mark.name
