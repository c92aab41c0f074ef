"""Read the JSON of a review answer, well-formed or nearly so (specification, task construction, 2.7)."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotator.text.python_tree import UNREADABLE, read_tree

LONGEST = 200_000
_ABSENT = {
    "",
    "none",
    "n/a",
    "na",
    "null",
    "no issue",
    "no issues",
    "no error",
    "no errors",
    "not applicable",
    "nothing",
}
_ALIASES = {
    "performance": "performance_issues", "performance_issue": "performance_issues", "perf_issue": "performance_issues",
    "perf_issues": "performance_issues", "performance_errors": "performance_issues", "security": "security_issues",
    "security_issue": "security_issues", "security_errors": "security_issues", "syntax": "syntax_errors",
    "syntax_error": "syntax_errors", "syntax_issues": "syntax_errors", "logic": "logical_errors",
    "logical": "logical_errors", "logic_errors": "logical_errors", "logic_error": "logical_errors",
    "logical_error": "logical_errors", "logical_issues": "logical_errors", "naming": "naming_violations",
    "naming_issues": "naming_violations", "naming_violation": "naming_violations",
}  # fmt: skip
_EXTRA = ("corrected_code",)


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """What an answer says: a text for each key it uses, keys nobody asked for. ``found`` is False without JSON."""

    found: bool
    values: Mapping[str, str]
    unknown: tuple[str, ...] = ()
    corrected_code: str = ""


def read_review(response: str, keys: tuple[str, ...]) -> ReviewAnswer:
    """Read the first balanced object of an answer; empty values and words like "none" mean that there is none."""
    found = first_object(response[:LONGEST])
    if found is None:
        return ReviewAnswer(False, {})
    values: dict[str, str] = {}
    unknown = []
    whole = ""
    for name, value in found.items():
        plain = re.sub(r"[\s-]+", "_", str(name).strip().lower())
        known = plain if plain in keys else _ALIASES.get(plain, "")
        if plain in _EXTRA:
            whole = _text(value)
        elif known in keys:
            text = _text(value)
            if text.strip().strip(".").lower() not in _ABSENT:
                values[known] = text
        else:
            unknown.append(str(name))
    return ReviewAnswer(True, values, tuple(unknown), whole)


def _text(value: Any) -> str:
    if value is None or value is False:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n".join(text for text in (_text(item) for item in value) if text)
    if isinstance(value, Mapping):
        for name in ("fixed", "fix", "corrected", "correction", "code", "corrected_code", "value"):
            if name in value:
                return _text(value[name])
        return "\n".join(text for text in (_text(item) for item in value.values()) if text)
    return str(value)


def first_object(text: str) -> dict[str, Any] | None:
    """Return the first balanced JSON object of a text, repaired where it is nearly one; None if there is none."""
    at = text.find("{")
    tries = 0
    while at >= 0 and tries < 50:
        tries += 1
        end = _balanced(text, at)
        if end:
            found = _parse(text[at:end])
            if found is not None:
                return found
        at = text.find("{", at + 1)
    return None


def _balanced(text: str, start: int) -> int:
    """Return the place after the brace that closes the one at ``start``, braces in texts left out; 0 if none does."""
    depth, quote, at = 0, "", start
    while at < len(text):
        letter = text[at]
        if quote:
            if letter == "\\":
                at += 1
            elif letter == quote:
                quote = ""
        elif letter == '"' or (letter == "'" and text[at - 1] in "{[,: \n\t"):
            quote = letter
        elif letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return 0


def _parse(text: str) -> dict[str, Any] | None:
    for attempt in (text, _repaired(text)):
        try:
            value = json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    try:
        value = ast.literal_eval(read_tree(_repaired(text, python=True), "eval"))
    except (*UNREADABLE, TypeError):
        return None
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else None


_OUTSIDE = re.compile(r'("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\\n])*\')|//[^\n]*|,(?=\s*[}\]])|\b(null|true|false)\b')


def _repaired(text: str, *, python: bool = False) -> str:
    """Drop comments and trailing commas outside texts; with ``python`` write null, true and false as Python does."""

    def instead(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        if match[2]:
            return {"null": "None", "true": "True", "false": "False"}[match[2]] if python else match[2]
        return ""

    return _OUTSIDE.sub(instead, text)
