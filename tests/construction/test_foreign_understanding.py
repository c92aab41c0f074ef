"""Understanding in Java, JavaScript, TypeScript, C++ and SQL: calls are followed, replayed, asked about and graded."""

from __future__ import annotations

import json
import math
from concurrent.futures import Future

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.construction import canonical
from annotator.construction.bugs.bug_proofs import check_reference
from annotator.construction.canonical import Form, forms_equal
from annotator.construction.languages.language_calls import read_foreign_signature
from annotator.construction.languages.language_values import (
    foreign_expression,
    form_json,
    is_json_form,
    read_form,
    with_text_keys,
)
from annotator.construction.languages.sql import is_ordered_query, normalise_query, query_size, query_tables
from annotator.construction.languages.tree_sitter_bugs import LANGUAGES, without_comments
from annotator.construction.task_material import ConstructionError, Material
from annotator.construction.test_splitting import split_foreign
from annotator.construction.understanding import understanding_items as understanding
from annotator.construction.understanding.captured_calls import CaptureLimits, capture_calls
from annotator.construction.understanding.literals import parse_value
from annotator.construction.understanding.understanding_items import make_understanding_items
from annotator.sandbox import Job, JobResult, Pool, TestCode
from annotator.sandbox.sandbox_jobs import TestResult
from tests.construction.conftest import grade
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

QUERY = "select name, max(age) as m from people where age >= 18 group by name"
TABLES = SAMPLES["tables"]


def _material(language: str, code: str, test: str, entry: str) -> Material:
    parts = split_foreign(test, language) if test else ()
    return Material(
        key="m",
        language=language,
        code=code,
        tests=tuple(TestCode(f"t{n}", part) for n, part in enumerate(parts)),
        entry_point=entry,
    )


PROGRAMS = SAMPLES["programs"]
CASES = {name: _material(row["language"], row["code"], row["test"], row["entry"]) for name, row in PROGRAMS.items()}
FIB = PROGRAMS["c++"]["code"]
ONCE = CaptureLimits(steady=False)
"""Where it is only looked at which calls are followed, they are not repeated: each time is a compilation."""


@pytest.fixture(autouse=True)
def few_random_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(understanding, "RANDOM_CALLS", 10)  # compilers are slow


@pytest.mark.sandbox
@pytest.mark.parametrize("name", [*list(CASES)[:4], pytest.param("c++ class", marks=pytest.mark.slow)])
def test_items_are_made_of_followed_calls(name: str, engine: Pool) -> None:
    material = CASES[name]
    found = capture_calls(material, engine)
    assert not any(item.raises for item in found.instances)
    assert all(item.mutated == (name == "c++ class") for item in found.instances)
    items = make_understanding_items(material, found, engine, most=2)
    forward = [item for item in items if item.direction == "forward"]
    assert {item.reference for item in forward} >= set(PROGRAMS[name]["forward"]) and len(forward) <= 2
    assert all(item.as_json()["language"] == material.language and "//" not in item.code for item in items)
    fence = {"c++": "cpp"}.get(material.language, material.language)
    assert "written as JSON" in forward[0].prompt and f"```{fence}" in forward[0].prompt
    for item in forward:
        assert grade(item, f"```json\n{item.reference}\n```", engine).score == 1, item
        assert grade(item, "[[[]]]", engine).score == 0
    right, wrong = PROGRAMS[name]["right"], PROGRAMS[name]["wrong"]
    reverse = [item for item in items if item.direction == "reverse"]
    assert grade(reverse[0], reverse[0].reference, engine).score == 1
    assert any(grade(item, right, engine).score for item in reverse), "any arguments that work will do"
    assert not grade(reverse[0], wrong, engine).score
    for refused in ('[system("ls")]', "process.exit(0)", '["x", "y", "z"]', ""):
        assert not grade(reverse[0], refused, engine).score


