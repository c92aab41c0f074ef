"""Verdicts on programs in every language but Python: right ones pass with all their tests run, wrong ones do not."""

from __future__ import annotations

import pytest

from annotator.sandbox import Job, JobResult, Limits, Pool, TestCode
from annotator.sandbox.programs.javascript import build_typescript
from annotator.sandbox.programs.program import ProgramRequest
from annotator.sandbox.programs.rust import build_rust
from tests.sandbox.natural_programs import NATURAL
from tests.sandbox.verdict_programs import CASES, Case

LIMITS = Limits(wall_s=20.0, cpu_s=20.0)
REJECTED = ("fail", "compile_error", "crash", "timeout")


def _run(languages: Pool, cases: list[Case]) -> dict[str, JobResult]:
    jobs = [
        Job(id=case.name, language=case.language, code=case.code, tests=(TestCode("t", case.test),), limits=LIMITS)
        for case in cases
    ]
    return {result.id: result for result in languages.run(jobs)}


def _as_it_must(case: Case, result: JobResult) -> bool:
    if case.ran:
        return result.outcome == "pass" and result.tests[0].ran == case.ran
    return result.outcome in (("machinery",) if case.machinery else ("fail", "compile_error", "crash"))


def _check(languages: Pool, cases: list[Case]) -> None:
    results = _run(languages, cases)
    assert len(results) == len(cases)
    wrong = {
        case.name: (found.outcome, found.message, [test.ran for test in found.tests], found.stderr[-1000:])
        for case in cases
        if not _as_it_must(case, found := results[case.name])
    }
    assert wrong == {}


@pytest.mark.sandbox
@pytest.mark.parametrize("name", sorted({case.language for case in CASES}))
def test_right_programs_pass_and_wrong_ones_do_not(languages: Pool, name: str) -> None:
    _check(languages, [case for case in CASES if case.language == name and not case.is_long])


@pytest.mark.sandbox
@pytest.mark.parametrize("name", sorted({case.language for case in CASES if case.is_long}))
def test_more_right_programs_pass_and_wrong_ones_do_not(languages: Pool, name: str) -> None:
    _check(languages, [case for case in CASES if case.language == name and case.is_long])


@pytest.mark.sandbox
@pytest.mark.parametrize("name", sorted({case.language for case in NATURAL}))
def test_answers_in_many_styles_get_their_verdicts(languages: Pool, name: str) -> None:
    cases = [case for case in NATURAL if case.language == name]
    results = _run(languages, cases)
    wrong = {
        case.name: (found.outcome, found.message, found.stderr[-1000:])
        for case in cases
        if (found := results[case.name]).outcome not in (("pass",) if case.ran else REJECTED)
    }
    assert wrong == {}


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("language", "code", "test", "message"),
    [
        ("javascript", "function f(){ return require('js-md5')('a'); }", "if (f() !== 1) throw new Error('x');",
         "Error: Cannot find module 'js-md5'"),
        ("java", "class S { static int f(int[] a){ return a[3]; } }",
         "public class Main { public static void main(String[] a){ if (S.f(new int[1]) != 1) throw new Error(); } }",
         "java.lang.ArrayIndexOutOfBoundsException: Index 3 out of bounds for length 1"),
        ("rust", "fn f(a: Vec<i32>) -> i32 { a[3] }", "#[test]\nfn t() { assert_eq!(f(vec![1]), 1); }",
         "index out of bounds"),
        ("ruby", "def f(a) = a.fetch(3)", "raise 'no' unless f([1]) == 1", "index 3 outside of array bounds"),
        ("php", "<?php\nfunction f($a) { throw new Exception('bad'); }", "if (f([1]) !== 1) throw new Exception('no');",
         "Uncaught Exception: bad"),
    ],
)  # fmt: skip
def test_a_program_that_ends_badly_says_why(pool: Pool, language: str, code: str, test: str, message: str) -> None:
    found = pool.submit(Job(id="j", language=language, code=code, tests=(TestCode("t", test),))).result()
    assert found.outcome == "fail" and message in found.message


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("language", "code", "test"),
    [
        ("bash", "spin() { ulimit -St 1; while :; do :; done; }", "spin"),
        ("c", "#include <sys/resource.h>\nint spin(void) { struct rlimit one = {1, 2}; setrlimit(RLIMIT_CPU, &one);\n"
         "  for (volatile int i = 0;; i++); }", "assert(spin() == 0);"),
    ],
)  # fmt: skip
def test_a_program_that_used_up_its_processor_time_was_too_slow(
    pool: Pool, language: str, code: str, test: str
) -> None:
    [result] = pool.run([Job(id="x", language=language, code=code, tests=(TestCode("t", test),), limits=LIMITS)])
    assert result.outcome == "timeout"


