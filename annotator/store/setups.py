"""What runs are set up with, in revisions: endpoints, prices, prompt templates and protocols of the project's own."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, select

from annotator.base.errors import BadInputError
from annotator.model.project import Annotator
from annotator.model.rows import Changes
from annotator.model.run import Setup
from annotator.model.run_rows import SetupRow
from annotator.store import changes

KINDS = ("endpoint", "price", "template", "protocol")


def revisions(db: Session, kind: str, name: str | None = None) -> tuple[SetupRow, ...]:
    """Return all revisions of a kind (of one name) that stand, newest first, removals too."""
    query = select(Setup, Annotator.name).join(Annotator, col(Annotator.id) == Setup.annotator_id)
    query = query.where(col(Setup.active), Setup.kind == kind)
    if name is not None:
        query = query.where(Setup.name == name)
    ordered = query.order_by(col(Setup.created_at).desc(), col(Setup.id).desc())
    return tuple(
        SetupRow(row.kind, row.name, row.version, row.content, row.removed, person, row.created_at)
        for row, person in db.exec(ordered)
    )


def current(db: Session, kind: str) -> dict[str, SetupRow]:
    """Return the newest revision of each name of a kind, without those that were removed, by name."""
    newest: dict[str, SetupRow] = {}
    for row in revisions(db, kind):
        newest.setdefault(row.name, row)
    return {name: row for name, row in sorted(newest.items()) if not row.removed}


def next_version(db: Session, kind: str, name: str) -> int:
    """Return the number of the next revision; undone ones keep theirs; a template starts at 2."""
    found = db.exec(select(Setup.version).where(Setup.kind == kind, Setup.name == name)).all()
    return max(found, default=int(kind == "template")) + 1


def add(
    db: Session,
    annotator_id: str,
    kind: str,
    name: str,
    version: int,
    content: dict[str, Any],
    *,
    removed: bool = False,
) -> Changes:
    """Write a revision as an act that can be undone. Raises `BadInputError` for an unknown kind."""
    if kind not in KINDS:
        raise BadInputError(f"There is no kind {kind}. There are: {', '.join(KINDS)}.")
    label = f"{'Remove' if removed else 'Save'} {kind} {name}"
    change = changes.record(db, annotator_id, label, ["setup"])
    db.add(
        Setup(
            annotator_id=annotator_id,
            change_id=change.id,
            kind=kind,
            name=name,
            version=version,
            content=content,
            removed=removed,
        )
    )
    db.flush()
    return Changes(frozenset({"setup"}), label=label, change_id=change.id)
