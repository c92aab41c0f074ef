"""Figures of blind judging against calculations by hand and SciPy: weighted kappa, jackknife, Bradley-Terry."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from annotator.metrics.agreement.bradley_terry import ComparedPair, bradley_terry_strengths
from annotator.metrics.agreement.coefficients import (
    agreement_report,
    cohen_kappa,
    gwet_ac1,
    jackknife_interval,
    raw_agreement,
    weighted_kappa,
)
from annotator.metrics.metric_values import BadNumbersError

ORDER = ("win", "tie", "lose")
FIRST = ["win", "win", "tie", "tie", "lose", "lose"]
SECOND = ["win", "tie", "tie", "lose", "lose", "win"]


def test_weighted_kappa_by_hand() -> None:
    # Differences 0, 1, 0, 1, 0, 2 sum to 4. Both give each label twice, so chance differs by 4 * 8 / 36 an item.
    assert weighted_kappa(FIRST, SECOND, ORDER) == pytest.approx(1 - (4 / 6) / (32 / 36))
    assert weighted_kappa(FIRST, FIRST, ORDER) == 1
    assert weighted_kappa(["tie", None], ["tie", "win"], ORDER) is None
    with pytest.raises(BadNumbersError, match="maybe"):
        weighted_kappa(["maybe"], ["tie"], ORDER)


def test_with_two_labels_weights_change_nothing() -> None:
    a, b = list("yynnyn"), list("ynnnyy")
    assert weighted_kappa(a, b, "yn") == pytest.approx(cohen_kappa(a, b) or 0)


def test_the_jackknife_of_a_mean_is_that_of_student() -> None:
    # Raw agreement is a mean, whose jackknife error is the standard error: 3 of 6, sqrt(0.25 / 5), t 2.570582.
    half = 2.570582 * math.sqrt(0.05)
    found = jackknife_interval([FIRST, SECOND], lambda rated: raw_agreement(*rated))
    assert found == (pytest.approx(0.5 - half, abs=1e-6), pytest.approx(min(1, 0.5 + half), abs=1e-6))
    assert jackknife_interval([FIRST, FIRST], lambda rated: raw_agreement(*rated)) is None


def test_the_jackknife_of_kappa_is_near_a_bootstrap() -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason="the oracle SciPy is not installed")
    rng = random.Random(5)
    truth = [rng.choice(ORDER) for _ in range(200)]
    a, b = ([label if rng.random() < 0.7 else rng.choice(ORDER) for label in truth] for _ in range(2))
    low, high = agreement_report([a, b], ORDER).intervals["kappa"] or (0, 0)
    places = np.arange(200)
    drawn = stats.bootstrap(
        (places,), lambda at: cohen_kappa([a[i] for i in at], [b[i] for i in at]), vectorized=False, n_resamples=500,
        method="percentile", random_state=1,
    )  # fmt: skip
    assert low == pytest.approx(drawn.confidence_interval.low, abs=0.03)
    assert high == pytest.approx(drawn.confidence_interval.high, abs=0.03)


def test_chance_of_two_raters_counts_every_rating_as_that_of_three_does() -> None:
    # By hand: the items both rated agree in 2 of 3; of all 5 items, win has (1 + 1/2 + 0 + 1 + 1) / 5 = 0.7.
    a, b = ["win", "win", "tie", "win", None], ["win", "tie", "tie", None, "win"]
    chance = 2 * 0.7 * 0.3
    assert gwet_ac1(a, b, ("win", "tie")) == pytest.approx((2 / 3 - chance) / (1 - chance))


def _games(wins: dict[tuple[int, int], int], ties: dict[tuple[int, int], int]) -> list[ComparedPair]:
    found = [ComparedPair(one, other, 1.0) for (one, other), count in wins.items() for _ in range(count)]
    return found + [ComparedPair(one, other, 0.5) for (one, other), count in ties.items() for _ in range(count)]


def test_two_models_by_hand() -> None:
    # 14 wins, 4 ties and 2 losses are 16 against 4, odds of 4: 400 log10(4) = 240.824 points between them.
    found = bradley_terry_strengths(2, _games({(0, 1): 14, (1, 0): 2}, {(0, 1): 4}))
    assert found is not None
    assert found[0].score == pytest.approx(120.412, abs=1e-3) and found[1].score == pytest.approx(-120.412, abs=1e-3)
    assert found[0].low is not None and found[0].high is not None and found[0].low < found[0].score < found[0].high


def test_four_models_are_where_the_likelihood_is_highest() -> None:
    optimize: Any = pytest.importorskip("scipy.optimize", reason="the oracle SciPy is not installed")
    rng = random.Random(3)
    pairs = [(one, other) for one in range(4) for other in range(one)]
    compared = [ComparedPair(*rng.choice(pairs), rng.choice((0.0, 0.5, 1.0, 1.0))) for _ in range(120)]

    def loss(scores: Any) -> float:
        odds = [(pair.share, scores[pair.first] - scores[pair.second]) for pair in compared]
        return sum(share * math.log1p(math.exp(-gap)) + (1 - share) * math.log1p(math.exp(gap)) for share, gap in odds)

    best = optimize.minimize(loss, np.zeros(4), tol=1e-10).x
    found = bradley_terry_strengths(4, compared, draws=50)
    assert found is not None
    assert [row.score for row in found] == pytest.approx(400 / math.log(10) * (best - best.mean()), abs=0.05)


def test_what_never_lost_has_no_score() -> None:
    assert bradley_terry_strengths(2, _games({(0, 1): 5}, {})) is None
    assert bradley_terry_strengths(3, _games({(0, 1): 5, (1, 0): 5}, {})) is None
    assert bradley_terry_strengths(1, []) is None
    # One win for the other side is missing in a third of the draws: a score, but no interval.
    found = bradley_terry_strengths(2, _games({(0, 1): 9, (1, 0): 1}, {}))
    assert found is not None and found[0].score > 0 and found[0].low is None


def test_the_same_seed_gives_the_same_interval() -> None:
    compared = _games({(0, 1): 30, (1, 0): 20, (1, 2): 25, (2, 1): 20}, {(0, 2): 10})
    assert bradley_terry_strengths(3, compared, draws=200) == bradley_terry_strengths(3, compared, draws=200)
    assert bradley_terry_strengths(3, compared, draws=200) != bradley_terry_strengths(3, compared, draws=200, seed=1)
