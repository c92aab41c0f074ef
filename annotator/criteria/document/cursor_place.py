"""Where a cursor stands in a criterion's YAML, told by indentation alone, so that half a typed line does no harm."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(r"^(?P<space> *)(?P<dashes>(?:- +)*)(?:(?P<key>[\w-]+)(?P<colon> *:(?: |$))?)?")


@dataclass(frozen=True, slots=True)
class Place:
    """The keys above the cursor's line, the key on it (or what is typed of one), and whether a key can stand there."""

    path: tuple[str, ...]
    key: str
    is_key: bool


def place_at(source: str, line: int, column: int) -> Place:
    """Return the place of a line and column, both counted from 0."""
    lines = source.split("\n")
    if line >= len(lines):
        return Place((), "", False)
    text = lines[line]
    found = _LINE.match(text)
    assert found is not None
    start = found.start("key") if found["key"] else found.end("dashes")
    key = found["key"] or ""
    end = start + len(key)
    at_key = start <= column <= end and (bool(found["colon"]) or end == len(text.rstrip()) or column == end)
    return Place(_path(lines[:line], start), key, at_key)


def _path(above: list[str], indent: int) -> tuple[str, ...]:
    """Return the keys that enclose a column, looking upwards."""
    keys: list[str] = []
    for text in reversed(above):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        found = _LINE.match(text)
        if found is None or not found["key"] or not found["colon"]:
            continue
        start = found.start("key")
        if start < indent:
            # A list may stand as far left as its key: the dash then counts as the indentation.
            keys.append(found["key"])
            indent = len(found["space"]) + (0 if not found["dashes"] else 1)
        if indent == 0:
            break
    return tuple(reversed(keys))
