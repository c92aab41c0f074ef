"""Plan a benchmark's size: the smallest detectable difference for a number of items, and the items needed for one.

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
from annotator.metrics.metric_values import normal_quantile
from annotator.metrics.scores.score_board import item_means
from annotator.model.rows.result_rows import Column, Table
from annotator.services.results import score_data
from annotator.services.results.score_data import ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_releases

OMEGA2 = 1 / 9
"""Assumed variance over items of the difference of two models, as in Miller (2024), used if no two runs exist."""
GROUPS = ("domain", "language", "task", "difficulty")
_MIN_ITEMS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerQuestion:
    """The parameters of a power analysis: difference of two models, samples per item, significance level, power."""

    difference: float = 0.05
    samples: int = 1
    alpha: float = 0.05
    power: float = 0.8
    by: str = "domain"


@dataclass(frozen=True, slots=True)
class Variances:
    """Variance over items of the true difference of two models, and the mean variance of one sample of an item.

    ``pairs`` is the number of model pairs they were estimated from; with 0 they are assumed.
    """

    between: float
    sampling: float
    pairs: int


def plan_benchmark_size(store: ProjectFile, version: str | None = None, question: PowerQuestion | None = None) -> Table:
    """Return a row per group and one for all: its items, their smallest detectable difference, and the items needed.

    Without a version the accepted subjects are counted. Raises `BadInputError` for parameters out of range.
    """
    question = question or PowerQuestion()
    _check_question(question)
    with store.read() as db:
        items = (
            stored_releases.items_of(db, stored_releases.fetch_release(db, version).id)
            if version
            else stored_releases.current_items(db)
        )
    variances = estimate_variances(_load_results(store, version))
    groups: dict[str, int] = {}
    for item in items:
        name = str(item.get(question.by) or "")
        groups[name] = groups.get(name, 0) + 1
    sizes = [*(count for _, count in sorted(groups.items())), len(items)]
    needed_count = needed_items(question.difference, variances, question)
    differences = [detectable_difference(count, variances, question) if count else None for count in sizes]
    columns = (
        Column.of_texts(question.by, [*sorted(groups), Message("all items")]),
        Column.of_counts("items", sizes),
        Column.of_shares(
            "difference shown %", [share if share is None or share < 1 else None for share in differences]
        ),
        Column.of_counts("items needed", [needed_count] * len(sizes)),
        Column.of_counts("items lacking", [max(0, needed_count - count) for count in sizes]),
    )
    notes = (
        Message(
            "Items needed to detect a difference of {difference} points between two models with {power} % power at "
            "the {alpha} % level; samples per item: {samples}.",
            difference=f"{100 * question.difference:g}", power=f"{100 * question.power:g}",
            alpha=f"{100 * question.alpha:g}", samples=question.samples,
        ),
        Message(
            "Variances are estimated from {pairs} pairs of models that ran: {between} between items, "
            "{sampling} for a sample.",
            pairs=variances.pairs, between=f"{variances.between:.3f}", sampling=f"{variances.sampling:.3f}",
        )
        if variances.pairs
        else Message("No two models have run on enough items, so the variance of differences is assumed to be 1/9."),
    )  # fmt: skip
    return Table(name="power", title=Message("Size and power"), columns=columns, notes=notes)


def _check_question(question: PowerQuestion) -> None:
    if question.by not in GROUPS:
        raise BadInputError(f"Items cannot be grouped by {question.by}. Choose from: {', '.join(GROUPS)}.")
    if not (
        0 < question.difference < 1 and 0 < question.alpha < 1 and 0 < question.power < 1 and question.samples >= 1
    ):
        raise BadInputError("Difference, level and power must be between 0 and 100 %, and samples at least 1.")


def needed_items(difference: float, variances: Variances, question: PowerQuestion) -> int:
    """Return the number of items needed to detect a difference."""
    return sample_size(
        variances.between, difference, alpha=question.alpha, power=question.power, variance_a=variances.sampling,
        samples_a=question.samples, variance_b=variances.sampling, samples_b=question.samples,
    )  # fmt: skip


def detectable_difference(items: int, variances: Variances, question: PowerQuestion) -> float:
    """Return the smallest difference that this number of items can detect."""
    spread = variances.between + 2 * variances.sampling / question.samples
    z = normal_quantile(1 - question.alpha / 2) + normal_quantile(question.power)
    return z * math.sqrt(spread / items)


def estimate_variances(data: ResultData | None) -> Variances:
    """Estimate the variances from the runs on a release, as means over pairs of models.

    With one sample per item the sampling variance cannot be separated, and is part of the variance between items.
    """
    if data is None:
        return Variances(OMEGA2, 0.0, 0)
    cube = data.one_protocol().cube
    per_model = [
        (means, *_compute_sampling_variances(block))
        for means, block in zip(item_means(cube).values, cube.values, strict=True)
    ]
    between = []
    sampling = []
    for (means_a, sampling_a, noise_a), (means_b, sampling_b, noise_b) in combinations(per_model, 2):
        differences = means_a - means_b
        differences = differences[~np.isnan(differences)]
        if len(differences) >= _MIN_ITEMS:
            # The noise of the means adds to the variance of their difference, so it is subtracted.
            between.append(max(0.0, float(differences.var(ddof=1)) - noise_a - noise_b))
            sampling.append((sampling_a + sampling_b) / 2)
    if not between:
        return Variances(OMEGA2, 0.0, 0)
    return Variances(float(np.mean(between)), float(np.mean(sampling)), len(between))


def _compute_sampling_variances(block: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean variance of one sample of an item, and of an item's mean."""
    variances = []
    mean_variances = []
    for row in block:
        scores = row[~np.isnan(row)]
        if len(scores) > 1:
            variances.append(float(scores.var(ddof=1)))
            mean_variances.append(variances[-1] / len(scores))
    return (float(np.mean(variances)), float(np.mean(mean_variances))) if variances else (0.0, 0.0)


def _load_results(store: ProjectFile, version: str | None) -> ResultData | None:
    """Return the results to estimate variances from: of the release, else of the newest one with runs, else None."""
    try:
        data = score_data.load_results(store, version)
        return data if len(data.entries) > 1 or version is None else score_data.load_results(store)
    except BadInputError:
        return None
