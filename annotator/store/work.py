"""Writing expert work: every function adds rows under one entry of the undo log."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from annotator.base.ids import content_hash
from annotator.model.rows import Changes
from annotator.model.work import Criterion, Decision, Prompt
from annotator.store import changes, locks


def add_decisions(
    db: Session, annotator_id: str, subject_ids: Sequence[str], verdict: str, reason: str, label: str
) -> Changes:
    """Record one verdict on one or many subjects as one act."""
    locks.refuse_locked(db, subject_ids)
    change = changes.record(db, annotator_id, label, ["decision"])
    db.add_all(
        Decision(annotator_id=annotator_id, change_id=change.id, subject_id=subject, verdict=verdict, reason=reason)
        for subject in subject_ids
    )
    db.flush()
    changes.refresh_subjects(db.connection(), subject_ids)
    return Changes(frozenset({"decision", "subject"}), frozenset(subject_ids), label, change.id)


def add_prompt(
    db: Session, annotator_id: str, subject_id: str, text: str, note: str, label: str, origin: str = "human"
) -> Changes:
    """Record a revision of a subject's paraphrase."""
    locks.refuse_locked(db, [subject_id])
    change = changes.record(db, annotator_id, label, ["prompt"])
    db.add(
        Prompt(
            annotator_id=annotator_id, change_id=change.id, subject_id=subject_id, text=text, note=note, origin=origin
        )
    )
    db.flush()
    changes.refresh_subjects(db.connection(), [subject_id])
    return Changes(frozenset({"prompt", "subject"}), frozenset({subject_id}), label, change.id)


def add_criterion(db: Session, annotator_id: str, subject_id: str, source: str, note: str, label: str) -> Changes:
    """Record a revision of a subject's criterion document."""
    locks.refuse_locked(db, [subject_id])
    change = changes.record(db, annotator_id, label, ["criterion"])
    db.add(
        Criterion(
            annotator_id=annotator_id,
            change_id=change.id,
            subject_id=subject_id,
            source=source,
            content_hash=content_hash(source),
            note=note,
        )
    )
    db.flush()
    changes.refresh_subjects(db.connection(), [subject_id])
    return Changes(frozenset({"criterion", "subject"}), frozenset({subject_id}), label, change.id)
