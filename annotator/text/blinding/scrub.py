"""Remove what would reveal a text's author to a blind rater: names of models, makers and people, and stock phrases.

Only prose is changed. Code, which is what gets scored, is left unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from annotator.text.blinding import model_names
from annotator.text.code_or_prose import looks_like_code
from annotator.text.code_spans import code_spans
from annotator.text.python_tree import UNREADABLE, read_tree
from annotator.text.syntax_trees import parse_code

MODEL = "[model]"
PERSON = "[person]"
SHORTEST_NAME = 3
"""Shorter names of people or models are ignored: they would match ordinary words and variables."""
_TIMEOUT = 2.0
# \b sees no word boundary between a Chinese and a Latin letter, so these look for Latin letters only.
_START, _END = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z])"
_VARIANT = rf"(?:{'|'.join(model_names.VARIANTS)})(?![A-Za-z'])"
_VERSION = rf"[-_.:/]?(?:v?\d|{_VARIANT})|[ ]r\b\+?"
# A word may begin with a maker's (meta-llama/Llama-3), go on with digits and parts (gpt-4o-mini-2024), and be followed
# by a version or a variant (Claude 3 Opus).
_BEFORE = rf"{_START}(?:[a-z0-9.]+[-/]){{0,2}}"
_BEHIND = rf"{_END}(?:[-_.:/@+]?[A-Za-z0-9_]+)*\+?(?:[ ](?:v?\d[A-Za-z0-9_.]*[A-Za-z0-9_]|v?\d|{_VARIANT}))*"
# What stands before a name that a text gives itself. In Chinese a maker and "的" may come between.
_INTRODUCTION = r"(?<=\b(?:I am|I['\u2019]m|As|[Mm]y name is) |(?:我是|我叫|作为)(?:[^\p{P}\n]{0,12}的|中文)? ?)"


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text without identifying words; ``hidden`` are the words that were taken out, in the order of the text."""

    text: str
    hidden: tuple[str, ...] = ()


def scrub_names(
    text: str, models: Iterable[str] = (), people: Iterable[str] = (), *, keep: str = "", language: str = ""
) -> Scrubbed:
    """Return a text with identifying words of its prose replaced, and its code unchanged.

    ``models`` are further model names, matched in any case; ``people`` are matched as written. Names that occur in
    ``keep``, such as the question, reveal nothing and stay. ``language`` is that of a text that is all code.
    """
    expressions = list(_expressions(models, people))
    kept_text = keep.casefold()
    parts: list[str] = []
    hidden: list[str] = []
    for piece, is_code in _pieces(text, language):
        clean = piece
        for expression, by in () if is_code else expressions:

            def replace(match: regex.Match[str], by: str = by) -> str:
                if match[0].casefold() in kept_text:
                    return match[0]
                hidden.append(match[0])
                return by

            clean = expression.sub(replace, clean, timeout=_TIMEOUT)
        parts.append(clean)
    return Scrubbed("".join(parts), tuple(hidden))


def _pieces(text: str, language: str) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a text in order as (text, is code)."""
    whole = [(0, len(text))]
    spans = whole if _is_program(text, language) else code_spans(text) or (whole if looks_like_code(text) else [])
    at = 0
    for start, end in spans:
        yield text[at:start], False
        yield text[start:end], True
        at = end
    yield text[at:], False


def _is_program(text: str, language: str) -> bool:
    """Return whether a whole text parses as a program, not just a few words."""
    if not any(sign in text for sign in ("(", ")", "{", "}", "[", "]", "=", ";", ":\n ")):
        return False
    if language == "python":
        try:
            read_tree(text)
        except UNREADABLE:
            return False
        return True
    root = parse_code(text, language)
    return root is not None and not root.has_error


def _expressions(models: Iterable[str], people: Iterable[str]) -> Iterator[tuple[regex.Pattern[str], str]]:
    yield regex.compile("|".join(rf"{_START}{phrase}{_END}" for phrase in model_names.SELF), regex.IGNORECASE), MODEL
    model_names_given = _own_names(models)
    if model_names_given:
        yield regex.compile(_any(model_names_given), regex.IGNORECASE), MODEL
    yield regex.compile(rf"{_BEFORE}(?:{'|'.join(model_names.ALWAYS)}){_BEHIND}", regex.IGNORECASE), MODEL
    versioned = "|".join((*model_names.WITH_VERSION, *map(regex.escape, model_names.CAPITALISED)))
    yield regex.compile(rf"{_BEFORE}(?:{versioned})(?={_VERSION}){_BEHIND}", regex.IGNORECASE), MODEL
    yield regex.compile(rf"{_START}(?:{'|'.join(map(regex.escape, model_names.CAPITALISED))})(?i:{_BEHIND})"), MODEL
    yield regex.compile(rf"(?<=\b(?:by|from) |由|来自|我是)(?:{'|'.join(model_names.BEHIND_BY)})(?![a-z])"), MODEL
    yield regex.compile(rf"{_INTRODUCTION}(?:{'|'.join(model_names.INTRODUCED)}){_BEHIND}"), MODEL
    persons = _own_names(people)
    if persons:
        yield regex.compile(_any(persons)), PERSON


def _own_names(names: Iterable[str]) -> list[str]:
    return sorted({name.strip() for name in names if len(name.strip()) >= SHORTEST_NAME}, key=_longest_first)


def _any(names: Iterable[str]) -> str:
    return rf"{_START}(?:{'|'.join(regex.escape(name) for name in names)})(?![A-Za-z0-9_])"


def _longest_first(name: str) -> tuple[int, str]:
    return -len(name), name
