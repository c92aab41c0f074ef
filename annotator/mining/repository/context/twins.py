"""Twins: one function written for synchronous and for asynchronous use. Neither may show the other's body."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator

from annotator.mining.repository.discovery.modules import FunctionInfo
from annotator.mining.repository.discovery.scopes import end_of
from annotator.text.python_tree import first_line

_ALIKE = 0.8
"""Share of words that two bodies have in common, without ``async`` and ``await``."""
_ASYNCHRONOUS = re.compile(r"(?i)async|aio|await|\basync\b")
_GAP = re.compile(r"(?m)^( +\.\.\.\n)\n{2,}")
_WORD = re.compile(r"\w+|[^\w\s]")


def twins_of(info: FunctionInfo) -> Iterator[FunctionInfo]:
    """Yield the functions of a function's file that are it again, with and without ``async``.

    Their names are the same but for a mark such as ``async_`` or ``a`` in front, and their bodies are nearly the same.
    """
    for other in info.module.functions.values():
        is_other_kind = isinstance(other.node, ast.AsyncFunctionDef) is not isinstance(info.node, ast.AsyncFunctionDef)
        if is_other_kind and _are_names_alike(info.name, other.name) and _are_bodies_alike(info, other):
            yield other


def lines_without_twins(info: FunctionInfo) -> list[str]:
    """Return the lines of a function's file with an ellipsis for each twin's body and blank lines for the rest of it.

    The numbers of the other lines stay; `without_gaps` takes the blank lines off what is shown.
    """
    lines = list(info.module.lines)
    for twin in twins_of(info):
        body = twin.node.body
        start, last = first_line(body[0]), end_of(body[-1])[0]
        if start > twin.node.lineno:
            lines[start - 1 : last] = [" " * body[0].col_offset + "...", *[""] * (last - start)]
    return lines


def without_gaps(text: str) -> str:
    """Return a text without the blank lines that a twin's body left."""
    return _GAP.sub(r"\1\n", text)


def _are_names_alike(one: str, other: str) -> bool:
    bare, other_bare = (_ASYNCHRONOUS.sub("", name).strip("_").lower() for name in (one, other))
    return bare in (other_bare, f"a{other_bare}") or other_bare == f"a{bare}"


def _are_bodies_alike(one: FunctionInfo, other: FunctionInfo) -> bool:
    words, other_words = (_WORD.findall(_ASYNCHRONOUS.sub("", _body_text(item))) for item in (one, other))
    return difflib.SequenceMatcher(None, words, other_words, autojunk=False).ratio() >= _ALIKE


def _body_text(info: FunctionInfo) -> str:
    body = info.node.body
    has_docstring = ast.get_docstring(info.node) is not None
    return "\n".join(ast.unparse(item) for item in body[1 if has_docstring else 0 :])
