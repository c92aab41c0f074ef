"""Inspect Python test code before it runs: its style, and whether it can be judged from outside."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from dataclasses import dataclass
from functools import lru_cache

from annotator.text.python_tree import UNREADABLE, read_tree

_SAME_PROCESS_MODULES = {
    "asyncio", "builtins", "concurrent", "ctypes", "doctest", "gc", "importlib", "inspect", "io", "logging", "mock",
    "multiprocessing", "os", "pandas", "pathlib", "pickle", "queue", "shutil", "signal", "socket", "sqlite3",
    "subprocess", "sys", "tempfile", "threading", "warnings", "xml",
}  # fmt: skip
_PROCESS_ASSERTIONS = {"assertLogs", "assertNoLogs", "assertWarns", "assertWarnsRegex", "deprecated_call", "warns"}
"""Names with which tests inspect or change the state of their own process."""
_BUILTINS = frozenset(dir(builtins))
_FIXTURES = {"capsys", "capfd", "caplog", "monkeypatch", "tmp_path", "tmpdir", "recwarn", "mocker", "capsysbinary"}
_IDENTITY = {"id", "assertIs", "assertIsNot", "issubclass", "mro"}
_CLASS_ATTRIBUTES = {"__mro__", "__bases__", "__base__"}
SOLUTION = "solution"
"""The module name under which tests import the code under test."""
_PATCHING = {"open", "input", "patch", "redirect_stdout", "globals", "setattr"}
_INTROSPECTION_NAMES = {"asdict", "astuple", "dir", "fields", "is_dataclass", "memoryview", "replace", "vars"}
_INTROSPECTION_MODULES = ("array", "weakref")
_FILE_METHODS = {"exists", "is_dir", "is_file", "iterdir", "read_bytes", "read_text", "stat", "unlink"}
"""Names with which tests inspect an object's memory, or files that only its own process has."""
_FORWARDED_DUNDERS = (
    "all|author|cause|class|context|defaults|doc|init|module|name|notes|qualname|slots|suppress_context|version"
)
_DUNDER = re.compile(rf"__(?!(?:{_FORWARDED_DUNDERS})__)[a-z_]+__")
"""Internal attributes of an object, except those that are transferred with it or forwarded by a stand-in."""
_FRAMEWORKS = ("hypothesis", "pytest", "unittest")
_STATELESS = frozenset(
    ("bisect", "copy", "heapq", "json", "math", "pprint", "random", "re", "statistics", "string", "time")
)
"""Modules without state, except for random's seeds, which the answer's process receives too."""
_PRELOADABLE = ("numpy", "openpyxl", "pandas", "requests", "xlsxwriter")
_CONDITIONAL = (ast.If, ast.Try, ast.TryStar, ast.With, ast.AsyncWith)
_TESTLESS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestStyle:
    """How to run a piece of test code.

    ``style`` is snippet, functions or pytest; ``same_process`` is the reason why it cannot be judged from outside
    (empty if it can); ``uncertain`` the reason why only a run shows whether it can. ``runs_nothing``: it has no test.
    ``compares_identity``: it compares the identity of objects or the bases of classes, which copies and stand-ins may
    answer differently. ``changes`` names a module whose state the tests change, although the code under test has its
    own copy of the module; ``looks_at`` names an attribute that only the object itself has, not a copy or stand-in. All
    of this is read from the tests alone, so the code under test cannot affect it. ``libraries`` are the third-party
    modules without which the tests cannot run. ``shadowed`` are the called builtins if the tests use no other name that
    the code under test could define: then they may mean functions of that code.
    """

    style: str = "snippet"
    same_process: str = ""
    uncertain: str = ""
    runs_nothing: bool = False
    preload: tuple[str, ...] = ()
    shadowed: tuple[str, ...] = ()
    compares_identity: bool = False
    libraries: tuple[str, ...] = ()
    changes: str = ""
    looks_at: str = ""


@lru_cache(maxsize=4096)
def inspect_tests(test: str) -> TestStyle:
    """Return how to run the test code; code that does not parse is a snippet and fails with its error."""
    try:
        tree = read_tree(test)
    except UNREADABLE:
        return TestStyle()
    finder = _TestFinder()
    finder.visit(tree)
    collected = (finder.cases or finder.plain) and not _calls_own_methods(tree)
    if collected and (finder.fixtures or "pytest" in finder.modules or finder.plain_arguments):
        style = "pytest"
    else:
        style = "functions" if collected else "snippet"
    runs_nothing = style == "snippet" and all(_tests_nothing(node) for node in tree.body)
    preload = [name for name in _PRELOADABLE if name in finder.modules]
    if style == "pytest":
        preload.append("pytest")
    same_process = _same_process_reason(finder)
    return TestStyle(
        style=style,
        same_process=same_process,
        uncertain="" if same_process else _uncertainty_reason(finder),
        runs_nothing=runs_nothing,
        preload=tuple(preload),
        shadowed=finder.shadowed(),
        compares_identity=finder.compares_identity,
        libraries=_libraries_of(tree),
        changes=finder.changes,
        looks_at=finder.looks_at(),
    )


