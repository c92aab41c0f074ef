"""Terminal colours for diffs and failed checks; none in pipes or if NO_COLOR is set."""

import os
from typing import TextIO

_RED, _GREEN, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[0m"
_SIGNS = {"+": _GREEN, "-": _RED}


def wants_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal on which colours are welcome (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def paint_difference(line: str) -> str:
    """Return a diff line in green if added and in red if removed; a table's rule of dashes stays plain."""
    return _paint(line, _SIGNS.get(line[:1], "") if line.strip("- ") else "")


def paint_finding(line: str) -> str:
    """Return a line of a list of checks, in red if it begins with "no"."""
    return _paint(line, _RED if line.split(" ", 1)[0] == "no" else "")


def _paint(line: str, colour: str) -> str:
    return f"{colour}{line}{_PLAIN}" if colour else line
