"""Bradley-Terry strengths of models from pairwise comparisons; a tie is half a win for each side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotator.metrics.comparison.score_intervals import draw_counts

DRAWS = 2_000
_MAX_STEPS = 2_000
_PRECISION = 1e-10
# An interval needs nearly all draws; in the others some model wins or loses all, so it has no strength.
_MIN_FINITE_SHARE = 0.975
# The Elo scale of chess: 400 points are odds of ten to one.
_POINTS_PER_LOG_ODDS = 400 / math.log(10)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """One compared pair of answers: two models by index, and the first one's points (1 win, 0.5 tie, 0 loss)."""

    first: int
    second: int
    share: float


@dataclass(frozen=True, slots=True)
class ModelStrength:
    """A model's score in points with its 95 % interval; 0 is the mean, and 400 points are odds of ten to one."""

    score: float
    low: float | None
    high: float | None


def bradley_terry_strengths(
    models: int, compared: Sequence[ComparedPair], *, draws: int = DRAWS, seed: int = 0
) -> list[ModelStrength] | None:
    """Return every model's Bradley-Terry score, with intervals by a bootstrap over the compared pairs.

    The likelihood is maximised by Hunter's MM iteration (2004). None if there is no maximum: unless the models are
    strongly connected by wins and ties, some would be infinitely better (Ford 1957).
    """
    wins = np.zeros((len(compared), models, models))
    for number, pair in enumerate(compared):
        wins[number, pair.first, pair.second] = pair.share
        wins[number, pair.second, pair.first] = 1 - pair.share
    total = wins.sum(axis=0)
    if models < 2 or not _is_strongly_connected(total):
        return None
    scores = _fit_strengths(total[None])[0]
    flat_wins = wins.reshape(len(compared), -1)
    strata = [tuple(sorted((pair.first, pair.second))) for pair in compared]
    drawn_scores = np.concatenate([
        _fit_strengths((counts @ flat_wins).reshape(-1, models, models))
        for counts in draw_counts(len(compared), draws, seed, strata)
    ])  # fmt: skip
    finite = drawn_scores[np.isfinite(drawn_scores).all(axis=1)]
    if len(finite) < _MIN_FINITE_SHARE * draws or np.ptp(finite, axis=0).max() == 0:
        return [ModelStrength(float(score), None, None) for score in scores]
    lows, highs = np.quantile(finite, (0.025, 0.975), axis=0)
    intervals = zip(scores, lows, highs, strict=True)
    return [ModelStrength(float(score), float(low), float(high)) for score, low, high in intervals]


def _is_strongly_connected(wins: Floats) -> bool:
    """Return whether the graph of wins and ties is strongly connected."""
    reach = (wins > 0) | np.eye(len(wins), dtype=bool)
    for _ in range(len(wins)):
        reach = reach @ reach
    return bool(reach.all())


def _fit_strengths(wins: Floats) -> Floats:
    """Return points [draws by models] for wins [draws by models by models]; NaN without convergence."""
    games = wins + wins.transpose(0, 2, 1)
    points_won = wins.sum(axis=2)
    strength = np.ones(points_won.shape)
    is_converged = np.zeros(len(wins), dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_MAX_STEPS):
            is_open = ~is_converged
            current = strength[is_open]
            new = points_won[is_open] / (games[is_open] / (current[:, :, None] + current[:, None, :])).sum(axis=2)
            new /= np.exp(np.log(new).mean(axis=1, keepdims=True))
            strength[is_open] = new
            is_converged[is_open] = np.abs(new / current - 1).max(axis=1) < _PRECISION
            if is_converged.all():
                break
        points: Floats = _POINTS_PER_LOG_ODDS * np.log(strength)
    return np.where(is_converged[:, None] & np.isfinite(points), points, np.nan)
