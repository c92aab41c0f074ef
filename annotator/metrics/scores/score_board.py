"""Leaderboard and heat map of millions of scores in arrays (metrics specification, sections 0, 1.2 and 1.13).

Arrays are models by items by samples. NaN is a missing sample; it never reaches a result, where a missing
value is None or a count of 0. The formulas are those of `score_intervals` and `pass_at_k`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annotator.metrics.comparison.correlation import board_ranks
from annotator.metrics.comparison.score_intervals import error_factor
from annotator.metrics.metric_values import BadNumbersError, Estimate, check_finite, check_same_length, normal_quantile

if TYPE_CHECKING:
    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreCube:
    """Scores of samples in order of generation; ``machinery`` marks items left out because scoring failed."""

    models: tuple[str, ...]
    items: tuple[str, ...]
    values: Floats
    machinery: NDArray[np.bool_]

    @property
    def samples(self) -> int:
        """The number of scored samples."""
        return int(np.count_nonzero(~np.isnan(self.values)))


@dataclass(frozen=True, slots=True, eq=False)
class ItemScores:
    """One score per model and item (NaN: not evaluated), and the estimator that computed it from the samples."""

    models: tuple[str, ...]
    items: tuple[str, ...]
    values: Floats
    estimator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderRow:
    """A model on the board; ``estimate`` is None if no item was evaluated, ``rank`` is that of `board_ranks`."""

    model: str
    estimate: Estimate | None
    se: float | None
    evaluated: int
    items: int
    rank: int | None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HeatMap:
    """Mean, 95 % interval and count of every model in every group; cells with count 0 hold no number.

    ``wilson`` marks cells with Wilson's interval, ``share`` cells whose scores all lie in 0..1.
    """

    models: tuple[str, ...]
    groups: tuple[str, ...]
    mean: Floats
    low: Floats
    high: Floats
    se: Floats
    count: NDArray[np.int64]
    wilson: NDArray[np.bool_]
    share: NDArray[np.bool_]

    def cell(self, model: int, group: int) -> Estimate | None:
        """Return one cell by position, None where nothing was evaluated."""
        if self.count[model, group] == 0:
            return None
        position = (model, group)
        if math.isnan(self.low[position]):
            return Estimate(
                value=float(self.mean[position]), low=None, high=None, n=int(self.count[position]), method="none"
            )
        method = "wilson" if self.wilson[position] else "clt"
        return Estimate(
            value=float(self.mean[position]),
            low=float(self.low[position]),
            high=float(self.high[position]),
            n=int(self.count[position]),
            method=method,
        )

    def macro(self, minimum: int = 10) -> tuple[tuple[float | None, float | None], ...]:
        """Return each model's unweighted mean over groups with enough items, and its sample deviation."""
        results: list[tuple[float | None, float | None]] = []
        for mean, count in zip(self.mean, self.count, strict=True):
            group_means = mean[count >= max(1, minimum)]
            std = float(group_means.std(ddof=1)) if len(group_means) > 1 else None
            results.append((float(group_means.mean()) if len(group_means) else None, std))
        return tuple(results)


