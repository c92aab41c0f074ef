"""Programs in C and C++: a guard calls the test's main, holds the nonce and ends the process.

If tests consist of cases of Catch2, doctest or GoogleTest, the precompiled library precedes the code.
"""

from __future__ import annotations

import re

from annotator.sandbox.programs.program import (
    ProgramRequest,
    ProgramStep,
    SandboxProgram,
    check_tool,
    compile_step,
    guard_file,
    hide_nonce,
    run_step,
)
from annotator.sandbox.programs.source_text import empty_headers, fit_braces, mask_literals, replace_visible, top_level

COMPILED_GUARD = ("guard.c", "guard.o")
"""Files that hold the nonce until the program is compiled."""
WRAPPED = ("-Wl,--wrap=main", "-Wl,--wrap=__assert_fail")
"""Linker flags that redirect to the guard: the program's start, and failing assertions."""

_MAIN = re.compile(r"(?<![\w.>:])main(?=\s*\()")
_HEADER_MAIN = ("BOOST_TEST_MODULE", "BOOST_TEST_MAIN")
"""Macros by which a header of Boost.Test defines the test's main."""
_EXIT = re.compile(r"(?<![\w.>:])(?:std\s*::\s*|::\s*)?exit(?=\s*\()")
_ALL = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]bits/stdc\+\+\.h[>\"]", re.MULTILINE)
_STANDARD = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*<[\w./+-]+>|^[ \t]*using[ \t]+namespace[ \t]+std[ \t]*;", re.MULTILINE
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*\n?", re.MULTILINE)
_STATEMENT = re.compile(r"^[ \t]*(?:assert|if|for|while)[ \t]*\(", re.MULTILINE)
_PLAIN = re.compile(r"\bassert\s*\(")
_FUNCTION = re.compile(r"^[ \t]*(?:static[ \t]+)?void[ \t]+(test\w*)[ \t]*\([ \t]*(?:void)?[ \t]*\)\s*\{", re.MULTILINE)
_LIBRARIES = {
    "catch": (r"<\"](?:catch2/|catch(?:_amalgamated)?\.hpp)", r"(?:TEMPLATE_)?TEST_CASE\w*|SCENARIO", ("-lCatch2",)),
    "doctest": (r"<\"](?:doctest/)?doctest\.h", r"SUBCASE", ("{tools}/doctest.o",)),
    "gtest": (r"<\"](?:gtest|gmock)/", r"TEST(?:_F|_P)?", ("-lgmock", "-lgtest")),
}
"""By library: the pattern of its include, the macros that tests use if they include none, and link arguments."""
_OF_LIBRARY = re.compile("|".join(f"[{item[0]}" for item in _LIBRARIES.values()))
_CASE_OWN = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?:TEST_CASE|SCENARIO|SUBCASE|TEST|TEST_F)\b", re.MULTILINE)
_CASES_MAIN = "int main(int count, char** values) { return run_ANNOTATOR_KEY(count, values); }"
"""The main for a test of cases that has none; the library's report goes to standard error."""
_NEVER_MACROS = (
    "if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "break", "continue", "throw",
    "try", "catch", "main", "NDEBUG", "exit", "_exit", "_Exit", "abort", "strcmp", "strncmp", "memcmp", "strlen",
    "abs", "fabs", "printf", "fprintf",
)  # fmt: skip


_COVERAGE_FLAGS = ("-fprofile-arcs", "-ftest-coverage", "-fprofile-info-section=annotator_counts")
"""Flags that count lines and branches, without writing a file at the end."""


def _is_measured(request: ProgramRequest) -> bool:
    return request.coverage and request.test is not None


def build_c(request: ProgramRequest) -> SandboxProgram:
    """Return a program in C."""
    flags = ("-std=gnu17", *(_COVERAGE_FLAGS if _is_measured(request) else ("-O1",)))
    return _build(request, "gcc", "main.c", flags, "-lm", "-std=gnu2x")


def build_cpp(request: ProgramRequest) -> SandboxProgram:
    """Return a program in C++."""
    flags = ("-std=c++17", *(_COVERAGE_FLAGS if _is_measured(request) else ("-O0",)), f"-I{request.tools}/pch")
    # Not -pthread: it defines a macro, so the header, which was precompiled without it, would be ignored.
    return _build(request, "g++", "main.cpp", flags, "-lpthread", "-std=c++23")


