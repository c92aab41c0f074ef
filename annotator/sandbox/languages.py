"""The fourteen languages: how a program is put together, compiled and run in each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from annotator.base.errors import BadInputError
from annotator.sandbox.programs.c import build_c, build_cpp
from annotator.sandbox.programs.csharp import build_csharp
from annotator.sandbox.programs.go import build_go
from annotator.sandbox.programs.java import build_java
from annotator.sandbox.programs.program import (
    Program,
    Request,
    Step,
    check_tool,
    compile_step,
    guard_file,
    run,
    start_file,
)
from annotator.sandbox.programs.rust import build_rust

PYTHON = "python"


@dataclass(frozen=True, slots=True)
class Language:
    """One language: ``group`` names its image, ``version`` the command that tells the tool's version.

    ``memory_marks`` are what its runtime says when memory runs out; ``syntax_mark`` is a pattern for what an
    interpreter says of code it cannot read. ``measured`` says whether coverage can be measured.
    """

    name: str
    title: str
    group: str
    version: tuple[str, ...]
    build: Callable[[Request], Program] | None
    aliases: tuple[str, ...] = ()
    memory_marks: tuple[str, ...] = ()
    syntax_mark: str = ""
    processes: int = 64
    libraries: str = ""
    measured: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


def _join_code_and_test(request: Request, between: str = "\n") -> str:
    return request.code if request.test is None else f"{request.code}{between}{request.test}"


_HANDLE = "{}[Symbol.for('annotator.{}')]"
_CALL = re.compile(
    r"^(?=\(async\b|\(function\b|(?!(?:if|for|while|switch|catch|with|function|return|await)\b)[A-Za-z_$][\w$.]*\()",
    re.MULTILINE,
)
"""A call that begins a line of a test: what it returns is assigned to the guard."""
_MODULE = re.compile(r"^\s*(?:import\s+[\w{*'\"]|export\s)", re.MULTILINE)


_FROM_SNAPSHOT = check_tool("node") + 'test -r "$0" && set -- --snapshot-blob "$0" "$@"; exec node "$@"'
"""Start Node from the image's snapshot where there is one for these flags: half the time of a start without."""


