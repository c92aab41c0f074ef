"""The material for tasks: code with passing tests, and the results of running the tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotator.base.errors import BadInputError
from annotator.sandbox import TestCode
from annotator.sandbox.sandbox_jobs import FLAKY

PYTHON = "python"
SQL = "sql"


class ConstructionError(BadInputError):
    """A task cannot be made from this material; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """A reference with its tests, split into one assertion each if possible.

    ``entry_point`` is the function under test (empty if there is none), ``description`` says what the code should do,
    ``libraries`` is the digest of the libraries that it needs (`sandbox.libraries`).
    """

    key: str
    language: str
    code: str
    tests: tuple[TestCode, ...]
    entry_point: str = ""
    description: str = ""
    libraries: str = ""


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """The result of one test: ``kind`` is pass, assert, exception, timeout or another outcome of the sandbox.

    ``seconds`` include processor time and waiting; ``line`` is the line of code that raised, 0 if unknown.
    """

    __test__ = False
    kind: str
    message: str = ""
    seconds: float = 0.0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Matrix:
    """The outcomes of all tests in one run of one program. ``load_error`` says why it could not be loaded."""

    tests: Mapping[str, TestOutcome] = field(default_factory=dict)
    load_error: str = ""
    lines: frozenset[int] = frozenset()

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the tests that failed, in their order."""
        return tuple(name for name, outcome in self.tests.items() if outcome.kind != "pass")

    @property
    def passed(self) -> tuple[str, ...]:
        """The names of the tests that passed, in their order."""
        return tuple(name for name, outcome in self.tests.items() if outcome.kind == "pass")

    @property
    def flaky(self) -> bool:
        """Whether a test passed in some of several runs only."""
        return any(outcome.kind == FLAKY for outcome in self.tests.values())

    @property
    def all_passed(self) -> bool:
        """Whether the program was loaded and every test passed."""
        return not self.load_error and bool(self.tests) and not self.failed

    @property
    def seconds(self) -> float:
        """The time of the slowest test."""
        return max((outcome.seconds for outcome in self.tests.values()), default=0.0)
