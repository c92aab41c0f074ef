"""Remove a model's reasoning from its response.

Reasoning is the content of a pair of tags at the beginning, and the text before a closing tag without an opening one
(templates may put the opening tag into the prompt). Without a closing tag, everything is reasoning. If a response has
channels, only the final one is kept. A tag in quotes or backticks is text, unless no other tag ends the reasoning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TAG = re.compile(
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
    tags = list(_TAG.finditer(text))
    bare = [tag for tag in tags if not _is_quoted(text, tag)]
    end = _end_of(bare, text)
    return _end_of(tags, text) if end == -1 else end


def _is_quoted(text: str, tag: re.Match[str]) -> bool:
    before, after = text[max(0, tag.start() - 1) : tag.start()], text[tag.end() : tag.end() + 1]
    return before == after and before in ("`", "'", '"')


def _end_of(tags: Sequence[re.Match[str]], text: str) -> int | None:
    depth = 0
    for tag in tags:
        if depth == 0 and not tag["end"] and _has_other_text(text[: tag.start()]):
            return None
        depth += -1 if tag["end"] else 1
        if depth <= 0:
            return tag.end()
    return -1 if depth else None


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
