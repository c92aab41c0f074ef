"""Examples in a prompt: doctests, calls with their results, and the lines below "Example:"."""

from __future__ import annotations

import re

_HEADER = re.compile(r"^\W*(?:for )?(?:examples?|sample (?:in|out)put)\b[^:\n]{0,20}:\s*(.*)$", re.IGNORECASE)
_LOOKS_LIKE_DATA = re.compile(r"[\[\](){}=<>\"'`]|->|\d")
_RESULT = re.compile(r"\)\s*(?:(?:➞|→|=>|==|=|#)\s*\S|->\s*(?:[-\d\"'\[({]|True|False|None))")
_MAX_LINE_CHARS = 160
_TOKEN = re.compile(r"-?\d+(?:\.\d+)?|\w+|[\[\]{}]")
_MAX_SECTION_LINES = 12
_MAX_WORDS_BETWEEN = 6
"""Number of words that may separate the parts of an example, as in "f(1) must return 2"."""


def find_examples(text: str, entry_point: str = "") -> tuple[str, ...]:
    """Return the examples of a prompt in order, each on one line; a doctest's call and result are joined."""
    lines = text.split("\n")
    examples: list[str] = []
    row = 0
    while row < len(lines):
        line = lines[row].strip()
        header = _HEADER.match(line)
        if line.startswith(">>>"):
            row, example = _read_doctest(lines, row)
            examples.append(example)
        elif header:
            row, section_examples = _read_section(lines, row, header[1])
            examples += section_examples
        else:
            is_call = entry_point and f"{entry_point}(" in line and not line.startswith("def ")
            if is_call and len(line) <= _MAX_LINE_CHARS and _RESULT.search(line):
                examples.append(line)
            row += 1
    return tuple(dict.fromkeys(example for example in examples if _TOKEN.search(example)))


def _read_doctest(lines: list[str], row: int) -> tuple[int, str]:
    """Return the row after a doctest, and its call with the result."""
    parts = [lines[row].strip().removeprefix(">>>").strip()]
    row += 1
    while row < len(lines) and (line := lines[row].strip()):
        if line.startswith(">>>") or line in ('"""', "'''"):
            break
        parts.append(line.removeprefix("...").strip())
        row += 1
    return row, " ".join(part for part in parts if part)


def _read_section(lines: list[str], row: int, header_text: str) -> tuple[int, list[str]]:
    """Return the row after a header's section, and its lines with data; plain words are not examples."""
    examples = [header_text] if _LOOKS_LIKE_DATA.search(header_text) else []
    row += 1
    for line in lines[row : row + _MAX_SECTION_LINES]:
        text = line.strip()
        if not text or text.startswith(">>>") or not _LOOKS_LIKE_DATA.search(text) or text in ('"""', "'''"):
            break
        examples.append(text)
        row += 1
    return row, examples


def keeps_example(example: str, text: str) -> bool:
    """Return whether a text contains an example's numbers, words and brackets in order; other signs may differ."""
    expected_tokens, text_tokens = _TOKEN.findall(example), _TOKEN.findall(text)
    starts = (
        [position for position, word in enumerate(text_tokens) if word == expected_tokens[0]] if expected_tokens else []
    )
    return not expected_tokens or any(_follows(expected_tokens, text_tokens, start) for start in starts)


def _follows(expected_tokens: list[str], text_tokens: list[str], start: int) -> bool:
    position = start
    for word in expected_tokens:
        end = min(len(text_tokens), position + _MAX_WORDS_BETWEEN + 1)
        try:
            position = text_tokens.index(word, position, end) + 1
        except ValueError:
            return False
    return True
