"""Examples in a prompt: doctests, calls with their results, and the lines below "Example:"."""

from __future__ import annotations

import re

_HEADER = re.compile(r"^\W*(?:for )?(?:examples?|sample (?:in|out)put)\b[^:\n]{0,20}:\s*(.*)$", re.IGNORECASE)
_LOOKS_LIKE_DATA = re.compile(r"[\[\](){}=<>\"'`]|->|\d")
_RESULT = re.compile(r"\)\s*(?:(?:➞|→|=>|==|=|#)\s*\S|->\s*(?:[-\d\"'\[({]|True|False|None))")
_LONGEST = 160
_TOKEN = re.compile(r"-?\d+(?:\.\d+)?|\w+|[\[\]{}]")
_MOST_LINES = 12
_SLACK = 6
"""Words that may stand between the pieces of an example, as in "f(1) must return 2"."""


def find_examples(text: str, entry_point: str = "") -> tuple[str, ...]:
    """Return the examples of a prompt in order, each on one line; a doctest's call stands with its result."""
    lines = text.split("\n")
    found: list[str] = []
    place = 0
    while place < len(lines):
        line = lines[place].strip()
        header = _HEADER.match(line)
        if line.startswith(">>>"):
            place, example = _doctest(lines, place)
            found.append(example)
        elif header:
            place, examples = _section(lines, place, header[1])
            found += examples
        else:
            is_call = entry_point and f"{entry_point}(" in line and not line.startswith("def ")
            if is_call and len(line) <= _LONGEST and _RESULT.search(line):
                found.append(line)
            place += 1
    return tuple(dict.fromkeys(example for example in found if _TOKEN.search(example)))


def _doctest(lines: list[str], place: int) -> tuple[int, str]:
    """Return where a doctest ends, and its call with the result."""
    parts = [lines[place].strip().removeprefix(">>>").strip()]
    place += 1
    while place < len(lines) and (line := lines[place].strip()):
        if line.startswith(">>>") or line in ('"""', "'''"):
            break
        parts.append(line.removeprefix("...").strip())
        place += 1
    return place, " ".join(part for part in parts if part)


def _section(lines: list[str], place: int, rest: str) -> tuple[int, list[str]]:
    """Return where the lines below a header end, and those that hold data; words alone are no example."""
    found = [rest] if _LOOKS_LIKE_DATA.search(rest) else []
    place += 1
    for line in lines[place : place + _MOST_LINES]:
        text = line.strip()
        if not text or text.startswith(">>>") or not _LOOKS_LIKE_DATA.search(text) or text in ('"""', "'''"):
            break
        found.append(text)
        place += 1
    return place, found


def keeps_example(example: str, text: str) -> bool:
    """Whether a text has an example's numbers, words and brackets in their order; signs between them may differ."""
    wanted, there = _TOKEN.findall(example), _TOKEN.findall(text)
    starts = [place for place, word in enumerate(there) if word == wanted[0]] if wanted else []
    return not wanted or any(_follows(wanted, there, start) for start in starts)


def _follows(wanted: list[str], there: list[str], start: int) -> bool:
    place = start
    for word in wanted:
        end = min(len(there), place + _SLACK + 1)
        try:
            place = there.index(word, place, end) + 1
        except ValueError:
            return False
    return True
