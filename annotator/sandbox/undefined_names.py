"""The name that a test's failure says nothing defines, in Python and scripts."""

from __future__ import annotations

import re

_UNDEFINED = re.compile(r"\b(?:NameError: name '(\w+)'|ReferenceError: ([\w$]+)) is not defined")


def undefined_name(message: str) -> str:
    """Return the name that a message of a failed test says is not defined; empty where it says nothing of one."""
    match = _UNDEFINED.search(message)
    return (match[1] or match[2]) if match is not None else ""
