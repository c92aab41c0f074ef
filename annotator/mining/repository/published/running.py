"""Run DomainEval's subjects as its published script does, in the sandbox.

A subject's code, its context and one test are executed as one program. A name that is missing is looked up in the
function's file if its code mentions it, else in the test's file, and its statement is added; this goes on until the
program ends well, or fails for another reason. What was added to the context stays for the subject's other tests.
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
    statement_defining,
    test_code,
    with_statement,
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
_ROUNDS = 30
"""Names that are looked up for one test at most; the script has no limit but that each is looked up once."""


@dataclass(kw_only=True)
class _SubjectRun:
    """A subject whose tests are run one after the other: its code so far, and the tests that passed with their code."""

    subject: PublishedSubject
    code: str
    number: int = 0
    start: str = ""
    test: str = ""
    tried: set[str] = field(default_factory=set)
    passed: dict[int, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def is_open(self) -> bool:
        """Whether a test is left to run."""
        return self.number < len(self.subject.tests)

    @property
    def program(self) -> str:
        """The program to execute."""
        return f"{self.start}\n{self.code}\n{self.test}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramOutcome:
    """A subject's code with what it needs, the code of the tests that passed by their number, and why others failed."""

    code: str
    tests: Mapping[int, str]
    reason: str


class PublishedRunner:
    """Runs the subjects of one repository."""

    def __init__(self, project: ParsedProject, matcher: PublishedMatcher, runner: VariantRunner) -> None:
        self._project, self._matcher, self._runner = project, matcher, runner
        self._imports: dict[str, list[str]] = {}

    def run(self, subjects: Sequence[PublishedSubject], progress: Progress | None = None) -> list[ProgramOutcome]:
        """Return what came of each subject."""
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
        """Keep the imports of each file that work by themselves."""
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
            attempt.tried = set()

    def _continue(self, attempt: _SubjectRun, answer: VariantAnswer) -> None:
        """Add what a program misses, or go on to the next test."""
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
        if not (is_missing and is_named and name) or name in attempt.tried or len(attempt.tried) >= _ROUNDS:
            return False
        attempt.tried.add(name)
        test, _ = attempt.subject.tests[attempt.number]
        if name in attempt.code:
            statement = statement_defining(self._project, attempt.subject.info.module.path, name)
            attempt.code = with_statement(attempt.code, statement) if statement else attempt.code
        elif name in attempt.test:
            statement = statement_defining(self._project, test.path, name)
            attempt.test = with_statement(attempt.test, statement) if statement else attempt.test
        else:
            statement = ""
        return bool(statement)


def _variant(name: str, code: str) -> Variant:
    return Variant(name=name, tests=(_TEST,), files={_FILE: _PROGRAM.format(code=code)}, alone=True)