def _libraries_of(tree: ast.Module) -> tuple[str, ...]:
    """Return the third-party modules that tests always import.

    Imports under a condition, or whose failure is caught, are optional; modules named in a string, as
    ``sys.modules["fake"]``, may be made by the tests.
    """
    imported: set[str] = set()
    mentioned = {str(node.value).removesuffix(".py") for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            imported.update(item.name.partition(".")[0] for item in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            imported.add((node.module or "").partition(".")[0])
        elif not isinstance(node, _CONDITIONAL):
            pending.extend(ast.iter_child_nodes(node))
    return tuple(sorted(imported - mentioned - sys.stdlib_module_names - {SOLUTION}))


def _calls_own_methods(tree: ast.Module) -> bool:
    """Return whether the text calls its own test methods, as in ``TestRoman().test_nine()``, and so is a script.

    Published rows of DomainEval call one method like this; the fixtures of the others stayed in the repository.
    """
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in tree.body:
        match node:
            case ast.Expr(ast.Call(ast.Attribute(ast.Call(ast.Name(made)), called))):
                if made in classes and called.startswith("test"):
                    return True
    return False


def _root_of(node: ast.expr) -> str:
    """Return the first name of an expression, such as ``decimal`` in ``decimal.getcontext().prec``."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _tests_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return not any(isinstance(inner, ast.Call) for inner in ast.walk(node))
    return isinstance(node, _TESTLESS) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _is_singleton(node: ast.expr) -> bool:
    """Return whether an expression is None, True or the like, which is the same object after a transfer."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def _same_process_reason(finder: _TestFinder) -> str:
    modules = sorted(finder.modules & _SAME_PROCESS_MODULES)
    if modules:
        return f"the tests use {modules[0]}"
    if finder.fixtures & _FIXTURES:
        return f"the tests use the fixture {sorted(finder.fixtures & _FIXTURES)[0]}"
    if finder.patches:
        return "the tests patch or open things in their own process"
    derived = sorted(finder.bases & finder.foreign_names())
    return f"the tests derive a class from {derived[0]}" if derived else ""


def _uncertainty_reason(finder: _TestFinder) -> str:
    classes = finder.foreign_classes()
    if classes:
        return f"the tests use the class {classes[0]}"
    if finder.changes:
        return f"the tests change the state of {finder.changes}"
    return f"the tests look at {finder.looks_at()}" if finder.looks_at() else ""


@lru_cache(maxsize=4096)
def preloads_of(code: str) -> tuple[str, ...]:
    """Return the heavy modules that code imports, as far as its text shows."""
    return tuple(name for name in _PRELOADABLE if f"import {name}" in code or f"from {name}" in code)


class _TestFinder(ast.NodeVisitor):
    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.fixtures: set[str] = set()
        self.bases: set[str] = set()
        self.cases = self.plain = self.plain_arguments = self.patches = self.compares_identity = False
        self._used: set[str] = set()
        self._called: set[str] = set()
        self._caught: set[str] = set()
        self._bound: set[str] = set()
        self._depth = 0
        self.changes = ""
        self._modules_of: dict[str, str] = {}
        self._decorators: set[str] = set()
        self._inner_attributes: set[str] = set()

    def looks_at(self) -> str:
        """Return an attribute that no copy or stand-in of the object has, if the tests use one; else empty.

        That includes decorators of the answer on a class or method of the tests.
        """
        used = self._used & _INTROSPECTION_NAMES - (self._bound - set(self._modules_of))
        own = self._decorators & self.foreign_names()
        return min(
            (*self._inner_attributes, *used, *own, *self.modules.intersection(_INTROSPECTION_MODULES)), default=""
        )

    def foreign_names(self) -> set[str]:
        """Return the names that the tests use but do not bind."""
        return self._used - self._bound - _BUILTINS

    def foreign_classes(self) -> list[str]:
        """Return the unbound names that look like classes of the answer.

        Names that are only caught or expected to be raised are exceptions, names in capitals are constants, and classes
        have no underscore.
        """
        foreign = self.foreign_names() - self._caught
        return sorted(
            name
            for name in foreign
            if name[:1].isupper()
            and "_" not in name
            and not name.endswith(("Error", "Exception", "Warning"))
            and (not name.isupper() or name in self._called)
        )

    def shadowed(self) -> tuple[str, ...]:
        """Return the called builtins if the tests use no name that only the answer could define."""
        foreign = self._used - self._bound - _BUILTINS - {"check", "candidate"}
        return () if foreign else tuple(sorted(self._called & _BUILTINS - self._bound))

    def visit_Import(self, node: ast.Import) -> None:
        self.modules.update(item.name.partition(".")[0] for item in node.names)
        self._bound.update(item.asname or item.name.partition(".")[0] for item in node.names)
        for item in node.names:
            self._record_origin(item.asname or item.name.partition(".")[0], item.name)
        if any(item.name == "unittest.mock" for item in node.names):
            self.patches = True

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.modules.add((node.module or "").partition(".")[0])
        if node.module == SOLUTION:
            # Names imported from the answer count as the answer's, like names used without an import.
            self._used.update(item.name for item in node.names)
        else:
            self._bound.update(item.asname or item.name for item in node.names)
            for item in node.names:
                self._record_origin(item.asname or item.name, node.module or "")
        if node.module in ("unittest.mock", "contextlib") or any(item.name == "mock" for item in node.names):
            self.patches = True

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._used.add(node.id)
        else:
            self._bound.add(node.id)
        if node.id in _PATCHING:
            self.patches = True

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in _PROCESS_ASSERTIONS:
            self.patches = True
        if node.attr in _CLASS_ATTRIBUTES:
            self.compares_identity = True
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        of_dataclasses = owner == "dataclasses" and node.attr in _INTROSPECTION_NAMES
        if of_dataclasses or node.attr in _FILE_METHODS or _DUNDER.fullmatch(node.attr):
            self._inner_attributes.add(node.attr)
        if owner == SOLUTION:
            self._used.add(node.attr)
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        self._bound.add(node.arg)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type is not None:
            self._caught.update(inner.id for inner in ast.walk(node.type) if isinstance(inner, ast.Name))
        if node.name:
            self._bound.add(node.name)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for operator, left_operand, right_operand in zip(node.ops, operands, operands[1:], strict=False):
            if isinstance(operator, ast.Is | ast.IsNot) and not (
                _is_singleton(left_operand) or _is_singleton(right_operand)
            ):
                self.compares_identity = True
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name):
            self._called.add(node.func.id)
        function_name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if function_name in _IDENTITY:
            self.compares_identity = True
        if function_name in ("getattr", "hasattr"):
            self._inner_attributes.update(
                str(item.value)
                for item in node.args[1:2]
                if isinstance(item, ast.Constant) and _DUNDER.fullmatch(str(item.value))
            )
        if function_name in ("raises", "assertRaises", "assertRaisesRegex"):
            self._caught.update(
                inner.id for item in node.args[:1] for inner in ast.walk(item) if isinstance(inner, ast.Name)
            )
        self.generic_visit(node)

    def _record_origin(self, name: str, module: str) -> None:
        if module.partition(".")[0] not in (*_FRAMEWORKS, SOLUTION):
            self._modules_of[name] = module

    def _record_change(self, node: ast.expr) -> None:
        """Record that a statement changes what an expression refers to, if that belongs to a module."""
        self.changes = self.changes or self._modules_of.get(_root_of(node), "")

    def _is_stateless(self, call: ast.Call) -> bool:
        """Return whether a call does not change its module, or changes it in the answer's process too."""
        return ast.unparse(call.func).endswith("random.seed") or self._modules_of.get(_root_of(call)) in _STATELESS

    def visit_Expr(self, node: ast.Expr) -> None:
        # A call whose result is not used is made for its side effects.
        if isinstance(call := node.value, ast.Call):
            is_assertion = ast.unparse(call.func).rpartition(".")[2].startswith("assert")
            if not (is_assertion or self._is_stateless(call)):
                self._record_change(call)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute | ast.Subscript):
                self._record_change(target)
            elif isinstance(target, ast.Name) and isinstance(node.value, ast.Call):
                self._record_origin(target.id, self._modules_of.get(_root_of(node.value), ""))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Attribute | ast.Subscript):
            self._record_change(node.target)
        self.generic_visit(node)

    def visit_withitem(self, node: ast.withitem) -> None:
        self._record_change(node.context_expr)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bound.add(node.name)
        bases = {base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases}
        self.bases |= bases
        methods = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
        for decorator in (item for each in (node, *methods) for item in each.decorator_list):
            self._decorators.add(_root_of(decorator))
        if any("TestCase" in name for name in bases):
            self.cases = True
        elif node.name.startswith("Test") and self._depth == 0:
            self.plain = True
            self._record_arguments(node.body, own=1)
        self._visit_nested(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._bound.add(node.name)
        if self._depth == 0 and node.name.startswith("test"):
            self.plain = True
            self._record_arguments([node], own=0)
        self._visit_nested(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._bound.add(node.name)
        self.patches = True
        self._visit_nested(node)

    def _record_arguments(self, nodes: list[ast.stmt], own: int) -> None:
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                arguments = [item.arg for item in node.args.args[own:]]
                self.fixtures.update(arguments)
                self.plain_arguments = self.plain_arguments or bool(arguments or node.decorator_list)

    def _visit_nested(self, node: ast.AST) -> None:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
