"""The parsed form of a source file, the same for all languages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

_LEADER = re.compile(r"^\s*(?:#+!?|/{2,}!?|/\*+(?!/)!?|\*+(?!/)|--+(?!>)|<!--+)?\s?")
_TRAILER = re.compile(r"\s*(?:\*+/|--+>)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeComment:
    """A comment as readers see it: text without markers, white space collapsed; lines are 1-based and inclusive.

    ``column`` is where it begins in its first line, ``end_column`` where it ends in its last, both counted from 0.
    ``place``: on lines of its own, after code on the same line, or a docstring.
    """

    text: str
    start: int
    end: int
    column: int
    end_column: int
    place: Literal["alone", "behind", "docstring"] = "alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A function or class: its qualified name, its lines (1-based, inclusive, with decorators), and its code.

    ``outer`` are the kinds of the definitions around it, outermost first; () at the top level of a file.
    """

    name: str
    kind: Literal["function", "class"]
    start: int
    end: int
    code: str
    outer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Data:
    """A field or a variable outside functions: its qualified name and its lines (1-based, inclusive)."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Token:
    """A token of code. A ``member`` is a name after a dot or arrow, which belongs to another interface."""

    kind: Literal["name", "member", "literal", "other"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A parsed file or piece of code; ``sound`` if it has no syntax error.

    ``complexity`` is McCabe's, the sum over its functions; ``imports`` are pairs of local name and origin.
    """

    sound: bool
    comments: tuple[CodeComment, ...]
    definitions: tuple[Definition, ...]
    tokens: tuple[Token, ...]
    logical_lines: int
    complexity: int
    imports: tuple[tuple[str, str], ...] = ()
    data: tuple[Data, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RawComment:
    """A comment with its markers, before neighbours are joined. ``alone``: nothing precedes it on its line."""

    text: str
    start: int
    end: int
    column: int
    alone: bool
    line_comment: bool


def plain_comment(raw: str) -> str:
    """Return a comment's text: marks at the start and end of every line stripped, white space collapsed."""
    lines = (_TRAILER.sub("", _LEADER.sub("", line)) for line in raw.splitlines())
    return " ".join(" ".join(lines).split())


def _end_column(raw: RawComment) -> int:
    last_line = raw.text.rstrip("\n").rpartition("\n")[2]
    return len(last_line) + (raw.column if raw.start == raw.end else 0)


def join_comments(raw_comments: Iterable[RawComment]) -> tuple[CodeComment, ...]:
    """Join line comments on consecutive lines into one comment; other comments stay separate."""
    groups: list[list[RawComment]] = []
    for raw in sorted(raw_comments, key=lambda item: (item.start, item.column)):
        last = groups[-1][-1] if groups else None
        follows = (
            last is not None and last.line_comment and raw.line_comment and raw.start == last.end + 1 and raw.alone
        )
        if follows and last is not None and (last.alone or last.column == raw.column):
            groups[-1].append(raw)
        else:
            groups.append([raw])
    return tuple(
        CodeComment(
            text=plain_comment("\n".join(raw.text for raw in group)),
            start=group[0].start,
            end=group[-1].end,
            column=group[0].column,
            end_column=_end_column(group[-1]),
            place="alone" if group[0].alone else "behind",
        )
        for group in groups
    )
