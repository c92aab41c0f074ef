"""Recall, batches, levels, skill and weights, correlation, scaling, leakage, audit: vectors and bad input."""

from __future__ import annotations

import math
import random
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.metrics.comparison.correlation import (
    average_ranks,
    kendall_tau_b,
    pearson_correlation,
    rank_difference,
    spearman_correlation,
    spearman_matrix,
)
from annotator.metrics.comparison.leakage_signs import (
    cdd_peak,
    clean_completion,
    judge_peak,
    leak_ratio,
    leak_report,
    levenshtein_similarity,
    original_leak,
    sample_diversity,
)
from annotator.metrics.comparison.paired_models import paired_difference
from annotator.metrics.comparison.published_audit import AuditTable, share_count, table_audit
from annotator.metrics.comparison.score_intervals import bootstrap_interval, mean_estimate, standard_error
from annotator.metrics.metric_values import BadNumbersError
from annotator.metrics.scores.domains import domain_label, dsi, dsi_table, macro_mean, micro_mean
from annotator.metrics.scores.item_health import metric_scores, recalibrate_difficulty
from annotator.metrics.scores.recall import benchmark_recall, expected_recall_at_k, program_precision, recall_at_k
from annotator.metrics.scores.scaling import (
    ScalingPoint,
    mean_by_bins,
    pareto_front,
    parse_size,
    scaling_fit,
    scaling_frontier,
    size_interval,
)
from annotator.metrics.scores.score_board import best_of_k
from annotator.metrics.scores.skill_rating import Rating, averaged_task_ratings, play_game, rate_items, task_ratings
from annotator.metrics.scores.weighted_scores import coco_score, dapr, inverse_weights, weighted_score

# Recall ---------------------------------------------------------------------------------------------------------------


def test_recall_of_the_first_k_and_of_any_k() -> None:
    reference = {"m.a", "m.b", "m.c", "m.d"}
    programs = [{"m.a"}, None, {"m.a", "m.b", "x.y"}, reference]
    assert [recall_at_k(reference, programs, k) for k in (1, 2, 3, 4)] == [0.25, 0.25, 0.5, 1.0]
    assert recall_at_k(reference, programs, 5) is None
    assert expected_recall_at_k(reference, programs, 1) == pytest.approx((0.25 + 0 + 0.5 + 1) / 4)
    assert expected_recall_at_k(reference, programs, 4) == 1.0
    assert recall_at_k(set(), programs, 1) is None and expected_recall_at_k(set(), programs, 1) is None
    assert recall_at_k(["m.a", "m.a"], [["m.a"]], 1) == 1.0
    assert (
        program_precision(reference, programs[2]) == pytest.approx(2 / 3) and program_precision(reference, None) is None
    )
    with pytest.raises(BadNumbersError):
        recall_at_k(reference, programs, 0)


def test_recall_of_a_benchmark_skips_standalone_problems() -> None:
    found = benchmark_recall([({"a"}, [{"a"}, None]), (set(), [{"a"}]), ({"a", "b"}, [{"b"}, {"c"}]), ({"a"}, [])], 2)
    assert found.published is not None and found.published.value == pytest.approx(0.75)
    assert found.expected is not None and found.expected.value == pytest.approx(0.75)
    assert (found.standalone, found.left_out, found.precision) == (1, 1, pytest.approx(2 / 3))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_is_refused_everywhere(bad: float) -> None:
    for act in (
        lambda: standard_error([1.0, bad]), lambda: mean_estimate([bad]), lambda: best_of_k([0.0, bad], 1),
        lambda: macro_mean([0.5, bad]), lambda: dsi([0.5, bad], 0),
        lambda: spearman_correlation([1, 2, 3, bad], [1, 2, 3, 4]), lambda: pearson_correlation([1, bad], [1, 2]),
        lambda: scaling_fit([(1, 1), (2, bad)]),
        lambda: bootstrap_interval([1.0, bad]), lambda: paired_difference([1.0, bad], [1.0, 1.0]),
    ):  # fmt: skip
        with pytest.raises(BadNumbersError, match="must be a number"):
            act()


