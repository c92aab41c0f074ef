"""Ranks of models, and correlations of their scores over tasks or benchmarks (metrics specification, 1.8 and 1.9)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from annotator.metrics.metric_values import (
    BadNumbersError,
    check_finite,
    check_same_length,
    normal_quantile,
    student_two_sided,
)

# The standard error of the interval, 1.03/sqrt(n - 3), is undefined for three.
FEWEST_MODELS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """A rank correlation with its two-sided p-value and 95 % interval (Fisher z), on n models.

    ``value`` is None if undefined, with a ``reason``; a value of ±1 has no interval.
    """

    value: float | None
    p: float | None
    low: float | None
    high: float | None
    n: int
    reason: str = ""

    @property
    def significant(self) -> bool:
        """Whether p < .05; other cells are shown grey."""
        return self.p is not None and self.p < 0.05


@dataclass(frozen=True, slots=True)
class CorrelationMatrix:
    """Rank correlations of every pair of columns."""

    names: tuple[str, ...]
    cells: Mapping[tuple[str, str], Correlation]

    def __getitem__(self, pair: tuple[str, str]) -> Correlation:
        """Return the cell of two columns, in either order."""
        return self.cells[pair] if pair in self.cells else self.cells[pair[1], pair[0]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRow:
    """One model in two rankings (1 = best, ties share): ``difference`` > 0 where it does relatively better on ours."""

    name: str
    ours: float
    other: float
    rank_ours: float
    rank_other: float
    difference: float
    flagged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RankDifference:
    """Two benchmarks' rankings of their common models, how they correlate, and the line ours = intercept + slope·other.

    Coefficients are None where a column is constant or there are too few models.
    """

    rows: tuple[RankRow, ...]
    spearman: Correlation
    kendall: float | None
    pearson: float | None
    slope: float | None
    intercept: float | None
    flag_at: float


def average_ranks(values: Sequence[float]) -> list[float]:
    """Return ranks, 1 for the smallest; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for index in order[start : end + 1]:
            ranks[index] = (start + end) / 2 + 1
        start = end + 1
    return ranks


def pearson_correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None for fewer than two pairs or a constant column."""
    check_same_length(len(a), len(b))
    check_finite((*a, *b))
    if len(a) < 2 or len(set(a)) == 1 or len(set(b)) == 1:
        return None
    mean_a, mean_b = fmean(a), fmean(b)
    numerator = math.fsum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    denominator = math.sqrt(math.fsum((x - mean_a) ** 2 for x in a) * math.fsum((y - mean_b) ** 2 for y in b))
    return max(-1.0, min(1.0, numerator / denominator)) if denominator else None


def spearman_correlation(a: Sequence[float | None], b: Sequence[float | None]) -> Correlation:
    """Return Spearman's rank correlation of the complete pairs.

    The p-value is of Student's t with n - 2 degrees of freedom; the interval is Fisher's z with standard error
    1.03/sqrt(n - 3). Undefined for fewer than four pairs or a constant column.
    """
    check_same_length(len(a), len(b))
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    n = len(pairs)
    check_finite(value for pair in pairs for value in pair)
    if n < FEWEST_MODELS:
        return Correlation(
            value=None, p=None, low=None, high=None, n=n, reason=f"too few models ({n}); {FEWEST_MODELS} are needed"
        )
    rho = pearson_correlation(average_ranks([x for x, _ in pairs]), average_ranks([y for _, y in pairs]))
    if rho is None:
        return Correlation(
            value=None, p=None, low=None, high=None, n=n, reason="all models have the same value in one of the columns"
        )
    if abs(rho) > 1 - 1e-12:
        return Correlation(value=math.copysign(1.0, rho), p=0.0, low=None, high=None, n=n)
    p = student_two_sided(rho * math.sqrt((n - 2) / (1 - rho * rho)), n - 2)
    z = math.atanh(rho)
    half = normal_quantile(0.975) * 1.03 / math.sqrt(n - 3)
    return Correlation(value=rho, p=p, low=math.tanh(z - half), high=math.tanh(z + half), n=n)


def kendall_tau_b(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Return Kendall's tau-b, which corrects for ties; None for a constant column."""
    check_same_length(len(a), len(b))
    balance = untied_a = untied_b = 0
    for (xa, xb), (ya, yb) in combinations(zip(a, b, strict=True), 2):
        sign_a = (xa > ya) - (xa < ya)
        sign_b = (xb > yb) - (xb < yb)
        balance += sign_a * sign_b
        untied_a += sign_a != 0
        untied_b += sign_b != 0
    return balance / math.sqrt(untied_a * untied_b) if untied_a and untied_b else None


