"""A rewrite, with its change list and gates; and mined code as tests call it."""

from __future__ import annotations

import ast
import json
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from annotator.base.errors import BadInputError, KnownError
from annotator.mining.bare_functions import bare_function, read_parameters, without_main
from annotator.mining.fitting import accidental_errors, rows_that_do_not_fit, takes_arguments, type_accepts
from annotator.mining.generated_code.definitions_of_code import definitions_of_code, imports_of_code
from annotator.mining.parity import parse_table
from annotator.mining.rendering import render_tests
from annotator.mining.rewriting import (
    CoverageException,
    MinedRow,
    Rewrite,
    RewriteGate,
    SignatureChange,
    TaskParameter,
    TaskSignature,
    check_rewrite_gates,
    coverage_gate,
    find_disagreements,
    parse_rewrite,
    read_mined_rows,
    read_signature,
    requirement_similarity,
    rewrite_json,
    signature_changes,
    signature_text,
)
from annotator.sandbox import Job, Pool, TestCode, TestResult
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
BEFORE = TaskSignature(
    name="to_positional", parameters=(TaskParameter("sql", "str"), TaskParameter("params", "dict")), returns="tuple"
)
AFTER = TaskSignature(
    name="to_positional",
    parameters=(TaskParameter("sql", "str"), TaskParameter("params", "dict"), TaskParameter("delimiter", "str")),
    returns="dict with positional_sql, param_list and execute_sql",
    objective="Turn named parameters of a statement into positional ones.",
    constraints="The order of param_list is that of the marks.",
)
REWRITE = Rewrite(
    summary="Convert an SQL statement with named parameters to positional ones and return both.",
    requirement="Given a statement whose parameters begin with a delimiter of your choice, number them and say what "
    "to execute.",
    before=BEFORE,
    after=AFTER,
    signatures={"python": AFTER, "java": AFTER},
    twists=("the delimiter becomes a parameter",),
)


def _mined(*outcomes: str) -> tuple[MinedRow, ...]:
    return read_mined_rows(_results(*outcomes), (), ())


def _results(*outcomes: str) -> list[TestResult]:
    return [TestResult(name=f"row {number}", outcome=outcome) for number, outcome in enumerate(outcomes, start=1)]


def _gate(found: tuple[RewriteGate, ...], name: str) -> bool | None:
    return next(gate.passed for gate in found if gate.name == name)


def test_the_example_of_the_specification() -> None:
    assert [change.kind for change in REWRITE.changes] == ["parameter count", "return", "twist"]
    assert REWRITE.changes[0] == SignatureChange("parameter count", "2 → 3")
    found = check_rewrite_gates(REWRITE, _mined("fail", "timeout", "crash"))
    assert all(gate.passed for gate in found), found


def test_names_and_spaces_are_no_change() -> None:
    other = replace(
        BEFORE, name="f", parameters=(TaskParameter("x", " Str "), TaskParameter("y", "dict")), returns="TUPLE"
    )
    assert signature_changes(BEFORE, other) == ()
    typed = replace(BEFORE, parameters=(TaskParameter("sql", "bytes"), TaskParameter("params", "dict")))
    assert [change.kind for change in signature_changes(BEFORE, typed)] == ["parameter type"]
    assert _gate(check_rewrite_gates(replace(REWRITE, after=other, twists=())), "changed") is False


def test_an_annotation_is_no_change() -> None:
    bare = TaskSignature(name="f", parameters=(TaskParameter("x"), TaskParameter("y", "Any")))
    typed = TaskSignature(
        name="f", parameters=(TaskParameter("x", "int"), TaskParameter("y", "list of str")), returns="list[str]"
    )
    assert signature_changes(bare, typed) == signature_changes(typed, bare) == ()
    assert _gate(check_rewrite_gates(replace(REWRITE, before=bare, after=typed, twists=())), "changed") is False
    noted = replace(
        typed, parameters=(TaskParameter("x", "int"), TaskParameter("y", "List[str]")), returns="list of str"
    )
    assert signature_changes(typed, noted) == ()
    wider = replace(typed, parameters=(TaskParameter("x", "int[]"), TaskParameter("y", "list[int]")), returns="dict")
    assert [change.kind for change in signature_changes(typed, wider)] == ["parameter type"] * 2 + ["return"]


