"""Find the lines of code that name its authors on purpose: copyright notices, licence headers and author lines.

Licences require such lines to stay, so the addresses in them are not personal data that slipped in.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator

from annotator.text.highlight import iter_highlight_spans, language_of_file
from annotator.text.python_tokens import read_tokens

_NOTICE = re.compile(r"\bcopyright\b|©|\(c\)\s*\d{4}|\bSPDX-", re.IGNORECASE)
"""Marks a whole comment as a notice."""
_CREDIT = re.compile(
    r"\b(?:authors?|maintainers?|contributors?|credits?)\b|"
    r"\b(?:re-?written|written|contributed|coded|created|developed|designed|implemented|maintained|modified|changed|"
    r"adapted|simplified|patch(?:ed)?|port(?:ed)?|porting|added|updated?s?|revised|fixed|code|module|implementation|"
    r"version|alterations|additions|modifications|revisions|parts|based)\b(?::|.{0,80}?\bby\b)",
    re.IGNORECASE,
)
"""Marks one line of a comment as naming an author."""
_CONTINUED_CREDIT = re.compile(
    r"[\W_]*(?:(?:e-?mail|contact)\s*:|(?:by|and)\b|(?:[^\W\d_][\w.'-]*[ ,]++){1,6}\W*+[\w.+%-]+@|[<(][\w.+%-]+@)",
    re.IGNORECASE,
)
"""A line that continues a list of authors: a name before an address, or an address alone.

Possessive quantifiers (``++``) prevent backtracking, with which the time would grow with the square of the line.
"""
_CREDIT_VARIABLE = re.compile(
    r"\s*__(?:authors?|author_?email|maintainers?|maintainer_?email|e?mail|contact|credits?|copyright)__\s*(?::[^=]+)?="
)
_LEGAL_FILE = re.compile(
    r"(?:^|/)(?:(?i:(?:un)?licen[cs]e|copying|copyright|notice)|AUTHORS|CONTRIBUTORS|CREDITS|MAINTAINERS)[\w-]*"
    r"(?i:\.(?:txt|md|rst|mit|bsd|apache|lesser|l?gpl))?$"
)


def credit_lines(text: str, language: str = "", file: str = "") -> frozenset[int]:
    """Return the 1-based lines of a text that name authors on purpose.

    The text is code in ``language``, or the content of a file named ``file``. Only comments, docstrings and names like
    ``__author__`` count, so data never does; a licence or authors file is a notice as a whole.
    """
    if file and _LEGAL_FILE.search(file):
        return frozenset(range(1, text.count("\n") + 2))
    language = language_of_file(file) if file else language.lower()
    is_python = language in ("python", "python3")
    lines = set()
    for block in _comment_blocks(list(_iter_python_comments(text) if is_python else _iter_comments(text, language))):
        lines |= _find_credits(block)
    if is_python:
        lines |= {number for number, line in enumerate(text.split("\n"), start=1) if _CREDIT_VARIABLE.match(line)}
    return frozenset(lines)


def _find_credits(block: list[tuple[int, str]]) -> set[int]:
    """Return the numbers of the lines in one comment that name authors."""
    if any(_NOTICE.search(text) for _, text in block):
        return {number for number, _ in block}
    lines = set()
    is_in_list = False
    for number, text in block:
        is_in_list = bool(_CREDIT.search(text)) or (is_in_list and bool(_CONTINUED_CREDIT.match(text)))
        if is_in_list:
            lines.add(number)
    return lines


def _comment_blocks(comments: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Yield blocks of consecutive comment lines."""
    block: list[tuple[int, str]] = []
    for number, text in comments:
        if block and number > block[-1][0] + 1:
            yield block
            block = []
        block.append((number, text))
    if block:
        yield block


def _iter_comments(text: str, language: str) -> Iterator[tuple[int, str]]:
    """Yield the comment lines of code in any language Pygments knows."""
    lines = text.split("\n")
    for row, span in iter_highlight_spans(lines, language):
        if span.kind == "comment":
            yield row + 1, lines[row][span.start : span.end]


def _iter_python_comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of comments and docstrings of Python code, up to the first syntax error."""
    is_statement_start = True
    for token in read_tokens(text)[0]:
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and is_statement_start):
            yield from enumerate(token.string.split("\n"), start=token.start[0])
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            is_statement_start = True
        elif token.type not in (tokenize.NL, tokenize.COMMENT):
            is_statement_start = False
