"""Error bars for means of per-problem scores (metrics specification, section 1.13)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist, fmean


def standard_error(scores: Sequence[float], clusters: Sequence[Hashable] | None = None) -> float | None:
    """Return the standard error of the mean of per-problem scores, None for fewer than two problems.

    ``clusters`` names each problem's cluster (repository, source file); problems of one cluster are not independent
    and the clustered form is used (Miller 2024). Raises ValueError if the lengths differ.
    """
    n = len(scores)
    if clusters is not None and len(clusters) != n:
        raise ValueError(f"{n} scores but {len(clusters)} clusters")
    if n < 2:
        return None
    mean = fmean(scores)
    deviations = [score - mean for score in scores]
    squared = sum(d * d for d in deviations)
    plain = squared / (n - 1) / n
    if clusters is None:
        return math.sqrt(plain)
    sums: dict[Hashable, float] = {}
    for cluster, deviation in zip(clusters, deviations, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + deviation
    extra = sum(total * total for total in sums.values()) - squared
    return math.sqrt(max(0.0, plain + extra / (n * n)))


def wilson(successes: int, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """Return the Wilson score interval of a share, None for n = 0. Raises ValueError outside 0 <= successes <= n."""
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if n == 0:
        return None
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def mean_interval(scores: Sequence[float]) -> tuple[float, float] | None:
    """Return a 95 % interval of the mean of scores in 0..1: Wilson for 0/1 scores, else mean ± 1.96 SE within 0..1.

    All-equal graded scores have no spread to judge by, so they get Wilson's interval of the rounded count too.
    """
    n = len(scores)
    if n == 0:
        return None
    error = standard_error(scores)
    if error is None or error == 0 or all(score in (0, 1) for score in scores):
        return wilson(max(0, min(n, round(sum(scores)))), n)
    mean = fmean(scores)
    return max(0.0, mean - 1.96 * error), min(1.0, mean + 1.96 * error)
