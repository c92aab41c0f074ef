"""Read Python into tokens, also where it is unfinished or broken."""

from __future__ import annotations

import io
import tokenize


def read_tokens(text: str) -> tuple[list[tokenize.TokenInfo], bool]:
    """Return the tokens up to where the text cannot be read, and whether that is its end."""
    words: list[tokenize.TokenInfo] = []
    try:
        for word in tokenize.generate_tokens(io.StringIO(text).readline):
            words.append(word)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return words, False
    return words, True
