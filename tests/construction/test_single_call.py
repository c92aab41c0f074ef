"""A function that ends the process at its second call tells whether tests call it more than once."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from annotator.construction.languages.single_call import end_at_second_call
from annotator.sandbox import Job, TestCode
from annotator.sandbox.pool import Pool
from annotator.text.syntax_trees import parse_code, walk_nodes
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
PROGRAMS: dict[str, dict[str, str]] = SAMPLES["programs"]


def _test(language: str, *numbers: int) -> str:
    program = PROGRAMS[language]
    calls = [
        program["call"]
        .replace("GIVEN", str(number))
        .replace("WANTED", "1" if language == "python" else str(number + 1))
        for number in numbers
    ]
    return (program["around"] or "TESTS").replace("TESTS", "".join(calls))


@pytest.mark.sandbox
@pytest.mark.parametrize("language", PROGRAMS)
def test_tests_that_call_once_pass_and_those_that_call_twice_do_not(pool: Pool, language: str) -> None:
    code = PROGRAMS[language]["code"]
    changed = end_at_second_call(code, language, [_test(language, 1)])
    assert changed is not None and changed != code
    results = [
        pool.submit(
            Job(
                id="t",
                language=language,
                code=changed,
                tests=(TestCode("t", _test(language, *numbers)),),
                mode="together",
            )
        )
        for numbers in ((1,), (1, 2))
    ]
    once, twice = (future.result() for future in results)
    assert once.outcome == "pass", once
    assert twice.outcome not in ("pass", "machinery"), twice


@pytest.mark.parametrize(
    ("language", "code", "tests"),
    [
        ("python", "def f():\n    return 1\n", "assert f() == 1"),
        ("python", "class F:\n    def g(self, x): ...\n", "F().g(1)"),
        ("go", "func f() int {\n\treturn 1\n}\n", "f()"),
        ("go", "func f(a int) int {\n\treturn 1\n}\n", "g(1)"),
        ("r", "f <- function(x) x + 1\nif (TRUE) {\n}\n", "f(1)"),
        ("javascript", "const f = (x) => x.map((y) => { return y; });\n", "f([1])"),
        ("c#", "static class A { static int f(int x) => x; }\nclass B { }\n", "A.f(1)"),
        ("bash", "f() {\n  echo 1\n}\n", "f 1"),
        ("sql", "SELECT 1", "SELECT 1"),
    ],
)
def test_what_takes_nothing_or_has_no_body_of_its_own_is_left(language: str, code: str, tests: str) -> None:
    assert end_at_second_call(code, language, [tests]) is None


@pytest.mark.parametrize(("language", "code", "guards"), SAMPLES["guards"])
def test_a_guarded_program_parses_as_before(language: str, code: str, guards: int) -> None:
    changed = end_at_second_call(code, language, ["f(1), A(1), constructor(1), __construct(1)"])
    assert len(set(re.findall(r"called\d+", (changed or "").lower()))) == guards
    before, after = (_errors(text, language) for text in (code, changed or code))
    assert after == before


def _errors(code: str, language: str) -> int:
    root = parse_code(code, language)
    assert root is not None
    return sum(node.is_error or node.is_missing for node in walk_nodes(root))


def test_methods_are_functions_too() -> None:
    code = "class Sum {\n  add(number) {\n    return number;\n  }\n}\n"
    assert end_at_second_call(code, "javascript", ["new Sum().add(1)"]) is not None


def test_a_function_that_calls_itself_is_called_once() -> None:
    changed = end_at_second_call("def f(n):\n    return 0 if n < 1 else 1 + f(n - 1)\n", "python", ["f"])
    assert changed is not None
    runs = [subprocess.run([sys.executable, "-c", changed + calls], check=False) for calls in ("f(5)", "f(1), f(2)")]
    assert [run.returncode for run in runs] == [0, 1]
