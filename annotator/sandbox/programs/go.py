"""Programs in Go: our main calls the test's main or its test functions; the nonce lies in a package of its own."""

from __future__ import annotations

import json
import re

from annotator.sandbox.programs.program import (
    ProgramRequest,
    ProgramStep,
    SandboxProgram,
    check_tool,
    compile_step,
    guard_file,
    run_step,
)
from annotator.sandbox.programs.source_text import closing_place, fit_braces, mask_literals, replace_visible, top_level
from annotator.text.go_imports import IMPORT, go_import_name, go_import_path, read_go_imports

_PACKAGE = re.compile(r"^\s*package\s+(\w+)\s*$", re.MULTILINE)
_MAIN = re.compile(r"^func[ \t]+main[ \t]*(?=\([ \t]*\))", re.MULTILINE)
_TEST = re.compile(r"^func[ \t]+(Test(?![a-z])\w*)[ \t]*\([ \t]*\w+[ \t]+\*testing\.T[ \t]*\)", re.MULTILINE)
_FUZZ = re.compile(r"^func[ \t]+(Fuzz(?![a-z])\w*)[ \t]*\([ \t]*\w+[ \t]+\*testing\.F[ \t]*\)", re.MULTILINE)
_EXAMPLE = re.compile(r"^func[ \t]+(Example(?![a-z])\w*)[ \t]*\([ \t]*\)[ \t]*(?=\{)", re.MULTILINE)
_OUTPUT = re.compile(r"\s*(unordered )?output:[ \t]*\n?", re.IGNORECASE)
_SKIPPED = re.compile(r"[ \t]*\{\s*\w+\.Skip(?:f|Now)?\(")
_CONSTRAINT = re.compile(r"^//(?:go:build|[ \t]*\+build)[ \t].*$", re.MULTILINE)
_TEST_MAIN = re.compile(r"^func[ \t]+TestMain[ \t]*\([ \t]*\w+[ \t]+\*testing\.M[ \t]*\)", re.MULTILINE)
_OF_GO = frozenset((
    "archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed",
    "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "io", "iter", "log", "maps",
    "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort", "strconv",
    "strings", "structs", "sync", "syscall", "unique", "weak",
    "testing", "text", "time", "unicode", "unsafe",
))  # fmt: skip
"""First parts of the paths of Go's own packages."""
_EXIT = re.compile(r"(?<![\w.])os\.Exit(?=\s*\()")
_STATEMENT = re.compile(r"^(?:if|for|switch|panic)\b|^[\w, \t]+:=", re.MULTILINE)
_DECLARED = re.compile(
    r"^(?:func|type|var|const)[ \t]+(panic|recover|true|false|nil|len|append|error|string|int|bool|rune|float64|any)\b",
    re.MULTILINE,
)
"""Built-in names that tests use; a declaration in the code would shadow them."""


def build_go(request: ProgramRequest) -> SandboxProgram:
    """Return a program in Go: one package clause, one list of imports, one main."""
    if request.test is None:
        text = _source(read_go_imports(request.code), _strip_headers(request.code))
        return SandboxProgram(files={"main.go": text}, steps=(_compile(request), run_step("./main")))
    parts = fit_braces(_strip_headers(request.code), _strip_headers(request.test), "go")
    own = _own_imports(request.code, request.test)
    test_imports = tuple(dict.fromkeys(go_import_path(item) for item in read_go_imports(request.test)))
    imports = tuple(item for item in read_go_imports(request.code, request.test) if go_import_path(item) not in own)
    bare = parts.test
    for name in set(own.values()) - {".", "_"}:
        bare = replace_visible(re.compile(rf"(?<![\w.]){name}\.(?=[A-Z])"), "", bare, "go")
    test, entry, tests = _add_entry(bare, request.key)
    if "*testing.T" in entry and '"testing"' not in imports:
        imports += ('"testing"',)
    if "testdeps." in entry:
        imports += ('"testing/internal/testdeps"',)
    guard = f"guard{request.key}"
    guarded_test = replace_visible(_EXIT, f"{guard}.Exit", test, "go")
    if '"os"' in imports:
        guarded_test += "\nvar _ = os.Exit\n"
    text = _source((*imports, f'"{guard}"'), f"{_rename_clashes(parts.code, request.key)}\n{guarded_test}\n{entry}")
    return SandboxProgram(
        files={"main.go": text},
        steps=(_compile(request, tuple(path for path in test_imports if path not in own)), run_step("./main")),
        coverage=None,
        guards={"guard.go": guard_file("guard.go", request.key)},
        secrets=("guard.go",),
        tests=tests,
    )


def _own_imports(code: str, test: str) -> dict[str, str]:
    """Return the import paths with which a test means the code's package, and the test's names for it.

    Tests outside a package import it by a path that only its module knows.
    """
    packages = {match[1].removesuffix("_test") for text in (code, test) for match in _PACKAGE.finditer(text)} - {"main"}
    own = {}
    for item in read_go_imports(test):
        parts = go_import_path(item).split("/")
        if parts[0] not in _OF_GO and parts[-1] in packages:
            own[go_import_path(item)] = go_import_name(item)
    return own


def _strip_headers(text: str) -> str:
    bare = _CONSTRAINT.sub("", _PACKAGE.sub("", text))
    return IMPORT.sub(lambda match: "\n" * match[0].count("\n"), bare)


def _source(imports: tuple[str, ...], body: str) -> str:
    return "package main\n" + "".join(f"import {item}\n" for item in imports) + body


