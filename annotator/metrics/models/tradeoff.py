"""Scores against another quantity: cost, context length, temperature (results page)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotator.metrics.comparison.intervals import mean_estimate
from annotator.metrics.metric_values import BadNumbersError, Estimate, check_same_length


@dataclass(frozen=True, slots=True)
class Bin:
    """Problems with low <= x < high (the last bin holds its upper end), and their mean score."""

    low: float
    high: float
    estimate: Estimate | None


def mean_by_bins(x: Sequence[float], scores: Sequence[float], edges: Sequence[float]) -> tuple[Bin, ...]:
    """Return mean score with interval per bin of x (tokens of context, say); values outside the edges are left out.

    Raises `BadNumbersError` unless the edges rise.
    """
    check_same_length(len(x), len(scores), "problems")
    if len(edges) < 2 or any(low >= high for low, high in pairwise(edges)):
        raise BadNumbersError("The edges of bins must rise, and there must be two at least.")
    scores_by_bin: list[list[float]] = [[] for _ in edges[1:]]
    for value, score in zip(x, scores, strict=True):
        if edges[0] <= value <= edges[-1]:
            scores_by_bin[min(bisect_right(edges, value) - 1, len(scores_by_bin) - 1)].append(score)
    return tuple(
        Bin(low, high, mean_estimate(values))
        for (low, high), values in zip(pairwise(edges), scores_by_bin, strict=True)
    )


def pareto_front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the Pareto front of (cost, score): no other point is as cheap and better, or cheaper and as good.

    Names are sorted by rising cost; equal points are all included.
    """
    front: list[str] = []
    best: tuple[float, float] | None = None
    for name in sorted(points, key=lambda name: (points[name][0], -points[name][1])):
        if best is None or points[name][1] > best[1] or points[name] == best:
            front.append(name)
            best = points[name]
    return front
