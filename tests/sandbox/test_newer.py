"""What is newer than the tools of the images is found where they fail, and what they know is not."""

from __future__ import annotations

import time

import pytest

from annotator.sandbox import LANGUAGES
from annotator.sandbox.programs.newer import newer
from tests.rows import check_rows

MONO = "error CS1061: Type `List` does not contain a definition for `MaxBy'"


@pytest.mark.parametrize(
    "line",
    [
        "static int F(int x) => x switch { 1 => 2, _ => 3 };",
        "static string? F(string? x) { return x; }",
        'static string F(string x) { x ??= "a"; return x; }',
        "static bool F(object x) => x is not null;",
        "static bool F(int x) => x is > 2 and < 5;",
        "static bool F(char c) => c is 'a' or 'b';",
        "static bool F(string x) => x is { Length: 3 };",
        "static int F(int[] x) => x[^1];",
        "static string F(string x) => x[1..3];",
        "static List<int> F() { List<int> a = new(); return a; }",
        "static int[] F() { int[] a = [1, 2]; return a; }",
        'static int F() { using var r = new System.IO.StringReader("a"); return r.Read(); }',
        'static string F() => """a "b" c""";',
        "static int F(int x) { static int G(int y) => y + 1; return G(x); }",
        "static int F(int x) { int G(int y) { return y + 1; } return G(x); }",
        "static int F(Dictionary<string, int> d) { var s = 0; foreach (var (k, v) in d) s += v; return s; }",
        "static Func<int, int, int> F() => (_, _) => 1;",
        "static int F(string s) => s!.Length;",
        "static int F(object o) { switch (o) { case int n when n > 1: return 1; default: return 0; } }",
        "static int F(List<int> l) => l.MaxBy(x => x);",
        "class P { public int X { get; init; } }",
        "record P(int X, int Y);",
        "class P(int x) { public int X => x; }",
        "interface I { int X() => 1; }",
    ],
)
def test_newer_syntax_is_found(line: str) -> None:
    assert newer("c#", f"class A {{ {line} }}", "", MONO)


@pytest.mark.parametrize(
    "line",
    [
        "static bool F(object x) => x is int n && n > 2;",
        "static (int Min, int Max) F(int x) => (Min: x, Max: x + 1);",
        "static (int, int) F(int x) { var (a, b) = (x, x + 1); return (b, a); }",
        "static int F(string s) => int.TryParse(s, out var n) ? n : 0;",
        "static string F(string s) => s ?? throw new ArgumentNullException(nameof(s));",
        'static string F(int x) => $"{x:D2} {(x > 1 ? "a" : "b")} x switch { }";',
        "static int F(int? x) { if (x == null) return 0; else return x.Value; }",
        "static bool F(bool a, bool b) { return a ? b : !b; }",
        "static int F(int[] a) { int b = a[0]; for (int i = 0; i < b; i++) { Use(i); } return new int[] { 1 }[0]; }",
        "static int F() { lock (gate) { return Count(x => x + 1); } }",
        "static void F() { using (var r = Open()) { r.Read(); } }",
        "static int F(int x) { switch (x) { case 1: return 2; default: return 3; } } // is not, [^1]",
        "[Test] public void F() { foreach (var pair in pairs) { Use(pair.Key); } }",
        "class B<T> : C<T> where T : class, new() { public B(int x) : base(x) { } public int this[int i] => i; }",
    ],
)
def test_what_mono_knows_is_not_found(line: str) -> None:
    assert newer("c#", "", f"using System;\nclass A {{ {line} }}", MONO) == ""


@pytest.mark.parametrize(
    ("language", "code", "said"),
    [
        ("java", "deque.removeFirst(); int x = 1", "error: ';' expected"),
        ("java", "switch (kind) { case A: return Shape.of(1); default: return 0; }", "error: ';' expected"),
        ("javascript", "class Bag { union(other) { } }", "TypeError: bag.difference is not a function"),
        ("javascript", "const sorted = list.toSorted(order);", "TypeError: list.tosorted is not defined"),
        ("c++", "void print(int x) { std::cout << x }", "error: expected ';' before '}' token"),
        ("php", "const LIMIT = 3;", 'unexpected token "}"'),
        ("python", "itertools.batched(x, 2)", "AttributeError: module 'itertools' has no attribute 'chunked'"),
        ("python", "dog.walk()", "AttributeError: 'Dog' object has no attribute 'walk'"),
        ("python", "from shop import override", "ImportError: cannot import name 'override' from 'shop'"),
        ("python", 'f"{x"', "SyntaxError: f-string: expecting '}'"),
        ("python", "except A, e:\n    pass", "SyntaxError: multiple exception types must be parenthesized"),
    ],
)
def test_other_mistakes_are_no_newer_syntax(language: str, code: str, said: str) -> None:
    assert newer(language, code, "", said) == ""


LONG_PIECES = (
    "a<", "(", "[", "is x ", "case A a", "; a b(", "{ int f(int x) {", "using var x = ", "= [", "new a(", "$a {", 'f"{',
)  # fmt: skip


@pytest.mark.parametrize("language", [item.name for item in LANGUAGES])
def test_a_long_text_does_not_hang(language: str) -> None:
    check_rows(_check_long_text, [(language, piece) for piece in LONG_PIECES])


def _check_long_text(language: str, piece: str) -> None:
    text = piece * (60_000 // len(piece))
    started = time.monotonic()
    newer(language, text, "", f"error expected is not a function unexpected SyntaxError: f-string {MONO}")
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    "said",
    [
        "AttributeError: module 'itertools' has no attribute 'batched'",
        "ImportError: cannot import name 'override' from 'typing' (/usr/lib/python3.11/typing.py)",
        "AttributeError: 'PosixPath' object has no attribute 'walk'",
    ],
)
def test_newer_parts_of_pythons_library_are_found(said: str) -> None:
    assert newer("python", "", "", said) == "a newer part of the library"
