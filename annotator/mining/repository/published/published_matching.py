"""Match tests with functions as DomainEval's published scripts do: by the text of calls and imports.

A test is any function with ``assert`` in its code at the top level of a test file or in a top-level class. A call is
identified by its text before the first bracket. It is resolved to the file that an import of this name leads to, else
to a definition in the test's own file. Nothing is evaluated, and absolute imports start only at the root.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from annotator.mining.repository.discovery.modules import ParsedProject
from annotator.mining.repository.discovery.tree import RepositoryTree

_MAX_IMPORT_DEPTH = 30
"""Limit for packages that re-export names to each other in a cycle; the scripts stop at Python's recursion limit."""


@dataclass(frozen=True, slots=True)
class ImportStatement:
    """One imported name: ``from module import name as alias``; ``module`` is empty for ``import name``."""

    module: str
    name: str
    alias: str = ""

    @property
    def local_name(self) -> str:
        """The name bound in the importing file."""
        return self.alias or self.name

    @property
    def code(self) -> str:
        """The statement's source."""
        head = f"from {self.module} import {self.name}" if self.module else f"import {self.name}"
        return f"{head} as {self.alias}" if self.alias else head

    def may_bind(self, call: str) -> bool:
        """Return whether a call may refer to the imported name."""
        return self.name == "*" or call == self.local_name or call.startswith(f"{self.local_name}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTest:
    """A test function, with its class (``case``) if it has one."""

    path: str
    node: ast.FunctionDef
    case: ast.ClassDef | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its class, if any, and the function."""
        return (self.case.name, self.node.name) if self.case is not None else (self.node.name,)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCall:
    """A call in a test, resolved to a file and names in it; ``definitions`` are those of these names."""

    text: str
    path: str = ""
    names: tuple[str, ...] = ()
    definitions: tuple[ast.FunctionDef | ast.ClassDef, ...] = ()

    @property
    def function(self) -> ast.FunctionDef | None:
        """The called function: the last definition, None if that is a class."""
        last = self.definitions[-1] if self.definitions else None
        return last if isinstance(last, ast.FunctionDef) else None


def imports_of(tree: ast.Module) -> tuple[ImportStatement, ...]:
    """Return the imports of a file, also inside functions, without duplicates, in the order of the syntax tree."""
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
    """Return the first function or class with a name that is directly in a node's body."""
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
        """Return the resolved calls in a test, one per text."""
        texts = {
            ast.unparse(node).partition("(")[0]: None for node in ast.walk(test.node) if isinstance(node, ast.Call)
        }
        return tuple(self._call(test, text) for text in texts)

    def _call(self, test: PublishedTest, text: str) -> PublishedCall:
        statements = [item for item in self.imports(test.path) if item.may_bind(text)]
        if not statements:
            return self._with_definitions(PublishedCall(text=text, path=test.path, names=tuple(text.split("."))))
        for statement in statements:
            target = self._target(test.path, statement, text)
            if target is not None and target[0].endswith(".py"):
                return self._with_definitions(PublishedCall(text=text, path=target[0], names=tuple(target[1])))
        return PublishedCall(text=text)

    def _with_definitions(self, call: PublishedCall) -> PublishedCall:
        definitions: list[ast.FunctionDef | ast.ClassDef] = []
        node: ast.AST | None = self._trees.get(call.path)
        for name in call.names:
            node = definition_in(node, name) if node is not None else None
            if node is None:
                break
            assert isinstance(node, ast.FunctionDef | ast.ClassDef)
            definitions.append(node)
        return PublishedCall(text=call.text, path=call.path, names=call.names, definitions=tuple(definitions))

    def _target(self, path: str, statement: ImportStatement, text: str, depth: int = 0) -> tuple[str, list[str]] | None:
        """Return the file that an import leads to and the remaining names; None if it leads out of the repository."""
        folder = self._start_folder(path, statement)
        if folder is None or depth > _MAX_IMPORT_DEPTH:
            return None
        rest = text if statement.name == "*" else text.removeprefix(statement.local_name).removeprefix(".")
        words = f"{statement.module}.{statement.name}.{rest}".split(".")
        parts = [part for part in words if part and part != "*"]
        path_so_far = folder
        for number, part in enumerate(parts):
            step = f"{path_so_far}/{part}".lstrip("/")
            remaining = parts[number + 1 :]
            if f"{step}.py" in self._files:
                return f"{step}.py", remaining
            if step in self._folders or step in self._files:
                path_so_far = step
                continue
            export = self._resolve_export(f"{path_so_far}/__init__.py".lstrip("/"), part, (statement, text), depth)
            if export is None:
                return None
            path_so_far, more = export
            if path_so_far.endswith(".py"):
                return path_so_far, [*more, *remaining]
        return path_so_far, []

    def _start_folder(self, path: str, statement: ImportStatement) -> str | None:
        """Return the folder an import starts from; None for one above the repository."""
        level = len(statement.module) - len(statement.module.lstrip("."))
        folders = path.split("/")
        if level > len(folders):
            return None
        return "/".join(folders[:-level]) if level else ""

    def _resolve_export(
        self, package: str, name: str, origin: tuple[ImportStatement, str], depth: int
    ) -> tuple[str, list[str]] | None:
        """Return where the imports in a package's ``__init__`` lead for a name; the last one in the repository counts.

        The import being resolved is not followed again for the same name.
        """
        target = None
        for statement in self.imports(package) if package in self._files else ():
            if statement.may_bind(name) and (statement, name) != origin:
                target = self._target(package, statement, name, depth + 1) or target
        return target


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
