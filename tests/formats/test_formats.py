"""Readers of other people's files, whose refusals name the place; tests of mined functions call themselves."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.answers.masked import MASK
from annotator.base.errors import BadInputError, KnownError
from annotator.formats.format_registry import IMPORTS, import_format
from annotator.formats.interchange import domaineval, humaneval, infibench, response_files
from annotator.formats.interchange.called_tests import with_test_call
from annotator.formats.read import jsonl
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.read.lines import LINE_LIMIT
from annotator.formats.read.typed_columns import ColumnError
from annotator.formats.write.export_folder import CannotHoldError
from tests.samples import load_samples

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ROWS = st.dictionaries(
    st.sampled_from(["id", "prompt", "title", "task", "tests", "views", "provenance", "language", "other"]), JSON
)


def _read(path: Path, mapping: Mapping[str, str] | None = None) -> list[Candidate | RowError]:
    return list(jsonl.read_jsonl(path, mapping or {}))


@given(ROWS)
def test_any_row_is_a_candidate_or_a_reason(row: dict[str, Any]) -> None:
    try:
        found = jsonl.row_candidate(row, {}, prefix="jsonl")
    except ColumnError as problem:
        assert str(problem)
    else:
        assert found.prompt.strip() and found.key.startswith("jsonl:")
        assert found.content_hash() == jsonl.row_candidate(row, {}, prefix="jsonl").content_hash()


@given(data=st.binary(max_size=200))
def test_any_bytes_are_rows_reasons_or_one_known_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "rows.jsonl"
    path.write_bytes(data)
    try:
        assert all(isinstance(item, (Candidate, RowError)) for item in _read(path))
    except KnownError as error:
        assert "rows.jsonl" in str(error)


@pytest.mark.parametrize(
    ("tests", "code"),
    [
        ("assert add(1, 2) == 3\nassert add(0, 0) == 0", ["assert add(1, 2) == 3\nassert add(0, 0) == 0"]),
        (["assert add(1, 2) == 3", {"name": "zero", "code": "assert add(0, 0) == 0"}],
         ["assert add(1, 2) == 3", "assert add(0, 0) == 0"]),
        ("  ", []),
        ([], []),
    ],
)  # fmt: skip
def test_tests_are_code_or_a_list(tests: object, code: list[str]) -> None:
    found = jsonl.row_candidate({"prompt": "Add.", "tests": tests}, {}, prefix="jsonl")
    assert [test.code for test in found.tests] == code
    assert len({test.name for test in found.tests}) == len(code)


@pytest.mark.parametrize(
    ("written", "name"),
    [("Java", "java"), (" JS ", "javascript"), ("Python3", "python"), ("Klingon ", "Klingon"), ("", "")],
)
def test_a_language_has_one_name(written: str, name: str) -> None:
    assert jsonl.row_candidate({"prompt": "Add.", "language": written}, {}, prefix="jsonl").language == name


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        (7, "tests must be code, or a list of tests"),
        ([7], "test 1 must be code, or an object"),
        (["assert 1", ["assert 2"]], "test 2 must be code, or an object"),
        (["assert '\x00'"], "code of test 1 holds a null character"),
        ([{"code": "assert '\ud800'"}], "code of test 1 holds half of a character pair"),
    ],
)
def test_other_tests_are_refused(tests: object, said: str) -> None:
    with pytest.raises(ColumnError, match=said):
        jsonl.row_candidate({"prompt": "Add.", "tests": tests}, {}, prefix="jsonl")


def test_a_function_to_be_completed_is_titled_by_its_docstring() -> None:
    prompt = 'from typing import List\n\ndef add(a, b):\n    """Return the sum. Both are numbers."""\n'
    for text, title in ((prompt, "add: Return the sum."), ("Write add(a, b).", "Write add(a, b).")):
        assert jsonl.row_candidate({"prompt": text, "entry_point": "add"}, {}, prefix="jsonl").title == title


def test_columns_are_mapped_and_nested_ones_dotted(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    with gzip.open(path, "wt") as stream:
        stream.write("\ufeff" + json.dumps({"q": {"text": "Why?"}, "lang": "r", "qid": 7}) + "\n\n")
    found = _read(path, {"prompt": "q.text", "language": "lang", "id": "qid"})
    assert len(found) == 1
    row = found[0]
    assert isinstance(row, Candidate)
    assert (row.prompt, row.language, row.key, row.title) == ("Why?", "r", "jsonl:7", "Why?")
    with pytest.raises(KnownError, match="no field colour"):
        _read(path, {"colour": "q"})


def test_a_long_line_is_one_bad_row_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with path.open("wb") as stream:
        stream.write(b'{"prompt": "' + b"x" * LINE_LIMIT + b'"}\n')
        stream.write(b'{"prompt": "short"}\n')
    bad, good = _read(path)
    assert isinstance(bad, RowError) and bad.line == 1 and "longer than" in bad.reason
    assert isinstance(good, Candidate) and good.prompt == "short"


@pytest.mark.parametrize(("name", "between"), [("t.csv", ","), ("T.CSV", ";"), ("t.tsv", "\t"), ("t.csv", "\t")])
def test_a_table_is_read_as_rows_of_texts(tmp_path: Path, name: str, between: str) -> None:
    lines = [
        ("id", "prompt", "views", "reference"),
        ("1", '"Reverse\r\na ""list"""', "12", ""),
        ("b", "Wh\u00fd?", "", "x"),
    ]
    text = "\r\n".join(between.join(cells) for cells in lines)
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
    first, second = jsonl.read_jsonl(tmp_path / name, {})
    assert isinstance(first, Candidate) and isinstance(second, Candidate)
    assert (first.key, first.prompt, first.views, first.reference) == ("jsonl:1", 'Reverse\r\na "list"', 12, "")
    assert (second.key, second.prompt, second.views, second.reference) == ("jsonl:b", "Wh\u00fd?", None, "x")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"id,prompt\n1,Why?,more\n", "t.csv:2: the row has more cells than there are columns"),
        (b"id,prompt\n1,\n", "t.csv:2: "),
        (b'id,prompt\n1,"Why\n', "t.csv:2: the table cannot be read further"),
    ],
)
def test_a_table_with_faults_says_where(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    try:
        [item] = jsonl.read_jsonl(tmp_path / "t.csv", {})
    except BadInputError as error:
        assert error.message.startswith(said)
    else:
        assert str(item).startswith(said)


def test_a_json_array_is_read_as_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(' [{"prompt": "a"}, 3,\n {"prompt": "b"}]')
    first, bad, second = _read(path)
    assert isinstance(first, Candidate) and isinstance(second, Candidate) and second.prompt == "b"
    assert str(bad) == "rows.json:2: the row is a number, not an object with columns"
    path.write_text('{"prompt": "a"}\n{"prompt": "b"}\n')
    assert len(_read(path)) == 2
    for text, words in (
        ('[{"a": 1e999}, {"prompt": "b"}]', "too large"),
        (f'[{"[" * 200 + "]" * 200}, {{"prompt": "b"}}]', "nested"),
    ):
        path.write_text(text)
        bad, good = _read(path)
        assert isinstance(bad, RowError) and bad.line == 1 and words in bad.reason
        assert isinstance(good, Candidate) and good.prompt == "b", "what is wrong with one row is that row's matter"
    for text, words in (("[1", "not valid JSON"), ('[{"prompt": "a"}] 3', "something follows")):
        path.write_text(text)
        with pytest.raises(BadInputError, match=words):
            _read(path)


def test_rows_may_be_written_over_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"prompt": text}, indent=2) + "\n" for text in "ab"))
    assert [item.prompt for item in _read(path) if isinstance(item, Candidate)] == ["a", "b"]
    packed = tmp_path / "rows.json.gz"
    packed.write_bytes(gzip.compress(b'\xef\xbb\xbf[{"prompt": "a"}]'))
    assert [item.prompt for item in _read(packed) if isinstance(item, Candidate)] == ["a"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"prompt": "a", "extra": {"x": "\\ud800"}}', "lone surrogate"),
        ('{"prompt": "a", "extra": {"x": 1e999}}', "too large"),
        ('{"prompt": "a", "extra": {"x": ' + "[" * 120 + "]" * 120 + "}}", "nested too deeply"),
    ],
)
def test_what_could_not_be_stored_is_a_bad_row(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{line}\n{{"prompt": "good"}}\n')
    bad, good = _read(path)
    assert isinstance(bad, RowError) and words in bad.reason and isinstance(good, Candidate)


def test_human_eval_rows_become_candidates(tmp_path: Path) -> None:
    path = tmp_path / "HumanEval.jsonl"
    task = {
        "task_id": "HumanEval/0", "prompt": 'def add(a, b):\n    """Add two numbers. More."""\n', "entry_point": "add",
        "canonical_solution": "    return a + b\n", "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
    }  # fmt: skip
    path.write_text(json.dumps(task) + "\n" + json.dumps({**task, "test": None}) + "\n")
    good, bad = import_format("humaneval").read(path, {})
    assert isinstance(good, Candidate) and good.title == "add: Add two numbers." and good.tests[0].language == "python"
    assert isinstance(bad, RowError) and "column test" in bad.reason


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "no eval_"),
        ({"eval_1.yaml": "id: 1\nprompt_path: ../secret\ngrading: {}\n"}, "outside"),
        ({"eval_1.yaml": "id: 1\nprompt_path: gone.txt\ngrading: {}\n"}, "missing"),
        ({"eval_1.yaml": "id: [\n"}, "eval_1.yaml"),
        ({"eval_1.yaml": "- a\n"}, "mapping"),
        ({"eval_1.yaml": "id: 1\nprompt_path: p.txt\ngrading: !!python/name:os.system ''\n", "p.txt": "?"}, "tag"),
        ({"eval_1.yaml": "id: 1\nprompt_path: p.txt\ngrading: {}\n", "p.txt": b"\xff\xfe"}, "UTF-8"),
    ],
)
def test_a_suite_with_faults_says_where(tmp_path: Path, files: dict[str, str | bytes], words: str) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    for name, text in files.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        found = [str(item) for item in infibench.read_infibench(folder, {}) if isinstance(item, RowError)]
    except BadInputError as error:
        found = [str(error)]
    assert found and words in found[0]


