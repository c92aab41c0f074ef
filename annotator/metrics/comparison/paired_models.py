"""Two models on the same problems, and how many problems a comparison needs (metrics specification, section 1.13).

A paired difference is judged by Student's t with one degree of freedom less than there are problems (or clusters), at
every size, so its interval and p-value agree.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from annotator.metrics.comparison.score_intervals import standard_error, student_factor
from annotator.metrics.metric_values import (
    BadNumbersError,
    check_same_length,
    fair_coin_test,
    normal_quantile,
    student_two_sided,
)


class PairedDifference(NamedTuple):
    """Mean of a - b over problems, and its standard error (None for one problem)."""

    mean: float
    se: float | None


@dataclass(frozen=True, slots=True)
class McNemar:
    """Problems only a solved, only b solved, and the exact p-value of the two counts being equal."""

    only_a: int
    only_b: int
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedComparison:
    """The comparison of two models on the problems that both were scored on.

    ``low`` and ``high`` bound the mean difference (95 %); ``p`` is the exact McNemar test where all scores are 0 or 1,
    else the two-sided t-test of the paired difference. Differences that are all equal, or all of one cluster, have no
    spread to judge by, so they have neither interval nor test. ``better`` and ``worse`` are the problems a gained or
    lost on b.
    """

    n: int
    mean: float
    se: float | None
    low: float | None
    high: float | None
    p: float | None
    mcnemar: McNemar | None
    better: tuple[str, ...]
    worse: tuple[str, ...]


def paired_difference(
    a: Sequence[float], b: Sequence[float], clusters: Sequence[Hashable] | None = None
) -> PairedDifference:
    """Return mean and standard error of a - b over the same problems in the same order.

    Never compare two models by overlapping intervals: on shared problems this is the sharper test.
    Raises `BadNumbersError` for series of different length or of no problem.
    """
    check_same_length(len(a), len(b), "problems")
    if not a:
        raise BadNumbersError("There is no problem to compare on.")
    differences = [x - y for x, y in zip(a, b, strict=True)]
    return PairedDifference(fmean(differences), standard_error(differences, clusters))


def mcnemar(a: Sequence[float], b: Sequence[float]) -> McNemar:
    """Return the exact McNemar test of two 0/1 series. Raises `BadNumbersError` for other scores."""
    check_same_length(len(a), len(b), "problems")
    if any(score not in (0, 1) for series in (a, b) for score in series):
        raise BadNumbersError("McNemar's test needs scores of 0 and 1.")
    only_a = sum(x > y for x, y in zip(a, b, strict=True))
    only_b = sum(x < y for x, y in zip(a, b, strict=True))
    return McNemar(only_a, only_b, fair_coin_test(only_a, only_a + only_b))


def compare_pairwise(
    a: Mapping[str, float], b: Mapping[str, float], clusters: Mapping[str, Hashable] | None = None
) -> PairedComparison | None:
    """Compare two models given as problem -> score on the problems they share; None if they share none.

    A problem without an entry in ``clusters`` is its own cluster.
    """
    names = [name for name in a if name in b]
    if not names:
        return None
    ours = [a[name] for name in names]
    theirs = [b[name] for name in names]
    groups = [clusters.get(name, name) for name in names] if clusters is not None else None
    mean, se = paired_difference(ours, theirs, groups)
    is_binary = all(score in (0, 1) for score in (*ours, *theirs))
    mcnemar_test = mcnemar(ours, theirs) if is_binary else None
    unit_count = len(set(groups)) if groups is not None else len(names)
    spread = se if se and unit_count > 1 else None
    half = student_factor(unit_count) * spread if spread else None
    paired_p = student_two_sided(mean / spread, unit_count - 1) if spread else None
    return PairedComparison(
        n=len(names),
        mean=mean,
        se=se,
        low=mean - half if half else None,
        high=mean + half if half else None,
        p=mcnemar_test.p if mcnemar_test and clusters is None else paired_p,
        mcnemar=mcnemar_test,
        better=tuple(name for name in names if a[name] > b[name]),
        worse=tuple(name for name in names if a[name] < b[name]),
    )


def holm_adjusted(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return Holm's adjusted p-values, in the order given, for comparisons that are shown together."""
    if any(not 0 <= p <= 1 for p in p_values):
        raise BadNumbersError("A p-value must lie between 0 and 1.")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return tuple(adjusted)


def sample_size(
    omega2: float,
    delta: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    variance_a: float = 0.0,
    samples_a: int = 1,
    variance_b: float = 0.0,
    samples_b: int = 1,
) -> int:
    """Return how many problems a paired comparison needs to find a difference ``delta``.

    ``omega2`` is the variance over problems of the true difference, ``variance_*`` the mean variance of one sample on
    one problem, ``samples_*`` the samples per problem. Raises `BadNumbersError` for impossible values.
    """
    if delta == 0 or min(omega2, variance_a, variance_b) < 0 or min(samples_a, samples_b) < 1:
        raise BadNumbersError("The difference must not be 0, variances not negative, and samples at least 1.")
    z = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    spread = omega2 + variance_a / samples_a + variance_b / samples_b
    return math.ceil(z * z * spread / (delta * delta) - 1e-9)