@pytest.mark.sandbox
def test_calls_of_functions_with_default_values_are_followed_in_cpp(engine: Pool) -> None:
    found = capture_calls(_material(**SAMPLES["padded"]), engine, ONCE)
    assert [(item.values, item.output) for item in found.instances] == [
        (["ab", 6], "ab...."),
        (["abc", 5], "abc.."),
    ]


@pytest.mark.sandbox
def test_what_does_not_repeat_or_is_no_plain_value_makes_no_item(engine: Pool) -> None:
    odd = "function f(x) {\n  const n = Math.random();\n  const m = n * x;\n  return m;\n}\n"
    found = capture_calls(_material("javascript", odd, "f(1); f(2);", "f"), engine)
    assert not found.instances and found.dropped == {"results of Math.random cannot be worked out": 1}
    kept = "function f(x) {\n  const s = new Set();\n  s.add(x);\n  return s;\n}\n"
    with pytest.raises(ConstructionError, match="No call"):
        capture_calls(_material("javascript", kept, "f(1);", "f"), engine)
    loops = "function f(x) {\n  let n = x;\n  while (n > 5) { n += 1; }\n  return n + 10;\n}\n"
    items = make_understanding_items(
        material := _material("javascript", loops, "f(3); f(4);", "f"), capture_calls(material, engine), engine
    )
    (reverse,) = [item for item in items if item.direction == "reverse" and item.reference == "[3]"]
    assert grade(reverse, "[9]", engine).detail == "does not end in time"
    assert grade(reverse, "3", engine).score == 1


def test_a_function_is_told_from_its_namespace_and_called_by_it() -> None:
    code = (
        "namespace strings {\nnamespace reversed {\nint reversed(int n) {\n  return -n;\n}\nstruct Box {\n"
        "  int half(int n) {\n    return n / 2;\n  }\n};\n}\n}\nnamespace {\nint own(int n) {\n  return n;\n}\n}\n"
    )
    calls = [read_foreign_signature(_material("c++", code, "", name)).call for name in ("reversed", "half", "own")]
    assert calls == ["strings::reversed::reversed", "strings::reversed::Box().half", "own"]


@pytest.mark.sandbox
def test_calls_that_other_runs_answer_otherwise_make_no_item(engine: Pool) -> None:
    jobs: list[Job] = []

    class Following:
        def submit(self, job: Job) -> Future[JobResult]:
            jobs.append(job)
            return engine.submit(job)

    code = (
        "function f(x) {\n  const clock = process.hrtime.bigint() % 1000n;\n"
        "  if (x > 5) {\n    return x * 2;\n  }\n  return Number(clock) + x;\n}\n"
    )
    found = capture_calls(_material("javascript", code, "f(1); f(9);", "f"), Following(), CaptureLimits(readable=False))
    assert [item.values for item in found.instances] == [[9]] and found.dropped == {"does not repeat": 1}
    assert [job.runs for job in jobs] == [1, 3], "the calls are compiled once for three runs"


def test_a_test_that_passes_sometimes_proves_nothing() -> None:
    class Wavering:
        def submit(self, job: Job) -> Future[JobResult]:
            assert job.runs == 3 and job.tests is not None
            result: Future[JobResult] = Future()
            tests = tuple(TestResult(name=test.name, outcome="flaky") for test in job.tests)
            result.set_result(JobResult(id=job.id, outcome="flaky", tests=tests))
            return result

    with pytest.raises(ConstructionError, match="passes only sometimes: t0"):
        check_reference(_material("java", "class A {}", "f();", "f"), Wavering())


