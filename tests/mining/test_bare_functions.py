"""Mined code as tests call it: with its imports, methods as functions, and accidents that refuse no input."""

from __future__ import annotations

import ast
from contextlib import nullcontext

import pytest

from annotator.mining.bare_functions import bare_function, read_parameters, without_main
from annotator.mining.fitting import accidental_errors, takes_arguments
from annotator.mining.generated_code.definitions_of_code import definitions_of_code, imports_of_code
from annotator.mining.parity import parse_table
from annotator.mining.rendering import render_tests
from annotator.sandbox import Job, Pool, TestCode
from tests.samples import load_samples

SAMPLES = load_samples(__file__)


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
    assert definitions_of_code("int limit = 3;", "limit;", "c++") == ""


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
