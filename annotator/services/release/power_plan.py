"""Plan a benchmark's size: the difference that so many items show, and the items that a difference needs, by group.

The formula is that of a paired comparison of two models (metrics specification, section 1.13).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.metrics.comparison.paired_models import sample_size
from annotator.metrics.distributions import normal_quantile
from annotator.model.rows.results import Column, Table
from annotator.services.results import score_data
from annotator.services.results.score_data import ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import releases

OMEGA2 = 1 / 9
"""Variance over items of the difference of two models, as in Miller (2024), where no two runs tell it."""
GROUPS = ("domain", "language", "task", "difficulty")
_FEWEST_ITEMS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerQuestion:
    """What is asked: a difference between two models, samples an item, chance of an error, chance to find it."""

    difference: float = 0.05
    samples: int = 1
    alpha: float = 0.05
    power: float = 0.8
    by: str = "domain"


@dataclass(frozen=True, slots=True)
class Variances:
    """Variance over items of the true difference of two models, and the mean variance of one sample of an item.

    ``pairs`` are the pairs of models that tell them; without any they are assumed.
    """

    between: float
    sampling: float
    pairs: int


def plan(store: ProjectFile, version: str | None = None, asked: PowerQuestion | None = None) -> Table:
    """Return a row per group and one for all: its items, the difference they show, the items the difference needs.

    Without a version it is about what is accepted now. Raises `BadInputError` for impossible questions.
    """
    wanted = asked or PowerQuestion()
    _check(wanted)
    with store.read() as db:
        items = releases.items_of(db, releases.find(db, version).id) if version else releases.current_items(db)
    found = estimate(_results(store, version))
    groups: dict[str, int] = {}
    for item in items:
        name = str(item.get(wanted.by) or "")
        groups[name] = groups.get(name, 0) + 1
    sizes = [*(count for _, count in sorted(groups.items())), len(items)]
    needed = needed_items(wanted.difference, found, wanted)
    shown = [detectable_difference(count, found, wanted) if count else None for count in sizes]
    columns = (
        Column.of_texts(wanted.by, [*sorted(groups), Message("all items")]),
        Column.of_counts("items", sizes),
        Column.of_shares("difference shown %", [share if share is None or share < 1 else None for share in shown]),
        Column.of_counts("items needed", [needed] * len(sizes)),
        Column.of_counts("items lacking", [max(0, needed - count) for count in sizes]),
    )
    notes = (
        Message(
            "A difference of {difference} points between two models, found with a chance of {power} % and by mistake "
            "with {alpha} %; samples an item: {samples}.",
            difference=f"{100 * wanted.difference:g}", power=f"{100 * wanted.power:g}", alpha=f"{100 * wanted.alpha:g}",
            samples=wanted.samples,
        ),
        Message(
            "Variances are those of {pairs} pairs of models that ran: {between} between items, {sampling} of a sample.",
            pairs=found.pairs, between=f"{found.between:.3f}", sampling=f"{found.sampling:.3f}",
        )
        if found.pairs
        else Message("No two models have run on enough items, so the variance of differences is assumed to be 1/9."),
    )  # fmt: skip
    return Table(name="power", title=Message("Size and power"), columns=columns, notes=notes)


def _check(wanted: PowerQuestion) -> None:
    if wanted.by not in GROUPS:
        raise BadInputError(f"Items are not planned by {wanted.by}. There is: {', '.join(GROUPS)}.")
    if not (0 < wanted.difference < 1 and 0 < wanted.alpha < 1 and 0 < wanted.power < 1 and wanted.samples >= 1):
        raise BadInputError("Difference, chance and power lie between 0 and 100 %, and an item has a sample at least.")


def needed_items(difference: float, found: Variances, wanted: PowerQuestion) -> int:
    """Return how many items a difference needs."""
    return sample_size(
        found.between, difference, alpha=wanted.alpha, power=wanted.power, variance_a=found.sampling,
        samples_a=wanted.samples, variance_b=found.sampling, samples_b=wanted.samples,
    )  # fmt: skip


def detectable_difference(items: int, found: Variances, wanted: PowerQuestion) -> float:
    """Return the smallest difference that so many items show."""
    spread = found.between + 2 * found.sampling / wanted.samples
    z = normal_quantile(1 - wanted.alpha / 2) + normal_quantile(wanted.power)
    return z * math.sqrt(spread / items)


def estimate(data: ResultData | None) -> Variances:
    """Return the variances that the runs on a release tell, as means over pairs of models.

    Where models have one sample an item, the variance of samples cannot be told apart and stays in the other.
    """
    if data is None:
        return Variances(OMEGA2, 0.0, 0)
    cube = data.one_protocol().cube.values
    told = [(_means(block), *_sampling(block)) for block in cube]
    between, sampling = [], []
    for (ours, own, own_noise), (theirs, other, other_noise) in combinations(told, 2):
        gaps = (ours - theirs)[~np.isnan(ours - theirs)]
        if len(gaps) >= _FEWEST_ITEMS:
            between.append(max(0.0, float(gaps.var(ddof=1)) - own_noise - other_noise))
            sampling.append((own + other) / 2)
    if not between:
        return Variances(OMEGA2, 0.0, 0)
    return Variances(float(np.mean(between)), float(np.mean(sampling)), len(between))


def _means(block: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(block)
    counts = known.sum(axis=1)
    sums = np.where(known, block, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _sampling(block: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean variance of one sample of an item, and of an item's mean."""
    variances, noises = [], []
    for row in block:
        known = row[~np.isnan(row)]
        if len(known) > 1:
            variances.append(float(known.var(ddof=1)))
            noises.append(variances[-1] / len(known))
    return (float(np.mean(variances)), float(np.mean(noises))) if variances else (0.0, 0.0)


def _results(store: ProjectFile, version: str | None) -> ResultData | None:
    """Return the results that tell how models differ: of the release, else of the newest with runs; None for none."""
    try:
        found = score_data.load(store, version)
        return found if len(found.entries) > 1 or version is None else score_data.load(store)
    except BadInputError:
        return None
