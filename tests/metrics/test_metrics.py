"""Vectors of the metrics specification."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.metrics.comparison.intervals import mean_estimate, standard_error, wilson_interval
from annotator.metrics.scores.pass_at_k import best_of_k, pass_at_k


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (1, 0, 1, 0), (1, 1, 1, 1), (5, 0, 5, 0), (5, 1, 5, 1), (5, 3, 1, Fraction(3, 5)),
        (10, 2, 3, Fraction(8, 15)), (10, 2, 5, Fraction(7, 9)), (10, 3, 3, Fraction(17, 24)),
        (10, 5, 5, Fraction(251, 252)), (10, 6, 5, 1), (20, 2, 3, Fraction(27, 95)), (20, 2, 10, Fraction(29, 38)),
        (20, 5, 3, Fraction(137, 228)), (200, 7, 10, 0.3055988116177335),
    ],
)  # fmt: skip
def test_pass_at_k(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(float(expected), abs=1e-12)


def test_pass_at_k_is_undefined_beyond_n_and_refuses_nonsense() -> None:
    assert pass_at_k(3, 1, 5) is None
    for n, c, k in ((3, 4, 1), (3, -1, 1), (3, 1, 0)):
        with pytest.raises(ValueError):
            pass_at_k(n, c, k)


def test_best_of_k() -> None:
    assert best_of_k([0.2, 0.9, 0.5, 0.5, 0], 3) == pytest.approx(0.74)
    assert best_of_k([0.2], 2) is None


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.integers(1, 8))
def test_best_of_k_is_pass_at_k_for_passes(passes: list[bool], k: int) -> None:
    expected = pass_at_k(len(passes), sum(passes), k)
    found = best_of_k([float(item) for item in passes], k)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(1, 6))
def test_best_of_k_is_the_mean_over_all_subsets(scores: list[float], k: int) -> None:
    found = best_of_k(scores, k)
    if k <= len(scores):
        best = [max(subset) for subset in itertools.combinations(scores, k)]
        assert found == pytest.approx(math.fsum(best) / len(best))


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(57, 275, 0.1636, 0.2591), (48, 275, 0.1343, 0.2238), (140, 164, 0.7915, 0.8996)],
)
def test_wilson(successes: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_standard_error_plain_and_clustered() -> None:
    scores = [1, 1, 1, 0, 0, 0, 1, 0]
    assert standard_error(scores) == pytest.approx(0.188982, abs=1e-6)
    assert standard_error(scores, [1, 1, 1, 2, 2, 2, 3, 3]) == pytest.approx(0.273453, abs=1e-6)
    assert standard_error([1.0]) is None
    with pytest.raises(ValueError):
        standard_error([1, 0], [1])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_interval_holds_the_mean(scores: list[float]) -> None:
    found = mean_estimate(scores)
    assert found is not None
    low, high = found.low, found.high
    assert low is not None and high is not None
    assert 0 <= low <= high <= 1
    mean = math.fsum(scores) / len(scores)
    if any(score not in (0, 1) for score in scores) and (standard_error(scores) or 0) > 0:
        assert low - 1e-9 <= mean <= high + 1e-9
    else:
        assert high > low


def test_no_interval_of_nothing() -> None:
    assert mean_estimate([]) is None
    assert wilson_interval(0, 0) is None
