"""Anchors: the names, versions and numbers of a prompt that must survive a paraphrase."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("quoted", re.compile(r"`([^`\n]{1,80})`")),
    ("version", re.compile(r"\b[vV]?\d+(?:\.\d+){2,}\b|\b[vV]\d+(?:\.\d+)*\b")),
    ("name", re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:\(\))?|\b[A-Za-z_]\w*\(\)")),
    ("name", re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Za-z]+_\w+|[A-Z][a-z0-9]+[A-Z]\w*)\b")),
    ("number", re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w|\.\d)")),
)
_ABBREVIATIONS = {"e.g", "i.e", "etc", "a.m", "p.m"}
LIMIT = 40
"""Maximum number of anchors of a text."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A piece of text to keep; ``kind`` is quoted, version, name or number."""

    text: str
    kind: str


def find_anchors(text: str) -> tuple[Anchor, ...]:
    """Return the distinct anchors of a text in order of appearance, at most 40.

    Fenced code is left out: a paraphrase describes it or keeps it whole.
    """
    prose = re.sub(r"```.*?(?:```|\Z)", _blank, text, flags=re.DOTALL)
    spans_used: list[tuple[int, int]] = []
    places: dict[str, tuple[int, str]] = {}
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(prose):
            start, end = match.span()
            # A piece belongs to the first pattern that matches it, so the order of the patterns matters.
            if any(start < other_end and other_start < end for other_start, other_end in spans_used):
                continue
            word = match[1] if kind == "quoted" else match[0]
            if word.lower() in _ABBREVIATIONS or not word.strip():
                continue
            spans_used.append((start, end))
            if word not in places:
                places[word] = (start, kind)
    ordered = sorted(places.items(), key=lambda entry: entry[1][0])
    return tuple(Anchor(word, kind) for word, (_, kind) in ordered[:LIMIT])


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def check_anchors(anchors: tuple[Anchor, ...], paraphrase: str) -> tuple[tuple[Anchor, bool], ...]:
    """Return (anchor, whether the paraphrase contains it as a whole word); a trailing ``()`` may be missing there."""
    return tuple((anchor, _contains_word(paraphrase, anchor.text)) for anchor in anchors)


def _contains_word(text: str, word: str) -> bool:
    bare = word.removesuffix("()")
    return re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", text) is not None
