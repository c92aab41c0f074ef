"""Take a model's reasoning out of its response, as it stands between tags or in channels of its own."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from annotator.answers.normalising import LITERAL

_NAMES = (
    "think|reason|reflection|scratchpad|analysis|inner_monologue|antthinking|"
    "ant:thinking|seed:think|cot|chain_of_thought|rationale|deliberation|internal_monologue|monologue|"
    r"(?:internal_|inner_)?(?:thoughts?|thinking|reasoning)"
)
_FOLDED = re.compile(
    r"\A\s*<details\s[^<>]*type=[\"']reasoning[\"'][^<>]*>.*?(?:</details>|\Z)", re.DOTALL | re.IGNORECASE
)
_OPEN = re.compile(
    rf"<(?P<name>{_NAMES})(?:\s[^<>]*)?>|&lt;(?:{_NAMES})&gt;|\[(?P<square>THINK|THINKING|REASONING)\]"
    r"|<\uff5c(?:think|thinking)\uff5c>|<\|begin_of_thought\|>"
    r"|<\|START_THINKING\|>|\u25c1think\u25b7|<\|(?:think|thinking)\|>|<unused94>|Thinking\.\.\.[ \t]*\n",
    re.IGNORECASE,
)
_CLOSE = re.compile(
    rf"</(?:{_NAMES})\s*>|&lt;/(?:{_NAMES})&gt;|\[/(?:THINK|THINKING|REASONING)\]"
    r"|<\uff5c/(?:think|thinking)\uff5c>|<\|end_of_thought\|>|<\|END_THINKING\|>"
    r"|\u25c1/think\u25b7|<\|/(?:think|thinking)\|>|<unused95>|(?m:^\.\.\.done thinking\.)",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(?P<name>\w+)[^<\n]*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|start|call|channel)\|>")
_CHANNEL_WORDS = re.compile(r"\A\s*analysis(?=[A-Z\s\"'(]).*assistant\s?final", re.DOTALL)
_FENCE = re.compile(r"^[ \t>]*(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.MULTILINE)
_INLINE = re.compile(r"`[^`\n]+`")
_LEADING = re.compile(r"\A(?:\s|\ufeff|<\|im_start\|>\s*assistant|<\|start\|>assistant)*")


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a model said without its reasoning. ``unfinished`` says that it was still reasoning at the end."""

    text: str
    reasoned: bool = False
    unfinished: bool = False


def without_reasoning(response: str) -> Spoken:
    """Return a response without its reasoning, otherwise unchanged.

    A tag opens reasoning only where the response begins; one that closes it counts alone too, as templates may put
    the opening tag into the prompt. Tags in fences and in quotes are text.
    """
    text = _said(response)
    text = _FOLDED.sub("", text)
    reasoned = text != response
    if reasoned and not text.strip():
        return Spoken("", True, True)
    while True:
        start = _LEADING.match(text)
        at = start.end() if start else 0
        opening = _OPEN.match(text, at)
        if opening is None:
            break
        closing = _closing(text, opening.end())
        if closing is None:
            return Spoken("", True, True)
        text, reasoned = text[closing:], True
    while (closing := _orphan(text)) is not None:
        text, reasoned = text[closing:], True
    return Spoken(text, reasoned)


def _said(response: str) -> str:
    """Return the final channel of a response in channels, or the content of one that was stored with its reasoning."""
    channels = list(_CHANNEL.finditer(response))
    if channels and not response[: channels[0].start()].replace("<|start|>assistant", "").strip():
        final = next((one for one in reversed(channels) if one["name"].lower() == "final"), None)
        if final is None:
            return ""
        end = _CHANNEL_END.search(response, final.end())
        return response[final.end() : end.start() if end else len(response)]
    words = _CHANNEL_WORDS.match(response)
    if words is not None:
        return response[words.end() :]
    stripped = response.strip()
    if stripped.startswith("{") and '"content"' in stripped and re.search(r'"(?:reasoning|thinking)', stripped):
        try:
            message = json.loads(stripped)
        except (ValueError, RecursionError):
            return response
        if isinstance(message, dict) and isinstance(message.get("content"), str):
            return str(message["content"])
    return response


def _closing(text: str, start: int) -> int | None:
    """Return the place behind the tag that closes what was opened; one in a fence only where no other does."""
    protected, fenced = _quoted(text), _fenced(text[start:], start)
    found = [tag for tag in _CLOSE.finditer(text, start) if not _inside(tag.start(), protected)]
    outside = [tag for tag in found if not _inside(tag.start(), fenced)]
    best = (outside or [tag for tag in found if _alone(text, tag) or outside == found] or found)[:1]
    return best[0].end() if best else None


def _orphan(text: str) -> int | None:
    """Return the place behind a closing tag that nothing opened."""
    quoted, fenced = _quoted(text), _fenced(text, 0)
    depth = 0
    marks = sorted([*_OPEN.finditer(text), *_CLOSE.finditer(text)], key=lambda mark: mark.start())
    for mark in marks:
        if _inside(mark.start(), quoted):
            continue
        if _inside(mark.start(), fenced) and not (_alone(text, mark) and _opens_again(text, mark.end(), fenced)):
            continue
        if _OPEN.match(mark[0]):
            depth += 1
        elif depth:
            depth -= 1
        else:
            return mark.end()
    return None


def _opens_again(text: str, at: int, fenced: list[tuple[int, int]]) -> bool:
    """Tell whether a fence opens inside the fence around a place: the first one was never closed, then."""
    end = next(last for first, last in fenced if first <= at <= last)
    return any(mark["info"].strip() for mark in _FENCE.finditer(text, at, end))


def _alone(text: str, tag: re.Match[str]) -> bool:
    line = text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()]
    return not line.strip()


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(first <= at < last for first, last in spans)


def _quoted(text: str) -> list[tuple[int, int]]:
    """Return where a line holds a text in quotes or in backticks."""
    found = [match.span() for match in _INLINE.finditer(text)]
    return found + [match.span() for match in LITERAL.finditer(text) if "\n" not in match[0]]


def _fenced(text: str, shift: int) -> list[tuple[int, int]]:
    spans = []
    opened: re.Match[str] | None = None
    for mark in _FENCE.finditer(text):
        if opened is None:
            opened = mark
        elif mark["mark"].startswith(opened["mark"]) and not mark["info"].strip():
            spans.append((opened.start() + shift, mark.end() + shift))
            opened = None
    if opened is not None:
        spans.append((opened.start() + shift, len(text) + shift))
    return spans
