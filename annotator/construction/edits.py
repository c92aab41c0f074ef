"""Edits of a program's text by UTF-8 bytes, and bugs as sets of them: nothing outside an edit changes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotator.base.ids import stable_id
from annotator.construction.bugs.taxonomy import Family, family_of

_REGEX_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?.|[+*]\??|.", re.DOTALL)


def omittable_regex_parts(pattern: str) -> Iterator[tuple[int, str]]:
    """Yield (index, text) of parts of a regular expression to omit: ``+``, ``\\b``, an initial ``^``, a final ``$``."""
    for match in _REGEX_TOKEN.finditer(pattern):
        part = match[0]
        is_edge = (part == "^" and not match.start()) or (part == "$" and match.end() == len(pattern))
        if part[0] == "+" or part == r"\b" or is_edge:
            yield match.start(), part


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the bytes from ``start`` to ``end`` by a text."""

    start: int
    end: int
    text: str


OperatorMatch = tuple[str, str, list[Edit], str]
"""A place where an operator applies: the bug's kind in its family, the operator's name, edits, an explanation."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that differ: ``lines`` of the changed program and ``old_lines`` of the reference, with their texts.

    Both are (first, last); last < first means no lines.
    """

    lines: tuple[int, int]
    old_lines: tuple[int, int]
    changed: str
    original: str


def remove_lines(data: bytes, start: int, end: int) -> Edit:
    """Return the edit that removes whole lines of a program.

    An empty line after them is removed too if it would follow another one or open a block, which would reveal the bug.
    """
    line_above = data[data.rfind(b"\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)].strip()
    next_end = data.find(b"\n", end)
    if next_end >= 0 and not data[end:next_end].strip() and (not line_above or line_above.endswith((b":", b"{"))):
        end = next_end + 1
    return Edit(start, end, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A bug proposed by an operator or a model (``origin``), not proven yet.

    For performance bugs ``workload`` is the source of a function ``workload(size)`` that returns arguments.
    """

    kind: str
    operator: str
    code: str
    reference: str
    explanation: str = ""
    origin: str = "operator"
    workload: str = ""

    @property
    def id(self) -> str:
        """An id that is the same for the same change of the same reference."""
        return stable_id("bug", self.reference, self.code)

    @property
    def family(self) -> Family:
        """The family of its kind."""
        return family_of(self.kind)

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The lines that differ from the reference."""
        return diff_hunks(self.reference, self.code)


def apply_edits(code: str, edits: Iterable[Edit]) -> str:
    """Return the code with the edits applied. Raises `ValueError` if they overlap or leave the text."""
    data = code.encode("utf-8", "surrogatepass")
    parts = []
    position = 0
    for edit in sorted(edits):
        if edit.start < position or not edit.start <= edit.end <= len(data):
            raise ValueError("edits overlap or leave the text")
        parts += [data[position : edit.start], edit.text.encode("utf-8", "surrogatepass")]
        position = edit.end
    return b"".join([*parts, data[position:]]).decode("utf-8", "surrogatepass")


def make_proposals(code: str, family: str, matches: Iterable[OperatorMatch]) -> list[Proposal]:
    """Return the operators' changes of a program as proposals of a family; edits that change nothing are left out."""
    proposals = [
        Proposal(
            kind=f"{family}.{kind}", operator=name, code=apply_edits(code, edits), reference=code, explanation=note
        )
        for kind, name, edits, note in matches
    ]
    return [proposal for proposal in proposals if proposal.code != code]


def diff_hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """Return the lines in which two programs differ."""
    old_lines = old.splitlines()
    new_lines = new.splitlines()
    matcher = difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    return tuple(
        Hunk(
            lines=(new_start + 1, new_end),
            old_lines=(old_start + 1, old_end),
            changed="\n".join(new_lines[new_start:new_end]),
            original="\n".join(old_lines[old_start:old_end]),
        )
        for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes()
        if tag != "equal"
    )


def changed_lines(old: str, new: str) -> frozenset[int]:
    """Return the lines of the old program that an edit touches; an insertion counts as the line before it."""
    lines: set[int] = set()
    for hunk in diff_hunks(old, new):
        first, last = hunk.old_lines
        lines.update(range(first, last + 1) if last >= first else (max(1, last),))
    return frozenset(lines)


def merge_changes(reference: str, changes: Sequence[str]) -> str | None:
    """Return the reference with the changes of several programs combined; None if changed lines are adjacent."""
    lines = reference.splitlines(keepends=True)
    edits: list[tuple[int, int, list[str]]] = []
    for change in changes:
        new_lines = change.splitlines(keepends=True)
        matcher = difflib.SequenceMatcher(None, lines, new_lines, autojunk=False)
        edits += [
            (old_start, old_end, new_lines[new_start:new_end])
            for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes()
            if tag != "equal"
        ]
    edits.sort(key=lambda edit: edit[:2])
    parts: list[str] = []
    position = -1
    for first, last, replacement in edits:
        # Changes need an unchanged line between them, so that each keeps its own hunk.
        if first <= position:
            return None
        parts += [*lines[max(position, 0) : first], *replacement]
        position = last
    return "".join([*parts, *lines[max(position, 0) :]])
