"""The progress of a piece of work, through which another thread can pause or cancel it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from annotator.base.errors import InterruptedWorkError


class Cancelled(InterruptedWorkError):  # noqa: N818 - reads as what happened, like asyncio.CancelledError
    """The work was cancelled by the user."""

    def __init__(self, message: str = "Cancelled. Nothing of the unfinished step was kept.") -> None:
        super().__init__(message)


class Progress:
    """Progress shared by a worker, which reports it, and a display, which shows it and can pause or cancel the work."""

    def __init__(self, listener: Callable[[Progress], None] | None = None, *, every_s: float = 0.05) -> None:
        """Call ``listener`` in the worker's thread at most once every ``every_s`` seconds, and at the end."""
        self._listener = listener
        self._every_s = every_s
        self._cancelled = threading.Event()
        self._running = threading.Event()
        self._running.set()
        self._last_report_s = 0.0
        self.started_at = self.stage_started_at = time.monotonic()
        self.done = self.done_before_stage = 0
        self.total: int | None = None
        self.text = ""

    @property
    def cancelled(self) -> bool:
        """Whether cancellation was requested."""
        return self._cancelled.is_set()

    @property
    def paused(self) -> bool:
        """Whether a pause was requested."""
        return not self._running.is_set()

    @property
    def fraction(self) -> float | None:
        """The completed fraction from 0 to 1, or None while the total is unknown."""
        return min(1.0, self.done / self.total) if self.total else None

    def report(self, done: int, total: int | None = None, text: str = "") -> None:
        """Record the progress; raise `Cancelled` if cancelled, and wait while paused."""
        self.tell(done, total, text)
        self.check()

    def tell(self, done: int, total: int | None = None, text: str = "") -> None:
        """Record the progress without waiting, for a worker that must continue to receive results while paused.

        A new stage begins when the total changes or the count starts again. The count of its first report was reached
        before the stage, such as by the stored answers of a run that is resumed.
        """
        if done < self.done or (total is not None and total != self.total):
            self.stage_started_at = time.monotonic()
            self.done_before_stage = done
        self.done = done
        self.total = total if total is not None else self.total
        self.text = text or self.text
        moment = time.monotonic()
        if self._listener and (moment - self._last_report_s >= self._every_s or done == self.total):
            self._last_report_s = moment
            self._listener(self)

    def check(self) -> None:
        """Wait while paused; raise `Cancelled` if cancelled."""
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
        """Let a paused worker continue."""
        self._running.set()