def spearman_matrix(columns: Mapping[str, Sequence[float | None]]) -> CorrelationMatrix:
    """Return the rank correlation of every pair of columns over models; None marks a missing score.

    Columns name tasks and list the same models in the same order.
    """
    names = tuple(columns)
    return CorrelationMatrix(
        names, {(a, b): spearman_correlation(columns[a], columns[b]) for a, b in combinations(names, 2)}
    )


def rank_difference(ours: Mapping[str, float], other: Mapping[str, float]) -> RankDifference:
    """Compare the rankings of two benchmarks (model -> score) on the models both know.

    A difference is rank on the other minus rank on ours; it is flagged from max(5, a quarter of the models) on.
    Raises `BadNumbersError` if no model is common.
    """
    names = [name for name in ours if name in other]
    if not names:
        raise BadNumbersError("The two benchmarks share no model.")
    a = [ours[name] for name in names]
    b = [other[name] for name in names]
    rank_a = average_ranks([-x for x in a])
    rank_b = average_ranks([-x for x in b])
    flag_at = max(5.0, len(names) / 4)
    rows = tuple(
        RankRow(
            name=name,
            ours=x,
            other=y,
            rank_ours=first,
            rank_other=second,
            difference=second - first,
            flagged=abs(second - first) >= flag_at,
        )
        for name, x, y, first, second in zip(names, a, b, rank_a, rank_b, strict=True)
    )
    slope, intercept = _fit_line(b, a)
    return RankDifference(
        rows=rows,
        spearman=spearman_correlation(a, b),
        kendall=kendall_tau_b(a, b),
        pearson=pearson_correlation(a, b),
        slope=slope,
        intercept=intercept,
        flag_at=flag_at,
    )


def _fit_line(x: Sequence[float], y: Sequence[float]) -> tuple[float | None, float | None]:
    """Return slope and intercept of the least-squares line of y on x."""
    mean_x, mean_y = fmean(x), fmean(y)
    spread = math.fsum((value - mean_x) ** 2 for value in x)
    if not spread:
        return None, None
    slope = math.fsum((p - mean_x) * (q - mean_y) for p, q in zip(x, y, strict=True)) / spread
    return slope, mean_y - slope * mean_x


# Means of the same scores summed in another order differ in their last digits; they count as equal.
EQUALITY_TOLERANCE = 1e-10


def board_ranks(scores: Sequence[float | None]) -> list[int | None]:
    """Return every score's rank, 1 for the highest; None for a missing score."""
    ranks: list[int | None] = [None] * len(scores)
    scored = [(score, model) for model, score in enumerate(scores) if score is not None]
    previous_score = 0.0
    better_count = 0
    for place, (score, model) in enumerate(sorted(scored, key=lambda pair: (-pair[0], pair[1]))):
        if previous_score - score > EQUALITY_TOLERANCE or place == 0:
            better_count = place
        previous_score = score
        ranks[model] = better_count + 1
    return ranks


def rows_of_ranks(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return `board_ranks` of every row of an array; NaN comes last."""
    filled = np.nan_to_num(scores, nan=-np.inf)
    order = np.argsort(-filled, axis=1, kind="stable")
    ordered = np.take_along_axis(filled, order, axis=1)
    place = np.arange(scores.shape[1])
    is_worse = np.ones(scores.shape, dtype=bool)
    is_worse[:, 1:] = ordered[:, 1:] < ordered[:, :-1] - EQUALITY_TOLERANCE
    better_count = np.maximum.accumulate(np.where(is_worse, place, 0), axis=1)
    ranks = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, better_count + 1, axis=1)
    return ranks
