"""What the tools of the images cannot read, or break at, is disputed and no failure of the answer."""

from __future__ import annotations

import pytest

from annotator.sandbox import Job, Pool, TestCode, find_language
from annotator.sandbox.units import units_of
from annotator.sandbox.verdicts import read_result

_CSHARP_TEST = 'class P { static void Main() { if (S.F(1) != "a") throw new System.Exception(); } }'


def _outcome(pool: Pool, language: str, code: str, test: str) -> tuple[str, str]:
    found = pool.submit(Job(id="j", language=language, code=code, tests=(TestCode("t", test),))).result(120)
    return found.outcome, found.message


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("code", "test"),
    [
        ('def f(x):\n    return f"{"a" + x}"', "assert f('b') == 'ab'"),
        (
            "from itertools import batched\ndef f(x):\n    return [*batched(x, 2)]",
            "assert f([1, 2, 3]) == [(1, 2), (3,)]",
        ),
        ("class P[T]:\n    pass\ndef f(x):\n    return x", "assert f(3) == 3"),
        ("import pathlib\ndef f(x):\n    return [*pathlib.Path(x).walk()]", "assert f('nowhere') == []"),
    ],
)
def test_what_passes_in_the_current_python_alone_is_disputed(pool: Pool, code: str, test: str) -> None:
    outcome, message = _outcome(pool, "python", code, test)
    assert (outcome, message.partition(":")[0]) == ("disputed", "passes in the current Python")


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("code", "test", "outcome"),
    [
        ("def f(x)\n    return x", "assert f(3) == 3", "compile_error"),
        ("from itertools import batched\ndef f(x):\n    return [*batched(x, 2)]", "assert f([1]) == []", "fail"),
        ("def f(x):\n    return x.nothing", "assert f(3) == 3", "fail"),
    ],
)
def test_what_fails_in_every_python_fails(pool: Pool, code: str, test: str, outcome: str) -> None:
    assert _outcome(pool, "python", code, test)[0] == outcome


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ('static string F(int x) => x switch { 1 => "a", _ => "b" };', "disputed"),
        ('static string F(int x) { string G(int y) => y == 1 ? "a" : "b"; return G(x); }', "disputed"),
        ('static string F(int x) { return (x, 1) == (1, 1) ? "a" : "b"; }', "disputed"),
        ('static string F(int x) { return "a" }', "compile_error"),
        ('static string F(int x) { return g("a"); }', "compile_error"),
    ],
)
def test_csharp_that_mono_cannot_read_is_disputed(pool: Pool, body: str, outcome: str) -> None:
    assert _outcome(pool, "c#", f"class S {{ public {body} }}", _CSHARP_TEST)[0] == outcome
    # The test may go on in the class of the code.
    assert _outcome(pool, "c#", f"class P {{ class S {{ public {body} }}", _CSHARP_TEST[10:])[0] == outcome


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("c++", "main.cpp:1:1: internal compiler error: Segmentation fault"),
        ("rust", "error: the compiler unexpectedly panicked. this is a bug."),
        ("java", "An exception has occurred in the compiler (21.0.1)."),
    ],
)
def test_a_compiler_that_breaks_is_no_error_of_the_answer(name: str, said: str) -> None:
    units = units_of(Job(id="j", language=name, code="x", tests=(TestCode("t", "y"),)), "/tools")
    assert isinstance(units, tuple)
    step = {
        "step": "compile",
        "status": 1,
        "timeout": False,
        "wall_s": 1.0,
        "cpu_s": 1.0,
        "peak_kb": 1,
        "finished": False,
        "ran": None,
    }
    raw = {
        "records": [step],
        "stderr": said,
        "stdout": "",
        "flooded": False,
        "timeout": False,
        "memory": False,
        "status": 1,
    }
    result = read_result(units[0], raw)
    assert (result.outcome, result.message) == ("disputed", f"the compiler itself broke: {said}")
    assert find_language(name).compiled
