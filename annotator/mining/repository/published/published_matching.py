"""Match tests with functions as DomainEval's published scripts do: by the text of calls and of imports.

A test is any function with ``assert`` in its code that stands at the top of a test file, or in a class there. A call is
the text before its first bracket. It leads to the file that an import of that name leads to, or else to a definition in
the test's own file. Nothing is evaluated, and paths of absolute imports start at the root alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from annotator.mining.repository.discovery.modules import ParsedProject
from annotator.mining.repository.discovery.tree import RepositoryTree

_IMPORT_DEPTH = 30
"""Packages that hand names to each other without end are given up here; the scripts stop at Python's own limit."""


@dataclass(frozen=True, slots=True)
class ImportStatement:
    """One name that an import brings: ``from module import name as alias``; ``module`` is empty for ``import name``."""

    module: str
    name: str
    alias: str = ""

    @property
    def local_name(self) -> str:
        """The name that code uses."""
        return self.alias or self.name

    @property
    def code(self) -> str:
        """The statement."""
        head = f"from {self.module} import {self.name}" if self.module else f"import {self.name}"
        return f"{head} as {self.alias}" if self.alias else head

    def brings(self, call: str) -> bool:
        """Return whether a call may mean what this import brings."""
        return self.name == "*" or call == self.local_name or call.startswith(f"{self.local_name}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTest:
    """A test function, with the class that holds it if there is one."""

    path: str
    node: ast.FunctionDef
    case: ast.ClassDef | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Its class and its name, or its name alone."""
        return (self.case.name, self.node.name) if self.case is not None else (self.node.name,)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCall:
    """A call in a test and where it leads: a file and names in it, and the definitions found for these names."""

    text: str
    path: str = ""
    names: tuple[str, ...] = ()
    found: tuple[ast.FunctionDef | ast.ClassDef, ...] = ()

    @property
    def function(self) -> ast.FunctionDef | None:
        """The function that is taken to be called: the last definition found, unless that is a class."""
        last = self.found[-1] if self.found else None
        return last if isinstance(last, ast.FunctionDef) else None


def imports_of(tree: ast.Module) -> tuple[ImportStatement, ...]:
    """Return the imports of a file, those inside functions too, each once, in the order of the syntax tree."""
    statements: dict[ImportStatement, None] = {}
    for node in _in_order(tree):
        module = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        statements |= {ImportStatement(module, item.name, item.asname or ""): None for item in node.names}
    return tuple(statements)


def _in_order(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        pending += reversed(list(ast.iter_child_nodes(node)))


def definition_in(node: ast.AST, name: str) -> ast.FunctionDef | ast.ClassDef | None:
    """Return the first function or class of a name that stands directly in a node's body."""
    for item in getattr(node, "body", ()):
        if isinstance(item, ast.FunctionDef | ast.ClassDef) and item.name == name:
            return item
    return None


class PublishedMatcher:
    """Finds the tests of a repository and what they call."""

    def __init__(self, tree: RepositoryTree, project: ParsedProject) -> None:
        self._trees = {module.path: module.tree for module in project.modules}
        self._files = {file.path for file in tree.files} | {path for path, _ in tree.others}
        self._folders = {""}
        for path in self._files:
            parts = path.split("/")
            self._folders |= {"/".join(parts[:depth]) for depth in range(1, len(parts))}
        self._imports: dict[str, tuple[ImportStatement, ...]] = {}

    def imports(self, path: str) -> tuple[ImportStatement, ...]:
        """Return the imports of a file."""
        if path not in self._imports:
            self._imports[path] = imports_of(self._trees[path]) if path in self._trees else ()
        return self._imports[path]

    def tests(self) -> tuple[PublishedTest, ...]:
        """Return every test of the repository."""
        return tuple(
            test
            for path, tree in self._trees.items()
            if _is_test_file(path, tree)
            for test in _functions_of(path, tree)
            if "assert" in ast.unparse(test.node)
        )

    def calls(self, test: PublishedTest) -> tuple[PublishedCall, ...]:
        """Return what a test calls, each text once."""
        texts = {
            ast.unparse(node).partition("(")[0]: None for node in ast.walk(test.node) if isinstance(node, ast.Call)
        }
        return tuple(self._call(test, text) for text in texts)

    def _call(self, test: PublishedTest, text: str) -> PublishedCall:
        statements = [item for item in self.imports(test.path) if item.brings(text)]
        if not statements:
            return self._with_definitions(PublishedCall(text=text, path=test.path, names=tuple(text.split("."))))
        for statement in statements:
            place = self._target(test.path, statement, text)
            if place is not None and place[0].endswith(".py"):
                return self._with_definitions(PublishedCall(text=text, path=place[0], names=tuple(place[1])))
        return PublishedCall(text=text)

    def _with_definitions(self, call: PublishedCall) -> PublishedCall:
        found: list[ast.FunctionDef | ast.ClassDef] = []
        node: ast.AST | None = self._trees.get(call.path)
        for name in call.names:
            node = definition_in(node, name) if node is not None else None
            if node is None:
                break
            assert isinstance(node, ast.FunctionDef | ast.ClassDef)
            found.append(node)
        return PublishedCall(text=call.text, path=call.path, names=call.names, found=tuple(found))

    def _target(self, path: str, statement: ImportStatement, text: str, depth: int = 0) -> tuple[str, list[str]] | None:
        """Return the file that an import leads to and the names left for it; None if it leads out of the repository."""
        folder = self._start(path, statement)
        if folder is None or depth > _IMPORT_DEPTH:
            return None
        rest = text if statement.name == "*" else text.removeprefix(statement.local_name).removeprefix(".")
        words = f"{statement.module}.{statement.name}.{rest}".split(".")
        parts = [part for part in words if part and part != "*"]
        place = folder
        for number, part in enumerate(parts):
            step = f"{place}/{part}".lstrip("/")
            remaining = parts[number + 1 :]
            if f"{step}.py" in self._files:
                return f"{step}.py", remaining
            if step in self._folders or step in self._files:
                place = step
                continue
            handed = self._handed_out(f"{place}/__init__.py".lstrip("/"), part, (statement, text), depth)
            if handed is None:
                return None
            place, more = handed
            if place.endswith(".py"):
                return place, [*more, *remaining]
        return place, []

    def _start(self, path: str, statement: ImportStatement) -> str | None:
        """Return the folder an import starts from; None for one above the repository."""
        level = len(statement.module) - len(statement.module.lstrip("."))
        folders = path.split("/")
        if level > len(folders):
            return None
        return "/".join(folders[:-level]) if level else ""

    def _handed_out(
        self, package: str, name: str, origin: tuple[ImportStatement, str], depth: int
    ) -> tuple[str, list[str]] | None:
        """Return where the imports of a package's ``__init__`` lead a name to: the last that lead into the repository.

        The import that is being followed is not followed again for the same name.
        """
        place = None
        for statement in self.imports(package) if package in self._files else ():
            if statement.brings(name) and (statement, name) != origin:
                place = self._target(package, statement, name, depth + 1) or place
        return place


def _is_test_file(path: str, tree: ast.Module) -> bool:
    names = [item.name for item in tree.body if isinstance(item, ast.FunctionDef | ast.ClassDef)]
    return "test" in path.rpartition("/")[2] or any("test" in name or "Test" in name for name in names)


def _functions_of(path: str, tree: ast.Module) -> Iterator[PublishedTest]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield PublishedTest(path=path, node=node)
    for case in tree.body:
        if isinstance(case, ast.ClassDef):
            for node in case.body:
                if isinstance(node, ast.FunctionDef):
                    yield PublishedTest(path=path, node=node, case=case)
