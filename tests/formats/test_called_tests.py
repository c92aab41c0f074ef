"""Tests of mined functions call themselves in formats that run a test by running its code."""

from __future__ import annotations

import pytest

from annotator.formats.interchange.called_tests import with_call
from annotator.formats.write.export_folder import CannotHoldError

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
        exec(with_call(code, node_id), {})


@pytest.mark.parametrize(
    ("code", "node_id"),
    [
        ("def test_it(tmp_path):\n    pass", "t.py::test_it"),
        ("import pytest\n\n@pytest.mark.parametrize('x', [1])\ndef test_it(x=1):\n    pass", "t.py::test_it"),
        ("class TestIt:\n    def setup_method(self):\n        pass\n\n    def test_it(self):\n        pass",
         "t.py::TestIt::test_it"),
        ("import pytest\n\n@pytest.fixture(autouse=True)\ndef made():\n    pass\n\ndef test_it():\n    pass",
         "t.py::test_it"),
    ],
)  # fmt: skip
def test_what_only_pytest_can_run_is_not_held(code: str, node_id: str) -> None:
    with pytest.raises(CannotHoldError, match="pytest"):
        with_call(code, node_id)


PARAMETERS = """
import pytest

@pytest.mark.parametrize("x", [1, pytest.param(2, id="two"), pytest.param(9, marks=pytest.mark.xfail)])
@pytest.mark.parametrize(("a", "b"), [(1, "b"), pytest.param(2, "c")], ids=["first", "second"])
@pytest.mark.parametrize("pair,", [(3, 4)])
@pytest.mark.parametrize(["one"], [[5]])
def test_it(x, a, *, b, pair, one):
    seen.append((x, a, b, pair, one))

class TestIt:
    @pytest.mark.parametrize("x", iter(["ab"]))
    def test_it(self, x):
        seen.append(x)
"""


def test_parameters_are_given_one_set_after_the_other() -> None:
    seen: list[object] = []
    exec(with_call(PARAMETERS, "t.py::test_it"), {"seen": seen})
    assert sorted(seen, key=str) == [(x, a, b, (3, 4), 5) for x in (1, 2) for a, b in ((1, "b"), (2, "c"))]
    seen.clear()
    exec(with_call(PARAMETERS, "t.py::TestIt::test_it"), {"seen": seen})
    assert seen == ["ab"]
    failing = PARAMETERS.replace("seen.append(x)", "assert x == 'other'")
    with pytest.raises(AssertionError):
        exec(with_call(failing, "t.py::TestIt::test_it"), {})


@pytest.mark.parametrize(
    "decorator",
    ["parametrize('x', [1], indirect=True)", "parametrize(NAMES, [1])", "parametrize('y', [1])", "usefixtures('x')",
     "parametrize(argnames='x', argvalues=[1])", "xfail"],
)  # fmt: skip
def test_parameters_that_only_pytest_knows_are_not_held(decorator: str) -> None:
    head = "import pytest\nNAMES = 'x'\n\n"
    with pytest.raises(CannotHoldError, match="pytest"):
        with_call(f"{head}@pytest.mark.{decorator}\ndef test_it(x):\n    pass", "t.py::test_it")


@pytest.mark.parametrize("name", ["1 test/test_aes.py", "test 1", "t.py::test_other"])
def test_code_that_runs_by_itself_stays(name: str) -> None:
    assert with_call("assert add(1, 2) == 3\n", name) == "assert add(1, 2) == 3\n"
