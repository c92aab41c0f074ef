"""Understanding in Java, JavaScript, TypeScript, C++ and SQL: calls are followed, replayed, asked about and graded."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.construction import canonical
from annotator.construction.canonical import Form, equal
from annotator.construction.languages.calls import signature_of
from annotator.construction.languages.sql import is_ordered, normalised, shape, tables_of
from annotator.construction.languages.tree_sitter_bugs import LANGUAGES, without_comments
from annotator.construction.languages.values import expression, read_form, texted, writable, written
from annotator.construction.material import ConstructionError, Material
from annotator.construction.test_splitting import split_foreign
from annotator.construction.understanding import items as understanding
from annotator.construction.understanding.captured_calls import capture
from annotator.construction.understanding.items import make_items
from annotator.construction.understanding.literals import parse_value
from annotator.sandbox import Pool, TestCode
from tests.construction.conftest import grade

COUNT = """// Counts words: count('a') gives {}.
function count(text, options) {
  /* by length */
  const found = {};
  for (const word of text.split(" ")) { // one
    if (word.length > options.least) {
      found[word] = (found[word] || 0) + 1;
    }
  }
  return found;
}
"""
COUNT_TEST = """const assert = require('assert');
assert.deepStrictEqual(count('a bb bb ccc', {least: 1}), {bb: 2, ccc: 1});
assert.deepStrictEqual(count('hello you hello', {least: 2}), {hello: 2, you: 1});
"""
GROUP = """import java.util.*;
public class Solution {
    /** Groups words. */
    public Map<Integer, List<String>> group(List<String> words, char skip) {
        Map<Integer, List<String>> found = new TreeMap<>();
        for (String word : words) {
            if (word.indexOf(skip) >= 0) continue;
            found.computeIfAbsent(word.length(), n -> new ArrayList<>()).add(word);
        }
        return found;
    }
}
"""
GROUP_TEST = """import java.util.*;
public class Main {
  public static void main(String[] a) {
    Solution s = new Solution();
    if (s.group(Arrays.asList("a", "bb", "x"), 'x').size() != 2) throw new AssertionError();
    if (s.group(Arrays.asList("ab", "bb", "ccc"), 'q').size() != 2) throw new AssertionError();
  }
}
"""
FIB = """#include <vector>
// fib(7) == 13
long long fib(int n) {
    if (n < 2) {
        return n;
    }
    return fib(n - 1) + fib(n - 2);
}
"""
JOIN = """#include <map>
#include <string>
#include <utility>
#include <vector>
class Solution {
public:
    std::vector<std::pair<std::string, double>> join(const std::map<std::string, double>& prices,
                                                     std::vector<std::string>& wanted) {
        std::vector<std::pair<std::string, double>> found;
        for (const auto& name : wanted) {
            auto at = prices.find(name);
            if (at != prices.end()) {
                found.push_back({name, at->second * 1.5});
            }
        }
        wanted.clear();
        return found;
    }
};
"""
MEAN = """export const mean = (xs: number[], scale: number): number => {
  let sum = 0;
  for (const x of xs) {
    sum += x * scale;
  }
  return sum / xs.length + scale;
};
"""
QUERY = "select name, max(age) as m from people where age >= 18 group by name"
TABLES = "create table people (name text, age int);\ninsert into people values {};\n-- solution\nselect 1;"


def _material(language: str, code: str, test: str, entry: str) -> Material:
    parts = split_foreign(test, language) if test else ()
    return Material("m", language, code, tuple(TestCode(f"t{n}", part) for n, part in enumerate(parts)), entry)


FIB_TEST = "#include <cassert>\nint main() {\n  assert(fib(7) == 13);\n  assert(fib(9) == 34);\n  return 0;\n}\n"
JOIN_TEST = """#include <cassert>
int main() {
  std::vector<std::string> w = {"a", "c"};
  assert(Solution().join({{"a", 2}, {"b", 3}}, w).size() == 1);
}
"""
MEAN_TEST = """declare var require: any;
const assert = require('assert');
assert.strictEqual(mean([1, 2], 1), 2.5);
assert.strictEqual(mean([4, 4, 1], 2), 8);
"""
PAD = """#include <string>
std::string pad(const std::string & text, int width = 6) {
    std::string found = text;
    while ((int) found.size() < width) {
        found += '.';
    }
    return found;
}
"""
PAD_TEST = """#include <cassert>
int main() {
  assert(pad("ab") == "ab....");
  assert(pad("abc", 5) == "abc..");
}
"""
CASES = {
    "javascript": _material("javascript", COUNT, COUNT_TEST, "count"),
    "typescript": _material("typescript", MEAN, MEAN_TEST, "mean"),
    "java": _material("java", GROUP, GROUP_TEST, "group"),
    "c++": _material("c++", FIB, FIB_TEST, "fib"),
    "c++ class": _material("c++", JOIN, JOIN_TEST, "join"),
}
FORWARD = {
    "javascript": {'{"bb": 2, "ccc": 1}', '{"hello": 2, "you": 1}'},
    "typescript": {"2.5", "8"},
    "java": {'{"1": ["a"], "2": ["bb"]}', '{"2": ["ab", "bb"], "3": ["ccc"]}'},
    "c++": {"13", "34"},
    "c++ class": {'[["a", 3.0]]'},
}
REVERSE = {
    "javascript": ('["bb ccc bb", {"least": 1}]', '["bb", {"least": 1}]'),
    "typescript": ("[[0.5, 2.5], 1]", "[[2], 2]"),
    "java": ('[["a", "bb"], "z"]', '[["a", "bb", "cc"], "z"]'),
    "c++": ("[9]", "[8]"),
    "c++ class": ('[{"a": 2}, ["a"]]', '[{"a": 3}, ["a"]]'),
}


@pytest.fixture(autouse=True)
def few_random_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(understanding, "RANDOM_CALLS", 10)  # compilers are slow


@pytest.mark.sandbox
@pytest.mark.parametrize("name", [*list(CASES)[:4], pytest.param("c++ class", marks=pytest.mark.slow)])
def test_items_are_made_of_followed_calls(name: str, engine: Pool) -> None:
    material = CASES[name]
    found = capture(material, engine)
    assert not any(item.raises for item in found.instances)
    assert all(item.mutated == (name == "c++ class") for item in found.instances)
    items = make_items(material, found, engine, most=2)
    forward = [item for item in items if item.direction == "forward"]
    assert {item.reference for item in forward} >= FORWARD[name] and len(forward) <= 2
    assert all(item.as_json()["language"] == material.language and "//" not in item.code for item in items)
    fence = {"c++": "cpp"}.get(material.language, material.language)
    assert "written as JSON" in forward[0].prompt and f"```{fence}" in forward[0].prompt
    for item in forward:
        assert grade(item, f"```json\n{item.reference}\n```", engine).score == 1, item
        assert grade(item, "[[[]]]", engine).score == 0
    right, wrong = REVERSE[name]
    reverse = [item for item in items if item.direction == "reverse"]
    assert grade(reverse[0], reverse[0].reference, engine).score == 1
    assert any(grade(item, right, engine).score for item in reverse), "any arguments that work will do"
    assert not grade(reverse[0], wrong, engine).score
    for refused in ('[system("ls")]', "process.exit(0)", '["x", "y", "z"]', ""):
        assert not grade(reverse[0], refused, engine).score


@pytest.mark.sandbox
def test_calls_of_functions_with_default_values_are_followed_in_cpp(engine: Pool) -> None:
    found = capture(_material("c++", PAD, PAD_TEST, "pad"), engine)
    assert [(item.values, item.output) for item in found.instances] == [
        (["ab", 6], "ab...."),
        (["abc", 5], "abc.."),
    ]


@pytest.mark.sandbox
def test_what_does_not_repeat_or_is_no_plain_value_makes_no_item(engine: Pool) -> None:
    odd = "function f(x) {\n  const n = Math.random();\n  const m = n * x;\n  return m;\n}\n"
    found = capture(_material("javascript", odd, "f(1); f(2);", "f"), engine)
    assert not found.instances and found.dropped == {"results of Math.random cannot be worked out": 1}
    kept = "function f(x) {\n  const s = new Set();\n  s.add(x);\n  return s;\n}\n"
    with pytest.raises(ConstructionError, match="No call"):
        capture(_material("javascript", kept, "f(1);", "f"), engine)
    loops = "function f(x) {\n  let n = x;\n  while (n > 5) { n += 1; }\n  return n + 10;\n}\n"
    items = make_items(
        material := _material("javascript", loops, "f(3); f(4);", "f"), capture(material, engine), engine
    )
    (reverse,) = [item for item in items if item.direction == "reverse" and item.reference == "[3]"]
    assert grade(reverse, "[9]", engine).detail == "does not end in time"
    assert grade(reverse, "3", engine).score == 1


@pytest.mark.sandbox
def test_rows_of_queries(engine: Pool) -> None:
    tests = tuple(TestCode(f"t{n}", TABLES.format(rows)) for n, rows in enumerate(("('a', 18), ('b', 30), ('b', 40)",
                                                                                  "('x', 3)")))  # fmt: skip
    material = Material("q", "sql", normalised(QUERY), tests)
    (item,) = make_items(material, capture(material, engine), engine)
    assert item.reference == '[["a", 18], ["b", 40]]' and "create table people" in item.prompt
    assert grade(item, '[["b", 40], ["a", 18]]', engine).score == 1, "rows without an order are a multiset"
    assert grade(item, '[["a", 18]]', engine).score == 0
    sorted_ = Material("q", "sql", normalised(f"{QUERY} order by m"), tests)
    (item,) = make_items(sorted_, capture(sorted_, engine), engine)
    assert grade(item, '[["b", 40], ["a", 18]]', engine).score == 0
    with pytest.raises(ConstructionError, match="No rows"):
        capture(Material("q", "sql", normalised("delete from people where\nage > 1"), tests), engine)


def test_tables_and_order_of_queries() -> None:
    tests = (TestCode("a", TABLES.format("(1)")), TestCode("b", TABLES.format("(1)")), TestCode("c", "select 1;"))
    assert tables_of(Material("q", "sql", QUERY, tests)) == [TABLES.format("(1)").partition("\n-- ")[0]]
    assert is_ordered("select a from b order by a") and not is_ordered("select a from (select a from b order by a)")
    assert is_ordered("create view v as select a from b order by a")
    assert shape("select a from b where c and d").branches == 3


# -- values ------------------------------------------------------------------------------------------------------

_texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
_numbers = st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False).map(canonical.floating)
_forms = st.recursive(
    st.none() | st.booleans() | _texts | _numbers,
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(_texts, inner), max_size=3).map(canonical.mapping),
    max_leaves=8,
)


@given(_forms)
def test_what_is_written_as_json_is_read_back(form: Form) -> None:
    assert writable(form)
    assert equal(texted(parse_value(written(form))), form)
    assert json.loads(written(form)) is not Ellipsis


def test_characters_that_nobody_sees_are_escaped() -> None:
    assert written(["x\xa0y", "é 漢", "\u200b"]) == r'["x\u00a0y", "é 漢", "\u200b"]'
    assert parse_value(written({"$d": [["a\xa0", "b\u2028"]]})) == {"$d": [["a\xa0", "b\u2028"]]}


def test_a_harness_s_values_are_read() -> None:
    assert read_form([1, {"$f": "0.5"}, {"$d": [["a", True]]}, None, 2**60]) == [
        1, {"$f": "0.5"}, {"$d": [["a", True]]}, None, {"$i": str(2**60)},
    ]  # fmt: skip
    with pytest.raises(ConstructionError):
        read_form({"what": 1})
    assert texted({"$d": [[1, {"$t": [2]}], [True, "x"]]}) == {"$d": [["1", [2]], ["true", "x"]]}
    assert not any(writable(form) for form in ({"$s": []}, [{"$f": "nan"}], {"$d": [["a", {"$b": ""}]]}))


@pytest.mark.parametrize(
    ("form", "kind", "expected"),
    [
        (5, "int", "5"),
        (5, "final long", "5L"),
        (2**31, "int", None),
        (True, "int", None),
        (1, "double", "1.0"),
        ("x", "char", "'x'"),
        ("'", "Character", "'\\''"),
        ("xy", "char", None),
        ('a"\n\\é', "String", '"a\\"\\n\\\\\\u00e9"'),
        (None, "String", "null"),
        (None, "int", None),
        ([[1], []], "int[][]", "new int[][] {new int[] {1}, new int[] {}}"),
        (["a"], "java.util.List<String>",
         "new java.util.ArrayList<String>(java.util.Arrays.<String>asList(\"a\"))"),
        ({"$d": [["1", ["b"]]]}, "Map<Integer, List<String>>",
         "AnnotatorFollow.filled(new java.util.LinkedHashMap<Integer, java.util.List<String>>(), 1, "
         "new java.util.ArrayList<String>(java.util.Arrays.<String>asList(\"b\")))"),
        ([1], "List<T>[]", None),
        (1, "Runnable", None),
        ({"$d": [["x", 1]]}, "Map<Integer, Integer>", None),
    ],
)  # fmt: skip
def test_values_in_java(form: Form, kind: str, expected: str | None) -> None:
    assert expression(form, kind, "java") == expected


@pytest.mark.parametrize(
    ("form", "kind", "expected"),
    [
        (5, "const int&", "static_cast<int>(5LL)"),
        (-1, "size_t", None),
        ({"$i": str(-(2**63))}, "long long", "(-9223372036854775807LL - 1)"),
        (0.5, "int", None),
        ("é?", "std::string", 'std::string("\\303\\251\\077", 3)'),
        ("a\0" + "1", "string", 'std::string("a\\0001", 3)'),
        ("é", "char", None),
        ([[1]], "const vector<vector<int>> &",
         "std::vector<std::vector<int>>{std::vector<int>{static_cast<int>(1LL)}}"),
        (["a", True], "pair<string, bool>", 'std::pair<std::string, bool>(std::string("a", 1), true)'),
        ({"$d": [["1", 2]]}, "map<int,int>",
         "std::map<int, int>{{static_cast<int>(1LL), static_cast<int>(2LL)}}"),
        ([1, 2, 3], "pair<int,int>", None),
        (1, "Node*", None),
        (None, "int", None),
    ],
)  # fmt: skip
def test_values_in_cpp(form: Form, kind: str, expected: str | None) -> None:
    assert expression(form, kind, "c++") == expected


def test_values_in_javascript() -> None:
    assert expression([{"$d": [["a", None]]}, {"$f": "1e+22"}], "", "javascript") == '[{"a": null}, 1e+22]'
    assert expression({"$d": [["__proto__", 1]]}, "", "javascript") is None
    assert expression({"$s": [1]}, "", "typescript") is None
    assert math.isclose(float(str(expression({"$f": "0.1"}, "", "javascript"))), 0.1)


# -- signatures --------------------------------------------------------------------------------------------------


def test_signatures() -> None:
    found = {name: signature_of(material) for name, material in CASES.items()}
    assert {name: item.call for name, item in found.items()} == {
        "javascript": "count", "typescript": "mean", "java": "new Solution().group", "c++": "fib",
        "c++ class": "Solution().join",
    }  # fmt: skip
    assert [item.kind for item in found["java"].parameters] == ["List<String>", "char"]
    assert found["c++ class"].parameters[1].kind == "std::vector<std::string>&"
    generic = "export function f<T>(xs: T[]): T;\nexport function f<T>(xs: T[], by = 1): T { return xs[by]; }"
    assert signature_of(_material("typescript", generic, "", "f")).names == ("xs", "by")
    static = _material("java", "class A { static class B {\n static int f(final int[] xs) { return 1; } } }", "", "f")
    assert signature_of(static).call == "A.B.f"


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("javascript", "function* f(x) { yield x; }"),
        ("javascript", "async function f(x) { return x; }"),
        ("javascript", "function f({a}) { return a; }"),
        ("javascript", "function f(...xs) { return xs; }"),
        ("javascript", "class C { f(x) { return x; } }"),
        ("javascript", "function g() { function f(x) { return x; } return f; }"),
        ("javascript", "const g = 1;"),
        ("java", "class A { void f(int x) { return; } }"),
        ("java", "class A { <T> int f(T x) { return 1; } }"),
        ("java", "class A { int f(int... x) { return 1; } }"),
        ("c++", "template <class T> T f(T x) { return x; }"),
        ("c++", "int f(int a[]) { return 1; }"),
        ("c++", "void f(int a) { }"),
        ("sql", "select 1"),
    ],
)
def test_functions_that_cannot_be_followed_say_so(language: str, code: str) -> None:
    with pytest.raises(ConstructionError):
        signature_of(_material(language, code, "", "f"))


def test_comments_go_with_their_lines() -> None:
    assert without_comments(COUNT, "javascript").splitlines()[:4] == [
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
        found = capture(_material("c++", FIB, test, "fib"), engine)
        assert [(item.values, item.output) for item in found.instances] == [([7], 13)]


@pytest.mark.sandbox
def test_calls_of_a_module_are_followed_and_repeated(engine: Pool) -> None:
    code = (
        "export const join = (words, by) => {\n  let all = '';\n  for (const word of words) {\n"
        "    all += word + by;\n  }\n  return all;\n};\n"
    )
    test = "import { join } from './join';\nit('joins', () => {\n  expect(join(['a', 'b'], '-')).toBe('a-b-');\n});\n"
    found = capture(_material("javascript", code, test, "join"), engine)
    assert [(item.values, item.output) for item in found.instances] == [([["a", "b"], "-"], "a-b-")]


@pytest.mark.sandbox
def test_tests_that_do_not_compile_are_refused_with_that_reason(engine: Pool) -> None:
    with pytest.raises(ConstructionError, match="its tests do not compile"):
        capture(_material("c++", FIB, "#include <cassert>\nint main() { assert(nowhere(7) == 13); }\n", "fib"), engine)


@pytest.mark.sandbox
def test_calls_of_a_class_of_junit_are_followed(engine: Pool) -> None:
    junit = (
        "import org.junit.jupiter.api.Test;\nimport static org.junit.jupiter.api.Assertions.*;\n"
        "class T {\n  @Test\n  void one() { assertEquals(13, Fib.fib(7)); }\n"
        "  @Test\n  void two() { assertEquals(21, Fib.fib(8)); }\n}\n"
    )
    code = (
        "class Fib {\n  static int fib(int n) {\n    int a = 0, b = 1;\n    for (int i = 0; i < n; i++) {\n"
        "      int c = a + b;\n      a = b;\n      b = c;\n    }\n    return a;\n  }\n}\n"
    )
    found = capture(_material("java", code, junit, "fib"), engine)
    assert sorted((item.values, item.output) for item in found.instances) == [([7], 13), ([8], 21)]


@pytest.mark.parametrize(
    ("language", "line"),
    [("javascript", "const year = new Date().getFullYear();"), ("java", "long now = System.currentTimeMillis();"),
     ("c++", "int n = rand() % 1;"), ("typescript", "const late = Date.now() > 5;")],
)  # fmt: skip
def test_chance_and_clocks_make_no_question(language: str, line: str, engine: Pool) -> None:
    code = f"int f(int x) {{\n  {line}\n  int m = x;\n  return m;\n}}\n"
    (reason,) = capture(_material(language, code, "f(1);", "f"), engine).dropped
    assert reason.startswith("results of ") and reason.endswith(" cannot be worked out")
