"""Find functions similar to another one: twins, whose bodies are nearly equal (sync and async) and hidden from each
other, and functions with similar names, for retrieval (specification, 5)."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from heapq import nsmallest

from rapidfuzz.distance import Indel

from annotator.mining.repository.discovery.modules import FunctionInfo
from annotator.mining.repository.discovery.scopes import end_of
from annotator.text.distance import split_identifier
from annotator.text.python_tree import first_line

_MIN_SIMILARITY = 0.8
"""Similarity of the words of two bodies, without docstrings, comments and ``async`` or ``await``."""
_MIN_WORDS = 15
"""Shorter bodies may be similar by chance, and are too short to be benchmark items."""
_GAP = re.compile(r"(?m)^( +\.\.\.\n)\n{2,}")
_IGNORED = re.compile(r"(?i)#.*|\bawait\b|(?:async|aio)_?|_(?:async|aio)\b")
_WORD = re.compile(r"\w+|[^\w\s]")


def twins_of(info: FunctionInfo) -> Iterator[FunctionInfo]:
    """Yield the functions in a function's file whose bodies are nearly the same as its own."""
    words = _body_words(info)
    if len(words) < _MIN_WORDS:
        return
    for other in info.module.functions.values():
        if (
            other is not info
            and Indel.normalized_similarity(words, _body_words(other), score_cutoff=_MIN_SIMILARITY) >= _MIN_SIMILARITY
        ):
            yield other


def lines_without_twins(info: FunctionInfo) -> list[str]:
    """Return the lines of a function's file with each twin's body replaced by an ellipsis and blank lines.

    The line numbers stay the same; `without_gaps` removes the blank lines from the shown text.
    """
    lines = list(info.module.lines)
    for twin in twins_of(info):
        body = twin.node.body
        start, last = first_line(body[0]), end_of(body[-1])[0]
        if start > twin.node.lineno:
            lines[start - 1 : last] = [" " * body[0].col_offset + "...", *[""] * (last - start)]
    return lines


def without_gaps(text: str) -> str:
    """Return a text without the blank lines in place of twins' bodies."""
    return _GAP.sub(r"\1\n", text)


def _body_words(info: FunctionInfo) -> list[str]:
    if info.body_words is None:
        has_docstring = ast.get_docstring(info.node, clean=False) is not None
        body = info.node.body[has_docstring:]
        lines = info.module.lines[first_line(body[0]) - 1 : end_of(body[-1])[0]] if body else []
        info.body_words = _WORD.findall(_IGNORED.sub("", "\n".join(lines)))
    return info.body_words


@lru_cache(maxsize=65_536)
def split_name(name: str) -> frozenset[str]:
    """Return the set of words in a name; see `split_identifier`."""
    return frozenset(split_identifier(name))


class NameIndex:
    """An index of a repository's function names by the words in them, made of pairs of (key, name)."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self._keys_by_word: dict[str, list[tuple[str, int]]] = {}
        for key, name in dict(names).items():
            parts = split_name(name)
            for part in parts:
                self._keys_by_word.setdefault(part, []).append((key, len(parts)))

    def similar(self, name: str, own: str = "", twins: Collection[str] = (), count: int = 5) -> tuple[str, ...]:
        """Return the keys of the names that share most words with a name, except the key ``own`` and its ``twins``.

        Ties are broken by fewer words, then by key.
        """
        shared: Counter[tuple[str, int]] = Counter()
        for part in split_name(name):
            shared.update(self._keys_by_word.get(part, ()))
        ranked = nsmallest(
            count + 1 + len(twins), ((-count_shared, length, key) for (key, length), count_shared in shared.items())
        )
        return tuple(key for _, _, key in ranked if key != own and key not in twins)[:count]
