"""Programs in C and C++: a guard calls the test's main, holds the nonce and ends the process.

Tests in the style of Catch2, doctest or GoogleTest get what they use of it from a header of ours.
"""

from __future__ import annotations

import re

from annotator.sandbox.programs.own_files import empty_headers
from annotator.sandbox.programs.program import (
    Program,
    Request,
    Step,
    check_tool,
    compile_step,
    guard_file,
    hide_nonce,
    run,
)
from annotator.sandbox.programs.source_text import fit_braces, mask, replace_visible, top_level

COMPILED_GUARD = ("guard.c", "guard.o")
"""What holds the nonce until the program is compiled."""
WRAPPED = ("-Wl,--wrap=main", "-Wl,--wrap=__assert_fail")
"""What the linker sends to the guard: the program's start, and assertions that fail."""

_MAIN = re.compile(r"(?<![\w.>:])main(?=\s*\()")
_EXIT = re.compile(r"(?<![\w.>:])(?:std\s*::\s*|::\s*)?exit(?=\s*\()")
_ALL = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]bits/stdc\+\+\.h[>\"]", re.MULTILINE)
_STANDARD = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*<[\w./+-]+>|^[ \t]*using[ \t]+namespace[ \t]+std[ \t]*;", re.MULTILINE
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*\n?", re.MULTILINE)
_STATEMENT = re.compile(r"^[ \t]*(?:assert|if|for|while)[ \t]*\(", re.MULTILINE)
_FUNCTION = re.compile(r"^[ \t]*(?:static[ \t]+)?void[ \t]+(test\w*)[ \t]*\([ \t]*(?:void)?[ \t]*\)\s*\{", re.MULTILINE)
_CASE = re.compile(r"^[ \t]*(?:TEST_CASE|SCENARIO|TEST|TEST_F)[ \t]*\(", re.MULTILINE)
_CASE_HEADERS = (
    r"(?:catch2/(?:catch(?:_all|_test_macros|_approx|_amalgamated)?\.hpp|matchers/catch_matchers\w*\.hpp)"
    r"|catch\.hpp|doctest/doctest\.h|doctest\.h|gtest/gtest\.h)"
)
_CASE_INCLUDE = re.compile(rf"^[ \t]*#[ \t]*include[ \t]*[<\"](?P<header>{_CASE_HEADERS})[>\"][^\n]*$", re.MULTILINE)
_CASE_OWN = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?:TEST_CASE|SCENARIO|TEST|TEST_F)\b", re.MULTILINE)
_NEVER_MACROS = (
    "if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "break", "continue", "throw",
    "try", "catch", "main", "NDEBUG", "exit", "_exit", "_Exit", "abort", "strcmp", "strncmp", "memcmp", "strlen",
    "abs", "fabs", "printf", "fprintf",
)  # fmt: skip


_COUNTED = ("-fprofile-arcs", "-ftest-coverage", "-fprofile-info-section=annotator_counts")
"""What counts lines and branches, without writing a file at the end."""


def _is_measured(request: Request) -> bool:
    return request.coverage and request.test is not None


def build_c(request: Request) -> Program:
    """Return a program in C."""
    flags = ("-std=gnu17", *(_COUNTED if _is_measured(request) else ("-O1",)))
    return _build(request, "gcc", "main.c", flags, "-lm", "-std=gnu2x")


def build_cpp(request: Request) -> Program:
    """Return a program in C++."""
    flags = (
        "-std=c++17",
        *(_COUNTED if _is_measured(request) else ("-O0",)),
        f"-I{request.tools}/pch",
    )
    # Not -pthread: it defines a macro, and the precompiled header was made without it and would not be taken.
    return _build(request, "g++", "main.cpp", flags, "-lpthread", "-std=c++23")


def _build(request: Request, compiler: str, file: str, flags: tuple[str, ...], library: str, newest: str) -> Program:
    headers, found = empty_headers(request.code, request.test or "")
    command = (compiler, *flags, *found, "-fuse-ld=mold", "-w", "-o", "main", file)
    if request.test is None:
        compiled = compile_step("sh", "-c", f"{check_tool(compiler)}{_either(newest)}", "sh", *command, library)
        return Program(files={file: _all_once(request.code), **headers}, steps=(compiled, run("./main")))
    counter = ("-lgcov",) if request.coverage else ()
    before = _needed_before(request.code, request.test)
    parts = fit_braces(request.code, request.test, "c")
    styled = compiler == "g++" and _has_cases(request.code, request.test)
    test, tests = _add_cases(parts.test, request.key) if styled else _add_main(parts.test)
    if styled:
        headers = {**headers, _cases_file(request.key): _cases(request.key)}
    # The answer's own main makes room for the test's.
    code = replace_visible(_MAIN, f"annotator_answer_{request.key}", parts.code, "c") if tests else parts.code
    test = replace_visible(_EXIT, f"annotator_exit_{request.key}", test, "c")
    return Program(
        files={file: _all_once(f"{before}{code}\n{_fence(request.key)}{test}\n"), **headers},
        steps=(
            compile_with_guard(request, (*command, f"{request.tools}/guard.o", *WRAPPED, library, *counter), newest),
            run("./main"),
        ),
        coverage=("gcov", before.count("\n")),
        guards=compiled_guard(request),
        secrets=COMPILED_GUARD,
        tests=tests,
        compiled_nonce=True,
    )


