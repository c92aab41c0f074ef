"""Cut a response into its blocks of code and the prose around them."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace

_FENCE = re.compile(r"^(?P<lead>[ \t]*(?:(?:>|[-*+]|\d+[.)])[ \t]*)*)(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_INLINE_OPEN = re.compile(r"^(?P<before>[^`]*[^`\s][^`]*?)(?P<mark>`{3,})(?P<info>[\w+#.-]*)[ \t]*$")
_ONE_LINE = re.compile(r"^(?P<lead>[ \t]*)(?P<mark>`{3,})(?P<body>[^`].*?[^`]|[^`])(?P=mark)[ \t]*$")
_CLOSED_ON_LINE = re.compile(r"^(?P<body>.*[^`\s].*?)(?P<mark>`{3,})[ \t]*$")
_TAG = re.compile(r"[\s{.]*([A-Za-z][\w+#-]*)")
_MARKDOWN = ("markdown", "md", "mdx", "rst")
_HTML = re.compile(
    r"<pre(?:\s[^>]*)?>\s*(?:<code(?:\s+class=[\"']?(?:language-|lang-)?(?P<tag>[\w+#-]+)[^>]*)?(?:\s[^>]*)?>)?"
    r"(?P<body>.*?)(?:</code>\s*)?</pre>",
    re.DOTALL | re.IGNORECASE,
)
_NAMED = (
    re.compile(
        r"\\begin\{(?P<name>code|lstlisting|verbatim|minted)\}(?:\[[^\]\n]*\])?(?:\{\w+\})?(?P<body>.*?)\\end\{(?P=name)\}",
        re.DOTALL,
    ),
    re.compile(r"\[(?P<name>PYTHON|CODE|JAVA|JAVASCRIPT|CPP|SOLUTION)\](?P<body>.*?)\[/(?P=name)\]", re.DOTALL),
    re.compile(r"<(?P<name>code|python|java|javascript|cpp|solution_code)>(?P<body>(?=[^<]*\n).*?)</(?P=name)>",
               re.DOTALL | re.IGNORECASE),
)  # fmt: skip
_ESCAPED = re.compile(r"^([ \t]*)\\`\\`\\`", re.MULTILINE)
_IN_BACKTICKS = re.compile(r"\s*`(?P<body>[^`]*\n[^`]*)`\s*\Z")
_TAG_LINE = re.compile(
    r"</?(?:answer|solution|final_answer|response|output|result|final|code|correct_code|fixed_code|program|"
    r"completion|artifact|antArtifact|boltAction|file|tool_call|tool_use|function_calls?|invoke|parameter|arguments|"
    r"corrected|corrected_code|fixed|modified_code)(?:\s[^<>\n]*)?>",
    re.IGNORECASE,
)
_MOST_EXTENSIONS = 8

LANGUAGE_OF = {
    **dict.fromkeys(("python", "py", "python3", "py3", "python2", "ipython", "pycon", "sage", "python-repl"), "python"),
    **dict.fromkeys(("javascript", "js", "node", "nodejs", "jsx", "mjs", "es6"), "javascript"),
    **dict.fromkeys(("typescript", "ts", "tsx"), "typescript"),
    "java": "java",
    **dict.fromkeys(("cpp", "c++", "cc", "cxx", "c", "hpp", "h"), "c++"),
    **dict.fromkeys(("go", "golang"), "go"), **dict.fromkeys(("rust", "rs"), "rust"),
    **dict.fromkeys(("ruby", "rb"), "ruby"), "php": "php", **dict.fromkeys(("csharp", "cs", "c#"), "c#"),
    **dict.fromkeys(("kotlin", "kt"), "kotlin"), "swift": "swift", "r": "r", "scala": "scala", "perl": "perl",
    **dict.fromkeys(("bash", "sh", "shell", "zsh"), "bash"),
    **dict.fromkeys(("console", "shell-session", "terminal", "powershell", "ps1", "cmd", "bat"), "console"),
    **dict.fromkeys(("sql", "sqlite", "postgresql", "mysql", "psql"), "sql"),
    **dict.fromkeys(("text", "txt", "plaintext", "plain", "output", "log", "stdout", "none", "math"), "text"),
    **dict.fromkeys(_MARKDOWN, "markdown"), **dict.fromkeys(("diff", "patch", "udiff"), "diff"),
    **dict.fromkeys(("json", "jsonc", "json5", "jsonl"), "json"), **dict.fromkeys(("yaml", "yml"), "yaml"),
    **dict.fromkeys(("html", "xml", "css", "toml", "ini", "csv", "dockerfile", "makefile", "mermaid", "latex", "tex"),
                    "other"),
}  # fmt: skip
"""The language that the tag of a fence means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of code: its tag as a language (an unknown tag as it is), and the prose before and after it."""

    code: str
    language: str = ""
    intro: str = ""
    after: str = ""
    closed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """A block by lines: from its opening line to its closing one, both included."""

    first: int
    last: int
    info: str
    lines: tuple[str, ...]
    closed: bool
    before: str = ""


def split_blocks(text: str, parses: Callable[[str], bool] | None = None) -> list[Block]:
    """Return the blocks of a text, in order.

    A fence may be nested in one of another kind, in a list or in a quotation, and may lack its end. A block that does
    not parse but would together with what follows it holds fences of its own, in a text or a comment.
    """
    text = _as_fences(text)
    lines = text.split("\n")
    spans = _spans(lines)
    if parses is not None:
        spans = _extended(lines, spans, parses)
    blocks: list[Block] = []
    for number, span in enumerate(spans):
        start = spans[number - 1].last + 1 if number else 0
        end = spans[number + 1].first if number + 1 < len(spans) else len(lines)
        intro = "\n".join([*lines[start : span.first], span.before]).strip()
        after = "\n".join(lines[span.last + 1 : end]).strip()
        code = "\n".join(span.lines)
        tag = _tag(span.info)
        inner = split_blocks(code, parses) if _holds_fences(tag, code, parses) else []
        if inner:
            first = inner[0]
            inner[0] = replace(first, intro=f"{intro}\n{first.intro}".strip())
            last = inner[-1]
            inner[-1] = replace(last, after=f"{last.after}\n{after}".strip())
            blocks += inner
        elif code.strip():
            blocks.append(
                Block(
                    code=code,
                    language=LANGUAGE_OF.get(tag, tag if len(tag) > 1 else ""),
                    intro=intro,
                    after=after,
                    closed=span.closed,
                )
            )
    return blocks


def prose_of(text: str) -> str:
    """Return a text without its blocks, a line for each left empty."""
    lines = _as_fences(text).split("\n")
    for span in _spans(lines):
        for at in range(span.first, min(span.last, len(lines) - 1) + 1):
            lines[at] = span.before if at == span.first else ""
    return "\n".join(lines)


def without_tag_lines(text: str) -> str:
    """Return a text whose answer tags are line breaks."""
    return _TAG_LINE.sub("\n", text)


def without_fences(text: str) -> str:
    """Return a text without the lines that open and close its blocks."""
    return "\n".join(line for line in text.split("\n") if not line.strip().startswith(("```", "~~~")))


def indented_runs(text: str) -> list[str]:
    """Return the runs of lines that Markdown takes for code because they stand in between paragraphs of prose."""
    runs = re.findall(r"(?m)(?:^|(?<=\n))\n((?:(?:    |\t).*\n|[ \t]*\n)*(?:    |\t).*)", "\n" + text)
    return [textwrap.dedent(run) for run in runs]


def unquoted(text: str) -> str:
    """Return a text without the marks of quotation that all of its lines begin with."""
    lines = text.strip().split("\n")
    if not all(line.lstrip().startswith(">") for line in lines if line.strip()):
        return text
    return "\n".join(re.sub(r"^[ \t]*>[ ]?", "", line) for line in lines)


def _holds_fences(tag: str, code: str, parses: Callable[[str], bool] | None) -> bool:
    if not any(_FENCE.match(line) for line in code.split("\n")):
        return False
    return tag in _MARKDOWN or parses is None or not parses(code)


def _tag(info: str) -> str:
    found = _TAG.match(info)
    return found[1].lower() if found else ""


def _as_fences(text: str) -> str:
    """Return a text whose HTML and LaTeX blocks, and a whole program in single backticks, are fences."""
    text = _ESCAPED.sub(r"\1```", text)
    single = _IN_BACKTICKS.match(text)
    if single is not None:
        return f"```\n{single['body']}\n```"
    if "<pre" in text and "```" not in text:
        text = _HTML.sub(lambda m: f"\n```{m['tag'] or ''}\n{html.unescape(m['body']).strip(chr(10))}\n```\n", text)
    if "```" not in text and "~~~" not in text:
        for pattern in _NAMED:
            text = pattern.sub(lambda m: f"\n```\n{m['body'].strip(chr(10))}\n```\n", text)
    return text


def _spans(lines: list[str]) -> list[_Span]:
    spans: list[_Span] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        single = _ONE_LINE.match(line)
        if single is not None and not _FENCE.match(line):
            spans.append(_single(single, at))
            at += 1
            continue
        mark = _FENCE.match(line) or _INLINE_OPEN.match(line)
        if mark is None:
            at += 1
            continue
        span = _read(lines, at, mark)
        spans.append(span)
        at = span.last + 1
    return spans


def _single(match: re.Match[str], at: int) -> _Span:
    body = match["body"].strip()
    word, _, rest = body.partition(" ")
    if word.lower() in LANGUAGE_OF and rest.strip():
        return _Span(first=at, last=at, info=word, lines=(rest.strip(),), closed=True)
    return _Span(first=at, last=at, info="", lines=(body,), closed=True)


def _read(lines: list[str], first: int, mark: re.Match[str]) -> _Span:
    groups = mark.groupdict()
    lead, fence, info = groups.get("lead") or "", mark["mark"], mark["info"].strip()
    nested = _tag(info) in _MARKDOWN
    inside: list[str] = []

    def span_to(last: int, *, closed: bool = True) -> _Span:
        """Return the block as it was read so far, with its last line."""
        code, before = tuple(_outdented(inside, lead)), groups.get("before") or ""
        return _Span(first=first, last=last, info=info, lines=code, closed=closed, before=before)

    depth = 0
    for at in range(first + 1, len(lines)):
        line = _unquoted(lines[at], lead)
        other = _FENCE.match(line)
        if other is not None and other["mark"][0] == fence[0] and len(other["mark"]) >= len(fence):
            bare = not other["info"].strip() or other["info"].lstrip().startswith("<")
            if bare and depth == 0:
                return span_to(at)
            depth += -1 if bare else 1 if nested else 0
            if not bare and not nested:
                # The block before was never closed.
                return span_to(at - 1)
        ended = _CLOSED_ON_LINE.match(line) if fence[0] == "`" and depth == 0 else None
        if ended is not None and "`" not in ended["body"] and len(ended["mark"]) >= len(fence) and not nested:
            inside.append(ended["body"])
            return span_to(at)
        inside.append(line)
    return span_to(len(lines) - 1, closed=False)


def _unquoted(line: str, lead: str) -> str:
    for _ in range(lead.count(">")):
        line = re.sub(r"^[ \t]*>[ ]?", "", line)
    return line


def _outdented(lines: list[str], lead: str) -> list[str]:
    """Return lines moved left as far as the fence stands in, where all of them stand in so far."""
    width = len(lead.rsplit(">", 1)[-1].expandtabs(4)) if lead.strip(" \t") or lead else 0
    filled = [line.expandtabs(4) if line.startswith("\t") else line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip(" ")) for line in filled), default=0)
    cut = min(width, margin)
    if not cut:
        return lines
    moved = [line.expandtabs(4) if line.startswith("\t") else line for line in lines]
    return [line[cut:] if line.strip() else "" for line in moved]


def _extended(lines: list[str], spans: list[_Span], parses: Callable[[str], bool]) -> list[_Span]:
    """Return the spans with those joined that only parse together with what stands between them."""
    kept: list[_Span] = []
    at = 0
    while at < len(spans):
        span = spans[at]
        kept.append(span)
        at += 1
        if parses("\n".join(span.lines)) or _tag(span.info) in _MARKDOWN:
            continue
        for later in range(at, min(len(spans), at + _MOST_EXTENSIONS)):
            ends = [spans[later].first, spans[later].last] if spans[later].closed else [spans[later].first]
            for end in ends:
                body = tuple(lines[span.first + 1 : end])
                if parses("\n".join(body)):
                    kept[-1] = replace(span, last=end, lines=body, closed=True)
                    rest = _spans(["" for _ in range(end + 1)] + lines[end + 1 :])
                    return [*kept, *_extended(lines, rest, parses)]
    return kept
