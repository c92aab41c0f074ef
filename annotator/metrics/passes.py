"""pass@k and its generalisation to graded scores (metrics specification, sections 1.1 and 1.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Return the unbiased pass@k of one problem with n samples of which c pass; None if k > n.

    Raises ValueError unless 0 <= c <= n and k >= 1.
    """
    if not 0 <= c <= n or k < 1:
        raise ValueError(f"n={n}, c={c}, k={k}")
    if k > n:
        return None
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def best_of_k(scores: Sequence[float], k: int) -> float | None:
    """Return the exact expectation of the best score over all k-subsets of the samples; None if k > n."""
    if k < 1:
        raise ValueError(f"k={k}")
    n = len(scores)
    if k > n:
        return None
    total = sum(score * math.comb(i - 1, k - 1) for i, score in enumerate(sorted(scores), start=1) if i >= k)
    return total / math.comb(n, k)
