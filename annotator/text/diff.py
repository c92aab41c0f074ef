"""Differences between two texts by word or by line, in limited time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Indel

Kind = Literal["same", "removed", "added"]
_TOKEN = re.compile(r"\s+|\w+|[^\w\s]", re.UNICODE)
MAX_TOKENS_COMPARED = 8_000


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A stretch of text; ``a_start`` and ``b_start`` are character offsets in the old and the new text."""

    kind: Kind
    text: str
    a_start: int
    b_start: int


def word_diff(a: str, b: str) -> tuple[DiffPart, ...]:
    """Return the parts that turn ``a`` into ``b``, by word; both texts can be rebuilt from the parts."""
    return _diff(_TOKEN.findall(a), _TOKEN.findall(b))


def line_diff(a: str, b: str) -> tuple[DiffPart, ...]:
    """Return the parts that turn ``a`` into ``b``, by line."""
    return _diff(a.splitlines(keepends=True), b.splitlines(keepends=True))


def changed_parts(a: str, b: str) -> tuple[DiffPart, ...]:
    """Return the differences of two texts: by word where lines were replaced, else whole lines."""
    changes: list[DiffPart] = []
    removed: DiffPart | None = None
    for part in line_diff(a, b):
        if part.kind == "added" and removed is not None:
            changes.pop()
            for inner in word_diff(removed.text, part.text):
                if inner.kind != "same":
                    offsets = (removed.a_start + inner.a_start, part.b_start + inner.b_start)
                    changes.append(DiffPart(inner.kind, inner.text, *offsets))
        elif part.kind != "same":
            changes.append(part)
        removed = part if part.kind == "removed" else None
    return tuple(changes)


def _diff(old: Sequence[str], new: Sequence[str]) -> tuple[DiffPart, ...]:
    """Compare two token sequences; beyond `MAX_TOKENS_COMPARED` the whole differing middle counts as replaced."""
    start, end = _common_ends(old, new)
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    pieces: list[tuple[Kind, Sequence[str]]] = [("same", old[:start])]
    if max(len(middle_old), len(middle_new)) > MAX_TOKENS_COMPARED:
        pieces += [("removed", middle_old), ("added", middle_new)]
    else:
        pieces += _opcodes(middle_old, middle_new)
    pieces.append(("same", old[len(old) - end :]))
    return _join_pieces(pieces)


def _common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    shortest = min(len(old), len(new))
    start = 0
    while start < shortest and old[start] == new[start]:
        start += 1
    end = 0
    while end < shortest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return start, end


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[tuple[Kind, Sequence[str]]]:
    ids: dict[str, int] = {}
    numbered = [[ids.setdefault(token, len(ids)) for token in side] for side in (old, new)]
    pieces: list[tuple[Kind, Sequence[str]]] = []
    for opcode in Indel.opcodes(*numbered):
        if opcode.tag == "equal":
            pieces.append(("same", old[opcode.src_start : opcode.src_end]))
            continue
        pieces.append(("removed", old[opcode.src_start : opcode.src_end]))
        pieces.append(("added", new[opcode.dest_start : opcode.dest_end]))
    return pieces


def _join_pieces(pieces: Sequence[tuple[Kind, Sequence[str]]]) -> tuple[DiffPart, ...]:
    """Merge adjacent pieces of one kind; between two unchanged parts, removed text precedes added text."""
    parts: list[DiffPart] = []
    a = b = 0
    removed = added = ""

    def flush() -> None:
        nonlocal a, b, removed, added
        if removed:
            parts.append(DiffPart("removed", removed, a, b))
            a += len(removed)
        if added:
            parts.append(DiffPart("added", added, a, b))
            b += len(added)
        removed = added = ""

    for kind, tokens in pieces:
        text = "".join(tokens)
        if kind == "removed":
            removed += text
        elif kind == "added":
            added += text
        elif text:
            # Merge a lone space between two changes into them, so that phrases stay together.
            if text.isspace() and "\n" not in text and (removed or added):
                removed += text
                added += text
                continue
            flush()
            parts.append(DiffPart("same", text, a, b))
            a, b = a + len(text), b + len(text)
    flush()
    return tuple(parts)
