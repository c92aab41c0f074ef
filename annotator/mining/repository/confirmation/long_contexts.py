"""Long contexts: a function that needs one is judged in its repository, and shown what it needs itself.

So is one whose every test brings that much of the repository along. What is needed is told by the run of the tests in
the repository, so what would be too long is not run alone.
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

Places = Collection[tuple[str, int]]
"""Where functions begin: file and first line, decorators included."""


def leave_long_in_place(
    rows: Sequence[MinedSubject], project: ParsedProject, reached: Mapping[str, Places], limit: int = CONTEXT_LIMIT
) -> list[MinedSubject]:
    """Return the rows; those whose context is too long even without unneeded code do not run alone.

    ``reached`` has, by test, which functions of the repository ran for it; ``limit`` counts characters.
    """
    names = {
        (module.path, first_line(info.node)): name
        for module in project.modules
        for name, info in module.functions.items()
    }
    shortened = [_without_long_tests(row, limit) for row in rows]
    return [leave_in_place(row, limit, _needed_length(row, names, reached, limit)) for row in shortened]


def _without_long_tests(row: MinedSubject, limit: int) -> MinedSubject:
    """Return the row without the code of tests that bring too much along; if all do, it does not run alone."""
    lengths = [len(test.code) for test in row.tests if test.code and test.confirmed is not False]
    if not row.context or not lengths or max(lengths) <= limit:
        return row
    if min(lengths) > limit:
        reason = f"its tests bring too much along: {min(lengths):,} characters and more, where {limit:,} are the most"
        return replace(row, context="").with_filter(FilterVerdict("self-contained", False, reason))
    tests = (replace(test, code="") if len(test.code) > limit else test for test in row.tests)
    return replace(row, tests=tuple(tests))


def leave_in_place(row: MinedSubject, limit: int = CONTEXT_LIMIT, length: int | None = None) -> MinedSubject:
    """Return the row; with too many characters in its context (``length``; as it stands if None) it is not alone."""
    length = len(row.context) if length is None else length
    if not row.context or length <= limit:
        return row
    reason = f"its context is too long to go with it: {length:,} characters, where {limit:,} are the most"
    return replace(row, context="").with_filter(FilterVerdict("self-contained", False, reason))


def _needed_length(
    row: MinedSubject, names: Mapping[tuple[str, int], str], reached: Mapping[str, Places], limit: int
) -> int:
    """Return how many characters a row's context would have with only what is needed."""
    context = ShownContext(row.context, row.masked)
    tests = [test for test in row.tests if test.code and test.confirmed is not False]
    if len(context.text) <= limit or not tests:
        return len(context.text)
    functions_run = {names[place] for test in tests for place in reached.get(test.node_id, ()) if place in names}
    needed = keep_needed(context, _lines_of(context.text, functions_run), [test.code for test in tests])
    return len(needed.text)


def _lines_of(text: str, names: Collection[str]) -> set[int]:
    """Return where functions of these qualified names begin in a text."""
    try:
        return {first_line(node) for name, node in _functions(read_tree(text).body) if name in names}
    except UNREADABLE:
        return set()


def _functions(body: Sequence[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Yield the functions of a module and its classes with their qualified names, those behind conditions too."""
    for node in body:
        if isinstance(node, FUNCTIONS):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            inner = [item for item in ast.iter_child_nodes(node) if isinstance(item, ast.stmt)]
            yield from _functions(inner, prefix)
