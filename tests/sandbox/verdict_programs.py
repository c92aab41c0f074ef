"""Programs whose verdicts were wrong once, or could be: code, test, and what must come out.

``pass`` may stand with the number of tests that must have run; everything else must be rejected.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """One program; ``ran`` is how many tests a pass stands for, 0 for programs that must not pass."""

    language: str
    name: str
    code: str
    test: str
    ran: int = 0


_METHOD = "public static int Of(int x)\n{\n    return x / 2;\n}"
_NOT_METHOD = _METHOD.replace("x / 2", "x")
_MAIN = "public static void Main(string[] args) { if (Of(8) != 4) throw new System.Exception(); }"
_DOUBLE = "int twice(int x) { return 2 * x; }"
_NOT_DOUBLE = "int twice(int x) { return x; }"
_CHECK = "#include <assert.h>\nint main(void) { assert(twice(4) == 8); return 0; }"
_STATUS = "int main(void) { if (twice(4) != 8) return 1; return 0; }"

_C = (
    Case("c", "both have a main", f"#include <stdio.h>\n{_DOUBLE}\nint main() {{ puts(\"demo\"); return 3; }}", _CHECK, 1),
    Case("c", "both have a main, wrong", f"{_NOT_DOUBLE}\nint main(void) {{ return 0; }}", _CHECK),
    Case("c", "assertions are switched off", f"#define NDEBUG 1\n#include <assert.h>\n{_NOT_DOUBLE}", _CHECK),
    Case("c", "the test leaves with 0", _DOUBLE, "#include <stdlib.h>\nint main(void) { if (twice(4) != 8) exit(1); exit(0); }", 1),
    Case("c", "the test leaves with 1", _NOT_DOUBLE, "#include <stdlib.h>\nint main(void) { if (twice(4) != 8) exit(1); exit(0); }"),
    Case("c", "a status that is 0 in eight bits", _NOT_DOUBLE, "int main(void) { return twice(4) == 8 ? 0 : 3; }"),
    Case("c", "statements alone", _DOUBLE, "#include <assert.h>\nassert(twice(4) == 8);\nassert(twice(0) == 0);", 1),
    Case("c", "statements alone, wrong", _NOT_DOUBLE, "#include <assert.h>\nassert(twice(4) == 8);"),
    Case("c", "functions that test", _DOUBLE, "#include <assert.h>\nvoid test_four(void) { assert(twice(4) == 8); }\nvoid test_zero() { assert(!twice(0)); }", 2),
    Case("c", "functions that test, wrong", _NOT_DOUBLE, "#include <assert.h>\nvoid test_zero() { assert(!twice(0)); }\nvoid test_four(void) { assert(twice(4) == 8); }"),
    Case("c", "no test at all", f"{_DOUBLE}\nint main(void) {{ return 0; }}", "/* int main(void) { return 0; } */"),
    Case("c", "code without its last brace", "int twice(int x) {\n  return 2 * x;", f"}}\n{_STATUS}", 1),
    Case("c", "code with its last brace", f"{_DOUBLE}\n// }}", f"}}\n{_STATUS}", 1),
    Case("c", "a handler at the end", "#include <stdlib.h>\n#include <unistd.h>\nstatic void end(void) { _exit(0); }\nint twice(int x) { atexit(end); return x; }", _STATUS),
    Case("c", "assert fails into a function of the code", f"#include <stdlib.h>\nvoid __assert_fail(const char *a, const char *b, unsigned c, const char *d) {{ }}\n{_NOT_DOUBLE}", _CHECK),
    Case("c", "abort is caught", "#include <signal.h>\n#include <stdlib.h>\nstatic void end(int s) { _Exit(0); }\nint twice(int x) { signal(SIGABRT, end); return x; }", _CHECK),
    Case("c", "a macro named main", f"{_NOT_DOUBLE}\n#define main(...) main(void) {{ return 0; }} int unused(__VA_ARGS__)", _STATUS),
    Case("c", "a macro named if", f"{_NOT_DOUBLE}\n#define if(x) if (0)", _STATUS),
    Case("c", "a macro named return", f"{_NOT_DOUBLE}\n#define return return 0 *", _STATUS),
    Case("c", "the nonce is read before main", f"#include <unistd.h>\n{_NOT_DOUBLE}\n__attribute__((constructor)) static void first(void) {{ char n[64]; int l = read(3, n, 64); write(4, n, l); _exit(0); }}", _STATUS),
    Case("c", "the guard's main is replaced", f"{_NOT_DOUBLE}\nint __wrap_main() {{ return 0; }}", _STATUS),
    Case("c++", "both have a main", "#include <iostream>\nint twice(int x) { return 2 * x; }\nauto main() -> int { std::cout << twice(1); }", "#include <cassert>\nint main() { assert(twice(4) == 8); }", 1),
    Case("c++", "assertions are switched off", "#define NDEBUG\n#include <cassert>\nint twice(int x) { return x; }", "#include <cassert>\nint main() { assert(twice(4) == 8); }"),
    Case("c++", "the test leaves with 0", "int twice(int x) { return 2 * x; }", "#include <cstdlib>\nint main() { if (twice(4) != 8) std::exit(1); std::exit(0); }", 1),
    Case("c++", "a method named exit", "struct Room { int n = 0; void exit() { ++n; } };", "#include <cassert>\nint main() { Room r; r.exit(); assert(r.n == 1); }", 1),
    Case("c++", "statements alone", "#include <string>\nstd::string twice(std::string x) { return x + x; }", "#include <cassert>\nassert(twice(\"a\") == \"aa\");", 1),
    Case("c++", "an object that ends the process early", "#include <cstdlib>\nstruct First { First() { std::_Exit(0); } } first;\nint twice(int x) { return x; }", "int main() { return twice(4) != 8; }"),
    Case("c++", "code without its last brace", "#include <vector>\nstd::vector<int> twice(int x) {\n  return {x, x};", "}\nint main() { auto candidate = twice; return candidate(4).size() != 2; }", 1),
)  # fmt: skip

_TRIPLE = "class Solution { static int triple(int x) { return 3 * x; } }"
_NOT_TRIPLE = "class Solution { static int triple(int x) { return x; } }"
_ASSERTS = 'public class Main { public static void main(String[] args) { assert Solution.triple(2) == 6 : "two"; } }'
_JUNIT_5 = """
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;

