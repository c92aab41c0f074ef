"""Coefficients of agreement between raters (metrics specification, section 1.6).

Labels are any hashable values; None is a missing rating. The plain functions return None where a coefficient is
undefined; `agreement_report` gives the reason.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from annotator.metrics.metric_values import BadNumbersError, Measure, check_same_length, student_quantile

Label = Hashable | None
Raters = Sequence[Sequence[Label]]
Interval = tuple[float, float]

# Above this share of one label, kappa falls although raters agree (the prevalence paradox).
PREVALENT = 0.9
# Each group costs one computation of the coefficient.
_MAX_GROUPS = 60


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of a's label against b's label, and the agreement on each category: 2·both / (a's + b's)."""

    categories: tuple[Hashable, ...]
    counts: tuple[tuple[int, ...], ...]
    agreement: Mapping[Hashable, float | None]
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseKappa:
    """Cohen's kappa of every pair of raters, by their positions; Light's mean with the extremes; pairs left out."""

    pairs: Mapping[tuple[int, int], float | None]
    mean: float | None
    low: float | None
    high: float | None
    undefined: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementReport:
    """Every coefficient, each a value or the reason for its absence, with warnings for the reader.

    ``weighted`` uses the order of the categories; ``intervals`` has 95 % intervals by field name, None if undefined.
    """

    raters: int
    items: int
    raw: Measure
    kappa: Measure
    kappa_low: float | None
    kappa_high: float | None
    fleiss: Measure
    alpha: Measure
    ac1: Measure
    weighted: Measure
    intervals: Mapping[str, Interval | None]
    warnings: tuple[str, ...]


def _complete_pairs(a: Sequence[Label], b: Sequence[Label]) -> list[tuple[Hashable, Hashable]]:
    check_same_length(len(a), len(b), "labels")
    return [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]


def raw_agreement(a: Sequence[Label], b: Sequence[Label]) -> float | None:
    """Return the share of agreement among the items that both rated; None if there are none."""
    pairs = _complete_pairs(a, b)
    return sum(x == y for x, y in pairs) / len(pairs) if pairs else None


def cohen_kappa(a: Sequence[Label], b: Sequence[Label]) -> float | None:
    """Return Cohen's kappa of two raters on the items both rated.

    None if they share no item, or if chance agreement is 1 (both gave one and the same label throughout).
    """
    pairs = _complete_pairs(a, b)
    if not pairs:
        return None
    observed, expected = _observed_and_expected(pairs)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _observed_and_expected(pairs: Sequence[tuple[Hashable, Hashable]]) -> tuple[float, float]:
    n = len(pairs)
    first, second = Counter(x for x, _ in pairs), Counter(y for _, y in pairs)
    # Integers until the division, so that a chance agreement of exactly 1 compares equal to 1.
    return sum(x == y for x, y in pairs) / n, sum(first[label] * second[label] for label in first) / (n * n)


