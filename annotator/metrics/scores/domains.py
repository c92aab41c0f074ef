"""Domain tables and domain-specific improvement (metrics specification, sections 1.4 and 1.5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotator.metrics.comparison.score_intervals import DRAWS, resampled_means
from annotator.metrics.metric_values import BadNumbersError, check_finite, check_same_length

FEW_PROBLEMS = 10
DSI_THRESHOLD = 10.0


class Macro(NamedTuple):
    """Unweighted mean over domains and sample standard deviation (None for one domain)."""

    mean: float
    std: float | None


def macro_mean(values: Sequence[float]) -> Macro:
    """Return the unweighted mean over domains and the sample standard deviation (ddof 1, as published).

    Raises `BadNumbersError` for no domain.
    """
    if not values:
        raise BadNumbersError("There is no domain.")
    check_finite(values)
    return Macro(fmean(values), stdev(values) if len(values) > 1 else None)


def micro_mean(values: Sequence[float], sizes: Sequence[int]) -> float | None:
    """Return the mean over problems from group means and sizes; None if there is no problem."""
    check_same_length(len(values), len(sizes), "groups")
    total = sum(sizes)
    return math.fsum(value * size for value, size in zip(values, sizes, strict=True)) / total if total else None


def average_row(rows: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], float | None]:
    """Return a table's average row as published: column means, and the *mean* of the rows' deviations.

    The deviation of the averaged row would be another, smaller number.
    """
    if not rows or len({len(row) for row in rows}) != 1:
        raise BadNumbersError("An average row needs rows of the same domains.")
    deviations = [macro_mean(row).std for row in rows]
    defined = [value for value in deviations if value is not None]
    return tuple(fmean(column) for column in zip(*rows, strict=True)), fmean(defined) if defined else None


def dsi(scores: Sequence[float], i: int, paper: bool = False) -> float | None:
    """Return the domain-specific improvement of model ``i`` on one domain against the other models, in percent.

    100·(1 - mean of the others / own): at most +100, no lower bound, and it depends on the set of models compared.
    None for a model that solves nothing; paper mode then returns -100 (0 if the others solve nothing either), as the
    published table does. None for a single model. Raises `BadNumbersError` for an unknown index.
    """
    if not 0 <= i < len(scores):
        raise BadNumbersError(f"There is no model number {i} among {len(scores)}.")
    check_finite(scores)
    if len(scores) < 2:
        return None
    others = fmean([score for j, score in enumerate(scores) if j != i])
    own = scores[i]
    if own == 0:
        if not paper:
            return None
        return -100.0 if others else 0.0
    return 100.0 * (1.0 - others / own)


def domain_label(value: float | None, threshold: float = DSI_THRESHOLD) -> str:
    """Return `comfort`, `strange` or `neutral` (on the threshold is neutral); `unsolved` where there is no DSI."""
    if value is None:
        return "unsolved"
    if value > threshold:
        return "comfort"
    return "strange" if value < -threshold else "neutral"


@dataclass(frozen=True, slots=True, kw_only=True)
class DsiCell:
    """One model on one domain.

    ``value`` is None if undefined, with a ``reason``. ``low`` is None if some draws solve nothing, so that the
    index has no lower end. ``tentative``: the interval does not settle the label.
    """

    model: str
    domain: str
    value: float | None
    low: float | None
    high: float | None
    label: str
    tentative: bool
    problems: int
    reason: str


@dataclass(frozen=True, slots=True)
class DsiTable:
    """All cells, and the set of models that they depend on."""

    models: tuple[str, ...]
    threshold: float
    cells: tuple[DsiCell, ...]
    left_out: tuple[str, ...]

    def cell(self, model: str, domain: str) -> DsiCell:
        """Return one cell; KeyError if there is none."""
        for cell in self.cells:
            if (cell.model, cell.domain) == (model, domain):
                return cell
        raise KeyError((model, domain))


def dsi_table(
    models: Sequence[str],
    scores: Mapping[str, Sequence[Sequence[float]]],
    *,
    threshold: float = DSI_THRESHOLD,
    minimum: int = FEW_PROBLEMS,
    draws: int = DRAWS,
    seed: int = 0,
) -> DsiTable:
    """Return DSI, 95 % interval and label of every model on every domain.

    ``scores`` is domain -> one row of per-problem scores per model, all models on the same problems. The interval is a
    paired bootstrap over the problems of the domain. A problem some model was not evaluated on (NaN) is left out, and
    so are domains with fewer than ``minimum`` problems.
    """
    cells: list[DsiCell] = []
    left_out = []
    for domain, rows in scores.items():
        values = np.asarray(rows, dtype=np.float64)
        if values.ndim != 2 or len(values) != len(models):
            raise BadNumbersError(f"The domain {domain} needs one row of scores per model, all of the same problems.")
        # Models are compared on the problems that every model was evaluated on.
        values = values[:, ~np.isnan(values).any(axis=0)]
        if values.shape[1] < max(1, minimum):
            left_out.append(domain)
            continue
        cells.extend(_domain_cells(models, domain, values, threshold, draws, seed))
    return DsiTable(tuple(models), threshold, tuple(cells), tuple(left_out))


def _domain_cells(
    models: Sequence[str], domain: str, values: NDArray[np.float64], threshold: float, draws: int, seed: int
) -> list[DsiCell]:
    means = [float(mean) for mean in values.mean(axis=1)]
    dsi_draws = _dsi_draws(np.concatenate(list(resampled_means(values, draws=draws, seed=seed))))
    cells = []
    for number, model in enumerate(models):
        value = dsi(means, number)
        low, high = _interval_bounds(dsi_draws[:, number]) if value is not None else (None, None)
        label = domain_label(value, threshold)
        reason = ""
        if value is None:
            reason = "one model alone has no DSI" if len(models) < 2 else "the model solves nothing here"
        is_settled = value is not None and _settles_label(label, low, high, threshold)
        cells.append(
            DsiCell(model=model, domain=domain, value=value, low=low, high=high, label=label, tentative=not is_settled,
                    problems=values.shape[1], reason=reason)
        )  # fmt: skip
    return cells


def _dsi_draws(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each draw's DSI; -inf where a model solves nothing that others solve, NaN where nobody does."""
    others = (means.sum(axis=1, keepdims=True) - means) / max(1, means.shape[1] - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(100.0 * (1.0 - others / means))


def _interval_bounds(draws: NDArray[np.float64]) -> tuple[float | None, float | None]:
    defined = draws[~np.isnan(draws)]
    # A percentile interpolated between -inf and a number is undefined; the nearest draw is not.
    low, high = (float(end) for end in np.percentile(defined, (2.5, 97.5), method="nearest"))
    return (low if math.isfinite(low) else None), (high if math.isfinite(high) else None)


def _settles_label(label: str, low: float | None, high: float | None, threshold: float) -> bool:
    """Return whether the whole interval is in the label's range."""
    if label == "comfort":
        return low is not None and low > threshold
    if label == "strange":
        return high is not None and high < -threshold
    return low is not None and high is not None and low >= -threshold and high <= threshold
