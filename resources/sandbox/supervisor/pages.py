"""The interpreter's own code on huge pages: what no child has to fault in, and no fork and no exit has to walk through.

A forked child begins without the pages of its program's file and pays for each sixteen that it touches; most of what
it touches first is the interpreter. Memory that is no file's is there from the start, and huge pages make it a few
entries.
"""

from __future__ import annotations

import ctypes
import mmap
import os

_HUGE = 2 * 1024 * 1024
_ADVISE_HUGE = 14
_MAY_MOVE, _FIXED = 1, 2
_FAILED = ctypes.c_void_p(-1).value
_SETTING = "/sys/kernel/mm/transparent_hugepage/enabled"


def keep_interpreter() -> int:
    """Put the interpreter's code and constants on huge pages, whole ones only; returns how many bytes were moved.

    Where huge pages are off, or there are none now, everything stays as it is. The pages stay read-only.
    """
    if not _huge_pages():
        return 0
    return sum(_moved(start, end) for start, end in _spans())


def _huge_pages() -> bool:
    try:
        with open(_SETTING, encoding="ascii") as stream:
            return "[never]" not in stream.read()
    except OSError:
        return False


def _spans() -> list[tuple[int, int]]:
    """Return the whole huge pages of the running program's file that hold nothing that can be written to."""
    program = os.path.realpath("/proc/self/exe")
    joined: list[list[int]] = []
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as stream:
        for line in stream:
            where, rights, *_, path = line.rstrip("\n").split(maxsplit=5) if line.count("/") else (line, "", "")
            if path != program or rights not in ("r-xp", "r--p"):
                continue
            start, end = (int(part, 16) for part in where.split("-"))
            if joined and joined[-1][1] == start:
                joined[-1][1] = end
            else:
                joined.append([start, end])
    found = [(start + -start % _HUGE, end - end % _HUGE) for start, end in joined]
    return [(start, end) for start, end in found if start < end]


def _moved(start: int, end: int) -> int:
    """Copy a span to huge pages and put the copy in its place in one step; returns its size, 0 if it stayed."""
    libc = ctypes.CDLL(None, use_errno=True)
    size, word, whole = end - start, ctypes.c_void_p, ctypes.c_size_t
    libc.mmap.restype = libc.mremap.restype = word
    libc.mmap.argtypes = [word, whole, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mremap.argtypes = [word, whole, whole, ctypes.c_int, word]
    libc.madvise.argtypes = libc.mprotect.argtypes = [word, whole, ctypes.c_int]
    libc.munmap.argtypes = [word, whole]
    room = libc.mmap(None, size + _HUGE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    if room in (None, _FAILED):
        return 0
    copy = room + -room % _HUGE
    moved = False
    if libc.madvise(copy, size, _ADVISE_HUGE) == 0:
        ctypes.memmove(copy, start, size)
        # Small pages would be worse than the file's.
        if _all_huge(size) and libc.mprotect(copy, size, mmap.PROT_READ | mmap.PROT_EXEC) == 0:
            moved = libc.mremap(copy, size, size, _MAY_MOVE | _FIXED, start) == start
    # What is left of the room: around the copy, and the copy itself if it did not move.
    if moved:
        libc.munmap(room, copy - room)
        libc.munmap(copy + size, room + _HUGE - copy)
    else:
        libc.munmap(room, size + _HUGE)
    return size if moved else 0


def _all_huge(size: int) -> bool:
    """Tell whether this process has so much memory on huge pages: it asks for them nowhere else."""
    with open("/proc/self/smaps_rollup", encoding="ascii", errors="replace") as stream:
        kept = [int(line.split()[1]) for line in stream if line.startswith("AnonHugePages:")]
    return sum(kept) * 1024 >= size
