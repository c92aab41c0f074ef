"""Tokenize Python, even if it is unfinished or broken."""

from __future__ import annotations

import io
import tokenize


def read_tokens(text: str) -> tuple[list[tokenize.TokenInfo], bool]:
    """Return the tokens up to the first error, and whether the whole text was read."""
    words: list[tokenize.TokenInfo] = []
    try:
        for word in tokenize.generate_tokens(io.StringIO(text).readline):
            words.append(word)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return words, False
    return words, True
