"""Code in a fence, as models write it, or indented, as questions show it too."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)|((?:^(?: {4}|\t)[^\n]*\n?)+)", re.DOTALL | re.MULTILINE)


def fenced(code: str, language: str) -> str:
    """Return code in a fence of its language, which may be empty."""
    return f"```{language}\n{code.rstrip()}\n```"


def places_of_code(text: str) -> list[tuple[int, int]]:
    """Return where each block of code stands in a text, fenced or indented: its start, and its end."""
    return [found.span(1 if found[1] is not None else 2) for found in _BLOCK.finditer(text)]


def code_blocks(text: str) -> str:
    """Return all blocks of code of a text, one below the other."""
    return "\n".join(text[start:end] for start, end in places_of_code(text) if end > start)