def _rename_clashes(code: str, key: str) -> str:
    """Return code with its own main and its redeclarations of built-in names renamed."""
    code = replace_visible(_MAIN, f"func annotatorAnswer{key}", code, "go")
    for name in dict.fromkeys(_DECLARED.findall(top_level(mask_literals(code, "go")))):
        code = replace_visible(re.compile(rf"(?<![\w.]){name}\b"), f"{name}_{key}", code, "go")
    return code


def _add_entry(test: str, key: str) -> tuple[str, str, int]:
    """Return the test, our main, and how many tests it runs.

    These are test functions, fuzz tests with their seed values, and examples with expected output; otherwise the test's
    main or statements.
    """
    masked = mask_literals(test, "go")
    tests = list(_TEST.finditer(masked))
    calls = {item[1]: f"{item[1]}(t)" for item in tests if not _SKIPPED.match(masked, item.end())}
    calls |= _example_calls(test, masked, key)
    fuzzed = _FUZZ.findall(masked)
    if tests or calls or fuzzed:
        test = replace_visible(_MAIN, f"func annotatorUnused{key}", test, "go")
        entry = _run_functions(calls, fuzzed, key, by_test_main=_TEST_MAIN.search(masked) is not None)
        return test, entry, len(calls) + len(fuzzed)
    ours = f"annotatorProgram{key}"
    entry = f"func main() {{ {ours}(); guard{key}.Exit(0) }}\n"
    if _MAIN.search(masked):
        return replace_visible(_MAIN, f"func {ours}", test, "go"), entry, 1
    if _STATEMENT.search(top_level(masked)):
        return f"func {ours}() {{\n{test}\n}}\n", entry, 1
    return test, f"func main() {{ guard{key}.Exit(0) }}\n", 0


def _example_calls(test: str, masked: str, key: str) -> dict[str, str]:
    """Return the calls of the examples that state their output in the last comment."""
    calls = {}
    for match in _EXAMPLE.finditer(masked):
        end = closing_place(masked, match.end()) or len(masked)
        last = len(masked[:end].rstrip())
        comment = re.split(r"\n[ \t]*\n", test[last:end].strip())[-1]
        lines = [re.sub(r"^[ \t]*(?://|/\*) ?|\*/", "", line).rstrip() for line in comment.splitlines()]
        if (output := _OUTPUT.match("\n".join(lines))) is not None:
            expected = json.dumps(output.string[output.end() :], ensure_ascii=False)
            unordered = "true" if output[1] else "false"
            calls[match[1]] = f"guard{key}.Example({match[1]}, {expected}, {unordered}, t.Errorf)"
    return calls


def _run_functions(functions: dict[str, str], fuzzed: list[str], key: str, *, by_test_main: bool) -> str:
    """Return a main that passes the functions to the testing package, and ends the process after the last."""
    count = f"defer func() {{ guard{key}.Count(t.Skipped()) }}()"
    calls = "".join(
        f'\t\t\tt.Run("{name}", func(t *testing.T) {{ {count}; {call} }})\n' for name, call in functions.items()
    )
    end = f"guard{key}.End(failed || all.Failed(), {len(functions) + len(fuzzed)})"
    tests = f'{{Name: "all", F: func(t *testing.T) {{\n\t\t\tall = t\n{calls}\t\t}}}},\n'
    targets = "".join(
        f'\t\t{{Name: "{name}", Fn: func(f *testing.F) {{ '
        f"defer func() {{ guard{key}.Count(f.Skipped()); failed = failed || f.Failed() }}(); {name}(f) }}}},\n"
        for name in fuzzed
    )
    if fuzzed:
        targets += f'\t\t{{Name: "end", Fn: func(*testing.F) {{ {end} }}}},\n'
    else:
        tests += f'\t\t{{Name: "end", F: func(*testing.T) {{ {end} }}}},\n'
    tests = f"[]testing.InternalTest{{\n\t\t{tests}\t}}"
    start = f"testing.Main(func(_, _ string) (bool, error) {{ return true, nil }}, {tests}, nil, nil)"
    if by_test_main or fuzzed:
        targets = f"[]testing.InternalFuzzTarget{{\n{targets}\t}}"
        start = f"testing.MainStart(testdeps.TestDeps{{}}, {tests}, nil, {targets}, nil)"
        start = f"TestMain({start})" if by_test_main else f"{start}.Run()"
    return f"func main() {{\n\tvar all *testing.T\n\tfailed := false\n\t{start}\n}}\n"


def _compile(request: ProgramRequest, test_imports: tuple[str, ...] = ()) -> ProgramStep:
    """Return the step that compiles, with the compiler and the linker themselves, as the go command is slow to start.

    If that fails because a package imported by the test is missing, the step reports this and exits with 127.
    """
    compiler = '"$tools/compile" -I "$packages" -I . -p '
    commands = []
    if request.test is not None:
        guard = f"guard{request.key}"
        commands.append(f"{compiler}{guard} -o {guard}.a {request.tools}/guard.go")
    commands += [f"{compiler}main -o main.a main.go", '"$tools/link" -L "$packages" -L . -s -w -o main main.a']
    check = 'case $name in unsafe|C) ;; *) [ -e "$packages/$name.a" ] ||'
    # The compiler writes its errors to the standard output.
    script = (
        f"{check_tool('go')}root=$(go env GOROOT) platform=linux_$(go env GOARCH);"
        ' packages="$root/pkg/$platform" tools="$root/pkg/tool/$platform";'
        f" {{ {' && '.join(commands)}; }} >&2 || {{ for name;"
        f' do {check} {{ echo "$name is not in this sandbox" >&2; exit 127; }} ;; esac; done; exit 1; }}'
    )
    return compile_step("sh", "-c", script, "sh", *test_imports, env=(("GOFLAGS", "-mod=mod"), ("GOCACHE", "/tmp/.go")))
