"""Which functions a comment speaks of (specification, 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.mining.generated_code.syntax import Comment, Definition, Parsed

How = Literal["inside", "before", "file", "manual"]
HEAD_LINES = 10
_FAR = 200


@dataclass(frozen=True, slots=True)
class Attribution:
    """The definitions a comment speaks of, and how that was decided; none if a person has to."""

    how: How
    definitions: tuple[Definition, ...] = ()


def attribute(comment: Comment, parsed: Parsed, language: str, text: str) -> Attribution:
    """Say which definitions a comment in ``text`` speaks of.

    Inside a function: that one. At most one blank line before a definition, other comments aside: that one. Elsewhere
    inside a class: the class. In the first ten lines: every top-level function of the file. Else a person has to say.
    """
    around = [item for item in parsed.definitions if item.start <= comment.start and comment.end <= item.end]
    functions = [item for item in around if item.kind == "function"]
    if functions:
        return Attribution("inside", (_innermost(functions),))
    last = min((item.end for item in around), default=text.count("\n") + 1)
    following = _following(comment, parsed, text.splitlines(), last)
    if following is not None:
        return Attribution("before", (following,))
    if around:
        return Attribution("inside", (_innermost(around),))
    if comment.start <= HEAD_LINES:
        found = top_level(parsed, language)
        if found:
            return Attribution("file", found)
    return Attribution("manual")


def _innermost(found: Sequence[Definition]) -> Definition:
    return max(found, key=lambda item: (item.start, -item.end))


def _following(comment: Comment, parsed: Parsed, lines: Sequence[str], last: int) -> Definition | None:
    """Return the definition that begins after a comment, if nothing but a blank line and other comments is between."""
    commented = {line for item in parsed.comments for line in range(item.start, item.end + 1)}
    line, blank = comment.end, 0
    while line < last and line - comment.end < _FAR:
        line += 1
        starting = [item for item in parsed.definitions if item.start == line and item.end <= last]
        if starting:
            return max(starting, key=lambda item: item.end)
        if line > len(lines) or (line not in commented and lines[line - 1].strip()):
            return None
        blank = 0 if line in commented else blank + 1
        if blank > 1:
            return None
    return None


def top_level(parsed: Parsed, language: str) -> tuple[Definition, ...]:
    """Return the functions of a file that stand in no other function, in Java the methods of its classes.

    A file without any gives its outermost classes.
    """
    methods = ("class",) if language == "java" else ()
    functions = tuple(item for item in parsed.definitions if item.kind == "function" and item.outer == methods)
    return functions or tuple(item for item in parsed.definitions if item.kind == "class" and not item.outer)
