"""How a command that takes long is asked to end."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_AGAIN_S = 0.05
"""How long after an interruption that was lost it is sent again: the callback that lost it has ended by then."""


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


@contextmanager
def no_interrupt_lost() -> Iterator[None]:
    """Send an interruption again that came during a finalizer or a callback of a weak reference.

    Python reports what is raised there and goes on, so a command would go on as if nobody had pressed Ctrl+C.
    """
    before = sys.unraisablehook
    again: list[threading.Timer] = []

    def report(lost: "sys.UnraisableHookArgs") -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            before(lost)
            return
        timer = threading.Timer(_AGAIN_S, _interrupt_main_thread)
        timer.daemon = True
        again.append(timer)
        timer.start()

    sys.unraisablehook = report
    try:
        yield
    finally:
        sys.unraisablehook = before
        for timer in again:
            timer.cancel()


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if sys.platform == "win32" or main is None:
        signal.raise_signal(signal.SIGINT)
    else:  # Only a signal to that very thread wakes it from waiting.
        signal.pthread_kill(main, signal.SIGINT)
