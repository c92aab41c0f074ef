"""Agreement and blind judging: vectors of the specification, an independent implementation, properties."""

from __future__ import annotations

import random

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
from annotator.metrics.agreement.coefficients import (
    agreement_report,
    cohen_kappa,
    confusion_table,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac1_all,
    krippendorff_alpha,
    light_kappa,
    pairwise_kappas,
    raw_agreement,
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
