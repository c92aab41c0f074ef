"""Responses and rules that could take for ever: scored, or refused with a reason, in bounded time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from annotator import criteria

LONG = f"def f(x):\n    return x  # {'some words about lists and keys, ' * 10}\n" * 15_000
SECONDS = 120.0
"""Far above what any of these needs; only a search that does not end would reach it."""


def scored(grading: dict[str, Any], response: str) -> criteria.Scored:
    document = criteria.load_criterion(json.dumps({"lang": "python", "grading": grading}))
    start = time.monotonic()
    result = criteria.score_by_criterion(document, response)
    assert time.monotonic() - start < SECONDS
    return result


def test_a_catastrophic_pattern_is_reported_on_its_rule() -> None:
    rules = [{"content": {"content": "(x+x+)+y", "regex": True}}, "fine"]
    result = scored({"keywords": rules}, "x" * 4000 + " fine")
    assert result.status == "not_scored" and "needs more than" in result.reason
    assert [rule.matched for rule in result.rules] == [None, True]


@pytest.mark.parametrize(
    ("grading", "status"),
    [
        ({"keywords": ["keys", {"content": {"content": "ke+ys", "regex": True}, "to_lower": True}]}, "scored"),
        ({"blank_filling": {"template": "x = [blank] ;", "targets": ["1"]}}, "not_scored"),
        ({"similarity": [{"metric": "rougeLsum", "references": ["some words\nabout lists\n" * 20]}]}, "not_scored"),
        ({"similarity": [{"metric": "rouge1", "references": ["some words"]}]}, "scored"),
        ({"equals": {"value": "x"}}, "scored"),
        ({"number": {"value": 4}}, "scored"),
        ({"json": {"value": {"a": 1}}}, "scored"),
        ({"ast": {"calls": "sorted"}}, "scored"),
    ],
)
def test_five_megabytes(grading: dict[str, Any], status: str) -> None:
    assert len(LONG) > 5_000_000
    result = scored(grading, LONG)
    assert result.status == status
    if status == "not_scored":
        assert "too long" in result.reason


def test_a_template_of_two_thousand_characters() -> None:
    template = "".join(f"value_{n} = compute({n}) + offset\n" for n in range(70))
    template = template.replace("compute(33)", "[blank]") + "# end"
    assert len(template) > 2000
    response = template.replace("[blank]", "compute(33)")
    result = scored({"blank_filling": {"template": template, "targets": ["compute(33)"]}}, f"Sure:\n{response}\nDone.")
    assert result.score == 1.0


@pytest.mark.parametrize(
    "response", ["a\r\nbeta\r\n", "\x00beta\x00", "\U0001f600 beta \u0301", "\ud800 beta", "\ufeffbeta"]
)
def test_line_ends_nulls_and_any_character(response: str) -> None:
    result = scored({"keywords": ["beta"], "equals": {"value": "beta"}}, response)
    assert result.status == "scored"
    rule = result.rules[0]
    assert rule.matched and [response[start:end] for start, end in rule.spans] == ["beta"]
    blanks = scored({"blank_filling": {"template": "b[blank]a", "targets": ["et"]}}, response)
    assert blanks.status == "scored"
    if "\ud800" not in response:
        assert scored({"similarity": [{"metric": "rougeL", "references": ["beta"]}]}, response).status == "scored"


@pytest.mark.parametrize("depth", [5_000, 200_000])
def test_deep_nesting_is_no_crash(depth: int) -> None:
    assert scored({"json": {"value": 1}}, "[" * depth).score == 0.0
    assert scored({"ast": {"calls": "f"}}, "```python\n" + "(" * depth + "\n```").score == 0.0