def weighted_kappa(a: Sequence[Label], b: Sequence[Label], order: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa with linear weights: win against lose counts twice as much as win against tie.

    ``order`` lists all labels. None if `cohen_kappa` is None. Raises `BadNumbersError` for another label.
    """
    pairs = _complete_pairs(a, b)
    rank = {label: position for position, label in enumerate(order)}
    unknown = {str(label) for pair in pairs for label in pair if label not in rank}
    if unknown:
        raise BadNumbersError(f"A label is {', '.join(map(str, order))}, not {', '.join(sorted(unknown))}.")
    first, second = Counter(rank[x] for x, _ in pairs), Counter(rank[y] for _, y in pairs)
    expected = sum(first[i] * second[j] * abs(i - j) for i in first for j in second)
    return 1 - len(pairs) * sum(abs(rank[x] - rank[y]) for x, y in pairs) / expected if expected else None


def pairwise_kappas(raters: Raters) -> PairwiseKappa:
    """Return Cohen's kappa of every pair of raters. Undefined pairs are left out of the mean and counted."""
    pairs = {(i, j): cohen_kappa(raters[i], raters[j]) for i, j in combinations(range(len(raters)), 2)}
    defined = [value for value in pairs.values() if value is not None]
    return PairwiseKappa(
        pairs=pairs,
        mean=fmean(defined) if defined else None,
        low=min(defined, default=None),
        high=max(defined, default=None),
        undefined=len(pairs) - len(defined),
    )


def light_kappa(raters: Raters) -> float | None:
    """Return the mean of all pairwise kappas that are defined (Light); None if none is."""
    return pairwise_kappas(raters).mean


def _count_labels(raters: Raters) -> list[Counter[Hashable]]:
    """Return the counts of each item's labels."""
    if len({len(labels) for labels in raters}) > 1:
        raise BadNumbersError("Every rater needs one label per item; use None for a missing one.")
    return [Counter(label for label in item if label is not None) for item in zip(*raters, strict=True)]


def fleiss_kappa(raters: Raters) -> float | None:
    """Return Fleiss's kappa. None for fewer than two raters, or if only one label occurs.

    Raises `BadNumbersError` for missing ratings; use Krippendorff's alpha for those.
    """
    units = _count_labels(raters)
    rater_count = len(raters)
    if rater_count < 2 or not units:
        return None
    if any(unit.total() != rater_count for unit in units):
        raise BadNumbersError("Fleiss's kappa needs every rating; use Krippendorff's alpha where some are missing.")
    total: Counter[Hashable] = sum(units, Counter())
    if len(total) == 1:
        return None
    observed = fmean(
        sum(count * (count - 1) for count in unit.values()) / (rater_count * (rater_count - 1)) for unit in units
    )
    expected = sum((count / total.total()) ** 2 for count in total.values())
    return (observed - expected) / (1 - expected)


def krippendorff_alpha(raters: Raters) -> float | None:
    """Return Krippendorff's alpha for nominal labels; missing ratings are allowed.

    None if no item has two ratings, or if only one label occurs among the items with two.
    """
    units = [unit for unit in _count_labels(raters) if unit.total() >= 2]
    total: Counter[Hashable] = sum(units, Counter())
    n = total.total()
    if len(total) < 2:
        return None
    observed = math.fsum(
        (unit.total() ** 2 - sum(count * count for count in unit.values())) / (unit.total() - 1) for unit in units
    )
    expected = (n * n - sum(count * count for count in total.values())) / (n - 1)
    return 1 - observed / expected


def gwet_ac1(a: Sequence[Label], b: Sequence[Label], categories: Sequence[Hashable] | None = None) -> float | None:
    """Return Gwet's AC1 of two raters, which does not fall when one label prevails.

    ``categories`` are all labels that could be given; without them, those that occur. None if the raters share no item
    or fewer than two categories are known.
    """
    return gwet_ac1_all([a, b], categories)


def gwet_ac1_all(raters: Raters, categories: Sequence[Hashable] | None = None) -> float | None:
    """Return Gwet's AC1 of any number of raters; missing ratings are allowed (see `gwet_ac1`)."""
    rated = [unit for unit in _count_labels(raters) if unit]
    units = [unit for unit in rated if unit.total() >= 2]
    labels = set(categories or ()) | {label for unit in rated for label in unit}
    if not units or len(labels) < 2:
        return None
    observed = fmean(
        sum(count * (count - 1) for count in unit.values()) / (unit.total() * (unit.total() - 1)) for unit in units
    )
    # Gwet estimates chance agreement from every rating, including items with a single rater.
    shares = [fmean(unit[label] / unit.total() for unit in rated) for label in labels]
    expected = sum(share * (1 - share) for share in shares) / (len(labels) - 1)
    return (observed - expected) / (1 - expected)


def confusion_table(a: Sequence[Label], b: Sequence[Label], categories: Sequence[Hashable] | None = None) -> Confusion:
    """Return the table of two raters' labels (rows a, columns b) and the agreement on each category."""
    pairs = _complete_pairs(a, b)
    order = list(dict.fromkeys([*(categories or ()), *(label for pair in pairs for label in pair)]))
    cells = Counter(pairs)
    counts = tuple(tuple(cells[x, y] for y in order) for x in order)
    agreement: dict[Hashable, float | None] = {}
    for i, label in enumerate(order):
        label_count = sum(counts[i]) + sum(row[i] for row in counts)
        agreement[label] = 2 * counts[i][i] / label_count if label_count else None
    return Confusion(tuple(order), counts, agreement, len(pairs))


def jackknife_interval(raters: Raters, coefficient: Callable[[Raters], float | None]) -> Interval | None:
    """Return a coefficient's 95 % interval over items: the jackknife's standard error and Student's t.

    Items are left out one by one; of many, in 60 groups. None for fewer than three items, without any spread, or where
    the coefficient is undefined on a part of the items. The ends are clipped to -1 and 1.
    """
    items = [labels for labels in zip(*raters, strict=True) if sum(label is not None for label in labels) > 1]
    value = coefficient(raters)
    groups = min(len(items), _MAX_GROUPS)
    if value is None or groups < 3:
        return None
    partial_values = []
    for group in range(groups):
        remaining = [labels for number, labels in enumerate(items) if number % groups != group]
        partial_value = coefficient(list(zip(*remaining, strict=True)))
        if partial_value is None:
            return None
        partial_values.append(partial_value)
    mean = fmean(partial_values)
    error = math.sqrt(
        (groups - 1) / groups * math.fsum((partial_value - mean) ** 2 for partial_value in partial_values)
    )
    half = student_quantile(0.975, groups - 1) * error
    return (max(-1.0, value - half), min(1.0, value + half)) if error > 1e-12 else None


def _mean_of_pairs(
    raters: Raters, coefficient: Callable[[Sequence[Label], Sequence[Label]], float | None]
) -> float | None:
    values = [value for a, b in combinations(raters, 2) if (value := coefficient(a, b)) is not None]
    return fmean(values) if values else None


def agreement_report(raters: Raters, categories: Sequence[Hashable] | None = None) -> AgreementReport:
    """Return every coefficient of a panel, with a reason for each undefined one.

    ``categories`` are all labels that could be given (win, tie, lose). Raises `BadNumbersError` for raters with
    different numbers of items.
    """
    units = _count_labels(raters)
    kappas = pairwise_kappas(raters)
    order = list(categories or ())

    def mean_weighted(rated: Raters) -> float | None:
        return _mean_of_pairs(rated, lambda a, b: weighted_kappa(a, b, order)) if order else None

    coefficients: dict[str, Callable[[Raters], float | None]] = {
        "raw": lambda rated: _mean_of_pairs(rated, raw_agreement),
        "kappa": light_kappa,
        "weighted": mean_weighted,
        "alpha": krippendorff_alpha,
        "ac1": lambda rated: gwet_ac1_all(rated, categories),
    }
    undefined_reason = _why_undefined(raters, units)
    is_complete = all(unit.total() == len(raters) for unit in units)
    if is_complete:
        coefficients["fleiss"] = fleiss_kappa
    note = f"without a kappa, left out: {kappas.undefined} of {len(kappas.pairs)} pairs" if kappas.undefined else ""
    missing = "ratings are missing; see Krippendorff's alpha"
    return AgreementReport(
        raters=len(raters),
        items=len(units),
        raw=_make_measure(coefficients["raw"](raters), undefined_reason),
        kappa=_make_measure(kappas.mean, undefined_reason, note),
        kappa_low=kappas.low,
        kappa_high=kappas.high,
        fleiss=_make_measure(fleiss_kappa(raters), undefined_reason) if is_complete else Measure(None, missing),
        alpha=_make_measure(krippendorff_alpha(raters), undefined_reason),
        ac1=_make_measure(gwet_ac1_all(raters, categories), undefined_reason),
        weighted=_make_measure(mean_weighted(raters), undefined_reason if order else "the labels have no order"),
        intervals={name: jackknife_interval(raters, coefficient) for name, coefficient in coefficients.items()},
        warnings=_make_warnings(units, kappas),
    )


def _make_measure(value: float | None, undefined_reason: str, note: str = "") -> Measure:
    return Measure(value, "" if value is not None else undefined_reason, note if value is not None else "")


def _why_undefined(raters: Raters, units: Sequence[Counter[Hashable]]) -> str:
    if len(raters) < 2:
        return "agreement needs two raters"
    if not any(unit.total() >= 2 for unit in units):
        return "no item was rated twice"
    return "everybody gave the same label throughout, so chance alone would agree as well"


def _make_warnings(units: Sequence[Counter[Hashable]], kappas: PairwiseKappa) -> tuple[str, ...]:
    total: Counter[Hashable] = sum(units, Counter())
    if not total:
        return ()
    label, count = total.most_common(1)[0]
    warnings = []
    if count / total.total() >= PREVALENT:
        warnings.append(
            f"{100 * count / total.total():.1f} % of all labels are '{label}', which makes kappa low: "
            "compare it with raw agreement and AC1"
        )
    if kappas.undefined:
        warnings.append(f"there is no kappa for {kappas.undefined} of {len(kappas.pairs)} pairs of raters")
    return tuple(warnings)
