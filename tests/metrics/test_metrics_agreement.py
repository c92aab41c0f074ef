"""Agreement and blind judging: vectors of the specification, an independent implementation, properties."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import KnownError
from annotator.metrics.agreement.blind_comparisons import (
    RaterJudgement,
    intra_rater,
    length_bias,
    panel_majority,
    panel_result,
    side_bias,
    sign_test,
    verdict_on_a,
    verdicts_by_rater,
    win_tie_lose,
)
from annotator.metrics.agreement.bradley_terry import ComparedPair, bradley_terry_strengths
from annotator.metrics.agreement.coefficients import (
    agreement_report,
    cohen_kappa,
    confusion_table,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac1_all,
    jackknife_interval,
    krippendorff_alpha,
    light_kappa,
    pairwise_kappas,
    raw_agreement,
    weighted_kappa,
)
from annotator.metrics.metric_values import BadNumbersError, Measure

A, B, C = list("WWTTTTLLTT"), list("WWTTTLLLTT"), list("WTTTTTLLTT")
LABELS = st.sampled_from(["W", "T", "L"])


def test_the_vectors_of_two_and_three_raters() -> None:
    assert cohen_kappa(A, B) == pytest.approx(5 / 6)
    found = pairwise_kappas([A, B, C])
    assert [round(value or 0, 6) for value in found.pairs.values()] == [0.833333, 0.807692, 0.649123]
    assert (round(found.low or 0, 6), round(found.high or 0, 6), found.undefined) == (0.649123, 0.833333, 0)
    assert round(light_kappa([A, B, C]) or 0, 6) == 0.763383
    assert round(fleiss_kappa([A, B, C]) or 0, 6) == 0.760956
    assert round(krippendorff_alpha([A, B, C]) or 0, 6) == 0.768924


@pytest.mark.parametrize("seed", range(12))
def test_coefficients_agree_with_an_independent_implementation(seed: int) -> None:
    task_module = pytest.importorskip("nltk.metrics.agreement", reason="nltk is not installed")
    rng = random.Random(seed)
    raters = [[rng.choice("WTTL") for _ in range(12)] for _ in range(rng.randint(2, 5))]
    rows = [(f"r{r}", f"i{i}", label) for r, labels in enumerate(raters) for i, label in enumerate(labels)]
    task = task_module.AnnotationTask(data=rows)
    assert light_kappa(raters) == pytest.approx(task.kappa())
    assert krippendorff_alpha(raters) == pytest.approx(task.alpha())
    holes = [[label if rng.random() < 0.8 else None for label in labels] for labels in raters]
    rows = [(f"r{r}", f"i{i}", label) for r, labels in enumerate(holes) for i, label in enumerate(labels) if label]
    paired = [item for item in range(12) if sum(labels[item] is not None for labels in holes) > 1]
    task = task_module.AnnotationTask(data=[row for row in rows if int(row[1][1:]) in paired])
    assert krippendorff_alpha(holes) == pytest.approx(task.alpha())


def test_gwet_by_hand() -> None:
    # Nine of ten agree; shares of W, T, L are .2, .55, .25 over both raters.
    expected = (0.2 * 0.8 + 0.55 * 0.45 + 0.25 * 0.75) / 2
    assert gwet_ac1(A, B) == pytest.approx((0.9 - expected) / (1 - expected))
    assert gwet_ac1(["T", "T"], ["T", "T"], ["W", "T", "L"]) == 1.0
    assert gwet_ac1(["T", "T"], ["T", "T"]) is None
    assert gwet_ac1([None, "T"], ["T", None], ["T", "W"]) is None
    assert gwet_ac1_all([A, A, A]) == pytest.approx(1.0)


def test_undefined_is_none_and_the_report_says_why() -> None:
    same = ["T"] * 5
    assert cohen_kappa(same, same) is None
    assert fleiss_kappa([same, same]) is None
    assert krippendorff_alpha([same, same]) is None
    report = agreement_report([same, same, ["T", "T", "T", "T", "W"]])
    assert report.kappa.value == 0.0 and "1 of 3 pairs" in report.kappa.note
    assert any("1 of 3 pairs" in warning for warning in report.warnings)
    for rare in (2, 3):
        report = agreement_report([["T"] * 10, ["W"] * rare + ["T"] * (10 - rare)])
        assert any("of all labels are 'T'" in warning for warning in report.warnings) == (rare == 2)
    report = agreement_report([same, same])
    assert report.raw == Measure(1.0)
    for measure in (report.kappa, report.fleiss, report.alpha, report.ac1):
        assert measure.value is None and "same label" in measure.reason
    alone = agreement_report([same])
    assert alone.raw.value is None and "two raters" in alone.raw.reason
    apart = agreement_report([["W", None], [None, "T"]])
    assert apart.alpha.value is None and "rated twice" in apart.alpha.reason
    holes = agreement_report([["W", "T", "L"], ["W", None, "T"]])
    assert holes.fleiss.value is None and "missing" in holes.fleiss.reason
    assert holes.kappa.value is not None and holes.raw.value == 0.5


def test_bad_raters_are_refused_with_a_sentence() -> None:
    with pytest.raises(KnownError, match="3 and 2"):
        cohen_kappa(["W", "T", "L"], ["W", "T"])
    with pytest.raises(BadNumbersError, match="one label per item"):
        krippendorff_alpha([["W"], ["W", "T"]])
    with pytest.raises(BadNumbersError, match="Krippendorff"):
        fleiss_kappa([["W", None], ["W", "T"]])
    with pytest.raises(BadNumbersError):
        Measure(None)


def test_confusion_by_category() -> None:
    table = confusion_table(A, B, ["W", "T", "L"])
    assert table.counts == ((2, 0, 0), (0, 5, 1), (0, 0, 2)) and table.n == 10
    assert table.agreement == {"W": 1.0, "T": pytest.approx(10 / 11), "L": pytest.approx(4 / 5)}
    assert confusion_table(["W"], ["W"], ["W", "T"]).agreement["T"] is None
    assert raw_agreement([None], ["W"]) is None


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30))
def test_kappa_is_symmetric_and_at_most_one(pairs: list[tuple[str, str]]) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    value, back = cohen_kappa(a, b), cohen_kappa(b, a)
    assert (value is None) == (back is None) == (len(set(a) | set(b)) == 1)
    if value is not None and back is not None:
        assert value == pytest.approx(back) and -1 <= value <= 1
        assert value == pytest.approx(1) or a != b
    ac1 = gwet_ac1(a, b, ["W", "T", "L"])
    assert ac1 is not None and -1 <= ac1 <= 1


@given(st.lists(st.lists(LABELS, min_size=4, max_size=4), min_size=2, max_size=5), st.permutations(range(4)))
def test_coefficients_do_not_depend_on_the_order_of_items(raters: list[list[str]], order: list[int]) -> None:
    shuffled = [[labels[at] for at in order] for labels in raters]
    for coefficient in (light_kappa, fleiss_kappa, krippendorff_alpha, gwet_ac1_all):
        before, after = coefficient(raters), coefficient(shuffled)
        assert before == (None if after is None else pytest.approx(after))


# Judging --------------------------------------------------------------------------------------------------------------


def test_verdicts_are_counted_and_tested() -> None:
    found = win_tie_lose(["win"] * 30 + ["tie"] * 236 + ["lose"] * 9)
    assert (found.wins, found.ties, found.losses, found.n) == (30, 236, 9, 275)
    assert found.low is not None and found.high is not None and found.not_worse is not None
    assert found.low < found.not_worse < found.high
    assert found.non_inferior(0.1) is True and found.non_inferior(0.01) is False
    assert win_tie_lose(["W"] * 30 + ["T"] * 236 + ["L"] * 9) == found
    nothing = win_tie_lose([])
    assert (nothing.not_worse, nothing.p, nothing.non_inferior(0.1)) == (None, None, None)
    with pytest.raises(BadNumbersError, match="draw"):
        win_tie_lose(["win", "draw"])
    assert sign_test(0, 0) is None and sign_test(5, 0) == pytest.approx(2 / 32)
    with pytest.raises(BadNumbersError):
        sign_test(-1, 3)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_the_sign_test_is_a_symmetric_probability(wins: int, losses: int) -> None:
    p = sign_test(wins, losses)
    if wins + losses == 0:
        assert p is None
    else:
        assert p is not None and 0 <= p <= 1 and p == pytest.approx(sign_test(losses, wins))


def test_the_order_on_screen_is_undone() -> None:
    assert [verdict_on_a("1", True), verdict_on_a("1", False), verdict_on_a("2", True), verdict_on_a("2", False)] == [
        "win", "lose", "lose", "win"]  # fmt: skip
    assert verdict_on_a("tie", True) == verdict_on_a("both_bad", False) == "tie"
    with pytest.raises(BadNumbersError):
        verdict_on_a("3", True)


def test_a_panel_decides_by_absolute_majority() -> None:
    assert panel_majority(["win", "win", "win", "lose", "tie"]) == "win"
    assert panel_majority(["win", "win", "lose", "lose", "tie"]) == "tie"
    assert panel_majority(["win", "lose"]) == "tie"
    assert panel_majority([]) is None
    with pytest.raises(BadNumbersError):
        panel_majority(["yes", "yes"])
    judged = [RaterJudgement(item="i1", rater=rater, choice="1", a_first=True) for rater in "abc"]
    judged += [
        RaterJudgement(item="i2", rater="a", choice="2", a_first=True),
        RaterJudgement(item="i2", rater="b", choice="2", a_first=False),
    ]
    found = panel_result(judged)
    assert (found.wins, found.ties, found.losses) == (1, 1, 0)
    assert verdicts_by_rater(judged) == {"a": ["win", "lose"], "b": ["win", "win"], "c": ["win", None]}


def test_biases_of_side_and_length() -> None:
    first = [
        RaterJudgement(item=str(i), rater="a", choice="1", a_first=i % 2 == 0, length_a=100, length_b=50)
        for i in range(20)
    ]
    side = side_bias(first)
    assert (side.share, side.chosen, side.choices) == (1.0, 20, 20) and (side.p or 1) < 1e-4
    length = length_bias(first)
    assert length.share == 0.5 and length.p == 1.0
    longer = [
        RaterJudgement(item=str(i), rater="a", choice="1" if i % 2 else "2", a_first=i % 2 == 1, length_a=9, length_b=5)
        for i in range(8)
    ]
    assert length_bias(longer).share == 1.0 and side_bias(longer).share == 0.5
    assert (
        length_bias([RaterJudgement(item="i", rater="a", choice="1", a_first=True, length_a=5, length_b=5)]).share
        is None
    )
    assert side_bias([RaterJudgement(item="i", rater="a", choice="tie", a_first=True)]).p is None


def test_raters_against_themselves() -> None:
    judged = [
        RaterJudgement(item="1", rater="a", choice="1", a_first=True),
        RaterJudgement(item="2", rater="a", choice="2", a_first=True),
        RaterJudgement(item="3", rater="a", choice="tie", a_first=True),
        RaterJudgement(item="1", rater="a", choice="2", a_first=False),
        RaterJudgement(item="2", rater="a", choice="1", a_first=True),
        RaterJudgement(item="1", rater="b", choice="1", a_first=True),
    ]
    found = intra_rater(judged)
    assert found["a"].items == 2 and found["a"].raw.value == 0.5
    assert found["b"].items == 0 and "twice" in found["b"].kappa.reason
    constant = intra_rater(
        [
            RaterJudgement(item="1", rater="a", choice="1", a_first=True),
            RaterJudgement(item="1", rater="a", choice="1", a_first=True),
        ]
    )["a"]
    assert constant.kappa.value is None and constant.raw.value == 1.0
    assert verdicts_by_rater(judged)["a"] == ["win", "lose", "tie"]


# Coefficients of agreement against other people's implementations, which are oracles here and never dependencies.
PEER_LABELS = ("win", "tie", "lose")


def _raters(seed: int, *, gaps: bool) -> list[list[str | None]]:
    rng = random.Random(seed)
    truth = [rng.choice(PEER_LABELS) for _ in range(40)]
    raters: list[list[str | None]] = [
        [label if rng.random() < 0.7 else rng.choice(PEER_LABELS) for label in truth] for _ in range(rng.randint(2, 5))
    ]
    for labels in raters if gaps else ():
        for _ in range(5):
            labels[rng.randrange(40)] = None
    return raters


@pytest.mark.parametrize("seed", range(8))
def test_krippendorff(seed: int) -> None:
    oracle: Any = pytest.importorskip("krippendorff", reason="the oracle krippendorff is not installed")
    raters = _raters(seed, gaps=seed % 2 == 1)
    coded = [[float("nan") if label is None else PEER_LABELS.index(label) for label in labels] for labels in raters]
    assert krippendorff_alpha(raters) == pytest.approx(oracle.alpha(coded, level_of_measurement="nominal"))


@pytest.mark.parametrize("seed", range(8))
def test_gwet_and_fleiss(seed: int) -> None:
    cac: Any = pytest.importorskip("irrCAC.raw", reason="the oracle irrCAC is not installed")
    pandas: Any = pytest.importorskip("pandas", reason="pandas is not installed")
    raters = _raters(seed, gaps=False)
    table = cac.CAC(pandas.DataFrame(list(zip(*raters, strict=True))), digits=10)
    assert gwet_ac1_all(raters, PEER_LABELS) == pytest.approx(table.gwet()["est"]["coefficient_value"], abs=1e-8)
    assert fleiss_kappa(raters) == pytest.approx(table.fleiss()["est"]["coefficient_value"], abs=1e-8)


# Figures of blind judging against calculations by hand and SciPy: weighted kappa, jackknife, Bradley-Terry.
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
