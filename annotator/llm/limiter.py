"""Adaptive concurrency: HTTP 429 halves the limit of requests in flight, and successes raise it slowly."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_POLL_S = 0.25
# A rare 429 concerns its own request (say, one upstream of a router); from this share on, it concerns all.
_CROWDED_SHARE = 0.1
_WEIGHT = 1 / 96
"""The weight of one request in the moving average of refusals."""


class Limiter:
    """Permits for requests in flight, shared by all threads that ask one endpoint.

    The limit starts at ``most``. `refused` halves it, once for all requests then in flight, and pauses everything for
    as long as the endpoint asks. Each success adds 1/limit, so one more permit takes a whole round of answers. If fewer
    than one request in ten is refused, or the same one is refused again, only that request waits.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = max(1, most)
        self._limit = float(self._most)
        self._clock = clock
        self._condition = threading.Condition()
        self._in_flight = 0
        self._paused_until = 0.0
        self._last_cut = float("-inf")
        self._stopped = False
        self._cuts = 0
        # Moving average of the share of refusals. It starts at the threshold, so the very first refusal counts.
        self._refused_share = _CROWDED_SHARE
        self._refused: set[str] = set()

    @property
    def most(self) -> int:
        """The initial and largest limit."""
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
        """The number of times the limit was halved."""
        return self._cuts

    def acquire(self) -> bool:
        """Wait for a permit; returns False, without one, when `stop` was called."""
        with self._condition:
            while not self._stopped:
                hold_s = self._paused_until - self._clock()
                if hold_s <= 0 and self._in_flight < int(self._limit):
                    self._in_flight += 1
                    return True
                self._condition.wait(min(hold_s, _POLL_S) if hold_s > 0 else _POLL_S)
            return False

    def release(self) -> None:
        """Give a permit back."""
        with self._condition:
            self._in_flight -= 1
            self._condition.notify()

    def succeeded(self) -> None:
        """Raise the limit by 1/limit, up to ``most``."""
        with self._condition:
            self._lower_refused_share()
            if self._limit < self._most:
                self._limit = min(float(self._most), self._limit + 1.0 / self._limit)

    def count_admitted(self) -> None:
        """Count a request that the endpoint accepted but that brought no usable answer."""
        with self._condition:
            self._lower_refused_share()

    def _lower_refused_share(self) -> None:
        self._refused_share -= self._refused_share * _WEIGHT

    def refused(self, started: float, after: float | None = None, *, halve: bool = True, name: str = "") -> None:
        """Count a refused request that began at ``started``; ``after`` is the number of seconds to wait.

        Requests in flight at the same time will be refused too, so together they halve the limit once. Pass
        ``halve=False`` if the endpoint only asked to wait. ``name`` identifies a request across retries.
        """
        with self._condition:
            if name in self._refused:
                return
            if name:
                self._refused.add(name)
            self._refused_share += (1 - self._refused_share) * _WEIGHT
            if self._refused_share < _CROWDED_SHARE:
                return
            if after is not None:
                self._paused_until = max(self._paused_until, self._clock() + after)
            if halve and started > self._last_cut:
                self._last_cut = self._clock()
                self._limit = max(1.0, self._limit / 2)
                self._cuts += 1

    def stop(self) -> None:
        """Release every waiting thread without a permit, now and later."""
        with self._condition:
            self._stopped = True
            self._condition.notify_all()