def test_responses_are_numbered_where_they_are_not(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    rows = [
        {"task_id": "a", "completion": "x"},
        {"task_id": "a", "completion": "y"},
        {"case": 3, "idx": 4, "response": "z", "model": "m"},
        {"case": 3, "response": 5},
        {"response": "nobody's"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = list(response_files.read_responses(path))
    good = [item for item in found if isinstance(item, response_files.ImportedResponse)]
    assert [(item.subject, item.model, item.sample) for item in good] == [
        ("a", "mine", 0),
        ("a", "mine", 1),
        ("3", "m", 4),
    ]
    assert [item.line for item in found if isinstance(item, RowError)] == [4, 5]


def test_generations_of_a_harness_have_the_order_of_the_items(tmp_path: Path) -> None:
    path = tmp_path / "generations.json"
    path.write_text(json.dumps([["x", "y"], ["z"]]))
    found = [
        item for item in response_files.read_responses(path, lambda: ("one", "two")) if not isinstance(item, RowError)
    ]
    assert [(item.subject, item.sample, item.text, item.is_model_named) for item in found] == [
        ("one", 0, "x", False),
        ("one", 1, "y", False),
        ("two", 0, "z", False),
    ]
    with pytest.raises(BadInputError, match="2 items in their order, but there are 1 items here"):
        list(response_files.read_responses(path, lambda: ("one",)))
    path.write_text(json.dumps({"sample_7": ["a"], "sample_3": ["b"]}, indent=1))
    named = [item.subject for item in response_files.read_responses(path) if not isinstance(item, RowError)]
    assert named == ["sample_7", "sample_3"], "CRUXEval's name the items"
    path.write_text(json.dumps([["x"], [5]]))
    bad = list(response_files.read_responses(path, lambda: ("one", "two")))[1]
    assert isinstance(bad, RowError) and "two" in bad.reason


def test_an_unknown_format_lists_those_there_are() -> None:
    with pytest.raises(KnownError) as caught:
        import_format("csvx")
    assert all(item.name in str(caught.value) for item in IMPORTS)


# Tests of mined functions call themselves in formats that run a test by running its code.
SAMPLES = load_samples(__file__)
FUNCTION = "def test_it():\n    raise LookupError"
CASE = (
    "import unittest\n\nclass Base(unittest.TestCase):\n    def setUp(self):\n        self.error = LookupError\n\n"
    "class TestIt(Base):\n    def test_it(self):\n        raise self.error"
)
PLAIN = "class TestIt:\n    def test_it(self):\n        raise LookupError"


@pytest.mark.parametrize(
    ("code", "node_id"),
    [(FUNCTION, "t.py::test_it"), (CASE, "t.py::TestIt::test_it"), (PLAIN, "t.py::TestIt::test_it")],
)
def test_a_test_that_is_run_by_its_code_is_called(code: str, node_id: str) -> None:
    with pytest.raises(LookupError):
        exec(with_test_call(code, node_id), {})


@pytest.mark.parametrize(("code", "node_id"), SAMPLES["what_only_pytest_can_run_is_not_held"])
def test_what_only_pytest_can_run_is_not_held(code: str, node_id: str) -> None:
    with pytest.raises(CannotHoldError, match="pytest"):
        with_test_call(code, node_id)


PARAMETERS = SAMPLES["parameters"]


def test_parameters_are_given_one_set_after_the_other() -> None:
    seen: list[object] = []
    exec(with_test_call(PARAMETERS, "t.py::test_it"), {"seen": seen})
    assert sorted(seen, key=str) == [(x, a, b, (3, 4), 5) for x in (1, 2) for a, b in ((1, "b"), (2, "c"))]
    seen.clear()
    exec(with_test_call(PARAMETERS, "t.py::TestIt::test_it"), {"seen": seen})
    assert seen == ["ab"]
    failing = PARAMETERS.replace("seen.append(x)", "assert x == 'other'")
    with pytest.raises(AssertionError):
        exec(with_test_call(failing, "t.py::TestIt::test_it"), {})


@pytest.mark.parametrize(
    "decorator",
    ["parametrize('x', [1], indirect=True)", "parametrize(NAMES, [1])", "parametrize('y', [1])", "usefixtures('x')",
     "parametrize(argnames='x', argvalues=[1])", "xfail"],
)  # fmt: skip
def test_parameters_that_only_pytest_knows_are_not_held(decorator: str) -> None:
    head = "import pytest\nNAMES = 'x'\n\n"
    with pytest.raises(CannotHoldError, match="pytest"):
        with_test_call(f"{head}@pytest.mark.{decorator}\ndef test_it(x):\n    pass", "t.py::test_it")


@pytest.mark.parametrize("name", ["1 test/test_aes.py", "test 1", "t.py::test_other"])
def test_code_that_runs_by_itself_stays(name: str) -> None:
    assert with_test_call("assert add(1, 2) == 3\n", name) == "assert add(1, 2) == 3\n"


ADD = "def add(a, b):\n    return plus(a, b)\n\n\ndef plus(a, b):\n    return a + b\n"
WRONG = ADD.replace("a + b", "a - b")
OF_A_MODULE = SAMPLES["of_a_module"]
ITEM = {
    "key": "own:add", "language": "python", "prompt": "Add two numbers.", "reference": ADD, "entry_point": "add",
    "context": MASK, "domain": "", "provenance": {}, "extra": {},
}  # fmt: skip


@pytest.fixture
def modules() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def _humaneval(test: str, answer: str) -> str:
    row = humaneval.humaneval_row({**ITEM, "tests": [_test(test)]})
    return f"{row['prompt']}{answer}\n{row['test']}\ncheck({row['entry_point']})"


def _domaineval(test: str, answer: str) -> str:
    [row] = domaineval.domaineval_row({**ITEM, "tests": [_test(test)]})["test_code_list"]
    return f"{row['code_start']}\n{answer}\n{row['test_code']}"


def _test(code: str) -> dict[str, Any]:
    return {"name": "basic", "language": "python", "code": code, "inputs": {}}


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize("test", OF_A_MODULE.values(), ids=list(OF_A_MODULE))
@pytest.mark.parametrize("program", [_humaneval, _domaineval], ids=["humaneval", "domaineval"])
def test_exported_tests_find_the_answer_by_its_module_and_fail_a_wrong_one(
    program: Callable[[str, str], str], test: str
) -> None:
    exec(program(test, ADD), {})
    for name in ("adder", "sums", "sums.adder", "solution"):
        sys.modules.pop(name, None)
    with pytest.raises(AssertionError):
        exec(program(test, WRONG), {})


def test_tests_that_import_nothing_of_the_answer_stay_as_they_are() -> None:
    test = "from math import floor\n\ndef check(candidate):\n    assert candidate(floor(1.5), 2) == 3\n"
    assert humaneval.humaneval_row({**ITEM, "tests": [_test(test)]})["test"] == test


@pytest.mark.usefixtures("modules")
def test_a_module_that_is_there_is_not_taken_for_the_answer() -> None:
    test = "from toolz import identity\n\ndef check(candidate):\n    assert identity(1) == candidate(0, 1)\n"
    exec(_humaneval(test, f"{ADD}\n\ndef identity(x):\n    return 7\n"), {})


@pytest.mark.parametrize("prepared", ["setup_class(cls)", "setup_method(self, method)", "setup(self)"])
@pytest.mark.parametrize("program", [_humaneval, _domaineval], ids=["humaneval", "domaineval"])
def test_classes_that_only_pytest_can_prepare_are_not_held(program: Callable[[str, str], str], prepared: str) -> None:
    test = (
        f"class TestIt:\n    def {prepared}:\n        pass\n\n    def test_it(self):\n        assert add(1, 2) == 3\n"
    )
    with pytest.raises(CannotHoldError, match="pytest"):
        program(test, ADD)
