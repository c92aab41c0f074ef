"""Change values of a right answer that a keyword rule mentions but does not check, such as ``axis=`` without its 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import regex

from annotator.criteria.document.criterion_document import CriterionDocument
from annotator.criteria.metrics.keywords import KeywordScorer
from annotator.criteria.proof.distinctive_words import NONSENSE
from annotator.text.code_spans import code_blocks, code_spans, prose_of

_VALUE = regex.compile(
    r"'[^'\n]*'|\"[^\"\n]*\"|(?<![\w.])[-+]?\d[\w.]*|(?<![\w.'\"-])(?:True|False|None|true|false|null|nil|NULL)(?!\w)"
    # The value of a property, and that of a feature in a media query, as style sheets write them.
    r"|(?<=: )[a-z][a-z-]*(?=;)|(?<=\(\s*[a-z]+(?:-[a-z]+)+:\s*)[a-z][a-z-]*(?=\s*\))"
)
_KEY_SIGN = re.compile(r"[\w'\"\])]\s*(?:=>|[=:])\s*$|(?<!\S)--?[A-Za-z][\w-]*[ =]$")
"""The text before the value of a key: an argument, a field, a property or a command's option."""
_DECLARED = re.compile(r"(?<!\w)(?:let|const|var|val|auto|int|long|size_t)\s+\w+\s*=\s*$")
"""The text before a variable's initial value, which is the author's own choice."""
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--)\s[^\n]*$")
"""The text before a value in a comment."""
_BETWEEN = re.compile(r"[\w'\"\]-]*\s*(?:=>|[=:(])?\s*")
_SIDE = re.compile(r"\s*(?:(?i:SET)\s+[\w.]+\s*)?[-+*]?=(?![=>])\s*([A-Za-z_][\w.]*\s*[-+*/%(\[|&][^;\n]+)")
"""An assignment of an expression after a match."""
_BEFORE = re.compile(r"-*\w[\w-]*\W{0,3}$")
"""The word before a value, with the punctuation between them."""
_OPPOSITE = {"True": "False", "False": "True", "true": "false", "false": "true"}
_NOTHING = ("None", "null", "nil", "NULL")
_MAX_NAME_LENGTH = 24
Place = tuple[int, int]
"""The start and end of a span of a text."""


def unasked_values(touched: Sequence[Place], prompt: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (value, other value, changed text) for each value in or directly after one of the spans ``touched``.

    A value without a key, or a sentence, counts only if the words of the prompt contain it; otherwise it is the
    author's own choice or comes from the prompt's code.
    """
    # Values in the prompt's code belong to the question; values in its words are asked for.
    prompt_words = prose_of(prompt)
    # An answer copies whole lines of the prompt's code with their values.
    prompt_code = code_blocks(prompt)
    yielded_values: set[str] = set()
    places = [match.span() for match in _VALUE.finditer(text)]
    if "```" in text:
        # In an answer with code, values in sentences are explanations.
        code = code_spans(text)
        places = [place for place in places if any(first <= place[0] < last for first, last in code)]
    for start, end in places:
        value = text[start:end].strip("'\"")
        has_key = _KEY_SIGN.search(text, 0, start) is not None and _DECLARED.search(text, 0, start) is None
        if not value or value in yielded_values or not _is_asked_for(value, prompt_words, has_key=has_key):
            continue
        is_shown = _is_in(value, prompt) and not _is_in(value, prompt_words)
        if (
            is_shown
            or _is_in(value, prompt_code)
            or f"`{value}`" in prompt
            or _COMMENT.search(text, text.rfind("\n", 0, start) + 1, start)
        ):
            continue
        if any(_touches(text, place, start, has_key=has_key) for place in touched):
            yielded_values.add(value)
            other = _other(value)
            yield value, other, _replace(text, (start, end), value, other)


def unasked_sides(touched: Sequence[Place], prompt: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield (expression, changed text) for each assignment after one of the spans ``touched`` whose right side no span
    reaches. Expressions that the prompt contains are skipped."""
    for _, last in touched:
        side = _SIDE.match(text, last)
        if side is None or side[1].strip() in prompt:
            continue
        if not any(first < side.end(1) and side.start(1) < end for first, end in touched):
            yield side[1], f"{text[: side.start(1)]}{NONSENSE}{text[side.end(1) :]}"


def keyword_matches(document: CriterionDocument, text: str) -> list[Place]:
    """Return the spans of a text that keyword rules match, except rules with ``neg``."""
    results, _ = KeywordScorer(document.keywords).score(text)
    rules = zip(document.keywords, results, strict=True)
    return [place for rule, result in rules if not rule.neg and result.matched for place in result.spans]


def _touches(text: str, place: Place, start: int, *, has_key: bool) -> bool:
    """Tell whether a value begins inside a match, or directly after it, behind its key or an opening bracket."""
    first, last = place
    if first <= start < last:
        return True
    between = text[last:start]
    if start < last or not _BETWEEN.fullmatch(between):
        return False
    return has_key or (text[last - 1] + between).rstrip().endswith("(")


def _is_asked_for(value: str, prompt_words: str, *, has_key: bool) -> bool:
    if _is_in(value, prompt_words):
        return True
    return has_key and len(value) <= _MAX_NAME_LENGTH and not re.search(r"\s", value)


def _is_in(value: str, text: str) -> bool:
    # The digits of a fraction are not an occurrence of the number.
    word = re.escape(value.lstrip("+-"))
    return re.search(rf"(?<!\w)(?<!\d\.){word}(?!\w|\.\d)", text, re.IGNORECASE) is not None


def _other(value: str) -> str:
    """Return a wrong value of the same form, which a pattern for the form still matches."""
    if value in _OPPOSITE:
        return _OPPOSITE[value]
    if value in _NOTHING:
        return "42"
    if re.search(r"\d", value):
        return re.sub(r"\d+", lambda digits: str(int(digits[0]) * 7 + 3), value, count=1)
    return NONSENSE


def _replace(text: str, place: Place, value: str, other: str) -> str:
    """Return the text with all occurrences of the value changed; a single character may mean anything, so it is changed
    only after the same word."""
    if len(value) > 1:
        return re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", lambda _: other, text)
    start, end = place
    changed = text[start:end].replace(value, other)
    before = _BEFORE.search(text, 0, start)
    if before is None:
        return text[:start] + changed + text[end:]
    occurrences = re.compile(rf"(?<![\w-])({re.escape(before[0])}){re.escape(text[start:end])}(?!\w)")
    return occurrences.sub(lambda match: match[1] + changed, text)
