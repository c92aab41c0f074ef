"""Rows of the history, the time machine, backups and recovery; importable without SQLModel."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from annotator.model.rows.view_rows import ChangeRow


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ActRow:
    """One entry of the history with how many items it concerned; ``mine`` says that it is this annotator's own.

    ``reach`` is "undo" or "redo" where undoing or redoing leads to this point, empty where nothing would change.
    """

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
    """Some entries of the history, newest first; ``before`` is where the next page begins, None at the end."""

    rows: tuple[ActRow, ...]
    before: int | None
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One field of one subject before and after; texts are whole, an empty one means that there is none."""

    subject_id: str
    key: str
    title: str
    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Steps:
    """The acts that going to a point of the history undoes or redoes, in order, and their effects.

    ``way`` is "undo", "redo" or empty for a point where nothing changes. ``more`` counts subjects that change but are
    not listed in ``effects``.
    """

    way: str
    acts: tuple[ChangeRow, ...]
    effects: tuple[Effect, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Restoring:
    """The effects of restoring a moment: fields now (``before``) and then (``after``), and notes on what stays."""

    moment: str
    effects: tuple[Effect, ...]
    notes: tuple[str, ...] = ()

    @property
    def subjects(self) -> tuple[str, ...]:
        """The ids of the subjects concerned, each once."""
        return tuple(dict.fromkeys(item.subject_id for item in self.effects))


@dataclass(frozen=True, slots=True)
class TableState:
    """How much of one table could be read; ``lost`` is the least number of rows that could not, None if unknown."""

    name: str
    readable: int
    lost: int | None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """The readable content of a damaged file; ``source`` says which files were read, ``newest`` is the last act."""

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
class Salvaged:
    """The result of recovering a damaged file: the files, rows by table, rows from a backup, and rows left out."""

    project: Path | None
    lines: Path
    written: int
    kept: dict[str, int] = field(default_factory=dict)
    from_backup: int = 0
    left_out: tuple[str, ...] = ()
