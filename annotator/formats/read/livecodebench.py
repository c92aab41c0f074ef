"""Read LiveCodeBench's JSON lines: ``question_id, question_content, starter_code, public_test_cases`` and hidden tests.

Tests are JSON text: for a function (one JSON argument per line), or for a program that reads its input. Hidden tests
are usually a compressed pickle, which is never opened since it could run code; ``hidden_tests`` then says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from annotator.base.plain_json import python_text
from annotator.formats.read.import_records import Candidate, CandidateTest
from annotator.formats.read.lines import parse_json
from annotator.formats.read.typed_columns import ColumnError, Row, row_licence, row_name, text_column

_METHOD = re.compile(r"^\s*def\s+(\w+)\s*\(\s*self\b", re.MULTILINE)


def livecodebench_candidate(row: Row) -> Candidate:
    """Return a row as a candidate."""
    name, content = row_name(row, "question_id"), text_column(row, "question_content", filled=True)
    starter, title = text_column(row, "starter_code", default=""), text_column(row, "question_title", default="")
    function = _function(row, starter)
    hidden, unread = _cases(row, "private_test_cases")
    public, broken = _cases(row, "public_test_cases")
    if broken:
        raise ColumnError("column public_test_cases must hold a JSON list")
    origin = {
        "dataset": "LiveCodeBench",
        "question_id": name,
        "platform": text_column(row, "platform", default=""),
        "contest": text_column(row, "contest_id", default=""),
        "date": text_column(row, "contest_date", default=""),
    }
    return Candidate(
        key=f"livecodebench:{name}",
        title=title or name,
        language="python",
        difficulty=text_column(row, "difficulty", default="").lower(),
        licence=row_licence(row),
        prompt=f"{content}\n\nStart from this code:\n\n```python\n{starter.rstrip()}\n```\n" if starter else content,
        entry_point=f"Solution.{function}" if function and "class Solution" in starter else function,
        provenance={field: value for field, value in origin.items() if value},
        extra={"hidden_tests": "not read"} if unread else {},
        tests=(*_tests("public", public, function, starter), *_tests("hidden", hidden, function, starter)),
    )


def _function(row: Row, starter: str) -> str:
    try:
        about = parse_json(text_column(row, "metadata", default="") or "{}")
    except ValueError:
        about = {}
    function_name = about.get("func_name") if isinstance(about, dict) else None
    match = _METHOD.search(starter)
    return function_name if isinstance(function_name, str) else match[1] if match else ""


def _cases(row: Row, column: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the test cases of a column, and whether it contains something other than JSON."""
    value = row.get(column)
    if isinstance(value, str) and value.strip():
        try:
            value = parse_json(value)
        except ValueError:
            return [], True
    cases = value if isinstance(value, list) else []
    good = [case for case in cases if isinstance(case, dict) and isinstance(case.get("input"), str)]
    if len(good) < len(cases):
        raise ColumnError(f"a test of column {column} has no input")
    return good, False


def _tests(kind: str, cases: list[dict[str, Any]], function: str, starter: str) -> Iterator[CandidateTest]:
    for number, case in enumerate(cases, start=1):
        expected = str(case.get("output", ""))
        if case.get("testtype") == "functional" and function:
            code = _call(case["input"], expected, function, in_class="class Solution" in starter)
            yield CandidateTest(name=f"{kind} {number}", code=code, language="python")
        else:
            inputs = {"stdin": case["input"]}
            yield CandidateTest(name=f"{kind} {number}", language="python", inputs=inputs, expected=expected)


def _call(input_text: str, expected: str, function: str, *, in_class: bool) -> str:
    """Return the assertion that a call returns the expected result; both are JSON, with one argument per line."""
    try:
        arguments = [json.loads(line) for line in input_text.splitlines() if line.strip()]
        result = json.loads(expected)
    except ValueError:
        raise ColumnError(f"a test of {function} is not JSON: {input_text[:40]}") from None
    callee = f"Solution().{function}" if in_class else function
    return f"assert {callee}({', '.join(map(python_text, arguments))}) == {python_text(result)}\n"