@pytest.mark.parametrize(
    ("old", "new", "passed"),
    [("a" * 100, "a" * 91 + "b" * 9, False), ("a" * 100, "a" * 90 + "b" * 10, False),
     ("a" * 100, "a" * 89 + "b" * 11, True), ("Sort  rows", "sort rows", False), ("", "", False)],
)  # fmt: skip
def test_the_requirement_needs_new_words(old: str, new: str, passed: bool) -> None:
    assert _gate(check_rewrite_gates(replace(REWRITE, summary=old, requirement=new)), "new words") is passed
    assert requirement_similarity("kitten", "sitting") == pytest.approx(0.571429, abs=1e-6)


@pytest.mark.parametrize(
    ("results", "passed"),
    [
        (None, None),
        ([], False),
        (_mined("fail", "compile_error"), True),
        (_mined("pass"), False),
        (_mined("pass", "pass"), False),
        (_mined("fail", "pass"), True),
        (_mined("fail", "pass", "pass"), False),
        (_mined("machinery", "pass", "pass"), False),
        (_mined("machinery", "pass"), None),
        (_mined("machinery", "fail"), None),
    ],
)
def test_the_original_must_fail_half_of_the_tests(results: list[MinedRow] | None, passed: bool | None) -> None:
    assert _gate(check_rewrite_gates(REWRITE, results), "original fails") is passed


@pytest.mark.parametrize(
    ("percent", "passing", "passed"),
    [(0, 0, True), (0, 1, False), (49, 5, False), (50, 5, True), (60, 7, False), (99, 9, True), (99, 10, False)],
)
def test_a_project_says_how_many_tests_the_original_may_pass(percent: int, passing: int, passed: bool) -> None:
    results = _mined(*["pass"] * passing, *["fail"] * (10 - passing))
    (gate,) = (
        gate for gate in check_rewrite_gates(REWRITE, results, mined_percent=percent) if gate.name == "original fails"
    )
    assert gate.passed is passed
    if passing:
        assert f"passes {passing} of 10 tests ({10 * passing}%, at most {percent}% are allowed): row 1" in gate.detail
        assert f"row {passing}" in gate.detail and f"row {passing + 1}" not in gate.detail


def test_what_the_original_does_is_told_apart() -> None:
    results = [
        TestResult(name="value", outcome="fail", message="AssertionError: [1]"),
        TestResult(name="error", outcome="fail", message="KeyError: 'a'"),
        TestResult(name="call", outcome="pass"),
        TestResult(name="none", outcome="fail", message="AssertionError: no error was raised"),
        TestResult(name="compiled", outcome="compile_error", message="no such method"),
    ]
    read = read_mined_rows(results, {"call", "none"}, {"call"})
    assert [row.outcome for row in read] == [
        "other value", "other error", "does not fit", "other value", "does not fit",
    ]  # fmt: skip
    (gate,) = (gate for gate in check_rewrite_gates(REWRITE, read) if gate.name == "original fails")
    assert gate.passed and gate.detail == "all 5 tests: other value 2, other error 1, does not fit 2"
    # A value that the old code gives is a leak, however it is called.
    leaking = read_mined_rows([TestResult(name="row", outcome="pass")], (), {"row"})
    assert _gate(check_rewrite_gates(REWRITE, leaking), "original fails") is False


@pytest.mark.parametrize(
    "message", ["NameError: name 'helper' is not defined", "ReferenceError: helper is not defined"]
)
def test_code_that_lacks_a_name_shows_nothing(message: str) -> None:
    read = read_mined_rows(
        [TestResult(name="a", outcome="fail", message=message), TestResult(name="b", outcome="fail", message=message)],
        (),
        {"b"},
    )
    assert [row.outcome for row in read] == ["lacks a name", "does not fit"]
    (gate,) = (gate for gate in check_rewrite_gates(REWRITE, read) if gate.name == "original fails")
    assert gate.passed is None and gate.detail.startswith("the mined code lacks helper: ")


