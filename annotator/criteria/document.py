"""The criterion document as the scorer uses it, and what can be wrong with one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from annotator.base.errors import BadInputError

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong at a place: ``line`` and ``column`` are 1-based, ``key`` is the dotted path to it."""

    line: int
    column: int
    key: str
    message: str
    severity: Severity = "error"


class CriterionError(BadInputError):
    """A criterion document with errors; ``problems`` holds them with their places."""

    def __init__(self, name: str, problems: tuple[Problem, ...]) -> None:
        """Say how many errors there are and list each with its line."""
        self.problems = problems
        errors = [problem for problem in problems if problem.severity == "error"]
        first = errors[0]
        more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
        super().__init__(
            f"The {name} has an error in line {first.line}: {first.message}{more}. It was not used.",
            details=tuple(f"line {item.line}, column {item.column}: {item.key}: {item.message}" for item in errors),
        )


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text or pattern to look for; ``regex`` is already inherited from the nodes above."""

    text: str
    regex: bool
    cond: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Any or all of some nodes."""

    kind: Literal["or", "and"]
    children: tuple[Leaf | Group, ...]
    cond: str = ""


@dataclass(frozen=True, slots=True)
class KeywordRule:
    """One rule of ``keywords``: ``to_lower`` lowers pattern and response alike, ``neg`` subtracts when it matches."""

    content: Leaf | Group
    weight: float
    to_lower: bool
    neg: bool
    label: str
    why: str
    line: int


@dataclass(frozen=True, slots=True)
class ValueRule:
    """One rule that compares the whole answer: ``equals``, ``number`` or ``json``."""

    metric: Literal["equals", "number", "json"]
    value: Any
    weight: float
    label: str
    why: str
    line: int
    to_lower: bool = False
    strip: bool = True
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class CriterionDocument:
    """A sound document. ``unscored`` names metrics that are read but not scored in this version."""

    id: str
    type: str
    lang: str
    full_score: float
    null_score: float
    max_score: float | None
    min_score: float | None
    keywords: tuple[KeywordRule, ...]
    values: tuple[ValueRule, ...]
    unscored: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A document with what was found in it; ``document`` is None if there is an error."""

    document: CriterionDocument | None
    problems: tuple[Problem, ...]
