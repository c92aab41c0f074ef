"""When to try again: exponential back-off with jitter, and what the endpoint itself asks for."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

RETRIED = (408, 409, 429)


def is_retried(status: int) -> bool:
    """Tell whether a status is worth another attempt (runs specification: 408, 409, 429, 5xx)."""
    return status in RETRIED or status >= 500


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """``attempts`` in all; the wait doubles from ``first_s`` up to ``most_s``.

    A Retry-After is kept however it compares, unless it is longer than ``patience_s``: then the request fails, and
    the sentence says how long the endpoint wants to be left alone.
    """

    attempts: int = 10
    first_s: float = 0.5
    most_s: float = 60.0
    patience_s: float = 900.0

    def wait(
        self, attempt: int, retry_after: float | None = None, chance: Callable[[], float] = random.random
    ) -> float:
        """Return the seconds to wait after attempt number ``attempt`` (from 0) failed.

        Between half and the whole of the doubled wait, so that requests that failed together do not come back
        together; never less than ``retry_after``, and up to a tenth more.
        """
        backed_off = min(self.most_s, self.first_s * 2.0 ** min(attempt, 32)) * (0.5 + chance() / 2)
        if retry_after is None:
            return backed_off
        return max(backed_off, retry_after * (1 + chance() / 10))


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds an endpoint asks to wait, from its headers (names in lower case); None if it does not.

    Retry-After may be seconds or an HTTP date (RFC 9110, 10.2.3); ``retry-after-ms`` is what some endpoints add. A date
    in the past is 0; what cannot be read is as if it were not there.
    """
    precise = _number(headers.get("retry-after-ms", ""))
    if precise is not None:
        return precise / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None
