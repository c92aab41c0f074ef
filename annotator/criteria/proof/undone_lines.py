"""Signs and lines in which a right answer's code differs from the question's, undone: often one was all the fault."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from annotator.text.fenced_code import code_blocks, places_of_code

_SIGN = r"[-+*/%<>=!&|^~?]+"
_TOKEN = re.compile(rf"\w+|{_SIGN}|[^\w\s]")
_SIGNS = re.compile(_SIGN)
_LEAST_ALIKE = 0.5
"""Code that has less in common with the question's was written anew."""
_ALIKE = 0.6
"""Two lines with so much in common are one line, changed."""
_MOST_LONGER = 1.5
_MOST_LINES = 6
"""Where more lines are changed, hardly each is asked for."""
_PLAIN = re.compile(
    r"\W*|\s*</\w+>\s*|\s*(?:#|//|--|/?\*|import\b|from\b|using\b|#include\b|(?:else|end|do|done|fi|then|try)\W*$).*|.*\{"
)
"""Lines that say little: signs, ends of tags, comments, imports, and what only opens a block."""


def undone_signs(prompt: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (sign, the question's sign, changed text) for each such sign of the answer; the question may have none.

    The sign is told with the word behind it.
    """
    asked, places = code_blocks(prompt), places_of_code(text)
    if not asked or not places:
        return
    start, end = places[0]
    there = _TOKEN.findall(asked)
    tokens = list(_TOKEN.finditer(text, start, end))
    matcher = SequenceMatcher(None, there, [token[0] for token in tokens], autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        old, new = there[old_start:old_end], tokens[new_start:new_end]
        if tag not in ("insert", "replace") or len(new) != 1 or not _SIGNS.fullmatch(new[0][0]):
            continue
        if all(map(_SIGNS.fullmatch, old)):
            sign, behind = new[0], tokens[new_end][0] if new_end < len(tokens) else ""
            other = "".join(old)
            yield f"{sign[0]}{behind}", f"{other}{behind}", text[: sign.start()] + other + text[sign.end() :]


def undone_lines(prompt: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (line, the question's line, changed text) for each line of an answer's code that the question's has not.

    A line that is new is left out, so that it has no line of the question. Where most is new, nothing is undone.
    """
    given, places = code_blocks(prompt), places_of_code(text)
    asked = _lines(given)
    if not asked or not places:
        return
    start, end = places[0]
    lines = text[start:end].splitlines(keepends=True)
    new = [number for number, line in enumerate(lines) if line.strip() and line.strip() not in given]
    kept = {line.strip() for line in lines} & set(asked)
    worded = [number for number in new if not _PLAIN.fullmatch(lines[number].rstrip("\n"))]
    lost = [line for line in asked if line not in kept]
    pairs = {number: _nearest(lines[number].strip(), lost) for number in worded}
    if not worded or len(worded) > _MOST_LINES or not (kept or any(pairs.values())):
        return
    for number, old in pairs.items():
        line = lines[number]
        indent = line[: len(line) - len(line.lstrip())]
        undone = [*lines[:number], f"{indent}{old}\n" if old else "", *lines[number + 1 :]]
        yield line.strip(), old, text[:start] + "".join(undone) + text[end:]


def _nearest(line: str, others: Sequence[str]) -> str:
    """Return the line that has most in common with this one; nothing where none has much."""
    short = [other for other in others if len(other) <= _MOST_LONGER * len(line)]
    alike = {other: SequenceMatcher(None, other, line, autojunk=False).ratio() for other in short}
    best = max(alike, key=lambda other: alike[other], default="")
    return best if best and alike[best] >= _ALIKE else ""


def _lines(code: str) -> list[str]:
    return [line.strip() for line in code.splitlines() if line.strip()]
