"""Rewrites of mined code: revisions, what running them showed, and why a reference may stay below full coverage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import Session, col, select

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.model.changes import Changes
from annotator.model.tables.project import Annotator
from annotator.model.tables.work import CoverageNote, Rewriting
from annotator.store.history import undo_log

KIND = "rewrite"


def add(db: Session, annotator_id: str, subject_id: str, document: Mapping[str, Any], label: str) -> Changes:
    """Record a revision of a subject's rewrite."""
    row = Rewriting(subject_id=subject_id, document=dict(document), content_hash=content_hash(document))
    return _write(db, annotator_id, row, label)


def _write(db: Session, annotator_id: str, row: Rewriting | CoverageNote, label: str) -> Changes:
    change = undo_log.record(db, annotator_id, label, ["rewrite"])
    undo_log.write(db, change, row)
    return Changes(frozenset({"rewrite"}), frozenset({row.subject_id}), label, change.id)


def newest(db: Session, subject_id: str) -> Rewriting | None:
    """Return the newest active rewrite of a subject."""
    query = select(Rewriting).where(Rewriting.subject_id == subject_id, col(Rewriting.active))
    return db.exec(query.order_by(col(Rewriting.created_at).desc(), col(Rewriting.id).desc()).limit(1)).first()


def current(db: Session, subject_id: str) -> tuple[dict[str, Any], str] | None:
    """Return the newest active rewrite of a subject and its content hash."""
    found = newest(db, subject_id)
    return (found.document, found.content_hash) if found else None


def add_exception(
    db: Session, annotator_id: str, subject_id: str, digest: str, language: str, reason: str, label: str
) -> Changes:
    """Record why a reference may stay below full coverage; an earlier reason for the same content no longer counts."""
    row = CoverageNote(subject_id=subject_id, content_hash=digest, language=language, reason=reason)
    return _write(db, annotator_id, row, label)


def confirm(db: Session, annotator_id: str, subject_id: str, digest: str, language: str, label: str) -> Changes:
    """Record that another person agrees with the reason. Raises `BadInputError` for no reason, or one's own."""
    standing = _exception(db, subject_id, digest, language)
    if standing is None:
        raise BadInputError(f"There is no reason for {language} that could be confirmed. Nothing was changed.")
    if standing.annotator_id == annotator_id:
        raise BadInputError("A reason must be confirmed by others than the one who gave it. Nothing was changed.")
    row = CoverageNote(subject_id=subject_id, content_hash=digest, language=language, exception_id=standing.id)
    return _write(db, annotator_id, row, label)


def exceptions(db: Session, subject_id: str, digest: str) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """Return the reasons that stand for this content: language → (reason, by whom, confirmed by whom)."""
    names = {person.id: person.name for person in db.exec(select(Annotator))}
    notes = db.exec(
        select(CoverageNote).where(
            CoverageNote.subject_id == subject_id, CoverageNote.content_hash == digest, col(CoverageNote.active)
        )
    ).all()
    found = {}
    for language in {note.language for note in notes}:
        standing = _exception(db, subject_id, digest, language)
        if standing is not None:
            by = {names[note.annotator_id] for note in notes if note.exception_id == standing.id}
            found[language] = (standing.reason, names[standing.annotator_id], tuple(sorted(by)))
    return found


def _exception(db: Session, subject_id: str, digest: str, language: str) -> CoverageNote | None:
    query = select(CoverageNote).where(
        CoverageNote.subject_id == subject_id,
        CoverageNote.content_hash == digest,
        CoverageNote.language == language,
        col(CoverageNote.exception_id).is_(None),
        col(CoverageNote.active),
    )
    return db.exec(query.order_by(col(CoverageNote.created_at).desc(), col(CoverageNote.id).desc()).limit(1)).first()
