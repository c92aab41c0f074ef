"""Change values of a right answer that keyword rules do not check, such as the 1 if a rule matches only ``axis=``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, pairwise, takewhile

from annotator.criteria.document.criterion_document import CriterionDocument
from annotator.criteria.metrics.keywords import KeywordScorer
from annotator.criteria.proof.distinctive_words import NONSENSE, AnswerToken, is_quoted, read_tokens, replace_word
from annotator.text.code_spans import code_blocks, code_spans, prose_of

_DECLARING_WORDS = frozenset(("let", "const", "var", "val", "auto", "int", "long", "size_t"))
"""Words that declare a variable. Its initial value is the author's own choice."""
_OPPOSITES = {"True": "False", "False": "True", "true": "false", "false": "true"}
_NULL_VALUES = ("None", "null", "nil", "NULL")
_ASSIGNMENT_SIGNS = ("=", "+=", "-=", "*=")
_KEY_SIGNS = ("=", ":", "=>")
_MAX_SETTING_LENGTH = 24
"""A longer value with a key is prose rather than a setting."""
_MAX_GAP = 200
"""Maximum number of characters between a match and its value. Without a limit, the text between every match and every
value would be read, which is slow."""
Span = tuple[int, int]
"""The start and end of a span of a text."""


def unchecked_values(matched_spans: Sequence[Span], prompt: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (value, other value, changed text) for each value in or directly after one of the spans.

    A value without a key, or a sentence, counts only if the words of the prompt contain it; otherwise it is the
    author's own choice or comes from the prompt's code.
    """
    # Values in the prompt's code belong to the question; values in its words are asked for.
    prompt_words = prose_of(prompt)
    # An answer copies whole lines of the prompt's code with their values.
    prompt_code = code_blocks(prompt)
    yielded_values: set[str] = set()
    # In an answer with code, values in sentences are explanations.
    code = code_spans(text) if "```" in text else [(0, len(text))]
    tokens = [token for span in code for token in read_tokens(text.replace("`", " "), *span)]
    for index, token in enumerate(tokens):
        start = token.start
        value = token.text.strip("'\"")
        preceding = tokens[max(0, index - 3) : index]
        has_key = _has_key(preceding, start)
        if (
            not _is_value(tokens, index)
            or not value
            or value in yielded_values
            or not _is_asked_for(value, prompt_words, has_key=has_key)
        ):
            continue
        is_in_code_only = _is_in(value, prompt) and not _is_in(value, prompt_words)
        if (
            is_in_code_only
            or _is_in(value, prompt_code)
            or f"`{value}`" in prompt
            or _is_in_comment(text[text.rfind("\n", 0, start) + 1 : start])
        ):
            continue
        if any(_touches(text, span, start, has_key=has_key) for span in matched_spans):
            yielded_values.add(value)
            other = _other_value(value)
            yield value, other, _replace_value(text, token, value, other)


def _is_value(tokens: Sequence[AnswerToken], index: int) -> bool:
    """Return whether a token is a value: a string, a number, a boolean, null, or a CSS keyword after a colon."""
    token = tokens[index]
    if is_quoted(token.text) or token.text.lstrip("+-")[:1].isdigit():
        return True
    if token.text in (*_OPPOSITES, *_NULL_VALUES):
        return True
    following = tokens[index + 1].text if index + 1 < len(tokens) else ""
    preceding = tokens[index - 1].text if index else ""
    is_media_feature = following == ")" and index > 1 and "-" in tokens[index - 2].text
    return preceding == ":" and token.text.islower() and (following == ";" or is_media_feature)


def _has_key(preceding: Sequence[AnswerToken], start: int) -> bool:
    """Return whether a value follows an argument, a field, a property or an option, except in a declaration."""
    words = [token.text for token in preceding]
    if not words:
        return False
    if words[-1].startswith("-") and words[-1] != "-":
        return words[-1].lstrip("-")[:1].isalpha() and preceding[-1].end >= start - 1
    is_declared = words[0] in _DECLARING_WORDS and len(words) > 2
    has_name = len(words) > 1 and (words[-2][-1].isalnum() or words[-2][-1] in "_'\"])")
    return has_name and words[-1] in _KEY_SIGNS and not (is_declared and words[-1] == "=")


def _is_in_comment(line: str) -> bool:
    """Return whether the text before a value in its line begins a comment."""
    return any(line.startswith(f"{mark} ") or f" {mark} " in line for mark in ("#", "//", "--"))


def unchecked_right_sides(matched_spans: Sequence[Span], prompt: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield (right side, changed text) for each assignment after a matched span whose right side no span overlaps.

    Expressions that the prompt contains are skipped.
    """
    for _, match_end in matched_spans:
        if not text[match_end : match_end + _MAX_GAP].lstrip().upper().startswith((*_ASSIGNMENT_SIGNS, "SET")):
            continue
        ends = [index for mark in ";\n" if (index := text.find(mark, match_end)) >= 0]
        end = min(ends, default=len(text))
        tokens = read_tokens(text, match_end, end)
        words = [token.text for token in tokens]
        if words[:1] and words[0].upper() == "SET":
            del tokens[:2], words[:2]
        if len(words) < 4 or words[0] not in _ASSIGNMENT_SIGNS or not tokens[1].is_name:
            continue
        start = tokens[1].start
        side = text[start:end]
        is_calculated = any(word[0] in "-+*/%([|&" for word in words[2:])
        is_reached = any(span_start < end and start < span_end for span_start, span_end in matched_spans)
        if is_calculated and side.strip() not in prompt and not is_reached:
            yield side, f"{text[:start]}{NONSENSE}{text[end:]}"


def keyword_matches(document: CriterionDocument, text: str) -> list[Span]:
    """Return the spans of a text that keyword rules match, except rules with ``neg``."""
    results, _ = KeywordScorer(document.keywords).score(text)
    rules = zip(document.keywords, results, strict=True)
    return [span for rule, result in rules if not rule.neg and result.matched for span in result.spans]


def _touches(text: str, span: Span, start: int, *, has_key: bool) -> bool:
    """Return whether a value begins inside a match or directly after it, with at most its key or a bracket between."""
    span_start, span_end = span
    if span_start <= start < span_end:
        return True
    if not span_end <= start <= span_end + _MAX_GAP:
        return False
    between = text[span_end:start]
    if len(read_tokens(between)) > 2 or "\n" in between.strip("\n"):
        return False
    words = between.rstrip("=>:( ")
    if not all(character.isalnum() or character in "_'\"]-" for character in words):
        return False
    return has_key or (text[span_end - 1] + between).rstrip().endswith("(")


def _is_asked_for(value: str, prompt_words: str, *, has_key: bool) -> bool:
    if _is_in(value, prompt_words):
        return True
    return has_key and len(value) <= _MAX_SETTING_LENGTH and not any(map(str.isspace, value))


def _is_in(value: str, text: str) -> bool:
    # The digits after a decimal point are not an occurrence of the number.
    word = re.escape(value.lstrip("+-"))
    return re.search(rf"(?<!\w)(?<!\d\.){word}(?!\w|\.\d)", text, re.IGNORECASE) is not None


def _other_value(value: str) -> str:
    """Return a wrong value of the same form, which a pattern for the form still matches."""
    if value in _OPPOSITES:
        return _OPPOSITES[value]
    if value in _NULL_VALUES:
        return "42"
    digits = "".join(takewhile(str.isdecimal, dropwhile(lambda character: not character.isdecimal(), value)))
    return value.replace(digits, str(int(digits) * 7 + 3), 1) if digits else NONSENSE


def _replace_value(text: str, token: AnswerToken, value: str, other: str) -> str:
    """Return the text with all occurrences of the value changed.

    A single character may have other meanings elsewhere, so it is changed only after the same preceding word.
    """
    if len(value) > 1:
        return replace_word(text, value, other)
    tokens = read_tokens(text.replace("`", " "))
    changed = token.text.replace(value, other)
    preceding = next((left.text for left, right in pairwise(tokens) if right.start == token.start), None)
    if preceding is None:
        return text[: token.start] + changed + text[token.end :]
    # From the end, so that the positions of earlier tokens remain valid.
    for left, right in reversed(list(pairwise(tokens))):
        if right.text == token.text and left.text == preceding:
            text = text[: right.start] + changed + text[right.end :]
    return text
