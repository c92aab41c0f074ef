"""Bootstrap over problems: in strata, by whole clusters, paired over models (metrics specification, 1.13)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annotator.metrics.metric_values import BadNumbersError, check_same_length
from annotator.metrics.scores.score_board import board_ranks, rows_of_ranks

DRAWS = 10_000
# Cells (draws times problems) per block: limits the memory, and lets a page show the first blocks early.
_BLOCK_CELLS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampled:
    """A mean with its bootstrap interval and standard error."""

    value: float
    low: float | None
    high: float | None
    se: float | None
    draws: int


def bootstrap_interval(
    scores: ArrayLike, *, draws: int = DRAWS, seed: int = 0, clusters: Sequence[Hashable] | None = None
) -> Resampled:
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
        return Resampled(value=value, low=None, high=None, se=None, draws=draws)
    low, high = (float(end) for end in np.quantile(means, (0.025, 0.975)))
    return Resampled(value=value, low=low, high=high, se=float(means.std(ddof=1)), draws=draws)


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
    units, of_unit = _codes(clusters, n)
    groups = _unit_groups(strata, units, of_unit)
    rng = np.random.Generator(np.random.PCG64(seed))
    size = max(1, min(draws, _BLOCK_CELLS // n))
    for start in range(0, draws, size):
        rows = min(size, draws - start)
        counts = np.zeros((rows, units), dtype=np.int64)
        for members in groups:
            drawn = rng.integers(0, len(members), size=(rows, len(members)))
            drawn += np.arange(rows)[:, None] * len(members)
            flat = np.bincount(drawn.ravel(), minlength=rows * len(members))
            counts[:, members] = flat.reshape(rows, len(members))
        yield counts if clusters is None else counts[:, of_unit]


def _codes(labels: Sequence[Hashable] | None, n: int) -> tuple[int, NDArray[np.int64]]:
    if labels is None:
        return n, np.arange(n)
    check_same_length(n, len(labels), "problems")
    numbers: dict[Hashable, int] = {}
    codes = np.asarray([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
    return len(numbers), codes


def _unit_groups(strata: Sequence[Hashable] | None, units: int, of_unit: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    if strata is None:
        return [np.arange(units)]
    number, codes = _codes(strata, len(of_unit))
    of_stratum = np.full(units, -1, dtype=np.int64)
    of_stratum[of_unit] = codes
    if (of_stratum[of_unit] != codes).any():
        raise BadNumbersError("A cluster must lie within one stratum.")
    return [np.flatnonzero(of_stratum == stratum) for stratum in range(number)]


def resampled_means(
    values: NDArray[np.float64],
    draws: int = DRAWS,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
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
    """A model's rank (`ranks.board_ranks`), its 95 % interval over draws, and how often it is best (ties share)."""

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
    with_mean = [i for i, mean in enumerate(means) if mean is not None]
    drawn = np.concatenate(list(blocks))[:, with_mean]
    lows, highs = np.nanpercentile(drawn, (2.5, 97.5), axis=0) if with_mean else (np.empty(0), np.empty(0))
    errors = np.nanstd(drawn, axis=0, ddof=1) if with_mean and len(drawn) > 1 else np.full(len(with_mean), np.nan)
    ranked, own = rows_of_ranks(drawn), board_ranks(means)
    top = ranked.min(axis=1, keepdims=True) if with_mean else ranked
    first = ranked == top
    shares = (first / first.sum(axis=1, keepdims=True)).mean(axis=0) if with_mean else np.empty(0)
    low: list[float | None] = [None] * len(means)
    high, se = list(low), list(low)
    ranks: list[RankInterval | None] = [None] * len(means)
    for column, i in enumerate(with_mean):
        low[i], high[i] = float(lows[column]), float(highs[column])
        se[i] = float(errors[column]) if np.isfinite(errors[column]) else None
        # Ranks are whole numbers, so quantiles must not be interpolated.
        ends = np.percentile(ranked[:, column], (2.5, 97.5), method="nearest")
        ranks[i] = RankInterval(own[i] or 0, int(ends[0]), int(ends[1]), float(shares[column]))
    return BoardDraws(low=tuple(low), high=tuple(high), se=tuple(se), ranks=tuple(ranks), draws=len(drawn))
