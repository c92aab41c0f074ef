"""Render the table of tests as one file per language, to be run with the language's tools next to an answer file.

The program prints ``ok`` or ``not ok`` for each row and exits with a status other than 0 if one fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from annotator.mining.parity import ParityTable
from annotator.mining.rendering import (
    PYTHON,
    PYTHON_UNORDERED,
    comparison_source,
    render_bodies,
    to_javascript,
    to_typescript,
)
from annotator.sandbox import find_language

Rows = Sequence[tuple[str, str]]


def file_of_tests(table: ParityTable, language_name: str, name: str) -> str:
    """Return the tests of a function as one file; raises `BadInputError` as `render_tests` does."""
    rows = [(_replace_unprintable(row), body) for row, body in render_bodies(table, language_name, name)]
    return _WRITERS[find_language(language_name).name](rows, name)


def _replace_unprintable(name: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in name)


def _quote_name(name: str) -> str:
    """Return a row's name as a literal of any of the languages."""
    return json.dumps(name, ensure_ascii=False)


def _python_file(rows: Rows, name: str) -> str:
    methods = "".join(
        f"\n    def test_{number:03d}(self):\n        {_quote_name(row)}\n{_indent(body, 8)}"
        for number, (row, body) in enumerate(rows, start=1)
    )
    return (
        f'"""Tests of {name}, run beside answer.py: python -m unittest test.py"""\n\nimport unittest\n\n'
        f"from answer import {name}\n\n{PYTHON}\n{PYTHON_UNORDERED}\n\nclass Tests(unittest.TestCase):{methods}\n\n"
        'if __name__ == "__main__":\n    unittest.main()\n'
    )


def _script_file(rows: Rows, name: str) -> str:
    head = f"// Tests of {name}, run beside answer.js: node test.js\nconst {{ {name} }} = require('./answer.js');\n"
    return head + to_javascript(_script_rows(rows))


def _typescript_file(rows: Rows, name: str) -> str:
    head = (
        f"// Tests of {name}, run beside answer.ts: tsc --module commonjs --target es2020 test.ts && node test.js\n"
        f"import {{ {name} }} from './answer';\n"
    )
    return head + to_typescript(_script_rows(rows))


def _script_rows(rows: Rows) -> str:
    cases = "".join(f"__row({_quote_name(row)}, () => {{\n{_indent(body, 2)}}});\n" for row, body in rows)
    return (
        f"{comparison_source('same.js')}let __wrong__T__ = 0;\nlet __number__T__ = 0;\n"
        "const __row = (name__T__, body__T__) => {\n"
        "  __number += 1;\n"
        "  try {\n    body();\n    console.log('ok ' + __number + ' - ' + name);\n"
        "  } catch (problem) {\n"
        "    __wrong += 1;\n    console.log('not ok ' + __number + ' - ' + name + ': ' + problem);\n  }\n};\n"
        f"{cases}if (__wrong) throw new Error(__wrong + ' of ' + __number + ' tests failed');\n"
    )


def _java_file(rows: Rows, name: str) -> str:
    methods, calls = [], []
    for number, (row, body) in enumerate(rows, start=1):
        methods.append(
            f'  @SuppressWarnings("unchecked")\n  static void row{number}() throws Exception {{\n    {body}\n  }}'
        )
        calls.append(f"row({number}, {_quote_name(row)}, Test::row{number});")
    helpers = (
        "  interface Body { void run() throws Exception; }\n  static int wrong = 0;\n"
        "  static void row(int number, String name, Body body) {\n"
        '    try { body.run(); System.out.println("ok " + number + " - " + name); }\n'
        "    catch (Throwable problem) {\n      wrong++;\n"
        '      System.out.println("not ok " + number + " - " + name + ": " + problem);\n    }\n  }\n'
    )
    main = comparison_source("Main.java").replace("class Main {", "class Test {", 1)
    end = '\n    if (wrong > 0) throw new AssertionError(wrong + " tests failed");'
    main = main.replace(
        '  @SuppressWarnings("unchecked")\n  public static void main', "// ROWS\n  public static void main", 1
    )
    main = main.replace("// BODY", "\n    ".join(calls) + end)
    head = f"// Tests of {name}, run beside Answer.java: javac -encoding UTF-8 Answer.java Test.java && java -ea Test\n"
    return head + main.replace("// ROWS\n", helpers + "\n".join(methods) + "\n", 1)


def _cpp_file(rows: Rows, name: str) -> str:
    functions, calls = [], []
    for number, (row, body) in enumerate(rows, start=1):
        functions.append(f"static int row{number}() {{\n  {body}\n  return 0;\n}}\n")
        calls.append(f"wrong += row({number}, {_quote_name(row)}, row{number});")
    runner = (
        "static int row(int number, const char* name, int (*body)()) {\n  int failed = 1;\n"
        "  try { failed = body(); } catch (...) { failed = 1; }\n"
        '  std::printf("%sok %d - %s\\n", failed ? "not " : "", number, name);\n  return failed;\n}\n'
    )
    head, _, tail = comparison_source("main.cpp").partition("int main() {")
    main = tail.replace("return 0;", "return wrong ? 1 : 0;")
    main = main.replace("// BODY", "int wrong = 0;\n  " + "\n  ".join(calls))
    about = f"// Tests of {name}, run beside answer.cpp: g++ -std=c++17 -o test test.cpp && ./test\n"
    return f'{about}#include "answer.cpp"\n{head}{"".join(functions)}{runner}int main() {{{main}'


def _indent(text: str, width: int) -> str:
    return "".join(" " * width + line + "\n" if line.strip() else line + "\n" for line in text.splitlines())


_WRITERS: dict[str, Callable[[Rows, str], str]] = {
    "python": _python_file,
    "javascript": _script_file,
    "typescript": _typescript_file,
    "java": _java_file,
    "c++": _cpp_file,
}
