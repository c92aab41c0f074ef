"""Pause Python's garbage collector while a large structure is built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Disable garbage collection while the block runs, and restore it afterwards.

    The collector rescans all live objects as their number grows. For the syntax trees of a repository, which hold no
    cycles, that takes as long as parsing and analysing them. The window's start uses it too: what is built before the
    first page stays alive, and the window then schedules collections itself.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