# Levels and sub-scores ------------------------------------------------------------------------------------------------


def test_scores_by_metric() -> None:
    found = metric_scores([{"keywords": (1, 2), "unit_test": (3, 3)}, {"keywords": (0, 2)}, {"blank": (0, 0)}])
    assert found == {"keywords": 0.25, "unit_test": 1.0, "blank": None}


def test_recalibration_needs_models() -> None:
    assert recalibrate_difficulty("hard", [0.9] * 5).grade == "easy"
    assert not recalibrate_difficulty("medium", [0.2, 0.6, 0.4, 0.4, 0.4]).changed
    few = recalibrate_difficulty("hard", [1.0] * 4)
    assert few.grade == "hard" and not few.changed and "too few" in few.reason
    assert recalibrate_difficulty("easy", []).rate is None
    assert [recalibrate_difficulty("hard", [1.0] * count).measured for count in (0, 4, 5)] == [False, False, True]
    for bad in (
        lambda: recalibrate_difficulty("easy", [1.5] * 5),
        lambda: recalibrate_difficulty("easy", [], easy=0.1),
    ):
        with pytest.raises(BadNumbersError):
            bad()


# Domains --------------------------------------------------------------------------------------------------------------


def test_means_of_one_domain_and_of_none() -> None:
    assert macro_mean([0.5]).std is None and micro_mean([], []) is None
    with pytest.raises(BadNumbersError):
        macro_mean([])


def test_dsi_edges() -> None:
    assert dsi([0.5], 0) is None
    assert dsi([0, 0], 0) is None and dsi([0, 0], 0, paper=True) == 0
    assert dsi([0, 1], 0, paper=True) == -100 and dsi([1, 0], 0) == 100
    assert [domain_label(value) for value in (None, 10.0, 10.01, -10.0, -10.01)] == [
        "unsolved", "neutral", "comfort", "neutral", "strange"]  # fmt: skip
    with pytest.raises(BadNumbersError):
        dsi([1, 2], 2)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=8), st.floats(0.1, 100))
def test_dsi_does_not_depend_on_the_unit(scores: list[float], unit: float) -> None:
    value, scaled = dsi(scores, 0), dsi([unit * score for score in scores], 0)
    assert value is not None and value <= 100 and scaled == pytest.approx(value, abs=1e-6)


def test_the_dsi_table_is_tentative_on_few_problems() -> None:
    few = {"Internet": [[1.0] * 5 + [0.0] * 10, [1.0] * 4 + [0.0] * 11], "tiny": [[1.0], [0.0]]}
    table = dsi_table(["a", "b"], few, draws=2000)
    cell = table.cell("a", "Internet")
    assert (cell.value, cell.label, cell.tentative, cell.problems) == (pytest.approx(20), "comfort", True, 15)
    assert table.left_out == ("tiny",)
    with pytest.raises(KeyError):
        table.cell("a", "tiny")
    many = {"d": [[1.0] * 300 + [0.0] * 100, [1.0] * 100 + [0.0] * 300, [0.0] * 400]}
    table = dsi_table(["a", "b", "c"], many, draws=1000)
    assert [(cell.label, cell.tentative) for cell in table.cells] == [
        ("comfort", False), ("strange", False), ("unsolved", True)]  # fmt: skip
    low, value, high = table.cells[0].low, table.cells[0].value, table.cells[0].high
    assert low is not None and value is not None and high is not None and low < value < high
    assert table.cells[2].value is None and "solves nothing" in table.cells[2].reason
    rare = dsi_table(["a", "b"], {"d": [[1.0] + [0.0] * 19, [0.0] * 10 + [1.0] * 10]}, draws=500)
    assert rare.cells[0].low is None and rare.cells[0].value == pytest.approx(-900)
    alone = dsi_table(["a"], {"d": [[1.0] * 20]}, draws=10)
    assert alone.cells[0].value is None and "alone" in alone.cells[0].reason
    holes = dsi_table(["a", "b"], {"d": [[1.0] * 12 + [math.nan], [1.0] * 13]}, draws=10)
    assert holes.cells[0].problems == 12 and holes.cells[0].label == "neutral" and not holes.cells[0].tentative
    with pytest.raises(BadNumbersError):
        dsi_table(["a"], {"d": [[1.0], [0.0]]})


