"""How much of its time a job has had: what it stood in line for a processor, behind others' work, is not its own.

Standard library only. A machine that is busy with other things would else fail answers that are right.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable

LOOK_SECONDS = 0.5
"""How often a clock looks at its job's processes: what one that ended had waited since the last look is lost."""


class Clock:
    """Counts a job's time from now on.

    A job that waited for a processor may take ``longest`` times its seconds. That is known where it is ``alone``: all
    processes in sight but this one and process 1 are the job's. What processes that ended had used is kept, as a
    compiler is several, one after the other.
    """

    def __init__(self, seconds: float, longest: float, *, alone: bool) -> None:
        self._started = time.monotonic()
        self._seconds, self._longest = seconds, seconds * longest if alone else seconds
        self._looked = 0.0
        self._living, self._ended = (0.0, 0.0), [0.0, 0.0]

    def elapsed(self) -> float:
        """Return how many seconds have passed."""
        return time.monotonic() - self._started

    def left(self) -> float:
        """Return how many seconds the job has left at least, 0 where its time is up."""
        elapsed = self.elapsed()
        early = elapsed < self._seconds
        if early and (elapsed - self._looked < LOOK_SECONDS or self._longest == self._seconds):
            return self._seconds - elapsed
        if elapsed >= self._longest:
            return 0.0
        ran, waited = self._look(elapsed)
        if early:
            return self._seconds - elapsed
        # What a job's own processes take from each other counts as its own time.
        spent = max(elapsed - waited, min(ran, elapsed))
        return max(0.0, min(self._seconds - spent, self._longest - elapsed))

    def _look(self, elapsed: float) -> tuple[float, float]:
        """Return how long the job's processes have run and waited, those that ended too."""
        self._looked = elapsed
        now = processor_seconds(others())
        # The sums over living processes fall only where one of them ended.
        for number in (0, 1):
            self._ended[number] += max(0.0, self._living[number] - now[number])
        self._living = now
        return self._ended[0] + now[0], self._ended[1] + now[1]


def others() -> list[str]:
    """Return the numbers of all processes in sight but this one and process 1."""
    return [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]


def processor_seconds(processes: Iterable[str]) -> tuple[float, float]:
    """Return how long the threads of processes have run and have waited to run, in seconds."""
    ran = waited = 0
    for process in processes:
        # It may end while it is read; not every kernel counts.
        with contextlib.suppress(OSError, ValueError, IndexError):
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/schedstat", encoding="ascii") as stream:
                    numbers = stream.read().split()
                ran += int(numbers[0])
                waited += int(numbers[1])
    return ran / 1e9, waited / 1e9
