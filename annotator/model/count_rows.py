"""How much there is of what, as the frame and the filters show it: small frozen records, imported from `model.rows`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotator.model.rows import SubjectRow


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A slice of a queue in order of ``row``; ``total`` is capped, ``capped`` says that there are more.

    ``unsearched`` is how many subjects a search did not look at, because its index is still being built.
    """

    rows: tuple[SubjectRow, ...]
    total: int
    capped: bool = False
    unsearched: int = 0


@dataclass(frozen=True, slots=True)
class Facets:
    """How many subjects each value of a filter has, most first: ``{"language": (("python", 12), ...), ...}``.

    ``capped``: a search found so many that only the first of them are counted.
    """

    counts: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    capped: bool = False


@dataclass(frozen=True, slots=True)
class StageCounts:
    """What waits at each stage of the work."""

    subjects: int = 0
    open: int = 0
    accepted: int = 0
    rejected: int = 0
    skipped: int = 0
    flagged: int = 0
    without_prompt: int = 0
    without_criterion: int = 0
    proven: int = 0
    ready: int = 0
    releases: int = 0
    runs: int = 0
    running: int = 0
    decisions: int = 0
    to_judge: int = 0
    to_release: int = 0


@dataclass(frozen=True, slots=True)
class DiskStatus:
    """What is safe: decisions on disk, the last checked backup and the acts since; a server keeps its own."""

    decisions: int
    last_saved: datetime | None
    backup_at: datetime | None
    backup_ok: bool
    acts_since_backup: int = 0
    on_server: bool = False