def _all_once(text: str) -> str:
    """Return a text that includes the precompiled header at most once: the compiler finds no source of it later."""
    masked = mask(text, "c")
    found = [item for item in _ALL.finditer(text) if masked[item.start() : item.end()].strip()]
    for item in reversed(found[1:]):
        text = text[: item.start()] + text[item.end() :]
    return text


def _needed_before(code: str, test: str) -> str:
    """Return what the test includes of the standard library, for code before it that has no directives."""
    if _DIRECTIVE.search(code):
        return ""
    masked = mask(test, "c")
    found = (item[0].strip() for item in _STANDARD.finditer(test) if masked[item.end() - 1] != " ")
    return "".join(f"{line}\n" for line in dict.fromkeys(found) if not _CASE_INCLUDE.match(line))


def _add_main(test: str) -> tuple[str, int]:
    """Return the test with a main where it has none but statements or test functions, and how many tests it is."""
    masked = mask(test, "c")
    if _MAIN.search(masked):
        return test, 1
    outside = top_level(masked)
    functions = [found[1] for found in _FUNCTION.finditer(masked) if outside[found.start(1)] != " "]
    if functions:
        calls = " ".join(f"{name}();" for name in functions)
        return f"{test}\nint main(void) {{ {calls} return 0; }}", len(functions)
    if _STATEMENT.search(outside):
        directives = "".join(_DIRECTIVE.findall(test))
        return f"{directives}int main(void) {{\n{_DIRECTIVE.sub('', test)}\nreturn 0; }}", 1
    return test, 0


# -- the style of Catch2, doctest and GoogleTest ------------------------------------------------------------------


def own_imports(code: str, test: str) -> dict[str, tuple[str, ...]]:
    """Return the headers of test libraries that a test includes and that have a stand-in here."""
    if not _has_cases(code, test):
        return {}
    return {found["header"]: () for found in _CASE_INCLUDE.finditer(test)}


def _has_cases(code: str, test: str) -> bool:
    """Tell whether a test is made of cases, whose macros it does not define; the code may if no library is named."""
    brought = test if _CASE_INCLUDE.search(test) else f"{code}\n{test}"
    return _CASE.search(mask(test, "c")) is not None and not _CASE_OWN.search(brought)


def _add_cases(test: str, key: str) -> tuple[str, int]:
    """Return the test behind our header, with a main that runs its cases, and how many they are."""
    masked = mask(test, "c")
    main = "" if _MAIN.search(masked) else f"\nint main() {{ return annotator_cases_{key}::run(); }}"
    rest = _CASE_INCLUDE.sub("", test)
    return f'#include "{_cases_file(key)}"\n#line 1\n{rest}{main}', len(_CASE.findall(masked))


def _cases_file(key: str) -> str:
    return f"cases_{key}.hpp"


def _cases(key: str) -> str:
    """Return our header. Its names hold the key: the answer stands before it and must not reach its counts."""
    return guard_file("cases.hpp", key).replace("annotator_cases", f"annotator_cases_{key}")


def _fence(key: str) -> str:
    """Return what stands between code and test: macros of the code do not change the test's checks."""
    forgotten = "".join(f"#undef {name}\n" for name in _NEVER_MACROS)
    return (
        f"{forgotten}#include <assert.h>\n"
        f'#ifdef __cplusplus\nextern "C"\n#endif\nvoid annotator_exit_{key}(int) __attribute__((noreturn));\n'
    )


# -- the guard, for Rust too ---------------------------------------------------------------------------------------


def compiled_guard(request: Request) -> dict[str, str]:
    """Return the guard's source with the nonce in it."""
    return {"guard.c": guard_file("guard.c", request.key).replace("ANNOTATOR_NONCE", hide_nonce(request.nonce))}


def compile_with_guard(request: Request, command: tuple[str, ...], newest: str = "") -> Step:
    """Return the step that compiles the guard, then the program, whose command names the guard's object file.

    With ``newest``, the flag of the newest standard, what does not compile is compiled by that.
    """
    flag = "-DCOVERAGE " if request.coverage else ""
    guard = f"gcc -O1 -w {flag}-c {request.tools}/guard.c -o {request.tools}/guard.o"
    return compile_step("sh", "-c", f"{check_tool(command[0])}{guard} && {{ {_either(newest)}; }}", "sh", *command)


def _either(newest: str) -> str:
    """Return what a shell runs: the command, and where it fails the same with a newer standard, whose word is last.

    The older one comes first, since a header is precompiled for it.
    """
    return f'"$@" 2>/dev/null || exec "$@" {newest}' if newest else 'exec "$@"'
