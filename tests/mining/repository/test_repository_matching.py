"""From tests to functions: every way a name can lead to one, and the mistakes of others that are not made."""

from __future__ import annotations

from typing import Any

import pytest

from tests.samples import load_samples

from .conftest import Found

SAMPLES = load_samples(__file__)

LIBRARY = SAMPLES["library"]


def one(found: Found, body: str, head: str = "from lib.shapes import *") -> set[str]:
    text = f"{head}\n\ndef test_it():\n" + "\n".join(f"    {line}" for line in body.strip().split("\n"))
    files = {"lib/__init__.py": "from .shapes import double as twofold", "lib/shapes.py": LIBRARY}
    return found({**files, "tests/test_it.py": text + "\n    assert True\n"})["test_it"] - {"Shape.__init__"}


@pytest.mark.parametrize(("body", "expected"), SAMPLES["ways_to_a_function"])
def test_ways_to_a_function(found: Found, body: str, expected: list[str]) -> None:
    assert {name for name in one(found, body) if "inner" not in name and name[0] != "~"} == set(expected)


@pytest.mark.parametrize(("head", "call"), SAMPLES["ways_to_import"])
def test_ways_to_import(found: Found, head: str, call: str) -> None:
    assert one(found, call, head) == {"double"}


def test_fixtures_parametrised_values_and_set_up(found: Found) -> None:
    files = {
        "src/lib/shapes.py": LIBRARY,
        "src/lib/__init__.py": "",
        "tests/conftest.py": SAMPLES["fixtures_parametrised_values_and_set_up"]["tests/conftest.py"],
        "tests/test_all.py": SAMPLES["fixtures_parametrised_values_and_set_up"]["tests/test_all.py"],
    }
    result = found(files)
    assert result["test_fixture"] == {"Pen.draw", "Shape.compute"}
    assert result["test_values"] == {"double"}
    assert result["test_classes"] >= {"Square.compute"}
    assert "Square.compute" in result["SquareCase.test_kind"]
    assert result["SquareCase.test_pen"] == {"Pen.draw"}
    assert result["SquareCase.test_raising"] == {"?double"}


def test_what_is_no_test(found: Found) -> None:
    result = found(SAMPLES["what_is_no_test"])
    assert set(result) == {"test_by_helper", "test_calling"}
    assert result["test_calling"] == {"helper_of_tests", "~f"}


@pytest.mark.parametrize("sample", SAMPLES["tests_and_functions"].values(), ids=SAMPLES["tests_and_functions"])
def test_which_functions_tests_run(found: Found, sample: dict[str, Any]) -> None:
    result = found(sample["files"])
    assert {name: result.get(name) for name in sample["expected"]} == {
        name: set(functions) for name, functions in sample["expected"].items()
    }
    assert not sample.get("whole") or set(result) == set(sample["expected"])


def test_loops_end(found: Found) -> None:
    chain = "\n".join(f"def f{n}(): return f{n + 1}()" for n in range(400))
    result = found({name: text.replace("<chain>", chain) for name, text in SAMPLES["loops_end"].items()})
    assert result["test_all"] == {"own", "f0"}
