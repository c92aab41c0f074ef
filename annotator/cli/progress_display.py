"""The progress of a command: redrawn in place on a terminal, a line every five seconds elsewhere."""

from __future__ import annotations

import threading
import time
from typing import TextIO

from annotator.jobs.progress import Progress
from annotator.text.hidden_characters import visible_text

INTERVAL_S = 5.0
"""The seconds before the first line, and between two lines where nothing can be redrawn: half of what users accept."""
_REDRAW_INTERVAL_S = 1.0
CLEAR_LINE = "\r\x1b[K"


class ProgressDisplay:
    """Displays what a command is doing, so that a long one is never silent even if it reports no progress.

    The command's label is shown until it starts a job with `start`.
    """

    def __init__(self, stream: TextIO | None, label: str, interval_s: float = INTERVAL_S) -> None:
        """Write to ``stream``; None displays nothing."""
        self._stream = stream
        self._label = label
        self._interval_s = interval_s
        self._terminal = stream is not None and stream.isatty()
        self._progress = Progress()
        self._drawn = self._hidden = False
        self._closed = threading.Event()
        self._writing = threading.Lock()
        self._ticker = threading.Thread(target=self._tick, name="progress-display", daemon=True)

    def __enter__(self) -> ProgressDisplay:
        """Start displaying."""
        if self._stream is not None:
            self._ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop displaying, and clear the line."""
        self._closed.set()
        self._clear()

    def hide(self) -> None:
        """Display nothing until the next job starts, since the answer is written to the same terminal."""
        self._hidden = True
        self._clear()

    def start(self, label: str) -> Progress:
        """Start a job and return its progress, which is displayed until the next job starts."""
        self._label = label
        self._hidden = False
        self._progress = Progress(self._show_report)
        return self._progress

    def _show_report(self, progress: Progress) -> None:
        """Draw at once on a terminal; in a pipe, the next periodic line will include it."""
        if not self._terminal:
            return
        if progress.total is not None and progress.done >= progress.total:
            self._clear()
        else:
            self._draw()

    def _tick(self) -> None:
        wait_s = self._interval_s
        while not self._closed.wait(wait_s):
            self._draw()
            wait_s = _REDRAW_INTERVAL_S if self._terminal and self._drawn else self._interval_s

    def _draw(self) -> None:
        text = describe_progress(self._label, self._progress)
        with self._writing:
            if not (self._closed.is_set() or self._hidden):
                self._drawn = self._terminal
                self._write(f"{CLEAR_LINE}{text}" if self._terminal else f"{text}\n")

    def _clear(self) -> None:
        with self._writing:
            if self._drawn:
                self._drawn = False
                self._write(CLEAR_LINE)

    def _write(self, text: str) -> None:
        assert self._stream is not None
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the reader is gone; the command continues
            self._closed.set()


def describe_progress(label: str, progress: Progress) -> str:
    """Return one line: the job, done of total, the stage's pace, time elapsed and left, and the current step."""
    moment = time.monotonic()
    elapsed = moment - progress.started_at
    facts = []
    if progress.total:
        facts.append(f"{progress.done:,} of {progress.total:,} ({progress.fraction:.0%})")
        done_in_stage = progress.done - progress.done_before_stage
        if done_in_stage > 0 and progress.done < progress.total:
            seconds_each = (moment - progress.stage_started_at) / done_in_stage
            is_fast = seconds_each <= 1
            facts.append(f"{1 / (seconds_each or 1):,.1f} a second" if is_fast else f"one in {seconds_each:,.0f} s")
            facts.append(f"about {_format_duration(seconds_each * (progress.total - progress.done))} left")
    facts.append(f"{_format_duration(elapsed)} so far")
    text = f", {visible_text(progress.text)}" if progress.text else ""
    return f"{label}: {', '.join(facts)}{text}"


def _format_duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


__all__ = ["CLEAR_LINE", "INTERVAL_S", "ProgressDisplay", "describe_progress"]
