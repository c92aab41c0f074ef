"""Syntax highlighting with Pygments; only a limited part of huge texts and lines is lexed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.util import ClassNotFound

LINE_LIMIT = 2_000
"""Maximum number of characters of a line that are coloured."""
WINDOW_LIMIT = 200_000
"""Number of characters after which lexing stops."""
_ALIASES = {"c++": "cpp", "c#": "csharp", "c++/c": "cpp", "r": "r", "shell": "bash", "vba": "vbnet", "dart": "dart"}
_KINDS = (
    ("Token.Comment", "comment"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Operator", "operator"),
    ("Token.Keyword", "keyword"),
    ("Token.Name.Function", "function"),
    ("Token.Name.Class", "class"),
    ("Token.Name.Builtin", "builtin"),
    ("Token.Name.Decorator", "decorator"),
    ("Token.Name.Tag", "keyword"),
    ("Token.Name.Namespace", "name"),
    ("Token.Error", "error"),
)


@dataclass(frozen=True, slots=True)
class Span:
    """The character offsets of a piece of code with one kind of highlighting."""

    start: int
    end: int
    kind: str


def highlight_spans(code: str, language: str, start_line: int = 0, end_line: int | None = None) -> list[Span]:
    """Return the coloured spans of lines ``start_line`` to ``end_line`` (0-based, end excluded).

    Lexing starts at ``start_line``, so a string or comment that began earlier may be coloured as code until the caller
    asks for a larger window. Only the first 2,000 characters of a line are coloured; unknown languages get none.
    """
    lexer = _find_lexer(language.lower())
    if lexer is None:
        return []
    lines = code.split("\n")
    end = len(lines) if end_line is None else min(end_line, len(lines))
    offset = sum(len(line) + 1 for line in lines[:start_line])
    window, starts = [], []
    size = 0
    for line in lines[start_line:end]:
        starts.append(offset)
        visible_part = line[:LINE_LIMIT]
        window.append(visible_part)
        offset += len(line) + 1
        size += len(visible_part) + 1
        if size > WINDOW_LIMIT:
            break
    return [Span(starts[row] + span.start, starts[row] + span.end, span.kind) for row, span in _lex(lexer, window)]


def iter_highlight_spans(lines: Sequence[str], language: str) -> Iterator[tuple[int, Span]]:
    """Yield (row, span within the row) of consecutive lines, in order.

    The spans are computed lazily, so a caller may pause anywhere; the limits are those of `highlight_spans`.
    """
    lexer = _find_lexer(language.lower())
    if lexer is None:
        return
    window: list[str] = []
    size = 0
    for line in lines:
        window.append(line[:LINE_LIMIT])
        size += len(window[-1]) + 1
        if size > WINDOW_LIMIT:
            break
    yield from _lex(lexer, window)


def language_of_file(name: str) -> str:
    """Return Pygments' name of a file's language, or an empty text if the file name is unknown."""
    lexer_class = find_lexer_class_for_filename(name)
    return lexer_class.aliases[0] if lexer_class and lexer_class.aliases else ""


def _lex(lexer: Lexer, window: Sequence[str]) -> Iterator[tuple[int, Span]]:
    """Yield (row, span within the row) of the window's lines."""
    row, column = 0, 0
    for _, token, text in lexer.get_tokens_unprocessed("\n".join(window) + "\n"):
        kind = _highlight_kind(token)
        if "\n" not in text:
            if kind and text:
                yield row, Span(column, column + len(text), kind)
            column += len(text)
            continue
        for number, piece in enumerate(text.split("\n")):
            if number:
                row, column = row + 1, 0
            if row >= len(window):
                return
            if kind and piece:
                yield row, Span(column, column + len(piece), kind)
            column += len(piece)


@lru_cache(maxsize=512)
def _highlight_kind(token: Any) -> str:
    name = str(token)
    return next((kind for prefix, kind in _KINDS if name.startswith(prefix)), "")


def is_known_language(name: str) -> bool:
    """Return whether a text is, or begins with, the name of a programming language."""
    return any(_find_lexer(alias) is not None for alias in (name.strip().lower(), *name.lower().split()[:1]))


@lru_cache(maxsize=64)
def _find_lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(_ALIASES.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
