"""Scores against model size: the frontier, its line and its uncertainty (metrics specification, section 1.12)."""

from __future__ import annotations

import math
import random
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from annotator.metrics.comparison.score_intervals import mean_estimate
from annotator.metrics.metric_values import BadNumbersError, Estimate, check_finite, check_same_length, student_quantile

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([BM])\s*(?:/\s*(\d+(?:\.\d+)?)\s*([BM])\s*)?\Z", re.IGNORECASE)


class Size(NamedTuple):
    """Parameters in billions: all of them, and those active for one token (None unless a mixture of experts)."""

    total: float
    active: float | None


@dataclass(frozen=True, slots=True)
class ScalingPoint:
    """A model: size in billions, score, and the active size of a mixture of experts, which is drawn as a segment."""

    name: str
    size: float
    score: float
    active: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeInterval:
    """The size at which the line reaches a score, in billions, with its 95 % interval; usually an extrapolation.

    ``leave_one_out`` is the range of sizes when each point in turn is left out. ``low`` and ``high`` come from a
    bootstrap over points; ``failed`` draws had no rising line. None where the line does not rise.
    """

    size: float | None
    low: float | None
    high: float | None
    leave_one_out: tuple[float, float] | None
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingFit:
    """The least-squares line score = a + b·log10(size in billions), with its data points.

    ``r2`` is None if all scores are equal; ``error`` is the residual standard deviation, None for two points.
    """

    a: float
    b: float
    r2: float | None
    error: float | None
    sizes: tuple[float, ...]
    scores: tuple[float, ...]

    def at(self, size: float) -> float:
        """Return the line's score at a size in billions."""
        return self.a + self.b * math.log10(size)

    def size_at(self, score: float) -> float | None:
        """Return the size at which the line reaches a score; None if it does not rise, or beyond any float."""
        exponent = (score - self.a) / self.b if self.b > 0 else math.inf
        return 10**exponent if abs(exponent) < 300 else None

    def band(self, size: float, level: float = 0.95) -> tuple[float, float] | None:
        """Return the confidence band of the line at a size (Student's t); None for two points."""
        n = len(self.sizes)
        if self.error is None:
            return None
        x = [math.log10(value) for value in self.sizes]
        mean = fmean(x)
        spread = math.fsum((value - mean) ** 2 for value in x)
        half = student_quantile((1 + level) / 2, n - 2) * self.error
        half *= math.sqrt(1 / n + (math.log10(size) - mean) ** 2 / spread)
        return self.at(size) - half, self.at(size) + half


def parse_size(text: str) -> Size | None:
    """Parse a size such as "33B", "350M" or "46.7B / 12.9B" (all / active); None for another form."""
    match = _SIZE.match(text)
    if match is None:
        return None
    total = _to_billions(match[1], match[2])
    active = _to_billions(match[3], match[4]) if match[3] else None
    return Size(total, active) if total > 0 else None


def _to_billions(number: str, unit: str) -> float:
    return float(number) if unit.upper() == "B" else float(number) / 1000


def scaling_frontier(
    points: Sequence[ScalingPoint], largest: float | None = None, *, mixtures: bool = False
) -> list[ScalingPoint]:
    """Return the upper envelope: points that beat all smaller ones, by increasing size.

    Models above ``largest`` billions are left out if it is given. Mixtures of experts are left out (app mode); with
    ``mixtures`` they count with all their parameters (paper mode).
    """
    eligible = [
        point for point in points if (mixtures or point.active is None) and (largest is None or point.size <= largest)
    ]
    envelope: list[ScalingPoint] = []
    for point in sorted(eligible, key=lambda point: (point.size, -point.score)):
        if not envelope or point.score > envelope[-1].score:
            envelope.append(point)
    return envelope


def scaling_fit(points: Sequence[tuple[float, float]] | Sequence[ScalingPoint]) -> ScalingFit:
    """Return the least-squares line through all given (size in billions, score) points.

    Raises `BadNumbersError` for fewer than two different sizes or a size that is not above 0.
    """
    pairs = [(point.size, point.score) if isinstance(point, ScalingPoint) else point for point in points]
    check_finite(value for pair in pairs for value in pair)
    if any(size <= 0 for size, _ in pairs) or len({size for size, _ in pairs}) < 2:
        raise BadNumbersError("A line needs points of at least two different sizes, all above 0.")
    x = [math.log10(size) for size, _ in pairs]
    y = [score for _, score in pairs]
    mean_x, mean_y = fmean(x), fmean(y)
    spread = math.fsum((value - mean_x) ** 2 for value in x)
    b = math.fsum((x_value - mean_x) * (y_value - mean_y) for x_value, y_value in zip(x, y, strict=True)) / spread
    a = mean_y - b * mean_x
    residual = math.fsum((y_value - a - b * x_value) ** 2 for x_value, y_value in zip(x, y, strict=True))
    total = math.fsum((y_value - mean_y) ** 2 for y_value in y)
    return ScalingFit(
        a=a,
        b=b,
        r2=1 - residual / total if total else None,
        error=math.sqrt(residual / (len(pairs) - 2)) if len(pairs) > 2 else None,
        sizes=tuple(size for size, _ in pairs),
        scores=tuple(y),
    )


def size_interval(fit: ScalingFit, score: float, draws: int = 2000, seed: int = 0) -> SizeInterval:
    """Return the size at which a fit reaches a score, with a bootstrap interval and the leave-one-out range."""
    pairs = list(zip(fit.sizes, fit.scores, strict=True))
    leave_one_out = [_size_at([*pairs[:i], *pairs[i + 1 :]], score) for i in range(len(pairs))]
    defined = [size for size in leave_one_out if size is not None]
    rng = random.Random(seed)
    drawn_sizes = [_size_at(rng.choices(pairs, k=len(pairs)), score) for _ in range(draws)]
    # A line that does not rise never reaches the score: such draws count as larger than every size.
    ordered = sorted(math.inf if size is None else size for size in drawn_sizes)
    low, high = (ordered[min(draws - 1, int(share * draws))] for share in (0.025, 0.975))
    return SizeInterval(
        size=fit.size_at(score),
        low=low if math.isfinite(low) else None,
        high=high if math.isfinite(high) else None,
        leave_one_out=(min(defined), max(defined)) if defined else None,
        failed=sum(size is None for size in drawn_sizes),
    )


def _size_at(pairs: Sequence[tuple[float, float]], score: float) -> float | None:
    try:
        return scaling_fit(pairs).size_at(score)
    except BadNumbersError:
        return None


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
