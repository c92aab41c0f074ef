"""What the other modules return: numbers that may be undefined, and estimates with an interval."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from annotator.base.errors import BadInputError


class BadNumbersError(BadInputError, ValueError):
    """The numbers given cannot be used: lengths that differ, shares outside 0 to 1, incomplete batches."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number, or the reason why there is none. ``note`` warns about a number that is there but needs care."""

    value: float | None
    reason: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse a missing value without a reason: nobody could act on it."""
        if self.value is None and not self.reason:
            raise BadNumbersError("a measure without a value needs a reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value with its interval (both ends None where none can be given), its count and how the interval was made."""

    value: float
    low: float | None
    high: float | None
    n: int
    method: str


def percent(value: float | None, decimals: int = 2) -> str:
    """Return a fraction as it is shown, in percent without the sign; "n/a" for a missing one. Rounds here only."""
    return "n/a" if value is None else f"{100 * value:.{decimals}f}"


def check_finite(values: Iterable[float]) -> None:
    """Raise `BadNumbersError` if a value is not a number: it would spread through every result unseen."""
    if not all(map(math.isfinite, values)):
        raise BadNumbersError("A score must be a number; leave missing ones out.")


def check_same_length(a: int, b: int, what: str = "values") -> None:
    """Raise `BadNumbersError` unless two counts are equal."""
    if a != b:
        raise BadNumbersError(f"The two series must have as many {what}, but there are {a} and {b}.")
