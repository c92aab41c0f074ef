"""Python's collector of garbage stands still while something large is built that is all kept."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    """Collect nothing while the block runs, if anything was collected before.

    The collector looks at all that is kept again and again while it grows; for the syntax trees of a repository, in
    which there are no circles to find, that takes as long as reading and understanding them. What is made on the way to
    the window's first page stays as well, and the window then collects by itself.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