@pytest.mark.parametrize(("language", "code", "count", "fits"), SAMPLES["a_call_fits_the_mined_parameters"])
def test_a_call_fits_the_mined_parameters(language: str, code: str, count: int, fits: bool) -> None:
    assert takes_arguments(code, language, "cut", count) is fits


@pytest.mark.parametrize(
    ("kind", "value", "fits"),
    [("str", "a", True), ("str", None, False), ("Optional[str]", None, True), ("string | null", None, True),
     ("list[int]", [1], True), ("string[]", "a", False), ("int", True, False), ("Record<string, number>", {}, True),
     ("Thing", 1, None), ("typing.List[str]", {}, False)],
)  # fmt: skip
def test_types_take_values(kind: str, value: Any, fits: bool | None) -> None:
    assert type_accepts(kind, value) is fits


def test_rows_that_do_not_fit_what_was_mined() -> None:
    def rewritten(*kinds: str) -> Rewrite:
        old = TaskSignature(name="cut", parameters=(TaskParameter("text", "str"), TaskParameter("most", "int")))
        new = tuple(TaskParameter(name, kind) for name, kind in zip(("text", "most"), kinds, strict=True))
        return replace(REWRITE, before=old, after=TaskSignature(name="cut", parameters=new))

    code = "def cut(text, most):\n    return text[:most]"
    table = parse_table({"rows": [
        {"name": "list", "inputs": [["a"], 1], "comparator": "raises"},
        {"name": "none", "inputs": ["a", None], "comparator": "raises"},
    ]})  # fmt: skip
    assert rows_that_do_not_fit(rewritten("list[str]", "int"), table, code, "python") == {"list"}
    assert rows_that_do_not_fit(rewritten("str", "int"), table, code, "python") == set()
    assert rows_that_do_not_fit(rewritten("str", "int"), table, "def cut(text): ...", "python") == {"list", "none"}


def test_every_language_states_what_is_asked() -> None:
    assert _gate(check_rewrite_gates(replace(REWRITE, signatures={})), "stated") is False
    for lacking in (
        replace(AFTER, objective=" "),
        replace(AFTER, constraints=""),
        replace(AFTER, returns=""),
        replace(AFTER, parameters=AFTER.parameters[:2]),
        replace(AFTER, parameters=(*AFTER.parameters[:2], TaskParameter("delimiter"))),
    ):
        (gate,) = (
            gate for gate in check_rewrite_gates(replace(REWRITE, signatures={"c++": lacking})) if gate.name == "stated"
        )
        assert gate.passed is False and gate.detail.startswith("c++ lacks")


def test_references_must_agree_on_every_row() -> None:
    found = find_disagreements({"python": _results("pass", "pass", "pass"), "java": _results("pass", "fail")})
    assert [(item.row, item.outcomes["java"]) for item in found] == [("row 2", "fail"), ("row 3", "missing")]
    assert find_disagreements({"python": _results("pass"), "java": _results("pass")}) == ()


def test_coverage_is_full_or_excused_by_two_others() -> None:
    assert coverage_gate((1, 1)).passed
    assert (
        not coverage_gate((1, 0.99)).passed
        and not coverage_gate((0.99, 1), CoverageException(" ", "a", ("b", "c"))).passed
    )
    assert not coverage_gate((0.9, 1), CoverageException("cannot be reached", "a", ("a", "b", "b"))).passed
    assert coverage_gate((0.9, 1), CoverageException("cannot be reached", "a", ("b", "c"))).passed


def test_coverage_that_is_not_measured_is_not_full() -> None:
    assert coverage_gate(None).passed is False and "not measured" in coverage_gate(None).detail
    assert coverage_gate(None, CoverageException("read by hand", "a", ("b", "c"))).passed


