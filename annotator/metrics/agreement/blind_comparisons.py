"""Blind comparisons of two candidates: verdicts, their significance, and rater bias (metrics specification, 1.6).

Raters of one pair are not independent, so the pair is the unit of win rates. Intervals are Wilson's with the effective
number of pairs, at which a share would have this standard error (Korn and Graubard 1998), and a quantile of Student's t
for few pairs. In simulated studies of 5 to 50 pairs with biased raters they cover 93 to 97 %
(tests/metrics/test_win_rates.py); a bootstrap over 5 pairs misses 16 %.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, NamedTuple

from annotator.metrics.agreement.coefficients import cohen_kappa, raw_agreement
from annotator.metrics.comparison.score_intervals import wilson_interval, wilson_of_share
from annotator.metrics.metric_values import (
    BadNumbersError,
    Estimate,
    Measure,
    fair_coin_test,
    normal_quantile,
    student_quantile,
)

Verdict = Literal["win", "tie", "lose"]
Choice = Literal["1", "2", "tie", "both_bad"]
VERDICTS: tuple[Verdict, ...] = ("win", "tie", "lose")
BOTH_BAD = "both bad"
VERDICTS_WITH_BOTH_BAD = ("win", "tie", BOTH_BAD, "lose")
"""The verdicts if "both bad" is not counted as a tie."""
CHOICES: tuple[Choice, ...] = ("1", "2", "tie", "both_bad")


def verdict_categories(*, separate_both_bad: bool) -> tuple[str, ...]:
    """Return the categories of verdicts for coefficients of agreement."""
    return VERDICTS_WITH_BOTH_BAD if separate_both_bad else VERDICTS


@dataclass(frozen=True, slots=True, kw_only=True)
class WinTieLose:
    """Verdicts on A against B: counts, the share not worse with its interval, and the exact test of wins vs losses.

    ``p`` is None if there is neither a win nor a loss.
    """

    wins: int
    ties: int
    losses: int
    not_worse: float | None
    low: float | None
    high: float | None
    p: float | None

    @property
    def n(self) -> int:
        """The number of verdicts."""
        return self.wins + self.ties + self.losses

    def non_inferior(self, margin: float) -> bool | None:
        """Return whether A is worse on at most ``margin`` of the items, at 95 % confidence; None without verdicts."""
        return None if self.low is None else self.low >= 1 - margin


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterJudgement:
    """One judgement as it was made.

    ``choice`` names a position on screen ("1", "2"), "tie" or "both_bad"; ``a_first`` is True if candidate A was in
    position 1. The lengths of the displayed texts serve to measure the length bias.
    """

    item: str
    rater: str
    choice: str
    a_first: bool
    length_a: int = 0
    length_b: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """How often a rater's clear choices fell on one side: share, its interval, exact p-value. None without choices."""

    chosen: int
    choices: int
    share: float | None
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class IntraRater:
    """A rater's agreement with themselves on items served twice."""

    items: int
    raw: Measure
    kappa: Measure


def sign_test(wins: int, losses: int) -> float | None:
    """Return the exact two-sided p-value of wins against losses (ties left out); None if there are neither."""
    if wins < 0 or losses < 0:
        raise BadNumbersError("Counts cannot be negative.")
    return fair_coin_test(wins, wins + losses) if wins + losses else None


def win_tie_lose(verdicts: Sequence[str]) -> WinTieLose:
    """Count verdicts on A: "win", "tie", "lose", or their first letters. Raises `BadNumbersError` for another word."""
    verdict_by_letter = {"W": "win", "T": "tie", "L": "lose"}
    counts = Counter(verdict_by_letter.get(word, word) for word in verdicts)
    unknown = sorted(set(counts) - set(VERDICTS))
    if unknown:
        raise BadNumbersError(f"A verdict is win, tie or lose, not {', '.join(unknown)}.")
    return verdict_counts(counts["win"], counts["tie"], counts["lose"])


def verdict_counts(wins: int, ties: int, losses: int) -> WinTieLose:
    """Return the result of `win_tie_lose` from counts."""
    n = wins + ties + losses
    low, high = wilson_interval(wins + ties, n) or (None, None)
    share = (wins + ties) / n if n else None
    return WinTieLose(
        wins=wins, ties=ties, losses=losses, not_worse=share, low=low, high=high, p=sign_test(wins, losses)
    )


def verdict_on_a(choice: str, a_first: bool) -> Verdict:
    """Return the verdict on A from a choice of a position on screen. "both_bad" is a tie."""
    if choice not in CHOICES:
        raise BadNumbersError(f"A choice is {', '.join(CHOICES)}, not {choice}.")
    if choice not in ("1", "2"):
        return "tie"
    return "win" if (choice == "1") == a_first else "lose"


