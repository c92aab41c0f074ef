"""Interruption of long-running commands by signals."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_AGAIN_S = 0.05
"""The delay before a lost interrupt is sent again; the callback that swallowed it has returned by then."""


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM like Ctrl+C, so that answers in flight are still received and the run reports its state."""
    try:
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:  # not in the main thread, where signal handlers cannot be set
        before = None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


@contextmanager
def no_interrupt_lost() -> Iterator[None]:
    """Resend a KeyboardInterrupt that was raised in a finalizer or a weak reference callback.

    Python only reports such an exception (`sys.unraisablehook`) and continues, so Ctrl+C would have no effect.
    """
    before = sys.unraisablehook
    timers: list[threading.Timer] = []

    def report(lost: "sys.UnraisableHookArgs") -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            before(lost)
            return
        timer = threading.Timer(_AGAIN_S, _interrupt_main_thread)
        timer.daemon = True
        timers.append(timer)
        timer.start()

    sys.unraisablehook = report
    try:
        yield
    finally:
        sys.unraisablehook = before
        for timer in timers:
            timer.cancel()


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if sys.platform == "win32" or main is None:
        signal.raise_signal(signal.SIGINT)
    else:  # only a signal to the main thread itself wakes it from a blocking call
        signal.pthread_kill(main, signal.SIGINT)