def score_cube(
    models: Sequence[str], items: Sequence[str], model_codes: ArrayLike, item_codes: ArrayLike, scores: ArrayLike
) -> ScoreCube:
    """Build a cube from three columns of equal length: model number, item number, score.

    Rows of one model and item are its samples in the order given. A score of NaN means that scoring failed. It
    never counts as 0, so the item is left out for this model. Raises `BadNumbersError` for numbers out of range.
    """
    model_of = np.asarray(model_codes, dtype=np.int64)
    item_of = np.asarray(item_codes, dtype=np.int64)
    values = np.asarray(scores, dtype=np.float64)
    check_same_length(len(model_of), len(item_of), "rows")
    check_same_length(len(model_of), len(values), "rows")
    shape = (len(models), len(items))
    for codes, n in zip((model_of, item_of), shape, strict=True):
        if len(codes) and (codes.min() < 0 or codes.max() >= n):
            raise BadNumbersError("A row names a model or an item that is not listed.")
    if np.isinf(values).any():
        raise BadNumbersError("A score must be a number.")
    cell = model_of * len(items) + item_of
    counts = np.bincount(cell, minlength=shape[0] * shape[1])
    if (np.diff(cell) < 0).any():
        order = np.argsort(cell, kind="stable")
        cell, values = cell[order], values[order]
    max_samples = max(1, int(counts.max(initial=0)))
    if len(counts) and counts.min() == max_samples:
        cube = values.reshape(-1, max_samples).copy()
    else:
        cube = np.full((shape[0] * shape[1], max_samples), np.nan)
        starts = np.cumsum(counts) - counts
        cube[cell, np.arange(len(cell)) - starts[cell]] = values
    is_excluded = np.zeros(len(cube), dtype=bool)
    is_excluded[cell[np.isnan(values)]] = True
    cube[is_excluded] = np.nan
    return ScoreCube(tuple(models), tuple(items), cube.reshape(*shape, cube.shape[1]), is_excluded.reshape(shape))


def item_means(cube: ScoreCube) -> ItemScores:
    """Return the mean of each item's samples (pass@1 for scores of 0 and 1)."""
    sums = cube.values.sum(axis=2)
    counts = np.full(sums.shape, cube.values.shape[2])
    # Most cells have all their samples; the others are computed separately.
    has_gaps = np.isnan(sums)
    if has_gaps.any():
        incomplete_cells = cube.values[has_gaps]
        counts[has_gaps] = (~np.isnan(incomplete_cells)).sum(axis=1)
        sums[has_gaps] = np.nansum(incomplete_cells, axis=1)
    return ItemScores(cube.models, cube.items, _divide(sums, counts), "mean")


def item_best_of_k(cube: ScoreCube, k: int) -> ItemScores:
    """Return the expected best of k samples per item, NaN for fewer samples; pass@k for scores of 0 and 1."""
    return item_best_of_ks(cube, (k,))[k]


def item_best_of_ks(cube: ScoreCube, ks: Sequence[int]) -> dict[int, ItemScores]:
    """Return `item_best_of_k` for several k at once; the samples are sorted only once."""
    for k in ks:
        if k < 1:
            raise BadNumbersError(f"The best of {k} is undefined; k must be at least 1.")
    models, items, width = cube.values.shape
    # NaN sorts to the end, so the first n of a row are its n scores, ascending.
    ordered = np.sort(cube.values, axis=2).reshape(-1, width)
    counts = width - np.isnan(ordered).sum(axis=1)
    values = {k: np.full(len(ordered), np.nan) for k in ks}
    for n in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == n)
        # Summed sample by sample: a matrix product would round equal rows differently, and equal models would not tie.
        columns = np.ascontiguousarray((ordered if len(rows) == len(ordered) else ordered[rows])[:, :n].T)
        for k in ks:
            if k <= n:
                weights = (math.comb(i - 1, k - 1) / math.comb(n, k) for i in range(k, n + 1))
                values[k][rows] = sum(weight * column for weight, column in zip(weights, columns[k - 1 :], strict=True))
    return {
        k: ItemScores(cube.models, cube.items, best.reshape(models, items), f"best of {k}")
        for k, best in values.items()
    }


def _divide(sums: Floats, counts: NDArray[np.int64]) -> Floats:
    ratio: Floats = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return ratio


