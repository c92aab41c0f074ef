"""Ranks on a board: equal scores share the better rank, as in 1, 1, 3.

Correlations and rank differences need average ranks instead (`correlation.average_ranks`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Means of the same scores summed in another order differ in their last digits; they count as equal.
SAME = 1e-10


def board_ranks(scores: Sequence[float | None]) -> list[int | None]:
    """Return every score's rank, 1 for the highest; None for a missing score."""
    ranks: list[int | None] = [None] * len(scores)
    scored = [(score, at) for at, score in enumerate(scores) if score is not None]
    last, above = 0.0, 0
    for place, (score, at) in enumerate(sorted(scored, key=lambda pair: (-pair[0], pair[1]))):
        if last - score > SAME or place == 0:
            above = place
        last, ranks[at] = score, above + 1
    return ranks


def rows_of_ranks(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return `board_ranks` of every row of an array; NaN comes last."""
    filled = np.nan_to_num(scores, nan=-np.inf)
    order = np.argsort(-filled, axis=1, kind="stable")
    ordered = np.take_along_axis(filled, order, axis=1)
    place = np.arange(scores.shape[1])
    new = np.ones(scores.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] < ordered[:, :-1] - SAME
    above = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    ranks = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, above + 1, axis=1)
    return ranks
