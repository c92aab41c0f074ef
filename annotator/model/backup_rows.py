"""What is shown of a backup: asked for whenever a project is opened, so it is loaded without the history's records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class BackupRow:
    """A backup beside a project. ``state`` is "good", "not checked" (no record of its check), or "damaged".

    ``acts`` and ``decisions`` are what it holds; ``reason`` says what it was made for.
    """

    path: Path
    made_at: datetime
    size: int
    state: str
    reason: str = ""
    acts: int | None = None
    decisions: int | None = None
    problems: tuple[str, ...] = ()
