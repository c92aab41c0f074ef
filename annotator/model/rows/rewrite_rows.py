"""Items made from rewrites: their keys and rows; importable without SQLModel."""

from __future__ import annotations

import re
from dataclasses import dataclass

KEY = "rewrite:"
"""The prefix of keys of items made from rewrites: ``rewrite:cut/java-1f0c22e9``, the last part from the content."""


@dataclass(frozen=True, slots=True)
class RewriteItemRow:
    """One item of a rewrite. ``state``: new, known (as it was), outdated (turned down, made from an older rewrite)."""

    key: str
    language: str
    state: str


def is_of_rewrite(key: str) -> bool:
    """Return whether a key is that of an item made from a rewrite."""
    return key.startswith(KEY)


def key_without_content(key: str) -> str:
    """Return a rewrite item's key without the part from its content; other keys unchanged."""
    return re.sub(r"-[0-9a-f]{8}$", "", key) if is_of_rewrite(key) else key
