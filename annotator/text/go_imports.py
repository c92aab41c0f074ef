"""Imports of Go programs, and the names by which a program refers to them."""

from __future__ import annotations

import re

IMPORT = re.compile(r"^import\s*(?:\(([^)]*)\)|((?:[\w.]+\s+)?\"[^\"]+\"))", re.MULTILINE)
_WITH_LINE_END = re.compile(rf"{IMPORT.pattern}[ \t]*\n?", re.MULTILINE)


def read_go_imports(*texts: str) -> tuple[str, ...]:
    """Return the distinct imports of texts as written: a quoted path, preceded by an alias if there is one."""
    imports: dict[str, None] = {}
    for block, single in (imports for text in texts for imports in IMPORT.findall(text)):
        lines = (line.partition("//")[0].strip() for line in (block or single).replace(";", "\n").splitlines())
        imports.update(dict.fromkeys(line for line in lines if line))
    return tuple(imports)


def go_import_path(go_import: str) -> str:
    """Return the path of an import without quotes."""
    return go_import.rpartition(" ")[2].strip('"')


def go_import_name(go_import: str) -> str:
    """Return the name by which a program uses an import: its alias, else the last part of its path."""
    return go_import.rpartition(" ")[0].strip() or go_import_path(go_import).rpartition("/")[2]


def without_go_imports(code: str) -> str:
    """Return a program without its imports."""
    return _WITH_LINE_END.sub("", code)
