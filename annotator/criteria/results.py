"""What scoring gives, and the searches that every metric shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import regex

REGEX_SECONDS = 1.0
SPAN_LIMIT = 200

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What one rule gave; ``matched`` is None where it could not be judged, ``spans`` are offsets in the response."""

    metric: str
    label: str
    matched: bool | None
    points: float
    total: float
    spans: Spans
    why: str
    detail: str
    line: int


@dataclass(frozen=True, slots=True)
class MetricScore:
    """Points and attainable points of one metric, and what it has to say beside the rules' details."""

    points: float
    total: float
    extra: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scored:
    """A response's score with every rule's part in it; ``score`` is None unless ``status`` is scored."""

    points: float | None
    total: float | None
    score: float | None
    status: Literal["scored", "not_scored"]
    reason: str
    rules: tuple[RuleResult, ...]
    metrics: dict[str, MetricScore] = field(default_factory=dict)


class NotScoredError(Exception):
    """A rule that cannot be judged on a response, with the reason."""


class PatternTimeoutError(NotScoredError):
    """A regular expression used up its time on a response."""


def found(wanted: str, text: str, limit: int = SPAN_LIMIT) -> list[int]:
    """Return where a text occurs, without overlap, at most ``limit`` places."""
    places: list[int] = []
    at = text.find(wanted) if wanted else -1
    while at >= 0 and len(places) < limit:
        places.append(at)
        at = text.find(wanted, at + len(wanted))
    return places


def timed_out() -> PatternTimeoutError:
    """Return the error that says that a pattern took too long."""
    return PatternTimeoutError(f"the pattern needs more than {REGEX_SECONDS:g} s on this response")


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> regex.Pattern[str]:
    """Compile a pattern once. Raises `PatternTimeoutError` if it is none."""
    import regex

    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise PatternTimeoutError(f"this is not a regular expression: {error}") from error


def search(pattern: str, text: str, *, whole: bool = False) -> bool:
    """Tell whether a regular expression matches somewhere (or the ``whole`` text). Raises `PatternTimeoutError`."""
    known = compiled(pattern)
    method = known.fullmatch if whole else known.search
    try:
        return method(text, timeout=REGEX_SECONDS) is not None
    except TimeoutError as error:
        raise timed_out() from error


def places_of(pattern: str, text: str) -> list[tuple[int, int]] | None:
    """Return where a regular expression matches (empty matches left out), None if it does not."""
    known = compiled(pattern)
    try:
        if known.search(text, timeout=REGEX_SECONDS) is None:
            return None
        spans: list[tuple[int, int]] = []
        for match in known.finditer(text, timeout=REGEX_SECONDS):
            if match.end() > match.start():
                spans.append(match.span())
            if len(spans) >= SPAN_LIMIT:
                break
    except TimeoutError as error:
        raise timed_out() from error
    return spans
