"""The fourteen languages: how a program is assembled, compiled and run in each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.sandbox.programs.c import build_c, build_cpp
from annotator.sandbox.programs.csharp import build_csharp
from annotator.sandbox.programs.go import build_go
from annotator.sandbox.programs.java import build_java
from annotator.sandbox.programs.javascript import build_javascript, build_typescript
from annotator.sandbox.programs.program import ProgramRequest, SandboxProgram, guard_file, run_step
from annotator.sandbox.programs.rust import build_rust
from annotator.sandbox.programs.scripts import build_bash, build_php, build_r, build_ruby

PYTHON = "python"
NEWER_PYTHON = "python313"
"""The group with the current Python; the group for Python has the version that repositories need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language: ``group`` names its image, ``version`` is the command that prints the tool's version.

    ``memory_marks`` are messages of its runtime when memory runs out; ``syntax_mark`` is a pattern for an interpreter's
    message about code it cannot parse. ``measured``: coverage can be measured. ``compiled``: each run compiles the
    program anew, which takes longer than most tests. ``unread_marks`` are messages, in lower case, of an old compiler
    about syntax that it does not know, or operators (such as the equality of tuples in C#).
    """

    name: str
    title: str
    group: str
    version: tuple[str, ...]
    build: Callable[[ProgramRequest], SandboxProgram] | None
    aliases: tuple[str, ...] = ()
    memory_marks: tuple[str, ...] = ()
    syntax_mark: str = ""
    unread_marks: tuple[str, ...] = ()
    processes: int = 64
    libraries: str = ""
    measured: bool = False
    compiled: bool = False


_SOLUTION = re.compile(r"^--\s*solution\s*$", re.MULTILINE | re.IGNORECASE)


def _sql(request: ProgramRequest) -> SandboxProgram:
    """A test may have set-up before a line ``-- solution``; its other statements must return only true values."""
    setup, checks = "", request.test
    if request.test is not None and _SOLUTION.search(request.test):
        setup, checks = _SOLUTION.split(request.test, maxsplit=1)
    work = {"setup": setup, "code": request.code, "checks": checks}
    started = run_step("python3", "-I", f"{request.tools}/guard_sql.py", "work.json")
    guards = {"guard_sql.py": guard_file("guard_sql.py", request.key)}
    return SandboxProgram(files={"work.json": json.dumps(work)}, steps=(started,), guards=guards, tests=None)


LANGUAGES: tuple[Language, ...] = (
    Language(
        name=PYTHON,
        title="Python",
        group="python",
        version=("python3", "--version"),
        build=None,
        aliases=("py", "python3"),
        memory_marks=("MemoryError",),
        libraries="pytest, coverage, hypothesis, numpy, pandas, requests, openpyxl, xlsxwriter",
        measured=True,
    ),
    Language(
        name="javascript",
        title="JavaScript",
        group="javascript",
        version=("node", "--version"),
        build=build_javascript,
        aliases=("js", "node"),
        memory_marks=("JavaScript heap out of memory", "Array buffer allocation failed"),
        libraries="jsdom",
        measured=True,
        syntax_mark=r"SyntaxError: .*\n\s+at (?:wrapSafe|internalCompile|compileSourceText|ModuleLoader)",
    ),
    Language(
        name="typescript",
        title="TypeScript",
        group="javascript",
        version=("tsc", "--version"),
        build=build_typescript,
        aliases=("ts",),
        memory_marks=("JavaScript heap out of memory",),
        libraries="jsdom",
        measured=True,
    ),
    Language(
        name="java",
        title="Java",
        group="java",
        version=("java", "-version"),
        build=build_java,
        memory_marks=("java.lang.OutOfMemoryError",),
        processes=96,
        measured=True,
        compiled=True,
    ),
    Language(name="c", title="C", group="c", version=("gcc", "--version"), build=build_c, measured=True, compiled=True),
    Language(
        name="c++",
        title="C++",
        group="c",
        version=("g++", "--version"),
        build=build_cpp,
        aliases=("cpp", "cxx", "c++/c", "c/c++"),
        memory_marks=("std::bad_alloc",),
        libraries="boost",
        measured=True,
        compiled=True,
    ),
    Language(
        name="go",
        title="Go",
        group="go",
        version=("go", "version"),
        build=build_go,
        aliases=("golang",),
        memory_marks=("runtime: out of memory", "cannot allocate memory"),
        processes=96,
        compiled=True,
    ),
    Language(
        name="c#",
        title="C#",
        group="csharp",
        version=("mcs", "--version"),
        build=build_csharp,
        aliases=("csharp", "cs"),
        memory_marks=("System.OutOfMemoryException",),
        unread_marks=("unexpected symbol", "parsing error", "is not part of the c#", "operands of type `("),
        compiled=True,
    ),
    Language(
        name="r",
        title="R",
        group="r",
        version=("Rscript", "--version"),
        build=build_r,
        memory_marks=("cannot allocate",),
        syntax_mark=r"Error in parse\(|main\.R:\d+:\d+: unexpected",
        libraries="dplyr, tidyverse, data.table, stringr, testthat",
    ),
    Language(
        name="rust",
        title="Rust",
        group="rust",
        version=("rustc", "--version"),
        build=build_rust,
        aliases=("rs",),
        memory_marks=("memory allocation of",),
        unread_marks=("error[e0658]",),
        compiled=True,
    ),
    Language(
        name="ruby",
        title="Ruby",
        group="script",
        version=("ruby", "--version"),
        build=build_ruby,
        aliases=("rb",),
        memory_marks=("NoMemoryError",),
        syntax_mark=r"main\.rb:\d+: .*(?:\(SyntaxError\)|syntax error)",
        libraries="minitest, rspec",
    ),
    Language(
        name="php",
        title="PHP",
        group="script",
        version=("php", "--version"),
        build=build_php,
        memory_marks=("Allowed memory size",),
        syntax_mark=r"Parse error: ",
    ),
    Language(
        name="bash",
        title="Bash",
        group="script",
        version=("bash", "--version"),
        build=build_bash,
        aliases=("sh", "shell"),
        syntax_mark=r"main\.sh(?:\.run)?: line \d+: syntax error",
    ),
    Language(
        name="sql",
        title="SQL (SQLite)",
        group="base",
        version=("python3", "-c", "import sqlite3; print(sqlite3.sqlite_version)"),
        build=_sql,
        aliases=("sqlite",),
        syntax_mark=r"OperationalError: (?:near .*: syntax error|incomplete input)",
    ),
)


def find_language(name: str) -> Language:
    """Return a language by its name or an alias, in any case. Raises `BadInputError` listing those there are."""
    key = name.strip().lower()
    for item in LANGUAGES:
        if key == item.name or key in item.aliases:
            return item
    known_names = ", ".join(item.name for item in LANGUAGES)
    if not key:
        raise BadInputError(f"No programming language is named. The sandbox runs: {known_names}.")
    raise BadInputError(f"There is no language {name} in the sandbox. Choose from: {known_names}.")


__all__ = ["LANGUAGES", "PYTHON", "Language", "ProgramRequest", "find_language"]
