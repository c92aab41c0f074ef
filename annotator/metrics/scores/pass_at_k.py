"""pass@k and its generalisation to graded scores (metrics specification, sections 1.1, 1.2 and 1.13)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotator.metrics.metric_values import BadNumbersError, check_finite


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
    """A run's share of points with both kinds of noise, from decoding and from the choice of questions.

    ``decoding_std`` is the deviation over batches, ``question_se`` the standard error of the mean of question scores.
    """

    share: float
    decoding_std: float | None
    question_se: float | None
    questions: int


def block_report(block: NDArray[np.float64], batch: int) -> BatchScoreReport | None:
    """Return the score with both kinds of noise from an array of questions by responses (NaN: missing).

    Only questions with all their responses count. None without such a question, or for responses that do not make
    whole batches.
    """
    whole = block[~np.isnan(block).any(axis=1)]
    if not whole.size or whole.shape[1] % batch:
        return None
    best = whole.reshape(len(whole), -1, batch).max(axis=2)
    shares, each = best.mean(axis=0), best.mean(axis=1)
    std = float(shares.std(ddof=1)) if len(shares) > 1 else None
    error = float(each.std(ddof=1) / math.sqrt(len(each))) if len(each) > 1 else None
    return BatchScoreReport(float(shares.mean()), std, error, len(each))
