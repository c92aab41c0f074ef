"""Review answers: which types of errors a response names, and the corrected lines it gives for them.

The answer is the last object with one of the item's keys that is not the prompt's own example; else the values that
follow the keys in an object that does not parse; else the lines ``key: value`` and rows of a table that begin with a
key. A value that says "none" names no error. Of a value that explains, its last inline code that is no line of the
reviewed code is the correction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.answers.fences import split_blocks
from annotator.answers.finder import LONGEST, find_objects, inline_codes
from annotator.answers.found import NoAnswer
from annotator.answers.outcome import no_answer, spoken_text

_ERRORS = ("issue", "error", "violation", "problem", "bug", "convention", "vulnerability")
_ABSENT = re.compile(
    r"(?:(?:none|nothing|no|not|n/?a|null|false|ok|fine|[-\u2013\u2014~\u2713]+)?"
    r"|(?:(?:there (?:is|are|was|were)|(?:the|this) (?:code|function|program) (?:has|contains)|i (?:found|see)) )?"
    r"no (?:[\w-]+ ){0,2}(?:issue|error|violation|problem|bug|concern|change|vulnerabilit)(?:s|y|ies)?"
    r"(?: of this (?:kind|type))?)"
    r"(?:\s*\b(?:(?:was|were|to be) )?(?:found|detected|identified|present|applicable|needed|to report))?"
    r"(?: in (?:the|this) \w+)?"
    r"|(?:\u65e0|\u6ca1\u6709(?:\u53d1\u73b0)?)(?:\u95ee\u9898|\u9519\u8bef)?|\u4e0d\u9002\u7528",
    re.IGNORECASE,
)
"""What a value says, in English or Chinese, where there is no error of its type."""
_WORDS = re.compile(r"[A-Z]*[a-z]+|[A-Z]+")
_TYPE = ("type", "category", "key", "kind")
_CODE = ("corrected", "fix", "correct", "after", "new", "suggest", "replace", "code", "value")
"""How the fields of an object begin that hold the corrected lines, best first."""
_WHOLE = ("corrected_code", "fixed_code", "correct_code")
_BEFORE_CODE = re.compile(r"\s*(?:Line \d+|Fix|Correction|(?:Corrected|Fixed|Correct|New)(?: line| code)?):\s+(?=\S)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAnswer:
    """What an answer says: a text for each key it uses, keys nobody asked for, and how it was found.

    ``found`` is False where the response holds no review; ``outcome`` names what it is instead.
    """

    found: bool
    values: Mapping[str, str]
    unknown: tuple[str, ...] = ()
    corrected_code: str = ""
    how: str = ""
    outcome: NoAnswer = ""


def find_review(
    response: str, keys: Sequence[str], *, code: str = "", example: str = "", finish_reason: str = "stop"
) -> ReviewAnswer:
    """Return the review of a response; an object equal to the prompt's ``example`` is none.

    ``code`` is what was reviewed: its own lines are no corrections.
    """
    said = spoken_text(response[:LONGEST])
    shown = [given for given in find_objects(example) if given]
    read: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for text in ("\n".join(block.code for block in split_blocks(said.text)), said.text):
        read = read or [(one, known) for one in find_objects(text) if (known := _keyed(one, keys)) is not None]
    found = [known for one, known in read if one not in shown and not _is_form(known)]
    if found:
        return _answer(found[-1], keys, code, f"the {'only' if len(found) == 1 else 'last'} object with the keys")
    # What was cut may lack the end of a value.
    if not read and finish_reason != "length":
        for given, how in ((_between(said.text, keys), "what follows the keys of an object that does not parse"),
                           (_lines(said.text, keys), "the lines that begin with a key")):  # fmt: skip
            if given:
                return _answer(given, keys, code, how)
    missing = no_answer(said, finish_reason, missing="review")
    return ReviewAnswer(found=False, values={}, how=missing.how, outcome=missing.outcome)


def first_object(text: str) -> dict[str, Any] | None:
    """Return the first object of a text, repaired where it is nearly JSON; None if there is none."""
    return next(find_objects(text), None)


def _answer(given: Mapping[str, Any], keys: Sequence[str], code: str, how: str) -> ReviewAnswer:
    values: dict[str, str] = {}
    unknown: list[str] = []
    whole = ""
    for name, value in given.items():
        key, text = _key(str(name), keys), _text(value)
        if key:
            if not is_absent(text):
                values[key] = _code(text, code)
        elif name in _WHOLE:
            whole = _code(text, "")
        else:
            unknown.append(str(name))
    return ReviewAnswer(found=True, values=values, unknown=tuple(unknown), corrected_code=whole, how=how)


def is_absent(text: str) -> bool:
    """Tell whether a value says that nothing was found."""
    return _ABSENT.fullmatch(text.strip("`\"'*_()[]{}. \n!\u3002")) is not None


# -- keys --------------------------------------------------------------------------------------------------------------


def _key(name: str, keys: Sequence[str]) -> str:
    """Return the key whose first word a name shares, alone or with a word for errors; empty for none.

    Words are the same that begin with the same four letters: ``perf``, ``logic``, ``Logical errors``, ``logicErrors``.
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or len(words) > 2 or (len(words) == 2 and not any(words[1][:5] == error[:5] for error in _ERRORS)):
        return ""
    return next((key for key in keys if len(words[0]) > 3 and key[:4] == words[0][:4]), "")


