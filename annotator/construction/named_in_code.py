"""Find the exceptions and quoted texts in lines of code of any language."""

from __future__ import annotations

import re

_RAISED = re.compile(r"\b(?:raise|throw)\s+(?:new\s+)?([\w.:]+)")
_QUOTED = re.compile(r"""(["'`])((?:\\.|(?!\1).)*)\1""")


def raised_names(text: str) -> list[str]:
    """Return the names of the exceptions that code raises, as they are written."""
    return _RAISED.findall(text)


def bare_name(name: str) -> str:
    """Return the name of an exception without the modules or namespaces before it."""
    return re.split(r"\W+", name)[-1]


def quoted_texts(text: str) -> list[str]:
    """Return the non-empty quoted texts, in their order."""
    return [match[2] for match in _QUOTED.finditer(text) if match[2]]


def without_quoted(text: str) -> str:
    """Return a text without its quoted parts."""
    return _QUOTED.sub("", text)
