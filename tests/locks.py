"""The locks that this process holds on files, as the system lists them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

LISTED = Path("/proc/locks")
needs_list = pytest.mark.skipif(not LISTED.exists() or sys.platform != "linux", reason="needs a list of locks")


def own_locks(project: Path, process: int | None = None) -> list[str]:
    """Return the POSIX locks that a process (default: this one) holds on a project's file, its log and the log's index.

    A line each: kind of file, kind of lock, first and last byte.
    """
    files = {}
    for ending in ("", "-wal", "-shm"):
        path = Path(f"{project}{ending}")
        if path.exists():
            files[path.stat().st_ino] = ending or "file"
    found = []
    for line in LISTED.read_text().splitlines():
        _, kind, _, access, holder, place, first, last = (part for part in line.split() if part != "->")
        inode = int(place.rpartition(":")[2])
        if kind == "POSIX" and int(holder) == (process or os.getpid()) and inode in files:
            found.append(f"{files[inode]} {access} {first} {last}")
    return sorted(found)