def panel_majority(verdicts: Sequence[str]) -> Verdict | None:
    """Return a panel's verdict: the one with more than half of the votes, else a tie; None without votes."""
    if not verdicts:
        return None
    word, count = Counter(verdicts).most_common(1)[0]
    known_verdict = next((verdict for verdict in VERDICTS if verdict == word), None)
    if known_verdict is None:
        raise BadNumbersError(f"A verdict is win, tie or lose, not {word}.")
    return known_verdict if 2 * count > len(verdicts) else "tie"


def panel_result(judgements: Sequence[RaterJudgement]) -> WinTieLose:
    """Return the panel's result: each item's majority over its raters, then the counts over items."""
    votes: dict[str, list[Verdict]] = {}
    for judgement in judgements:
        votes.setdefault(judgement.item, []).append(verdict_on_a(judgement.choice, judgement.a_first))
    return win_tie_lose(
        [
            majority_verdict
            for item_votes in votes.values()
            if (majority_verdict := panel_majority(item_votes)) is not None
        ]
    )


def verdict_worth(judgement: RaterJudgement) -> float:
    """Return A's points in one judgement: 1 for a win, 0.5 for a tie, 0 for a loss."""
    return {"win": 1.0, "tie": 0.5, "lose": 0.0}[verdict_on_a(judgement.choice, judgement.a_first)]


def item_shares(judgements: Sequence[RaterJudgement]) -> dict[str, float]:
    """Return item -> A's mean points over raters: 1 for a win, 0.5 for a tie, 0 for a loss."""
    worths: dict[str, list[float]] = {}
    for judgement in judgements:
        worths.setdefault(judgement.item, []).append(verdict_worth(judgement))
    return {item: fmean(values) for item, values in worths.items()}


def verdicts_by_rater(
    judgements: Sequence[RaterJudgement], *, separate_both_bad: bool = False
) -> dict[str, list[str | None]]:
    """Return rater -> verdict on every item in the same order, None for a missing one (see `coefficients`).

    An item judged twice by one rater counts with its first judgement; the second is for `intra_rater`. With
    ``separate_both_bad``, "both bad" is a separate verdict instead of a tie.
    """
    items = {item: index for index, item in enumerate(dict.fromkeys(judgement.item for judgement in judgements))}
    verdicts: dict[str, list[str | None]] = {}
    for judgement in judgements:
        row = verdicts.setdefault(judgement.rater, [None] * len(items))
        if row[items[judgement.item]] is None:
            is_separate = separate_both_bad and judgement.choice == "both_bad"
            row[items[judgement.item]] = BOTH_BAD if is_separate else verdict_on_a(judgement.choice, judgement.a_first)
    return verdicts


def side_bias(judgements: Sequence[RaterJudgement]) -> Bias:
    """Return the bias towards position 1. The order of sides is random, so an unbiased share is one half."""
    clear = [judgement.choice for judgement in judgements if judgement.choice in ("1", "2")]
    return _make_bias(clear.count("1"), len(clear))


def length_bias(judgements: Sequence[RaterJudgement]) -> Bias:
    """Return the bias towards the longer candidate: the share of pairs in which it won most clear choices.

    Pairs are counted, not judgements: raters of one pair are not independent. Pairs of equal length, or with as many
    choices of either, are left out. A share above half may also mean that longer answers are better here.
    """
    lead_of_longer: dict[str, int] = {}
    for judgement in judgements:
        outcome = verdict_on_a(judgement.choice, judgement.a_first)
        if outcome != "tie" and judgement.length_a != judgement.length_b:
            is_longer = (outcome == "win") == (judgement.length_a > judgement.length_b)
            lead_of_longer[judgement.item] = lead_of_longer.get(judgement.item, 0) + (1 if is_longer else -1)
    clear = [value for value in lead_of_longer.values() if value]
    return _make_bias(sum(value > 0 for value in clear), len(clear))


def _make_bias(count: int, choices: int) -> Bias:
    low, high = wilson_interval(count, choices) or (None, None)
    p = fair_coin_test(count, choices) if choices else None
    return Bias(chosen=count, choices=choices, share=count / choices if choices else None, low=low, high=high, p=p)


def intra_rater(judgements: Sequence[RaterJudgement]) -> dict[str, IntraRater]:
    """Return each rater's agreement with themselves on items they judged more than once (first against last)."""
    verdicts: dict[str, dict[str, list[Verdict]]] = {}
    for judgement in judgements:
        verdicts.setdefault(judgement.rater, {}).setdefault(judgement.item, []).append(
            verdict_on_a(judgement.choice, judgement.a_first)
        )
    return {rater: _against_self(items) for rater, items in verdicts.items()}


