"""Rows of a project's backups and releases, as their lists show them; they load no SQLModel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupRow:
    """A backup of a project. ``state`` is "good", "not checked" (there is no record of a check), or "damaged".

    ``acts`` and ``decisions`` are the numbers of those in it, None if unknown; ``reason`` says why it was made.
    """

    path: Path
    made_at: datetime
    size: int
    state: str
    reason: str = ""
    acts: int | None = None
    decisions: int | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRow:
    """A published release; ``annotator`` is the person who made it."""

    id: str
    version: str
    notes: str
    created_at: str
    annotator: str
    item_count: int
    content_hash: str
    overrides: tuple[str, ...] = ()
    """A sentence for each overridden gate or item, with the person and reason."""


def override_sentences(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return one sentence per override in a release's manifest: whole gates first, then single items."""
    reason = manifest.get("override_reason") or ""
    sentences = [f"{gate}: {reason}" for gate in manifest.get("overridden") or ()]
    for item in manifest.get("item_overrides") or ():
        sentences.append(f"{item['key']}: {item['why']} Released by {item['person']}: {item['reason']}")
    return tuple(sentences)