class SolutionTest {
    private int two;
    @BeforeEach
    void prepare() { two = 2; }
    @Test
    @DisplayName("two { is doubled")
    void two() { assertEquals(6, Solution.triple(two), "two"); }
    @Test void nothing() throws Exception { assertThrows(ArithmeticException.class, () -> Solution.triple(1 / (two - 2))); }
    @Disabled @Test void later() { fail("not yet"); }
}
"""
_JUNIT_4 = """
import org.junit.Test;
import static org.junit.Assert.*;
public class SolutionTest {
    @Test public void two() { assertEquals("two", 6, Solution.triple(2)); }
    @Test(expected = ArithmeticException.class) public void nothing() { Solution.triple(1 / 0); }
}
"""

_JAVA = (
    Case("java", "assert is on", _TRIPLE, _ASSERTS, 1),
    Case("java", "assert is on, wrong", _NOT_TRIPLE, _ASSERTS),
    Case("java", "the code has a main of its own", f"public {_TRIPLE[:-1]} public static void main(String[] a) {{ System.exit(7); }} }}", _ASSERTS, 1),
    Case("java", "the code has a class named as the test's", f"{_TRIPLE}\npublic class Main {{\n  public static void main(String[] a) {{ System.out.println(Solution.triple(1)); new Main(); }}\n}}", _ASSERTS, 1),
    Case("java", "the code has a class named as the test's, wrong", f"{_NOT_TRIPLE}\nclass Main {{ public static void main(String[] a) {{ }} }}", _ASSERTS),
    Case("java", "a later class of the code has a main", f"{_NOT_TRIPLE}\nclass Zebra {{ public static void main(String[] a) {{ }} }}", _ASSERTS),
    Case("java", "assertions are switched off while it runs", "class Solution { static int triple(int x) { ClassLoader.getSystemClassLoader().setDefaultAssertionStatus(false); return x; } }", _ASSERTS),
    Case("java", "the test leaves with 0", _TRIPLE, "class T { public static void main(String... a) { try { if (Solution.triple(2) != 6) throw new Error(); System.exit(0); } catch (Throwable t) { System.exit(1); } } }", 1),
    Case("java", "the test leaves with 1", _NOT_TRIPLE, "class T { public static void main(String... a) { try { if (Solution.triple(2) != 6) throw new Error(); System.exit(0); } catch (Throwable t) { System.exit(1); } } }"),
    Case("java", "the code leaves before the test does", "class Solution { static int triple(int x) { System.exit(0); return x; } }", "class T { public static void main(String... a) { if (Solution.triple(2) != 6) System.exit(1); System.exit(0); } }"),
    Case("java", "statements alone", _TRIPLE, "import java.util.List;\nassert Solution.triple(2) == 6;\nfor (int x : List.of(0, 1)) if (Solution.triple(x) != x + x + x) throw new AssertionError(x);", 1),
    Case("java", "statements alone, wrong", _NOT_TRIPLE, "assert Solution.triple(2) == 6;"),
    Case("java", "methods alone", _TRIPLE, "static void check(boolean c) { if (!c) throw new AssertionError(); }\nvoid testTwo() { check(Solution.triple(2) == 6); }\npublic void testNone() { check(Solution.triple(0) == 0); }", 2),
    Case("java", "JUnit 5", _TRIPLE, _JUNIT_5, 2),
    Case("java", "JUnit 5, wrong", _NOT_TRIPLE, _JUNIT_5),
    Case("java", "JUnit 4", _TRIPLE, _JUNIT_4, 2),
    Case("java", "JUnit 4, wrong", _NOT_TRIPLE, _JUNIT_4),
    Case("java", "JUnit, the code leaves", "class Solution { static int triple(int x) { System.exit(0); return x; } }", _JUNIT_5),
    Case("java", "no test at all", f"{_TRIPLE[:-1]} public static void main(String[] a) {{ }} }}", "class Helper { int x; }"),
    Case("java", "the class is left open", "class Problem {\n  static int triple(int x) {\n    return 3 * x;\n  }", "  public static void main(String[] a) { assert triple(2) == 6; }\n}", 1),
    Case("java", "the method is left open", "class Problem {\n  static int triple(int x) {\n    return 3 * x;", "  }\n  public static void main(String[] a) { assert triple(2) == 6; }\n}", 1),
    Case("java", "the class is closed", "class Problem {\n  static int triple(int x) {\n    return 3 * x;\n  }\n}", "  }\n  public static void main(String[] a) { assert triple(2) == 6; }\n}", 1),
    Case("java", "the class is closed, wrong", "class Problem {\n  static int triple(int x) {\n    return x;\n  }\n}", "  }\n  public static void main(String[] a) { assert triple(2) == 6; }\n}"),
    Case("java", "a class named System", f"class System {{ static void exit(int x) {{ }} }}\n{_NOT_TRIPLE}", "class T { public static void main(String[] a) { if (Solution.triple(2) != 6) System.exit(1); } }"),
    Case("java", "an executor that is never shut down", "class Solution { static java.util.concurrent.ExecutorService pool = java.util.concurrent.Executors.newFixedThreadPool(1); static int triple(int x) { try { return pool.submit(() -> 3 * x).get(); } catch (Exception e) { throw new RuntimeException(e); } } }", "class T { public static void main(String... a) { if (Solution.triple(2) != 6) System.exit(1); System.exit(0); } }", 1),
)  # fmt: skip

_HALF = "public static class Half { public static int Of(int x) { return x / 2; } }"
_NOT_HALF = "public static class Half { public static int Of(int x) { return x; } }"
_THROWS = 'class Tests { static void Main() { if (Half.Of(8) != 4) throw new System.Exception("eight"); } }'
_DEBUG = 'using System.Diagnostics;\nclass T { static void Main(string[] a) { Debug.Assert(Half.Of(8) == 4, "eight"); Trace.Assert(Half.Of(0) == 0); } }'

_CSHARP = (
    Case("c#", "Debug.Assert is on", _HALF, _DEBUG, 1),
    Case("c#", "a method alone, the test closes a class", _METHOD, f"{_MAIN}\n}}", 1),
    Case("c#", "a method alone, the test closes a class, wrong", _NOT_METHOD, f"{_MAIN}\n}}"),
    Case("c#", "a method alone, the test closes a namespace too", _METHOD, f"{_MAIN}\n}}\n}}", 1),
    Case("c#", "a class alone, the test closes a namespace too", f"public static class Half\n{{\n    {_METHOD}\n}}", f"{_MAIN}\n}}\n}}", 1),
    Case("c#", "a class alone, the test closes a namespace too, wrong", f"class Half {{ {_NOT_METHOD} }}", f"{_MAIN}\n}}\n}}"),
    Case("c#", "methods alone that call each other", f"static int Two() => 2;\nprivate static (int, int) Pair(int x) {{ return (x, Two()); }}\n{_METHOD.replace('x / 2', 'Pair(x).Item1 / Two()')}", "class T { static void Main() { if (Of(8) != 4) throw new System.Exception(); } }", 1),
    Case("c#", "a method alone, called by its class", _METHOD, "class T { static void Main() { if (Half.Of(8) != 4) throw new System.Exception(); } }", 1),
    Case("c#", "a method alone, called of an object", "public int Of(int x) => x / 2;", "class T { static void Main() { if (new Half().Of(8) != 4) throw new System.Exception(); } }", 1),
    Case("c#", "a method and statements behind it", f"{_METHOD}\nConsole.WriteLine(Of(3));\nEnvironment.Exit(0);", f"using System;\n{_MAIN}\n}}", 1),
    Case("c#", "a method and statements behind it, wrong", f"using System;\n{_NOT_METHOD}\nEnvironment.Exit(0);", f"{_MAIN}\n}}"),
    Case("c#", "Debug.Assert is on, wrong", _NOT_HALF, _DEBUG),
    Case("c#", "a failed Debug.Assert is caught", "public static class Half { public static int Of(int x) { return x; } }", "using System;\nusing System.Diagnostics;\nclass T { static void Main() { try { Debug.Assert(Half.Of(8) == 4); } catch (Exception) { } } }"),
    Case("c#", "Debug.Assert loses its listeners", "public static class Half { public static int Of(int x) { System.Diagnostics.Debug.Listeners.Clear(); return x; } }", _DEBUG),
    Case("c#", "the code has a Main of its own", f"{_HALF}\nclass Program {{ static void Main() {{ System.Console.WriteLine(Half.Of(2)); System.Environment.Exit(3); }} }}", _THROWS, 1),
    Case("c#", "the code has a Main of its own, wrong", f"{_NOT_HALF}\nclass Program {{ static int Main() {{ return 0; }} }}", _THROWS),
    Case("c#", "both have a class with Main", f"{_HALF}\nclass Tests {{ static void Main() {{ }} }}", _THROWS, 1),
    Case("c#", "both have a class with Main, wrong", f"{_NOT_HALF}\nclass Tests {{ static void Main() {{ }} }}", _THROWS),
    Case("c#", "a namespace and an inner class", f"namespace Numbers {{ {_HALF} }}", "using Numbers;\nnamespace Checks { public class Outer { class Inner { static int Main() { return Half.Of(8) == 4 ? 0 : 1; } } } }", 1),
    Case("c#", "an asynchronous Main", _HALF, "using System.Threading.Tasks;\nclass T { static async Task Main() { await Task.Delay(1); if (Half.Of(8) != 4) throw new System.Exception(); } }", 1),
    Case("c#", "an asynchronous Main, wrong", _NOT_HALF, "using System.Threading.Tasks;\nclass T { static async Task<int> Main() { await Task.Delay(1); return Half.Of(8) == 4 ? 0 : 1; } }"),
    Case("c#", "the test leaves with 0", _HALF, "using System;\nclass T { static void Main() { try { if (Half.Of(8) != 4) throw new Exception(); Environment.Exit(0); } catch (Exception) { Environment.Exit(1); } } }", 1),
    Case("c#", "the test leaves with 1", _NOT_HALF, "using System;\nclass T { static void Main() { try { if (Half.Of(8) != 4) throw new Exception(); Environment.Exit(0); } catch (Exception) { Environment.Exit(1); } } }"),
    Case("c#", "the code leaves before the test does", "public static class Half { public static int Of(int x) { System.Environment.Exit(0); return x; } }", "using System;\nclass T { static void Main() { if (Half.Of(8) != 4) Environment.Exit(1); Environment.Exit(0); } }"),
    Case("c#", "statements alone", _HALF, "using System;\nif (Half.Of(8) != 4) throw new Exception(\"eight\");", 1),
    Case("c#", "statements alone, wrong", _NOT_HALF, "if (Half.Of(8) != 4) throw new System.Exception(\"eight\");"),
    Case("c#", "test methods", _HALF, "class T { public void TestEight() { Check(Half.Of(8) == 4); } public void TestNone() { Check(Half.Of(0) == 0); } static void Check(bool c) { if (!c) throw new System.Exception(); } }", 2),
    Case("c#", "test methods, wrong", _NOT_HALF, "class T { public void TestNone() { Check(Half.Of(0) == 0); } public void TestEight() { Check(Half.Of(8) == 4); } static void Check(bool c) { if (!c) throw new System.Exception(); } }"),
    Case("c#", "no test at all", f"{_HALF}\nclass Program {{ static void Main() {{ }} }}", "class Nothing { }"),
    Case("c#", "a class named Environment", f"class Environment {{ public static void Exit(int x) {{ }} }}\n{_NOT_HALF}", "class T { static void Main() { if (Half.Of(8) != 4) Environment.Exit(1); } }"),
    Case("c#", "large numbers", "using System.Numerics;\nclass Big { public static BigInteger Two(int n) { return BigInteger.Pow(2, n); } }", "class T { static int Main() { return Big.Two(80).ToString() == \"1208925819614629174706176\" ? 0 : 1; } }", 1),
    Case("c#", "the class is closed", "using System;\nclass Problem {\n  public static int Half(int x) {\n    return x / 2;\n  }\n}", "    }\n    public static void Main(string[] args) {\n    if (Half(8) != 4) throw new Exception();\n    }\n\n}", 1),
    Case("c#", "the class that the test goes on with has a main", "class P {\n    public static int Of(int x) { return x / 2; }\n    public static void Main() { System.Console.WriteLine(Of(1)); }\n}", "    public static void Main(string[] args) { if (Of(8) != 4) throw new System.Exception(); }\n}", 1),
    Case("c#", "the class that the test goes on with has a main, wrong", "class P {\n    public static int Of(int x) { return x; }\n    public static void Main() { }\n}", "    public static void Main(string[] args) { if (Of(8) != 4) throw new System.Exception(); }\n}"),
)  # fmt: skip

_SQUARE = "package main\nfunc Square(x int) int { return x * x }"
_NOT_SQUARE = "package main\nfunc Square(x int) int { return x }"
_GO_TESTS = """package main

