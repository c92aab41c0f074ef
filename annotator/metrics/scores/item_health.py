"""Statistics, warning flags and difficulty of items (mining specification 5.3; metrics specification 1.11).

A pilot with ten models or more finds items that do not distinguish models, or that weak models pass more often.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annotator.metrics.metric_values import BadNumbersError

PILOT_MODELS = 10
MIN_SPREAD = 0.05
# The smallest lead of weak models over strong ones that is rarely due to chance at usual pilot sizes.
REVERSAL = 0.25


class Flag(StrEnum):
    """A possible defect of an item."""

    EVERYONE_PASSES = "everyone_passes"
    EVERYONE_FAILS = "everyone_fails"
    LOW_SPREAD = "low_spread"
    NEGATIVE_CORRELATION = "negative_correlation"
    STRONG_FAIL_WEAK_PASS = "strong_fail_weak_pass"  # noqa: S105 - a flag, not a password


FLAG_TEXTS: Mapping[Flag, str] = MappingProxyType(
    {
        Flag.EVERYONE_PASSES: "Every model gets full points, so the item tells no models apart.",
        Flag.EVERYONE_FAILS: "No model gets a point; the criterion or the question may be wrong.",
        Flag.LOW_SPREAD: "The models' scores hardly differ (deviation below .05).",
        Flag.NEGATIVE_CORRELATION: "Models that do well elsewhere do worse here.",
        Flag.STRONG_FAIL_WEAK_PASS: "The strongest third of the models is well behind the weakest third here.",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemHealth:
    """An item's statistics.

    ``mean`` over models (its easiness), ``spread`` their sample deviation, ``correlation`` with the models' mean on all
    other items, ``discrimination`` the strongest third's mean less the weakest third's. None where undefined.
    ``tentative``: fewer than ten models, so flags are hints.
    """

    item: str
    models: int
    mean: float | None
    spread: float | None
    correlation: float | None
    discrimination: float | None
    flags: tuple[Flag, ...]
    tentative: bool


def item_health(items: Sequence[str], scores: ArrayLike) -> tuple[ItemHealth, ...]:
    """Return every item's statistics and flags from scores, models by items in 0..1 (NaN: not evaluated).

    Raises `BadNumbersError` if the array does not have one column per item.
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(items):
        raise BadNumbersError("Scores must be models by items, with one column per item.")
    evaluated = ~np.isnan(values)
    counts = evaluated.sum(axis=0)
    filled = np.where(evaluated, values, 0.0)
    mean = filled.sum(axis=0) / np.maximum(counts, 1)
    deviations = np.where(evaluated, values - mean, 0.0)
    squares = (deviations**2).sum(axis=0)
    spread = np.sqrt(squares / np.maximum(counts - 1, 1))
    rest_means = _rest_means(filled, evaluated)
    correlation = _rest_correlations(values, rest_means)
    discrimination = _third_differences(values, rest_means)
    results = []
    for column_index, item in enumerate(items):
        n = int(counts[column_index])
        health = ItemHealth(
            item=item,
            models=n,
            mean=float(mean[column_index]) if n else None,
            spread=float(spread[column_index]) if n > 1 else None,
            correlation=_finite_or_none(correlation[column_index]),
            discrimination=_finite_or_none(discrimination[column_index]),
            flags=(),
            tentative=n < PILOT_MODELS,
        )
        column = values[evaluated[:, column_index], column_index]
        results.append(_with_flags(health, float(column.min()) if n else None, float(column.max()) if n else None))
    return tuple(results)


def _finite_or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _with_flags(health: ItemHealth, lowest: float | None, highest: float | None) -> ItemHealth:
    flags = []
    if lowest is not None and lowest >= 1:
        flags.append(Flag.EVERYONE_PASSES)
    if highest is not None and highest <= 0:
        flags.append(Flag.EVERYONE_FAILS)
    if health.spread is not None and health.spread < MIN_SPREAD:
        flags.append(Flag.LOW_SPREAD)
    if health.correlation is not None and health.correlation < 0:
        flags.append(Flag.NEGATIVE_CORRELATION)
    if health.discrimination is not None and health.discrimination <= -REVERSAL:
        flags.append(Flag.STRONG_FAIL_WEAK_PASS)
    return replace(health, flags=tuple(flags))