def _build(
    request: ProgramRequest, compiler: str, file: str, flags: tuple[str, ...], library: str, newest: str
) -> SandboxProgram:
    headers, include_flags = empty_headers(request.code, request.test or "")
    command = (compiler, *flags, *include_flags, "-fuse-ld=mold", "-w", "-o", "main", file)
    if request.test is None:
        compiled = compile_step("sh", "-c", f"{check_tool(compiler)}{_retry_with(newest)}", "sh", *command, library)
        return SandboxProgram(
            files={file: _include_all_once(request.code), **headers}, steps=(compiled, run_step("./main"))
        )
    counter = ("-lgcov",) if request.coverage else ()
    before = _standard_includes(request.code, request.test)
    parts = fit_braces(request.code, request.test, "c")
    library_name = _library_of(request.code, request.test) if compiler == "g++" else ""
    around, (test, tests) = ("", ""), (parts.test, None) if library_name else _add_main(parts.test)
    if tests == 0 and _CASE_OWN.search(request.code):
        # Macros of the answer must not make the test disappear: it still counts as one, and then fails to compile.
        tests = 1
    link_flags: tuple[str, ...] = ()
    if library_name:
        main = "" if _MAIN.search(mask_literals(test, "c")) else _CASES_MAIN.replace("ANNOTATOR_KEY", request.key)
        plain = int(_PLAIN.search(mask_literals(test, "c")) is not None)
        test += f"\n#define plain_{request.key} {plain}\n{guard_file('cases.cpp', request.key)}{main}"
        around = _hide_macros(library_name) if _include_of(library_name).search(request.code) is None else around
        link_flags = tuple(word.format(tools=request.tools) for word in _LIBRARIES[library_name][2])
    before = around[0] + before
    # The answer's own main is renamed, so that the test's can be called main.
    code = replace_visible(_MAIN, f"annotator_answer_{request.key}", parts.code, "c") if tests != 0 else parts.code
    test = replace_visible(_EXIT, f"annotator_exit_{request.key}", test, "c")
    objects = (f"{request.tools}/guard.o", *WRAPPED, *link_flags, library, *counter)
    return SandboxProgram(
        files={file: _include_all_once(f"{before}{code}\n{_fence(request.key)}{around[1]}{test}\n"), **headers},
        steps=(
            compile_with_guard(request, (*command, *objects), newest, _directives(request.test)),
            run_step("./main"),
        ),
        coverage=("gcov", before.count("\n")),
        guards=compiled_guard(request),
        secrets=COMPILED_GUARD,
        tests=tests,
        compiled_nonce=True,
    )


def _directives(text: str) -> str:
    masked = mask_literals(text, "c")
    return "".join(item[0] for item in _DIRECTIVE.finditer(text) if masked[item.start() : item.end()].strip())


def _include_all_once(text: str) -> str:
    """Return a text that includes the precompiled header at most once: the compiler cannot find its source a second
    time."""
    masked = mask_literals(text, "c")
    includes = [item for item in _ALL.finditer(text) if masked[item.start() : item.end()].strip()]
    for item in reversed(includes[1:]):
        text = text[: item.start()] + text[item.end() :]
    return text


def _standard_includes(code: str, test: str) -> str:
    """Return the test's includes of the standard library, to precede code that has no directives."""
    if _DIRECTIVE.search(code):
        return ""
    masked = mask_literals(test, "c")
    includes = (item[0].strip() for item in _STANDARD.finditer(test) if masked[item.end() - 1] != " ")
    # A header that contains a main reads macros that the test defines before including it.
    return "".join(
        f"{line}\n" for line in dict.fromkeys(includes) if not _OF_LIBRARY.search(line) and "<boost/test/" not in line
    )


