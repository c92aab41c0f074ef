"""Keyword rules beyond the reference: n of m, white space that does not count, code alone."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator import criteria
from annotator.text.code_spans import code_spans, only_code
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

ANSWER = "Use `x = 1`, never eval.\n\n```python\nresult = [ f( y ) for y in ys ]\n```\nThat is all, Ünïcode."


def _points(rule: str, response: str = ANSWER) -> float:
    return criteria.score_by_criterion(
        criteria.load_criterion(f"grading:\n  keywords:\n    - {rule}\n"), response
    ).points


@pytest.mark.parametrize(("rule", "points"), SAMPLES["places"])
def test_rules_look_where_they_say(rule: str, points: float) -> None:
    assert _points(rule) == points


def test_an_answer_without_marks_is_all_code() -> None:
    assert _points("{content: eval, code_only: true}", "eval(x)") == 1


@pytest.mark.parametrize("flags", ["", ", ignore_space: true", ", code_only: true", ", to_lower: true"])
def test_matches_are_marked_in_the_response_as_it_is(flags: str) -> None:
    document = criteria.load_criterion(f"grading:\n  keywords:\n    - {{content: 'for y'{flags}}}\n")
    [rule] = criteria.score_by_criterion(document, ANSWER).rules
    assert [ANSWER[start:end] for start, end in rule.spans] == ["for y"]


@pytest.mark.parametrize(("rule", "words"), SAMPLES["errors"])
def test_what_cannot_be_meant_is_an_error(rule: str, words: str) -> None:
    checked = criteria.parse_criterion(f"grading:\n  keywords:\n    - {rule}\n")
    assert checked.document is None
    assert any(words in problem.message for problem in checked.problems), checked.problems


@pytest.mark.parametrize(("source", "meant"), SAMPLES["misspelt_keys"])
def test_a_misspelt_key_comes_with_the_right_one(source: str, meant: str) -> None:
    messages = [problem.message for problem in criteria.parse_criterion(source).problems]
    assert any(meant in message for message in messages), messages


@given(st.text(st.sampled_from("`~ \n>ab1\0é"), max_size=60))
def test_code_keeps_its_place(text: str) -> None:
    kept = only_code(text)
    assert len(kept) == len(text)
    spans = code_spans(text)
    assert all(start <= end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    assert all(kept[start:end] == text[start:end] for start, end in spans)
