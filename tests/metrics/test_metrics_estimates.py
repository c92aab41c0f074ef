"""Distributions, intervals, comparisons, bootstrap: vectors, an independent implementation, properties."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.metrics import metric_values
from annotator.metrics.comparison.paired_models import (
    compare_pairwise,
    holm_adjusted,
    mcnemar,
    paired_difference,
    sample_size,
)
from annotator.metrics.comparison.score_intervals import (
    board_draws,
    bootstrap_interval,
    draw_counts,
    few_clusters,
    mean_estimate,
    resampled_means,
    standard_error,
    wilson_interval,
)
from annotator.metrics.metric_values import BadNumbersError, format_percent
from annotator.metrics.scores.score_board import best_of_k, pass_at_k

SHARES = st.floats(0, 1, allow_nan=False)


def test_distributions_agree_with_an_independent_implementation() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    rng = random.Random(0)
    for _ in range(200):
        a, b, x = rng.uniform(0.5, 400), rng.uniform(0.5, 400), rng.random()
        assert metric_values.beta_cdf(a, b, x) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-11)
        t, df = rng.uniform(-9, 9), rng.randint(1, 200)
        assert metric_values.student_two_sided(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-9)
        tail = rng.uniform(0.5, 0.9999)
        assert metric_values.student_quantile(tail, df) == pytest.approx(stats.t.ppf(tail, df), rel=1e-8, abs=1e-8)
        n = rng.randint(1, 3000)
        k = rng.randint(0, n)
        assert metric_values.fair_coin_test(k, n) == pytest.approx(stats.binomtest(k, n).pvalue, rel=1e-7, abs=1e-300)


def test_intervals_of_shares() -> None:
    assert wilson_interval(57, 275) == pytest.approx((0.1636, 0.2591), abs=5e-5)
    assert wilson_interval(0, 0) is None
    with pytest.raises(BadNumbersError, match="5 successes of 3"):
        wilson_interval(5, 3)
    with pytest.raises(BadNumbersError):
        metric_values.normal_quantile(1.0)
    with pytest.raises(BadNumbersError):
        metric_values.fair_coin_test(4, 3)


def test_an_estimate_says_its_method() -> None:
    assert mean_estimate([]) is None
    binary, graded = mean_estimate([1, 0, 1]), mean_estimate([0.2, 0.4, 0.9])
    assert binary is not None and graded is not None
    assert (binary.method, graded.method) == ("wilson", "clt")
    clustered = mean_estimate([1, 1, 1, 0, 0, 0, 1, 0], [1, 1, 1, 2, 2, 2, 3, 3])
    assert clustered is not None and clustered.method == "clustered"
    assert clustered.low == 0.0 and clustered.high == 1.0
    assert few_clusters([1, 1, 2]) and not few_clusters(range(10))
    perfect = mean_estimate([1.0] * 20)
    assert perfect is not None and (perfect.low, perfect.high) != (1.0, 1.0)


@given(st.lists(st.tuples(SHARES, st.integers(0, 3)), min_size=2, max_size=30))
def test_clusters_of_one_are_no_clusters(rows: list[tuple[float, int]]) -> None:
    scores = [score for score, _ in rows]
    assert standard_error(scores, list(range(len(scores)))) == pytest.approx(standard_error(scores), abs=1e-9)
    clustered = standard_error(scores, [cluster for _, cluster in rows])
    assert clustered is not None and clustered >= 0


def test_points_outside_shares_are_not_clamped() -> None:
    below = mean_estimate([-1.0, -0.5, 0.0])
    assert below is not None and below.low is not None and below.low < -0.5 < (below.high or -1)
    flat = mean_estimate([2.0, 2.0])
    assert flat is not None and (flat.value, flat.low, flat.high, flat.method) == (2.0, None, None, "none")
    assert (format_percent(0.63916), format_percent(None), format_percent(0.5, 0)) == ("63.92", "n/a", "50")


# Comparisons ----------------------------------------------------------------------------------------------------------


def test_the_paired_difference() -> None:
    a, b = [1, 1, 1, 0, 1, 0, 1, 1], [1, 0, 1, 0, 1, 0, 0, 1]
    mean, se = paired_difference(a, b)
    assert (mean, se) == (0.25, pytest.approx(0.163663, abs=1e-6))
    test = mcnemar(a, b)
    assert (test.only_a, test.only_b, test.p) == (2, 0, 0.5)
    with pytest.raises(BadNumbersError):
        paired_difference([], [])
    with pytest.raises(BadNumbersError, match="0 and 1"):
        mcnemar([0.5], [1])


def test_comparing_models_names_the_items_that_flipped() -> None:
    a = {"p": 1.0, "q": 0.0, "r": 1.0, "only a": 1.0}
    b = {"q": 1.0, "p": 0.0, "r": 1.0, "only b": 0.0}
    found = compare_pairwise(a, b)
    assert found is not None and (found.n, found.mean, found.better, found.worse) == (3, 0.0, ("p",), ("q",))
    assert found.mcnemar is not None and found.p == found.mcnemar.p == 1.0
    assert found.low is not None and found.high is not None and found.low < 0 < found.high
    graded = compare_pairwise({"p": 0.5, "q": 0.75}, {"p": 0.25, "q": 0.5})
    assert graded is not None and graded.mcnemar is None and graded.mean == 0.25
    assert (graded.se, graded.low, graded.high, graded.p) == (0.0, None, None, None)
    together = compare_pairwise(a, b, {"p": 1, "q": 1, "r": 2})
    assert together is not None and together.se is not None and found.se is not None and together.se < found.se
    ahead = compare_pairwise({"p": 1.0, "q": 1.0, "r": 1.0}, b, {"p": 1, "q": 2, "r": 3})
    assert ahead is not None and ahead.mcnemar is not None and ahead.p != ahead.mcnemar.p
    assert compare_pairwise(a, {"x": 1.0}) is None
    same = compare_pairwise({"p": 0.5, "q": 0.5}, {"p": 0.5, "q": 0.5})
    assert same is not None and same.p is None


def test_holm() -> None:
    assert holm_adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm_adjusted([]) == ()
    with pytest.raises(BadNumbersError):
        holm_adjusted([1.2])


@given(st.lists(SHARES, max_size=12))
def test_holm_never_lowers_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = holm_adjusted(p_values)
    assert all(after >= before and after <= 1 for before, after in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [adjusted[at] for at in order] == sorted(adjusted)


def test_sample_size() -> None:
    assert sample_size(1 / 9, 0.03) == 969
    assert sample_size(1 / 9, 0.03, variance_a=1 / 6, samples_a=10, variance_b=1 / 6, samples_b=10) > 969
    assert sample_size(1 / 9, 0.06) < 969 / 3.9
    for bad in ({"omega2": 1, "delta": 0}, {"omega2": -1, "delta": 0.1}, {"omega2": 1, "delta": 0.1, "samples_a": 0}):
        with pytest.raises(BadNumbersError):
            sample_size(**bad)  # type: ignore[arg-type]


# Bootstrap ------------------------------------------------------------------------------------------------------------


def test_bootstrap_error_is_that_of_the_mean() -> None:
    rng = random.Random(4)
    for n in (100, 250):
        scores = [rng.random() for _ in range(n)]
        found = bootstrap_interval(scores, seed=1)
        assert found.se == pytest.approx(standard_error(scores), rel=0.03)
        assert found.low is not None and found.high is not None
        assert found.low < fmean(scores) < found.high
        assert bootstrap_interval(scores, seed=1) == found != bootstrap_interval(scores, seed=2)
    assert bootstrap_interval([0.5], draws=1).low is None
    with pytest.raises(BadNumbersError):
        bootstrap_interval([])


def test_draws_keep_strata_and_clusters_whole() -> None:
    strata = ["a"] * 4 + ["b"] * 2
    clusters = [1, 1, 2, 2, 3, 4]
    for counts in draw_counts(6, 200, 0, strata):
        assert (counts[:, :4].sum(axis=1) == 4).all() and (counts[:, 4:].sum(axis=1) == 2).all()
    for counts in draw_counts(6, 200, 0, strata, clusters):
        assert (counts[:, 0] == counts[:, 1]).all() and (counts[:, 2] == counts[:, 3]).all()
        assert (counts[:, 0] + counts[:, 2] == 2).all()
    with pytest.raises(BadNumbersError, match="same stratum"):
        list(draw_counts(6, 1, 0, strata, [1, 1, 1, 1, 1, 1]))
    with pytest.raises(BadNumbersError):
        list(draw_counts(3, 1, 0, ["a"]))
    with pytest.raises(BadNumbersError):
        list(draw_counts(0))


def test_a_cluster_bootstrap_is_wider() -> None:
    scores = [1.0] * 10 + [0.0] * 10 + [1.0] * 10 + [0.0] * 10
    clusters = [at // 5 for at in range(40)]
    plain, clustered = bootstrap_interval(scores, draws=3000), bootstrap_interval(scores, draws=3000, clusters=clusters)
    assert plain.se is not None and clustered.se is not None and clustered.se > 1.8 * plain.se
    assert clustered.se == pytest.approx(standard_error(scores, clusters), rel=0.15)


def test_models_share_their_draws_and_get_rank_intervals() -> None:
    rng = np.random.default_rng(0)
    base = rng.random(200)
    values = np.stack([base, base + 0.01, rng.random(200), np.full(200, np.nan)])
    blocks = list(resampled_means(values, draws=2000, seed=3))
    assert sum(len(block) for block in blocks) == 2000
    # The second model is the first plus a constant: in paired draws it always wins by it.
    assert np.allclose(np.concatenate(blocks)[:, 1] - np.concatenate(blocks)[:, 0], 0.01)
    means = [float(base.mean()), float(base.mean()) + 0.01, float(values[2].mean()), None]
    found = board_draws(means, blocks)
    assert found.draws == 2000 and found.ranks[3] is None and found.low[3] is None
    first, second, third = found.ranks[:3]
    assert first is not None and second is not None and third is not None
    assert first.best == 0 and first.low >= second.low
    assert second.best + third.best == pytest.approx(1)
    assert found.se[2] == pytest.approx(float(values[2].std(ddof=1)) / math.sqrt(200), rel=0.06)
    early = board_draws(means, blocks[:1])
    assert early.draws == len(blocks[0])


def test_models_that_tie_share_rank_and_chance() -> None:
    values = np.tile(np.array([1.0, 0.0, 1.0, 1.0]), (3, 1))
    found = board_draws([0.75] * 3, resampled_means(values, draws=100))
    for rank in found.ranks:
        assert rank is not None and (rank.rank, rank.low, rank.high) == (1, 1, 1)
        assert rank.best == pytest.approx(1 / 3)


def test_a_missing_problem_leaves_the_mean() -> None:
    values = np.array([[1.0, np.nan, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    drawn = np.concatenate(list(resampled_means(values, draws=4000, seed=1)))
    assert (drawn[:, 1] == 1).all()
    assert np.nanmean(drawn[:, 0]) == pytest.approx(2 / 3, abs=0.02)
    assert np.nanstd(drawn[:, 0]) > 0.1 and stdev([1, 0, 1]) > 0


def test_few_scores_have_the_interval_of_student() -> None:
    found = mean_estimate([0.2, 0.4, 0.9, 0.5])
    assert found is not None and found.low is not None and found.high is not None
    # By hand: mean 0.5, sum of squares 0.26, standard error sqrt(0.26 / 3 / 4) = 0.147196, t of 3 degrees 3.182446.
    assert found.value == pytest.approx(0.5)
    assert (found.low, found.high) == (pytest.approx(0.031556, abs=1e-6), pytest.approx(0.968444, abs=1e-6))
    many = mean_estimate([0.25, 0.75] * 50)
    assert many is not None and many.low == pytest.approx(0.5 - 1.96 * 0.25 * math.sqrt(100 / 99) / 10)


def test_few_scores_of_two_models_have_the_interval_of_student() -> None:
    a = {"p": 1.0, "q": 0.5, "r": 0.5}
    found = compare_pairwise(a, dict.fromkeys(a, 0.0))
    # By hand: mean 2/3, standard error 1/6, t of 2 degrees 4.302653.
    assert found is not None and found.low == pytest.approx(2 / 3 - 4.302653 / 6, abs=1e-6)


@pytest.mark.parametrize(("n", "p"), [(30, 0.0058), (200, 0.00326), (2000, 0.00294)])
def test_pairs_are_judged_by_student_at_every_size(n: int, p: float) -> None:
    # Differences of one more and one less than their mean in equal parts: t is 2.978, whose normal p would be .0029.
    mean = 2.978 / math.sqrt(n - 1)
    a = {str(at): mean + (1 if at % 2 else -1) for at in range(n)}
    found = compare_pairwise(a, dict.fromkeys(a, 0.0))
    assert found is not None and found.mcnemar is None and found.low is not None and found.low > 0
    assert found.p == pytest.approx(p, rel=0.005)


def test_the_p_value_and_the_interval_of_a_pair_agree() -> None:
    for n, t in ((29, 2.0), (30, 2.0), (31, 2.0), (60, 1.98), (60, 2.02)):
        a = {str(at): t / math.sqrt(n - n % 2 - 1) + (1 if at % 2 else -1) for at in range(n - n % 2)}
        found = compare_pairwise(a, dict.fromkeys(a, 0.0))
        assert found is not None and found.p is not None and found.low is not None
        assert (found.p < 0.05) is (found.low > 0)


def test_a_single_cluster_judges_no_pair() -> None:
    found = compare_pairwise({"p": 1.0, "q": 0.5, "r": 0.0}, {"p": 0.5, "q": 0.5, "r": 0.25}, {"p": 1, "q": 1, "r": 1})
    assert found is not None and (found.low, found.high, found.p) == (None, None, None)


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
