"""Twins: functions of one file with nearly the same body, such as one for asynchronous use. None shows another's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rapidfuzz.distance import Indel

from annotator.mining.repository.discovery.modules import FunctionInfo
from annotator.mining.repository.discovery.scopes import end_of
from annotator.text.python_tree import first_line

_ALIKE = 0.8
"""Share of words that two bodies have in common, docstrings, comments and marks of asynchronous code left out."""
_FEWEST_WORDS = 15
"""Shorter bodies are alike by chance, and too short to be asked for."""
_GAP = re.compile(r"(?m)^( +\.\.\.\n)\n{2,}")
_MARK = re.compile(r"(?i)#.*|\bawait\b|(?:async|aio)_?|_(?:async|aio)\b")
_WORD = re.compile(r"\w+|[^\w\s]")


def twins_of(info: FunctionInfo) -> Iterator[FunctionInfo]:
    """Yield the functions of a function's file whose bodies are nearly the same as its own."""
    words = _body_words(info)
    if len(words) < _FEWEST_WORDS:
        return
    for other in info.module.functions.values():
        if other is not info and Indel.normalized_similarity(words, _body_words(other), score_cutoff=_ALIKE) >= _ALIKE:
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


def _body_words(info: FunctionInfo) -> list[str]:
    if info.compared is None:
        has_docstring = ast.get_docstring(info.node, clean=False) is not None
        body = info.node.body[has_docstring:]
        lines = info.module.lines[first_line(body[0]) - 1 : end_of(body[-1])[0]] if body else []
        info.compared = _WORD.findall(_MARK.sub("", "\n".join(lines)))
    return info.compared
