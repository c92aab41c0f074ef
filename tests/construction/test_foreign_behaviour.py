"""Items in other languages: what bugs change, where blanks stand, and tests cut into single assertions."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest

from annotator.construction.bugs.behaviour import describe_behaviour, describe_failing_check
from annotator.construction.bugs.bug_proofs import check_reference
from annotator.construction.completion.blanks import (
    BLANK,
    complete_program,
    find_blanks,
    function_item,
    function_names,
    function_size,
    prove_blanks,
    sentence_items,
    start_blank_grade,
)
from annotator.construction.edits import Edit, apply_edits
from annotator.construction.languages.tree_sitter_bugs import parses_cleanly
from annotator.construction.python_facts import CodeSize
from annotator.construction.sandbox_probe import RunOptions, start_tests
from annotator.construction.task_material import ConstructionError, Material
from annotator.construction.test_splitting import split_foreign, split_tests
from annotator.sandbox import Job, JobResult, Pool, TestCode, TestResult
from tests.construction.conftest import material
from tests.samples import load_samples

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


# Tests in other languages are cut into single assertions; what is built otherwise stays whole.
SAMPLES = load_samples(__file__)
JAVASCRIPT = SAMPLES["javascript"]


@pytest.mark.parametrize(
    ("language", "code", "count", "marks"),
    [
        ("javascript", JAVASCRIPT, 3, ("add(1, 2)", "add(base, 0)", "add(0, 0)")),
        ("typescript", JAVASCRIPT, 3, ("add(1, 2)", "add(base, 0)", "add(0, 0)")),
        ("c++", SAMPLES["cpp"], 2, ("add(one, 2)", "add(one, 0)")),
        ("java", SAMPLES["java"], 2, ("s.add(1, 2)", "s.add(0, 0)")),
    ],
)
def test_each_part_has_one_assertion_and_all_of_its_set_up(
    language: str, code: str, count: int, marks: tuple[str, ...]
) -> None:
    parts = split_foreign(code, language)
    assert len(parts) == count
    for part, mark in zip(parts, marks, strict=True):
        assert parses_cleanly(part, language)
        assert [other for other in marks if other in part] == [mark]
    kept = {"javascript": "let base = 4;", "typescript": "let base = 4;", "c++": "one = 5;", "java": "new Solution()"}
    assert all(kept[language] in part for part in parts)
    if language == "c++":
        assert all("assert(x > 0)" in part and "return 0;" in part for part in parts), "helpers keep their own"


@pytest.mark.parametrize(("language", "code"), SAMPLES["stays_whole"])
def test_other_tests_stay_whole(language: str, code: str) -> None:
    assert split_foreign(code, language) == (code,)


def test_cases_of_junit_and_of_suites_are_cut() -> None:
    junit = SAMPLES["junit"]
    first, second = split_foreign(junit, "java")
    assert "one" in first and "two" not in first and "two" in second and "one" not in second
    assert all("void set()" in part and part.count("@Test") == 1 for part in (first, second))
    suite = (
        "describe('f', () => {\n  const n = 1;\n  it('adds', () => {\n    expect(f(n)).toBe(2);\n  });\n"
        "  test('adds more', () => {\n    expect(f(2)).toBe(3);\n  });\n});\n"
    )
    for language in ("javascript", "typescript"):
        first, second = split_foreign(suite, language)
        assert "'adds'" in first and "adds more" not in first and "adds more" in second and "'adds'" not in second
        assert all("const n = 1" in part for part in (first, second))
    one = suite.partition("  test(")[0] + "});\n"
    assert split_foreign(one, "javascript") == (one,)


@pytest.mark.parametrize(("language", "code", "kept", "gone"), SAMPLES["single_cases"])
def test_a_single_case_is_cut_into_its_assertions(language: str, code: str, kept: str, gone: str) -> None:
    first, second = split_foreign(code, language)
    assert kept in first and gone not in first
    assert kept in second and gone in second
    assert first.count("{") == first.count("}") and len(first) < len(code) > len(second)


def test_a_test_with_functions_of_its_own_is_split_all_the_same() -> None:
    helper = "def raises(kind, call):\n    try:\n        call()\n    except kind:\n        return True\n"
    helper += "    return False\n\n\n"
    body = SAMPLES["own_functions"]
    parts = [part.code for part in split_tests(f"{helper}def test_f():\n{body}", "f")]
    assert [part.rstrip().splitlines()[-1] for part in parts] == [
        "assert f(1) == 2", "assert raises(TypeError, lambda: f(None, double))", "assert f(Odd()) == 9"
    ]  # fmt: skip
    assert all("def raises" in part and "\nclass Odd(list):" in part for part in parts)
    counted = "def test_f():\n    n = 0\n    def add():\n        nonlocal n\n        n += 1\n    add()\n"
    counted += "    assert n\n    assert f()\n"
    assert len(split_tests(counted, "f")) == 1


# Completion in other languages: where blanks stand, what answers mean, and that the tests decide.
COUNT = SAMPLES["count"]


def _made(language: str, tests: list[str] | None = None) -> Material:
    return material(COUNT[language], tests or [], "count", language)


@pytest.mark.parametrize("language", COUNT)
def test_blanks_stand_on_the_tree(language: str) -> None:
    made = _made(language)
    places = find_blanks(made)
    fillers = {blank.filler for blank in places}
    assert "found * 2" in fillers and any(">= least &&" in filler for filler in fillers)
    assert any(filler.startswith(("Math.min(", "std::min<int>(")) for filler in fillers), "what a library has is known"
    for blank in places:
        code = apply_edits(made.code, [blank.edit])
        assert code.count(BLANK) == 1 and code.replace(BLANK, blank.filler) == made.code
        assert code.splitlines()[blank.line - 1].count(BLANK) == 1
        assert all(apply_edits(made.code, [dummy]) != made.code for dummy in blank.dummies)
    test = next(blank for blank in places if ">= least" in blank.filler)
    assert any("if (false)" in apply_edits(made.code, [dummy]) for dummy in test.dummies)
    assert any(parses_cleanly(apply_edits(made.code, [dummy]), language) for dummy in test.dummies)
    assert function_size(made).branches == 4 and function_size(made).body_lines == 7


@pytest.mark.parametrize("language", COUNT)
def test_answers_are_programs_or_fillers(language: str) -> None:
    made = _made(language)
    whole = function_item(made)
    assert "// Longest words." in whole.code and whole.code.count(BLANK) == 1 and "found" not in whole.code
    assert complete_program(whole, f"```\n{made.code}```").text.strip() == made.code.strip()
    assert complete_program(whole, whole.fillers[0]).text.strip() == made.code.strip(), "the body alone"
    one, *_ = sentence_items(made, find_blanks(made))
    assert (
        complete_program(one, one.fillers[0]).text == made.code
        and complete_program(one, made.code).text == made.code.rstrip()
    )
    assert complete_program(one, "a\nb").text == "" and one.difficulty == "easy"


def test_a_name_that_stands_nowhere_else_is_no_blank() -> None:
    code = "function f(xs) {\n  const out = xs.map(x => x + shift);\n  return out.concat(parseInt('12'));\n}\n"
    fillers = {blank.filler for blank in find_blanks(material(code, [], "f", "javascript"))}
    assert "out.concat(parseInt('12'))" in fillers and not any("shift" in filler for filler in fillers)
    bound = "function f(xs) {\n  const out = xs.map((x, n) => x + n);\n  return out.reverse();\n}\n"
    held = {blank.filler for blank in find_blanks(material(bound, [], "f", "javascript"))}
    assert "xs.map((x, n) => x + n)" in held


def test_the_last_dummy_takes_the_statement_away_and_nothing_more() -> None:
    code = "function f(xs) {\n  let top = 1;\n  top = Math.max(...xs);\n  return top + 1;\n}\n"
    blanks = find_blanks(material(code, [], "f", "javascript"))
    shown = [apply_edits(code, [blank.dummies[-1]]) for blank in blanks if blank.filler == "Math.max(...xs)"]
    assert shown == [code.replace("top = Math.max(...xs);", ";")]


def test_variables_of_loops_are_no_functions() -> None:
    java = "class S { static int f(int[] xs) { int n = 0; for (int x : xs) { n += x; } return n; } }\n"
    assert function_names(java, "java") == ("f",)
    assert function_names("int f(S xs) { int n = 0; for (int x : xs) { n += x; } return n; }\n", "c++") == ("f",)


def test_a_type_that_the_code_names_is_known() -> None:
    program = material("int f(count n) {\n  return g<count>(n) + static_cast<int>(sizeof(count));\n}\n", [], "f", "c++")
    assert "sizeof(count)" in {blank.filler for blank in find_blanks(program)}


def test_what_leaves_nothing_is_no_sentence() -> None:
    program = material("function f(xs) {\n  // Sum.\n  return xs.length * 20;\n}\n", [], "f", "javascript")
    (place,) = find_blanks(program)
    assert place.filler == "xs.length * 20" and sentence_items(program, [place]) == ()


@pytest.mark.parametrize(
    ("code", "language"),
    [("function f(x) { return x; }\n", "javascript"), ("class S { static int f(int x) { return x; } }\n", "java")],
)
def test_a_body_on_the_line_of_its_signature_is_asked_for(code: str, language: str) -> None:
    item = function_item(material(code, [], "f", language))
    assert item.fillers == ("return x;",) and item.code == code.replace("return x;", BLANK)
    for body in ("return x;", "return x; // the same", "if (x > 1)\n  return x;\nreturn x;"):
        program = complete_program(item, f"```\n{body}\n```").text
        assert parses_cleanly(program, language) and body in program and "____" not in program
    with pytest.raises(ConstructionError, match="no body"):
        function_item(material("def f(x): return x\n", [], "f"))


@pytest.mark.parametrize(("code", "entry", "language", "why"), SAMPLES["no_places"])
def test_what_has_no_place_for_blanks(code: str, entry: str, language: str, why: str) -> None:
    with pytest.raises(ConstructionError, match=why):
        function_item(material(code, [], entry, language))


def test_a_function_of_one_expression_has_a_shape() -> None:
    assert function_size(material("const f = x => x > 1 && x + 1;", [], "f", "javascript")) == CodeSize(1, 2)


@pytest.mark.parametrize(
    ("code", "language", "lines"),
    [
        ("function f(x) {\n  // One.\n  /* Two.\n   * Three. */\n\n  return x;\n}\n", "javascript", 1),
        ("int f(int* x) {\n#ifdef A\n  return 1;\n#endif\n  return 2;\n}\n", "c++", 4),
        ("def f(*x):\n    # One.\n    return max(\n        *x,\n        1,\n    )\n", "python", 4),
    ],
)
def test_lines_of_comments_are_not_counted(code: str, language: str, lines: int) -> None:
    assert function_size(material(code, [], "f", language)).body_lines == lines


@pytest.mark.sandbox
def test_blanks_of_javascript_are_proven(engine: Pool) -> None:
    made = _made("javascript", SAMPLES["tests"])
    tried = [blank for blank in find_blanks(made) if blank.filler.startswith(("found *", "word.length >="))]
    idle = replace(tried[0], dummies=(Edit(tried[0].edit.start, tried[0].edit.end, f"({tried[0].filler})"),))
    proven = prove_blanks(check_reference(made, engine), [*tried, idle], engine)
    assert proven == tried, "what a dummy can stand in for does not matter"
    pair = next(item for item in sentence_items(made, proven) if len(item.fillers) == 2)
    answers = {"\n".join(pair.fillers): 1, pair.code: 0, "\n".join(("true", "found")): 0}
    assert {text: start_blank_grade(pair, text, engine)().score for text in answers} == answers
    assert start_blank_grade(function_item(made), made.code, engine)().score == 1


class _Counting:
    """Fails the tests of some names, and keeps what it was asked to run."""

    def __init__(self, failing: set[str]) -> None:
        self.failing, self.asked = failing, list[list[str]]()

    def submit(self, job: Job) -> Future[JobResult]:
        names = [test.name for test in job.tests or ()]
        self.asked.append(names)
        results = tuple(TestResult(name=name, outcome="fail" if name in self.failing else "pass") for name in names)
        done: Future[JobResult] = Future()
        done.set_result(JobResult(id=job.id, outcome="fail" if self.failing & set(names) else "pass", tests=results))
        return done


def test_a_program_that_fails_its_first_test_is_not_compiled_for_the_others() -> None:
    made = _made("java", ["a", "b", "c"])
    first, second, third = (test.name for test in made.tests)
    asked = []
    for failing in (first, third):
        runner = _Counting({failing})
        matrix = start_tests(made, made.code, RunOptions(stop_at_failure=True), runner)()
        assert failing in matrix.failed
        asked.append(runner.asked)
    assert asked == [[[first]], [[first], [second, third]]]


@pytest.mark.parametrize(("language", "code", "filler", "dummy"), SAMPLES["given_by_type_or_name"])
def test_what_the_type_or_a_name_alone_gives_is_tried(language: str, code: str, filler: str, dummy: str) -> None:
    (blank,) = (item for item in find_blanks(material(code, [], "f", language)) if item.filler == filler)
    assert dummy in {edit.text for edit in blank.dummies}


def test_no_blank_alone_stands_in_another() -> None:
    code = "function f(xs, n) {\n  const kept = xs.filter(x => x > n);\n  return kept.map(x => x * n).join();\n}\n"
    made = material(code, [], "f", "javascript")
    places = find_blanks(made)
    alone = [item for item in sentence_items(made, places, most=9) if len(item.fillers) == 1]
    inner = [blank.filler for blank in places if blank.filler not in {item.fillers[0] for item in alone}]
    assert any(text in item.fillers[0] for text in inner for item in alone), "a blank stands in another"
    assert len({item.lines[0] for item in alone}) == len(alone)


@pytest.mark.parametrize("language", ["python", "java"])
def test_code_without_an_entry_point_says_that_one_is_missing(language: str) -> None:
    with pytest.raises(ConstructionError, match="m has no entry point"):
        find_blanks(material("x = 1\n" if language == "python" else "class A {}", [], "", language))