def _keyed(given: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any] | None:
    """Return an object's part with the keys: itself, one inside it, or findings that each name their type."""
    if any(_key(str(name), keys) for name in given):
        return dict(given)
    for value in given.values():
        inner = first_object(value) if isinstance(value, str) and value.lstrip().startswith("{") else value
        part = _keyed(inner, keys) if isinstance(inner, dict) else None
        if part is None:
            part = _by_type(value if isinstance(value, list) else [], keys)
        if part is not None:
            return part
    return _by_type([given], keys)


def _by_type(findings: Sequence[Any], keys: Sequence[str]) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for finding in findings:
        for name in _TYPE if isinstance(finding, dict) else ():
            if key := _key(str(finding.get(name, "")), keys):
                found[key] = {field: value for field, value in finding.items() if field not in _TYPE}
    return found or None


def _is_form(given: Mapping[str, Any]) -> bool:
    """Tell whether an object only shows the form: every value is a placeholder."""
    texts = [_text(value).strip() for value in given.values()]
    return bool(texts) and all(text in ("...", "\u2026") or (text[:1], text[-1:]) == ("<", ">") for text in texts)


# -- values ------------------------------------------------------------------------------------------------------------


def _text(value: Any) -> str:
    """Return the text of a value: the lines of a list, or the field of an object that holds the corrected lines."""
    if value is None or value is False:
        return ""
    if isinstance(value, list | tuple):
        return "\n".join(text for text in map(_text, value) if not is_absent(text))
    if isinstance(value, Mapping):
        fields = [item for start in _CODE for name, item in value.items() if str(name).lower().startswith(start)]
        return next((text for text in map(_text, [*fields, *reversed(list(value.values()))]) if text.strip()), "")
    return str(value)


def _code(value: str, reviewed: str) -> str:
    """Return the code in a value: out of a fence, a diff, backticks, or behind the words that introduce it."""
    blocks = split_blocks(value) if "```" in value else []
    text = (blocks[-1].code if blocks else value).strip("\n")
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and any(line.startswith("+") for line in lines) and all(line[:1] in "+-@ " for line in lines):
        return "\n".join(line[1:] for line in lines if line.startswith((" ", "+")))
    if len(lines) != 1:
        return text
    old = [line.strip() for line in reviewed.split("\n")]
    # Where the code has backticks, those of a value are its own.
    spans = [span for span in inline_codes(text) if span.strip() not in old] if "`" not in reviewed else []
    if spans:
        return spans[-1]
    for arrow in (" -> ", " => ", " \u2192 "):
        before, _, after = text.rpartition(arrow)
        if before.strip() in old and before.strip():
            return after.strip()
    head = _BEFORE_CODE.match(text)
    return text[head.end() :] if head is not None else text


def changed_lines(value: str, code: str) -> tuple[int, int, str] | None:
    """Return which lines of the code a value replaces, and by what, if it repeats lines around them.

    Places count from 1, the last one included; None if a value repeats nothing at its ends.
    """
    new = value.strip("\n").split("\n")
    old = code.rstrip("\n").split("\n")
    keys, olds = [line.strip() for line in new], [line.strip() for line in old]
    if len([key for key in keys if key]) < 2:
        return None
    head = next((at for at, line in enumerate(olds) if line and line == keys[0]), None)
    tail = next((at for at in range(len(olds) - 1, -1, -1) if olds[at] and olds[at] == keys[-1]), None)
    if head is None or tail is None or tail < head or tail - head + 1 < len(new) // 2:
        return None
    shift = (len(old[head]) - len(old[head].lstrip())) - (len(new[0]) - len(new[0].lstrip()))
    moved = [" " * shift + line if shift > 0 and line.strip() else line[-shift:] if shift < 0 else line for line in new]
    return head + 1, tail + 1, "\n".join(moved)


# -- text that is no object --------------------------------------------------------------------------------------------

_FIELD = re.compile(r"[\"'](\w+)[\"']\s*:\s*")
_LINE = re.compile(
    r"^[^\w\n]*(?:\d+[.)]\s*)?(?P<key>[A-Za-z][\w -]{0,40}?)[*_`\"' ]*[:|][*_]*(?P<value>[^\n]*)$", re.MULTILINE
)


def _between(text: str, keys: Sequence[str]) -> dict[str, str]:
    """Return what stands between the keys of an object that does not parse (no comma, quotes inside texts, no end)."""
    text = text[max(text.find("{"), 0) :] if "{" in text else ""
    marks = [mark for mark in _FIELD.finditer(text) if _key(mark[1], keys)]
    ends = [*(mark.start() for mark in marks[1:]), max(text.rfind("}"), 0) or len(text)]
    return {mark[1]: _unquoted(text[mark.end() : end]) for mark, end in zip(marks, ends, strict=False)}


def _lines(text: str, keys: Sequence[str]) -> dict[str, str]:
    """Return what lines such as ``key: value`` give, and the last cells of rows of a table."""
    found = {}
    for mark in _LINE.finditer(text):
        if _key(mark["key"], keys):
            cells = mark["value"].strip().strip("|")
            found[mark["key"]] = "" if all(map(is_absent, cells.split("|"))) else _unquoted(cells)
    return found


def _unquoted(value: str) -> str:
    """Return a value without the comma behind it and the quotes around it."""
    value = value.strip().rstrip(",").strip()
    try:
        read = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    return read if isinstance(read, str) else value
