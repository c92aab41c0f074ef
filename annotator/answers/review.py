"""Review answers: the types of errors that a response reports, with the corrected lines.

The answer is the last object with one of the item's keys that is not the prompt's own example; else the values after
the keys in an object that does not parse; else the lines ``key: value`` and table rows that begin with a key. A value
such as "none" means no error. In a value with an explanation, the correction is the last inline code that is not a
line of the reviewed code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.answers.fences import split_blocks
from annotator.answers.finder import MAX_RESPONSE_CHARS, find_objects, inline_codes
from annotator.answers.outcome import NoAnswer, classify_missing_answer, final_text

_ERRORS = ("issue", "error", "violation", "problem", "bug", "convention", "vulnerabilit")
_DENIALS = frozenset(("no", "none", "nothing", "not", "na", "null", "false", "ok", "fine"))
_ABSENT = _DENIALS | frozenset(
    ("there", "is", "are", "was", "were", "the", "this", "code", "function", "program", "has", "contains", "see",
     "found", "to", "be", "of", "kind", "type", "in", "detected", "identified", "present", "applicable", "needed",
     "report", "concern", "concerns", "change", "changes")
)  # fmt: skip
"""A denial among only such words and the names of errors means "no error of this type", in English or Chinese."""
_NONE = ("\u65e0", "\u6ca1\u6709", "\u672a", "\u4e0d\u9002\u7528")
"""The beginnings of "none", "not found" and "not applicable" in Chinese."""
_MARKS, _MAX_OTHER_WORDS = "`\"'*_()[]{}.,!\u3002-\u2013\u2014~\u2713", 2
_WORDS = re.compile(r"[A-Z]*[a-z]+|[A-Z]+")
_TYPE = ("type", "category", "key", "kind")
_CODE = ("corrected", "fix", "correct", "after", "new", "suggest", "replace", "code", "value")
"""Prefixes of the fields that hold the corrected lines, best first."""
_WHOLE = ("corrected_code", "fixed_code", "correct_code")
_BEFORE_CODE = re.compile(r"\s*(?:Line \d+|Fix|Correction|(?:Corrected|Fixed|Correct|New)(?: line| code)?):\s+(?=\S)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAnswer:
    """The review in a response: a text for each key, unknown keys, and ``how`` it was found.

    If the response contains no review, ``is_found`` is False and ``outcome`` says why.
    """

    is_found: bool
    values: Mapping[str, str]
    unknown: tuple[str, ...] = ()
    corrected_code: str = ""
    how: str = ""
    outcome: NoAnswer = ""


def find_review(
    response: str, keys: Sequence[str], *, code: str = "", example: str = "", finish_reason: str = "stop"
) -> ReviewAnswer:
    """Return the review in a response; an object equal to the prompt's ``example`` does not count.

    ``code`` is the reviewed code, whose lines do not count as corrections.
    """
    final = final_text(response[:MAX_RESPONSE_CHARS])
    examples = [values for values in find_objects(example) if values]
    candidates: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for text in ("\n".join(block.code for block in split_blocks(final.text)), final.text):
        candidates = candidates or [
            (fields, keyed) for fields in find_objects(text) if (keyed := _keyed_part(fields, keys)) is not None
        ]
    reviews = [keyed for fields, keyed in candidates if fields not in examples and not _is_placeholder_form(keyed)]
    if reviews:
        return _answer(reviews[-1], keys, code, f"the {'only' if len(reviews) == 1 else 'last'} object with the keys")
    # A truncated response may lack the end of a value.
    if not candidates and finish_reason != "length":
        for values, how in (
            (_values_between_keys(final.text, keys), "what follows the keys of an object that does not parse"),
            (_values_in_lines(final.text, keys), "the lines that begin with a key"),
        ):
            if values:
                return _answer(values, keys, code, how)
    missing = classify_missing_answer(final, finish_reason, missing="review")
    return ReviewAnswer(is_found=False, values={}, how=missing.how, outcome=missing.outcome)


def first_object(text: str) -> dict[str, Any] | None:
    """Return the first object of a text, repaired if it is nearly JSON; None if there is none."""
    return next(find_objects(text), None)


def _answer(fields: Mapping[str, Any], keys: Sequence[str], code: str, how: str) -> ReviewAnswer:
    values: dict[str, str] = {}
    unknown: list[str] = []
    whole = ""
    for name, value in fields.items():
        key, text = _matching_key(str(name), keys), _value_text(value)
        if key:
            if not is_absent(text):
                values[key] = _code_in_value(text, code)
        elif name in _WHOLE:
            whole = _code_in_value(text, "")
        else:
            unknown.append(str(name))
    return ReviewAnswer(is_found=True, values=values, unknown=tuple(unknown), corrected_code=whole, how=how)


def is_absent(text: str) -> bool:
    """Return whether a value says that there is no error; it may have two more words, as in ``no logical errors``."""
    tokens = (token.strip(_MARKS) for token in text.lower().replace("/", "").split())
    words = [token for token in tokens if token]
    errors = [word for word in words if word.startswith(_ERRORS)]
    denials = [word for word in words if word in _DENIALS or word.startswith(_NONE)]
    others = set(words) - _ABSENT - {*errors, *denials}
    # ``is None`` is code.
    is_denied = bool(denials) and words[0] != "is"
    return not words or (is_denied and len(others) <= (_MAX_OTHER_WORDS if errors and "no" in words else 0))


# -- keys --------------------------------------------------------------------------------------------------------------


def _matching_key(name: str, keys: Sequence[str]) -> str:
    """Return the key that shares its first word with a name, which may add a word for errors; empty for none.

    Words match if their first four letters do: ``perf``, ``logic``, ``Logical errors``, ``logicErrors``.
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or len(words) > 2 or (len(words) == 2 and not any(words[1][:5] == error[:5] for error in _ERRORS)):
        return ""
    return next((key for key in keys if len(words[0]) > 3 and key[:4] == words[0][:4]), "")


