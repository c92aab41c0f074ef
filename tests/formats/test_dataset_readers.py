"""Data sets that others publish, by rows in their form: what becomes of them, and how a format is recognised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.criteria.document.from_tests import with_check_called
from annotator.formats.format_registry import IMPORTS, RESPONSES, import_format
from annotator.formats.interchange.response_files import read_responses
from annotator.formats.read import datasets
from annotator.formats.read.import_records import Candidate, ImportedResponse, RowError
from annotator.formats.read.typed_columns import ColumnError
from annotator.formats.recognition import ignored_columns, recognise_format
from annotator.sandbox import Job, TestCode
from tests.formats import public_rows
from tests.formats.contest_rows import APPS, CLASSEVAL, CODECONTESTS, CRUXEVAL, INSTRUCTION, SUM

ROWS: dict[str, list[dict[str, Any]]] = {
    "evalplus": public_rows.EVALPLUS,
    "mbpp": public_rows.MBPP,
    "mbppplus": public_rows.MBPPPLUS,
    "bigcodebench": public_rows.BIGCODEBENCH,
    "livecodebench": public_rows.LIVECODEBENCH,
    "leetcodedataset": public_rows.LEETCODEDATASET,
    "multipl-e": public_rows.MULTIPL_E,
    "humanevalpack": public_rows.HUMANEVALPACK,
    "humanevalx": public_rows.HUMANEVALX,
    "domaineval": public_rows.DOMAINEVAL,
    "evocodebench": public_rows.EVOCODEBENCH,
    "naturalcodebench": public_rows.NATURALCODEBENCH,
    "coco": public_rows.COCO,
}


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def _candidates(name: str, path: Path) -> list[Candidate]:
    found = list(import_format(name).read(path, {}))
    assert all(isinstance(item, Candidate) for item in found), found
    return [item for item in found if isinstance(item, Candidate)]


@pytest.mark.parametrize(("name", "row"), [(name, row) for name, rows in ROWS.items() for row in rows])
def test_each_row_is_recognised_by_its_columns(tmp_path: Path, name: str, row: dict[str, Any]) -> None:
    found = recognise_format(_write(tmp_path / "rows.jsonl", [row]))
    assert found.formats[0] == name
    assert found.columns == tuple(row)


def test_every_format_of_rows_is_recognised_by_columns() -> None:
    assert {item.name for item in (*IMPORTS, *RESPONSES) if not item.columns} == {
        "annotator", "infibench", "realisticcodebench", "labels", "published",
    }  # fmt: skip


def test_columns_that_are_not_read_are_named(tmp_path: Path) -> None:
    row = public_rows.BIGCODEBENCH[0]
    path = _write(tmp_path / "rows.jsonl", [row])
    assert ignored_columns(path, "bigcodebench", tuple(row), {}) == ("code_prompt", "doc_struct")
    columns = ("task_id", "question", "prompt", "license")
    assert ignored_columns(path, "jsonl", columns, {}) == ("task_id", "question")
    assert ignored_columns(path, "jsonl", columns, {"reference": "question.text"}) == ("task_id",)
    answers = ("task_id", "completion", "solution", "model")
    assert ignored_columns(path, "samples", answers, {}) == ("solution",)
    assert ignored_columns(path, "labels", answers, {}) == ()


def test_rows_with_a_prompt_and_tests_are_no_answers(tmp_path: Path) -> None:
    row = {"task_id": "a", "prompt": "Add.", "completion": "x", "unit_test": "assert 1"}
    assert recognise_format(_write(tmp_path / "rows.jsonl", [row])).formats == ("jsonl",)


def test_a_format_that_reads_no_row_is_not_taken_for_it(tmp_path: Path) -> None:
    row = {"task_id": 1, "prompt": "def f():", "canonical_solution": "return 1", "test": ["assert f()"]}
    found = recognise_format(_write(tmp_path / "rows.jsonl", [{**row, "entry_point": "f"}]))
    assert found.formats == ("jsonl",)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [("a.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
     ("a.csv.gz", "", "Unpack it first"), ("a.json", "[[1, 2], 3]\n[[4], 5]\n", "one object per line")],
)  # fmt: skip
def test_a_file_of_another_kind_is_refused_with_what_to_do(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(BadInputError, match=words):
        recognise_format(tmp_path / name)


@pytest.mark.parametrize(
    "text",
    ['{"q/1": {"prompt": "Add."}, "q/2": {"prompt": "Sum."}}',
     '{"prompt": {"0": "Add.", "1": "Sum."}, "id": {"0": "q/1", "1": "q/2"}}',
     '{"prompt": {"q/1": "Add.", "q/2": "Sum."}, "notes": {"q/1": "", "q/2": ""}}'],
)  # fmt: skip
def test_an_object_of_objects_with_the_same_keys_is_rows(tmp_path: Path, text: str) -> None:
    (tmp_path / "rows.json").write_text(text, "utf-8")
    assert recognise_format(tmp_path / "rows.json").formats == ("jsonl",)
    items = _candidates("jsonl", tmp_path / "rows.json")
    assert [(item.key, item.prompt) for item in items] == [("jsonl:q/1", "Add."), ("jsonl:q/2", "Sum.")]


def test_ids_that_are_usual_names_are_no_columns(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text('{"prompt": {"prompt": "Ask."}, "add": {"prompt": "Add."}}', "utf-8")
    assert [item.key for item in _candidates("jsonl", tmp_path / "rows.json")] == ["jsonl:prompt", "jsonl:add"]


def test_parts_with_lists_of_rows_are_no_rows(tmp_path: Path) -> None:
    prompts = [{"prompt": "Add."}, {"prompt": "Sum."}, {"prompt": "Sort."}]
    parts = {"train": {"items": prompts}, "test": {"items": [{"prompt": "Map."}]}}
    (tmp_path / "rows.json").write_text(json.dumps(parts), "utf-8")
    assert recognise_format(tmp_path / "rows.json").rows_place == "train.items"


def test_no_licence_is_assumed(tmp_path: Path) -> None:
    for name, rows in ROWS.items():
        for item in _candidates(name, _write(tmp_path / "rows.jsonl", rows)):
            assert item.licence == ""
    named = [{**public_rows.BIGCODEBENCH[0], "license": "Apache-2.0"}]
    assert _candidates("bigcodebench", _write(tmp_path / "rows.jsonl", named))[0].licence == "Apache-2.0"


def test_big_code_bench_goes_on_from_its_prompt(tmp_path: Path) -> None:
    [item] = _candidates("bigcodebench", _write(tmp_path / "rows.jsonl", public_rows.BIGCODEBENCH))
    assert item.title == "task_func: Return n dice." and item.extra["libs"] == ["random"]
    assert item.prompt.startswith("import random") and item.reference.startswith("    return")


@pytest.mark.parametrize(
    ("reference", "language", "code"),
    [("```c++\nint f();\n```\n", "c++", "int f();\n"), ("x = 1", "", "x = 1"), ("```\nx\n\n```", "", "x\n\n"),
     ("```f()```", None, ""), ("```python```", None, ""), ("``` {r}\nx\n```", None, "")],
)  # fmt: skip
def test_a_reference_is_one_fenced_block_or_none(reference: str, language: str | None, code: str) -> None:
    row = {"_id": "1", "problem": "Add.", "testcases": "assert 1", "reference_solution": reference}
    if language is None:
        with pytest.raises(ColumnError, match="one fenced block"):
            datasets.naturalcodebench_candidate(row)
        return
    candidate = datasets.naturalcodebench_candidate(row)
    assert (candidate.language, candidate.reference) == (language, code)


@pytest.mark.parametrize("statement", ["import pytest, sys", "from pytest import raises", "import pytest;"])
def test_an_imported_pytest_is_not_imported_again(statement: str) -> None:
    tests = f"{statement}\npytest.raises(ValueError)"
    row = {"_id": "1", "problem": "Add.", "testcases": tests, "reference_solution": "```python\nx\n```"}
    assert datasets.naturalcodebench_candidate(row).tests[0].code == tests


def test_a_method_in_a_comment_of_the_starter_code_is_no_entry_point() -> None:
    starter = "# class Node:\n#     def __init__(self, value):\nclass Solution:\n    def total(self, head):\n        "
    row = {"question_id": "1", "question_content": "Add.", "public_test_cases": "[]", "starter_code": starter}
    assert datasets.livecodebench_candidate(row).entry_point == "Solution.total"


def test_live_code_bench_has_functions_and_programs(tmp_path: Path) -> None:
    function, program = _candidates("livecodebench", _write(tmp_path / "rows.jsonl", public_rows.LIVECODEBENCH))
    assert function.entry_point == "Solution.pairSum"
    assert function.tests[0].code == "assert Solution().pairSum([2, 7, 11], 9) == [0, 1]\n"
    assert function.extra == {"hidden_tests": "not read"}
    cases = [(test.inputs, test.expected) for test in program.tests]
    assert cases == [({"stdin": "a\n"}, "aa\n"), ({"stdin": "b\n"}, "bb\n")]


def test_a_packed_column_of_live_code_bench_is_never_opened(tmp_path: Path) -> None:
    row = {**public_rows.LIVECODEBENCH[0], "public_test_cases": "gASVIA=="}
    [found] = import_format("livecodebench").read(_write(tmp_path / "rows.jsonl", [row]), {})
    assert isinstance(found, RowError) and "public_test_cases" in found.reason


def test_the_functions_of_multipl_e_keep_the_spelling_of_their_language(tmp_path: Path) -> None:
    found = _candidates("multipl-e", _write(tmp_path / "rows.jsonl", public_rows.MULTIPL_E))
    assert [(item.language, item.entry_point) for item in found] == [
        ("java", "addOne"), ("c++", "add_one"), ("javascript", "add_one"),
    ]  # fmt: skip


def test_a_language_that_a_row_of_humaneval_names_counts(tmp_path: Path) -> None:
    row = {"task_id": "MBJSP/1", "prompt": "/** Adds one. */\nfunction addOne(n) {\n", "canonical_solution": None,
           "test": "if (addOne(1) !== 2) {\n    throw 'wrong'\n}\n", "entry_point": "addOne"}  # fmt: skip
    rows = [{**row, "language": "JS"}, {**row, "language": "perl"}, {**row, "language": "python"}, row,
            {**row, "task_id": "Pascal/1"}, {**row, "task_id": "A/1", "test": "assert addOne(1) == 2\n"}]  # fmt: skip
    found = _candidates("humaneval", _write(tmp_path / "rows.jsonl", rows))
    assert [item.language for item in found] == ["javascript", "perl", "python", "", "Pascal", "python"]
    assert [item.tests[0].language for item in found] == [item.language for item in found]
    assert found[0].reference == ""


ANSWERS = {
    "java": "import java.util.*;\nclass Problem {\n    public static long addOne(long n) { return n + 1; }\n}\n",
    "c++": "#include <bits/stdc++.h>\nusing namespace std;\nlong add_one(long n) { return n + 1; }\n",
    "javascript": "function add_one(n) { return n + 1; }\nconst addOne = add_one;\n",
}


def test_the_entry_point_of_humanevalx_is_the_function_that_is_declared_last(tmp_path: Path) -> None:
    path = _write(tmp_path / "rows.jsonl", [*public_rows.HUMANEVALX, {**public_rows.HUMANEVALX[0], "declaration": "x"}])
    *found, bad = import_format("humanevalx").read(path, {})
    assert [(item.language, item.entry_point) for item in found if isinstance(item, Candidate)] == [
        ("python", "add_one"), ("c++", "add_one"), ("java", "addOne"), ("go", "AddOne"), ("rust", "add_one"),
    ]  # fmt: skip
    assert isinstance(bad, RowError) and "declaration has no function" in bad.reason
    assert isinstance(found[-1], Candidate) and "fn add_one(n: i64)" in found[-1].prompt


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "name", ["multipl-e", "humanevalpack", "humanevalx", "mbppplus", "bigcodebench", "evalplus", "mbpp"]
)
def test_right_answers_pass_and_wrong_ones_do_not(tmp_path: Path, pool: Any, name: str) -> None:
    for item in _candidates(name, _write(tmp_path / "rows.jsonl", ROWS[name])):
        right = ANSWERS[item.language] if name == "multipl-e" else _program(item)
        tests = tuple(
            TestCode(test.name, with_check_called(test.code, item.entry_point)) for test in item.tests if test.code
        )
        assert tests, item.key
        good = pool.submit(Job(id="right", language=item.language, code=right, tests=tests)).result()
        assert good.outcome == "pass", (item.key, good)
        wrong = right.replace("return n + 1", "return n").replace("return ", "return None and ")
        bad = pool.submit(Job(id="wrong", language=item.language, code=wrong, tests=tests)).result()
        assert bad.outcome != "pass" and bad.outcome != "machinery", (item.key, bad)


def _program(item: Candidate) -> str:
    """The reference after its prompt, where it goes on from it."""
    return item.prompt + item.reference if item.reference[:1].isspace() else item.reference


def test_samples_of_others_are_read_as_answers(tmp_path: Path) -> None:
    plus = _write(tmp_path / "mine.jsonl", [{"task_id": "HumanEval/0", "solution": "def f(): ...", "_identifier": "x"}])
    [one] = read_responses(plus)
    assert isinstance(one, ImportedResponse) and (one.subject, one.model, one.sample) == ("HumanEval/0", "mine", 0)
    assert (one.text, one.finish_reason, one.is_model_named) == ("def f(): ...", "unknown", False)
    folder = tmp_path / "Qwen__Coder-7B"
    folder.mkdir()
    rows = [
        {"doc_id": 0, "doc": {"task_id": "HumanEval/0"}, "target": "t", "arguments": {}, "resps": [["a", "b"]],
         "filtered_resps": ["a"], "doc_hash": "h"},
        {"doc_id": 1, "doc": {"question": "?"}, "resps": [["c"]]},
    ]  # fmt: skip
    logged = _write(folder / "samples_humaneval_2026-01-01.jsonl", rows)
    without_results = [item.model for item in read_responses(logged) if isinstance(item, ImportedResponse)]
    assert set(without_results) == {"samples_humaneval_2026-01-01"}
    (folder / "results_2026-01-01.json").write_text("{}")
    found = [item for item in read_responses(logged) if isinstance(item, ImportedResponse)]
    assert {item.model for item in found} == {"Qwen/Coder-7B"}
    assert [(item.subject, item.sample, item.text) for item in found] == [
        ("HumanEval/0", 0, "a"), ("HumanEval/0", 1, "b"), ("1", 0, "c"),
    ]  # fmt: skip
    half_answered = _write(tmp_path / "half.jsonl", [{"doc_id": 2, "doc": {"name": "x"}, "resps": [["a", None, "b"]]}])
    answer, bad, other = read_responses(half_answered)
    assert isinstance(bad, RowError) and [answer.sample, other.sample] == [0, 1]


@pytest.mark.parametrize(
    ("name", "format"),
    [("tasks/t1/java/Test.java", "realisticcodebench"), ("t1/java/Test.java", "realisticcodebench"),
     ("items.jsonl", "annotator"), ("README.md", "annotator")],
)  # fmt: skip
def test_exports_are_told_apart_though_each_has_a_manifest(name: str, format: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("{}")
    assert recognise_format(tmp_path).formats == (format,)


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
    method = _read(tmp_path, "leetcodedataset", public_rows.LEETCODEDATASET[0])
    assert isinstance(method, Candidate) and method.tests[0].code.endswith("check(Solution().pairSum)\n")
    asked = _read(tmp_path, "instructions", INSTRUCTION)
    assert isinstance(asked, Candidate) and (asked.prompt, asked.reference) == ("Sort it.\n\n3, 1", "1, 3")


@pytest.mark.parametrize(
    ("format", "row", "said"),
    [("jsonl", {"prompt": "def f():", "canonical_solution": "x", "suffix": "return 1"}, "between prompt and suffix"),
     ("apps", {**APPS, "input_output": "{"}, "column input_output: not valid JSON"),
     ("apps", {**APPS, "input_output": '{"inputs": [1], "outputs": []}'}, "lists of the same length"),
     ("codecontests", {**CODECONTESTS, "input_file": "in.txt"}, "reads standard input"),
     ("cruxeval", {**CRUXEVAL, "code": "def f("}, "not valid Python")],
)  # fmt: skip
def test_what_does_not_fit_is_said(tmp_path: Path, format: str, row: dict[str, Any], said: str) -> None:
    bad = _read(tmp_path, format, row)
    assert isinstance(bad, RowError) and said in bad.reason
