"""Find the keys around a cursor in a criterion's YAML by indentation alone, so that incomplete lines do no harm."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(r"^(?P<space> *)(?P<dashes>(?:- +)*)(?:(?P<key>[\w-]+)(?P<colon> *:(?: |$))?)?")


@dataclass(frozen=True, slots=True)
class CursorPlace:
    """The keys that enclose the cursor's line, the (partial) key on it, and whether the cursor is on the key."""

    path: tuple[str, ...]
    key: str
    is_key: bool


def cursor_place_at(source: str, line: int, column: int) -> CursorPlace:
    """Return the place of a line and column, both counted from 0."""
    lines = source.split("\n")
    if line >= len(lines):
        return CursorPlace((), "", False)
    text = lines[line]
    match = _LINE.match(text)
    assert match is not None
    start = match.start("key") if match["key"] else match.end("dashes")
    key = match["key"] or ""
    end = start + len(key)
    at_key = start <= column <= end and (bool(match["colon"]) or end == len(text.rstrip()) or column == end)
    return CursorPlace(_path(lines[:line], start), key, at_key)


def _path(above: list[str], indent: int) -> tuple[str, ...]:
    """Return the keys that enclose a column, found by searching upwards."""
    keys: list[str] = []
    for text in reversed(above):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        match = _LINE.match(text)
        if match is None or not match["key"] or not match["colon"]:
            continue
        start = match.start("key")
        if start < indent:
            # A list may be indented like its key; then its dash counts as one more column.
            keys.append(match["key"])
            indent = len(match["space"]) + (0 if not match["dashes"] else 1)
        if indent == 0:
            break
    return tuple(reversed(keys))
