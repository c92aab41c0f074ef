"""Normalise a response: line ends, invisible characters, leftover special tokens of templates, and reasoning.

Reasoning is the content of a pair of tags at the beginning, and the text before a closing tag without an opening one
(templates may put the opening tag into the prompt). Without a closing tag, everything is reasoning. If a response has
channels, only the final one is kept. A tag in quotes or backticks is text, unless no other tag ends the reasoning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
_REASONING = re.compile(
    r"(?:<\|?|\[|\u25c1|&lt;|<\uff5c)(?P<end>/|end_of_|end_)?(?:begin_of_|start_|seed:|ant:?|inner_|internal_)?"
    r"(?:think|thinking|thoughts?|reason|reasoning|reflection|scratchpad|analysis|rationale|cot|monologue)"
    r"(?:\s[^<>\n]*)?(?:\|?>|\]|\u25b7|&gt;|\uff5c>)",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(?P<name>\w+)[^<\n]*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|start|call|channel)\|>")
_CHANNEL_WORDS = re.compile(r"\s*analysis(?=[A-Z\s\"'(]).*assistant\s?final", re.DOTALL)
"""The channels before the final one in a response that lost the special tokens of its template."""
_TURNS = ("\ufeff", "<|im_start|>assistant", "<|start|>assistant")


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


@dataclass(frozen=True, slots=True)
class FinalText:
    """A response without its reasoning.

    ``reasoned`` is True if reasoning was removed, ``unfinished`` if the model was still reasoning at the end.
    """

    text: str
    reasoned: bool = False
    unfinished: bool = False


def without_reasoning(response: str) -> FinalText:
    """Return a response without its reasoning, otherwise unchanged."""
    text = _final_channel(response)
    reasoned = text != response
    if reasoned and not text.strip():
        return FinalText("", True, True)
    while (end := _end_of_reasoning(text)) is not None:
        if end < 0:
            return FinalText("", True, True)
        text, reasoned = text[end:], True
    return FinalText(text, reasoned)


def _end_of_reasoning(text: str) -> int | None:
    """Return the position after the reasoning at the start of a text; -1 if it never ends, None if there is none."""
    tags = list(_REASONING.finditer(text))
    bare = [tag for tag in tags if not _is_quoted(text, tag)]
    if not bare or (not bare[0]["end"] and _has_other_text(text[: bare[0].start()])):
        return None
    return next((tag.end() for tag in (*bare, *tags) if tag["end"]), -1)


def _is_quoted(text: str, tag: re.Match[str]) -> bool:
    before, after = text[max(0, tag.start() - 1) : tag.start()], text[tag.end() : tag.end() + 1]
    return before == after and before in ("`", "'", '"')


def _has_other_text(text: str) -> bool:
    """Return whether a text before the reasoning contains more than the opening of the turn."""
    text = "".join(text.split())
    for mark in _TURNS:
        text = text.replace(mark, "")
    return bool(text)


def _final_channel(response: str) -> str:
    """Return the final channel of a response with channels; other responses unchanged."""
    channels = list(_CHANNEL.finditer(response))
    if channels and not response[: channels[0].start()].replace("<|start|>assistant", "").strip():
        final = next((channel for channel in reversed(channels) if channel["name"].lower() == "final"), None)
        if final is None:
            return ""
        end = _CHANNEL_END.search(response, final.end())
        return response[final.end() : end.start() if end else len(response)]
    words = _CHANNEL_WORDS.match(response)
    return response[words.end() :] if words is not None else response
