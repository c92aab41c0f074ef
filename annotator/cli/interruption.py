"""How a command that takes long is asked to end."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Being asked to end is like Ctrl+C: what is on the wire is taken in, and the run says so."""
    try:
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:  # not in the main thread: whoever started it there minds its end
        before = None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)
