"""Mine a folder by the rules of DomainEval's published scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from annotator.base.collecting import without_garbage_collection
from annotator.jobs.progress import Progress
from annotator.mining.repository.confirmation.confirm import VariantRunner
from annotator.mining.repository.discovery.discovery_filters import (
    FilterVerdict,
    domain_of,
    repository_filters,
    repository_refusals,
)
from annotator.mining.repository.discovery.function_history import RepositoryHistory
from annotator.mining.repository.discovery.modules import ParsedProject, load_project
from annotator.mining.repository.discovery.repository_facts import RepositoryOrigin, read_facts
from annotator.mining.repository.discovery.tree import RepositoryTree, read_repository_tree
from annotator.mining.repository.pipeline import MiningOptions
from annotator.mining.repository.published.published_dependencies import PublishedParser
from annotator.mining.repository.published.published_matching import PublishedMatcher
from annotator.mining.repository.published.published_subjects import (
    PublishedSubject,
    code_filters,
    codes_of_imports,
    context_of_subject,
    masked_code,
    published_row,
    size_filters,
    subjects_of,
    test_code,
)
from annotator.mining.repository.published.running import ProgramOutcome, PublishedRunner
from annotator.mining.repository.rows import MinedRepository, MinedSubject


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedSession:
    """The parsed repository and its subjects, in the order of the rows, kept for running them."""

    tree: RepositoryTree
    project: ParsedProject
    matcher: PublishedMatcher
    subjects: tuple[PublishedSubject, ...]
    options: MiningOptions

    def confirm(
        self, rows: Sequence[MinedSubject], runner: VariantRunner, progress: Progress | None = None
    ) -> list[MinedSubject]:
        """Return the rows with the code that their subjects run with, and only the tests that passed.

        As in the script, a function rejected for its own code is not run; one of the wrong length is.
        """
        rows_to_run = {
            number: row
            for number, row in enumerate(rows)
            if not any(item.name in ("banned calls", "test code") and not item.passed for item in row.filters)
        }
        outcomes = PublishedRunner(self.project, self.matcher, runner).run(
            [self.subjects[number] for number in rows_to_run], progress
        )
        outcome_by_row = dict(zip(rows_to_run, outcomes, strict=True))
        return [
            self._with_outcome(row, self.subjects[number], outcome_by_row[number]) if number in outcome_by_row else row
            for number, row in enumerate(rows)
        ]

    def _with_outcome(self, row: MinedSubject, subject: PublishedSubject, outcome: ProgramOutcome) -> MinedSubject:
        codes = [outcome.tests.get(number, "") for number in range(len(row.tests))]
        verdict = FilterVerdict("self-contained", bool(outcome.tests), "" if outcome.tests else outcome.reason)
        filled = with_code(row, subject, outcome.code, codes, self.options).with_filter(verdict)
        tests = tuple(replace(test, confirmed=bool(test.code)) for test in filled.tests)
        return replace(filled, tests=tests)


def with_code(
    row: MinedSubject, subject: PublishedSubject, code: str, tests: Sequence[str], options: MiningOptions
) -> MinedSubject:
    """Return a row with its code in its context, the code of its tests, and the verdicts on their size."""
    filled = replace(
        row,
        context=code,
        masked=masked_code(code, subject.names),
        tests=tuple(replace(test, code=text) for test, text in zip(row.tests, tests, strict=True)),
    )
    for verdict in size_filters(code, subject.node.name, options.lines, options.context_limit):
        filled = filled.with_filter(verdict)
    return filled


@without_garbage_collection()
def mine_as_published(
    root: Path,
    options: MiningOptions,
    progress: Progress | None = None,
    history: RepositoryHistory | None = None,
    origin: RepositoryOrigin | None = None,
) -> tuple[MinedRepository, PublishedSession]:
    """Mine one repository as DomainEval's scripts do; return the result and the session for running its tests.

    No code is run here. Raises `BadInputError` if the folder cannot be read, `Cancelled` if cancelled.
    """
    tree = read_repository_tree(root, progress)
    project = load_project(tree)
    matcher = PublishedMatcher(tree, project)
    matched = [(test, matcher.calls(test)) for test in matcher.tests()]
    subjects = subjects_of(project, matched)
    facts = read_facts(root, options.metadata, history, origin)
    checked = repository_filters(
        facts, "domaineval", len(matched), options.today or datetime.now(UTC).date(), options.months
    )
    parser = PublishedParser(project)
    domain = options.domain or domain_of(facts)
    rows = []
    for subject in subjects:
        filters = (*code_filters(subject), *repository_refusals(checked))
        row = published_row(facts, subject, domain, filters, parser.dependencies(subject.info))
        code = context_of_subject(codes_of_imports(matcher.imports(subject.info.module.path)), subject)
        tests = ["".join(test_code(project, codes_of_imports(matcher.imports(test.path)), test, call))
                 for test, call in subject.tests]  # fmt: skip
        rows.append(with_code(row, subject, code, tests, options))
    mined = MinedRepository(
        facts=facts,
        repository_filters=checked,
        rows=tuple(rows),
        skipped=project.skipped,
        tests=len(matched),
        pairs=sum(len(subject.tests) for subject in subjects),
        files=len(tree.files),
    )
    session = PublishedSession(tree=tree, project=project, matcher=matcher, subjects=tuple(subjects), options=options)
    return mined, session
