"""Outcomes and summaries: wrong, no answer and machinery never mix."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator import criteria
from annotator.evaluation.scoring import score_response
from annotator.evaluation.summary import Sample, summarise
from annotator.model.words import Outcome

DOCUMENT = criteria.load("grading:\n  keywords:\n    - yes\n    - sure\n")


@pytest.mark.parametrize(
    ("text", "finish", "outcome", "score"),
    [
        ("yes, sure", "stop", Outcome.PASS, 1.0),
        ("yes", "stop", Outcome.PARTIAL, 0.5),
        ("no", "stop", Outcome.FAIL, 0.0),
        ("   ", "stop", Outcome.EMPTY, 0.0),
        ("I'm sorry, but I cannot help.", "stop", Outcome.REFUSAL, 0.0),
        ("nothing", "content_filter", Outcome.REFUSAL, 0.0),
        ("no and then", "length", Outcome.TRUNCATED, 0.0),
        ("yes, sure", "", Outcome.MACHINERY, None),
    ],
)
def test_outcomes(text: str, finish: str, outcome: Outcome, score: float | None) -> None:
    scored = score_response(DOCUMENT, text, finish)
    assert (scored.outcome, scored.score) == (outcome, score)


def test_what_cannot_be_scored_is_machinery() -> None:
    document = criteria.load("grading:\n  unit_test:\n    tests:\n      - content: assert True\n    lang: python\n")
    scored = score_response(document, "```\na = 1\n```")
    assert scored.outcome == Outcome.MACHINERY and scored.score is None and scored.detail["reason"]


def test_items_without_a_score_leave_the_mean() -> None:
    samples = [
        Sample("a", "pass", 1.0),
        Sample("a", "fail", 0.0),
        Sample("b", "machinery", None),
        Sample("c", "empty", 0.0),
    ]
    labels = {name: {"language": "r", "domain": "", "task": "question", "difficulty": ""} for name in "abc"}
    found = summarise(samples, labels)
    assert found.score == 0.25 and found.evaluated == 2 and found.samples == 4
    assert (found.passed, found.failed, found.no_answer, found.machinery) == (1, 1, 1, 1)
    assert found.groups["language"] == {"r": 0.25} and found.groups["domain"] == {}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.floats(0, 1)), max_size=30))
def test_a_summary_is_within_its_samples(rows: list[tuple[str, float | None]]) -> None:
    samples = [
        Sample(name, "pass" if value == 1 else "fail" if value is not None else "machinery", value)
        for name, value in rows
    ]
    found = summarise(samples, {})
    values = [value for _, value in rows if value is not None]
    assert (found.score is None) == (not values)
    if found.score is not None:
        assert min(values) - 1e-12 <= found.score <= max(values) + 1e-12
    assert found.passed + found.failed + found.machinery == len(rows)