def _rest_means(filled: NDArray[np.float64], evaluated: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return each model's mean on all other items than the column's, so that an item does not correlate with itself."""
    others = evaluated.sum(axis=1, keepdims=True) - evaluated
    sums = filled.sum(axis=1, keepdims=True) - filled
    means: NDArray[np.float64] = np.divide(sums, others, out=np.full(filled.shape, np.nan), where=others > 0)
    return means


def _rest_correlations(values: NDArray[np.float64], rest_means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each item's correlation with the rest over models; NaN for fewer than three, or no spread."""
    is_comparable = ~(np.isnan(values) | np.isnan(rest_means))
    n = is_comparable.sum(axis=0)
    safe_count = np.maximum(n, 1)
    gap_x = np.where(is_comparable, values - np.where(is_comparable, values, 0.0).sum(axis=0) / safe_count, 0.0)
    gap_y = np.where(is_comparable, rest_means - np.where(is_comparable, rest_means, 0.0).sum(axis=0) / safe_count, 0.0)
    numerator = (gap_x * gap_y).sum(axis=0)
    denominator = np.sqrt((gap_x**2).sum(axis=0) * (gap_y**2).sum(axis=0))
    # A tiny denominator comes from rounding errors, not from spread.
    correlations: NDArray[np.float64] = np.divide(
        numerator, denominator, out=np.full(len(n), np.nan), where=(n >= 3) & (denominator > 1e-12)
    )
    return correlations


def _third_differences(values: NDArray[np.float64], rest_means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the strongest third's mean less the weakest third's, by the rest; NaN for fewer than three models."""
    is_comparable = ~(np.isnan(values) | np.isnan(rest_means))
    n = is_comparable.sum(axis=0)
    third = n // 3
    # Models without the item sort to the end.
    order = np.argsort(np.where(is_comparable, rest_means, np.inf), axis=0, kind="stable")
    ordered = np.take_along_axis(np.where(is_comparable, values, 0.0), order, axis=0)
    place = np.arange(len(values))[:, None]
    weak = np.where(place < third, ordered, 0.0).sum(axis=0)
    strong = np.where((place >= n - third) & (place < n), ordered, 0.0).sum(axis=0)
    differences: NDArray[np.float64] = np.divide(strong - weak, third, out=np.full(len(n), np.nan), where=third > 0)
    return differences


Grade = Literal["easy", "medium", "hard"]


def metric_scores(best: Sequence[Mapping[str, tuple[float, float]]]) -> dict[str, float | None]:
    """Return, for each metric type, points earned over points available, summed over questions.

    ``best`` holds, for each question's best response, metric -> (earned, available); a question may feed several.
    """
    earned: dict[str, list[float]] = {}
    available: dict[str, list[float]] = {}
    for question in best:
        for metric, (points, total) in question.items():
            earned.setdefault(metric, []).append(points)
            available.setdefault(metric, []).append(total)
    return {
        metric: math.fsum(points) / math.fsum(available[metric]) if math.fsum(available[metric]) else None
        for metric, points in earned.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """A difficulty after runs of models: the new and the old grade, the mean pass rate, and a reason.

    ``measured`` is False with too few models; ``grade`` is then unchanged.
    """

    grade: str
    start: str
    rate: float | None
    changed: bool
    reason: str
    measured: bool


def recalibrate_difficulty(
    start: str, rates: Sequence[float], *, easy: float = 0.6, hard: float = 0.2, minimum_models: int = 5
) -> Recalibration:
    """Return an item's difficulty from the pass rates of models on it.

    Easy above ``easy``, hard below ``hard``, else medium (the cut points of implanted bugs in the task construction
    specification, applied to models). With fewer than ``minimum_models`` the start value stays.
    """
    if not 0 <= hard <= easy <= 1:
        raise BadNumbersError("The cut points must lie between 0 and 1, hard not above easy.")
    if any(not 0 <= rate <= 1 for rate in rates):
        raise BadNumbersError("A pass rate must lie between 0 and 1.")
    rate = fmean(rates) if rates else None
    if rate is None or len(rates) < minimum_models:
        reason = f"{len(rates)} models are too few to judge by; {minimum_models} are needed"
        return Recalibration(grade=start, start=start, rate=rate, changed=False, reason=reason, measured=False)
    grade: Grade = "medium"
    if rate > easy:
        grade = "easy"
    elif rate < hard:
        grade = "hard"
    reason = f"{len(rates)} models pass it {100 * rate:.1f} % of the time"
    return Recalibration(grade=grade, start=start, rate=rate, changed=grade != start, reason=reason, measured=True)