def _keyed_part(fields: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any] | None:
    """Return the part of an object with the keys: itself, an inner object, or a list of findings with their types."""
    if any(_matching_key(str(name), keys) for name in fields):
        return dict(fields)
    for value in fields.values():
        inner = first_object(value) if isinstance(value, str) and value.lstrip().startswith("{") else value
        part = _keyed_part(inner, keys) if isinstance(inner, dict) else None
        if part is None:
            part = _findings_by_type(value if isinstance(value, list) else [], keys)
        if part is not None:
            return part
    return _findings_by_type([fields], keys)


def _findings_by_type(findings: Sequence[Any], keys: Sequence[str]) -> dict[str, Any] | None:
    fields: dict[str, Any] = {}
    for finding in findings:
        for name in _TYPE if isinstance(finding, dict) else ():
            if key := _matching_key(str(finding.get(name, "")), keys):
                fields[key] = {field: value for field, value in finding.items() if field not in _TYPE}
    return fields or None


def _is_placeholder_form(fields: Mapping[str, Any]) -> bool:
    """Return whether an object is an empty form: every value is a placeholder."""
    texts = [_value_text(value).strip() for value in fields.values()]
    return bool(texts) and all(text in ("...", "\u2026") or (text[:1], text[-1:]) == ("<", ">") for text in texts)


# -- values ------------------------------------------------------------------------------------------------------------


def _value_text(value: Any) -> str:
    """Return the text of a value: the lines of a list, or the field of an object that holds the corrected lines."""
    if value is None or value is False:
        return ""
    if isinstance(value, list | tuple):
        return "\n".join(text for text in map(_value_text, value) if not is_absent(text))
    if isinstance(value, Mapping):
        fields = [item for start in _CODE for name, item in value.items() if str(name).lower().startswith(start)]
        return next((text for text in map(_value_text, [*fields, *reversed(list(value.values()))]) if text.strip()), "")
    return str(value)


def _code_in_value(value: str, reviewed: str) -> str:
    """Return the code in a value: from a fence, a diff, backticks, or after introductory words."""
    blocks = split_blocks(value) if "```" in value else []
    text = (blocks[-1].code if blocks else value).strip("\n")
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and any(line.startswith("+") for line in lines) and all(line[:1] in "+-@ " for line in lines):
        return "\n".join(line[1:] for line in lines if line.startswith((" ", "+")))
    if len(lines) != 1:
        return text
    old = [line.strip() for line in reviewed.split("\n")]
    # If the reviewed code has backticks, those in a value belong to the code.
    spans = [span for span in inline_codes(text) if span.strip() not in old] if "`" not in reviewed else []
    if spans:
        return spans[-1]
    for arrow in (" -> ", " => ", " \u2192 "):
        before, _, after = text.rpartition(arrow)
        if before.strip() in old and before.strip():
            return after.strip()
    head = _BEFORE_CODE.match(text)
    return text[head.end() :] if head is not None else text


# -- reviews that are not objects --------------------------------------------------------------------------------------

_FIELD = re.compile(r"[\"'](\w+)[\"']\s*:\s*")
_LINE = re.compile(
    r"^[^\w\n]*(?:\d+[.)]\s*)?(?P<key>[A-Za-z][\w -]{0,40}?)[*_`\"' ]*[:|][*_]*(?P<value>[^\n]*)$", re.MULTILINE
)


def _values_between_keys(text: str, keys: Sequence[str]) -> dict[str, str]:
    """Return the values between the keys of an object that does not parse (no comma, quotes in strings, no end)."""
    text = text[max(text.find("{"), 0) :] if "{" in text else ""
    marks = [mark for mark in _FIELD.finditer(text) if _matching_key(mark[1], keys)]
    ends = [*(mark.start() for mark in marks[1:]), max(text.rfind("}"), 0) or len(text)]
    return {mark[1]: _unquoted(text[mark.end() : end]) for mark, end in zip(marks, ends, strict=False)}


def _values_in_lines(text: str, keys: Sequence[str]) -> dict[str, str]:
    """Return the values of lines such as ``key: value``, and of table rows."""
    values = {}
    for mark in _LINE.finditer(text):
        if _matching_key(mark["key"], keys):
            cells = mark["value"].strip().strip("|")
            values[mark["key"]] = "" if all(map(is_absent, cells.split("|"))) else _unquoted(cells)
    return values


def _unquoted(value: str) -> str:
    """Return a value without a trailing comma and the quotes around it."""
    value = value.strip().rstrip(",").strip()
    try:
        read = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    return read if isinstance(read, str) else value