@pytest.mark.sandbox
def test_rows_of_queries(engine: Pool) -> None:
    tests = tuple(TestCode(f"t{n}", TABLES.format(rows)) for n, rows in enumerate(("('a', 18), ('b', 30), ('b', 40)",
                                                                                  "('x', 3)")))  # fmt: skip
    material = Material(key="q", language="sql", code=normalise_query(QUERY), tests=tests)
    (item,) = make_understanding_items(material, capture_calls(material, engine), engine)
    assert item.reference == '[["a", 18], ["b", 40]]' and "create table people" in item.prompt
    assert grade(item, '[["b", 40], ["a", 18]]', engine).score == 1, "rows without an order are a multiset"
    assert grade(item, '[["a", 18]]', engine).score == 0
    sorted_ = Material(key="q", language="sql", code=normalise_query(f"{QUERY} order by m"), tests=tests)
    (item,) = make_understanding_items(sorted_, capture_calls(sorted_, engine), engine)
    assert grade(item, '[["b", 40], ["a", 18]]', engine).score == 0
    with pytest.raises(ConstructionError, match="No rows"):
        capture_calls(
            Material(key="q", language="sql", code=normalise_query("delete from people where\nage > 1"), tests=tests),
            engine,
        )


def test_tables_and_order_of_queries() -> None:
    tests = (TestCode("a", TABLES.format("(1)")), TestCode("b", TABLES.format("(1)")), TestCode("c", "select 1;"))
    assert query_tables(Material(key="q", language="sql", code=QUERY, tests=tests)) == [
        TABLES.format("(1)").partition("\n-- ")[0]
    ]
    assert is_ordered_query("select a from b order by a") and not is_ordered_query(
        "select a from (select a from b order by a)"
    )
    assert is_ordered_query("create view v as select a from b order by a")
    assert query_size("select a from b where c and d").branches == 3


# -- values ------------------------------------------------------------------------------------------------------

_texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
_numbers = st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False).map(canonical.float_form)
_forms = st.recursive(
    st.none() | st.booleans() | _texts | _numbers,
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(st.tuples(_texts, inner), max_size=3).map(canonical.mapping_form)
    ),
    max_leaves=8,
)


@given(_forms)
def test_what_is_written_as_json_is_read_back(form: Form) -> None:
    assert is_json_form(form)
    assert forms_equal(with_text_keys(parse_value(form_json(form))), form)
    assert json.loads(form_json(form)) is not Ellipsis


def test_characters_that_nobody_sees_are_escaped() -> None:
    assert form_json(["x\xa0y", "é 漢", "\u200b"]) == r'["x\u00a0y", "é 漢", "\u200b"]'
    assert parse_value(form_json({"$d": [["a\xa0", "b\u2028"]]})) == {"$d": [["a\xa0", "b\u2028"]]}


def test_a_harness_s_values_are_read() -> None:
    assert read_form([1, {"$f": "0.5"}, {"$d": [["a", True]]}, None, 2**60]) == [
        1, {"$f": "0.5"}, {"$d": [["a", True]]}, None, {"$i": str(2**60)},
    ]  # fmt: skip
    with pytest.raises(ConstructionError):
        read_form({"what": 1})
    assert with_text_keys({"$d": [[1, {"$t": [2]}], [True, "x"]]}) == {"$d": [["1", [2]], ["true", "x"]]}
    assert not any(is_json_form(form) for form in ({"$s": []}, [{"$f": "nan"}], {"$d": [["a", {"$b": ""}]]}))


@pytest.mark.parametrize(("form", "kind", "expected"), SAMPLES["values_in_java"])
def test_values_in_java(form: Form, kind: str, expected: str | None) -> None:
    assert foreign_expression(form, kind, "java") == expected


@pytest.mark.parametrize(("form", "kind", "expected"), SAMPLES["values_in_cpp"])
def test_values_in_cpp(form: Form, kind: str, expected: str | None) -> None:
    assert foreign_expression(form, kind, "c++") == expected


def test_values_in_javascript() -> None:
    assert foreign_expression([{"$d": [["a", None]]}, {"$f": "1e+22"}], "", "javascript") == '[{"a": null}, 1e+22]'
    assert foreign_expression({"$d": [["__proto__", 1]]}, "", "javascript") is None
    assert foreign_expression({"$s": [1]}, "", "typescript") is None
    assert math.isclose(float(str(foreign_expression({"$f": "0.1"}, "", "javascript"))), 0.1)


# -- signatures --------------------------------------------------------------------------------------------------


