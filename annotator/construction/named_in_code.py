"""The exceptions and texts that lines of code name, in any of the languages."""

from __future__ import annotations

import re

_RAISED = re.compile(r"\b(?:raise|throw)\s+(?:new\s+)?([\w.:]+)")
_QUOTED = re.compile(r"""(["'`])((?:\\.|(?!\1).)*)\1""")


def raised_names(text: str) -> list[str]:
    """Return the exceptions that a text raises, as it names them."""
    return _RAISED.findall(text)


def bare_name(name: str) -> str:
    """Return the name of an exception without the modules or namespaces before it."""
    return re.split(r"\W+", name)[-1]


def quoted_texts(text: str) -> list[str]:
    """Return what stands between quotes, in the order of the text; empty texts are left out."""
    return [found[2] for found in _QUOTED.finditer(text) if found[2]]


def without_quoted(text: str) -> str:
    """Return a text without its quoted parts."""
    return _QUOTED.sub("", text)
