"""The results of scoring, and the text searches that the metrics share."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, Protocol

import regex

# Nested repetitions can take a time exponential in the length of a response.
REGEX_SECONDS = 1.0
SPAN_LIMIT = 200

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """The result of one rule; ``matched`` is None if it could not be judged, ``spans`` are offsets in the response.

    ``unsettled`` is disputed, flaky or tampered if the verdict of a test is in doubt.
    """

    metric: str
    label: str
    matched: bool | None
    points: float
    total: float
    spans: Spans
    why: str
    detail: str
    line: int
    unsettled: str = ""


class WeightedRule(Protocol):
    """A rule of any metric."""

    @property
    def weight(self) -> float:
        """The points of a match."""
        ...

    @property
    def why(self) -> str:
        """The author's reason for the rule."""
        ...

    @property
    def line(self) -> int:
        """The rule's line in its document."""
        ...


def rate_rule(
    rule: WeightedRule, metric: str, label: str, matched: bool | None, detail: str, *,
    share: float = 1.0, spans: Spans = (), unsettled: str = "",
) -> RuleResult:  # fmt: skip
    """Return the result of a rule: a ``share`` of its weight if it matched."""
    return RuleResult(
        metric=metric,
        label=label,
        matched=matched,
        points=rule.weight * share if matched else 0.0,
        total=rule.weight,
        spans=spans,
        why=rule.why,
        detail=detail,
        line=rule.line,
        unsettled=unsettled,
    )


@dataclass(frozen=True, slots=True)
class MetricScore:
    """Points and attainable points of one metric, and details beyond those of its rules."""

    points: float
    total: float
    extra: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionScore:
    """A response's score with every rule's part in it; ``score`` is None unless ``status`` is scored.

    ``unsettled`` is disputed, flaky or tampered if the verdict of a test is in doubt; its rule earned nothing.
    """

    points: float | None
    total: float | None
    score: float | None
    status: Literal["scored", "not_scored"]
    reason: str
    rules: tuple[RuleResult, ...]
    metrics: dict[str, MetricScore] = field(default_factory=dict)
    unsettled: str = ""


class NotScoredError(Exception):
    """A rule cannot be judged on a response; the message says why."""


class PatternTimeoutError(NotScoredError):
    """A regular expression used up its time on a response."""


def find_offsets(target: str, text: str, limit: int = SPAN_LIMIT) -> list[int]:
    """Return the offsets of a text's occurrences without overlaps, at most ``limit``."""
    offsets: list[int] = []
    offset = text.find(target) if target else -1
    while offset >= 0 and len(offsets) < limit:
        offsets.append(offset)
        offset = text.find(target, offset + len(target))
    return offsets


def pattern_timeout() -> PatternTimeoutError:
    """Return the error for a pattern that took too long."""
    return PatternTimeoutError(f"the pattern needs more than {REGEX_SECONDS:g} s on this response")


# A pattern for one character: an escape, or a set without another set in it.
_SINGLE_CHARACTER = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\[\]\\])*\]", re.DOTALL)
_LITERAL_TEXT = re.compile(r"(?:[^\\.^$*+?{}\[\]()|]|\\[\\.^$*+?{}\[\]()|])*", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SPECIAL_GROUP = re.compile(r"\(\?[^:=!i]")
_MAX_OPTIONAL = 3
_MAX_CHOICES = 6
_MAX_UNTIMED_LENGTH = 4_000


@lru_cache(maxsize=4096)
def literal_text(pattern: str) -> str | None:
    """Return the only text that a pattern matches; None if it may match others or is invalid.

    Only special characters may be escaped, because an escaped letter has a meaning of its own.
    """
    if _LITERAL_TEXT.fullmatch(pattern) is None:
        return None
    return _ESCAPED.sub(r"\1", pattern)


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> regex.Pattern[str]:
    """Compile a pattern, cached. Raises `PatternTimeoutError` if it is invalid."""

    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise PatternTimeoutError(f"this is not a regular expression: {error}") from error


@lru_cache(maxsize=4096)
def untimed_length(pattern: str) -> int:
    """Return the length up to which a text is searched without a time limit, which makes searching ten times slower.

    Without repetitions and with few choices, each position is tried a bounded number of times; with one simple
    repetition, at most once per pair of positions. Any other pattern may take arbitrarily long, so its limit is 0.
    """
    simplified = _SINGLE_CHARACTER.sub("x", pattern)
    choices = simplified.count("|") if "(" in simplified else 0
    if (
        "[" in simplified
        or _SPECIAL_GROUP.search(simplified)
        or simplified.count("?") > _MAX_OPTIONAL
        or choices > _MAX_CHOICES
    ):
        return 0
    repetitions = [index for index, sign in enumerate(simplified) if sign in "*+{"]
    if not repetitions:
        return sys.maxsize
    return _MAX_UNTIMED_LENGTH if len(repetitions) == 1 and simplified[: repetitions[0]][-1:] != ")" else 0


def search_pattern(pattern: str, text: str, *, whole: bool = False) -> bool:
    """Return whether a regular expression matches somewhere (or the ``whole`` text). Raises `PatternTimeoutError`."""
    expression = compile_pattern(pattern)
    method = expression.fullmatch if whole else expression.search
    try:
        return method(text, timeout=REGEX_SECONDS) is not None
    except TimeoutError as error:
        raise pattern_timeout() from error


def pattern_spans(pattern: str, text: str) -> list[tuple[int, int]] | None:
    """Return the spans of a regular expression's matches without empty ones; None if it does not match."""
    expression = compile_pattern(pattern)
    try:
        if expression.search(text, timeout=REGEX_SECONDS) is None:
            return None
        spans: list[tuple[int, int]] = []
        for match in expression.finditer(text, timeout=REGEX_SECONDS):
            if match.end() > match.start():
                spans.append(match.span())
            if len(spans) >= SPAN_LIMIT:
                break
    except TimeoutError as error:
        raise pattern_timeout() from error
    return spans
