"""What a failed comparison says: the values behind its names, and what the last call returned; no foreign code runs."""

from __future__ import annotations

import importlib
import linecache
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from annotator.base.resources import resource_path
from annotator.evaluation.answer_scoring import score_test_results
from annotator.sandbox.sandbox_jobs import JobResult, TestResult


@pytest.fixture
def solution(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(resource_path("sandbox", "supervisor")))
    yield importlib.import_module("solution")
    del sys.modules["solution"]


def _describe(solution: ModuleType, source: str, names: dict[str, Any]) -> str:
    linecache.cache["tests.py"] = (len(source), None, source.splitlines(keepends=True), "tests.py")
    try:
        exec(compile(source, "tests.py", "exec"), names)
    except AssertionError as error:
        return str(solution.describe(error, "tests.py"))
    raise AssertionError("nothing failed")


class Shy:
    """An object of the code under test: nobody may ask it for its text."""

    def __repr__(self) -> str:
        raise RuntimeError("asked")


def test_values_of_names_and_of_the_last_call_are_told(solution: ModuleType) -> None:
    solution.note_answer([1, 2])
    told = _describe(solution, "assert result == expected", {"result": [1, 2], "expected": (3,)})
    values = "result = [1, 2], expected = (3,), the last call returned [1, 2]"
    assert told == f"AssertionError in assert result == expected ({values})"
    solution.note_answer(Shy())
    assert _describe(solution, "assert 1 == 2", {}) == "AssertionError in assert 1 == 2"
    assert _describe(solution, "assert a == 1, 'own words'", {"a": 2}) == "AssertionError: own words"


@pytest.mark.parametrize(
    "value",
    [Shy(), [1, Shy()], {"a": (Shy(),)}, list(range(1000)), type("T", (int,), {})(3), "x" * 5000, 7**5000],
    ids=["object", "in a list", "in a dict", "long", "subclass", "text", "number"],
)
def test_what_is_not_plain_or_large_is_not_asked(solution: ModuleType, value: object) -> None:
    solution.note_answer(value)
    assert _describe(solution, "assert value is None", {"value": value}) == "AssertionError in assert value is None"


def test_a_long_value_is_cut(solution: ModuleType) -> None:
    told = _describe(solution, "assert value == ''", {"value": "x" * 900})
    assert len(told) < 300


def test_a_score_keeps_what_ten_failed_tests_said() -> None:
    tests = tuple(
        TestResult(name=f"t{n}", outcome="fail" if n else "pass", message="no" * 500 if n else "") for n in range(15)
    )
    rules = score_test_results(JobResult(id="i", outcome="fail", tests=tests)).detail["rules"]
    kept = [rule["detail"] for rule in rules if "detail" in rule]
    assert len(kept) == 10 and {len(text) for text in kept} == {400} and "detail" not in rules[0]
