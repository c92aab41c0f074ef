"""Error bars for means of per-problem scores (metrics specification, section 1.13)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from functools import cache
from statistics import fmean

from annotator.metrics.distributions import normal_quantile, student_quantile
from annotator.metrics.metric_values import BadNumbersError, Estimate, check_finite, check_same_length

FEW_CLUSTERS = 10
Z95 = 1.96
# With fewer scores than this, the standard error is itself uncertain, so the wider Student's t is used.
FEW_SCORES = 30


def standard_error(scores: Sequence[float], clusters: Sequence[Hashable] | None = None) -> float | None:
    """Return the standard error of the mean of per-problem scores, None for fewer than two problems.

    ``clusters`` names each problem's cluster (repository, source file); problems of one cluster are not independent
    and the clustered form is used (Miller 2024). Raises `BadNumbersError` if lengths differ or a score is no number.
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
    extra = math.fsum(total * total for total in sums.values()) - squared
    return math.sqrt(max(0.0, plain + extra / (n * n)))


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
    share = all(0 <= score <= 1 for score in scores)
    binary = all(score in (0, 1) for score in scores)
    if share and (not error or (binary and clusters is None)):
        low, high = wilson_interval(max(0, min(n, round(math.fsum(scores)))), n) or (0.0, 1.0)
        return Estimate(value=mean, low=low, high=high, n=n, method="wilson")
    if not error:
        return Estimate(value=mean, low=None, high=None, n=n, method="none")
    half = error_factor(n if clusters is None else len(set(clusters))) * error
    low, high = mean - half, mean + half
    method = "clt" if clusters is None else "clustered"
    return Estimate(
        value=mean, low=max(0.0, low) if share else low, high=min(1.0, high) if share else high, n=n, method=method
    )
