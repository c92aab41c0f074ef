"""Imports of programs in Go: as they are written, and the names that a program uses them by."""

from __future__ import annotations

import re

IMPORT = re.compile(r"^import\s*(?:\(([^)]*)\)|((?:[\w.]+\s+)?\"[^\"]+\"))", re.MULTILINE)
_WITH_LINE_END = re.compile(rf"{IMPORT.pattern}[ \t]*\n?", re.MULTILINE)


def read_imports(*texts: str) -> tuple[str, ...]:
    """Return what texts import, each once, as it is written: a path in quotes, behind another name if it has one."""
    found: dict[str, None] = {}
    for several, single in (found for text in texts for found in IMPORT.findall(text)):
        lines = (line.partition("//")[0].strip() for line in (several or single).replace(";", "\n").splitlines())
        found.update(dict.fromkeys(line for line in lines if line))
    return tuple(found)


def path_of(item: str) -> str:
    """Return the path of an import."""
    return item.rpartition(" ")[2].strip('"')


def name_of(item: str) -> str:
    """Return the name that a program uses an import by: the one it is given, else the last part of its path."""
    return item.rpartition(" ")[0].strip() or path_of(item).rpartition("/")[2]


def without_imports(code: str) -> str:
    """Return a program without its imports."""
    return _WITH_LINE_END.sub("", code)
