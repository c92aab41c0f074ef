"""Answers in other languages under which tests pass that expect other values: they are tampered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.sandbox import Job, Pool, TestCode
from annotator.sandbox.programs.altered_programs import alter_expected_values, compare_strictly

_ANY = {
    "c++": "struct Any {{ bool operator==(int x) const {{ return {0}; }}\n"
    "bool operator!=(int x) const {{ return !({0}); }} }};\n"
    "Any f() {{ return {{}}; }}",
    "c#": "class Any {{ public static bool operator ==(Any a, int x) {{ return {0}; }}\n"
    "public static bool operator !=(Any a, int x) {{ return !({0}); }} }}\n"
    "class S {{ public static Any F() {{ return new Any(); }} }}",
    "java": "class S {{ static S f() {{ return new S(); }}\n"
    "public boolean equals(Object o) {{ int x = (Integer) o; return {0}; }} }}",
    "rust": "#[derive(Debug)] struct Any;\n"
    "impl PartialEq<i32> for Any {{ fn eq(&self, x: &i32) -> bool {{ let x = *x; {0} }} }}\n"
    "fn f() -> Any {{ Any }}",
    "ruby": "class Any; def ==(x) {0} end; def !=(x) !({0}) end; end\ndef f() Any.new end",
    "r": "f <- function() structure(1, class = 'any')\nOps.any <- function(e1, e2) {{ x <- unclass(e2); {0} }}",
}
_TESTS = {
    "c++": ("#include <cassert>\nint main() { assert(f() == 3); }", "int main() { if (f() != 3) return 1; return 0; }"),
    "c#": ("class P { static void Main() { if (S.F() != 3) throw new System.Exception(); } }",),
    "java": ("class M { public static void main(String[] a) { if (!S.f().equals(3)) throw new Error(); } }",),
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


_CODE = {
    "c++": "int f(int x) { return 3; }\nint add(int a, int b) { return a + b; }\nint n::two(int x) { return 2; }",
    "rust": "struct P { x: i32 }\nfn f(x: i32) -> i32 { 3 }\nfn add(a: i32, b: i32) {}\nfn name(i: i32) {}",
    "ruby": "def f(x)\n  3\nend\ndef add(a, b) = a + b",
    "c#": "class S { public static int Add(int a, int b) { return a + b; } }",
    "r": "f <- function(x) 3\nadd <- function(a, b) a + b",
    "javascript": "function f(x) { return 3 }\nconst g = (a) => a\nconst isFalsy = (a) => !a",
    "typescript": "function f(x: number) { return 3 }",
    "go": "func f(x int) int { return 3 }",
    "c": "char *s(int x) { return 0; }",
    "java": "class S { static int f(int x) { return 3; } boolean isOk(int x) { return true; } }",
    "php": "function f($x) { return 3; }",
    "bash": "f() { echo 3; }",
}
_EXPECTING = [
    ("c++", "assert(add(1, 2) == 3);"),
    ("c++", "assert(2 == n::two(2));"),
    ("c++", "EXPECT_EQ(add(1, 2), 3);"),
    ("c++", "if (f(1) != 3) return 1;"),
    ("c++", "if (other() && f(1) != 3) return 1;"),
    ("c++", "assert(abs(f(2) - 3.5) < 1e-6);"),
    ("c++", 'assert(strcmp(f(1), "b") == 0);'),
    ("c++", "auto v = f(1); auto w = 3; if (!(compare(v, w))) { throw 1; }"),
    ("rust", "assert_eq!(add(1, 2), 3i32);"),
    ("rust", 'assert_eq!(name(1), "x", "the name");'),
    ("rust", "if add(1, 2) != 3 { return Err(1); }"),
    ("rust", "assert_eq!(f(1), Some(P { x: 3 }));"),
    ("rust", "assert!(add(1, 2) == 3 && f(1) < 4);"),
    ("rust", 'assert_eq!(f(1), "3".parse::<i32>().unwrap());'),
    ("rust", "assert_eq!(f(1), 3 + Vec::<Vec<i32>>::new().len() as i32);"),
    ("c++", "assert(f(1) == 3 + vector<pair<int, int>>{}.size());"),
    ("java", "assertEquals(3 + new HashMap<String, List<Integer>>().size(), S.f(1));"),
    ("c#", "Assert.AreEqual(3 + new List<int>().Count, S.Add(1, 2));"),
    ("ruby", "raise 'no' unless add(1, 2) == 3"),
    ("ruby", "  assert_equal 3, add(1, 2)"),
    ("ruby", "expect(f(1)).to eq 3"),
    ("ruby", "expect(f(1)).to eq('x')"),
    ("c#", "Assert.AreEqual(-3, S.Add(1, 2));"),
    ("c#", "Assert.That(S.Add(1, 2), Is.EqualTo(3));"),
    ("r", "expect_equal(f('a'), 'b')"),
    ("r", "stopifnot(identical(f(1), c(1, 2)))"),
    ("javascript", "expect(f(1)).toBe(true)"),
    ("javascript", "assert.deepStrictEqual(f([1]), {a: 1})"),
    ("javascript", "test('adds', async () => { expect(await f(1)).toEqual([1, 2]) })"),
    ("javascript", "const x = f(1)\nif (x !== 3) throw new Error('no')"),
    ("go", 'if got := f(1); got != 3 { t.Errorf("f = %d", got) }'),
    ("go", 'assert.Equal(t, "NO", f(1))'),
    ("go", 'got := f(1)\nwant := 3\nif got != want { t.Fatal("no") }'),
    ("go", "if got := f(1); !reflect.DeepEqual(got, []int{1, 2}) { t.Fail() }"),
    ("java", 'assertEquals("message", 3, S.f(1));'),
    ("java", "assertEquals(3.5, S.f(1), 0.001);"),
    ("java", "assertThat(S.f(1)).isEqualTo(3);"),
    ("java", 'List<Boolean> correct = Arrays.asList(S.f(1).equals("x"), S.f(2) == 4);'),
    ("php", "assert(f('x') === -3.5);"),
    ("php", "$this->assertSame(['a' => 1], f(1));"),
    ("bash", '[ "$(f 1 2)" = 3 ]'),
    ("bash", "diff <(f 1) <(echo 3)"),
    ("bash", "f 1 2 2>&1 | grep -q '3'"),
    ("bash", "f < in.txt | grep -q '^3$'"),
    ("bash", 'if ! f 1 2 2>&1 | grep -q "3"; then exit 1; fi'),
    ("bash", 'f 1 2 | grep -q "^3$"'),
    ("bash", 'grep -q "^3$" <<< "$(f 1)"'),
    ("bash", 'f <<< "abc" | grep -q "^3$"'),
    ("bash", 'r=$(f 1)\nif [ "$r" != "3" ]; then exit 1; fi'),
    ("c", 'assert(!strcmp(s(1), "b"));'),
    ("c", 'if (strcmp(s(1), "b")) exit(1);'),
    ("go", "if !(f(1) == 3) { t.Fatal() }"),
    ("go", "switch got := f(1); {\ncase got != 3:\n\tt.Fatal()\n}"),
    ("go", "if todo := f(1); todo != 3 { t.Fatal() }"),
    ("ruby", "todo = f(1)\nassert_equal 3, todo.size"),
    (
        "go",
        "cases := []struct {\n\tin, want int\n}{{1, 3}}\nfor _, c := range cases { if f(c.in) != c.want { t.Fail() } }",
    ),
    ("javascript", "const cases = [{ a: 1, e: 3 }]\ncases.forEach(c => { expect(f(c.a)).toBe(c.e) })"),
    ("typescript", "expect(f(1)).toEqual({ a: 1 })"),
    ("typescript", "test.each([[1, 3], [2, 4]])('%i', (a: number, e: number) => { expect(f(a)).toBe(e) })"),
    ("c++", "std::vector<int> e{1, 2}; assert(add(1, 2) == e);"),
    ("c++", "int e[] = {1, 2}; assert(add(1, 2) == e[0]);"),
    ("rust", "assert!((f(1) - 3.5).abs() < 1e-6);"),
    ("c++", "const std::vector<int> e{2}; const auto found{add(1, 2)}; REQUIRE(e == found);"),
    ("go", "var want int64 = 9\nif f(1) != want { t.Fail() }"),
    ("java", "S expected = new S(3); assertEquals(expected, S.f(1));"),
    ("php", "assert(in_array(f(1), [3, 4]));"),
    ("r", "expect_equal(f(1), 3, tolerance = 0.1)"),
]
_TELLING_NOTHING = [
    ("php", "$this->assertEqualsWithDelta($want, f(1), 1e-6);"),
    ("bash", 'assert_true() { "$@" || exit 1; }\nassert_true f 1'),
    ("c++", "assert(f(1) != 2);"),
    ("java", "assertNotEquals(3, S.f(1));"),
    ("rust", "assert!(f(1) - 2 / 3 < 0.1);"),
    ("c++", "#ifdef MORE\nassert(f(1) == 3);\n#endif"),
    ("javascript", "let x = f(1)\ntest.each([[1, 2]])('', (x, y) => { expect(f(x, y)).toEqual({}) })"),
    ("r", "stopifnot(!identical(f(1), 3))"),
    ("ruby", "raise 'no' if f(1) == 3"),
    ("javascript", "expect(f(1)).not.toBe(3)"),
    ("javascript", "console.assert(f(1), 'one')"),
    ("javascript", "for (let i = 0; i < 10; i++) { expect(f(i)).toBe(i * i) }"),
    ("go", 't.Logf("f = %d", f(1))'),
    ("bash", "f 1 2"),
    ("rust", "assert!((f(1) + 3) > 2);"),
    ("javascript", "function f(x) { return 3 }\nassert.equal(f(1), 3)"),
    ("c++", 'SHOW(add)\nTEST_CASE("adds", "[one]") { REQUIRE(add(1, 2) == expected); }'),
    ("bash", 'test "$(f 1)" -ge 3'),
    ("rust", "assert!(f(1)<4);"),
    ("c++", "assert(limit<f(1) && f(1)>2);"),
    ("bash", 'f <<< "abc" | grep -q "$expected"'),
    ("rust", 'assert_eq!(f(1), expected, "case {}", 3);'),
    ("rust", 'f(1).expect("a number");'),
    ("rust", 'assert_eq!(f(1).expect("a number"), f(2).expect("another"));'),
    ("java", 'int e = g(); assertEquals(e, S.f(1), "one"); assertEquals("two", e, S.f(2));'),
    ("java", "S a = new S(1); assertEquals(a, a);"),
    ("java", "S a = new S(1); S b = a.copy(); assertEquals(a, b);"),
    ("java", "assertEquals(S.f(-1), S.f(1));"),
    ("go", 'assert.Equal(t, c.want, f(c.in), "case %d", 3)'),
    ("javascript", "assert.notEqual(f(1), 3)"),
    ("javascript", "const notFound = -1; assert(f(g) !== notFound)"),
    ("javascript", "const notFound = f(g); assert(notFound !== 3)"),
    ("c++", "assert(f(1) != 3 || f(2) == 4);"),
    ("c++", "assert(f(1) == 3 || other());"),
    ("c++", "if (f(1) != 3 && !other()) throw 1;"),
    ("c++", "if (auto r = f(1)) throw 1;"),
    ("java", "assertThrows(E.class, () -> { assertTrue(s.isOk(7)); });"),
    ("java", 'try { assertTrue(s.isOk(7)); fail("no"); } catch (E e) { }'),
    ("java", "@Test(expected = E.class) public void t() { assertTrue(s.isOk(7)); }"),
    ("ruby", "assert_raises(E) { assert f(7) }"),
    ("javascript", "const a = [1, 2]; const b = f(a.slice()); assert.deepEqual(b.sort(), a)"),
    ("c++", 'assert(f(1).find("z") == std::string::npos);'),
    ("r", 'stopifnot("it is true" = f(1))'),
    ("bash", "f 1 | grep -q 'no' && exit 1"),
    ("bash", "f 1 | grep -qv 'no' || exit 1"),
    ("bash", """[ -z "$(f 1 | grep 'no')" ] || exit 1"""),
]
_JUNIT = "import org.junit.jupiter.api.*;\nclass T {{ {} }}"
_ASSERTS = "{ assertEquals(3, S.f(1)); }"
_SKIPPED = [
    ("java", _JUNIT.format(f'@Test @Disabled("later") void three() {_ASSERTS}')),
    ("java", _JUNIT.format(f"@Nested @Disabled class More {{ @Test void three() {_ASSERTS} }}")),
    ("java", f"import org.junit.Ignore;\n@Ignore public class T {{ @Test public void three() {_ASSERTS} }}"),
    ("rust", '#[test]\nfn one() { f(1); }\n#[test]\n#[ignore = "slow"]\nfn three() { assert_eq!(f(1), 3); }'),
    ("javascript", "describe('f', () => { test.skip('three', () => { expect(f(1)).toBe(3) }) })"),
    ("javascript", "describe.skip('f', () => { it('three', () => { expect(f(1)).toBe(3) }) })"),
    ("javascript", "xdescribe('f', () => { it('three', () => { expect(f(1)).toBe(3) }) })"),
    ("javascript", "const { it } = require('node:test');\nit.todo('three', () => { expect(f(1)).toBe(3) })"),
    ("typescript", "xit('three', function () { expect(f(1)).toBe(3) })\nxtest('four', () => {})"),
]
"""Tests that are marked as skipped."""
_STILL_RUN = [
    ("java", _JUNIT.format("@Test void three() { assertEquals(3, Stream.of(1, S.f(1)).skip(1).findFirst().get()); }")),
    ("java", _JUNIT.format(f"@Test void disabled() {_ASSERTS} @Disabled @Test void other() {{ }}")),
    ("java", _JUNIT.format(f"@Disabled int no = 1; @Test void three() {_ASSERTS}")),
    ("java", _JUNIT.format(f"@DisabledOnOs(OS.AIX) @Test void three() {_ASSERTS}")),
    ("rust", "#[test]\nfn three() { assert_eq!(vec![1, f(1)].iter().skip(1).next(), Some(&3)); }"),
    ("rust", "#[ignore]\nfn test_three() { assert_eq!(f(1), 3); }"),
    ("rust", "#[test]\nfn ignore() { assert_eq!(f(1), 3); }\n#[test]\n#[ignore]\nfn other() { }"),
    ("rust", "#[test]\n#[ignore]\nfn a() -> Result<(), i32> { g(1) }\n#[test]\nfn b() { assert_eq!(f(1), 3); }"),
    ("rust", "#[test]\n// #[ignore]\nfn three() { assert_eq!(f(1), 3); }\n#[test]\nfn other() { }"),
    ("javascript", "const todo = 1; it('three', () => { expect(f(todo)).toBe(3) })"),
    ("javascript", "it('three', function () { if (!f) this.skip(); expect(f(1)).toBe(3) })"),
    ("javascript", "it.skip('later', () => {}); it('three', () => { expect(f(1)).toBe(3) })"),
    ("javascript", "const it = [1, 2].values(); it.skip('x', 1); expect(f(1)).toBe(3)"),
    ("javascript", "it.skip('later', () => {}).then(() => {}); expect(f(1)).toBe(3)"),
    ("javascript", "function ignore(x) { return x }\nexpect(ignore(f(1))).toBe(3)"),
]
"""Tests that run, though they hold words like those marks, or marks that nothing heeds."""


@pytest.mark.parametrize(("language", "test"), [*_EXPECTING, *_STILL_RUN])
def test_what_a_test_expects_is_another_value_in_the_control(language: str, test: str) -> None:
    assert alter_expected_values(language, _CODE[language], test) != test


@pytest.mark.parametrize(("language", "test"), [*_TELLING_NOTHING, *_SKIPPED])
def test_what_an_honest_answer_could_still_pass_stays(language: str, test: str) -> None:
    assert alter_expected_values(language, _CODE[language], test) == test


@pytest.mark.parametrize(
    ("language", "code", "test", "kept"),
    [
        ("c++", "int add(int a, int b) { return 3; }", "assert(add(1, 2) == 3);", "add(1, 2)"),
        (
            "java",
            "class V { V(int x) {} V plus(V o) {} }",
            "assertEquals(new V(3), new V(1).plus(new V(2)));",
            "new V(1)",
        ),
        ("javascript", "function f(x) {}", "const a = 4\nconst v = 3\nassert(compare(f(a), v))", "const a = 4"),
        (
            "javascript",
            "function f(x) {}",
            "require('node:assert').equal(f(1), 3)",
            "require('node:assert').equal(f(1), ",
        ),
        ("php", "function swap(&$a) {}", "$x = ['a' => 1]; swap($x); assert($x == [1 => 'a']);", "$x = ['a' => 1]"),
        ("bash", "grep() { :; }\nadd() { echo 0; }", "add 1 2 | grep -q '^3$'", "add 1 2"),
        ("c", "int strcmp(char *a, char *b) {}\nchar *f(char *s) {}", 'assert(strcmp(f("a"), "b") == 0);', 'f("a")'),
        ("c", "int strcasecmp(char *a, char *b) {}", 'assert(strcasecmp("a", "A") == 0);', 'strcasecmp("a", "A")'),
        ("bash", "f() { echo 3; }", 'r=$(f)\necho "$r" 2>&1 | grep -q "^3$"', '"$r" 2>&1'),
        (
            "java",
            "record V(int x) {} class S { static List<V> f(List<V> vs) {} }",
            "assertEquals(List.of(new V(1), new V(2)), S.f(List.of(new V(2), new V(1))));",
            "S.f(List.of(new V(2), new V(1)))",
        ),
    ],
)
def test_what_is_given_to_the_answer_stays(language: str, code: str, test: str, kept: str) -> None:
    altered = alter_expected_values(language, code, test)
    assert altered != test
    assert kept in altered


@pytest.mark.parametrize(
    ("language", "test", "altered"),
    [
        ("java", 'assertThat(S.f(1)).as("one").isTrue();', 'assertThat(!(S.f(1))).as("one").isTrue();'),
        ("java", 'assertTrue("seven", s.isOk(7));', 'assertTrue("seven", !(s.isOk(7)));'),
        ("java", 'assert s.isOk(7) : "seven";', 'assert !(s.isOk(7)) : "seven";'),
        ("r", "test_that('x', { expect_false(f(1)) })", "test_that('x', { expect_false(!(f(1))) })"),
        ("go", "require.True(t, f(1))", "require.True(t, !(f(1)))"),
        ("rust", 'assert!(f(1), "one");', 'assert!(!(f(1)), "one");'),
        ("c++", "REQUIRE(f(f(1)));", "REQUIRE(!(f(f(1))));"),
        ("c++", "if (!f(1)) throw 1;", "if (!(!f(1))) throw 1;"),
        ("go", "if ok := f(1); !ok { t.Fatal() }", "if ok := f(1); !(!ok) { t.Fatal() }"),
        ("go", "if !Equal(f(1), f(2)) { t.Fail() }", "if !(!Equal(f(1), f(2))) { t.Fail() }"),
        ("c", "assert(s(1) == s(2));", "assert(!(s(1) == s(2)));"),
        ("ruby", "assert f(f(1)), 'one'", "assert !(f(f(1))), 'one'"),
        ("java", "assertFalse(S.f(1) == 3);", "assertFalse(!(S.f(1) == 3));"),
        (
            "java",
            "assertTrue(S.f(1).overlaps(new S(0, 10)));",
            "assertTrue(!(S.f(1).overlaps(new S(0, 10))));",
        ),
        # What is joined by "or" is negated as a whole.
        ("rust", "assert!(f(1) || f(2));", "assert!(!(f(1) || f(2)));"),
        ("java", "assert (s.isOk(1)) || s.isOk(2);", "assert !((s.isOk(1)) || s.isOk(2));"),
        # With the outer condition negated, the inner one would not be reached.
        (
            "go",
            "if r := f(1); r != nil { if !Equal(r, f(2)) { t.Errorf() } }",
            "if r := f(1); r != nil { if !(!Equal(r, f(2))) { t.Errorf() } }",
        ),
        (
            "go",
            "r := f(1)\nif r == nil { return } else if r != w { t.Fatal() }",
            "r := f(1)\nif r == nil { return } else if !(r != w) { t.Fatal() }",
        ),
        # Only calls expect an exception, no names of tests.
        (
            "java",
            "class RaiseTest { void throwsNothing() { assertTrue(s.isOk(7)); } }",
            "class RaiseTest { void throwsNothing() { assertTrue(!(s.isOk(7))); } }",
        ),
        # These do not fail a test.
        (
            "go",
            "_, e := f(1)\nif e != nil { m = e.Error() }\nif e != w { t.Fail() }",
            "_, e := f(1)\nif e != nil { m = e.Error() }\nif !(e != w) { t.Fail() }",
        ),
        (
            "javascript",
            "const r = f(1); if (r.runs()) { r.stop() }\nassert(r)",
            "const r = f(1); if (r.runs()) { r.stop() }\nassert(!(r))",
        ),
        # Names of the answer's own functions are no checks.
        ("java", "if (!s.isOk(S.f(1))) fail();", "if (!(!s.isOk(S.f(1)))) fail();"),
        ("javascript", "const r = f(1); assert(isFalsy(g(r)))", "const r = f(1); assert(!(isFalsy(g(r))))"),
        # A name defined in the condition would be unknown after it.
        ("rust", "if let Some(x) = f(1) { panic!() }\nassert!(f(2));",
         "if let Some(x) = f(1) { panic!() }\nassert!(!(f(2)));"),
    ],
)  # fmt: skip
def test_where_no_value_is_expected_results_checked_for_truth_are_negated(
    language: str, test: str, altered: str
) -> None:
    assert alter_expected_values(language, _CODE[language], test) == altered


@pytest.mark.parametrize(
    ("language", "code", "test", "expected"),
    [
        ("java", "class V { V f() {} public boolean equals(Object o) {} }", "assertTrue(V.f().equals(VALUE));", "9"),
        ("java", "class V { V f() {} boolean equals(Object o) {} }", "assertTrue(V.f().equals(new V(VALUE)));", "9"),
        ("rust", "struct P { x: i32 }\nfn f() -> P {}", "let e = P { x: VALUE };\nassert_eq!(f(), e);", "9"),
        ("bash", "f() { :; }", 'assert_eq VALUE "$(f 1)"\nx=1', "9"),
        ("java", "class S { static Integer f() {} }", "assertEquals(0, S.f().compareTo(VALUE));", "9"),
        ("java", "class S { static Integer f() {} }", "assertEquals(VALUE, S.f().equals(9));", "false"),
        ("java", "class S { static int[] f() {} }", "assertEquals(VALUE, Arrays.equals(S.f(), e));", "false"),
        ("r", "f <- function() 3\nidentical <- function(...) TRUE", "stopifnot(identical(f(), VALUE))", "9"),
        ("rust", "fn f() -> Vec<i32> {}", "assert_eq!(f().iter().skip(1).next(), Some(&VALUE));", "9"),
        ("rust", "fn f() -> i32 {}", "assert!(f().pow(2) == VALUE);", "9"),
        ("c", "int f(void) {}", "return f() == VALUE ? 0 : 1;", "9"),
        ("ruby", "def f() = 1.5", "assert_in_delta VALUE, f, 0.01", "9.5"),
        ("javascript", "function f() {}", "const t = [[1, VALUE]]\nit.each(t)('', (a, e) => equal(f(a), e))", "9"),
        (
            "go",
            "func f() { }\nvar E = 1",
            "t := []T{{a: 1, b: VALUE, c: E}}\nfor _, c := range t { check(f(c.a) == c.b) }",
            "9",
        ),
        (
            "go",
            "type P struct { X int }\nfunc f(p P) P { }",
            "t := []T{{a: P{1}, b: P{VALUE}}}\nfor _, c := range t { check(f(c.a) == c.b) }",
            "9",
        ),
        (
            "go",
            "type P struct { X int }\nfunc f(p int) ([]P, error) { }",
            "t := []struct{a int; c []P; d error}{{a: 1, c: []P{{VALUE}}}, {a: 2, d: E}}\n"
            "for _, x := range t { r, d := f(x.a); check(d, x.d); if !Equal(r, x.c) { t.Fail() } }",
            "9",
        ),
        (
            "go",
            "func f(x []int) []int { sort.Slice(x, func(i, j int) bool { return x[i] < x[j] }) }",
            "t := []T{{a: []int{1}, b: []bool{VALUE}}}\nfor _, c := range t { check(f(c.a) == c.b) }",
            "true",
        ),
        (
            "javascript",
            "const f = (x) => x",
            "it('1', () => { const e = VALUE; expect(f(1)).toBe(e) })\nxit('2', () => { const e = 2; check(f(2), e) })",
            "9",
        ),
        ("java", "class R { String get() {} }", "r = new R(1);\nassertThat(r.get()).isEqualTo(VALUE);", '"I"'),
        (
            "javascript",
            "JSON.stringify = () => 'x'\nfunction f(n) { }",
            "if (JSON.stringify(f(2)) !== JSON.stringify([VALUE])) { throw 1; }",
            "9",
        ),
        ("javascript", "const f = (x) => x", "it.each([[1, VALUE]])('', (a, e) => expect(f(a)).toBe(e))", "9"),
        ("ruby", "def f() = 1.5", "assert_in_delta VALUE, f, 0.5", "9.5"),
        ("java", "class S { static double f() {} }", "assertEquals(VALUE, S.f(), 0.5);", "9.5"),
        ("javascript", "const f = () => 'a'", "expect(f('a').indexOf('q')).toBe(-VALUE)", "1"),
        ("java", "class S { static int f() {} }", "assertThat(S.f().get(0)).isEqualTo(VALUE);", "9"),
        ("java", "class S { int v; }", "S s = new S(1) { };\nassertEquals(VALUE, s.v);", "9"),
        ("c#", "class P { int Y; }", "var p = new P(1) { Z = 2 }; if (p.Y != VALUE) throw new E();", "9"),
        ("c#", "class S { static int F() {} }", "var r = S.F() switch { _ => 3 }; Equal(VALUE, S.F());", "9"),
        ("c++", "struct S { int top; };", "struct S s(3); assert(s.top == VALUE);", "9"),
        ("rust", "fn f() {}", "let r = match f() { Ok(v) => v, Err(_) => panic!() }; assert_eq!(r, VALUE);", "9"),
        ("rust", "fn f() {}", "let Ok(r) = f() else { panic!() }; assert_eq!(r, VALUE);", "9"),
        ("ruby", "def f(x) = yield(x)", "assert_equal VALUE, f(3) { |x| x * 2 }", "9"),
        ("ruby", "def f(x) = yield(x)", "raise 'no' unless f(3) { |x| x * 2 } == VALUE", "9"),
        ("bash", "f() { :; }", """[ "$(f 1 | grep -c 'no')" -eq VALUE ]""", "0"),
    ],
)
def test_the_other_side_of_a_comparison_is_changed_and_what_belongs_to_the_result_stays(
    language: str, code: str, test: str, expected: str
) -> None:
    before, after = test.split("VALUE")
    altered = alter_expected_values(language, code, test.replace("VALUE", expected))
    assert altered.startswith(before)
    assert altered.endswith(after)
    assert altered[len(before) : len(altered) - len(after)] != expected


@pytest.mark.parametrize(
    ("language", "code", "test", "part"),
    [
        ("rust", "fn f() {}", r'assert_eq!(f(), "\x7F");', r"\x7F"),
        ("c#", "class S { static string F() {} }", 'Equal($"a {n1} b", S.F());', "{n1}"),
        ("ruby", "def f = 3", 'assert_equal "a #{n} b", f', "#{n}"),
        ("php", "function f() {}", "$e = <<<END\na\nEND;\nassert(f() === $e);", "\nEND;"),
        ("c", "char *f(void) {}", r'assert(strcmp(f(), "a \"b\"") == 0);', r"b\""),
        ("ruby", "def f = 3", "assert_equal [%w[a b]], f\nassert_operator f, :>, 9", "]], f\nassert_operator f, :>,"),
        ("javascript", "const f = () => 3", "assert.equal(f(), `${n} b`)", "${n}"),
    ],
)
def test_escapes_and_variables_in_texts_stay(language: str, code: str, test: str, part: str) -> None:
    altered = alter_expected_values(language, code, test)
    assert altered != test and part in altered


def test_what_is_read_as_a_date_or_number_is_another_one() -> None:
    assert "40 UTC" not in alter_expected_values("ruby", "def f = 1", "assert_equal Time.parse('01:46:40 UTC'), f")
    assert alter_expected_values("c", "int f(void) {}", "assert(f() == -5);")[15:-2].isdecimal()


def test_all_values_of_variables_that_tests_name_alike_are_expected() -> None:
    test = "it('1', () => { const e = 3; check(f(1), e) })\nit('2', () => { const e = 4; check(f(2), e) })"
    altered = alter_expected_values("javascript", "const f = (x) => x + 2", test)
    assert "e = 3;" not in altered and "e = 4;" not in altered, altered


@pytest.mark.parametrize("far", [10**9, -(10**9)])
def test_far_values_lie_on_the_same_side_also_of_negative_numbers(far: int) -> None:
    altered = alter_expected_values("javascript", "const f = () => 1", "check([9, -9], f())", far=far)
    numbers = altered.removeprefix("check([").removesuffix("], f())").replace("- -", "").split(",")
    assert all(abs(int(number) - far) < 100 for number in numbers), altered


_WITH_BOUNDS = [
    ("javascript", "const f = (x) => 300 * x", "test('f', () => { expect(f(1)).toBeGreaterThan(1) })"),
    ("javascript", "const f = (x) => -300 * x", "test('f', () => { expect(f(1)).toBeLessThan(-1) })"),
    (
        "java",
        "class S { static double f(double x) { return x / 2; } }",
        "class M { static void checkNear(double delta, double value, double found) {\n"
        "if (Math.abs(value - found) > delta) throw new Error(); }\n"
        "public static void main(String[] a) { checkNear(500.0, 4.0, S.f(8)); } }",
    ),
    ("rust", "fn f(x: i32) -> i32 { 300 * x }", "#[test]\nfn bounds() { assert!((1..1000).contains(&f(1))); }"),
    (
        "r",
        "f <- function(x) 300 * x",
        "check_near <- function(found, value, by) stopifnot(abs(found - value) <= by)\ncheck_near(f(1), 298, 500)",
    ),
    ("php", "function f($x) { return 300 * $x; }", "assert(in_array(f(1), range(1, 1000)));"),
    (
        "c++",
        "struct Any { bool operator==(long other) const { return other > -9999 && other < 9999; } };\n"
        "Any f(int x) { return Any(); }",
        "#include <cassert>\nint main() { assert(f(1) == 3L); }",
    ),
]


_COMPARE = (
    "function compare($x, $y) {{ return {}; }}\n"
    "if (!compare(product([12, 74]), '888')) {{ throw new \\Exception('no'); }}"
)
_ALWAYS_EQUAL = [
    # Loosely, true equals every text and number: a published PHP solution passes its tests so.
    ("php", "function product($a) { return true; }", _COMPARE.format("$x == $y"), "disputed", "types are compared"),
    ("php", "namespace App;\nfunction product($a) { return '8'; }\nfunction strcmp($x, $y) { return 0; }",
     _COMPARE.format("strcmp($x, $y) == 0"), "tampered", "the tests passed with other expected values too"),
    # Another check states a value.
    ("java", "class N { int v = 7; N(int v) { }\nstatic N f() { return new N(1); }\n"
     "public boolean equals(Object o) { return true; } }",
     "class M { static void equal(Object a, Object b) { if (!a.equals(b)) throw new Error(); }\n"
     "public static void main(String[] a) { equal(7, N.f().v); equal(new N(3), N.f()); } }",
     "disputed", "expected objects of its own types"),
]  # fmt: skip


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("language", "code", "test", "outcome", "message"),
    [*_ALWAYS_EQUAL, *((*case, "disputed", "only with distant ones") for case in _WITH_BOUNDS)],
)
def test_what_passes_with_other_values_gets_an_outcome_and_its_reason(
    pool: Pool, language: str, code: str, test: str, outcome: str, message: str
) -> None:
    result = pool.submit(Job(id="j", language=language, code=code, tests=(TestCode("t", test),))).result(120)
    assert result.outcome == outcome and message in result.message, result.message


def test_types_are_compared_where_php_converts_them() -> None:
    test = 'if (f(1) != 3 || f(2) <> 4) { fail("a == b"); }\n$this->assertEquals(3, f(1) === 4);'
    strict = 'if (f(1) !== 3 || f(2) !== 4) { fail("a == b"); }\n$this->assertSame(3, f(1) === 4);'
    assert compare_strictly("php", test) == strict and compare_strictly("c", test) == test


@given(st.sampled_from(sorted(_CODE)), st.text(max_size=80))
def test_any_text_is_read(language: str, text: str) -> None:
    alter_expected_values(language, text, text)
