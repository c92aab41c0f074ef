"""Adaptive concurrency: the limit of requests in flight is halved by HTTP 429 and grows slowly after."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_LOOK_S = 0.25
# A lone 429 among many answers concerns its request (one upstream of a router, say); from this share on, all.
_CROWDED = 0.1
_WEIGHT = 1 / 96


class Limiter:
    """Permits for requests in flight, shared by all threads that ask one endpoint.

    Starts at ``most``. `refused` halves the limit, once for all requests that were under way at that time, and holds
    everything back for as long as the endpoint says; each success adds 1/limit, so that it takes a whole round of
    answers to gain one. Refusals that are rarer than one request in ten do neither: only their own request waits. A
    request that is refused again tells nothing of the others: it waits alone.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Allow at most ``most`` (at least 1) requests at once."""
        self._most = max(1, most)
        self._limit = float(self._most)
        self._clock = clock
        self._condition = threading.Condition()
        self._in_flight = 0
        self._held_until = 0.0
        self._last_cut = float("-inf")
        self._stopped = False
        self._cuts = 0
        # The share of refusals, the latest counting most. The first request of all that is refused counts for all.
        self._refused_share = _CROWDED
        self._refused: set[str] = set()

    @property
    def most(self) -> int:
        """The limit it started with and never exceeds."""
        return self._most

    @property
    def limit(self) -> int:
        """How many requests may be in flight now."""
        return int(self._limit)

    @property
    def in_flight(self) -> int:
        """How many are in flight now."""
        return self._in_flight

    @property
    def cuts(self) -> int:
        """How often the limit was halved."""
        return self._cuts

    def acquire(self) -> bool:
        """Wait for a permit; returns False, without one, when `stop` was called."""
        with self._condition:
            while not self._stopped:
                held = self._held_until - self._clock()
                if held <= 0 and self._in_flight < int(self._limit):
                    self._in_flight += 1
                    return True
                self._condition.wait(min(held, _LOOK_S) if held > 0 else _LOOK_S)
            return False

    def release(self) -> None:
        """Give a permit back."""
        with self._condition:
            self._in_flight -= 1
            self._condition.notify()

    def succeeded(self) -> None:
        """Grow by 1/limit, up to the limit it started with."""
        with self._condition:
            self._note_taken()
            if self._limit < self._most:
                self._limit = min(float(self._most), self._limit + 1.0 / self._limit)

    def taken(self) -> None:
        """Take note of a request that was let in, though nothing good came of it."""
        with self._condition:
            self._note_taken()

    def _note_taken(self) -> None:
        self._refused_share -= self._refused_share * _WEIGHT

    def refused(self, started: float, after: float | None = None, *, halve: bool = True, name: str = "") -> None:
        """Take note of a request that began at ``started`` and was one too many; ``after`` is when to come back.

        The other requests of that moment will be told the same; they halve the limit once. Without ``halve`` the
        endpoint only said when to come back. ``name`` tells a request that comes again from another.
        """
        with self._condition:
            if name in self._refused:
                return
            if name:
                self._refused.add(name)
            self._refused_share += (1 - self._refused_share) * _WEIGHT
            if self._refused_share < _CROWDED:
                return
            if after is not None:
                self._held_until = max(self._held_until, self._clock() + after)
            if halve and started > self._last_cut:
                self._last_cut = self._clock()
                self._limit = max(1.0, self._limit / 2)
                self._cuts += 1

    def stop(self) -> None:
        """Let every waiting thread go without a permit, now and later."""
        with self._condition:
            self._stopped = True
            self._condition.notify_all()
