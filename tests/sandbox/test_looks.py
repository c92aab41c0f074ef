"""A test's verdict where one run does not settle it: disputed, flaky, tampered; and new answers in the image."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from annotator.sandbox import Job, JobResult, Limits, Pool, TestCode
from annotator.sandbox.altered_tests import alter_tests
from annotator.sandbox.python_tests import inspect_tests
from annotator.sandbox.sandbox_jobs import Mode, TestResult
from annotator.sandbox.second_look import Done, FurtherRuns, plan_looks
from annotator.sandbox.units import Look, Unit
from annotator.sandbox.verdicts import UnitResult
from tests.sandbox.answer_pairs import load_answers

# Right answers with classes of their own and of functions, in the styles people test them in; wrong ones that lie about
# what they are or reach for what judges them.
RIGHT = load_answers("with_classes") | load_answers("with_functions")
WRONG = load_answers("cheating")


def _result(pool: Pool, code: str, test: str, mode: Mode = "judged") -> JobResult:
    limits = Limits(wall_s=60, cpu_s=60, memory_mb=2048)
    return pool.submit(
        Job(id="x", language="python", code=code, tests=(TestCode("t", test),), limits=limits, mode=mode)
    ).result(120)


@pytest.mark.sandbox
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_passes_in_the_mode_of_its_tests(pool: Pool, name: str) -> None:
    found = _result(pool, *RIGHT[name])
    assert (found.outcome, found.message) == ("pass", "")


@pytest.mark.sandbox
@pytest.mark.parametrize("name", WRONG)
def test_an_answer_that_cheats_does_not_pass(pool: Pool, name: str) -> None:
    assert _result(pool, *WRONG[name]).outcome in ("fail", "crash", "tampered")


@pytest.mark.sandbox
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_fails_with_other_expected_values(pool: Pool, name: str) -> None:
    code, test = RIGHT[name]
    style = "functions" if re.search(r"^\s*(async )?def test|unittest", test, re.MULTILINE) else "snippet"
    assert _result(pool, code, alter_tests(test, style), "fast").outcome == "fail"


def test_what_passes_in_one_process_alone_is_disputed(local: Pool) -> None:
    # Its objects stay with the answer, and say of themselves what nobody else can see.
    code = "class box:\n    def __eq__(self, o): return isinstance(o, tuple) and o == (1, 2)\ndef f(): return box()"
    found = _result(local, code, "assert f() == (1, 2)")
    assert (found.outcome, found.tests[0].outcome) == ("disputed", "disputed")


def test_what_passes_with_other_values_too_is_tampered(local: Pool) -> None:
    code = "class box:\n    def __eq__(self, o): return True\ndef f(): return box()"
    found = _result(local, code, "import sys\nassert f() == 3")
    assert (found.outcome, found.tests[0].outcome) == ("tampered", "tampered")
    assert _result(local, code, "assert f() == 3").outcome == "fail"


def test_a_mode_of_the_item_is_kept_and_told(local: Pool) -> None:
    right, wrong = "def f(): return 1", "def f(): return 2"
    shared = _result(local, right, "assert f() == 1", "shared")
    assert (shared.outcome, shared.weaker) == ("pass", "the item's tests share a process with the answer")
    assert _result(local, wrong, "assert f() == 1", "shared").outcome == "fail"


def _unit(outcome: str, *touched: str, slowed: bool = False) -> UnitResult:
    return UnitResult(
        outcome=outcome, tests=(TestResult(name="t", outcome=outcome, touched=touched),), message="", slowed=slowed
    )


def _decided(*steps: tuple[Look, str, tuple[str, ...]], slowed: bool = False, **about: bool) -> str:
    """Return the verdict, or the look that follows the steps."""
    first, *others = [_unit(outcome, *touched, slowed=slowed) for _, outcome, touched in steps]
    looks = plan_looks(first, steps[0][0], **{"uncertain": False, "sampled": False, **about})
    try:
        following = next(looks)
        for (look, _, _), result in zip(steps[1:], others, strict=True):
            assert following == look
            following = looks.send(result)
    except StopIteration as end:
        return str(end.value.outcome)
    return following


@pytest.mark.parametrize(
    ("steps", "uncertain", "found"),
    [
        ([("judged", "pass", ())], False, "pass"),
        ([("judged", "fail", ())], False, "fail"),
        ([("judged", "fail", ("proxy",))], False, "again"),
        ([("judged", "fail", ("proxy",))], True, "shared"),
        ([("judged", "fail", ("proxy",)), ("again", "pass", ())], False, "flaky"),
        ([("judged", "fail", ("proxy",)), ("again", "fail", ())], False, "shared"),
        ([("judged", "fail", ("proxy",)), ("again", "fail", ()), ("shared", "fail", ())], False, "fail"),
        ([("judged", "fail", ("proxy",)), ("again", "fail", ()), ("shared", "pass", ())], False, "control"),
        ([("judged", "fail", ("p",)), ("again", "fail", ()), ("shared", "pass", ()), ("control", "fail", ())], False,
         "disputed"),
        ([("judged", "fail", ("p",)), ("again", "fail", ()), ("shared", "pass", ()), ("control", "pass", ())], False,
         "fail"),
        ([("judged", "fail", ("p",)), ("shared", "pass", ()), ("control", "fail", ())], True, "pass"),
        ([("judged", "fail", ("p",)), ("shared", "pass", ()), ("control", "pass", ())], True, "fail"),
        ([("shared", "pass", ())], False, "control"),
        ([("shared", "pass", ()), ("control", "fail", ())], False, "pass"),
        ([("shared", "pass", ()), ("control", "pass", ())], False, "tampered"),
        ([("shared", "pass", ()), ("control", "machinery", ())], False, "machinery"),
    ],
)  # fmt: skip
def test_looks_follow_each_other(steps: list[tuple[Look, str, tuple[str, ...]]], uncertain: bool, found: str) -> None:
    assert _decided(*steps, uncertain=uncertain) == found


def test_a_failure_of_tests_that_compare_identity_is_looked_at_again() -> None:
    assert _decided(("judged", "fail", ()), doubted=True) == "again"
    for test in ("assert f(1) is f(1)", "assert id(f(1)) == 5", "assert type(f(1)) is not int", "t.assertIs(f(1), a)",
                 "assert issubclass(F, dict)", "assert F.__mro__[1] is dict"):  # fmt: skip
        assert inspect_tests(test).compares_identity, test
    for test in ("assert f(1) is None", "assert f(1) is not True and f(2) == 3", "assert f(1) in [2]"):
        assert not inspect_tests(test).compares_identity, test


@pytest.mark.parametrize(
    ("test", "module"),
    [
        ("import decimal\ndecimal.getcontext().prec = 5\nassert f() == 1", "decimal"),
        ("from decimal import getcontext\ncontext = getcontext()\ncontext.prec += 5\nassert f() == 1", "decimal"),
        ("import numpy as np\nwith np.errstate(all='raise'):\n    f()", "numpy"),
        ("import matplotlib.pyplot as plt\nplt.rcParams['font.size'] = 3\nassert f() == 1", "matplotlib.pyplot"),
        ("import codecs\ncodecs.register(g)\nassert f() == 1", "codecs"),
        ("import numpy as np\nnp.testing.assert_allclose(f(), np.array([1]))", ""),
        ("import math\nassert f() == math.sqrt(2)", ""),
        ("import time\nf()\ntime.sleep(1)\nassert f() == 1", ""),
        ("import random\nrandom.seed(1)\nassert f() == 1", ""),
        ("import numpy as np\nnp.random.seed(1)\nassert f() == 1", ""),
        ("import json\njson.JSONEncoder.default = g\nassert f() == 1", "json"),
        ("import pytest\nwith pytest.raises(ValueError):\n    f()", ""),
        ("from solution import setup\nsetup(1)\nassert f() == 1", ""),
    ],
)
def test_tests_that_change_a_module_say_so(test: str, module: str) -> None:
    assert inspect_tests(test).changes == module
    assert bool(inspect_tests(test).uncertain) == bool(module)


@pytest.mark.parametrize(
    ("test", "seen"),
    [
        ("from dataclasses import asdict\nassert asdict(f()) == {}", "asdict"),
        ("import dataclasses\nassert dataclasses.fields(f())", "fields"),
        ("import array\na = array.array('i', [1])\nf(a)\nassert a[0] == 2", "array"),
        ("b = bytearray(2)\nf(memoryview(b))\nassert b[0] == 1", "memoryview"),
        ("assert f.__closure__", "__closure__"),
        ("assert getattr(f, '__code__')", "__code__"),
        ("assert f('x').exists()", "exists"),
        ("class A:\n    @log\n    def f(self): return 1\nassert A().f() == 1", "log"),
        ("@show\nclass A: pass\nassert A().x == 1", "show"),
        ("import pytest\n@pytest.fixture\ndef fields(): return f()\ndef test_a(fields): assert fields == 1", ""),
        ("class A:\n    @property\n    def x(self): return 1\nassert f(A()) == 'a'.replace('a', 'b')", ""),
    ],
)
def test_tests_that_look_into_objects_say_so(test: str, seen: str) -> None:
    assert inspect_tests(test).looks_at == seen
    assert bool(inspect_tests(test).uncertain) == bool(seen)


@pytest.mark.parametrize(
    ("code", "test", "found"),
    [
        ("import functools\n@functools.lru_cache\ndef f(n): return 'x' * n", "assert f(9) is f(9) and f(3) == 'xxx'",
         "disputed"),
        ("def f(n): return 'x' * n", "assert f(9) is f(9) and f(3) == 'xxx'", "fail"),
        ("def f(x): return bytes(bytearray(x))", "a = bytes(300)\nassert id(f(a)) == id(a)", "fail"),
    ],
)  # fmt: skip
def test_what_only_one_process_tells_of_identity_is_in_doubt(local: Pool, code: str, test: str, found: str) -> None:
    assert (
        local.submit(Job(id="x", language="python", code=code, tests=(TestCode("t", test),))).result(60).outcome
        == found
    )


def test_a_time_limit_that_the_judge_used_up_and_some_passes_are_looked_at_again() -> None:
    assert _decided(("judged", "timeout", ()), slowed=True) == "shared"
    assert _decided(("judged", "timeout", ())) == "timeout"
    assert _decided(("judged", "pass", ()), sampled=True) == "sample"


@pytest.mark.parametrize(
    ("language", "test"), [("python", "assert f(1) == 1"), ("javascript", "if (f(1) !== 1) throw new Error('no');")]
)
@pytest.mark.parametrize(
    ("seconds", "again", "outcome", "runs"),
    [(2.0, "timeout", "pass", 0), (9.5, "pass", "pass", 1), (9.5, "timeout", "flaky", 1), (2.9, "timeout", "flaky", 1)],
)
@pytest.mark.parametrize("clock", ["wall_s", "cpu_s"])
def test_a_pass_at_the_edge_of_its_time_is_run_again(
    language: str, test: str, seconds: float, again: str, outcome: str, runs: int, clock: str
) -> None:
    own = TestCode("t", test, 3.0 if seconds == 2.9 else None)
    job = Job(id="x", language=language, code="f = 1", tests=(own,))
    settled: list[UnitResult] = []
    units: list[Unit] = []

    def submit(unit: Unit, done: Done) -> None:
        units.append(unit)
        done(UnitResult(outcome=again, tests=(TestResult(name="t", outcome=again),), message="", wall_s=10.0), 1)

    passed = UnitResult(outcome="pass", tests=(TestResult(name="t", outcome="pass"),), message="")
    passed = replace(passed, **{clock: seconds})
    FurtherRuns(job, own, "/x", submit, lambda result, _: settled.append(result)).done(passed, 1)
    [result] = settled
    assert (result.outcome, result.tests[0].outcome, len(units)) == (outcome, outcome, runs)
    if outcome == "flaky":
        assert result.message == f"passed in {seconds} s of {own.seconds or 10:g} s, and timed out when repeated"


@pytest.mark.parametrize(
    ("language", "code"), [("javascript", "let z = {};"), ("java", "int z = {};"), ("r", "z <- {}")]
)
@pytest.mark.parametrize(("outcome", "settled_as"), [("pass", "disputed"), ("fail", "fail")])
def test_a_pass_of_code_nested_too_deeply_for_a_control_is_disputed(
    language: str, code: str, outcome: str, settled_as: str
) -> None:
    own = TestCode("t", "if (f(1) != 1) throw 1;")
    job = Job(id="x", language=language, code=code.replace("{}", "(" * 2000 + "1" + ")" * 2000), tests=(own,))
    settled: list[UnitResult] = []
    first = UnitResult(outcome=outcome, tests=(TestResult(name="t", outcome=outcome),), message="", wall_s=0.1)
    FurtherRuns(job, own, "/x", lambda *_: None, lambda result, _: settled.append(result)).done(first, 1)
    assert [result.outcome for result in settled] == [settled_as]
    assert [test.outcome for test in settled[0].tests] == [settled_as]


@pytest.mark.parametrize(
    ("test", "outcomes", "settled_as"),
    [
        ("assert(f(1) == 3);", ["fail"], "pass"),
        ("assert(f(1) == 3);", ["pass", "fail"], "disputed"),
        ("assert(f(1) == 3);", ["pass", "pass", "fail"], "disputed"),
        ("assert(f(1) == 3);", ["pass", "pass", "pass"], "tampered"),
        ("assert(f(1) == 3);", ["pass", "compile_error", "compile_error"], "tampered"),
        ("assert(f(1) == 3);", ["pass", "machinery"], "disputed"),
        ("assert(f(1) == 3);", ["compile_error", "fail"], "pass"),
        ("assert(f(1) == 3);", ["compile_error", "machinery", "compile_error"], "pass weaker"),
        ("int x = f(1);", [], "pass weaker"),
    ],
)
def test_a_pass_is_tampered_only_if_all_its_controls_pass(test: str, outcomes: list[str], settled_as: str) -> None:
    job = Job(id="x", language="c++", code="int f(int x) { return 3; }", tests=(TestCode("t", test),))
    units: list[Unit] = []
    settled: list[UnitResult] = []
    done = FurtherRuns(
        job, job.tests[0], "", lambda unit, _: units.append(unit), lambda result, _: settled.append(result)
    ).done
    for number, outcome in enumerate(["pass", *outcomes]):
        assert (len(units), settled) == (number, [])
        done(UnitResult(outcome=outcome, tests=(TestResult(name="t", outcome=outcome),), message=""), 1)
    assert [item.outcome + " weaker" * ("without a control" in item.weaker) for item in settled] == [settled_as]
