"""Mine a folder into rows, without running any of its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from annotator.answers.masked import MASK
from annotator.base.collecting import without_garbage_collection
from annotator.jobs.progress import Progress
from annotator.mining.repository.calls.evaluator import Evaluator
from annotator.mining.repository.calls.fixtures import PytestEvaluator
from annotator.mining.repository.calls.matching import CallMatch, match_tests
from annotator.mining.repository.context.function_dependencies import dependencies_of
from annotator.mining.repository.context.shapes import ModuleShapes
from annotator.mining.repository.context.standalone import (
    FunctionContext,
    NotStandaloneError,
    context_of,
    standalone_test_code,
)
from annotator.mining.repository.context.twins import NameIndex, lines_without_twins, twins_of, without_gaps
from annotator.mining.repository.discovery.discovery_filters import (
    CONTEXT_LIMIT,
    LINES,
    FilterVerdict,
    Recipe,
    Rules,
    domain_of,
    function_filters,
    is_target,
    repository_filters,
    repository_refusals,
)
from annotator.mining.repository.discovery.function_history import RepositoryHistory
from annotator.mining.repository.discovery.modules import FunctionInfo, ParsedProject, load_project
from annotator.mining.repository.discovery.repository_facts import RepositoryFacts, RepositoryOrigin, read_facts
from annotator.mining.repository.discovery.spans import spans_of
from annotator.mining.repository.discovery.test_functions import TestFunction, find_tests
from annotator.mining.repository.discovery.tree import RepositoryTree, read_repository_tree
from annotator.mining.repository.published.published_dependencies import PublishedParser
from annotator.mining.repository.rows import MinedRepository, MinedSubject, MinedTest, function_row
from annotator.text.python_tree import first_line

MASKED_LIMIT = 100_000
TOO_DEEP = "code is nested too deep"


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningOptions:
    """Options of mining. An empty domain is guessed; ``rules`` are the published pipeline's or our own.

    ``context_limit`` is the maximum number of characters of a function with its context, 6,000 as published.
    """

    recipe: Recipe = "domaineval"
    domain: str = ""
    metadata: Mapping[str, Any] | None = None
    rules: Rules = "own"
    lines: tuple[int, int] = LINES
    months: int = 6
    context_limit: int = CONTEXT_LIMIT
    today: date | None = None
    with_contexts: bool = True


Matches = dict[FunctionInfo, list[tuple[TestFunction, CallMatch]]]


@dataclass(frozen=True, slots=True, eq=False)
class MiningSession:
    """The parsed repository, kept for running its tests."""

    tree: RepositoryTree
    project: ParsedProject
    tests: tuple[TestFunction, ...]
    maker: _RowMaker

    def node_ids(self) -> tuple[str, ...]:
        """Return the pytest node ids of all collected tests."""
        return tuple(dict.fromkeys(test.node_id for test in self.tests if test.node_id))

    def with_observed_calls(
        self, rows: Sequence[MinedSubject], calls_by_test: Mapping[str, Sequence[tuple[str, int, bool]]]
    ) -> list[MinedSubject]:
        """Return the rows with calls that were only observed at run time, added to a function's row or as a new row.

        ``calls_by_test`` has the functions that each test ran: (path, first line, is called directly).
        """
        targets = {
            (module.path, first_line(info.node)): info
            for module in self.project.modules
            for info in module.functions.values()
            if is_target(info)
        }
        tests = {test.node_id: test for test in self.tests if test.node_id}
        known_pairs = {(*row.key, test.node_id) for row in rows for test in row.tests if test.how != "helper"}
        added: Matches = {}
        for node_id, calls in calls_by_test.items():
            for path, line, direct in dict.fromkeys(calls):
                info = targets.get((path, line))
                if direct and info is not None and (path, info.qualname, node_id) not in known_pairs:
                    added.setdefault(info, []).append((tests[node_id], CallMatch(info, "call", line)))
        extended_rows = []
        for row in rows:
            info = self.project.by_path[row.module_path].functions[row.qualified_name]
            new_matches = added.pop(info, [])
            extended_rows.append(self.maker.with_tests(row, info, new_matches) if new_matches else row)
        return [
            *extended_rows,
            *(self.maker.make_row(info, matches) for info, matches in sorted(added.items(), key=_source_position)),
        ]


@without_garbage_collection()
def mine_folder(
    root: Path,
    options: MiningOptions | None = None,
    progress: Progress | None = None,
    history: RepositoryHistory | None = None,
    origin: RepositoryOrigin | None = None,
) -> tuple[MinedRepository, MiningSession]:
    """Mine one repository; return the result and the session that running its tests needs.

    ``history`` and ``origin`` are for checked-out copies, whose folder does not contain them.
    Raises `BadInputError` if the folder cannot be read, `Cancelled` if cancelled.
    """
    options, progress = options or MiningOptions(), progress or Progress()
    tree = read_repository_tree(root, progress)
    project = load_project(tree)
    evaluator = PytestEvaluator(project)
    tests = find_tests(evaluator)
    matched = match_tests(evaluator, tests, progress)
    by_function = _group_by_function(matched)
    facts = read_facts(root, options.metadata, history, origin)
    today = options.today or datetime.now(UTC).date()
    checked = repository_filters(facts, options.recipe, len(tests), today, options.months)
    maker = _RowMaker(evaluator, facts, options, repository_refusals(checked))
    rows = []
    ordered = sorted(by_function.items(), key=_source_position)
    for number, (info, matches) in enumerate(ordered):
        progress.report(number, len(ordered), f"{info.module.path}: {info.qualname}")
        rows.append(maker.make_row(info, matches))
    pairs = sum(len(matches) for matches in by_function.values())
    mined = MinedRepository(
        facts=facts,
        repository_filters=checked,
        rows=tuple(rows),
        skipped=project.skipped,
        tests=len(tests),
        pairs=pairs,
        files=len(tree.files),
    )
    return mined, MiningSession(tree, project, tests, maker)


def _group_by_function(matched: Mapping[TestFunction, Sequence[CallMatch]]) -> Matches:
    """Return the tests of each function that may be a subject.

    If a module defines a function twice, as for two versions of Python, the last definition stands for both.
    """
    by_function: dict[FunctionInfo, dict[TestFunction, CallMatch]] = {}
    for test, matches in matched.items():
        for match in matches:
            info = match.function.module.functions.get(match.function.qualname)
            if info is not None and is_target(info) and not match.function.decorated("setter", "deleter"):
                by_function.setdefault(info, {}).setdefault(test, match)
    return {info: list(tests.items()) for info, tests in by_function.items()}


def _source_position(item: tuple[FunctionInfo, object]) -> tuple[str, int]:
    return item[0].module.path, item[0].node.lineno


class _RowMaker:
    """Builds the rows of one repository."""

    def __init__(
        self,
        evaluator: Evaluator,
        facts: RepositoryFacts,
        options: MiningOptions,
        refused_by: tuple[FilterVerdict, ...],
    ) -> None:
        self.evaluator, self.facts, self.options, self.refused_by = evaluator, facts, options, refused_by
        self.parser = PublishedParser(evaluator.project) if options.rules == "published" else None
        self.shapes = ModuleShapes(evaluator)
        self.domain = options.domain or domain_of(facts)
        self.names = NameIndex(
            (f"{module.dotted}.{name}", info.name)
            for module in evaluator.project.modules
            if not module.is_test
            for name, info in module.functions.items()
        )

    def make_row(self, info: FunctionInfo, matches: list[tuple[TestFunction, CallMatch]]) -> MinedSubject:
        """Return a function's row."""
        options = self.options
        spans = spans_of(info)
        context, problem = self._find_context(info)
        tests, reason = self._make_tests(context, matches)
        context = context.for_its_tests() if context is not None else None
        if context is not None and not any(test.code for test in tests):
            problem = f"in its tests, {reason}"
        reach_kinds = [match.how for _, match in matches]
        alone = problem if options.with_contexts else ""
        dependencies = (
            self.parser.dependencies(info) if self.parser is not None else dependencies_of(self.evaluator, info)
        )
        filters = function_filters(info, spans, reach_kinds, alone, lines=options.lines, own=dependencies.last_names)
        if self.parser is not None and not self.parser.is_found(info):
            reason = "a module has its dotted name, so the published parser does not find it"
            filters = (*filters, FilterVerdict("dependencies", False, reason))
        row = function_row(
            self.facts,
            info,
            spans,
            domain=self.domain,
            dependencies=dependencies,
            filters=(*filters, *self.refused_by),
        )
        return replace(
            row,
            masked=context.masked if context is not None else masked_file(info),
            context=context.text if context is not None else "",
            tests=tests,
            similar=self.names.similar(info.name, f"{info.module.dotted}.{info.qualname}", _dotted_twins(info)),
            recipe=options.recipe,
            rules=options.rules,
        )

    def with_tests(
        self, row: MinedSubject, info: FunctionInfo, matches: list[tuple[TestFunction, CallMatch]]
    ) -> MinedSubject:
        """Return a row with more direct tests; they replace matches of the same tests through helpers."""
        context, _ = self._find_context(info)
        direct = {test.node_id for test, _ in matches}
        helper_tests = (test for test in row.tests if test.node_id not in direct)
        tests = (*helper_tests, *self._make_tests(context, matches)[0])
        if context is not None and row.context == context.text:
            test_context = context.for_its_tests()
            row = replace(row, context=test_context.text, masked=test_context.masked)
        return (
            replace(row, tests=tests)
            .with_filter(FilterVerdict("direct", True))
            .with_filter(FilterVerdict("tests", True))
        )

    def _find_context(self, info: FunctionInfo) -> tuple[FunctionContext | None, str]:
        if not self.options.with_contexts:
            return None, ""
        try:
            return context_of(self.evaluator, self.shapes, info), ""
        except (NotStandaloneError, RecursionError) as error:
            return None, str(error) or TOO_DEEP

    def _make_tests(
        self, context: FunctionContext | None, matches: list[tuple[TestFunction, CallMatch]]
    ) -> tuple[tuple[MinedTest, ...], str]:
        """Return a function's tests, and why the first test that cannot run alone cannot (empty if all can)."""
        rows, reason = [], ""
        for test, match in matches:
            code = ""
            if context is not None:
                try:
                    code = standalone_test_code(self.evaluator, self.shapes, context, test)
                except (NotStandaloneError, RecursionError) as error:
                    reason = reason or str(error) or TOO_DEEP
            name = test.info.qualname if test.case is None else f"{test.case.qualname}.{test.info.name}"
            path = (test.case or test.info).module.path
            rows.append(MinedTest(path=path, qualified_name=name, node_id=test.node_id, code=code, how=match.how))
        return tuple(rows), reason


def _dotted_twins(info: FunctionInfo) -> set[str]:
    return {f"{twin.module.dotted}.{twin.qualname}" for twin in twins_of(info)}


def masked_file(info: FunctionInfo) -> str:
    """Return the function's file with its code masked; empty if the file is very long."""
    if len(info.module.text) > MASKED_LIMIT:
        return ""
    return without_gaps(whole_file_masked(info))


def whole_file_masked(info: FunctionInfo) -> str:
    """Return the function's file with its code masked, whatever its length, without the bodies of its twins."""
    spans = spans_of(info)
    lines = lines_without_twins(info)
    mask = " " * info.node.col_offset + MASK
    return "\n".join([*lines[: spans.first - 1], mask, *lines[spans.last :]])
