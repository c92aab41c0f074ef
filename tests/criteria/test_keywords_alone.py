"""Keywords scored without places: scores and reasons as with them; literal patterns are found as patterns are."""

from dataclasses import replace

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator import criteria
from annotator.criteria.metrics.rule_results import Scored, literal_text
from tests.benchmarks.criteria import answers
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

TEXTS = [*answers(60, 12), "", "ALPHA", "bwa index list", "sum(1) index", "Bananas are ALPHA, sum(list)"]


def _bare(scored: Scored) -> Scored:
    return replace(scored, rules=tuple(replace(rule, spans=()) for rule in scored.rules))


@pytest.mark.parametrize("limits", ["", "  min_score: -1\n  max_score: 3\n"])
def test_without_places_everything_else_is_the_same(limits: str) -> None:
    document = criteria.load_criterion(SAMPLES["rules"] + limits)
    fast = list(criteria.score_all_by_criterion(document, TEXTS, spans=False))
    slow = [criteria.score_by_criterion(document, text) for text in TEXTS]
    assert fast == [_bare(scored) for scored in slow]
    assert len({scored.points for scored in fast}) > 2


def test_a_rule_that_cannot_be_judged_is_told_for_its_response_alone() -> None:
    document = criteria.load_criterion(SAMPLES["out_of_range"])
    first, second, third = criteria.score_all_by_criterion(document, ["no", "value", "no more"], spans=False)
    assert (first.status, second.status, third.status) == ("scored", "not_scored", "scored")
    assert "cannot be computed" in second.reason
    assert [_bare(criteria.score_by_criterion(document, text)) for text in ("no", "value")] == [first, second]


def test_a_pattern_that_takes_any_time_is_still_stopped() -> None:
    document = criteria.load_criterion(SAMPLES["hostile"])
    scored = list(criteria.score_all_by_criterion(document, ["value", "a" * 40 + " value", "values"], spans=False))
    assert scored[0].status == scored[2].status == "scored"
    assert scored == [
        _bare(criteria.score_by_criterion(document, text)) for text in ("value", "a" * 40 + " value", "values")
    ]


@pytest.mark.parametrize(
    ("pattern", "text"), [("sum\\(", "sum("), ("a b-c", "a b-c"), ("", ""), ("\\\\\\|x", "\\|x"), ("日本", "日本")]
)
def test_a_literal_pattern_is_its_text(pattern: str, text: str) -> None:
    assert literal_text(pattern) == text


@pytest.mark.parametrize("pattern", ["a.b", "\\d", "\\n", "a|b", "^a", "a$", "x{2}", "[a]", "(a)", "a\\", "\\<a", "a+"])
def test_a_pattern_that_may_match_other_texts_is_none(pattern: str) -> None:
    assert literal_text(pattern) is None


_PIECES = st.sampled_from(
    ["a", "b", " ", "#", "\n", "é", "\\.", "\\(", "\\\\", "-", "<", "&&", "~", "\\|", "\\{", "/", ":"]
)


@settings(max_examples=200)
@given(st.lists(_PIECES, max_size=6).map("".join), st.text("ab #\né.(\\-<&~|{/:", max_size=20), st.booleans())
def test_a_literal_is_found_where_the_pattern_is(pattern: str, text: str, inside: bool) -> None:
    literal = literal_text(pattern)
    assert literal is not None
    whole = text + literal if inside else text
    assert (literal in whole) == (regex.search(pattern, whole) is not None)


def test_what_a_rule_lacks_is_told_where_other_texts_of_it_are_there() -> None:
    document = criteria.load_criterion("grading:\n  keywords:\n    - content: {and: [ON clause, 'NULL']}\n")
    for text, detail in (
        ("Move it into the `ON` clause: NULL is not > 10.", "not found: ON clause"),
        ("the ON clause, for NULL", "found"),
        ("an inner join", "not found"),
    ):
        assert [rule.detail for rule in criteria.score_by_criterion(document, text).rules] == [detail]
