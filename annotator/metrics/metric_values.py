"""Numbers that may be undefined, estimates with an interval, and the distributions that tests and intervals need.

The distributions (beta, Student's t, binomial) are exact, or to about 1e-12.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import NormalDist

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


def check_same_length(a: int, b: int, noun: str = "values") -> None:
    """Raise `BadNumbersError` unless two counts are equal."""
    if a != b:
        raise BadNumbersError(f"The two series must have as many {noun}, but there are {a} and {b}.")


# Up to this many tosses the binomial coefficients are summed as exact integers.
_EXACT_LIMIT = 1000
# Lentz's method replaces a denominator of zero by a tiny number.
_TINY = 1e-300


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution; probability strictly between 0 and 1."""
    if not 0 < probability < 1:
        raise BadNumbersError(f"A probability must be between 0 and 1, not {probability}.")
    return NormalDist().inv_cdf(probability)


def beta_cdf(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) for a, b > 0."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1 - front * _beta_fraction(b, a, 1 - x) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function by Lentz's method."""
    c = 1.0
    d = 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for step in range(1, 1000):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        d = 1 / _away_from_zero(1 + even * d)
        c = _away_from_zero(1 + even / c)
        value *= c * d
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        d = 1 / _away_from_zero(1 + odd * d)
        c = _away_from_zero(1 + odd / c)
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def student_two_sided(t: float, df: float) -> float:
    """Return the two-sided p-value of a t statistic with ``df`` degrees of freedom."""
    return beta_cdf(df / 2, 0.5, df / (df + t * t)) if math.isfinite(t) else 0.0


def student_quantile(probability: float, df: float) -> float:
    """Return the quantile of Student's t for 0.5 <= probability < 1."""
    tail = 2 * (1 - probability)
    high = 1.0
    while student_two_sided(high, df) > tail:
        high *= 2
    return _find_root(lambda t: tail - student_two_sided(t, df), 0.0, high)


def _find_root(rising: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def fair_coin_test(heads: int, tosses: int) -> float:
    """Return the exact two-sided p-value of ``heads`` in tosses of a fair coin; 1 without tosses."""
    fewer = min(heads, tosses - heads)
    if fewer < 0:
        raise BadNumbersError(f"{heads} of {tosses} is not a count.")
    if 2 * fewer >= tosses - 1:
        return 1.0
    if tosses <= _EXACT_LIMIT:
        ways = sum(math.comb(tosses, count) for count in range(fewer + 1))
        tail = ways / (1 << tosses)
    else:
        tail = beta_cdf(tosses - fewer, fewer + 1, 0.5)
    return min(1.0, 2 * tail)