def test_a_rewrite_is_written_and_read() -> None:
    assert parse_rewrite(json.loads(json.dumps(rewrite_json(REWRITE)))) == REWRITE


@pytest.mark.parametrize("row", SAMPLES["a_rewrite_that_does_not_fit_says_so"])
def test_a_rewrite_that_does_not_fit_says_so(row: Any) -> None:
    with pytest.raises(KnownError):
        parse_rewrite(row)


@pytest.mark.parametrize("text", SAMPLES["signatures_in_one_line"])
def test_signatures_in_one_line(text: str) -> None:
    assert signature_text(read_signature(text)) == text


def test_no_signature_and_bad_ones() -> None:
    assert read_signature("  ").name == "" and signature_text(read_signature("")) == ""
    assert [item.name for item in read_signature("f(a: {x: int, y: int}, b)").parameters] == ["a", "b"]
    for text in ("f", "f(", "(a)", "f(a) list", "f(a, , b)", "f(: int)", "f(a: list[int)"):
        with pytest.raises(BadInputError):
            read_signature(text)


# Mined code as tests call it: with its imports, methods as functions, and accidents that refuse no input.


def _run(code: str) -> object:
    space: dict[str, object] = {}
    exec(compile(code, "code", "exec"), space)  # Code written in this file.
    return space["got"]


def test_a_method_of_python_is_called_without_its_object() -> None:
    method = "def cut(self, text, most=3):\n    return text[:most]\n"
    assert takes_arguments(method, "python", "cut", 2) and not takes_arguments(method, "python", "cut", 3)
    assert _run(bare_function(method, "python", "cut") + "got = cut('abcdef')") == "abc"
    plain = "def cut(text):\n    return text\n"
    assert bare_function(plain, "python", "cut") == plain


@pytest.mark.parametrize(
    ("language", "code", "left"),
    [
        ("java", "class A {\n    int f() { return 1; }\n    static void main(String[] a) {\n        f();\n    }\n}\n",
         "class A {\n    int f() { return 1; }\n\n}\n"),
        ("c++", "int f() { return 1; }\n\nint main() {\n  return f();\n}\n", "int f() { return 1; }\n\n\n"),
        ("c++", "int f() { return 1; }\n", "int f() { return 1; }\n"),
        ("javascript", "function main() { return 1; }\n", "function main() { return 1; }\n"),
    ],
)  # fmt: skip
def test_a_main_function_is_left_out(language: str, code: str, left: str) -> None:
    assert without_main(code, language) == left


def test_methods_of_other_languages_become_functions() -> None:
    code = "std::string reader::cut(const std::string& text) const\n{\n  return text;\n}\n"
    assert bare_function(code, "c++", "cut") == "std::string cut(const std::string& text)\n{\n  return text;\n}\n"
    java = bare_function("import java.time.Year;\n\nstatic int cut() { return 1; }", "java", "cut")
    assert java.startswith("import java.time.Year;\nimport java.util.*;\nclass Solution {")
    free = "function cut(text) { return text; }\n"
    assert bare_function(free, "javascript", "cut") == free


@pytest.mark.sandbox
@pytest.mark.parametrize("head", ["cut(text)", "static cut(text)", "  cut(text)", "module.exports = function (text)"])
def test_a_method_of_javascript_runs(head: str, pool: Pool) -> None:
    end = ";" if "=" in head else ""
    code = bare_function(f"{head} {{\n  return text + '!';\n}}{end}", "javascript", "cut")
    test = TestCode("t", "require('assert').strictEqual(cut('a'), 'a!');\n")
    assert pool.submit(Job(id="j", language="javascript", code=code, tests=(test,))).result().outcome == "pass"


