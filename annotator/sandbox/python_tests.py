"""Look at Python test code before it runs: in which style it is written, and whether it can be judged from outside."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache

from annotator.text.python_tree import UNREADABLE, read_tree

_SAME_PROCESS_MODULES = {
    "asyncio", "builtins", "ctypes", "gc", "importlib", "inspect", "io", "logging", "mock", "multiprocessing", "os",
    "pandas", "pathlib", "pickle", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile",
    "threading", "warnings", "xml",
}  # fmt: skip
_FIXTURES = {"capsys", "capfd", "caplog", "monkeypatch", "tmp_path", "tmpdir", "recwarn", "mocker", "capsysbinary"}
_PRELOADABLE = ("numpy", "openpyxl", "pandas", "requests", "xlsxwriter")
_TESTLESS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)


@dataclass(frozen=True, slots=True)
class TestStyle:
    """How to run a piece of test code.

    ``style`` is snippet, functions or pytest; ``same_process`` is why it cannot be judged from outside, or empty;
    ``runs_nothing`` says that it holds no test at all; ``names`` are those it uses.
    """

    style: str
    same_process: str
    runs_nothing: bool
    preload: tuple[str, ...]
    names: frozenset[str]


@lru_cache(maxsize=4096)
def look(test: str) -> TestStyle:
    """Return how to run the test code; code that does not parse is a snippet and will fail with its error."""
    try:
        tree = read_tree(test)
    except UNREADABLE:
        return TestStyle("snippet", "", False, (), frozenset())
    finder = _Finder()
    finder.visit(tree)
    collected = finder.cases or finder.plain
    if collected and (finder.fixtures or "pytest" in finder.modules or finder.plain_arguments):
        style = "pytest"
    else:
        style = "functions" if collected else "snippet"
    runs_nothing = style == "snippet" and all(_idle(node) for node in tree.body)
    preload = [name for name in _PRELOADABLE if name in finder.modules]
    if style == "pytest":
        preload.append("pytest")
    return TestStyle(style, _why_together(finder), runs_nothing, tuple(preload), frozenset(finder.names))


def _idle(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return not any(isinstance(inner, ast.Call) for inner in ast.walk(node))
    return isinstance(node, _TESTLESS) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _why_together(finder: _Finder) -> str:
    modules = sorted(finder.modules & _SAME_PROCESS_MODULES)
    if modules:
        return f"the tests use {modules[0]}"
    if finder.fixtures & _FIXTURES:
        return f"the tests use the fixture {sorted(finder.fixtures & _FIXTURES)[0]}"
    if finder.patches:
        return "the tests patch or open things in their own process"
    return ""


@lru_cache(maxsize=4096)
def classes_of(code: str) -> frozenset[str]:
    """Return the names of the classes that code defines at its top level, exceptions left out."""
    try:
        tree = read_tree(code)
    except UNREADABLE:
        return frozenset()
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and not any(isinstance(base, ast.Name) and base.id.endswith(("Error", "Exception")) for base in node.bases)
    )


@lru_cache(maxsize=4096)
def preloads_of(code: str) -> tuple[str, ...]:
    """Return the heavy modules that code imports, as far as the text tells."""
    return tuple(name for name in _PRELOADABLE if f"import {name}" in code or f"from {name}" in code)


def needs_one_process(style: TestStyle, code: str) -> str:
    """Return why tests and code must share a process, or nothing.

    Only what the tests need counts: a solution cannot talk its way out of the judge. So a class of the solution
    counts if the tests use it and it is written as classes are (CapWords).
    """
    if style.same_process:
        return style.same_process
    used = sorted(name for name in style.names & classes_of(code) if name[:1].isupper())
    return f"the tests use the class {used[0]}" if used else ""


class _Finder(ast.NodeVisitor):
    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.names: set[str] = set()
        self.fixtures: set[str] = set()
        self.cases = self.plain = self.plain_arguments = self.patches = False
        self._depth = 0

    def visit_Import(self, node: ast.Import) -> None:
        self.modules.update(item.name.partition(".")[0] for item in node.names)
        if any(item.name == "unittest.mock" for item in node.names):
            self.patches = True

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.modules.add((node.module or "").partition(".")[0])
        if node.module in ("unittest.mock", "contextlib") or any(item.name == "mock" for item in node.names):
            self.patches = True

    def visit_Name(self, node: ast.Name) -> None:
        self.names.add(node.id)
        if node.id in ("open", "input", "patch", "redirect_stdout", "globals", "setattr"):
            self.patches = True

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        bases = {base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases}
        if any("TestCase" in name for name in bases):
            self.cases = True
        elif node.name.startswith("Test") and self._depth == 0:
            self.plain = True
            self._arguments(node.body, own=1)
        self._inside(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if self._depth == 0 and node.name.startswith("test"):
            self.plain = True
            self._arguments([node], own=0)
        self._inside(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.patches = True
        self._inside(node)

    def _arguments(self, nodes: list[ast.stmt], own: int) -> None:
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                arguments = [item.arg for item in node.args.args[own:]]
                self.fixtures.update(arguments)
                self.plain_arguments = self.plain_arguments or bool(arguments or node.decorator_list)

    def _inside(self, node: ast.AST) -> None:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