def leaderboard(scores: ItemScores, clusters: Sequence[Hashable] | None = None) -> tuple[LeaderRow, ...]:
    """Return one row per model, best first: mean over its evaluated items, 95 % interval, standard error, rank.

    The interval is Wilson's for scores of 0 and 1, else mean ± 1.96 SE, or Student's t for few items. ``clusters``
    names each item's cluster; the standard error is then clustered. Rows without an evaluated item come last.
    """
    if not scores.items:
        return tuple(
            LeaderRow(model=model, estimate=None, se=None, evaluated=0, items=0, rank=None) for model in scores.models
        )
    board = heat_map(scores, [""] * len(scores.items))
    se = board.se[:, 0] if clusters is None else _clustered_errors(scores, clusters)
    estimates = []
    for model_index in range(len(scores.models)):
        estimate = board.cell(model_index, 0)
        error = float(se[model_index]) if math.isfinite(se[model_index]) else None
        if estimate is not None and clusters is not None and error:
            evaluated = ~np.isnan(scores.values[model_index])
            evaluated_clusters = {
                cluster for cluster, is_evaluated in zip(clusters, evaluated, strict=True) if is_evaluated
            }
            half = error_factor(len(evaluated_clusters)) * error
            low, high = estimate.value - half, estimate.value + half
            if board.share[model_index, 0]:
                low, high = max(0.0, low), min(1.0, high)
            estimate = Estimate(value=estimate.value, low=low, high=high, n=estimate.n, method="clustered")
        estimates.append((estimate, error))
    ranks = board_ranks([estimate.value if estimate else None for estimate, _ in estimates])
    rows = [
        LeaderRow(
            model=model,
            estimate=estimate,
            se=error,
            evaluated=int(board.count[model_index, 0]),
            items=len(scores.items),
            rank=rank,
        )
        for model_index, (model, (estimate, error), rank) in enumerate(
            zip(scores.models, estimates, ranks, strict=True)
        )
    ]
    # The sort is stable: models of one rank keep their order.
    return tuple(sorted(rows, key=lambda row: math.inf if row.rank is None else row.rank))


def heat_map(scores: ItemScores, groups: Sequence[str | None]) -> HeatMap:
    """Return every model's mean, interval and count in every group (domain, language, type) of items.

    ``groups`` names each item's group, None for none. Groups keep the order of their first item.
    """
    check_same_length(len(scores.items), len(groups), "items")
    names: dict[str, int] = {}
    codes = [names.setdefault(group, len(names)) for group in groups if group is not None]
    positions = np.flatnonzero([group is not None for group in groups])
    order = np.argsort(codes, kind="stable") if codes else np.empty(0, dtype=np.int64)
    sizes = np.bincount(np.asarray(codes, dtype=np.int64), minlength=len(names))
    starts = np.cumsum(sizes) - sizes
    # With the items of a group side by side, sums need one pass and no threaded matrix product.
    values = scores.values[:, positions[order]]
    missing = np.isnan(values)
    has_missing = bool(missing.any())
    filled = np.where(missing, 0.0, values) if has_missing else values
    shape = (len(values), len(names))

    def over_groups(cells: NDArray[np.generic], add: np.ufunc = np.add) -> Floats:
        sums = add.reduceat(cells, starts, axis=1, dtype=np.float64) if len(names) else np.empty(shape)
        return np.asarray(sums)

    count = over_groups(~missing) if has_missing else np.broadcast_to(sizes.astype(np.float64), shape)
    total = over_groups(filled)
    mean = _divide(total, count.astype(np.int64))
    # Deviations from each group's own mean: sums of squares alone would lose the spread of nearly equal scores.
    deviations = filled - np.repeat(np.nan_to_num(mean), sizes, axis=1)
    if has_missing:
        deviations[missing] = 0.0
    degrees = np.where(count > 1, count - 1, np.nan)
    at_least_one = np.where(count > 0, count, np.nan)
    se = np.sqrt(over_groups(deviations * deviations) / degrees / at_least_one)
    graded = over_groups((filled != 0) & (filled != 1))
    # Criteria may give points below 0 or above 1; such means are not shares.
    share = (over_groups(filled, np.minimum) >= 0) & (over_groups(filled, np.maximum) <= 1)
    # A tiny standard error is rounding noise of equal graded scores, not spread.
    has_no_spread = ~(se > 1e-12)
    wilson = share & ((graded == 0) | has_no_spread)
    low, high = _interval_bounds(mean, np.where(has_no_spread, np.nan, se), total, count, wilson)
    low = np.where(share, np.clip(low, 0.0, 1.0), low)
    high = np.where(share, np.clip(high, 0.0, 1.0), high)
    return HeatMap(
        models=scores.models,
        groups=tuple(names),
        mean=mean,
        low=low,
        high=high,
        se=se,
        count=count.astype(np.int64),
        wilson=wilson,
        share=share,
    )


