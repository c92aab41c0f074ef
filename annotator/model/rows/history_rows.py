"""Rows of the history, the time machine, backups and recovery; importable without SQLModel."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotator.model.rows.project_rows import BackupRow
    from annotator.model.rows.view_rows import ChangeRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ActRow:
    """One entry of the history with the number of items it changed; ``mine`` is True for this annotator's own acts."""

    seq: int
    id: str
    label: str
    kind: str
    state: str
    annotator: str
    created_at: str
    items: int
    mine: bool


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of the history, newest first; ``before`` is the position of the next page, None on the last one."""

    rows: tuple[ActRow, ...]
    before: int | None
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One field of one subject before and after a change, as whole texts; an empty text means no value."""

    subject_id: str
    key: str
    title: str
    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Steps:
    """The acts to undo or redo, in order, to reach a point of the history, and their effects.

    ``way`` is the direction, "undo" or "redo", or empty if nothing changes. ``more`` counts changed subjects that
    ``effects`` does not list.
    """

    way: str
    acts: tuple[ChangeRow, ...]
    effects: tuple[Effect, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Restoring:
    """The effects of restoring a past state: fields now (``before``) and then (``after``), and notes on its limits."""

    moment: str
    effects: tuple[Effect, ...]
    notes: tuple[str, ...] = ()

    @property
    def subjects(self) -> tuple[str, ...]:
        """The distinct ids of the changed subjects."""
        return tuple(dict.fromkeys(effect.subject_id for effect in self.effects))


@dataclass(frozen=True, slots=True)
class TableState:
    """The number of readable rows of a table; ``lost`` is the minimum number of unreadable ones, None if unknown."""

    name: str
    readable: int
    lost: int | None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminationResult:
    """The readable content of a damaged file; ``source`` names the files that were read, ``newest`` is the last act."""

    path: Path
    problems: tuple[str, ...]
    tables: tuple[TableState, ...]
    newest: ChangeRow | None
    source: str
    backups: tuple[BackupRow, ...] = ()

    @property
    def readable(self) -> int:
        """The number of readable rows."""
        return sum(table.readable for table in self.tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class SalvageResult:
    """The result of recovering a damaged file.

    ``lines`` is the JSON Lines file with ``written`` rows; ``kept`` counts recovered rows by table, ``from_backup``
    those that came from a backup; ``left_out`` describes the rows that were not recovered.
    """

    project: Path | None
    lines: Path
    written: int
    kept: dict[str, int] = field(default_factory=dict)
    from_backup: int = 0
    left_out: tuple[str, ...] = ()
