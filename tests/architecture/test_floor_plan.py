"""Circles between files, sizes of folders, private names of others, and where SQL may stand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.trees import MODULES as PATHS
from tests.architecture.trees import PACKAGE, ROOT, all_trees, tree_of

NAMES = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in PATHS}
MODULES = {name: path for path, name in NAMES.items()}

MOST_MODULES = 20
SQL = re.compile(
    r"\s*(SELECT\s.+\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s)", re.DOTALL
)


def _imported(path: Path) -> Iterator[str]:
    """Yield the project's modules that a file imports, for typing and inside functions too."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                deeper = f"{node.module}.{alias.name}"
                found = deeper if deeper in MODULES else node.module
                if found in MODULES and found != NAMES[path]:
                    yield found


def _circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of files that import each other, by Tarjan's algorithm without recursion."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    circles: list[list[str]] = []
    for first in graph:
        if first in number:
            continue
        number[first] = lowest[first] = len(number)
        waiting.append(first)
        path = [(first, iter(sorted(graph[first])))]
        while path:
            name, following = path[-1]
            other = next(following, None)
            if other is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[name])
                if lowest[name] == number[name]:
                    at = waiting.index(name)
                    group, waiting = waiting[at:], waiting[:at]
                    if len(group) > 1:
                        circles.append(sorted(group))
            elif other not in number:
                number[other] = lowest[other] = len(number)
                waiting.append(other)
                path.append((other, iter(sorted(graph[other]))))
            elif other in waiting:
                lowest[name] = min(lowest[name], number[other])
    return circles


def _where(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"


def test_circles_are_found() -> None:
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]
    assert _circles({"a": {"b"}, "b": set()}) == []


def test_no_files_import_each_other() -> None:
    assert _circles({name: set(_imported(path)) for name, path in MODULES.items()}) == []


def test_no_folder_has_too_many_modules() -> None:
    folders = {path.parent for path in PATHS}
    counts = {folder: sum(item.name != "__init__.py" for item in folder.glob("*.py")) for folder in folders}
    assert {str(folder): count for folder, count in counts.items() if count > MOST_MODULES} == {}


HOOKS = ("sys.excepthook", "sys.unraisablehook")
"""What Python's documentation says a program may replace."""


def test_no_private_names_of_python_or_libraries_are_used() -> None:
    found = []
    for path, tree in all_trees().items():
        foreign = _foreign_modules(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("annotator") and not node.level:
                private = [item.name for item in node.names if _is_private(item.name)]
                private += [part for part in (node.module or "").split(".") if _is_private(part)]
                found += [f"{_where(path, node)} {name}" for name in private]
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in foreign:
                if _is_private(node.attr) and f"{node.value.id}.{node.attr}" != "os._exit":
                    found.append(f"{_where(path, node)} {ast.unparse(node)}")
                elif isinstance(node.ctx, ast.Store) and f"{node.value.id}.{node.attr}" not in HOOKS:
                    found.append(f"{_where(path, node)} {ast.unparse(node)} is replaced")
    assert found == []


def _foreign_modules(tree: ast.Module) -> set[str]:
    """Return the names by which a file knows modules, classes and functions that are not the project's."""
    names = {"builtins"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {(item.asname or item.name).partition(".")[0] for item in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith("annotator"):
            names |= {item.asname or item.name for item in node.names}
    return names - {"annotator"}


def _is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def test_sql_stands_in_the_store_alone() -> None:
    found = []
    for path, tree in all_trees().items():
        if path.relative_to(PACKAGE).parts[0] == "store":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                texts = [item for item in node.args[:1] if isinstance(item, (ast.Constant, ast.JoinedStr))]
                if node.func.attr in ("execute", "executemany", "executescript", "text"):
                    found += [_where(path, item) for item in texts if SQL.match(ast.unparse(item).lstrip("f\"'"))]
    assert found == []


def test_file_dialogs_are_made_in_one_module() -> None:
    """Others look into files: closing the open project's file drops the locks that SQLite holds on it."""
    named = [
        path.relative_to(PACKAGE).as_posix()
        for path, tree in all_trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and any("FileDialog" in alias.name for alias in node.names)
    ]
    assert named == ["ui/app/file_dialogs.py"]


PASSED_ON = ("store", "page", "service", "session")
"""Parameters by which a project, a page or a service is passed on."""


def test_projects_pages_and_services_are_passed_with_their_types() -> None:
    untyped = []
    for path, tree in all_trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.arg) and node.arg in PASSED_ON and node.annotation is not None:
                names = {item.id for item in ast.walk(node.annotation) if isinstance(item, ast.Name)}
                if names & {"Any", "object"}:
                    untyped.append(f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}")
    assert untyped == []
