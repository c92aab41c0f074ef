"""Split a response into its Markdown code blocks and the prose around them.

A fence opens with three or more backticks or tildes, in a list or a quotation too, and ends with as many of the same
alone on a line; the last may be unclosed. As models write it, it may also open and end within a line of other text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

_OPENS = re.compile(r"^(?P<lead>[ \t]*(?:(?:>|[-*+]|\d+[.)])[ \t]*)*)(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_OPENS_IN_LINE = re.compile(r"^(?P<lead>)[^`]*(?P<mark>`{3,})(?P<info>[\w+#.-]*)[ \t]*$")
_ENDS_IN_LINE = re.compile(r"^(?P<body>[^`]*)(?P<mark>`{3,})[ \t]*$")
_TAG = re.compile(r"[\s{.]*([A-Za-z][\w+#-]*)")
_MARKDOWN = ("markdown", "md", "mdx", "rst")
_MOST_JOINED, _MOST_TRIES = 8, 200

_LANGUAGE_OF = {
    **dict.fromkeys(("python", "py", "python3", "py3", "python2", "ipython", "pycon", "sage", "python-repl"), "python"),
    **dict.fromkeys(("javascript", "js", "node", "nodejs", "jsx", "mjs", "es6"), "javascript"),
    **dict.fromkeys(("typescript", "ts", "tsx"), "typescript"),
    "java": "java",
    **dict.fromkeys(("cpp", "c++", "cc", "cxx", "hpp"), "c++"), **dict.fromkeys(("c", "h"), "c"),
    **dict.fromkeys(("go", "golang"), "go"), **dict.fromkeys(("rust", "rs"), "rust"),
    **dict.fromkeys(("ruby", "rb"), "ruby"), "php": "php", **dict.fromkeys(("csharp", "cs", "c#"), "c#"), "r": "r",
    **dict.fromkeys(("bash", "sh", "shell", "zsh"), "bash"),
    **dict.fromkeys(("console", "shell-session", "terminal", "powershell", "ps1", "cmd", "bat"), "console"),
    **dict.fromkeys(("sql", "sqlite", "postgresql", "mysql", "psql"), "sql"),
    **dict.fromkeys(_MARKDOWN, "markdown"),
}  # fmt: skip
"""Language by the tag of a fence; unknown tags are languages of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A code block: its language (an unknown tag unchanged), and the prose before and after it.

    ``number`` counts the blocks of a response from 1; it is 0 for code without a fence.
    """

    code: str
    language: str = ""
    intro: str = ""
    after: str = ""
    closed: bool = True
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _FenceSpan:
    """A block by lines: from its opening line to its closing one, both included."""

    first: int
    last: int
    info: str
    lines: tuple[str, ...]
    closed: bool


def split_blocks(text: str, accepts: Callable[[str], bool] | None = None) -> list[Block]:
    """Return the blocks of a text, in order.

    A block of Markdown, or one that is not accepted, is replaced by the blocks inside it. A block that is accepted only
    together with the lines after it contains fences of its own, in a string or a comment.
    """
    lines = text.split("\n")
    spans = _spans(lines, 0)
    if accepts is not None:
        spans = _join_spans(lines, spans, accepts)
    blocks: list[Block] = []
    for number, span in enumerate(spans):
        start = spans[number - 1].last + 1 if number else 0
        end = spans[number + 1].first if number + 1 < len(spans) else len(lines)
        intro, after = ("\n".join(part).strip() for part in (lines[start : span.first], lines[span.last + 1 : end]))
        code = "\n".join(span.lines)
        tag = _tag(span.info)
        holds = tag in _MARKDOWN or accepts is None or not accepts(code)
        inner = split_blocks(code, accepts) if holds and any(map(_match_opening, span.lines)) else []
        if inner:
            blocks += [replace(inner[0], intro=f"{intro}\n{inner[0].intro}".strip()), *inner[1:]]
        elif code.strip():
            blocks.append(Block(code=code, language=language_of(tag), intro=intro, after=after, closed=span.closed))
    return blocks


def language_of(name: str) -> str:
    """Return the language for a tag or another name of it; an unknown name unchanged."""
    return _LANGUAGE_OF.get(name.lower(), name.lower())


def _tag(info: str) -> str:
    match = _TAG.match(info)
    return match[1].lower() if match else ""


def _spans(lines: list[str], at: int) -> list[_FenceSpan]:
    spans: list[_FenceSpan] = []
    while at < len(lines):
        mark = _match_opening(lines[at]) or (_OPENS_IN_LINE.match(lines[at]) if "```" in lines[at] else None)
        if mark is not None:
            spans.append(_read_span(lines, at, mark))
        at = spans[-1].last + 1 if mark is not None else at + 1
    return spans


def _match_opening(line: str) -> re.Match[str] | None:
    return _OPENS.match(line) if "```" in line or "~~~" in line else None


def _read_span(lines: list[str], first: int, mark: re.Match[str]) -> _FenceSpan:
    lead, fence, info = mark["lead"], mark["mark"], mark["info"].strip()
    inside: list[str] = []
    depth = 0
    for at in range(first + 1, len(lines)):
        line = lines[at]
        for _ in range(lead.count(">")):
            line = line.lstrip(" \t")[1:].removeprefix(" ") if line.lstrip(" \t").startswith(">") else line
        other = _match_opening(line)
        if other is not None and other["mark"].startswith(fence):
            # A tag opens a fence: inside Markdown a nested one, else the one before was never closed.
            is_end = not other["info"].strip() or other["info"].lstrip().startswith("<")
            if (is_end and depth == 0) or (not is_end and _tag(info) not in _MARKDOWN):
                last = at if is_end else at - 1
                return _FenceSpan(first=first, last=last, info=info, lines=_dedent_lines(inside, lead), closed=True)
            depth += -1 if is_end else 1
        ended = _ENDS_IN_LINE.match(line) if depth == 0 and "```" in line else None
        if ended is not None and ended["body"].strip() and ended["mark"].startswith(fence):
            code = _dedent_lines([*inside, ended["body"]], lead)
            return _FenceSpan(first=first, last=at, info=info, lines=code, closed=True)
        inside.append(line)
    return _FenceSpan(first=first, last=len(lines) - 1, info=info, lines=_dedent_lines(inside, lead), closed=False)


def _dedent_lines(lines: list[str], lead: str) -> tuple[str, ...]:
    """Return lines with the fence's indentation removed, as far as all of them have it."""
    lines = [line.expandtabs(4) if lead and line.startswith("\t") else line for line in lines]
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    cut = min(len(lead.rpartition(">")[2].expandtabs(4)), margin)
    return tuple(line[cut:] if line.strip() else line for line in lines)


def _join_spans(lines: list[str], spans: list[_FenceSpan], accepts: Callable[[str], bool]) -> list[_FenceSpan]:
    """Join spans that are only accepted together with the lines between them."""
    number = tries = 0
    while number < len(spans) and tries < _MOST_TRIES:
        span = spans[number]
        accepted = _tag(span.info) in _MARKDOWN or accepts("\n".join(span.lines))
        ends = [
            end
            for following in ([] if accepted else spans[number + 1 : number + 1 + _MOST_JOINED])
            for end in dict.fromkeys((following.first, following.last if following.closed else following.first))
        ]
        tries += len(ends)
        end = next((end for end in ends if accepts("\n".join(lines[span.first + 1 : end]))), None)
        if end is not None:
            joined = replace(span, last=end, lines=tuple(lines[span.first + 1 : end]), closed=True)
            spans = [*spans[:number], joined, *_spans(lines, end + 1)]
        number += 1
    return spans
