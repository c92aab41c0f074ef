"""What people take for the same is changed for the strength of tests, and each change is a program."""

from __future__ import annotations

import ast

import pytest

from annotator.construction.bugs.lookalikes import foreign_lookalikes, python_lookalikes
from annotator.construction.languages.sql import query_lookalikes
from annotator.construction.languages.token_changes import token_changes
from annotator.construction.languages.tree_sitter_bugs import foreign_bugs, parses


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("return re.fullmatch('a', x)", {"re.match('a', x)", "re.fullmatch('a')"}),
        ("return x.split()", {"x.split(' ')"}),
        ("return x.splitlines()", {"x.split('\\n')"}),
        ("return (x - y).total_seconds()", {"(x - y).seconds"}),
        ("return x // (y + 1)", {"int(x / (y + 1))"}),
        ("return 1 if x is None else 2", {"1 if (not x) else 2"}),
        ("return 1 if x.y is not None else 2", {"1 if x.y else 2"}),
        ("return sorted(x, key=lambda p: (p.a, p.b))", {"sorted(x, key=lambda p: (p.a,))", "sorted(x)"}),
        ("return next(iter(x), None)", {"next(iter(x))"}),
        ("return y.quantize(x, decimal.ROUND_HALF_UP)", {"y.quantize(x)", "y.quantize(x, decimal.ROUND_HALF_EVEN)"}),
        ("return f(x)", set()),
    ],
)
def test_lookalikes_of_python(line: str, changed: set[str]) -> None:
    found = python_lookalikes(f"def f(x, *, y):\n    {line}\n")
    assert {item.code.splitlines()[1].strip().removeprefix("return ") for item in found} == changed
    for item in found:
        ast.parse(item.code)


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("x.sort((a, b) => a - b)", {"x.sort()"}),
        ("x.reduce((a, b) => a + b, 0)", {"x.reduce((a, b) => a + b)"}),
        ("Number(x)", {"parseInt(x)"}),
        ("x.replaceAll('a', 'b')", {"x.replace('a', 'b')", "x.replaceAll('a')"}),
        ("p.at - q.at || p.id - q.id", {"p.at - q.at"}),
        ("g(x)", set()),
    ],
)
@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_lookalikes_of_scripts(language: str, line: str, changed: set[str]) -> None:
    found = foreign_lookalikes(f"function f({{ x, p, q }}) {{\n  return {line};\n}}\n", language)
    lines = {item.code.splitlines()[1].strip().removeprefix("return ").rstrip("; ") for item in found}
    assert lines == changed and all(parses(item.code, language) for item in found)


@pytest.mark.parametrize(
    ("language", "code", "changed"),
    [
        ("python", "def f(self, a: int, b: int, c: str):\n    pass\n", ["def f(self, b: int, a: int, c: str):"]),
        ("python", "def f(a, b=1, *c):\n    pass\n", ["def f(b, a=1, *c):"]),
        ("javascript", "function f(a, b) {}\n", ["function f(b, a) {}"]),
        ("typescript", "function f(a: number, b: number, c?: A) {}\n", ["function f(b: number, a: number, c?: A) {}"]),
        ("java", "class A { int f(int a, int b, long c) {} }\n", ["class A { int f(int b, int a, long c) {} }"]),
        ("c++", "int f(const T& a, const T& b, int c) {}\n", ["int f(const T& b, const T& a, int c) {}"]),
    ],
)  # fmt: skip
def test_parameters_of_one_type_are_exchanged(language: str, code: str, changed: list[str]) -> None:
    found = python_lookalikes(code) if language == "python" else foreign_lookalikes(code, language)
    assert [item.code.splitlines()[0] for item in found] == changed


@pytest.mark.parametrize(
    ("language", "code", "part"),
    [
        ("c++", "std::vector<int> f() { return {1, 2}; }\n", "std::vector<int> changed = {1, 2}; if"),
        ("c++", "std::string f() { auto g = [] { return 1; }; return a; }\n", "{ return 1; }; { std::string"),
        ("java", "class A { String f() { return a; } }\n", "String changed = a; return changed.substring(0"),
        ("java", "class A { List<Long> f() { return a; } }\n", "changed.subList(0"),
        ("java", "class A { int[] f() { return a; } }\n", "java.util.Arrays.copyOf(changed"),
        ("c++", "double f() { if (a) return 0; return a / b; }\n", "if (a) return 0; return (a / b) + 0.1f;"),
        ("java", "class A { int f() { return a; } }\n", ""),
    ],
)  # fmt: skip
def test_what_is_returned_is_changed(language: str, code: str, part: str) -> None:
    found = [item.code for item in foreign_lookalikes(code, language) if item.operator == "other_result"]
    assert len(found) == bool(part) and all(part in text and parses(text, language) for text in found)


def test_quotes_around_variables_of_a_shell_are_left_out() -> None:
    code = 'f() {\n  mv -- "$1" "${1%.JPG}.jpg" && echo "done: $1" "${x}"\n}\n'
    found = [item.code.splitlines()[1] for item in token_changes(code, "bash") if "quotes" in item.explanation]
    assert found == [
        '  mv -- $1 "${1%.JPG}.jpg" && echo "done: $1" "${x}"', '  mv -- "$1" "${1%.JPG}.jpg" && echo "done: $1" ${x}',
    ]  # fmt: skip


def test_what_is_missing_is_asked_for_a_part() -> None:
    found = foreign_bugs("function f(u) {\n  return u?.a?.[0];\n}\n", "javascript")
    assert [item.code for item in found if "missing for a part" in item.explanation] == [
        "function f(u) {\n  return u.a?.[0];\n}\n"
    ]


@pytest.mark.parametrize(
    ("query", "why", "part"),
    [
        ("SELECT COUNT(a) FROM t", "counts rows instead of values", "COUNT(*)"),
        ("SELECT COUNT(DISTINCT a) FROM t", "counts equal values twice", "COUNT(a)"),
        ("SELECT COALESCE(a, 0) FROM t", "what is missing stays missing", "  a\n"),
        ("SELECT a FROM t ORDER BY a, b DESC", "ties are not broken", "ORDER BY\n  a;"),
        ("SELECT SUM(a) OVER (ORDER BY b, c ROWS 2 PRECEDING) FROM t", "ties are not broken", "BY b)"),
        ("SELECT ROW_NUMBER() OVER (ORDER BY a) FROM t", "calls Rank instead of RowNumber", "RANK()"),
        ("SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1", "the condition on groups is missing", "GROUP BY\n  a;"),
    ],
)
def test_more_changes_of_queries(query: str, why: str, part: str) -> None:
    [code] = [item.code for item in query_lookalikes(query) if item.explanation == why]
    assert part in code
