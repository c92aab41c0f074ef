"""Reduce the scores of a case's responses to the case's score (criterion specification, part B, section 2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from statistics import fmean, stdev

from annotator.metrics.metric_values import BadNumbersError

_CHUNKS = re.compile(r"avg_max_([1-9]\d*)\Z")


def reduce_scores(scores: Sequence[float], mode: str = "avg") -> tuple[float, float]:
    """Return (score, standard deviation) of a case from its responses in listed order.

    ``avg``, ``max`` and ``min`` have deviation 0. ``avg_max_N`` takes the best of every N consecutive responses (a
    short last chunk counts in full) and returns the chunks' mean and sample deviation. Raises `BadNumbersError` for
    no responses or an unknown mode.
    """
    if not scores:
        raise BadNumbersError("no response, so no score")
    plain: dict[str, Callable[[Sequence[float]], float]] = {"avg": fmean, "max": max, "min": min}
    if mode in plain:
        return float(plain[mode](scores)), 0.0
    match = _CHUNKS.match(mode)
    if match is None:
        raise BadNumbersError(f"there is no mode {mode}; there are avg, max, min and avg_max_N")
    size = int(match[1])
    best = [max(scores[at : at + size]) for at in range(0, len(scores), size)]
    return fmean(best), stdev(best) if len(best) > 1 else 0.0
