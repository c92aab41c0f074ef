"""How much of its time a job has had: what it stood in line for a processor, behind others' work, is not its own.

Standard library only. A machine that is busy with other things would else fail answers that are right.
"""

from __future__ import annotations

import contextlib
import os
import time


class Clock:
    """Counts a job's time from now on.

    A job that waited for a processor may take ``longest`` times its seconds. That is known where it is ``alone``: all
    processes in sight but this one and process 1 are the job's.
    """

    def __init__(self, seconds: float, longest: float, *, alone: bool) -> None:
        self._started = time.monotonic()
        self._seconds, self._longest = seconds, seconds * longest if alone else seconds

    def elapsed(self) -> float:
        """Return how many seconds have passed."""
        return time.monotonic() - self._started

    def left(self) -> float:
        """Return how many seconds the job has left at least, 0 where its time is up."""
        elapsed = self.elapsed()
        if elapsed < self._seconds:
            return self._seconds - elapsed
        if elapsed >= self._longest:
            return 0.0
        ran, waited = processor_seconds(os.getpid())
        # What a job's own processes take from each other counts as its own time.
        spent = max(elapsed - waited, min(ran, elapsed))
        return max(0.0, min(self._seconds - spent, self._longest - elapsed))


def processor_seconds(but: int) -> tuple[float, float]:
    """Return how long threads in sight have run and have waited to run, in seconds; not those of a process and of 1."""
    ran = waited = 0
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in (1, but):
            continue
        # It may end while it is read; not every kernel counts.
        with contextlib.suppress(OSError, ValueError, IndexError):
            for thread in os.listdir(f"/proc/{name}/task"):
                with open(f"/proc/{name}/task/{thread}/schedstat", encoding="ascii") as stream:
                    numbers = stream.read().split()
                ran += int(numbers[0])
                waited += int(numbers[1])
    return ran / 1e9, waited / 1e9
