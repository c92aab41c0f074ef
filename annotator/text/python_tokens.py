"""Tokenize Python, even if it is unfinished or broken."""

from __future__ import annotations

import io
import tokenize


def read_tokens(text: str) -> tuple[list[tokenize.TokenInfo], bool]:
    """Return the tokens up to the first error, and whether the whole text was read."""
    tokens: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            tokens.append(token)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return tokens, False
    return tokens, True
