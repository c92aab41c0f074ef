"""Nothing in an item may tell where the bug is (specification, task construction, 2.4, P6)."""

from __future__ import annotations

import re

from annotator.construction.edits import Proposal, diff_hunks
from annotator.text.highlight import highlight_spans

_TELLTALE = re.compile(
    r"\b(?:bugs?|buggy|errors?|issues?|wrong(?:ly)?|fix(?:e[sd])?|todo|fixme|xxx|hack|vulnerab\w*|insecure|mistakes?|"
    r"incorrect(?:ly)?|flaw(?:ed)?|inject(?:ed|ion)|mutants?|mutat(?:ed|ion)|start|end)\b",
    re.IGNORECASE,
)


def find_telltale_words(proposal: Proposal, language: str) -> tuple[str, ...]:
    """Return the telltale words in comments and strings on changed lines.

    In comments every such word counts; in strings only those that the reference does not have on these lines.
    """
    telltales = []
    parts = _parts(proposal.code, language, ("comment", "string"))
    for hunk in proposal.hunks:
        for line, kind, text in parts:
            if hunk.lines[0] <= line <= hunk.lines[1]:
                words = {match[0] for match in _TELLTALE.finditer(text)}
                if kind == "string":
                    words = {word for word in words if word not in hunk.original}
                telltales += sorted(words)
    return tuple(dict.fromkeys(telltales))


def without_new_comments(reference: str, code: str, language: str) -> str:
    """Return the code without the comments on changed lines that are new."""
    changed = {line for hunk in diff_hunks(reference, code) for line in range(hunk.lines[0], hunk.lines[1] + 1)}
    lines = code.splitlines(keepends=True)
    emptied_lines = set()
    for line, _, text in _parts(code, language, ("comment",)):
        if line in changed and text.strip() and text.strip() not in reference:
            ending = "\n" if lines[line - 1].endswith("\n") else ""
            rest = lines[line - 1].replace(text.rstrip("\n"), "", 1).rstrip()
            lines[line - 1] = rest + ending
            if not rest:
                emptied_lines.add(line)
    return "".join(text for number, text in enumerate(lines, start=1) if number not in emptied_lines)


def _parts(code: str, language: str, kinds: tuple[str, ...]) -> list[tuple[int, str, str]]:
    """Return line number, kind and text of the comments and strings, split into lines."""
    parts = []
    for span in highlight_spans(code, language):
        if span.kind in kinds:
            line = code.count("\n", 0, span.start) + 1
            for number, text in enumerate(code[span.start : span.end].split("\n")):
                parts.append((line + number, span.kind, text))
    return parts