# Skill and weights ----------------------------------------------------------------------------------------------------


def test_a_game_agrees_with_an_independent_implementation() -> None:
    trueskill = pytest.importorskip("trueskill", reason="trueskill is not installed")
    environment = trueskill.TrueSkill(draw_probability=0.05)
    rng = random.Random(1)
    for _ in range(50):
        a, b = Rating(rng.uniform(5, 45), rng.uniform(0.5, 70)), Rating(rng.uniform(5, 45), rng.uniform(0.5, 70))
        theirs = trueskill.rate_1vs1(trueskill.Rating(a.mu, a.sigma), trueskill.Rating(b.mu, b.sigma), env=environment)
        for ours, other in zip(play_game(a, b), theirs, strict=True):
            assert ours.mu == pytest.approx(other.mu, abs=1e-5)
            assert ours.sigma == pytest.approx(other.sigma, abs=1e-5)


def test_a_game_moves_the_winner_up_however_far_behind() -> None:
    for gap in (0.0, 30.0, 300.0, 1e5):
        won, lost = play_game(Rating(0.0, 1.0), Rating(gap, 1.0))
        assert won.mu > 0 and lost.mu < gap
        assert 0 < won.variance < 1.1 and 0 < lost.variance < 1.1
    favourite, _ = play_game(Rating(40, 1), Rating(10, 1))
    assert favourite.mu == pytest.approx(40, abs=0.01)
    low, high = Rating().interval
    assert low < 25 < high


def test_task_ratings_follow_the_order_of_tasks() -> None:
    accuracies = {f"m{i}": {"easy": 0.9, "middle": 0.5, "hard": 0.1} for i in range(6)}
    mu = task_ratings(accuracies)
    assert mu["easy"] > mu["middle"] > mu["hard"]
    assert averaged_task_ratings(accuracies, 5) == pytest.approx(mu)
    weights = inverse_weights(mu)
    assert weights["hard"] > weights["middle"] > weights["easy"]
    assert inverse_weights({"a": -3.0, "b": 1.0}) == {"a": 0.5, "b": 0.5}
    assert task_ratings({"m": {"only": 0.5}}) == {"only": 25.0}
    for bad in ({}, {"m": {"a": 1.0}, "n": {"b": 1.0}}):
        with pytest.raises(BadNumbersError):
            task_ratings(bad)
    with pytest.raises(BadNumbersError):
        averaged_task_ratings(accuracies, 0)
    with pytest.raises(BadNumbersError):
        inverse_weights({})


def test_items_are_rated_by_who_fails_them() -> None:
    skill = {"strong": 0.9, "fair": 0.6, "weak": 0.2}
    scores = {m: {f"i{n:02}": float(n / 40 < s) for n in range(40)} for m, s in skill.items()}
    found = rate_items(scores, rounds=3)
    assert sorted(found.models, key=lambda name: -found.models[name].mu) == ["strong", "fair", "weak"]
    assert found.orientation == "difficulty" and found.games == 360
    assert found.items["i39"].mu > found.items["i20"].mu > found.items["i01"].mu
    assert rate_items(scores, rounds=3) == found
    # Hard items weigh more, so passing only easy ones is worth less than its share.
    difficulty = {item: rating.mu for item, rating in found.items.items()}
    rate = dapr(scores["weak"], difficulty)
    assert rate is not None and rate < sum(scores["weak"].values()) / 40
    assert dapr({}, difficulty) is None
    with pytest.raises(BadNumbersError, match="no rating"):
        dapr({"unknown": 1.0}, difficulty)