@pytest.mark.parametrize(
    ("code", "is_older"),
    [
        ("function d(target: any, key: string, own: any) {} class A { @d f() {} }", True),
        ("function draw(x, ctx) {} const d = (t: any, key: string) => {}; class A { @d x = 1; }", True),
        ("const d = (n: number) => (t: any, p: string | symbol) => {}; class A { @d(3) x = 1; }", True),
        ("function d() { function own(t: any, k: any, o: any) {} return own; } class A { @d() f() {} }", True),
        ("const d = (...all: any[]) => { const descriptor = all[2]; }; class A { @d f() {} }", True),
        ("const d: PropertyDecorator = (t, p) => {}; class A { @d x; }", True),
        ("class N { static d(t, name) {} } class A { @N.d f() {} }", True),
        ("class A { constructor(@d x: number) {} }", True),
        ("function d(value: any, { kind, name }: any) {} class A { @d f() {} }", False),
        ("function d(value: any) {} @d class A {}", False),
        ("function d(a, b, c) { return (value, at) => (x, y, z) => {}; } class A { @d(1, 2, 3) f() {} }", False),
        ("function d(v, c) {} class N { d(a, key, c) {} } class A { @d f() {} }", False),
        ("function d(target: any, key: string) {} class A {}", False),
    ],
)
def test_decorators_are_compiled_as_their_definitions_take_them(code: str, is_older: bool) -> None:
    program = build_typescript(ProgramRequest(code=code, test="f();", memory_mb=256, tools="/tools"))
    assert any("experimentalDecorators" in word for word in program.steps[0].argv) == is_older


def test_only_imports_by_name_can_be_idle() -> None:
    code = "use rand::prelude::*;\nuse rand::Rng;\nfn roll() -> i32 { thread_rng() }"
    program = build_rust(ProgramRequest(code=code, test="fn main() {}", memory_mb=256, tools="/tools"))
    lines = program.files["main.rs"].splitlines()
    assert lines[0] == "use rand::prelude::*;" and lines[1].startswith("#[cfg(")


@pytest.mark.sandbox
def test_a_program_is_compiled_once_and_run_several_times(languages: Pool) -> None:
    # Runs follow one another, and so do the numbers of their processes.
    code = "#include <unistd.h>\nbool is_even() { return getpid() % 2 == 0; }\nint one() { return 1; }\n"
    tests = (
        TestCode("steady", '#include <cstdio>\nint main() { puts("ran"); return one() == 1 ? 0 : 1; }'),
        TestCode("flaky", "int main() { return is_even() ? 0 : 1; }"),
        TestCode("later", "int main() { return is_even() ? 1 : 0; }"),
        TestCode("failing", "int main() { return one() == 2 ? 0 : 1; }"),
    )
    job = Job(id="runs", language="c++", code=code, tests=tests, limits=LIMITS, mode="fast", runs=3)
    found = languages.submit(job).result()
    outcomes = {test.name: test.outcome for test in found.tests}
    assert outcomes == {"steady": "pass", "flaky": "flaky", "later": "flaky", "failing": "fail"}
    assert {test.message for test in found.tests if test.outcome == "flaky"} == {"not in every run: exit status 1"}
    (steady,) = languages.run([Job(id="s", language="c++", code=code, tests=tests[:1], limits=LIMITS, runs=3)])
    assert steady.outcome == "pass" and steady.stdout.count("ran") == 3


_LEAVING = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
int leave(const char* folder, const char* file) {
  sockaddr_un place{AF_UNIX, "\\0left"};
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(server, (sockaddr*)&place, sizeof place) != 0) return 1;
  int ready[2];
  if (pipe(ready) != 0) return 4;
  if (fork() == 0) {
    setsid();
    // What holds much memory takes a while to end.
    char* much = (char*)malloc(200 << 20);
    memset(much, 1, 200 << 20);
    write(ready[1], much, 1);
    sleep(60);
    _exit(0);
  }
  char byte;
  if (read(ready[0], &byte, 1) != 1) return 5;
  if (mkdir(folder, 0700) != 0 || access(file, F_OK) == 0) return 2;
  std::fclose(std::fopen(file, "w"));
  return std::remove("main.cpp") == 0 ? 0 : 3;
}
"""


@pytest.mark.sandbox
def test_a_run_finds_nothing_that_another_run_of_the_program_left(languages: Pool) -> None:
    test = TestCode("t", 'int main() { return leave("out", "/tmp/left"); }')
    job = Job(id="left", language="c++", code=_LEAVING, tests=(test,), limits=LIMITS, mode="fast", runs=3)
    found = languages.submit(job).result()
    assert (found.outcome, found.message) == ("pass", "")


@pytest.mark.sandbox
def test_each_of_several_runs_may_print_what_one_may(languages: Pool) -> None:
    printing = 'int main() { for (int line = 0; line < 7000; line++) puts("0123456789"); }'
    limits = Limits(wall_s=20.0, cpu_s=20.0, output_kb=100, kept_kb=100)
    code = "#include <cstdio>"
    job = Job(id="p", language="c++", code=code, tests=(TestCode("t", printing),), limits=limits, mode="fast", runs=3)
    found = languages.submit(job).result()
    assert found.outcome == "pass" and found.stdout.count("0123456789") == 21_000


@pytest.mark.sandbox
def test_right_programs_of_every_language_pass_again(languages: Pool) -> None:
    cases = {case.language: case for case in CASES if case.ran and not case.is_long}
    jobs = [
        Job(
            id=name,
            language=name,
            code=case.code,
            tests=(TestCode("t", case.test),),
            limits=LIMITS,
            mode="fast",
            runs=2,
        )
        for name, case in cases.items()
    ]
    assert len(jobs) > 9
    outcomes = {result.id: (result.outcome, result.message) for result in languages.run(jobs)}
    assert outcomes == dict.fromkeys(cases, ("pass", ""))
