"""Remove what would reveal a text's author to a blind rater: names of models, makers and people, and stock phrases.

Only prose is changed. Code, which is what gets scored, is left unchanged.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import regex

from annotator.text.blinding import model_names
from annotator.text.code_or_prose import looks_like_code
from annotator.text.code_spans import code_spans
from annotator.text.python_tree import UNREADABLE, read_tree
from annotator.text.syntax_trees import parse_code

MODEL = "[model]"
PERSON = "[person]"
MIN_NAME_CHARS = 3
"""Shorter names of people or models are ignored, because they would match ordinary words and variables."""
_TIMEOUT = 2.0
# \b finds no boundary between a Chinese and a Latin letter. Here a Latin word ends at any other letter, and a Chinese
# word may end anywhere.
_START, _END = r"(?!(?<=[A-Za-z0-9_])[A-Za-z0-9_])", r"(?!(?<=[A-Za-z])[A-Za-z])"
_VARIANT = rf"(?:{'|'.join(model_names.VARIANTS)})(?![A-Za-z'])"
_VERSION = rf"[-_.:/]?(?:v?\d|{_VARIANT})|[ ]r\b\+?"
_EDITION = rf"[ ](?:\d[\d.]*[ ])?(?:{'|'.join(map(str.capitalize, model_names.EDITIONS))})(?![A-Za-z'])|[ ]\d[\d.]*B\b"
# A word may begin with a maker's (meta-llama/Llama-3), go on with digits and parts (gpt-4o-mini-2024), and be followed
# by a version or a variant (Claude 3 Opus).
_BEFORE = rf"{_START}(?:[a-z0-9.]+[-/]){{0,2}}"
_BEHIND = rf"{_END}(?:[-_.:/@+]?[A-Za-z0-9_]+)*\+?(?:[ ](?:v?\d[A-Za-z0-9_.]*[A-Za-z0-9_]|v?\d|{_VARIANT}))*"
# Names in no list are found by their shape (Lama-7B, NextCoder), and where a text says who wrote it.
_NUMBERED = (
    "appendix|case|chapter|example|exercise|figure|item|line|option|page|part|question|section|step|table|test|utf"
)
"""Words before a number and a letter that are not the size of a model, as in figure-3b."""
_SHAPE = (
    rf"{_START}(?!(?i:{_NUMBERED})[-_])(?:[A-Za-z][A-Za-z0-9_.]*[-_/])+"
    r"(?:\d+x|A)?\d+(?:\.\d+)?[BbT](?![A-Za-z0-9])(?:[-_.:][A-Za-z0-9_.]*[A-Za-z0-9_])*"
    rf"|{_START}(?:[A-Za-z0-9]+-?(?:LLM|GPT)|[A-Za-z]*[a-z](?:-?Coder|LM)){_BEHIND}"
)
_WORD = r"[A-Za-z0-9+-]*(?:\.[A-Za-z0-9]+)*"
_NAME = rf"(?:[A-Z]{_WORD}(?: (?:[A-Z]|v?\d){_WORD}){{0,3}}|o[1-9]\b)"
_AUTHOR = (
    rf"(?<=\b(?:I am|I['\u2019]m|[Mm]y name is) ){_NAME}|(?<=\bAs ){_NAME}(?=,? I\b)"
    rf"|(?<=\b(?:trained|tuned|I was [a-z]+|I am [a-z]+|I['\u2019]m [a-z]+) by ){_NAME}"
    rf"|\b{_NAME}(?= (?:made|created|built|trained|tuned|developed) me\b| (?:wrote|generated) this\b)"
    rf"|(?<=我是|我叫|作为){_NAME}(?=[\p{{P}}\s]|$|编程|助手|模型)|(?<=我是|我叫|作为)\p{{Han}}{{2,4}}(?=大模型)"
    r"|(?<=由)[\p{Han}A-Za-z0-9 .·]{2,16}?(?=训练|研发|研制|推出的)"
    r"|(?<=我是由)[\p{Han}A-Za-z0-9 .·]{2,16}?(?=开发|打造|创建)"
)
_INTRODUCTION = r"(?<=(?:我是|我叫|作为)(?:[^\p{P}\n]{0,12}的|中文)? ?)"

_LABELS = regex.compile(r"(?:[ \t]*[A-Za-z][\w ]*: [^\n]*(?:\n|$))+")


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text without identifying words; ``hidden`` are the words that were removed, in the order of the text."""

    text: str
    hidden: tuple[str, ...] = ()


