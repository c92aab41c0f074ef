"""Functions that need too long a context, or whose tests all do: they are judged in their repository.

The tests' run in the repository shows which code they need, so functions with too long a context are not run alone.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from annotator.mining.repository.context.needed import ShownContext, keep_needed
from annotator.mining.repository.discovery.discovery_filters import CONTEXT_LIMIT, FilterVerdict
from annotator.mining.repository.discovery.modules import ParsedProject
from annotator.mining.repository.discovery.scopes import FUNCTIONS
from annotator.mining.repository.rows import MinedSubject
from annotator.text.python_tree import UNREADABLE, first_line, read_tree

FunctionStarts = Collection[tuple[str, int]]
"""Functions by file and first line, decorators included."""


def drop_long_contexts(
    rows: Sequence[MinedSubject],
    project: ParsedProject,
    reached: Mapping[str, FunctionStarts],
    limit: int = CONTEXT_LIMIT,
) -> list[MinedSubject]:
    """Return the rows, without the contexts that are too long even after unneeded code is removed.

    ``reached`` has the functions that ran for each test; ``limit`` is in characters.
    """
    names = {
        (module.path, first_line(info.node)): name
        for module in project.modules
        for name, info in module.functions.items()
    }
    shortened = [_without_long_tests(row, limit) for row in rows]
    return [drop_long_context(row, limit, _needed_length(row, names, reached, limit)) for row in shortened]


def _without_long_tests(row: MinedSubject, limit: int) -> MinedSubject:
    """Return the row without the code of tests that need too much code; if all do, without its context."""
    lengths = [len(test.code) for test in row.tests if test.code and test.confirmed is not False]
    if not row.context or not lengths or max(lengths) <= limit:
        return row
    if min(lengths) > limit:
        reason = f"its tests need too much code: {min(lengths):,} characters or more, at most {limit:,} are allowed"
        return replace(row, context="").with_filter(FilterVerdict("self-contained", False, reason))
    tests = (replace(test, code="") if len(test.code) > limit else test for test in row.tests)
    return replace(row, tests=tuple(tests))


def drop_long_context(row: MinedSubject, limit: int = CONTEXT_LIMIT, length: int | None = None) -> MinedSubject:
    """Return the row, without its context if that is too long (``length``, by default its present length)."""
    length = len(row.context) if length is None else length
    if not row.context or length <= limit:
        return row
    reason = f"its context is too long: {length:,} characters, at most {limit:,} are allowed"
    return replace(row, context="").with_filter(FilterVerdict("self-contained", False, reason))


def _needed_length(
    row: MinedSubject, names: Mapping[tuple[str, int], str], reached: Mapping[str, FunctionStarts], limit: int
) -> int:
    """Return the number of characters of a row's context without unneeded code."""
    context = ShownContext(row.context, row.masked)
    tests = [test for test in row.tests if test.code and test.confirmed is not False]
    if len(context.text) <= limit or not tests:
        return len(context.text)
    functions_run = {names[key] for test in tests for key in reached.get(test.node_id, ()) if key in names}
    needed = keep_needed(context, _lines_of(context.text, functions_run), [test.code for test in tests])
    return len(needed.text)


def _lines_of(text: str, names: Collection[str]) -> set[int]:
    """Return the first lines of the functions with these qualified names in a text."""
    try:
        return {first_line(node) for name, node in _functions(read_tree(text).body) if name in names}
    except UNREADABLE:
        return set()


def _functions(body: Sequence[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Yield the functions of a module and its classes with qualified names, also inside ``if``, ``try``, ``with``."""
    for node in body:
        if isinstance(node, FUNCTIONS):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            inner = [item for item in ast.iter_child_nodes(node) if isinstance(item, ast.stmt)]
            yield from _functions(inner, prefix)