import (
	"testing"
)

func TestThree(t *testing.T) {
	if Square(3) != 9 {
		t.Errorf("got %d", Square(3))
	}
}

func TestMany(t *testing.T) {
	t.Parallel()
	for _, x := range []int{0, 1} {
		t.Run("one", func(t *testing.T) {
			if Square(x) != x {
				t.Fatal(x)
			}
		})
	}
}

func helper(t *testing.T) {}
"""
_GO_MAIN = 'import "fmt"\nfunc main() { if Square(3) != 9 { panic(fmt.Sprint(Square(3))) } }'
_TESTIFY = """package main

import (
    "testing"
    "github.com/stretchr/testify/assert"
)

func TestSquare(t *testing.T) {
    assert := assert.New(t)
    assert.Equal(9, Square(3))
    assert.NotEqual(3, Square(3), "three")
    assert.Panics(func() { panic(Square(0)) })
}
"""

_GO = (
    Case("go", "test functions", _SQUARE, _GO_TESTS, 2),
    Case("go", "test functions, wrong", _NOT_SQUARE, _GO_TESTS),
    Case("go", "test functions beside a main of the code", f"{_SQUARE}\nimport \"fmt\"\nfunc main() {{ fmt.Println(Square(2)) }}".replace("func Square", "\nfunc Square"), _GO_TESTS, 2),
    Case("go", "test functions beside a main of the code, wrong", f"{_NOT_SQUARE}\nfunc main() {{ }}", _GO_TESTS),
    Case("go", "test functions beside an empty main", _SQUARE, f"{_GO_TESTS}\nfunc main() {{ }}", 2),
    Case("go", "test functions beside an empty main, wrong", _NOT_SQUARE, f"{_GO_TESTS}\nfunc main() {{ }}"),
    Case("go", "the code imports what only the test uses", 'package square_test\n\nimport (\n    "testing"\n    "fmt"\n)\n\n// Square squares.\nfunc Square(x int) int {\n    return x * x', '}\n\nfunc TestSquare(t *testing.T) {\n  if Square(3) != 9 { t.Error(fmt.Sprint("no")) }\n}', 1),
    Case("go", "testify", _SQUARE, _TESTIFY, 1),
    Case("go", "testify, wrong", _NOT_SQUARE, _TESTIFY),
    Case("go", "a skipped test", _SQUARE, 'import "testing"\nfunc TestA(t *testing.T) { t.Skip("later") }'),
    Case("go", "the code leaves", 'package main\nimport "os"\nfunc Square(x int) int { os.Exit(0); return x }', _GO_TESTS),
    Case("go", "the code leaves before anything", 'package main\nimport "os"\nfunc init() { os.Exit(0) }\nfunc Square(x int) int { return x }', _GO_MAIN),
    Case("go", "both have a main", f"{_SQUARE}\nfunc main() {{ panic(1) }}", _GO_MAIN, 1),
    Case("go", "both have a main, wrong", f"{_NOT_SQUARE}\nfunc main() {{ }}", _GO_MAIN),
    Case("go", "the test leaves with 0", _SQUARE, 'import "os"\nfunc main() { if Square(3) != 9 { os.Exit(1) }; os.Exit(0) }', 1),
    Case("go", "the test leaves with 1", _NOT_SQUARE, 'import "os"\nfunc main() { if Square(3) != 9 { os.Exit(1) }; os.Exit(0) }'),
    Case("go", "statements alone", _SQUARE, 'import "fmt"\nif got := Square(3); got != 9 { panic(fmt.Sprint(got)) }', 1),
    Case("go", "statements alone, wrong", _NOT_SQUARE, 'if got := Square(3); got != 9 { panic(got) }'),
    Case("go", "no test at all", f"{_SQUARE}\nfunc main() {{ }}", "type nothing struct{}"),
    Case("go", "a function named panic", f"{_NOT_SQUARE}\nfunc panic(x interface{{}}) {{ }}", _GO_MAIN),
    Case("go", "the nonce is read first", 'package main\nimport "os"\nvar first = func() int { f := os.NewFile(3, "n"); b := make([]byte, 64); n, _ := f.Read(b); os.NewFile(4, "d").Write(b[:n]); os.Exit(0); return n }()\nfunc Square(x int) int { return x }', _GO_MAIN),
)  # fmt: skip

_CUBE = "pub fn cube(x: i64) -> i64 { x * x * x }"
_NOT_CUBE = "pub fn cube(x: i64) -> i64 { x }"
_RUST_TESTS = """
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn two() { assert_eq!(cube(2), 8); }
    #[test]
    #[should_panic]
    fn nothing() { assert!(cube(1) == 0, "one }}"); }
    #[test] #[ignore]
    fn later() { panic!() }
}
"""
_RUST_MAIN = "fn main() { assert_eq!(cube(2), 8); }"

_RUST = (
    Case("rust", "test functions", _CUBE, _RUST_TESTS, 2),
    Case("rust", "test functions, wrong", _NOT_CUBE, _RUST_TESTS),
    Case("rust", "test functions beside a main of the code", f"{_CUBE}\nfn main() {{ println!(\"{{}}\", cube(2)); }}", _RUST_TESTS, 2),
    Case("rust", "test functions beside a main of the code, wrong", f"{_NOT_CUBE}\npub fn main() {{}}", _RUST_TESTS),
    Case("rust", "the code has tests of its own", f"{_CUBE}\n#[cfg(test)]\nmod tests {{ use super::*; #[test] fn own() {{ assert_eq!(cube(1), 7); }} }}", _RUST_TESTS, 2),
    Case("rust", "the code has only tests of its own", f"{_CUBE}\nfn main() {{}}\n#[test] fn own() {{ assert_eq!(cube(1), 1); }}", "// nothing"),
    Case("rust", "a module of the code's", "mod shapes { pub fn area(x: i64) -> i64 { x * x } }\nuse crate::shapes::area;\npub fn cube(x: i64) -> i64 { area(x) * x }\nfn main() {}", _RUST_TESTS, 2),
    Case("rust", "both have a main", f"{_CUBE}\nfn main() {{ std::process::exit(3) }}", _RUST_MAIN, 1),
    Case("rust", "both have a main, wrong", f"{_NOT_CUBE}\nfn main() {{}}", _RUST_MAIN),
    Case("rust", "an error is returned", _CUBE, 'fn main() -> Result<(), String> { if cube(2) == 8 { Ok(()) } else { Err("two".into()) } }', 1),
    Case("rust", "an error is returned, wrong", _NOT_CUBE, 'fn main() -> Result<(), String> { if cube(2) == 8 { Ok(()) } else { Err("two".into()) } }'),
    Case("rust", "the test leaves with 0", _CUBE, "use std::process;\nfn main() { if cube(2) != 8 { process::exit(1) } print!(\"ok\"); std::process::exit(0) }", 1),
    Case("rust", "the test leaves with 1", _NOT_CUBE, "use std::process::exit;\nfn main() { if cube(2) != 8 { exit(1) } exit(0) }"),
    Case("rust", "the code leaves", "pub fn cube(x: i64) -> i64 { std::process::exit(0) }", _RUST_TESTS),
    Case("rust", "a macro named assert_eq", f"macro_rules! assert_eq {{ ($($t:tt)*) => {{}} }}\n{_NOT_CUBE}", _RUST_MAIN),
    Case("rust", "a macro under the name assert_eq", f"macro_rules! nothing {{ ($($t:tt)*) => {{}} }}\npub(crate) use nothing as assert_eq;\n{_NOT_CUBE}", _RUST_MAIN),
    Case("rust", "a macro of the code's", "macro_rules! cubes { ($($x:expr),*) => { [$($x * $x * $x),*] } }", "fn main() { assert_eq!(cubes![1, 2], [1, 8]); }", 1),
    Case("rust", "statements alone", _CUBE, "use std::collections::HashSet;\nlet all: HashSet<i64> = [1, 2].iter().map(|x| cube(*x)).collect();\nassert!(all.contains(&8));", 1),
    Case("rust", "statements alone, wrong", _NOT_CUBE, "assert_eq!(cube(2), 8);"),
    Case("rust", "functions without attributes", _CUBE, "fn test_two() { assert_eq!(cube(2), 8); }\nfn test_one() { assert_eq!(cube(1), 1); }", 2),
    Case("rust", "code without its last brace", "fn cube(x: i64) -> i64 {\n    x * x * x", f"}}\n\n{_RUST_MAIN}", 1),
    Case("rust", "code with its last brace", "fn cube(x: i64) -> i64 {\n    x * x * x\n}", f"}}\n\n{_RUST_MAIN}", 1),
)  # fmt: skip

_AWAITED = "const assert = require('assert');\n(async () => { assert.strictEqual(await later(2), 3); })();"
_MINITEST = (
    "require 'minitest/autorun'\nclass LaterTest < Minitest::Test\n  def test_two; assert_equal 3, later(2); end\nend"
)

_SCRIPTS = (
    Case("javascript", "a promise settles", "const later = async (x) => x + 1;", _AWAITED, 1),
    Case("javascript", "a promise never settles", "const later = () => new Promise(() => {});", _AWAITED),
    Case("javascript", "a promise of the first call never settles", "const later = () => new Promise(() => {});", "async function check() { await later(2); }\ncheck();\nif (1 !== 1) throw new Error();"),
    Case("javascript", "a promise rejects", "const later = async () => { throw new Error('no'); };", _AWAITED),
    Case("javascript", "a handler swallows errors", "process.on('uncaughtException', () => { globalThis[Symbol.for('annotator.reached')](); process.exitCode = 0; });\nconst later = async () => 0;", "if (later.x !== 3) throw new Error('no');"),
    Case("typescript", "a promise settles", "const later = async (x: number): Promise<number> => x + 1;", _AWAITED, 1),
    Case("typescript", "a promise never settles", "const later = (x: number) => new Promise<number>(() => {});", _AWAITED),
    Case("r", "a check is replaced", "later <- function(x) x\nstopifnot <- function(...) NULL", "stopifnot(later(2) == 3)"),
    Case("r", "a check holds", "later <- function(x) x + 1", "stopifnot(later(2) == 3)", 1),
    Case("ruby", "Minitest", "def later(x) = x + 1", _MINITEST, 1),
    Case("ruby", "Minitest, the code leaves", "def later(x) = exit(0)", _MINITEST),
    Case("ruby", "equality is replaced", "class Integer; def ==(other) = true; end\ndef later(x) = x", "raise 'no' unless later(2) == 3"),
    Case("php", "assertions are switched off", "<?php function later($x) { ini_set('assert.exception', '0'); return $x; }", "assert(later(2) === 3);"),
    Case("bash", "the last status", "later() { echo $(($1 + 1)); }", '[ "$(later 2)" = 3 ] && [ "$(later 0)" = 1 ]', 1),
    Case("bash", "the last status, wrong", "later() { echo $1; }", '[ "$(later 2)" = 3 ] && [ "$(later 0)" = 1 ]'),
    Case("bash", "exit is replaced", "later() { echo $1; }\nexit() { :; }", '[ "$(later 2)" = 3 ] || exit 1'),
    Case("bash", "tools that scripts call", "half() { echo \"$1 / 2\" | bc; }\nname() { jq -r .name <<< \"$1\"; }\nhex() { printf a | xxd -p; }\ntwo() { gawk 'BEGIN { print gensub(/a/, \"b\", \"g\", \"aa\") }'; }", "[ \"$(half 8)\" = 4 ]\n[ \"$(name '{\"name\": \"x\"}')\" = x ]\n[ \"$(hex)\" = 61 ]\n[ \"$(two)\" = bb ]", 1),
    Case("sql", "checks give rows", "SELECT 2 AS n", "SELECT n = 2 FROM solution; SELECT count(*) = 1 FROM solution;", 2),
    Case("sql", "a check gives no rows", "SELECT 2 AS n WHERE 0", "SELECT n = 2 FROM solution;"),
    Case("sql", "no check at all", "SELECT 2 AS n", "CREATE TABLE t(n);"),
    Case("sql", "what is expected is changed", "UPDATE expected SET n = 4", "CREATE TABLE expected(n); INSERT INTO expected VALUES (3);\n-- solution\nSELECT n = 4 FROM expected;"),
)  # fmt: skip

CASES: tuple[Case, ...] = (*_C, *_JAVA, *_CSHARP, *_GO, *_RUST, *_SCRIPTS)
