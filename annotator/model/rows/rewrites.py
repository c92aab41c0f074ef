"""Items made from rewrites: what their keys say, and what making them shows; importable without SQLModel."""

from __future__ import annotations

import re
from dataclasses import dataclass

KEY = "rewrite:"
"""How the keys of items made from rewrites begin: ``rewrite:cut/java-1f0c22e9``, the last part from the content."""


@dataclass(frozen=True, slots=True)
class RewriteItemRow:
    """One item of a rewrite. ``state``: new, known (as it was), outdated (turned down, made from an older rewrite)."""

    key: str
    language: str
    state: str


def is_of_rewrite(key: str) -> bool:
    """Tell by its key whether a subject was made from a rewrite."""
    return key.startswith(KEY)


def key_without_content(key: str) -> str:
    """Return what the keys of one rewrite's item have in common, whatever its content; other keys as they are."""
    return re.sub(r"-[0-9a-f]{8}$", "", key) if is_of_rewrite(key) else key
