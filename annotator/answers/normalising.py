"""Normalise a response: line ends, invisible characters, and leftover special tokens of chat templates."""

from __future__ import annotations

import re
from collections.abc import Iterator

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_SPACES = "\u00a0\u1680\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_PLAIN = str.maketrans({**dict.fromkeys(_SPACES, " "), **dict.fromkeys(_INVISIBLE, None)})
_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2018": "'", "\u2019": "'", "\u201a": "'"})
LITERAL = re.compile(r"\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''|(?<!\w)\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])*'")
"""A string literal as most languages write it; an apostrophe inside a word does not open one."""
_MARK = (
    r"(?:<\|(?:eot_id|im_end|endoftext|end_of_text|end|return|eom_id|EOT|end_of_turn|endofresponse)\|>|<end_of_turn>|"
    r"<\uff5cend\u2581of\u2581sentence\uff5c>|<eos>|\[EOS\]|</s>(?=\s*\Z))"
)
# A special token in quotes is ordinary text.
_END = re.compile(rf"(?<![`'\"]){_MARK}|{_MARK}(?![`'\"])", re.IGNORECASE)
_START = re.compile(
    r"\A\s*(?:(?:<s>|<bos>|<\|begin_of_text\|>|<\|im_start\|>\s*assistant|<\|start_header_id\|>\s*assistant\s*"
    r"<\|end_header_id\|>|<\|assistant\|>|<\|python_tag\|>|<\|start\|>assistant|<start_of_turn>\s*model|\[/INST\]|#+\s*Response:?"
    r"|<\|?fim[_-](?:middle|hole)\|?>|(?:Assistant|AI|Response)\s*:(?=\s)"
    r"|(?:Code|Solution|Implementation|Program)\s*:(?=\s*\n))[ \t]*\n*)+"
)
_WRAPPERS = tuple(
    f"<|{name}|>"
    for name in ("begin_of_solution", "end_of_solution", "START_RESPONSE", "END_RESPONSE", "START_ACTION", "END_ACTION")
)
_NEXT_TURN = re.compile(
    r"\n(?:#{2,} *(?:Instructions?|Input|User|Human|Question) *:? *\n"
    r"|\[INST\]|<start_of_turn>|<\|(?:user|assistant|system|im_start|start_header_id|endoftext)\|>"
    r"|\n(?:User|Human|Question) ?:)",
    re.IGNORECASE,
)
"""A line that opens the turn of a user or another task: base models continue past their answer."""
_OUTER_TAGS = re.compile(r"\A(?:\s*<\w[^<>\n]*>[ \t]*\n)+|(?:\n[ \t]*</\w[^<>\n]*>\s*)+\Z")


def normalise_response(text: str) -> str:
    """Return a text with plain line ends and, outside quotes, plain spaces and no invisible characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() or text.translate(_PLAIN) == text:
        return text
    parts, at = [], 0
    for literal in LITERAL.finditer(text):
        parts += [text[at : literal.start()].translate(_PLAIN), literal[0]]
        at = literal.end()
    return "".join([*parts, text[at:].translate(_PLAIN)])


def without_template_marks(text: str) -> str:
    """Return a text without the special tokens of a chat template, cut at the token that ends the turn."""
    text = _START.sub("", text)
    for wrapper in _WRAPPERS:
        text = text.replace(wrapper, "")
    while (end := _END.search(text)) is not None:
        before = text[: end.start()]
        if before.strip():
            return before
        text = text[end.end() :]
    return text


def first_turn_and_all(text: str) -> Iterator[str]:
    """Yield the text before the first line that opens another turn, if there is one, and then the whole text."""
    turn = _NEXT_TURN.search(text)
    if turn is not None and text[: turn.start()].strip():
        yield text[: turn.start()]
    yield text


def without_outer_tags(text: str) -> str:
    """Return a text without the lines of tags around it."""
    return _OUTER_TAGS.sub("", text)


def straight_quotes(text: str) -> str:
    """Return a text with typographic quotes replaced by plain ones."""
    return text.translate(_QUOTES)
