"""Answers in other languages that say themselves what equals them: those that equal everything are tampered."""

from __future__ import annotations

import pytest

from annotator.sandbox import Job, Pool, TestCode
from annotator.sandbox.programs.own_equality import expecting_others, has_own_equality

_ANY = {
    "c++": "struct Any {{ bool operator==(int x) const {{ return {0}; }}\n"
    "bool operator!=(int x) const {{ return !({0}); }} }};\n"
    "Any f() {{ return {{}}; }}",
    "c#": "class Any {{ public static bool operator ==(Any a, int x) {{ return {0}; }}\n"
    "public static bool operator !=(Any a, int x) {{ return !({0}); }} }}\n"
    "class S {{ public static Any F() {{ return new Any(); }} }}",
    "rust": "#[derive(Debug)] struct Any;\n"
    "impl PartialEq<i32> for Any {{ fn eq(&self, x: &i32) -> bool {{ let x = *x; {0} }} }}\n"
    "fn f() -> Any {{ Any }}",
    "ruby": "class Any; def ==(x) {0} end; def !=(x) !({0}) end; end\ndef f() Any.new end",
    "r": "f <- function() structure(1, class = 'any')\nOps.any <- function(e1, e2) {{ x <- unclass(e2); {0} }}",
}
_TESTS = {
    "c++": ("#include <cassert>\nint main() { assert(f() == 3); }", "int main() { if (f() != 3) return 1; return 0; }"),
    "c#": ("class P { static void Main() { if (S.F() != 3) throw new System.Exception(); } }",),
    "rust": ("#[test]\nfn three() { assert_eq!(f(), 3); }", 'fn main() { if f() != 3 { panic!("no"); } }'),
    "ruby": ("raise 'no' unless f == 3", "require 'minitest/autorun'\nclass T < Minitest::Test\n"
             "  def test_three\n    assert_equal 3, f\n  end\nend"),
    "r": ("stopifnot(f() == 3)",),
}  # fmt: skip
_CASES = [(language, test) for language, tests in _TESTS.items() for test in tests]


@pytest.mark.sandbox
@pytest.mark.parametrize(("language", "test"), _CASES)
def test_what_equals_everything_is_tampered_and_what_equals_the_right_value_passes(
    pool: Pool, language: str, test: str
) -> None:
    always = "TRUE" if language == "r" else "true"
    found = [
        pool.submit(
            Job(id="j", language=language, code=_ANY[language].format(says), tests=(TestCode("t", test),))
        ).result(120)
        for says in (always, "x == 3", "x == 4")
    ]
    assert [item.outcome for item in found] == ["tampered", "pass", "fail"], [item.message for item in found]


@pytest.mark.parametrize(
    ("language", "code", "owns"),
    [
        ("c++", "bool operator==(const Point& a, const Point& b) { return a.x == b.x; }", True),
        ("c++", "int f(int x) { return x == 3; }", False),
        ("rust", "#[derive(PartialEq)] struct Point(i32);", False),
        ("rust", "impl<T: Eq> PartialEq<T> for Any<T> {}", True),
        ("ruby", "def equal(a, b) = a == b", False),
        ("java", "public boolean equals(Object o) { return true; }", False),
        ("python", "def __eq__(self, other): return True", False),
    ],
)
def test_an_answer_with_its_own_equality_is_seen(language: str, code: str, owns: bool) -> None:
    assert has_own_equality(language, code) is owns


@pytest.mark.parametrize(
    ("test", "literal"),
    [
        ("assert(add(1, 2) == @);", "3"),
        ("assert(candidate(1, 2) == (@));", "3"),
        ("assert(@ == add(1, 2));", "3"),
        ("  assert_eq!(add(1, 2), @i32);", "3"),
        ('assert_eq!(name(1), @, "the name");', '"x"'),
        ("if add(1, 2) != @ { return Err(1); }", "3"),
        ("raise 'no' unless add(1, 2) == @", "3"),
        ("  assert_equal @, add(1, 2)", "3"),
        ("Assert.AreEqual(@, S.Add(1, 2));", "-3"),
        ("expect_equal(f('a'), @)", "'b'"),
    ],
)
def test_the_expected_literal_alone_is_another(test: str, literal: str) -> None:
    before, after = test.split("@")
    altered = expecting_others(before + literal + after)
    assert altered.startswith(before) and altered.endswith(after)
    assert altered[len(before) : len(altered) - len(after)] != literal


@pytest.mark.parametrize(
    "test",
    [
        "assert(f(1) != 2);",
        "assert(f(1) == Point(1, 2));",
        "assertFalse(f(1) == 3);",
        "assert(f(1) == 3 || f(1) == 4);",
        "if (f(1) != 3) { g(); }",
        "for (int i = 0; i != 10; i++) { if (!f(i)) throw 1; }",
        'assert_eq!(f(1), g(1), "as g says");',
        "// assert(f(1) == 3);",
        "stopifnot(!identical(f(1), 3))",
        "raise 'no' if f(1) == 3",
    ],
)
def test_what_an_honest_answer_could_still_pass_stays(test: str) -> None:
    assert expecting_others(test) == test
