"""Conditions that count and look back are scored, and Java without a fence keeps no prose."""

from __future__ import annotations

import pytest

from annotator import criteria
from annotator.criteria.metrics.extraction import extract_code


@pytest.mark.parametrize(("text", "score"), [("one two three", 1.0), ("one three", 2 / 3)])
def test_a_condition_counts_the_verdicts_so_far(text: str, score: float) -> None:
    last = "{content: {content: three, cond: 'context.count(\"match\") == 2'}, weight: 1}"
    checked = criteria.parse_criterion(f"grading:\n  keywords: [one, two, {last}]\n")
    assert checked.document is not None, checked.problems
    found = criteria.score_by_criterion(checked.document, text)
    assert found.score == pytest.approx(score if "two" in text else 1 / 3)


def test_a_condition_of_a_blank_looks_back() -> None:
    source = (
        "grading:\n  blank_filling:\n    template: 'a = [blank]; b = [blank]; c = 1'\n    targets:\n      - x\n"
        "      - content:\n          - {content: y, cond: 'grading_details[-1].startswith(\"matched\")'}\n"
    )
    checked = criteria.parse_criterion(source)
    assert checked.document is not None, checked.problems
    assert criteria.score_by_criterion(checked.document, "a = x; b = y; c = 1").score == 1.0
    assert criteria.score_by_criterion(checked.document, "a = z; b = y; c = 1").score == 0.0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("int f() { return 1; }\nThat is all.", "int f() { return 1; }"),
        ("class A { int f() { return 1; }\n public static void main(String[] a) { } }",
         "class A { int f() { return 1; }\n }"),
        ("class A { int f() { return 1; }\nDone", "class A { int f() { return 1; }\n}"),
    ],
)  # fmt: skip
def test_java_without_a_fence_keeps_no_prose(text: str, code: str) -> None:
    assert extract_code(text, "java") == code