def scrub_names(
    text: str, models: Iterable[str] = (), people: Iterable[str] = (), *, keep: str = "", language: str = "",
    code_lines: Collection[str] = (),
) -> Scrubbed:  # fmt: skip
    """Return a text with identifying words of its prose replaced, and its code unchanged.

    ``models`` are further model names, matched in any case; ``people`` are matched as written. Names that occur in
    ``keep``, such as the question, reveal nothing and stay. ``language`` is that of a text that is all code;
    ``code_lines`` are lines that are code without a fence around them.
    """
    expressions = list(_expressions(models, people))
    kept_text = keep.casefold()
    parts: list[str] = []
    hidden: list[str] = []
    for piece, is_code in _pieces(text, language, code_lines):
        clean = piece
        for expression, replacement in () if is_code else expressions:

            def replace(match: regex.Match[str], replacement: str = replacement) -> str:
                if match[0].casefold() in kept_text:
                    return match[0]
                hidden.append(match[0])
                return replacement

            clean = expression.sub(replace, clean, timeout=_TIMEOUT)
        parts.append(clean)
    return Scrubbed("".join(parts), tuple(hidden))


def _pieces(text: str, language: str, code_lines: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a text in order as (text, is code)."""
    at = 0
    for start, end in _code_places(text, language, code_lines):
        if start >= at:
            yield text[at:start], False
            yield text[start:end], True
            at = end
    yield text[at:], False


def _code_places(text: str, language: str, code_lines: Collection[str]) -> list[tuple[int, int]]:
    """Return (start, end) of each piece of code: fenced, between backticks, one of ``code_lines``, or the whole text.

    A paragraph that parses is code too if it ends unlike a sentence or has several lines. Headings and lists of labels
    ("Author: …") parse as well but are not code.
    """
    if _is_program(text, language):
        return [(0, len(text))]
    lines = [match.span() for match in regex.finditer(r"[^\n]+", text) if match[0].strip() in code_lines]
    for match in regex.finditer(r"[^\n]+(?:\n[^\n]+)*", text):
        if match[0].startswith("# ") or _LABELS.fullmatch(match[0]):
            continue
        if match[0].rstrip().endswith((";", "}")) or "\n" in match[0]:
            lines += [match.span()] if _is_program(textwrap.dedent(match[0]), language) else []
    spans = sorted([*code_spans(text), *lines], key=lambda span: (span[0], -span[1]))
    return spans or ([(0, len(text))] if looks_like_code(text) else [])


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
    model_names_given = _names_to_hide(models)
    if model_names_given:
        yield regex.compile(_match_any(model_names_given), regex.IGNORECASE), MODEL
    always = "|".join(sorted(model_names.ALWAYS, key=len, reverse=True))
    yield regex.compile(rf"{_BEFORE}(?:{always}){_BEHIND}", regex.IGNORECASE), MODEL
    capitalised = "|".join(map(regex.escape, sorted(model_names.CAPITALISED, key=len, reverse=True)))
    versioned = "|".join((*model_names.WITH_VERSION, capitalised))
    yield regex.compile(rf"{_BEFORE}(?:{versioned})(?={_VERSION}){_BEHIND}", regex.IGNORECASE), MODEL
    spaced = "|".join(word.capitalize() for word in model_names.WITH_VERSION)
    yield regex.compile(rf"{_START}(?:{capitalised}|(?:{spaced})(?={_EDITION}))(?i:{_BEHIND})"), MODEL
    yield regex.compile(rf"(?<=\b(?:by|from) |由|来自|我是)(?:{'|'.join(model_names.BEHIND_BY)})(?![a-z])"), MODEL
    introduced = "|".join(model_names.INTRODUCED)
    yield regex.compile(rf"{_INTRODUCTION}(?:{introduced}){_BEHIND}|(?:{introduced})大?模型"), MODEL
    yield regex.compile(_SHAPE), MODEL
    yield regex.compile(_AUTHOR), MODEL
    persons = _names_to_hide(people)
    if persons:
        yield regex.compile(_match_any(persons)), PERSON


def _names_to_hide(names: Iterable[str]) -> list[str]:
    return sorted({name.strip() for name in names if len(name.strip()) >= MIN_NAME_CHARS}, key=_longest_first)


def _match_any(names: Iterable[str]) -> str:
    return rf"{_START}(?:{'|'.join(regex.escape(name) for name in names)})(?![A-Za-z0-9_])"


def _longest_first(name: str) -> tuple[int, str]:
    return -len(name), name
