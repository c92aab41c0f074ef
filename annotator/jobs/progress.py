"""How far a piece of work is, and the way to pause or cancel it from another thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from annotator.base.errors import InterruptedWorkError


class Cancelled(InterruptedWorkError):  # noqa: N818 - reads as what happened, like asyncio.CancelledError
    """The work was cancelled by the user."""

    def __init__(self, message: str = "Cancelled. Nothing of the unfinished step was kept.") -> None:
        """Say what became of the unfinished step."""
        super().__init__(message)


class Progress:
    """Shared by a worker, which reports and checks, and a screen, which shows, pauses and cancels."""

    def __init__(self, listener: Callable[[Progress], None] | None = None, *, every_s: float = 0.05) -> None:
        """Call ``listener`` (in the worker's thread) at most once in ``every_s``, and at the end."""
        self._listener, self._every_s = listener, every_s
        self._cancelled = threading.Event()
        self._running = threading.Event()
        self._running.set()
        self._last_told = 0.0
        self.started_at = time.monotonic()
        self.done = 0
        self.total: int | None = None
        self.text = ""

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._cancelled.is_set()

    @property
    def paused(self) -> bool:
        """Whether somebody asked to wait."""
        return not self._running.is_set()

    @property
    def fraction(self) -> float | None:
        """How much is done, 0 to 1, or None while the total is unknown."""
        return min(1.0, self.done / self.total) if self.total else None

    def report(self, done: int, total: int | None = None, text: str = "") -> None:
        """Say how many of how many units are done; raises `Cancelled` when asked to stop, waits when paused."""
        self.tell(done, total, text)
        self.check()

    def tell(self, done: int, total: int | None = None, text: str = "") -> None:
        """Say how far the work is without waiting: for a worker that must go on taking results in while paused."""
        self.done = done
        self.total = total if total is not None else self.total
        self.text = text or self.text
        moment = time.monotonic()
        if self._listener and (moment - self._last_told >= self._every_s or done == self.total):
            self._last_told = moment
            self._listener(self)

    def check(self) -> None:
        """Wait while paused; raise `Cancelled` when asked to stop."""
        while not self._running.wait(0.1):
            if self.cancelled:
                break
        if self.cancelled:
            raise Cancelled

    def cancel(self) -> None:
        """Ask the worker to stop at its next check."""
        self._cancelled.set()
        self._running.set()

    def pause(self) -> None:
        """Ask the worker to wait at its next check."""
        self._running.clear()

    def resume(self) -> None:
        """Let a paused worker go on."""
        self._running.set()
