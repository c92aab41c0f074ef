"""Long contexts: a function that needs one is judged in its repository, and shown what it needs itself.

So is one whose every test brings that much of the repository along. What is needed is told by the run of the tests in
the repository, so what would be too long is not run alone.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from annotator.mining.repository.context.needed import LONGEST, ShownContext, keep_needed
from annotator.mining.repository.discovery.filters import FilterVerdict
from annotator.mining.repository.discovery.modules import ParsedProject
from annotator.mining.repository.discovery.scopes import FUNCTIONS
from annotator.mining.repository.rows import MinedSubject
from annotator.text.python_tree import UNREADABLE, first_line, read_tree

Places = Collection[tuple[str, int]]
"""Where functions begin: file and first line, decorators included."""


def leave_long_in_place(
    rows: Sequence[MinedSubject], project: ParsedProject, reached: Mapping[str, Places]
) -> list[MinedSubject]:
    """Return the rows; those whose context is too long even without unneeded code do not run alone.

    ``reached`` has, by test, which functions of the repository ran for it.
    """
    names = {
        (module.path, first_line(info.node)): name
        for module in project.modules
        for name, info in module.functions.items()
    }
    shortened = map(_without_long_tests, rows)
    return [leave_in_place(row, _needed_length(row, names, reached)) for row in shortened]


def _without_long_tests(row: MinedSubject) -> MinedSubject:
    """Return the row without the code of tests that bring too much along; if all do, it does not run alone."""
    lengths = [test.code.count("\n") + 1 for test in row.tests if test.code and test.confirmed is not False]
    if not row.context or not lengths or max(lengths) <= LONGEST:
        return row
    if min(lengths) > LONGEST:
        reason = f"its tests bring too much along: {min(lengths):,} lines and more, where {LONGEST} are the most"
        return replace(row, context="").with_filter(FilterVerdict("self-contained", False, reason))
    tests = (replace(test, code="") if test.code.count("\n") >= LONGEST else test for test in row.tests)
    return replace(row, tests=tuple(tests))


def leave_in_place(row: MinedSubject, length: int | None = None) -> MinedSubject:
    """Return the row; one whose context has too many lines (``length``; as it stands if None) does not run alone."""
    if not row.context:
        return row
    if length is None:
        length = row.masked.count("\n") + 1
    if length <= LONGEST:
        return row
    reason = f"its context is too long to go with it: {length:,} lines, where {LONGEST} are the most"
    return replace(row, context="").with_filter(FilterVerdict("self-contained", False, reason))


def _needed_length(row: MinedSubject, names: Mapping[tuple[str, int], str], reached: Mapping[str, Places]) -> int:
    """Return how many lines a row's context would have with only what is needed."""
    context = ShownContext(row.context, row.masked)
    tests = [test for test in row.tests if test.code and test.confirmed is not False]
    if not context.is_too_long or not tests:
        return context.masked.count("\n") + 1
    functions_run = {names[place] for test in tests for place in reached.get(test.node_id, ()) if place in names}
    needed = keep_needed(context, _lines_of(context.text, functions_run), [test.code for test in tests])
    return needed.masked.count("\n") + 1


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
