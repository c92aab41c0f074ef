"""Error bars for means of per-problem scores, and bootstrap over problems (metrics specification, section 1.13).

The bootstrap draws in strata, by whole clusters, or paired over models.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annotator.metrics.comparison.correlation import board_ranks, rows_of_ranks
from annotator.metrics.metric_values import (
    BadNumbersError,
    Estimate,
    check_finite,
    check_same_length,
    normal_quantile,
    student_quantile,
)

FEW_CLUSTERS = 10
# The 0.975 quantile of the normal distribution.
Z95 = 1.96
# With fewer scores than this, the standard error is itself uncertain, so the wider Student's t is used.
FEW_SCORES = 30


def standard_error(scores: Sequence[float], clusters: Sequence[Hashable] | None = None) -> float | None:
    """Return the standard error of the mean of per-problem scores, None for fewer than two problems.

    ``clusters`` names each problem's cluster (repository, source file); problems of one cluster are not independent
    and the clustered form is used (Miller 2024). Raises `BadNumbersError` if lengths differ or a score is not a number.
    """
    n = len(scores)
    if clusters is not None:
        check_same_length(n, len(clusters), "problems")
    check_finite(scores)
    if n < 2:
        return None
    mean = fmean(scores)
    deviations = [score - mean for score in scores]
    squared = math.fsum(d * d for d in deviations)
    plain = squared / (n - 1) / n
    if clusters is None:
        return math.sqrt(plain)
    sums: dict[Hashable, float] = {}
    for cluster, deviation in zip(clusters, deviations, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + deviation
    within_clusters = math.fsum(total * total for total in sums.values()) - squared
    return math.sqrt(max(0.0, plain + within_clusters / (n * n)))


@cache
def student_factor(n: int) -> float:
    """Return the half width, in standard errors, of a 95 % interval of Student's t; ``n`` > 1 scores or clusters."""
    return student_quantile(0.975, n - 1)


def error_factor(n: int) -> float:
    """Return the half width, in standard errors, of a mean's 95 % interval; Student's t for few scores.

    With clusters, ``n`` is their number.
    """
    return student_factor(n) if 1 < n < FEW_SCORES else Z95


def few_clusters(clusters: Iterable[Hashable]) -> bool:
    """Return whether there are too few clusters for the clustered error; use the cluster bootstrap then."""
    return len(set(clusters)) < FEW_CLUSTERS


