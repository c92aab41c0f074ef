"""Best of every batch of responses, and the error bar over batches (metrics specification, section 1.10)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotator.metrics.metric_values import BadNumbersError, check_finite


class BatchTotals(NamedTuple):
    """A run's points: mean over batches, sample deviation (None for one batch), each batch's total."""

    mean: float
    std: float | None
    totals: tuple[float, ...]


def batch_maxima(scores: Sequence[float], batch: int) -> list[float]:
    """Return the best score of every ``batch`` consecutive responses in the order they were generated.

    Raises `BadNumbersError` for no response or a batch that is not full: 25 responses are not two and a half batches.
    """
    if batch < 1:
        raise BadNumbersError(f"A batch of {batch} responses cannot be.")
    if not scores or len(scores) % batch:
        raise BadNumbersError(f"{len(scores)} responses do not make whole batches of {batch}.")
    check_finite(scores)
    return [max(scores[at : at + batch]) for at in range(0, len(scores), batch)]


def avg_max(scores: Sequence[float], batch: int) -> float:
    """Return a question's score: the mean of its batches' best (`avg_max_N` with whole batches only)."""
    return fmean(batch_maxima(scores, batch))


def batch_totals(scores_by_item: Mapping[str, Sequence[float]] | Sequence[Sequence[float]], batch: int) -> BatchTotals:
    """Return the run's total per batch (sum over questions of that batch's best), their mean and sample deviation.

    This spread is decoding noise only; the noise of the choice of questions comes from a bootstrap over questions.
    Raises `BadNumbersError` if questions differ in their number of responses or batches are not full.
    """
    items = list(scores_by_item.values()) if isinstance(scores_by_item, Mapping) else list(scores_by_item)
    if len({len(scores) for scores in items}) != 1:
        raise BadNumbersError("Every question needs the same number of responses.")
    maxima = [batch_maxima(scores, batch) for scores in items]
    return over_batches([math.fsum(column) for column in zip(*maxima, strict=True)])


def over_batches(totals: Sequence[float]) -> BatchTotals:
    """Return the mean and sample deviation of batch totals."""
    if not totals:
        raise BadNumbersError("There is no batch.")
    return BatchTotals(fmean(totals), stdev(totals) if len(totals) > 1 else None, tuple(totals))


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


def as_shares(totals: BatchTotals, points: float) -> BatchTotals:
    """Return the totals as shares of the available points (the number of questions, for scores of 0 to 1)."""
    if points <= 0:
        raise BadNumbersError("The points there are must be more than 0.")
    std = totals.std / points if totals.std is not None else None
    return BatchTotals(totals.mean / points, std, tuple(total / points for total in totals.totals))
