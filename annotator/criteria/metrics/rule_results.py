"""What scoring gives, and the searches that every metric shares."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import regex

REGEX_SECONDS = 1.0
SPAN_LIMIT = 200

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What one rule gave; ``matched`` is None where it could not be judged, ``spans`` are offsets in the response.

    ``unsettled`` is disputed, flaky or tampered where a test was run and its verdict is in doubt.
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


@dataclass(frozen=True, slots=True)
class MetricScore:
    """Points and attainable points of one metric, and what it has to say beside the rules' details."""

    points: float
    total: float
    extra: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scored:
    """A response's score with every rule's part in it; ``score`` is None unless ``status`` is scored.

    ``unsettled`` is disputed, flaky or tampered where the verdict of a test is in doubt: the rule earned nothing.
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


# What stands for one sign: escaped, or a set without another one in it.
_PLAIN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\[\]\\])*\]", re.DOTALL)
_LITERAL = re.compile(r"(?:[^\\.^$*+?{}\[\]()|]|\\[\\.^$*+?{}\[\]()|])*", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ODD_GROUP = re.compile(r"\(\?[^:=!i]")
_MOST_OPTIONAL, _MOST_CHOICES = 3, 6
_PAIRS_UP_TO = 4_000


@lru_cache(maxsize=4096)
def literal_of(pattern: str) -> str | None:
    """Return the one text that a pattern matches, None if it may match others or is none.

    Only signs that need an escape are taken as escaped: of others, letters above all, an escape makes something else.
    """
    if _LITERAL.fullmatch(pattern) is None:
        return None
    return _ESCAPED.sub(r"\1", pattern)


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> regex.Pattern[str]:
    """Compile a pattern once. Raises `PatternTimeoutError` if it is none."""

    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise PatternTimeoutError(f"this is not a regular expression: {error}") from error


@lru_cache(maxsize=4096)
def untimed_length(pattern: str) -> int:
    """Return how long a text may be for a pattern to be searched in it without a time limit, which costs ten times what
    the search does.

    Where nothing repeats and little is to be chosen, each place is looked at a bounded number of times; with one simple
    thing that repeats, at most once for every pair of places. Everything else may need any time: 0.
    """
    bare = _PLAIN.sub("x", pattern)
    choices = bare.count("|") if "(" in bare else 0
    if "[" in bare or _ODD_GROUP.search(bare) or bare.count("?") > _MOST_OPTIONAL or choices > _MOST_CHOICES:
        return 0
    repeats = [at for at, sign in enumerate(bare) if sign in "*+{"]
    if not repeats:
        return sys.maxsize
    return _PAIRS_UP_TO if len(repeats) == 1 and bare[: repeats[0]][-1:] != ")" else 0


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
