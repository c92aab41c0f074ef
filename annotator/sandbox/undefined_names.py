"""The undefined name in the failure message of a test, in Python and scripts."""

from __future__ import annotations

import re

_UNDEFINED = re.compile(r"\b(?:NameError: name '(\w+)'|ReferenceError: ([\w$]+)) is not defined")


def undefined_name(message: str) -> str:
    """Return the name that a failure message reports as not defined; empty if it reports none."""
    match = _UNDEFINED.search(message)
    return (match[1] or match[2]) if match is not None else ""
