"""Tests of mined functions call themselves in formats that run a test by running its code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from annotator.answers.masked import MASK
from annotator.formats.interchange import domaineval, humaneval
from annotator.formats.interchange.called_tests import with_test_call
from annotator.formats.write.export_folder import CannotHoldError
from tests.samples import load_samples

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
