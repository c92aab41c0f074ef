"""Code in a fence, as models write it, or indented, as questions show it too."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)|((?:^(?: {4}|\t)[^\n]*\n?)+)", re.DOTALL | re.MULTILINE)


def fence_code(code: str, language: str) -> str:
    """Return code in a Markdown fence; the language may be empty."""
    return f"```{language}\n{code.rstrip()}\n```"


def code_block_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each block of code in a text, fenced or indented."""
    return [match.span(1 if match[1] is not None else 2) for match in _BLOCK.finditer(text)]


def code_blocks(text: str) -> str:
    """Return all blocks of code of a text, joined by line ends."""
    return "\n".join(text[start:end] for start, end in code_block_spans(text) if end > start)
