"""The results of the other modules: numbers that may be undefined, and estimates with an interval."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from annotator.base.errors import BadInputError


class BadNumbersError(BadInputError, ValueError):
    """The numbers given cannot be used: lengths that differ, shares outside 0 to 1, incomplete batches."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number, or the reason for its absence. ``note`` is a warning about a number that needs care."""

    value: float | None
    reason: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        """Raise `BadNumbersError` for a missing value without a reason."""
        if self.value is None and not self.reason:
            raise BadNumbersError("a measure without a value needs a reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value with its interval (both ends None if undefined), its count and the interval's method."""

    value: float
    low: float | None
    high: float | None
    n: int
    method: str


def format_percent(value: float | None, decimals: int = 2) -> str:
    """Format a fraction in percent without the sign; "n/a" for a missing one. The only place that rounds."""
    return "n/a" if value is None else f"{100 * value:.{decimals}f}"


def check_finite(values: Iterable[float]) -> None:
    """Raise `BadNumbersError` if a value is NaN or infinite, since it would spread unnoticed through every result."""
    if not all(map(math.isfinite, values)):
        raise BadNumbersError("A score must be a number; leave missing ones out.")


def check_same_length(a: int, b: int, what: str = "values") -> None:
    """Raise `BadNumbersError` unless two counts are equal."""
    if a != b:
        raise BadNumbersError(f"The two series must have as many {what}, but there are {a} and {b}.")
