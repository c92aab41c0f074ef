"""Split a response into its Markdown code blocks and the prose around them.

A fence opens with three or more backticks or tildes, also in a list or a quotation, and ends with at least as many of
the same sign alone on a line; the last may be unclosed. Models also open and close fences in the middle of a line.
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
_MAX_BLOCKS_JOINED, _MAX_TRIES = 8, 200

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
"""Language by the tag of a fence; an unknown tag is used as the name of the language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A code block: its language (an unknown tag unchanged), and the prose before (``intro``) and after it.

    ``number`` is the position of the block in the response, from 1, or 0 for code without a fence.
    """

    code: str
    language: str = ""
    intro: str = ""
    after: str = ""
    closed: bool = True
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _FenceSpan:
    """The line range of a block, from its opening to its closing line, both included."""

    first: int
    last: int
    info: str
    lines: tuple[str, ...]
    closed: bool


def split_blocks(text: str, is_program: Callable[[str], bool] | None = None) -> list[Block]:
    """Return the blocks of a text, in order.

    A Markdown block, or one that is not a program, is replaced by the blocks inside it. If a block is a program only
    together with the following lines, the fences between them are part of a string or comment.
    """
    lines = text.split("\n")
    spans = _find_spans(lines, 0)
    if is_program is not None:
        spans = _join_spans(lines, spans, is_program)
    blocks: list[Block] = []
    for number, span in enumerate(spans):
        start = spans[number - 1].last + 1 if number else 0
        end = spans[number + 1].first if number + 1 < len(spans) else len(lines)
        intro, after = ("\n".join(part).strip() for part in (lines[start : span.first], lines[span.last + 1 : end]))
        code = "\n".join(span.lines)
        tag = _tag(span.info)
        may_contain_blocks = tag in _MARKDOWN or is_program is None or not is_program(code)
        inner = split_blocks(code, is_program) if may_contain_blocks and any(map(_match_opening, span.lines)) else []
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


def _find_spans(lines: list[str], start: int) -> list[_FenceSpan]:
    spans: list[_FenceSpan] = []
    while start < len(lines):
        line = lines[start]
        opening = _match_opening(line) or (_OPENS_IN_LINE.match(line) if "```" in line else None)
        if opening is not None:
            spans.append(_read_span(lines, start, opening))
        start = spans[-1].last + 1 if opening is not None else start + 1
    return spans


def _match_opening(line: str) -> re.Match[str] | None:
    return _OPENS.match(line) if "```" in line or "~~~" in line else None


def _read_span(lines: list[str], first: int, opening: re.Match[str]) -> _FenceSpan:
    lead, fence, info = opening["lead"], opening["mark"], opening["info"].strip()
    inside: list[str] = []
    depth = 0
    for at in range(first + 1, len(lines)):
        line = lines[at]
        for _ in range(lead.count(">")):
            line = line.lstrip(" \t")[1:].removeprefix(" ") if line.lstrip(" \t").startswith(">") else line
        other = _match_opening(line)
        if other is not None and other["mark"].startswith(fence):
            # A fence with a tag opens a block. In Markdown it is nested; elsewhere the current block was never closed.
            # Markup may follow a closing fence on its line: ```</answer>.
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
    """Return lines without the fence's indentation, or without the part of it that all lines share."""
    lines = [line.expandtabs(4) if lead and line.startswith("\t") else line for line in lines]
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    cut = min(len(lead.rpartition(">")[2].expandtabs(4)), margin)
    return tuple(line[cut:] if line.strip() else line for line in lines)


def _join_spans(lines: list[str], spans: list[_FenceSpan], is_program: Callable[[str], bool]) -> list[_FenceSpan]:
    """Join spans that are a program only together with the lines between them."""
    index = tries = 0
    while index < len(spans) and tries < _MAX_TRIES:
        span = spans[index]
        is_complete = _tag(span.info) in _MARKDOWN or is_program("\n".join(span.lines))
        ends = [
            end
            for following in ([] if is_complete else spans[index + 1 : index + 1 + _MAX_BLOCKS_JOINED])
            for end in dict.fromkeys((following.first, following.last if following.closed else following.first))
        ]
        tries += len(ends)
        end = next((end for end in ends if is_program("\n".join(lines[span.first + 1 : end]))), None)
        if end is not None:
            joined = replace(span, last=end, lines=tuple(lines[span.first + 1 : end]), closed=True)
            spans = [*spans[:index], joined, *_find_spans(lines, end + 1)]
        index += 1
    return spans