def test_signatures() -> None:
    found = {name: read_foreign_signature(material) for name, material in CASES.items()}
    assert {name: item.call for name, item in found.items()} == {
        "javascript": "count", "typescript": "mean", "java": "new Solution().group", "c++": "fib",
        "c++ class": "Solution().join",
    }  # fmt: skip
    assert [item.kind for item in found["java"].parameters] == ["List<String>", "char"]
    assert found["c++ class"].parameters[1].kind == "std::vector<std::string>&"
    generic = "export function f<T>(xs: T[]): T;\nexport function f<T>(xs: T[], by = 1): T { return xs[by]; }"
    assert read_foreign_signature(_material("typescript", generic, "", "f")).names == ("xs", "by")
    static = _material("java", "class A { static class B {\n static int f(final int[] xs) { return 1; } } }", "", "f")
    assert read_foreign_signature(static).call == "A.B.f"


@pytest.mark.parametrize(("language", "code"), SAMPLES["not_followed"])
def test_functions_that_cannot_be_followed_say_so(language: str, code: str) -> None:
    with pytest.raises(ConstructionError):
        read_foreign_signature(_material(language, code, "", "f"))


def test_comments_go_with_their_lines() -> None:
    assert without_comments(PROGRAMS["javascript"]["code"], "javascript").splitlines()[:4] == [
        "function count(text, options) {", "  const found = {};", '  for (const word of text.split(" ")) { ',
        "    if (word.length > options.least) {",
    ]  # fmt: skip
    for language in LANGUAGES:
        assert without_comments("// a\n/* b */ // c\n", language).strip() == ""
    assert without_comments('String s = "// no";\n', "java") == 'String s = "// no";\n'


@pytest.mark.sandbox
def test_calls_of_test_classes_and_cases_without_a_main_are_followed(engine: Pool) -> None:
    cases = 'TEST_CASE("fib") {\n  CHECK(fib(7) == 13);\n}\n'
    functions = "#include <cassert>\nstatic void test() {\n  assert(fib(7) == 13);\n}\n"
    for test in (cases, functions):
        found = capture_calls(_material("c++", FIB, test, "fib"), engine, ONCE)
        assert [(item.values, item.output) for item in found.instances] == [([7], 13)]


@pytest.mark.sandbox
def test_calls_of_a_module_are_followed_and_repeated(engine: Pool) -> None:
    code = SAMPLES["joined_words"]
    test = "import { join } from './join';\nit('joins', () => {\n  expect(join(['a', 'b'], '-')).toBe('a-b-');\n});\n"
    found = capture_calls(_material("javascript", code, test, "join"), engine)
    assert [(item.values, item.output) for item in found.instances] == [([["a", "b"], "-"], "a-b-")]


@pytest.mark.sandbox
def test_tests_that_do_not_compile_are_refused_with_that_reason(engine: Pool) -> None:
    with pytest.raises(ConstructionError, match="its tests do not compile"):
        capture_calls(
            _material("c++", FIB, "#include <cassert>\nint main() { assert(nowhere(7) == 13); }\n", "fib"), engine
        )


@pytest.mark.sandbox
def test_calls_of_a_class_of_junit_are_followed(engine: Pool) -> None:
    junit = SAMPLES["junit"]
    code = SAMPLES["class_for_junit"]
    found = capture_calls(_material("java", code, junit, "fib"), engine, ONCE)
    assert sorted((item.values, item.output) for item in found.instances) == [([7], 13), ([8], 21)]


@pytest.mark.parametrize(("language", "line"), SAMPLES["chance_and_clocks"])
def test_chance_and_clocks_make_no_question(language: str, line: str, engine: Pool) -> None:
    code = f"int f(int x) {{\n  {line}\n  int m = x;\n  return m;\n}}\n"
    (reason,) = capture_calls(_material(language, code, "f(1);", "f"), engine).dropped
    assert reason.startswith("results of ") and reason.endswith(" cannot be worked out")
