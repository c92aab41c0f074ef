"""Run DomainEval's subjects as its published script does, in the sandbox.

A subject's code, its context and one test are run as one program. A missing name is looked up in the function's file if
the function's code contains it, else in the test's file, and the statement that defines it is added. This is repeated
until the program succeeds or fails for another reason. Additions to the context stay for the subject's other tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotator.jobs.progress import Progress
from annotator.mining.repository.confirmation.confirm import VariantRunner, end_of_message
from annotator.mining.repository.confirmation.journal import Variant, VariantAnswer
from annotator.mining.repository.discovery.modules import ParsedProject
from annotator.mining.repository.published.published_matching import PublishedMatcher
from annotator.mining.repository.published.published_subjects import (
    PublishedSubject,
    context_of_subject,
    find_defining_statement,
    insert_statement,
    test_code,
)

_FILE = "test_subject_0.py"
_TEST = f"{_FILE}::test_program"
_PROGRAM = """CODE = {code!r}


def test_program():
    try:
        exec(compile(CODE, "<string>", "exec"), {{}})
    except BaseException as error:
        reason = f"{{type(error).__name__}}: {{error}}"
    else:
        return
    raise RuntimeError(reason)
"""
_MAX_ADDED_NAMES = 30
"""Limit of names to look up per test. The script has none, except that it looks up each name only once."""


@dataclass(kw_only=True)
class _SubjectRun:
    """A subject whose tests run one after the other: its code so far, and the code of the tests that passed."""

    subject: PublishedSubject
    code: str
    number: int = 0
    start: str = ""
    test: str = ""
    tried_names: set[str] = field(default_factory=set)
    passed: dict[int, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def is_open(self) -> bool:
        """Whether there is a test left to run."""
        return self.number < len(self.subject.tests)

    @property
    def program(self) -> str:
        """The program to execute."""
        return f"{self.start}\n{self.code}\n{self.test}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramOutcome:
    """A subject's code with its context, the code of passed tests by index, and why the first other one failed."""

    code: str
    tests: Mapping[int, str]
    reason: str


class PublishedRunner:
    """Runs the subjects of one repository."""

    def __init__(self, project: ParsedProject, matcher: PublishedMatcher, runner: VariantRunner) -> None:
        self._project, self._matcher, self._runner = project, matcher, runner
        self._imports: dict[str, list[str]] = {}

    def run(self, subjects: Sequence[PublishedSubject], progress: Progress | None = None) -> list[ProgramOutcome]:
        """Return the outcome of each subject."""
        progress = progress or Progress()
        paths = {path for item in subjects for path in (item.info.module.path, *(test.path for test, _ in item.tests))}
        self._find_imports(sorted(paths), progress)
        attempts = [
            _SubjectRun(subject=item, code=context_of_subject(self._imports[item.info.module.path], item))
            for item in subjects
        ]
        for attempt in attempts:
            self._begin_test(attempt)
        tests = sum(len(item.tests) for item in subjects)
        while remaining := [item for item in attempts if item.is_open]:
            programs = [_variant(str(number), item.program) for number, item in enumerate(remaining)]
            for attempt, (_, answer) in zip(remaining, self._runner.run(programs), strict=True):
                progress.report(sum(item.number for item in attempts), tests, "running subjects with their tests")
                self._continue(attempt, answer)
        return [ProgramOutcome(code=item.code, tests=item.passed, reason=item.reason) for item in attempts]

    def _find_imports(self, paths: Iterable[str], progress: Progress) -> None:
        """Find the imports of each file that work by themselves."""
        statements = [(path, item.code) for path in paths for item in self._matcher.imports(path)]
        self._imports = {path: [] for path in paths}
        codes = list(dict.fromkeys(code for _, code in statements))
        working = set()
        for number, (variant, answer) in enumerate(self._runner.run([_variant(code, code) for code in codes])):
            progress.report(number, len(codes), "trying imports")
            if answer.passed(_TEST):
                working.add(variant.name)
        for path, code in statements:
            if code in working:
                self._imports[path].append(code)

    def _begin_test(self, attempt: _SubjectRun) -> None:
        if attempt.is_open:
            test, call = attempt.subject.tests[attempt.number]
            attempt.start, attempt.test = test_code(self._project, self._imports[test.path], test, call)
            attempt.tried_names = set()

    def _continue(self, attempt: _SubjectRun, answer: VariantAnswer) -> None:
        """Add a missing name to the program, or continue with the next test."""
        if answer.passed(_TEST):
            attempt.passed[attempt.number] = attempt.start + attempt.test
        else:
            message = answer.problem or answer.messages.get(_TEST, "")
            if self._add_missing(attempt, message):
                return
            cause = end_of_message(message).removeprefix("RuntimeError: ")
            attempt.reason = attempt.reason or f"alone, its tests do not pass: {cause}"
        attempt.number += 1
        self._begin_test(attempt)

    def _add_missing(self, attempt: _SubjectRun, message: str) -> bool:
        before, is_missing, _ = message.partition("' is not defined")
        _, is_named, name = before.rpartition("name '")
        if (
            not (is_missing and is_named and name)
            or name in attempt.tried_names
            or len(attempt.tried_names) >= _MAX_ADDED_NAMES
        ):
            return False
        attempt.tried_names.add(name)
        test, _ = attempt.subject.tests[attempt.number]
        if name in attempt.code:
            statement = find_defining_statement(self._project, attempt.subject.info.module.path, name)
            attempt.code = insert_statement(attempt.code, statement) if statement else attempt.code
        elif name in attempt.test:
            statement = find_defining_statement(self._project, test.path, name)
            attempt.test = insert_statement(attempt.test, statement) if statement else attempt.test
        else:
            statement = ""
        return bool(statement)


def _variant(name: str, code: str) -> Variant:
    return Variant(name=name, tests=(_TEST,), files={_FILE: _PROGRAM.format(code=code)}, alone=True)
