"""Bradley-Terry strengths of models from comparisons by pairs; a tie is half a win for each side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotator.metrics.comparison.bootstrap import draw_counts

DRAWS = 2_000
_STEPS = 2_000
_PRECISION = 1e-10
# An interval needs nearly all draws; in the others some model wins or loses all, so it has no strength.
_ENOUGH = 0.975
# The scale of chess: 400 points are odds of ten to one.
_POINTS = 400 / math.log(10)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One compared pair of answers: two models by their places, and the first one's share of the win (1, 0.5, 0)."""

    first: int
    second: int
    share: float


@dataclass(frozen=True, slots=True)
class Strength:
    """A model's score in points (0 is the mean; 400 more are odds of ten to one) with its 95 % interval."""

    score: float
    low: float | None
    high: float | None


def strengths(
    models: int, compared: Sequence[Comparison], *, draws: int = DRAWS, seed: int = 0
) -> list[Strength] | None:
    """Return every model's Bradley-Terry score, with intervals by a bootstrap over the compared pairs.

    The likelihood is maximised by Hunter's MM iteration (2004). None where there is no maximum: unless the models hang
    together by wins and ties in both directions, some would be infinitely better (Ford 1957).
    """
    wins = np.zeros((len(compared), models, models))
    for at, pair in enumerate(compared):
        wins[at, pair.first, pair.second] = pair.share
        wins[at, pair.second, pair.first] = 1 - pair.share
    total = wins.sum(axis=0)
    if models < 2 or not _hangs_together(total):
        return None
    scores = _fit(total[None])[0]
    flat = wins.reshape(len(compared), -1)
    strata = [tuple(sorted((pair.first, pair.second))) for pair in compared]
    drawn = np.concatenate([
        _fit((counts @ flat).reshape(-1, models, models))
        for counts in draw_counts(len(compared), draws, seed, strata)
    ])  # fmt: skip
    known = drawn[np.isfinite(drawn).all(axis=1)]
    if len(known) < _ENOUGH * draws or np.ptp(known, axis=0).max() == 0:
        return [Strength(float(score), None, None) for score in scores]
    lows, highs = np.quantile(known, (0.025, 0.975), axis=0)
    return [Strength(float(s), float(low), float(high)) for s, low, high in zip(scores, lows, highs, strict=True)]


def win_probability(first: float, second: float) -> float:
    """Return how likely a model with the first score wins against one with the second."""
    return 1 / (1 + math.exp((second - first) / _POINTS))


def _hangs_together(wins: Floats) -> bool:
    """Tell whether every model reaches every other over models it won or tied against."""
    reach = (wins > 0) | np.eye(len(wins), dtype=bool)
    for _ in range(len(wins)):
        reach = reach @ reach
    return bool(reach.all())


def _fit(wins: Floats) -> Floats:
    """Return points [draws by models] for wins [draws by models by models]; NaN where the iteration does not settle."""
    games = wins + wins.transpose(0, 2, 1)
    won = wins.sum(axis=2)
    strength = np.ones(won.shape)
    settled = np.zeros(len(wins), dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_STEPS):
            left = ~settled
            now = strength[left]
            new = won[left] / (games[left] / (now[:, :, None] + now[:, None, :])).sum(axis=2)
            new /= np.exp(np.log(new).mean(axis=1, keepdims=True))
            strength[left] = new
            settled[left] = np.abs(new / now - 1).max(axis=1) < _PRECISION
            if settled.all():
                break
        points: Floats = _POINTS * np.log(strength)
    return np.where(settled[:, None] & np.isfinite(points), points, np.nan)
