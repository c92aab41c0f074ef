"""Find the code in Markdown: fenced blocks and spans between backticks."""

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


def without_code_blocks(text: str) -> str:
    """Return a text without its blocks of code."""
    return _BLOCK.sub("", text)


def prose_of(text: str) -> str:
    """Return a text with a space in place of each piece of code: blocks, and spans between backticks."""
    return _INLINE.sub(" ", _BLOCK.sub(" ", text))


_FENCED = re.compile(r"^[ \t>]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t>]*\1[^\n]*|\Z)", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+)\1(?!`)")


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each piece of code in order, without its fence; the last block may be unclosed."""
    fenced = [(match.span(), match.span(2)) for match in _FENCED.finditer(text)]
    inline = [
        match.span(2)
        for match in _INLINE.finditer(text)
        if not any(start <= match.start() < end for (start, end), _ in fenced)
    ]
    return sorted([*(inner for _, inner in fenced), *inline])


def only_code(text: str, filler: str = " ") -> str:
    """Return a text of the same length with everything but code replaced by a filler character.

    A text without marked code is returned unchanged.
    """
    spans = code_spans(text)
    if not spans:
        return text
    parts = []
    position = 0
    for start, end in spans:
        parts += [_blank(text[position:start], filler), text[start:end]]
        position = end
    return "".join([*parts, _blank(text[position:], filler)])


def _blank(text: str, filler: str) -> str:
    return re.sub(r"[^\n]", filler, text)
