"""Ways to read code that a chat wrapped: prompts of a shell, line numbers, marks of a diff, entities, quotes."""

from __future__ import annotations

import html
import itertools
import re
import textwrap
from collections.abc import Iterator, Sequence

from annotator.answers.normalising import LITERAL, straight_quotes

_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.)(?: |$)|^\s*In ?\[\d*\]:[ ]?|^\s*\.\.\.:[ ]?")
_NUMBER = re.compile(r"^\s*(\d+)(?:\s*[|:.)]|\t|[ ]{1,4}(?=\s|\S))[ ]?")
_HUNK = re.compile(r"^(?:@@.*|diff --git .*|index [0-9a-f.]+.*|---(?: .*)?|\+\+\+(?: .*)?|\*\*\* .*)$")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#39|#x27|nbsp);")
_EXCHANGE = re.compile(r"^<{5,} ?\w*\n(?P<old>.*?)\n?^={5,}\n(?P<new>.*?)\n?^>{5,} ?\w*$", re.MULTILINE | re.DOTALL)
"""A block that gives what is searched for and what takes its place."""
_DIFF_START = re.compile(r"^(?:diff --git |--- \S|@@ |\*\*\* |<{5,} ?\w*$)", re.MULTILINE)
_DIFF_LINE = re.compile(r"^[-+](?![-+])", re.MULTILINE)


def readings(code: str) -> Iterator[tuple[str, str]]:
    """Yield (code, what was done to it) for each way to read it, the plainest first."""
    code = code.strip("\n")
    yield code, ""
    dedented = textwrap.dedent(code)
    if dedented != code:
        yield dedented, "moved to the margin"
    if "\t" in code:
        yield textwrap.dedent(code.expandtabs(4)), "tabs made spaces"
    if ">>>" in code:
        yield _typed(code), "typed at a prompt"
    numbered = unnumbered(code)
    if numbered is not None:
        yield numbered, "line numbers taken away"
    if _ENTITY.search(code):
        yield html.unescape(code), "entities made letters"
    straight = straight_quotes(code).replace("\u2026", "...").replace("\u2212", "-")
    if straight != code:
        yield textwrap.dedent(straight), "typographic quotes made plain"
    if "\\n" in code and code.count("\n") <= 1:
        yield code.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "    "), "escapes made line breaks"


def has_odd_quotes(code: str) -> bool:
    """Tell whether typographic quotes stand where code is, not in its texts and comments."""
    plain = re.sub(rf"{LITERAL.pattern}|`[^`]*`|//[^\n]*|#[^\n]*|/\*(?s:.*?)\*/", "", code)
    return straight_quotes(plain) != plain


def cleaned(code: str) -> tuple[str, str]:
    """Return code of a language without a parser, with all that can be repaired by its looks, and what was done."""
    done = []
    numbered = unnumbered(code)
    if numbered is not None:
        code, done = numbered, ["line numbers taken away"]
    if _ENTITY.search(code) and not re.search(r"[<>]|&(?!\w+;|#)", code):
        code, done = html.unescape(code), [*done, "entities made letters"]
    if has_odd_quotes(code):
        code, done = straight_quotes(code), [*done, "typographic quotes made plain"]
    return code, ", ".join(done)


def _typed(code: str) -> str:
    """Return what was typed at a shell's prompt, without what the shell answered."""
    return textwrap.dedent("\n".join(_PROMPT.sub("", line) for line in code.split("\n") if _PROMPT.match(line)))


def unnumbered(code: str) -> str | None:
    """Return code without the numbers its lines begin with; None if they are not numbered one by one."""
    lines = [line for line in code.split("\n") if line.strip()]
    found = [_NUMBER.match(line) for line in lines]
    numbers = [int(mark[1]) for mark in found if mark is not None]
    if len(lines) < 2 or len(numbers) != len(lines) or any(b <= a for a, b in itertools.pairwise(numbers)):
        return None
    separators = {line[mark.end(1) : mark.end(1) + 3].strip()[:1] for line, mark in zip(lines, found, strict=True)
                  if mark is not None}  # fmt: skip
    sign = next((sign for sign in "|:.)" if separators <= {sign, ""} and sign in separators), "")
    pattern = re.compile(rf"^\s*\d+\s*{re.escape(sign)}[ ]?" if sign else r"^\s*\d+(?:\t|[ ]{1,2}|$)")
    return textwrap.dedent("\n".join(pattern.sub("", line) for line in code.split("\n")))


# -- diffs -------------------------------------------------------------------------------------------------------------


def is_diff(code: str) -> bool:
    """Tell whether code is written as a diff."""
    if _EXCHANGE.search(code):
        return True
    lines = [line for line in code.split("\n") if line.strip()]
    marked = [line for line in lines if _DIFF_LINE.match(line) or _HUNK.match(line)]
    rest = [line for line in lines if line not in marked]
    return bool(marked) and all(line.startswith((" ", "\t")) or not line[:1].isalnum() for line in rest)


def diff_in(text: str) -> str:
    """Return the diff in a text without blocks, from where it begins; empty if there is none."""
    start = _DIFF_START.search(text)
    diff = text[start.start() :] if start is not None else ""
    return diff if diff and is_diff(diff) else ""


def apply_diff(diff: str, bases: Sequence[str]) -> str | None:
    """Return the first base to which every hunk of a diff applies, patched; None where it applies to none."""
    hunks = _hunks(diff)
    for base in bases:
        lines: list[str] | None = base.rstrip("\n").split("\n")
        for old, new in hunks:
            lines = _patched(lines, old, new) if lines is not None else None
        if lines is not None and hunks:
            return "\n".join(lines) + "\n"
    return None


def new_side(diff: str) -> str:
    """Return what a diff leaves: its added and its unchanged lines."""
    return "\n".join(line for _, new in _hunks(diff) for line in new)


def _hunks(diff: str) -> list[tuple[list[str], list[str]]]:
    hunks = [(mark["old"].split("\n"), mark["new"].split("\n")) for mark in _EXCHANGE.finditer(diff)]
    if hunks:
        return hunks
    old: list[str] = []
    new: list[str] = []
    for line in [*diff.strip("\n").split("\n"), "@@ @@"]:
        if _HUNK.match(line):
            if old or new:
                hunks.append((old, new))
            old, new = [], []
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        elif not line.startswith("\\"):
            plain = line[1:] if line.startswith(" ") else line
            old.append(plain)
            new.append(plain)
    return hunks


def _patched(lines: list[str], old: list[str], new: list[str]) -> list[str] | None:
    """Return lines with a run of them replaced, found by its text; spaces at the margin may differ throughout."""
    if not any(line.strip() for line in old):
        return None
    keys = [line.strip() for line in old]
    places = [at for at in range(len(lines) - len(old) + 1)
              if [line.strip() for line in lines[at : at + len(old)]] == keys]  # fmt: skip
    if len(places) != 1:
        return None
    at = places[0]
    sample = next(number for number, key in enumerate(keys) if key)
    real, given = lines[at + sample], old[sample]
    shift = (len(real) - len(real.lstrip())) - (len(given) - len(given.lstrip()))
    moved = [" " * shift + line if shift > 0 and line.strip() else line[-shift:] if shift < 0 else line for line in new]
    return [*lines[:at], *moved, *lines[at + len(old) :]]
