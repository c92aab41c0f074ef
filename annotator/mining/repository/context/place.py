"""Record a function's surroundings in its repository, for answers that are run there (specification, 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotator.mining.repository.context.needed import ShownContext, keep_needed
from annotator.mining.repository.context.twins import lines_without_twins, without_gaps
from annotator.mining.repository.discovery.modules import FunctionInfo, import_roots
from annotator.mining.repository.discovery.spans import code_of, spans_of
from annotator.mining.repository.pipeline import MASKED_LIMIT, MiningSession, masked_file, whole_file_masked
from annotator.mining.repository.rows import MinedSubject, MinedTest, SubjectPlace


def add_places(
    session: MiningSession, rows: Sequence[MinedSubject], digest: str = "", wheel: str = ""
) -> list[MinedSubject]:
    """Return rows with the surroundings of their functions.

    With the ``digest`` of the repository's content they can be run in it, so their tests get their original code. A
    function whose body is on the line of its signature gets no place.
    """
    roots = tuple(import_roots(session.tree))
    functions_by_name = {
        f"{module.dotted}.{name}": info for module in session.project.modules for name, info in module.functions.items()
    }
    tests = {test.node_id: test.info for test in session.tests if test.node_id}
    return [_add_place(session, row, (digest, roots, wheel), functions_by_name, tests) for row in rows]


def _add_place(
    session: MiningSession,
    row: MinedSubject,
    repository: tuple[str, tuple[str, ...], str],
    functions_by_name: Mapping[str, FunctionInfo],
    tests: Mapping[str, FunctionInfo],
) -> MinedSubject:
    module = session.project.by_path[row.module_path]
    info = module.functions[row.qualified_name]
    spans, lines, clean_lines = spans_of(info), module.lines, lines_without_twins(info)
    if not spans.loc or spans.body_first == info.node.lineno:
        return row
    start = info.node.lineno
    digest, roots, wheel = repository
    margin = _indent(lines[start - 1])
    place = SubjectPlace(
        digest=digest,
        roots=roots,
        namespace=f"{module.dotted}.{row.qualified_name}",
        signature=(start, start + spans.signature.count("\n")),
        above=without_gaps("".join(f"{line}\n" for line in clean_lines[: start - 1])),
        below=without_gaps("".join(f"{line}\n" for line in clean_lines[spans.last :])).rstrip("\n")
        + "\n" * (spans.last < len(lines)),
        functions=tuple((name, code_of(functions_by_name[name])) for name in row.similar if name in functions_by_name),
        wheel=wheel,
        margin=margin,
        step=_indent(lines[spans.body_first - 1]).removeprefix(margin) or "    ",
    )
    placed_tests = tuple(_with_repository_code(test, tests) for test in row.tests) if digest else row.tests
    # A function that is judged in its repository needs no standalone context.
    masked = row.masked if row.context else masked_file(info)
    return replace(row, place=place, tests=placed_tests, masked=masked)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def reduce_shown_contexts(
    session: MiningSession, rows: Sequence[MinedSubject], calls_by_test: Mapping[str, Sequence[tuple[str, int, bool]]]
) -> list[MinedSubject]:
    """Return rows whose shown context, if it is their file, is reduced to what the function and its tests use.

    If that is too long, it is reduced to what the function itself names. ``calls_by_test`` has the functions that each
    test ran: (path, first line, is called directly). Only what is shown changes: tests run in the whole repository.
    """
    return [
        _reduce_shown_context(session, row, calls_by_test) if row.in_place and not row.context else row for row in rows
    ]


def _reduce_shown_context(
    session: MiningSession, row: MinedSubject, calls_by_test: Mapping[str, Sequence[tuple[str, int, bool]]]
) -> MinedSubject:
    module = session.project.by_path[row.module_path]
    info = module.functions[row.qualified_name]
    whole_file = ShownContext("\n".join(lines_without_twins(info)), whole_file_masked(info))
    tests = {test.node_id for test in row.tests if test.confirmed}
    reached = {line for test in tests for path, line, _ in calls_by_test.get(test, ()) if path == module.path}
    shortened = keep_needed(whole_file, reached)
    if len(shortened.text) > session.maker.options.context_limit:
        shortened = keep_needed(whole_file, ())
    masked = without_gaps(shortened.masked)
    return replace(row, masked=masked if len(masked) <= MASKED_LIMIT else "")


def _with_repository_code(test: MinedTest, tests: Mapping[str, FunctionInfo]) -> MinedTest:
    info = tests.get(test.node_id)
    return replace(test, code=code_of(info)) if info is not None else test