def _add_main(test: str) -> tuple[str, int]:
    """Return the test, with a main added if it has only statements or test functions, and its number of tests."""
    masked = mask_literals(test, "c")
    if _MAIN.search(masked) or any(name in masked for name in _HEADER_MAIN):
        return test, 1
    outside = top_level(masked)
    functions = [match[1] for match in _FUNCTION.finditer(masked) if outside[match.start(1)] != " "]
    if functions:
        calls = " ".join(f"{name}();" for name in functions)
        return f"{test}\nint main(void) {{ {calls} return 0; }}", len(functions)
    if _STATEMENT.search(outside):
        directives = "".join(_DIRECTIVE.findall(test))
        return f"{directives}int main(void) {{\n{_DIRECTIVE.sub('', test)}\nreturn 0; }}", 1
    return test, 0


# -- tests of Catch2, doctest and GoogleTest ----------------------------------------------------------------------


def _include_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*#[ \t]*include[ \t]*[{_LIBRARIES[name][0]}", re.MULTILINE)


def _library_of(code: str, test: str) -> str:
    """Return the library of a test's cases; empty if the test or the code defines such macros itself."""
    for name in _LIBRARIES:
        if _include_of(name).search(test):
            return name
    masked = mask_literals(test, "c")
    if not _CASE_OWN.search(f"{code}\n{test}"):
        for name in ("doctest", "gtest", "catch"):
            if re.search(rf"^[ \t]*(?:{_LIBRARIES[name][1]})[ \t]*\(", masked, re.MULTILINE):
                return name
    return ""


def _hide_macros(name: str) -> tuple[str, str]:
    """Return the text before and after the code that includes the library but hides its macros from the code."""
    header = f"annotator_{name}"
    return f"#include <{header}.hpp>\n#include <{header}_aside.hpp>\n", f"#include <{header}_back.hpp>\n#line 1\n"


def _fence(key: str) -> str:
    """Return the text between code and test that keeps macros of the code from changing the test's checks."""
    forgotten = "".join(f"#undef {name}\n" for name in _NEVER_MACROS)
    return (
        f"{forgotten}#include <assert.h>\n"
        f'#ifdef __cplusplus\nextern "C"\n#endif\nvoid annotator_exit_{key}(int) __attribute__((noreturn));\n'
    )


# -- the guard, for Rust too ---------------------------------------------------------------------------------------


def compiled_guard(request: ProgramRequest) -> dict[str, str]:
    """Return the guard's source with the nonce in it."""
    return {"guard.c": guard_file("guard.c", request.key).replace("ANNOTATOR_NONCE", hide_nonce(request.nonce))}


def compile_with_guard(
    request: ProgramRequest, command: tuple[str, ...], newest: str = "", directives: str = "", error: str = ""
) -> ProgramStep:
    """Return the step that compiles the guard, then the program, whose command names the guard's object file.

    With ``newest``, the flag of the newest standard, a failed compilation is retried with that flag (with ``error``,
    only if that error was reported). If it fails again because a header that the test's directives include is
    missing, the step reports this and exits with 127.
    """
    flag = "-DCOVERAGE " if request.coverage else ""
    guard = f"gcc -O1 -w {flag}-c {request.tools}/guard.c -o {request.tools}/guard.o"
    compiled = f"{check_tool(command[0])}{guard} && {{ {_retry_with(newest, error)}; }}"
    if directives:
        kind = "c++" if command[0] == "g++" else "c"
        include_flags = " ".join(word for word in command if word.startswith(("-I", "-idirafter", ".own")))
        compiled += (
            f' || {{ said=$(printf %s "$0" | $1 {include_flags} -x {kind} -E - 2>&1 >/dev/null'
            " | sed -n 's/.*fatal error: \\(.*\\): No such.*/\\1 is not in this sandbox/p');"
            ' [ -z "$said" ] || { echo "$said" >&2; exit 127; }; exit 1; }'
        )
    return compile_step("sh", "-c", compiled, directives or "sh", *command)


def _retry_with(newest: str, error: str = "") -> str:
    """Return the shell command that retries a failed compilation with a newer standard as its last argument.

    The older one comes first, since a header is precompiled for it.
    """
    if newest and error:
        retried = f"""*{error}*) "$@" {newest};; *) printf '%s\\n' "$said" >&2; false;; esac"""
        return f'said=$("$@" 2>&1) || case "$said" in {retried}'
    return f'"$@" 2>/dev/null || "$@" {newest}' if newest else '"$@"'