def test_missing_tasks_give_their_weight_away() -> None:
    weights = {"a": 0.5, "b": 0.3, "c": 0.2}
    found = weighted_score({"a": 10.0, "b": None}, weights)
    assert (found.value, found.badge) == (10.0, "1 of 3 tasks")
    assert coco_score({"a": 10.0, "b": 20.0, "c": 30.0}, weights) == pytest.approx(17)
    assert weighted_score({"a": 1.0, "b": 1.0, "c": 1.0}, weights).badge == ""
    assert coco_score({}, weights) is None
    with pytest.raises(BadNumbersError, match="no weight for d"):
        coco_score({"d": 1.0}, weights)
    with pytest.raises(BadNumbersError):
        coco_score({"a": 1.0}, {"a": -1.0})


# Correlation ----------------------------------------------------------------------------------------------------------


def test_correlations_agree_with_an_independent_implementation() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    rng = random.Random(7)
    for _ in range(40):
        n = rng.randint(4, 30)
        a, b = [rng.randint(0, 9) for _ in range(n)], [rng.randint(0, 9) for _ in range(n)]
        if len(set(a)) == 1 or len(set(b)) == 1:
            continue
        assert average_ranks(a) == pytest.approx(list(stats.rankdata(a)))
        theirs = stats.spearmanr(a, b)
        ours = spearman_correlation(a, b)
        assert ours.value == pytest.approx(theirs.statistic) and ours.p == pytest.approx(theirs.pvalue, abs=1e-9)
        assert kendall_tau_b(a, b) == pytest.approx(stats.kendalltau(a, b).statistic)
        assert pearson_correlation(a, b) == pytest.approx(stats.pearsonr(a, b).statistic)


def test_correlations_that_are_not_defined_say_why() -> None:
    assert "too few" in spearman_correlation([1, 2, 3], [1, 2, 3]).reason
    assert "same value" in spearman_correlation([1, 1, 1, 1], [1, 2, 3, 4]).reason
    assert kendall_tau_b([1, 1], [1, 2]) is None and pearson_correlation([1, 1], [1, 2]) is None
    perfect = spearman_correlation([1, 2, 3, 4], [10, 20, 30, 40])
    assert (perfect.value, perfect.p, perfect.low) == (1.0, 0.0, None)
    holes = spearman_matrix({"a": [1, 2, None, 4, 5, 6], "b": [2, 1, 3, 4, 6, 5]})["b", "a"]
    assert holes.n == 5 and holes.low is not None and holes.value is not None and holes.low < holes.value
    with pytest.raises(BadNumbersError):
        spearman_correlation([1], [1, 2])
    with pytest.raises(BadNumbersError, match="share no model"):
        rank_difference({"a": 1}, {"b": 1})
    flat = rank_difference({"a": 1, "b": 1}, {"a": 5, "b": 5})
    assert flat.slope is None and flat.kendall is None and [row.rank_ours for row in flat.rows] == [1.5, 1.5]


# Scaling --------------------------------------------------------------------------------------------------------------


def test_sizes_are_read() -> None:
    assert parse_size("33B") == (33, None) and parse_size(" 350M ") == (0.35, None)
    assert parse_size("46.7B / 12.9B") == (46.7, 12.9)
    for text in ("?", "", "B", "0B", "large", "1e5B", "33B / ?"):
        assert parse_size(text) is None


def test_a_line_and_its_band() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    points = [(1.0, 10.0), (10.0, 31.0), (100.0, 49.0)]
    fit = scaling_fit(points)
    theirs = stats.linregress([0, 1, 2], [10, 31, 49])
    assert (fit.b, fit.a, fit.r2) == (
        pytest.approx(theirs.slope),
        pytest.approx(theirs.intercept),
        pytest.approx(theirs.rvalue**2),
    )
    low, high = fit.band(10.0) or (0, 0)
    half = stats.t.ppf(0.975, 1) * (fit.error or 0) / math.sqrt(3)
    assert (low, high) == (pytest.approx(30 - half), pytest.approx(30 + half))
    assert fit.size_at(fit.at(42.0)) == pytest.approx(42)