def test_code_keeps_the_imports_it_uses() -> None:
    text = (
        "from __future__ import annotations\nimport math, os\nimport datetime as dt\nfrom .near import helper\n"
        "from json import dumps, loads\n\ndef f(x):\n    return math.comb(x, 2), dt.date, loads(helper(x))\n"
    )
    code = text.partition("\n\n")[2]
    lines = imports_of_code(text, code, "python").splitlines()
    assert lines == [
        "from __future__ import annotations", "import math", "import datetime as dt", "from json import loads",
    ]  # fmt: skip
    ast.parse("\n".join([*lines, code]))
    cpp = '#include "own.h"\n#include <vector>\n#include <QString.h>\nusing namespace std;\n'
    assert imports_of_code(cpp, "int f();", "c++") == "#include <vector>\nusing namespace std;\n"
    java = "import java.util.List;\nimport java.util.regex.Pattern;\nimport org.x.List;\nimport java.io.*;\n"
    assert imports_of_code(java, "List<String> f() {}", "java") == "import java.util.List;\nimport java.io.*;\n"
    assert imports_of_code("import a from 'a';", "a()", "javascript") == ""


def test_code_keeps_what_it_uses_of_its_file() -> None:
    text = (
        "import re\n\nLIMIT = 3\n\ndef other():\n    return 1\n\n@staticmethod\ndef inner(x):\n    return x[:LIMIT]\n\n"
        "def outer(x):\n    return inner(x)\n"
    )
    code = "def outer(x):\n    return inner(x)\n"
    assert definitions_of_code(text, code, "python") == (
        "LIMIT = 3\n\n@staticmethod\ndef inner(x):\n    return x[:LIMIT]\n"
    )
    script = (
        "const fs = require('fs');\nconst limit = 3;\nexport function inner(x) { return x.slice(limit); }\n"
        "function other() {}\nmodule.exports = function outer(x) { fs; return inner(x); };\n"
    )
    code = script.splitlines()[-1]
    assert definitions_of_code(script, code, "javascript") == (
        "const limit = 3;\n\nfunction inner(x) { return x.slice(limit); }\n"
    )
    assert definitions_of_code("x = 1\n" * 300 + "def f():\n    return x\n", "def f():\n    return x\n", "python") == ""
    types = "using ll = long long;\n\nstruct Point {\n  ll x;\n};\n"
    assert definitions_of_code(f"int twice(int a);\n{types}", "ll f(Point p) { return p.x; }", "c++") == types
    method = "int next() { return step() + start; }"
    neighbours = "int start;\n\nint step() { return 1; }\n"
    file = f"class A {{\n{neighbours}int other() {{ return 2; }}\n{method}\n}}"
    assert definitions_of_code(file, method, "java") == neighbours


@pytest.mark.parametrize(("language", "code", "parameters"), SAMPLES["the_parameters_of_mined_code_are_read"])
def test_the_parameters_of_mined_code_are_read(language: str, code: str, parameters: list[list[str]] | None) -> None:
    expected = None if parameters is None else tuple((name, kind) for name, kind in parameters)
    assert read_parameters(code, language, "cut") == expected


TABLE = parse_table({"rows": [{"name": "invalid", "inputs": ["a"], "comparator": "raises"}]})


@pytest.mark.parametrize(("code", "refuses"), SAMPLES["an_accident_of_mined_code_refuses_nothing"])
def test_an_accident_of_mined_code_refuses_nothing(code: str, refuses: bool) -> None:
    (test,) = render_tests(TABLE, "python", "cut", accidental_errors(code, "python"))
    expected = nullcontext() if refuses else pytest.raises((TypeError, AttributeError, NameError, AssertionError))
    with expected:
        exec(compile(code + test.code, "code", "exec"), {})  # Code written in this file.


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("body", "refuses"),
    [("return text.year.month;", False), ("return unknown(text);", False), ("throw new RangeError(text);", True),
     ("throw new TypeError(text);", True)],
)  # fmt: skip
def test_an_accident_of_a_mined_script_refuses_nothing(body: str, refuses: bool, pool: Pool) -> None:
    code = f"function cut(text) {{ {body} }}\n"
    (test,) = render_tests(TABLE, "javascript", "cut", accidental_errors(code, "javascript"))
    assert (
        pool.submit(Job(id="j", language="javascript", code=code, tests=(test,))).result().outcome == "pass"
    ) is refuses