def wilson_interval(successes: int, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """Return the Wilson score interval of a share, None for n = 0.

    Raises `BadNumbersError` outside 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise BadNumbersError(f"{successes} successes of {n} are impossible.")
    if n == 0:
        return None
    return wilson_of_share(successes / n, n, normal_quantile(0.5 + level / 2))


def wilson_of_share(share: float, n: float, z: float) -> tuple[float, float]:
    """Return the Wilson score interval of a share of ``n`` > 0, which need not be whole, for a quantile ``z``."""
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def mean_estimate(scores: Sequence[float], clusters: Sequence[Hashable] | None = None) -> Estimate | None:
    """Return the mean with its 95 % interval and the method used, None for no scores.

    Wilson for 0/1 scores, else mean ± 1.96 SE (Student's t for few), within 0..1 if all scores are. All-equal scores
    have no spread to judge by, so those in 0..1 get Wilson's interval of the rounded count, and others none.
    ``clusters`` name problems that belong together; 0/1 scores then use the clustered form as well.
    """
    n = len(scores)
    if n == 0:
        return None
    mean = fmean(scores)
    error = standard_error(scores, clusters)
    are_shares = all(0 <= score <= 1 for score in scores)
    are_binary = all(score in (0, 1) for score in scores)
    if are_shares and (not error or (are_binary and clusters is None)):
        low, high = wilson_interval(max(0, min(n, round(math.fsum(scores)))), n) or (0.0, 1.0)
        return Estimate(value=mean, low=low, high=high, n=n, method="wilson")
    if not error:
        return Estimate(value=mean, low=None, high=None, n=n, method="none")
    half = error_factor(n if clusters is None else len(set(clusters))) * error
    low, high = mean - half, mean + half
    method = "clt" if clusters is None else "clustered"
    return Estimate(
        value=mean,
        low=max(0.0, low) if are_shares else low,
        high=min(1.0, high) if are_shares else high,
        n=n,
        method=method,
    )


DRAWS = 10_000
# Cells (draws times problems) per block: limits the memory, and lets a page show the first blocks early.
_BLOCK_CELLS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapMean:
    """A mean with its bootstrap interval and standard error."""

    value: float
    low: float | None
    high: float | None
    se: float | None
    draws: int


def bootstrap_interval(
    scores: ArrayLike, *, draws: int = DRAWS, seed: int = 0, clusters: Sequence[Hashable] | None = None
) -> BootstrapMean:
    """Return the mean of per-problem scores with its bootstrap interval (percentiles).

    Problems are drawn with replacement, and whole ``clusters`` together. The generator is PCG64(seed), so the same call
    gives the same interval. Raises `BadNumbersError` for no problem or wrong lengths.
    """
    data = np.asarray(scores, dtype=np.float64)
    if data.ndim == 0 or len(data) == 0:
        raise BadNumbersError("There is no problem to draw from.")
    if not np.isfinite(data).all():
        raise BadNumbersError("A score must be a number; leave missing ones out.")
    value = float(data.mean())
    means = np.concatenate([block[:, 0] for block in resampled_means(data[None], draws, seed, clusters)])
    if len(means) < 2:
        return BootstrapMean(value=value, low=None, high=None, se=None, draws=draws)
    low, high = (float(end) for end in np.quantile(means, (0.025, 0.975)))
    return BootstrapMean(value=value, low=low, high=high, se=float(means.std(ddof=1)), draws=draws)


def draw_counts(
    n: int,
    draws: int = DRAWS,
    seed: int = 0,
    strata: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> Iterator[NDArray[np.int64]]:
    """Yield blocks [draws of the block by n] of how often each problem is in each draw.

    Counts instead of indexes: a mean over draws is then one matrix product for all models.
    """
    if draws < 1 or n < 1:
        raise BadNumbersError("A bootstrap needs at least one draw and one problem.")
    units, unit_of_problem = _number_labels(clusters, n)
    groups = _unit_groups(strata, units, unit_of_problem)
    rng = np.random.Generator(np.random.PCG64(seed))
    size = max(1, min(draws, _BLOCK_CELLS // n))
    for start in range(0, draws, size):
        rows = min(size, draws - start)
        counts = np.zeros((rows, units), dtype=np.int64)
        for members in groups:
            drawn_members = rng.integers(0, len(members), size=(rows, len(members)))
            drawn_members += np.arange(rows)[:, None] * len(members)
            member_counts = np.bincount(drawn_members.ravel(), minlength=rows * len(members))
            counts[:, members] = member_counts.reshape(rows, len(members))
        yield counts if clusters is None else counts[:, unit_of_problem]


def _number_labels(labels: Sequence[Hashable] | None, n: int) -> tuple[int, NDArray[np.int64]]:
    if labels is None:
        return n, np.arange(n)
    check_same_length(n, len(labels), "problems")
    numbers: dict[Hashable, int] = {}
    codes = np.asarray([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
    return len(numbers), codes


def _unit_groups(
    strata: Sequence[Hashable] | None, units: int, unit_of_problem: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    if strata is None:
        return [np.arange(units)]
    stratum_count, codes = _number_labels(strata, len(unit_of_problem))
    stratum_of_unit = np.full(units, -1, dtype=np.int64)
    stratum_of_unit[unit_of_problem] = codes
    if (stratum_of_unit[unit_of_problem] != codes).any():
        raise BadNumbersError("All problems of a cluster must be in the same stratum.")
    return [np.flatnonzero(stratum_of_unit == stratum) for stratum in range(stratum_count)]


def resampled_means(
    values: NDArray[np.float64], draws: int = DRAWS, seed: int = 0, clusters: Sequence[Hashable] | None = None
) -> Iterator[NDArray[np.float64]]:
    """Yield blocks [draws of the block by models] of resampled means; all models share each draw.

    ``values`` is models by problems; NaN marks a problem a model was not evaluated on, which leaves its mean (a draw
    without any evaluated problem is NaN). Blocks come as they are ready, so a page can show the first at once.
    """
    missing = np.isnan(values)
    filled = np.where(missing, 0.0, values).T
    present = (~missing).astype(np.float64).T if missing.any() else None
    for counts in draw_counts(values.shape[1], draws, seed, clusters=clusters):
        weights = counts.astype(np.float64)
        totals = weights @ filled
        sizes: Any = weights @ present if present is not None else weights.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            yield totals / sizes


@dataclass(frozen=True, slots=True)
class RankInterval:
    """A model's rank (`board_ranks`), its 95 % interval over draws, and how often it is best (ties share)."""

    rank: int
    low: int
    high: int
    best: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardDraws:
    """Every model's results over the draws: interval of the mean, standard error, rank."""

    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    se: tuple[float | None, ...]
    ranks: tuple[RankInterval | None, ...]
    draws: int


def board_draws(means: Sequence[float | None], blocks: Iterable[NDArray[np.float64]]) -> BoardDraws:
    """Summarise blocks of `resampled_means`; call again with more blocks as they arrive.

    ``means`` are the models' own means. A model without a mean has no interval and no rank.
    """
    with_mean = [model for model, mean in enumerate(means) if mean is not None]
    drawn_means = np.concatenate(list(blocks))[:, with_mean]
    lows, highs = np.nanpercentile(drawn_means, (2.5, 97.5), axis=0) if with_mean else (np.empty(0), np.empty(0))
    errors = (
        np.nanstd(drawn_means, axis=0, ddof=1)
        if with_mean and len(drawn_means) > 1
        else np.full(len(with_mean), np.nan)
    )
    drawn_ranks = rows_of_ranks(drawn_means)
    own_ranks = board_ranks(means)
    best_ranks = drawn_ranks.min(axis=1, keepdims=True) if with_mean else drawn_ranks
    is_best = drawn_ranks == best_ranks
    shares = (is_best / is_best.sum(axis=1, keepdims=True)).mean(axis=0) if with_mean else np.empty(0)
    low: list[float | None] = [None] * len(means)
    high = list(low)
    se = list(low)
    ranks: list[RankInterval | None] = [None] * len(means)
    for column, model in enumerate(with_mean):
        low[model] = float(lows[column])
        high[model] = float(highs[column])
        se[model] = float(errors[column]) if np.isfinite(errors[column]) else None
        # Ranks are whole numbers, so quantiles must not be interpolated.
        ends = np.percentile(drawn_ranks[:, column], (2.5, 97.5), method="nearest")
        ranks[model] = RankInterval(own_ranks[model] or 0, int(ends[0]), int(ends[1]), float(shares[column]))
    return BoardDraws(low=tuple(low), high=tuple(high), se=tuple(se), ranks=tuple(ranks), draws=len(drawn_means))
