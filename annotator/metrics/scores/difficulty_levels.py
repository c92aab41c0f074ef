"""Scores by metric, difficulty levels and their recalibration (metrics specification, section 1.11)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from annotator.metrics.metric_values import BadNumbersError

Grade = Literal["easy", "medium", "hard"]


def metric_scores(best: Sequence[Mapping[str, tuple[float, float]]]) -> dict[str, float | None]:
    """Return, for each metric type, points earned over points available, summed over questions.

    ``best`` holds, for each question's best response, metric -> (earned, available); a question may feed several.
    """
    earned: dict[str, list[float]] = {}
    available: dict[str, list[float]] = {}
    for question in best:
        for metric, (points, total) in question.items():
            earned.setdefault(metric, []).append(points)
            available.setdefault(metric, []).append(total)
    return {
        metric: math.fsum(points) / math.fsum(available[metric]) if math.fsum(available[metric]) else None
        for metric, points in earned.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """A difficulty after runs of models: the new and the old grade, the mean pass rate, and a reason.

    ``measured`` is False with too few models; ``grade`` is then unchanged.
    """

    grade: str
    start: str
    rate: float | None
    changed: bool
    reason: str
    measured: bool


def recalibrate_difficulty(
    start: str, rates: Sequence[float], *, easy: float = 0.6, hard: float = 0.2, minimum_models: int = 5
) -> Recalibration:
    """Return an item's difficulty from the pass rates of models on it.

    Easy above ``easy``, hard below ``hard``, else medium (the cut points of implanted bugs in the task construction
    specification, applied to models). With fewer than ``minimum_models`` the start value stays.
    """
    if not 0 <= hard <= easy <= 1:
        raise BadNumbersError("The cut points must lie between 0 and 1, hard not above easy.")
    if any(not 0 <= rate <= 1 for rate in rates):
        raise BadNumbersError("A pass rate must lie between 0 and 1.")
    rate = fmean(rates) if rates else None
    if rate is None or len(rates) < minimum_models:
        reason = f"{len(rates)} models are too few to judge by; {minimum_models} are needed"
        return Recalibration(grade=start, start=start, rate=rate, changed=False, reason=reason, measured=False)
    grade: Grade = "easy" if rate > easy else "hard" if rate < hard else "medium"
    reason = f"{len(rates)} models pass it {100 * rate:.1f} % of the time"
    return Recalibration(grade=grade, start=start, rate=rate, changed=grade != start, reason=reason, measured=True)