def _interval_bounds(
    mean: Floats, se: Floats, total: Floats, count: Floats, wilson: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    z = normal_quantile(0.975)
    n = np.where(count > 0, count, np.nan)
    share = np.clip(np.round(total), 0, n) / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    half_width = _error_factors(count) * se
    low = np.where(wilson, centre - half, mean - half_width)
    high = np.where(wilson, centre + half, mean + half_width)
    return low, high


def _error_factors(count: Floats) -> Floats:
    sizes, positions = np.unique(count, return_inverse=True)
    return np.asarray([error_factor(int(size)) for size in sizes], dtype=np.float64)[positions].reshape(count.shape)


def _clustered_errors(scores: ItemScores, clusters: Sequence[Hashable]) -> Floats:
    """Return each model's clustered standard error, NaN for fewer than two items."""
    check_same_length(len(scores.items), len(clusters), "items")
    numbers: dict[Hashable, int] = {}
    codes = np.asarray([numbers.setdefault(cluster, len(numbers)) for cluster in clusters], dtype=np.int64)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    evaluated = ~np.isnan(scores.values)
    n = evaluated.sum(axis=1).astype(np.float64)
    mean = _divide(np.where(evaluated, scores.values, 0.0).sum(axis=1), n.astype(np.int64))
    deviations = np.where(evaluated, scores.values - mean[:, None], 0.0)
    squared = (deviations**2).sum(axis=1)
    sums = np.add.reduceat(deviations[:, order], starts, axis=1) if len(starts) else np.zeros((len(deviations), 1))
    sizes = np.where(n > 1, n, np.nan)
    variance = squared / (sizes - 1) / sizes + ((sums**2).sum(axis=1) - squared) / (sizes * sizes)
    return np.asarray(np.sqrt(np.maximum(0.0, variance)))


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Return the unbiased pass@k of one problem with n samples of which c pass; None if k > n.

    Raises `BadNumbersError` unless 0 <= c <= n and k >= 1.
    """
    if not 0 <= c <= n or k < 1:
        raise BadNumbersError(f"pass@{k} of {n} samples with {c} passes is impossible.")
    if k > n:
        return None
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def best_of_k(scores: Sequence[float], k: int) -> float | None:
    """Return the exact expectation of the best score over all k-subsets of the samples; None if k > n."""
    if k < 1:
        raise BadNumbersError(f"The best of {k} is undefined; k must be at least 1.")
    check_finite(scores)
    n = len(scores)
    if k > n:
        return None
    total = math.fsum(score * math.comb(i - 1, k - 1) for i, score in enumerate(sorted(scores), start=1) if i >= k)
    return total / math.comb(n, k)


@dataclass(frozen=True, slots=True)
class BatchScoreReport:
    """A run's share of points with two kinds of noise: from decoding, and from the choice of questions.

    ``decoding_std`` is the deviation over batches, ``question_se`` the standard error of the mean of question scores.
    """

    share: float
    decoding_std: float | None
    question_se: float | None
    questions: int


def block_report(block: NDArray[np.float64], batch: int) -> BatchScoreReport | None:
    """Return the score with its two kinds of noise from an array of questions by responses (NaN: missing).

    Only questions with all their responses count. None without such a question, or for responses that do not make
    whole batches.
    """
    complete_questions = block[~np.isnan(block).any(axis=1)]
    if not complete_questions.size or complete_questions.shape[1] % batch:
        return None
    best = complete_questions.reshape(len(complete_questions), -1, batch).max(axis=2)
    shares = best.mean(axis=0)
    question_scores = best.mean(axis=1)
    std = float(shares.std(ddof=1)) if len(shares) > 1 else None
    error = float(question_scores.std(ddof=1) / math.sqrt(len(question_scores))) if len(question_scores) > 1 else None
    return BatchScoreReport(float(shares.mean()), std, error, len(question_scores))
