"""Split programs in thirteen languages into statements of words and bracketed groups, from Pygments' tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token

_LEXERS = {"c++": "cpp", "c#": "csharp", "r": "splus"}
_LINE_LANGUAGES = ("bash", "go", "javascript", "r", "ruby", "typescript")
"""Languages in which the end of a line may end a statement."""
_CLOSING_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SIGNS = re.compile(r"[()\[\]{};,]|[^\s()\[\]{};,]+")
_OPERATORS = ("==", "===", "!=", "!==", "<=", ">=", ":=", "<-", "->", "=>", "::", "&&", "||", "++", "--")
_ASSIGNS = ("=", ":=", "<-")
_CONTINUATIONS = tuple(".?:&|=+*/,)]")
BOOLEANS = {"true": "false", "false": "true", "TRUE": "FALSE", "FALSE": "TRUE"}


@dataclass(frozen=True, slots=True)
class Word:
    """A word at an offset; ``kind`` is name, keyword, literal, quote, pattern, sign, assign or line (a line's end)."""

    kind: str
    text: str
    at: int


@dataclass(slots=True, kw_only=True)
class BracketGroup:
    """The statements between brackets; ``opened`` is the opening bracket."""

    opened: str
    at: int
    statements: list[Statement] = field(default_factory=list)
    is_block: bool = False
    """Whether it holds statements and not just values."""
    end: int = 0
    """The offset after its closing bracket."""


Item = Word | BracketGroup
Statement = list[Item]


def read_statements(language: str, text: str) -> list[Statement]:
    """Return a program's statements; unclosed brackets extend to the end of the text."""
    words = _read_words(language, text)
    position = 0
    program: list[Statement] = []
    while position < len(words):
        statements, position = _read_until(words, position, "", by_lines=True)
        program += statements
    return program


@lru_cache(maxsize=16)
def _lexer(language: str) -> Lexer:
    options = {"startinline": True} if language == "php" else {}
    return get_lexer_by_name(_LEXERS.get(language, language), stripnl=False, ensurenl=False, **options)


def _read_words(language: str, text: str) -> list[Word]:
    words: list[Word] = []
    kind: Any
    for at, kind, value in _lexer(language).get_tokens_unprocessed(f"{text}\n"):
        last = words[-1] if words else None
        if kind in Token.Comment:
            continue
        if not value.strip():
            if "\n" in value and language in _LINE_LANGUAGES:
                words.append(Word("line", "\n", at))
        elif kind in Token.Literal.String and last and last.kind == "literal" and last.at + len(last.text) == at:
            words[-1] = Word("literal", last.text + value, last.at)
        elif (
            last
            and last.kind in ("sign", "assign")
            and last.at + len(last.text) == at
            and last.text + value in _OPERATORS
        ):
            text = last.text + value
            words[-1] = Word("assign" if text in _ASSIGNS else "sign", text, last.at)
        elif value.isdecimal() and _is_number_and_point(words[-2:], at):
            # In Ruby, Pygments reads 1.5 as three words.
            words[-2:] = [Word("literal", f"{words[-2].text}.{value}", words[-2].at)]
        elif (word_kind := _word_kind(kind, value)) == "sign":
            for match in _SIGNS.finditer(value):
                # In Bash, "=" assigns only without blanks around it; else it compares.
                is_attached = bool(words) and words[-1].at + len(words[-1].text) == at
                is_assignment = match[0] in _ASSIGNS and (
                    language != "bash" or (is_attached and words[-1].kind == "name")
                )
                words.append(Word("assign" if is_assignment else "sign", match[0], at + match.start()))
        else:
            bare_value = value.lstrip("$") if word_kind == "name" else value
            words.append(Word(word_kind, bare_value, at + len(value) - len(bare_value)))
    # In Bash, Pygments may return a lone quotation mark before an expansion.
    return [Word("quote", word.text, word.at) if word.text in ('"', "'", "`") else word for word in words]


def _is_number_and_point(words: list[Word], end: int) -> bool:
    return (
        [word.text for word in words][1:] == ["."]
        and words[0].text.isdecimal()
        and words[0].at + len(words[0].text) == end - 1
    )


def _word_kind(kind: Any, value: str) -> str:
    if kind in Token.Literal.String.Regex:
        return "pattern"
    # In TypeScript, Pygments takes a number after a colon for a type.
    if value in BOOLEANS or kind in Token.Literal or value.isdecimal():
        return "literal"
    # Pygments gives the words of shell commands no kind, and lexes operators that Ruby redefines as names.
    if kind in Token.Name or kind in Token.Keyword.Type or kind is Token.Text:
        return "name" if value[0].isalnum() or value[0] in "_$@" else "sign"
    return "keyword" if kind in Token.Keyword and value[-1] not in "()" else "sign"


def _read_until(
    words: list[Word], position: int, closing_bracket: str, *, by_lines: bool
) -> tuple[list[Statement], int]:
    """Return the statements up to a closing bracket, and the position after it."""
    statements: list[Statement] = [[]]
    while position < len(words):
        word = words[position]
        position += 1
        if word.text == closing_bracket and word.kind == "sign":
            break
        if word.kind == "sign" and word.text in _CLOSING_BRACKETS:
            group = BracketGroup(opened=word.text, at=word.at)
            start = position - 1
            group.statements, position = _read_until(
                words, position, _CLOSING_BRACKETS[word.text], by_lines=word.text == "{"
            )
            group.end = words[position - 1].at + len(words[position - 1].text)
            before = statements[-1][-1] if statements[-1] else None
            group.is_block = word.text == "{" and _is_block(group, before, is_joined=_is_joined(words, start))
            statements[-1].append(group)
            if group.is_block and not (
                position < len(words) and (_continues(words[position]) or _is_joined(words, position))
            ):
                statements.append([])
        elif (word.text == ";" and not _is_header(statements[-1])) or (
            word.kind == "line" and by_lines and not _is_open(statements[-1], words, position)
        ):
            statements.append([])
        elif word.kind != "line":
            statements[-1].append(word)
    return [statement for statement in statements if statement], position


def _is_block(group: BracketGroup, before: Item | None, *, is_joined: bool) -> bool:
    words = [item for statement in group.statements for item in statement if isinstance(item, Word)]
    if any(word.kind in ("keyword", "assign") and word.text != "new" for word in words):
        return True
    if group.statements and [item.text for item in group.statements[0][1:2] if isinstance(item, Word)] == [":"]:
        # ``Point { x: 1 }`` in Rust.
        return False
    if isinstance(before, BracketGroup):
        # ``if got[i] != want[i] {`` in Go, but ``new[] { 1 }`` and ``int e[2]{1, 2}``.
        return before.opened == "(" or (before.opened == "[" and bool(before.statements) and not is_joined)
    if before is None or before.kind == "sign":
        # After a type there may be values, too: ``new List<int> { 1 }``.
        follows_type = before is not None and before.text in (">", "void") and len(group.statements) > 1
        return follows_type or (before is not None and before.text in ("=>", "->", "||", "&&"))
    return before.text != "return" and before.at + len(before.text) < group.at


def _is_header(statement: Statement) -> bool:
    """Return whether a statement is a Go header with an init clause: ``if x := f(); x != 3``."""
    first, second = (*statement[:2], None, None)[:2]
    return isinstance(first, Word) and first.text in ("if", "for", "switch") and isinstance(second, Word)


def _is_joined(words: list[Word], position: int) -> bool:
    """Return whether brackets open directly after a word: as in ``struct { … }{`` and ``function () { … }(``."""
    before, after = words[position - 1], words[position]
    return after.text in _CLOSING_BRACKETS and before.at + len(before.text) == after.at


def _continues(word: Word) -> bool:
    return word.kind in ("sign", "assign") and word.text.startswith(_CONTINUATIONS)


def _is_open(statement: Statement, words: list[Word], position: int) -> bool:
    """Return whether a statement continues on the next line."""
    last = statement[-1] if statement else None
    next_word = next((word for word in words[position:] if word.kind != "line"), None)
    has_open_end = (
        isinstance(last, Word) and last.kind in ("sign", "assign") and last.text not in ("++", "--", "]", "!")
    )
    return has_open_end or (next_word is not None and _continues(next_word) and next_word.text not in (")", "]"))