def _against_self(items: Mapping[str, Sequence[Verdict]]) -> IntraRater:
    repeated_votes = [votes for votes in items.values() if len(votes) > 1]
    if not repeated_votes:
        no_item = "no item was judged twice"
        return IntraRater(0, Measure(None, no_item), Measure(None, no_item))
    first = [votes[0] for votes in repeated_votes]
    last = [votes[-1] for votes in repeated_votes]
    kappa = cohen_kappa(first, last)
    reason = "" if kappa is not None else "the same verdict throughout, so chance alone would agree as well"
    return IntraRater(len(repeated_votes), Measure(raw_agreement(first, last)), Measure(kappa, reason))


FEW_PAIRS = 15
"""With fewer pairs than this, intervals are too wide for most conclusions."""
# For two-sided intervals of 95 %.
_UPPER_QUANTILE = 0.975


def win_rate(judgements: Sequence[RaterJudgement]) -> Estimate | None:
    """Return A's mean points over pairs (1 win, 0.5 tie) with their interval; None without judgements."""
    shares = list(item_shares(judgements).values())
    if not shares:
        return None
    mean = fmean(shares)
    return _make_estimate(mean, [(share - mean) / len(shares) for share in shares])


def not_worse_rate(judgements: Sequence[RaterJudgement]) -> Estimate | None:
    """Return the share of judgements that do not find A worse, with an interval over pairs."""
    if not judgements:
        return None
    values = [float(verdict_on_a(judgement.choice, judgement.a_first) != "lose") for judgement in judgements]
    mean = fmean(values)
    influences: dict[str, float] = {}
    for judgement, value in zip(judgements, values, strict=True):
        influences[judgement.item] = influences.get(judgement.item, 0.0) + (value - mean) / len(values)
    return _make_estimate(mean, list(influences.values()))


class _WeightedJudgement(NamedTuple):
    """A judgement weighted so that all pairs have equal weight."""

    item: str
    a_first: bool
    worth: float
    weight: float


def side_adjusted_rate(judgements: Sequence[RaterJudgement]) -> Estimate | None:
    """Return the mean of A's win rates when shown first and when shown second, with an interval over pairs.

    A bias towards one side raises one of the rates and lowers the other, so it cancels out. The tie of an identical
    pair, which nobody judged, counts on both sides. None if A was never shown on one of them.
    """
    counts = Counter(judgement.item for judgement in judgements)
    rows: list[_WeightedJudgement] = []
    for judgement in judgements:
        worth = verdict_worth(judgement)
        weight = 1 / counts[judgement.item]
        if judgement.rater:
            rows.append(_WeightedJudgement(judgement.item, judgement.a_first, worth, weight))
        else:
            rows += (_WeightedJudgement(judgement.item, side, worth, weight / 2) for side in (True, False))
    influences = dict.fromkeys(counts, 0.0)
    rates = []
    for side in (True, False):
        side_rows = [row for row in rows if row.a_first == side]
        total = math.fsum(row.weight for row in side_rows)
        if not total:
            return None
        rates.append(math.fsum(row.weight * row.worth for row in side_rows) / total)
        for row in side_rows:
            influences[row.item] += row.weight * (row.worth - rates[-1]) / total / 2
    # With one judgement for each pair, the means of the two rates are estimated separately.
    means = 1 if any(count > 1 for count in counts.values()) else 2
    return _make_estimate(fmean(rates), list(influences.values()), means)


def _make_estimate(rate: float, influences: Sequence[float], means: int = 1) -> Estimate:
    """Return a rate with its interval; ``influences`` are those of the pairs on it, ``means`` counts estimated means.

    If all pairs have the same result there is no spread, and each pair counts as one observation.
    """
    n = len(influences)
    variance = math.fsum(influence * influence for influence in influences) * n / max(1, n - means)
    binomial_variance = rate * (1 - rate)
    if variance < 1e-12 or binomial_variance < 1e-12:
        low, high = wilson_of_share(min(1.0, max(0.0, rate)), n, normal_quantile(_UPPER_QUANTILE))
        return Estimate(value=rate, low=low, high=high, n=n, method="wilson")
    # Two rates with n - 1 degrees of freedom each; with n - 1 alone, intervals of 5 pairs cover 99 %.
    quantile = student_quantile(_UPPER_QUANTILE, 2 * (n - 1))
    low, high = wilson_of_share(rate, binomial_variance / variance, quantile)
    return Estimate(value=rate, low=low, high=high, n=n, method="wilson over pairs")
