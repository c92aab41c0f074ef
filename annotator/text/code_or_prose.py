"""Guess from a text's lines whether it is code or prose."""

from __future__ import annotations

import re

from annotator.text.completions import read_completion

_CODE = re.compile(
    r"^\s*(?:(?:from\s+[\w.]+\s+)?import\s+(?:static\s+)?[\w.*]+(?:\s+as\s+\w+)?(?:\s*[,;{(].*)?$|(?:async\s+)?def\s+\w+\s*\(|class\s+\w+.*[:{]$|function\s*\w*\s*\("
    r"|(?:public|private|static|const|let|var|#include|package|using|func|fn)\b.*[;{(>\"]|@\w+$)"
)
_MAX_LINES_READ = 40


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def open_fence_after(line: str, open_fence: str) -> str:
    """Return the fence (``` or ~~~) that is open after a line of Markdown, or an empty text.

    ``open_fence`` is the fence open above the line. Only the same sign closes a fence, and only with nothing after it.
    """
    match = _FENCE.match(line)
    if match is None:
        return open_fence
    fence = match[1][:3]
    if not open_fence:
        return "" if fence == "```" and "`" in match[2] else fence
    return "" if fence == open_fence and not match[2].strip() else open_fence


def fenced_lines(text: str) -> frozenset[int]:
    """Return the numbers (from 0) of the lines of Markdown inside fences, the fences included."""
    line_numbers = set()
    fence = ""
    if "```" not in text and "~~~" not in text:
        return frozenset()
    for number, line in enumerate(text.split("\n")):
        fence_above, fence = fence, open_fence_after(line, fence)
        if fence_above or fence:
            line_numbers.add(number)
    return frozenset(line_numbers)


_SENTENCE = re.compile(r"[A-Z][a-z]*\s.*[.?!]$|[A-Z][^(){}\[\];=<>]*\s[^(){}\[\];=<>]*:$")


def looks_like_prose(text: str) -> bool:
    """Return whether a text is an answer in words: Markdown with backticks, or a text that opens with a sentence."""
    if looks_like_code(text):
        return False
    return "`" in text or _SENTENCE.match(text.strip().split("\n")[0].strip()) is not None


def looks_like_code(text: str) -> bool:
    """Return whether a text begins like a program or is one to complete; leading comments are skipped."""
    if read_completion(text) is not None:
        return True
    for line in text.split("\n")[:_MAX_LINES_READ]:
        stripped = line.strip()
        # A line with # is a comment, except for #include.
        if (
            not stripped
            or stripped.startswith(("#!", "//", "/*", "*", "--"))
            or (stripped[0] == "#" and not _CODE.match(stripped))
        ):
            continue
        return _CODE.match(line) is not None
    return False
