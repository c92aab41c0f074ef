"""One piece of work at a time until the database libraries are loaded; after that, lanes are free of each other.

Python breaks a tie between threads that load parts of one package by handing out half-loaded modules, and both threads
fail. The libraries are not loaded before the first page is on screen, so the first work of several lanes would
load them side by side.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_LIBRARY, _LAST_NAME = "sqlmodel", "AutoString"
_TURN_SECONDS = 0.02
_LONGEST_SECONDS = 5.0
_LOCK = threading.Lock()


def loaded() -> bool:
    """Say whether the library that brings all others is there as a whole: the name it defines last is."""
    return hasattr(sys.modules.get(_LIBRARY), _LAST_NAME)


def in_turn(work: Callable[[], T]) -> T:
    """Do a piece of work: alone, as long as the libraries are not loaded; beside others as soon as they are.

    Work that waits for others' turns longer than some seconds begins all the same: long work that needs no database
    must not hold up the rest.
    """
    latest = time.monotonic() + _LONGEST_SECONDS
    while not loaded() and time.monotonic() < latest:
        if _LOCK.acquire(timeout=_TURN_SECONDS):
            try:
                return work()
            finally:
                _LOCK.release()
    return work()
