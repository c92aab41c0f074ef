"""Task weights, difficulty-adjusted pass rate and the weighted score of task families (metrics specification, 1.7)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from annotator.metrics.metric_values import BadNumbersError
from annotator.metrics.scores.skill_rating import Orientation, averaged_task_ratings

SMALLEST_MEAN = 1.0
"""Ratings below count as this, so that the inverse of each is a weight."""
WEIGHT_CAVEATS = (
    "The weights depend on the order in which models are rated; own weights average over 200 seeded orders.",
    "They change when models are added, so a set of weights has a version and is never recomputed silently.",
    "A rating below 1 counts as 1, so that its inverse stays a weight.",
    "The published cells are each the best of several limits of new tokens.",
)
# The published means of the five tasks (easiness); the weights of "CoCo-2025" follow from them.
COCO_2025_MEANS: Mapping[str, float] = MappingProxyType(
    {"CG": 23.83, "CM": 23.03, "CR": 26.50, "CUF": 22.87, "CUR": 13.26}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightSet:
    """A frozen set of weights: its version, the orientation of the means, and the rated models, in order."""

    version: str
    mu: Mapping[str, float]
    weights: Mapping[str, float]
    orientation: Orientation
    models: tuple[str, ...]
    caveats: tuple[str, ...] = WEIGHT_CAVEATS


@dataclass(frozen=True, slots=True)
class WeightedScore:
    """A weighted score over the present tasks; ``badge`` is not empty if some are missing."""

    value: float | None
    present: int
    tasks: int
    badge: str


def inverse_weights(means: Mapping[str, float]) -> dict[str, float]:
    """Return weights proportional to 1/mean of an easiness, so that hard tasks weigh more; they sum to 1."""
    if not means:
        raise BadNumbersError("There is no task to weight.")
    inverse = {task: 1 / max(SMALLEST_MEAN, mean) for task, mean in means.items()}
    total = math.fsum(inverse.values())
    return {task: value / total for task, value in inverse.items()}


def published_weights() -> WeightSet:
    """Return the fixed weights "CoCo-2025", the default of app mode."""
    return WeightSet(
        version="CoCo-2025",
        mu=COCO_2025_MEANS,
        weights=inverse_weights(COCO_2025_MEANS),
        orientation="easiness",
        models=(),
    )


def own_weights(
    version: str, accuracies: Mapping[str, Mapping[str, float]], permutations: int = 200, seed: int = 0
) -> WeightSet:
    """Return a new set of weights from the project's own models, averaged over seeded orders (app mode)."""
    mu = averaged_task_ratings(accuracies, permutations, seed)
    return WeightSet(
        version=version, mu=mu, weights=inverse_weights(mu), orientation="easiness", models=tuple(accuracies)
    )


def weighted_score(scores: Mapping[str, float | None], weights: Mapping[str, float]) -> WeightedScore:
    """Return sum(w·score) over tasks. A missing task's weight goes to the others, and the badge says so.

    Raises `BadNumbersError` for a score without a weight, or negative weights.
    """
    unknown = sorted(set(scores) - set(weights))
    if unknown:
        raise BadNumbersError(f"There is no weight for {', '.join(unknown)}.")
    if any(weight < 0 for weight in weights.values()):
        raise BadNumbersError("A weight cannot be negative.")
    present = {task: score for task, score in scores.items() if score is not None}
    total = math.fsum(weights[task] for task in present)
    value = math.fsum(weights[task] * score for task, score in present.items()) / total if total else None
    badge = "" if len(present) == len(weights) else f"{len(present)} of {len(weights)} tasks"
    return WeightedScore(value, len(present), len(weights), badge)


def coco_score(scores: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """Return the weighted score of a model over task families; None if it has none of them."""
    return weighted_score(scores, weights).value


def dapr(rates: Mapping[str, float], difficulty: Mapping[str, float]) -> float | None:
    """Return a task's difficulty-adjusted pass rate: items weigh in proportion to their *difficulty* rating.

    ``rates`` is item -> pass rate, ``difficulty`` item -> mean rating from `skill_rating.rate_items`, where items win
    when models fail: the weight is the mean itself, not its inverse. Ratings below 1 count as 1. None for no items.
    Raises `BadNumbersError` for an item without a rating.
    """
    missing = [item for item in rates if item not in difficulty]
    if missing:
        raise BadNumbersError(f"{len(missing)} items have no rating, among them {missing[0]}.")
    weights = {item: max(SMALLEST_MEAN, difficulty[item]) for item in rates}
    total = math.fsum(weights.values())
    return math.fsum(weights[item] * rate for item, rate in rates.items()) / total if rates else None
