"""Best of every batch of responses, and the error bar over batches (metrics specification, section 1.10)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class BatchScoreReport:
    """A run's share of points with both noises: of decoding (deviation over batches) and of the choice of questions.

    ``question_se`` is the standard error of the mean of question scores.
    """

    share: float
    decoding_std: float | None
    question_se: float | None
    questions: int


def block_report(block: NDArray[np.float64], batch: int) -> BatchScoreReport | None:
    """Return the score with both noises from an array of questions by responses (NaN: missing).

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
