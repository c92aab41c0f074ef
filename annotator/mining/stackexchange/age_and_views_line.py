"""The line through age and views that separates questions still in demand from the rest (specification, 5.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotator.base.errors import UsageError


@dataclass(frozen=True, slots=True)
class FilterLine:
    """Keep a question if log(views) lies above ``intercept + slope · days``; the natural logarithm by default."""

    intercept: float = 5.0
    slope: float = 0.0035
    base: float = math.e

    def __post_init__(self) -> None:
        """Raise `UsageError` for an infinite line or an invalid base."""
        if not (math.isfinite(self.intercept) and math.isfinite(self.slope)):
            raise UsageError("The ends of the filter line must be finite numbers.")
        if not (math.isfinite(self.base) and self.base > 1):
            raise UsageError("The base of the logarithm must be a number above 1.")

    @classmethod
    def through(cls, first: tuple[float, float], second: tuple[float, float], base: float = math.e) -> FilterLine:
        """Return the line through two points (days, log of views), as they are dragged in the scatter plot."""
        if first[0] == second[0]:
            raise UsageError("The two ends of the filter line need different days.")
        slope = (second[1] - first[1]) / (second[0] - first[0])
        return cls(first[1] - slope * first[0], slope, base)

    def at(self, days: float) -> float:
        """Return the height of the line: the logarithm of views at an age in days."""
        return self.intercept + self.slope * days

    def threshold(self, days: float) -> float:
        """Return the views a question of this age must exceed."""
        try:
            return float(self.base ** self.at(days))
        except OverflowError:
            return math.inf

    def keeps(self, views: int, days: int) -> bool:
        """Return whether a question lies above the line; questions without views never do."""
        return views > 0 and math.log(views) / math.log(self.base) > self.intercept + self.slope * days

    def keeps_all(self, views: NDArray[np.int64], days: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return `keeps` for many questions at once (a million take some milliseconds)."""
        heights = np.log(np.maximum(views, 1)) / math.log(self.base)
        is_kept: NDArray[np.bool_] = (views > 0) & (heights > self.intercept + self.slope * days)
        return is_kept
