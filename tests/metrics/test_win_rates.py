"""Win rates and their intervals, on studies that are simulated with raters who lean to a side."""

from __future__ import annotations

import math
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
import pytest

from annotator.metrics.agreement.blind_comparisons import RaterJudgement, not_worse_rate, side_adjusted_rate, win_rate
from annotator.metrics.metric_values import Estimate


class Scene(NamedTuple):
    """How good A is over pairs (mean and spread in logits), and how much raters lean to the first side (mean)."""

    raters: int
    mean: float
    spread: float
    lean: float = 0.6


SCENES = (Scene(1, 0.0, 1.0), Scene(2, 0.8, 1.0), Scene(3, 0.0, 1.0), Scene(3, 0.8, 1.0), Scene(4, 0.0, 2.0))
_TIE = 0.5
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def _chance(logit: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-logit))


def _expected(scene: Scene, lean: float) -> float:
    """Return A's expected share of the win where a rater adds ``lean`` to it."""
    at = scene.mean + scene.spread * _NODES + lean
    win, lose = _chance(at - _TIE), _chance(-at - _TIE)
    return float(((win + (1 - win - lose) / 2) * _WEIGHTS).sum() / _WEIGHTS.sum())


def _simulate(rng: np.random.Generator, scene: Scene, pairs: int) -> tuple[list[RaterJudgement], float]:
    """Return the judgements of a study with balanced sides, and the rate that it estimates."""
    leans = rng.normal(scene.lean, 0.5, scene.raters)
    better = rng.normal(scene.mean, scene.spread, pairs)
    a_first = (rng.permutation(pairs)[:, None] + rng.permutation(scene.raters)[None, :]) % 2 == 0
    felt = better[:, None] + np.where(a_first, leans, -leans) + rng.logistic(size=a_first.shape)
    judged = []
    for (item, rater), value in np.ndenumerate(felt):
        first = bool(a_first[item, rater])
        choice = "tie" if abs(value) <= _TIE else "1" if (value > 0) == first else "2"
        judged.append(RaterJudgement(item=str(item), rater=f"r{rater}", choice=choice, a_first=first))
    return judged, fmean((_expected(scene, lean) + _expected(scene, -lean)) / 2 for lean in leans)


def _covers(found: Estimate | None, truth: float) -> bool:
    return found is not None and found.low is not None and found.high is not None and found.low <= truth <= found.high


def _study(scene: Scene, pairs: int, studies: int) -> tuple[float, float, float]:
    """Return how often the adjusted interval covers, the adjusted rate's bias, and how large chance makes that."""
    rng = np.random.default_rng((pairs, scene.raters, round(10 * scene.mean), round(10 * scene.spread)))
    covered, errors = [], []
    for _ in range(studies):
        judged, truth = _simulate(rng, scene, pairs)
        found = side_adjusted_rate(judged)
        assert found is not None
        covered.append(_covers(found, truth))
        errors.append(found.value - truth)
    return fmean(covered), fmean(errors), stdev(errors) / math.sqrt(studies)


@pytest.mark.parametrize("pairs", [5, 10])
def test_intervals_of_few_pairs_hold_their_level(pairs: int) -> None:
    covered, bias, chance = _study(Scene(3, 0.8, 1.0), pairs, 300)
    assert 0.92 <= covered <= 0.98
    assert abs(bias) <= 3 * chance


@pytest.mark.parametrize("pairs", [5, 10, 15, 50])
@pytest.mark.parametrize("scene", SCENES)
def test_a_thousand_studies_are_covered_and_unbiased(scene: Scene, pairs: int) -> None:
    covered, bias, chance = _study(scene, pairs, 1000)
    print(f"{scene} {pairs} pairs: covered {covered:.3f}, bias {bias:+.4f}")
    assert 0.93 <= covered <= 0.97
    assert abs(bias) <= 3 * chance


def test_raters_that_only_choose_the_first_side_make_no_winner() -> None:
    # A stood first in 30 of 40 judgements: raw, it wins 75 %.
    judged = [RaterJudgement(item=str(at), rater="r", choice="1", a_first=at % 4 != 0) for at in range(40)]
    raw, adjusted = win_rate(judged), side_adjusted_rate(judged)
    assert raw is not None and raw.value == 0.75
    assert adjusted is not None and adjusted.value == 0.5


def test_a_tie_nobody_judged_stood_on_both_sides() -> None:
    judged = [RaterJudgement(item=str(at), rater="r", choice="1", a_first=at % 2 == 0) for at in range(4)]
    tie = RaterJudgement(item="same", rater="", choice="tie", a_first=True)
    found = side_adjusted_rate([*judged, tie])
    assert found is not None and (found.value, found.n) == (0.5, 5)
    assert side_adjusted_rate([judged[0]]) is None, "A never stood second"
    assert win_rate([]) is None and not_worse_rate([]) is None


def test_pairs_are_the_units_of_every_interval() -> None:
    once = [RaterJudgement(item=str(at), rater="r0", choice="1", a_first=at < 5) for at in range(10)]
    often = [
        RaterJudgement(item=str(at), rater=f"r{n}", choice="1", a_first=at < 5) for at in range(10) for n in range(9)
    ]
    for rate in (win_rate, not_worse_rate):
        one, many = rate(once), rate(often)
        assert one is not None and many is not None
        assert (many.low, many.high) == (pytest.approx(one.low), pytest.approx(one.high))
