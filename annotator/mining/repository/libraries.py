"""Whether what was cut out of a repository needs libraries that Python does not come with."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import replace

from annotator.mining.repository.rows import SubjectRow
from annotator.text.python_tree import UNREADABLE, read_tree

_AT_HAND = frozenset({"pytest", "_pytest"})
_PLUGIN_FIXTURES = frozenset({"mocker", "httpserver", "snapshot", "freezer", "requests_mock", "faker", "benchmark"})
"""Fixtures that come with a plugin: a test asks for them by a parameter and imports nothing."""


def imported(code: str) -> frozenset[str]:
    """Return the top-level modules that code imports; none where it does not parse."""
    try:
        tree = read_tree(code)
    except UNREADABLE:
        return frozenset()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(item.name.partition(".")[0] for item in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return frozenset(found)


def needs_libraries(row: SubjectRow) -> bool:
    """Tell whether a row's context, or a test that runs with it, imports anything besides Python's own modules."""
    for code in (row.context, *(test.code for test in row.tests)):
        if imported(code) - sys.stdlib_module_names - _AT_HAND or _asks_for_plugin(code):
            return True
    return False


def _asks_for_plugin(code: str) -> bool:
    if not any(name in code for name in _PLUGIN_FIXTURES):
        return False
    try:
        tree = read_tree(code)
    except UNREADABLE:
        return False
    functions = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return any(item.arg in _PLUGIN_FIXTURES for node in functions for item in node.args.args)


def with_libraries(rows: Sequence[SubjectRow], requirements: Sequence[str]) -> list[SubjectRow]:
    """Return the rows with the libraries that those need which run without the repository but not without them."""
    return [replace(row, libraries=tuple(requirements)) if needs_libraries(row) else row for row in rows]