def _node(request: Request, file: str) -> Step:
    heap_mb = max(64, request.memory_mb * 3 // 4)
    flags = ("--stack-size=4000", f"--max-old-space-size={heap_mb}")
    guards = () if request.test is None else tuple(_node_guards(request))
    guard = tuple(word for name in guards for word in ("--require", f"{request.tools}/{name}"))
    start = ("sh", "-c", _FROM_SNAPSHOT, f"{request.tools}/node-{heap_mb}.blob")
    return run(*start, *flags, *guard, file)


def _node_guards(request: Request) -> dict[str, str]:
    """Return what is preloaded, in order."""
    if request.test is None:
        return {}
    names = ("guard_coverage.cjs", "guard.cjs") if request.coverage else ("guard.cjs",)
    return {name: guard_file(name, request.key) for name in names}


def _with_handle(request: Request, owner: str) -> str:
    """Return code and test, whose statements give the guard what they return and tell it when all were reached."""
    if request.test is None:
        return request.code
    handle = _HANDLE.format(owner, request.key)
    test = _CALL.sub(lambda _: f";{handle}.result = ", request.test)
    return f"{request.code}\n;\n{test}\n;{handle}.reached();\n"


def _guards(request: Request, name: str) -> dict[str, str]:
    return {} if request.test is None else {name: guard_file(name, request.key)}


def _javascript(request: Request) -> Program:
    text = _with_handle(request, "globalThis")
    file = "main.mjs" if _MODULE.search(text) else "main.js"
    return Program({file: text}, (_node(request, file),), ("v8", 0), _node_guards(request))


def _typescript(request: Request) -> Program:
    text = _with_handle(request, "(globalThis as any)")
    options = ("--format=cjs", "--platform=node", "--target=es2020", "--log-level=error", "--outfile=main.js",
               *(("--sourcemap=external",) if request.coverage else ()))  # fmt: skip
    steps = (compile_step("esbuild", "main.ts", *options), _node(request, "main.js"))
    return Program({"main.ts": text}, steps, ("v8", 0), _node_guards(request))


_LATE_GEMS, _LATE_PACKAGES = ".start.rb", ".start.R"


def _r(request: Request) -> Program:
    if request.test is None:
        return Program({"main.R": request.code}, (run("Rscript", "--vanilla", "main.R"),))
    # What Rscript would start, a process later.
    started = run("R", "--no-echo", "--no-restore", "--vanilla", f"--file={_LATE_PACKAGES}", "--args", "main.R",
               f"{request.tools}/guard.R", env=(("R_DEFAULT_PACKAGES", "NULL"),))  # fmt: skip
    return Program({"main.R": _join_code_and_test(request), _LATE_PACKAGES: start_file("start.R")}, (started,),
                   guards=_guards(request, "guard.R"))  # fmt: skip


def _ruby(request: Request) -> Program:
    guard = () if request.test is None else (f"{request.tools}/guard.rb",)
    started = run("ruby", "--disable=gems", f"-r./{_LATE_GEMS}", *guard, "main.rb")
    return Program({"main.rb": _join_code_and_test(request), _LATE_GEMS: start_file("start.rb")}, (started,),
                   guards=_guards(request, "guard.rb"))  # fmt: skip


def _php(request: Request) -> Program:
    code = re.sub(r"\?>\s*\Z", "", request.code)
    test = None if request.test is None else re.sub(r"\A\s*<\?php", "", re.sub(r"\?>\s*\Z", "", request.test))
    text = code if code.lstrip().startswith("<?") else f"<?php\n{code}"
    if test is not None:
        text = f"{text}\n{test}"
    strict = ("-d", "display_errors=stderr", "-d", "zend.assertions=1", "-d", "assert.exception=1",
              "-d", f"memory_limit={request.memory_mb}M")  # fmt: skip
    guard = () if request.test is None else (f"{request.tools}/guard.php",)
    return Program({"main.php": text}, (run("php", *strict, *guard, "main.php"),), guards=_guards(request, "guard.php"))


# In POSIX mode special builtins come before functions of their names.
_OWN_BUILTINS = (
    "\nPOSIXLY_CORRECT=1\nunset -f unset exit set trap return eval exec\nunset POSIXLY_CORRECT\n"
    "unset -f test [ true false printf echo builtin command\n"
)


def _bash(request: Request) -> Program:
    guard = () if request.test is None else (f"{request.tools}/guard.sh",)
    text = _join_code_and_test(request, _OWN_BUILTINS)
    return Program({"main.sh": text}, (run("bash", *guard, "main.sh"),), guards=_guards(request, "guard.sh"))


_SOLUTION = re.compile(r"^--\s*solution\s*$", re.MULTILINE | re.IGNORECASE)


def _sql(request: Request) -> Program:
    """A test may have set-up before a line ``-- solution``; its other statements must give only true values."""
    setup, checks = "", request.test
    if request.test is not None and _SOLUTION.search(request.test):
        setup, checks = _SOLUTION.split(request.test, maxsplit=1)
    work = {"setup": setup, "code": request.code, "checks": checks}
    started = run("python3", "-I", f"{request.tools}/guard_sql.py", "work.json")
    guards = {"guard_sql.py": guard_file("guard_sql.py", request.key)}
    return Program({"work.json": json.dumps(work)}, (started,), guards=guards, tests=None)


LANGUAGES: tuple[Language, ...] = (
    Language(PYTHON, "Python", "python", ("python3", "--version"), None, ("py", "python3"), ("MemoryError",),
             libraries="pytest, coverage, numpy, pandas, requests, openpyxl, xlsxwriter", measured=True),
    Language("javascript", "JavaScript", "javascript", ("node", "--version"), _javascript, ("js", "node"),
             ("JavaScript heap out of memory", "Array buffer allocation failed"), libraries="jsdom", measured=True,
             syntax_mark=r"SyntaxError: .*\n\s+at (?:wrapSafe|internalCompile|compileSourceText|ModuleLoader)"),
    Language("typescript", "TypeScript", "javascript", ("tsc", "--version"), _typescript, ("ts",),
             ("JavaScript heap out of memory",), libraries="jsdom", measured=True),
    Language("java", "Java", "java", ("java", "-version"), build_java, (), ("java.lang.OutOfMemoryError",),
             processes=96, measured=True),
    Language("c", "C", "c", ("gcc", "--version"), build_c, measured=True),
    Language("c++", "C++", "c", ("g++", "--version"), build_cpp, ("cpp", "cxx", "c++/c", "c/c++"), ("std::bad_alloc",),
             libraries="boost", measured=True),
    Language("go", "Go", "go", ("go", "version"), build_go, ("golang",),
             ("runtime: out of memory", "cannot allocate memory"), processes=96),
    Language("c#", "C#", "csharp", ("mcs", "--version"), build_csharp, ("csharp", "cs"),
             ("System.OutOfMemoryException",)),
    Language("r", "R", "r", ("Rscript", "--version"), _r, (), ("cannot allocate",),
             syntax_mark=r"Error in parse\(|main\.R:\d+:\d+: unexpected",
             libraries="dplyr, tidyverse, data.table, stringr"),
    Language("rust", "Rust", "rust", ("rustc", "--version"), build_rust, ("rs",), ("memory allocation of",)),
    Language("ruby", "Ruby", "script", ("ruby", "--version"), _ruby, ("rb",), ("NoMemoryError",),
             syntax_mark=r"main\.rb:\d+: .*(?:\(SyntaxError\)|syntax error)"),
    Language("php", "PHP", "script", ("php", "--version"), _php, (), ("Allowed memory size",),
             syntax_mark=r"Parse error: "),
    Language("bash", "Bash", "base", ("bash", "--version"), _bash, ("sh", "shell"),
             syntax_mark=r"main\.sh(?:\.run)?: line \d+: syntax error"),
    Language("sql", "SQL (SQLite)", "base", ("python3", "-c", "import sqlite3; print(sqlite3.sqlite_version)"), _sql,
             ("sqlite",), syntax_mark=r"OperationalError: (?:near .*: syntax error|incomplete input)"),
)  # fmt: skip


def language(name: str) -> Language:
    """Return a language by its name or an alias, in any case. Raises `BadInputError` listing those there are."""
    wanted = name.strip().lower()
    for item in LANGUAGES:
        if wanted == item.name or wanted in item.aliases:
            return item
    raise BadInputError(
        f"There is no language {name} in the sandbox. There is: {', '.join(item.name for item in LANGUAGES)}."
    )


__all__ = ["LANGUAGES", "PYTHON", "Language", "Request", "language"]
