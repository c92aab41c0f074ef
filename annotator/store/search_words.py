"""What a person typed, as words that the full-text index of a file can look for."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from functools import lru_cache

TOKENIZER = "unicode61 tokenchars '_'"
_WORD = re.compile(r"\w+")


def search_expression(text: str) -> str:
    """Return the full-text expression for what a person typed: every word must start some word of the subject."""
    return " ".join(f'"{_looked_for(word)}"*' for word in _WORD.findall(text))


def _looked_for(word: str) -> str:
    """Return a word, or the first part of one that the index holds in parts.

    A few signs are letters to Python and divide words for SQLite, as the vowels of New Tai Lue do. The index does not
    know which word stands beside which, so parts cannot be looked for one after the other; the first finds what begins
    with it, and more.
    """
    if word.isascii():
        return word
    parts = _parts(word)
    return parts[0] if len(parts) > 1 else word


@lru_cache(maxsize=1024)
def _parts(word: str) -> tuple[str, ...]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f'CREATE VIRTUAL TABLE words USING fts5(word, tokenize="{TOKENIZER}")')
        connection.execute("CREATE VIRTUAL TABLE parts USING fts5vocab(words, 'instance')")
        connection.execute("INSERT INTO words VALUES (?)", (word,))
        return tuple(term for (term,) in connection.execute("SELECT term FROM parts ORDER BY offset"))
