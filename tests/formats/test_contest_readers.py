"""Sets of programs that read standard input, of calls and of classes become items that can be judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.formats.format_registry import import_format
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.recognition import recognise_format
from tests.formats.contest_rows import APPS, CLASSEVAL, CODECONTESTS, CRUXEVAL, INSTRUCTION, SUM


def _read(tmp_path: Path, format: str, row: dict[str, Any]) -> Candidate | RowError:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([row]), "utf-8")
    assert recognise_format(path).formats[0] == format
    [item] = import_format(format).read(path, {})
    return item


def test_apps_programs_and_functions(tmp_path: Path) -> None:
    item = _read(tmp_path, "apps", APPS)
    assert isinstance(item, Candidate)
    assert (item.key, item.reference, item.difficulty) == ("apps:7", SUM, "introductory"), "Python 3 that can be read"
    assert [(test.inputs["stdin"], test.expected) for test in item.tests] == [("2\n1 2\n", "3\n"), ("1\n5", "5")]
    cases = {"fn_name": "twice", "inputs": [[2], [[1]]], "outputs": [[4], [1, 1]]}
    row = {**APPS, "starter_code": "class Solution:\n    def twice(self, n):\n", "input_output": json.dumps(cases)}
    called = _read(tmp_path, "apps", row)
    assert isinstance(called, Candidate) and called.entry_point == "Solution.twice"
    assert called.tests[0].code.startswith("result = Solution().twice(2)\n") and "in ([4], 4,)" in called.tests[0].code


def test_codecontests(tmp_path: Path) -> None:
    item = _read(tmp_path, "codecontests", CODECONTESTS)
    assert isinstance(item, Candidate)
    assert (item.language, item.reference) == ("python", CODECONTESTS["solutions"]["solution"][1])
    assert [test.name for test in item.tests] == ["public 1", "private 1"] and item.tests[0].timeout == 2.5
    assert item.place is not None and item.place.left_out == ("cf_rating",)
    only = {"language": ["CPP"], "solution": ["int main() {}"]}
    other = _read(tmp_path, "codecontests", {**CODECONTESTS, "solutions": only})
    assert isinstance(other, Candidate) and other.language == "c++"


def test_calls_classes_and_instructions(tmp_path: Path) -> None:
    call = _read(tmp_path, "cruxeval", CRUXEVAL)
    assert isinstance(call, Candidate) and "f(1, 'x')" in call.prompt and call.reference == "(1, 'x')"
    made = _read(tmp_path, "classeval", CLASSEVAL)
    assert isinstance(made, Candidate) and made.entry_point == "A" and made.tests[0].code.startswith("import math\n")
    asked = _read(tmp_path, "instructions", INSTRUCTION)
    assert isinstance(asked, Candidate) and (asked.prompt, asked.reference) == ("Sort it.\n\n3, 1", "1, 3")


@pytest.mark.parametrize(
    ("format", "row", "said"),
    [
        ("apps", {**APPS, "input_output": "{"}, "column input_output: not valid JSON"),
        ("apps", {**APPS, "input_output": '{"inputs": [1], "outputs": []}'}, "lists of one length"),
        ("codecontests", {**CODECONTESTS, "input_file": "in.txt"}, "reads standard input"),
        ("cruxeval", {**CRUXEVAL, "code": "def f("}, "not Python that can be read"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, format: str, row: dict[str, Any], said: str) -> None:
    bad = _read(tmp_path, format, row)
    assert isinstance(bad, RowError) and said in bad.reason
