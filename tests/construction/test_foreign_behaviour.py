"""What a bug changes is said of calls in other languages too, and a test's missing library is its item's own reason."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest

from annotator.construction.bugs.behaviour import describe_behaviour, describe_failing_check
from annotator.construction.bugs.bug_proofs import check_reference
from annotator.construction.task_material import ConstructionError, Material
from annotator.construction.test_splitting import split_foreign, split_tests
from annotator.sandbox import Job, JobResult, Pool, TestCode, TestResult
from tests.construction.conftest import material

SCRIPT = (
    "function scale(xs, by) {\n  if (by === 0) throw new RangeError('by nothing');\n"
    "  return xs.map((x) => x * by);\n}\n"
)
SCRIPT_TEST = (
    "it('scales', () => { expect(scale([1, 2], 3)).toEqual([3, 6]); });\n"
    "it('refuses', () => { expect(() => scale([1], 0)).toThrow(RangeError); });\n"
)
CPP = (
    "#include <stdexcept>\n#include <vector>\nint last(const std::vector<int>& xs) {\n"
    '  if (xs.empty()) throw std::invalid_argument("empty");\n  return xs[xs.size() - 1];\n}\n'
)
CPP_TEST = 'TEST_CASE("last") {\n  CHECK(last({4, 5}) == 5);\n}\nTEST_CASE("empty") {\n  CHECK_THROWS(last({}));\n}\n'


def _material(language: str, code: str, test: str, entry: str) -> Material:
    tests = (TestCode(f"t{number}", part) for number, part in enumerate(split_foreign(test, language)))
    return Material(key="m", language=language, code=code, tests=tuple(tests), entry_point=entry)


@pytest.mark.sandbox
def test_what_changed_is_said_in_javascript(engine: Pool) -> None:
    made = _material("javascript", SCRIPT, SCRIPT_TEST, "scale")
    codes = [SCRIPT.replace("x * by", "x + by"), SCRIPT.replace("RangeError", "TypeError"),
             SCRIPT.replace("by === 0", "by > 9"), SCRIPT]  # fmt: skip
    assert describe_behaviour(made, codes, engine) == [
        "scale([1, 2], 3) returns [4, 5]. It should return [3, 6].",
        "scale([1], 0) throws TypeError. It should throw RangeError.",
        "scale([1], 0) returns [0]. It should throw RangeError.",
        "",
    ]


@pytest.mark.sandbox
def test_what_changed_is_said_of_calls_that_leave_out_a_parameter(engine: Pool) -> None:
    code = (
        "function range(start, end, down) {\n  const found = [];\n  for (let n = start; n < end; n++) found.push(n);\n"
    )
    code += "  return down ? found.reverse() : found;\n}\n"
    tests = "it('up', () => { expect(range(1, 3)).toEqual([1, 2]); });\n"
    tests += "it('down', () => { expect(range(1, 3, true)).toEqual([2, 1]); });\n"
    made = _material("javascript", code, tests, "range")
    told = describe_behaviour(made, [code.replace("down ?", "!down ?").replace("n < end", "n < end")], engine)
    assert told == ["range(1, 3) returns [2, 1]. It should return [1, 2]."]


def test_a_check_that_calls_the_function_tells_what_no_call_does() -> None:
    test = (
        "def test_f():\n    source = [1]\n    assert f(iter([1, 1])) is False\n    assert f(\n        iter('ab')\n"
        "    )\n    assert len(source) == f.count\n"
    )
    code = "def f(xs):\n    return len(set(xs)) == 1\n"
    parts = [TestCode(f"t{number}", part.code) for number, part in enumerate(split_tests(test, "f"))]
    made = Material(key="m", language="python", code=code, tests=tuple(parts), entry_point="f")
    assert describe_failing_check(made, ["t0", "t1"]) == "This check fails: assert f(iter('ab'))"
    assert describe_failing_check(made, ["t0"]) == "This check fails: assert f(iter([1, 1])) is False"
    assert describe_failing_check(made, ["t2"]) == "", "it calls nothing"
    case = (
        "import unittest\n\n\nclass C(unittest.TestCase):\n    def test_{}(self):\n        self.assertTrue(f([{}]))\n"
    )
    both = f"{case.format('b', 2)}        self.assertFalse(f([3, 4]))\n"
    cases = replace(made, tests=(TestCode("a", case.format("a", 1)), TestCode("b", both)))
    assert describe_failing_check(cases, ["a", "b"]) == "This check fails: self.assertTrue(f([1]))"
    assert describe_failing_check(cases, ["b"]) == (
        "One of these checks fails: self.assertTrue(f([2])) | self.assertFalse(f([3, 4]))"
    )
    script = "const assert = require('assert');\nassert.equal(g(1), 2);\nassert.equal(g(2), 4);\n"
    scripted = _material("javascript", "const g = (x) => 2 * x;\n", script, "g")
    assert describe_failing_check(scripted, ["t1"]) == "This check fails: assert.equal(g(2), 4);"


@pytest.mark.sandbox
def test_what_changed_is_said_in_cpp(engine: Pool) -> None:
    made = _material("c++", CPP, CPP_TEST, "last")
    codes = [CPP.replace("size() - 1", "size() - 2"), CPP.replace("xs.empty()", "xs.size() > 1")]
    told = describe_behaviour(made, codes, engine)
    assert told[0] == "last([4, 5]) returns 4. It should return 5."
    assert told[1] == "last([4, 5]) throws an exception. It should return 5." or "last([]) " in told[1]


def test_a_reference_is_compiled_once_for_its_controlled_runs() -> None:
    ran: list[Job] = []

    class Passing:
        def submit(self, job: Job) -> Future[JobResult]:
            ran.append(job)
            done: Future[JobResult] = Future()
            results = tuple(TestResult(name=test.name, outcome="pass") for test in job.tests or ())
            done.set_result(JobResult(id=job.id, outcome="pass", tests=results))
            return done

    check_reference(_material("javascript", SCRIPT, SCRIPT_TEST, "scale"), Passing())
    assert [(job.mode, job.runs) for job in ran] == [("judged", 3)]


@pytest.mark.sandbox
def test_a_missing_library_is_the_reason_of_its_own_item(engine: Pool) -> None:
    needy = _material(
        "javascript", SCRIPT, "const { expect } = require('chai');\nexpect(scale([1], 2)).to.eql([2]);\n", "scale"
    )
    with pytest.raises(ConstructionError, match="chai is not in this sandbox"):
        check_reference(needy, engine)


def test_a_check_shows_what_it_needs() -> None:
    code = "from operator import add\n\ndef f(g, xs):\n    return [g(x) for x in xs]\n"
    setup = "def twice(x):\n    return x * 2\n"
    tests = [f"{setup}assert f(twice, [1]) == [2]\n", f"{setup}xs = [add(1, 1)]\nassert f(twice, xs) == [4]\n"]
    made = material(code, tests, "f")
    assert describe_failing_check(made, ["t1"]) == (
        "This check fails:\ndef twice(x):\n    return x * 2\nassert f(twice, [1]) == [2]"
    )
    assert describe_failing_check(made, ["t2"]).endswith("xs = [add(1, 1)]\nassert f(twice, xs) == [4]")
    looped = "for xs in ([1], [2]):\n    assert f(str, xs)\n"
    changed = "xs = [1]\nxs.append(2)\nassert f(str, xs) == ['1', '2']\n"
    assert describe_failing_check(material(code, [looped], "f"), ["t1"]) == "", "nobody knows which"
    assert describe_failing_check(material(code, [changed], "f"), ["t1"]) == "", (
        "what it holds is more than was given it"
    )