def test_lines_that_say_nothing() -> None:
    falling = scaling_fit([ScalingPoint("a", 1, 50), ScalingPoint("b", 10, 40)])
    assert falling.size_at(70) is None and falling.band(5) is None
    assert size_interval(falling, 70).low is None
    assert scaling_fit([(1, 5), (10, 5)]).r2 is None
    for bad in ([(1, 5)], [(0, 5), (1, 6)], [(2, 5), (2, 6)], []):
        with pytest.raises(BadNumbersError):
            scaling_fit(bad)  # type: ignore[arg-type]
    points = [ScalingPoint("small", 1, 30), ScalingPoint("worse", 2, 20), ScalingPoint("moe", 3, 60, active=1),
              ScalingPoint("same", 1, 25), ScalingPoint("large", 4, 40)]  # fmt: skip
    assert [point.name for point in scaling_frontier(points)] == ["small", "large"]
    assert [point.name for point in scaling_frontier(points, mixtures=True)] == ["small", "moe"]
    assert scaling_frontier([]) == []


# Leakage --------------------------------------------------------------------------------------------------------------


def test_cdd_peak() -> None:
    g = list(range(20))
    samples = [g, g, [99, *g[1:]], [99, 98, *g[2:]], [100 + at for at in range(20)]]
    assert [cdd_peak(g, samples, alpha) for alpha in (0.05, 0, 0.1)] == [0.6, 0.4, 0.8]
    assert cdd_peak(g, [*samples, [200 + at for at in range(40)]]) == pytest.approx(4 / 6)
    assert cdd_peak(g, []) is None
    assert cdd_peak([*g, *range(500, 600)], [[*g, *range(700, 900)]], 0, max_tokens=20) == 1.0
    # .07 of 100 tokens is a float above 7 or below it: seven edits must count.
    long = list(range(100))
    assert cdd_peak(long, [[*range(1000, 1007), *long[7:]]], 0.07) == 1.0
    assert cdd_peak(list("ab") * 10, [list("ab") * 10], 0) == 1.0
    with pytest.raises(BadNumbersError):
        cdd_peak(g, samples, 2)


def test_leak_report() -> None:
    short = judge_peak(list(range(19)), [list(range(19))])
    assert short.value is None and short.contaminated is None and "20 tokens" in short.reason
    full = judge_peak(list(range(20)), [list(range(20))])
    assert full.contaminated is True and judge_peak(list(range(20)), []).reason == "there are no samples"
    report = leak_report({"a": 0.5, "b": 0.0, "c": None})
    assert (report.ratio, report.mean_peak, report.flagged, report.judged, report.skipped) == (0.5, 0.25, ("a",), 2, 1)
    assert leak_report({}).ratio is None
    assert leak_ratio([0.01, 0.011]) == 0.5 and leak_ratio([]) is None
    assert round(100 * (leak_ratio([1.0] * 6 + [0.0] * 269) or 0), 2) == 2.18
    assert clean_completion("\n def f():\n  pass\n\n\nprint(1)\n") == "def f():\n  pass"


def test_similarity_to_the_original() -> None:
    assert levenshtein_similarity("kitten", "sitting") == pytest.approx(0.571429, abs=1e-6)
    assert levenshtein_similarity([1, 2, 3], [1, 3]) == pytest.approx(2 / 3)
    assert levenshtein_similarity("", "") == 1.0
    rng = random.Random(0)
    originals = {f"p{n}": [rng.randrange(40) for _ in range(60)] for n in range(30)}
    solutions = {name: [rng.randrange(40) for _ in range(60)] for name in originals}
    solutions["p3"] = [*originals["p3"][:30], *solutions["p3"][30:]]
    solutions["p4"] = originals["p4"]
    found = original_leak(solutions, originals)
    assert found.null_pairs == 870 and found.limit is not None and found.limit < 0.4
    assert [match.problem for match in found.matches[:2]] == ["p4", "p3"]
    assert all(match.flagged for match in found.matches[:2]) and sum(match.flagged for match in found.matches) <= 3
    assert 0 < original_leak(solutions, originals, null_pairs=200).null_pairs <= 200
    alone = original_leak({"a": [1]}, {"a": [1]})
    assert alone.limit is None and alone.matches[0].flagged
    assert original_leak({}, {}).matches == ()


