"""Domain tables and domain-specific improvement (metrics specification, sections 1.4 and 1.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from annotator.metrics.metric_values import BadNumbersError, check_finite, check_same_length

FEW_PROBLEMS = 10
DSI_THRESHOLD = 10.0


class Macro(NamedTuple):
    """Unweighted mean over domains and sample standard deviation (None for one domain)."""

    mean: float
    std: float | None


def macro_mean(values: Sequence[float]) -> Macro:
    """Return the unweighted mean over domains and the sample standard deviation (ddof 1, as published).

    Raises `BadNumbersError` for no domain.
    """
    if not values:
        raise BadNumbersError("There is no domain.")
    check_finite(values)
    return Macro(fmean(values), stdev(values) if len(values) > 1 else None)


def micro_mean(values: Sequence[float], sizes: Sequence[int]) -> float | None:
    """Return the mean over problems from group means and sizes; None if there is no problem."""
    check_same_length(len(values), len(sizes), "groups")
    total = sum(sizes)
    return math.fsum(value * size for value, size in zip(values, sizes, strict=True)) / total if total else None


def average_row(rows: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], float | None]:
    """Return a table's average row as published: column means, and the *mean* of the rows' deviations.

    The deviation of the averaged row would be another, smaller number.
    """
    if not rows or len({len(row) for row in rows}) != 1:
        raise BadNumbersError("An average row needs rows of the same domains.")
    deviations = [macro_mean(row).std for row in rows]
    defined = [value for value in deviations if value is not None]
    return tuple(fmean(column) for column in zip(*rows, strict=True)), fmean(defined) if defined else None


def dsi(scores: Sequence[float], i: int, paper: bool = False) -> float | None:
    """Return the domain-specific improvement of model ``i`` on one domain against the other models, in percent.

    100·(1 - mean of the others / own): at most +100, no lower bound, and it depends on the set of models compared.
    None for a model that solves nothing; paper mode then returns -100 (0 if the others solve nothing either), as the
    published table does. None for a single model. Raises `BadNumbersError` for an unknown index.
    """
    if not 0 <= i < len(scores):
        raise BadNumbersError(f"There is no model number {i} among {len(scores)}.")
    check_finite(scores)
    if len(scores) < 2:
        return None
    others = fmean([score for j, score in enumerate(scores) if j != i])
    own = scores[i]
    if own == 0:
        return (-100.0 if others else 0.0) if paper else None
    return 100.0 * (1.0 - others / own)


def domain_label(value: float | None, threshold: float = DSI_THRESHOLD) -> str:
    """Return `comfort`, `strange` or `neutral` (on the threshold is neutral); `unsolved` where there is no DSI."""
    if value is None:
        return "unsolved"
    if value > threshold:
        return "comfort"
    return "strange" if value < -threshold else "neutral"
