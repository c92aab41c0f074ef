"""The alignment of many responses against the rule as it is written down, cell by cell."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.criteria import load_criterion, score_by_criterion
from annotator.criteria.metrics.blank_filling import align_response, align_with_template
from tests.benchmarks.written_rules import aligned

LETTERS = st.text("ab \n", min_size=1, max_size=12)


@settings(max_examples=400, deadline=None)
@given(LETTERS, st.lists(LETTERS, min_size=1, max_size=6))
def test_equals_the_rule_for_many_at_once(template: str, responses: list[str]) -> None:
    assert list(align_with_template(template, responses)) == [aligned(template, response) for response in responses]


@settings(max_examples=100, deadline=None)
@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_equals_the_rule_for_any_text(template: str, response: str) -> None:
    assert align_response(template, response) == aligned(template, response)


def test_batches_keep_the_order() -> None:
    responses = ["ab" * size for size in range(1, 400)]
    template = "xaxb" * 100
    assert list(align_with_template(template, responses)) == [
        align_response(template, response) for response in responses
    ]


@pytest.mark.parametrize(("response", "matched"), [("abcXde", True), ("abcXd", True), ("abXd", False)])
def test_a_template_may_match_at_a_rate_of_just_four_fifths(response: str, matched: bool) -> None:
    document = load_criterion('{"grading": {"blank_filling": {"template": "abc[blank]de", "targets": ["X"]}}}')
    assert (score_by_criterion(document, response).score == 1.0) == matched


@pytest.mark.parametrize(
    ("response", "score_of"),
    [
        ("```python\nd = (1 * u.pc).to(u.lyr)  # light years\n```\n\nLet me know (if you'd like tests).", 1.0),
        ("d = (1 * u.pc).to(u.lightyear)\nprint(d)\n", 1.0),
        ("Try:\n\n```python\nd = (1 * u.pc).to(u.lightyear)\nprint(d.value)\n```\n\nWith u.km) it is longer.", 1.0),
        ("```python\nd = (1 * u.pc).to(u.km)\n```\n\nFor light years, write u.lyr)", 0.0),
        ("d = (1 * u.pc).to(u.km)  # not u.lyr)\nprint(u.lyr)\n", 0.0),
        ('```python\nd = (1 * u.pc).to(u.Unit("lyr"))  # in (light) years\n```\n\nMore (or less)?', 1.0),
        ('>>> So:\n    d = (1 * u.pc).to(u.Unit("lyr"))\nprint(d)', 1.0),
        ('d = (1 * u.pc).to(u.Unit("km"))  # u.Unit("lyr"))\n', 0.0),
        ('d = (1 * u.pc).to(u.Unit("lyr"))\n\nNo:\n\nd = (1 * u.pc).to(u.Unit("km"))\n', 0.0),
    ],
)
def test_a_last_blank_ends_in_its_line(response: str, score_of: float) -> None:
    document = load_criterion(
        "grading:\n  blank_filling:\n    template: d = (1 * u.pc).to([blank])\n    targets:\n"
        "      - content: [u.lyr, u.lightyear, 'u.Unit(\"lyr\")']\n"
    )
    assert score_by_criterion(document, response).score == score_of