def test_diversity() -> None:
    found = sample_diversity([[1, 2], [1, 2], [1, 3]], ["f", "f", "f"])
    assert (found.samples, found.distinct, found.distance) == (3, 1, pytest.approx(1 / 3))
    assert found.duplicates == pytest.approx(1 / 3)
    assert sample_diversity([[1], [2]]).distinct == 2
    assert sample_diversity([]).distance is None and sample_diversity([[1]]).duplicates == 0
    with pytest.raises(BadNumbersError):
        sample_diversity([[1]], [])


@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=12))
def test_similarity_is_a_symmetric_share(a: list[int], b: list[int]) -> None:
    value = levenshtein_similarity(a, b)
    assert 0 <= value <= 1 and value == levenshtein_similarity(b, a) and (value == 1) == (a == b)


# Audit ----------------------------------------------------------------------------------------------------------------


def test_the_audit_finds_each_fault_and_no_other() -> None:
    columns = ("p1", "p3", "p5", "other", "mean", "std", "total")
    good = [50.0, 66.67, 75.0, 33.33, 41.67, 12.25, 225.0]
    table = AuditTable(
        columns=columns,
        rows={"good": good, "bad": [51.0, 49.0, None, 33.33, 42.17, 1.0, 300.0]},
        sizes={"p1": 12, "other": 12},
        mean_of={"mean": ("p1", "other")},
        std_of={"std": ("p1", "other")},
        rising=[("p1", "p3", "p5")],
        total_of={"total": ("p1", "p3", "p5", "other")},
    )
    good[5] = round(stdev([50.0, 33.33]), 2)
    audit = table_audit(table)
    assert {(finding.row, finding.column, finding.check) for finding in audit.findings} == {
        ("bad", "p1", "share"), ("bad", "p3", "order"), ("bad", "std", "std")}  # fmt: skip
    assert audit.checked == {"share": 4, "order": 3, "mean": 2, "std": 2, "total": 1}
    share = audit.of("share")[0]
    assert share.expected == 50.0 and "12 problems" in share.sentence
    of_one = AuditTable(columns=("a", "std"), rows={"row": [50.0, 1.0]}, std_of={"std": ("a",)})
    assert table_audit(of_one).findings == () and not table_audit(of_one).checked.get("std")


def test_the_audit_refuses_a_description_that_does_not_fit() -> None:
    for table in (
        AuditTable(columns=("a", "a"), rows={}),
        AuditTable(columns=("a",), rows={"r": [1, 2]}),
        AuditTable(columns=("a",), rows={}, sizes={"b": 3}),
        AuditTable(columns=("a",), rows={}, mean_of={"a": ("c",)}),
        AuditTable(columns=("a",), rows={}, rising=[("a", "z")]),
    ):
        with pytest.raises(BadNumbersError):
            table_audit(table)
    with pytest.raises(BadNumbersError):
        share_count(50, 0)
    assert share_count(101.0, 100) is None and share_count(-1.0, 100) is None


@given(st.integers(1, 3000), st.data())
def test_every_real_share_passes_the_audit(n: int, data: st.DataObject) -> None:
    j = data.draw(st.integers(0, n))
    found = share_count(round(100 * j / n, 2), n)
    assert found is not None and round(100 * found / n, 2) == pytest.approx(round(100 * j / n, 2), abs=0.0101)


# Trade-offs -----------------------------------------------------------------------------------------------------------


def test_bins_and_front() -> None:
    bins = mean_by_bins([0, 5, 10, 20, 99], [1, 0, 1, 1, 0], [0, 10, 20])
    assert [(found.estimate.value, found.estimate.n) if found.estimate else None for found in bins] == [
        (0.5, 2),
        (1, 2),
    ]
    assert mean_by_bins([], [], [0, 1])[0].estimate is None
    with pytest.raises(BadNumbersError):
        mean_by_bins([], [], [1, 1])
    points = {"cheap": (1.0, 0.3), "dear": (9.0, 0.8), "waste": (9.0, 0.5), "worse": (5.0, 0.2), "twin": (1.0, 0.3)}
    assert pareto_front(points) == ["cheap", "twin", "dear"]
