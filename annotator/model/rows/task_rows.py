"""Items made from code and from rewrites: their keys, and rows for lists and screens; importable without SQLModel."""

from __future__ import annotations

import re
from dataclasses import dataclass

MADE_KEY = "made:"
"""The prefix of keys of items made from code."""
REWRITE_KEY = "rewrite:"
"""The prefix of keys of items made from rewrites: ``rewrite:cut/java-1f0c22e9``, the last part from the content."""
BUG_FAMILIES = ("modification", "review")
TASK_FAMILIES = ("understanding", "completion", *BUG_FAMILIES)
"""The families of items that are made from code; bugs give the last two."""


def is_made(key: str) -> bool:
    """Return whether a key is that of an item made from another subject."""
    return key.startswith(MADE_KEY)


def is_of_rewrite(key: str) -> bool:
    """Return whether a key is that of an item made from a rewrite."""
    return key.startswith(REWRITE_KEY)


def key_without_content(key: str) -> str:
    """Return a rewrite item's key without the part from its content; other keys unchanged."""
    return re.sub(r"-[0-9a-f]{8}$", "", key) if is_of_rewrite(key) else key


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeRow:
    """The result of making items from one subject: the number kept of each family.

    ``dropped`` counts what fell out by reason; ``reason`` says why a family could not be made at all.
    """

    subject_id: str
    key: str
    title: str
    kept: dict[str, int]
    dropped: dict[str, int]
    reason: str

    @property
    def count(self) -> int:
        """The number of items kept."""
        return sum(self.kept.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One line of the list of made items. ``fits`` is False once what it was made from has changed since."""

    id: str
    key: str
    title: str
    task: str
    what: str
    language: str
    difficulty: str
    verdict: str | None
    proven: bool
    fits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """One made item with what its page shows. ``facts`` are (name, value) pairs in words."""

    row: TaskRow
    prompt: str
    code: str
    reference: str
    parent: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RewriteItemRow:
    """One item of a rewrite. ``state``: new, known (as it was), outdated (turned down, made from an older rewrite)."""

    key: str
    language: str
    state: str
