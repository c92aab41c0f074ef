"""The criterion document as the scorer uses it, and the problems that a document can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from annotator.base.errors import BadInputError

Severity = Literal["error", "warning"]
ValueMetric = Literal["equals", "number", "json"]
SyntaxKind = Literal["calls", "imports", "defines"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem at a place: ``line`` and ``column`` are 1-based, ``key`` is the dotted path to it."""

    line: int
    column: int
    key: str
    message: str
    severity: Severity = "error"

    @property
    def place_and_message(self) -> str:
        """The problem's line, column, key and message as one text."""
        key = f"{self.key}: " if self.key else ""
        return f"line {self.line}, column {self.column}: {key}{self.message}"


class CriterionError(BadInputError):
    """A criterion document has errors; ``problems`` lists them with their places."""

    def __init__(self, name: str, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        errors = [problem for problem in problems if problem.severity == "error"]
        first_error = errors[0]
        remainder = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
        super().__init__(
            f"{name} has an error in line {first_error.line}: {first_error.message}{remainder}. It was not used.",
            details=tuple(error.place_and_message for error in errors),
        )


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text to search for, or a pattern if ``regex`` is set, here or in a node above it."""

    text: str
    regex: bool
    cond: str = ""


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Matches if any, all or at least ``least`` of its nodes match."""

    kind: Literal["or", "and", "at_least"]
    children: tuple[Leaf | RuleGroup, ...]
    cond: str = ""
    least: int = 0

    @property
    def needed(self) -> int:
        """How many of the nodes must match."""
        return {"or": 1, "and": len(self.children), "at_least": self.least}[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordRule:
    """One rule of ``keywords``: ``to_lower`` converts pattern and response to lower case, ``neg`` makes a match deduct
    the points.

    ``ignore_space`` removes white space from both; ``code_only`` searches only the response's code.
    """

    content: Leaf | RuleGroup
    weight: float
    to_lower: bool
    neg: bool
    label: str
    why: str
    line: int
    ignore_space: bool = False
    code_only: bool = False

    @property
    def extensions(self) -> tuple[str, ...]:
        """The features of the rule that InfiBench lacks, which has the criterion language without our extensions."""
        flags = {
            "ignore_space": self.ignore_space,
            "code_only": self.code_only,
            "at_least": _uses_at_least(self.content),
        }
        return tuple(word for word, is_used in flags.items() if is_used)


def _uses_at_least(node: Leaf | RuleGroup) -> bool:
    return isinstance(node, RuleGroup) and (node.kind == "at_least" or any(map(_uses_at_least, node.children)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRule:
    """One rule that compares the whole answer: ``equals``, ``number`` or ``json``."""

    metric: ValueMetric
    value: Any
    weight: float
    label: str
    why: str
    line: int
    to_lower: bool = False
    strip: bool = True
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class Handler:
    """A function written by the suite's authors; ``source`` is its module's text, empty if the file is missing."""

    module: str
    function: str
    source: str
    real_metric: str
    line: int


@dataclass(frozen=True, slots=True)
class Alternative:
    """One accepted answer of a blank."""

    text: str
    regex: bool = False
    cond: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlankTarget:
    """The accepted answers of a blank, any of ``alternatives``."""

    alternatives: tuple[Alternative, ...]
    weight: float
    to_lower: bool
    substr_match: bool
    label: str
    why: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlankFilling:
    """A template with blanks and a target for each; ``escape`` are characters stripped from the captured text."""

    template: str
    targets: tuple[BlankTarget, ...]
    blank_str: str
    escape: str
    prefix: str
    handler: Handler | None
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitTest:
    """A test run with the response's code; ``language`` is the sandbox's name for it, ``timeout`` 0 for the default."""

    label: str
    language: str
    code: str
    prefix: str
    prefix_file: str
    timeout: float
    weight: float
    only_longest: bool
    why: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityRule:
    """ROUGE against references, mapped from ``min_score``..``max_score`` to 0..1."""

    metric: str
    references: tuple[str, ...]
    min_score: float
    max_score: float
    weight: float
    why: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxRule:
    """A call, import or definition that Python code must have, or with ``absent`` must not have."""

    kind: SyntaxKind
    name: str
    absent: bool
    weight: float
    why: str
    line: int


@dataclass(frozen=True, slots=True)
class CriterionExample:
    """An answer that must (or must not) earn the full score; used in proofs, not in scoring."""

    answer: str
    passes: bool
    why: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionDocument:
    """A criterion document without errors."""

    id: str
    type: str
    lang: str
    full_score: float
    null_score: float
    max_score: float | None
    min_score: float | None
    keywords: tuple[KeywordRule, ...]
    keywords_handler: Handler | None
    values: tuple[ValueRule, ...]
    syntax: tuple[SyntaxRule, ...]
    blanks: BlankFilling | None
    tests: tuple[UnitTest, ...]
    similarity: tuple[SimilarityRule, ...]
    customized: Handler | None
    examples: tuple[CriterionExample, ...]
    source: str

    @property
    def metrics(self) -> frozenset[str]:
        """The names of the metrics that the document uses."""
        present = {rule.metric for rule in self.values}
        parts: dict[str, object] = {
            "keywords": self.keywords or self.keywords_handler,
            "blank_filling": self.blanks,
            "unit_test": self.tests,
            "similarity": self.similarity,
            "customized": self.customized,
            "ast": self.syntax,
        }
        return frozenset(present | {name for name, part in parts.items() if part})

    @property
    def needs_sandbox(self) -> bool:
        """Whether a part of it runs code: unit tests, or handlers whose file exists."""
        handlers = (self.keywords_handler, self.customized, self.blanks.handler if self.blanks else None)
        return bool(self.tests) or any(handler is not None and handler.source for handler in handlers)

    @property
    def total(self) -> float:
        """The attainable points of the rules, not counting handlers."""
        weights = [rule.weight for rule in self.keywords if not rule.neg]
        for rules in (self.values, self.syntax, self.tests, self.similarity):
            weights += [rule.weight for rule in rules]
        weights += [target.weight for target in self.blanks.targets] if self.blanks else []
        return sum(weights)


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """A document and its problems; ``document`` is None if there is an error."""

    document: CriterionDocument | None
    problems: tuple[Problem, ...]
