"""Split a response into its Markdown code blocks and the prose around them.

A fence opens with three or more backticks or tildes, also in a list or a quotation, and ends with at least as many of
the same character alone on a line; the last may be unclosed. Models also open and close fences in the middle of a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

_OPENS = re.compile(r"^(?P<lead>[ \t]*(?:(?:>|[-*+]|\d+[.)])[ \t]*)*)(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_OPENS_IN_LINE = re.compile(r"^(?P<lead>)[^`]*(?P<mark>`{3,})(?P<info>[\w+#.-]*)[ \t]*$")
_TAG = re.compile(r"[\s{.]*([A-Za-z][\w+#-]*)")
_MARKDOWN = ("markdown", "md", "mdx", "rst")
_MAX_ENDS, _MAX_BLOCKS_TRIED = 12, 40

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
    tag: str
    code: str
    closed: bool


def split_blocks(text: str, is_program: Callable[[str], bool] | None = None) -> list[Block]:
    """Return the blocks of a text, in order.

    A Markdown block, or one that is not a program, is replaced by the blocks inside it. If a block is a program only
    together with the following lines, the fences between them are part of a string or comment.
    """
    lines = text.split("\n")
    spans: list[_FenceSpan] = []
    start = 0
    while start < len(lines):
        opening = _match_opening(lines[start])
        if opening is None and "```" in lines[start]:
            opening = _OPENS_IN_LINE.match(lines[start])
        if opening is not None:
            possible = _possible_spans(lines, start, opening)
            span = next(possible)
            if is_program is not None and span.tag not in _MARKDOWN and span.code.strip():
                tried = (span, *islice(possible, _MAX_ENDS - 1)) if len(spans) < _MAX_BLOCKS_TRIED else ()
                span = next((end for end in tried if end.closed and is_program(end.code)), span)
            spans.append(span)
        start = spans[-1].last + 1 if opening is not None else start + 1
    blocks: list[Block] = []
    for number, span in enumerate(spans):
        start = spans[number - 1].last + 1 if number else 0
        end = spans[number + 1].first if number + 1 < len(spans) else len(lines)
        intro, after = ("\n".join(part).strip() for part in (lines[start : span.first], lines[span.last + 1 : end]))
        may_contain_blocks = span.tag in _MARKDOWN or is_program is None or not is_program(span.code)
        has_fences = may_contain_blocks and any(map(_match_opening, span.code.split("\n")))
        inner = split_blocks(span.code, is_program) if has_fences else []
        if inner:
            blocks += [replace(inner[0], intro=f"{intro}\n{inner[0].intro}".strip()), *inner[1:]]
        elif span.code.strip():
            language = language_of(span.tag)
            blocks.append(Block(code=span.code, language=language, intro=intro, after=after, closed=span.closed))
    return blocks


def language_of(name: str) -> str:
    """Return the language for a tag or another name of it; an unknown name unchanged."""
    return _LANGUAGE_OF.get(name.lower(), name.lower())


def _tag(info: str) -> str:
    match = _TAG.match(info)
    return match[1].lower() if match else ""


def _match_opening(line: str) -> re.Match[str] | None:
    return _OPENS.match(line) if "```" in line or "~~~" in line else None


def _possible_spans(lines: list[str], first: int, opening: re.Match[str]) -> Iterator[_FenceSpan]:
    """Yield the block that a fence opens as it ends at each line that may close it, the likeliest first."""
    lead, fence, tag = opening["lead"], opening["mark"], _tag(opening["info"])
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
            if (is_end and depth == 0) or (not is_end and tag not in _MARKDOWN):
                last = at if is_end else at - 1
                yield _FenceSpan(first=first, last=last, tag=tag, code=_dedent_lines(inside, lead), closed=True)
            depth += 0 if depth == 0 and is_end else -1 if is_end else tag in _MARKDOWN
        body = line.rstrip(" \t")
        bare = body.rstrip("`")
        if depth == 0 and body.endswith(fence) and "`" not in bare and bare.strip():
            yield _FenceSpan(first=first, last=at, tag=tag, code=_dedent_lines([*inside, bare], lead), closed=True)
        inside.append(line)
    yield _FenceSpan(first=first, last=len(lines) - 1, tag=tag, code=_dedent_lines(inside, lead), closed=False)


def _dedent_lines(lines: list[str], lead: str) -> str:
    """Return lines without the fence's indentation, or without the part of it that all lines share."""
    lines = [line.expandtabs(4) if lead and line.startswith("\t") else line for line in lines]
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    cut = min(len(lead.rpartition(">")[2].expandtabs(4)), margin)
    return "\n".join(line[cut:] if line.strip() else line for line in lines)
