"""Undo and redo: durable, per annotator, across items, bulk acts and restarts."""

from __future__ import annotations

from annotator.model.rows import ChangeRow, Changes
from annotator.model.words import ChangeKind
from annotator.store.project_file import ProjectFile


def undo(store: ProjectFile) -> Changes | None:
    """Take the annotator's last act back; None if there is nothing to undo."""
    from annotator.store import changes

    with store.write() as db:
        change = changes.next_undo(db, store.annotator.id)
        return changes.apply(db, change, ChangeKind.UNDO) if change else None


def redo(store: ProjectFile) -> Changes | None:
    """Do the act again that was undone last; None if there is none."""
    from annotator.store import changes

    with store.write() as db:
        change = changes.next_redo(db, store.annotator.id)
        return changes.apply(db, change, ChangeKind.REDO) if change else None


def undo_label(store: ProjectFile) -> str | None:
    """Say what undo would take back."""
    from annotator.store import changes

    with store.read() as db:
        change = changes.next_undo(db, store.annotator.id)
        return change.label if change else None


def redo_label(store: ProjectFile) -> str | None:
    """Say what redo would do again."""
    from annotator.store import changes

    with store.read() as db:
        change = changes.next_redo(db, store.annotator.id)
        return change.label if change else None


def changes(store: ProjectFile, limit: int = 100) -> tuple[ChangeRow, ...]:
    """Return the newest entries of the undo log, newest first."""
    from annotator.store import changes as log

    with store.read() as db:
        return log.listing(db, limit)
