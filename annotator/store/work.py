"""Writing expert work: every function adds rows under one entry of the undo log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from annotator.base.clock import now_text
from annotator.base.ids import content_hash, new_id
from annotator.model.project import Change
from annotator.model.rows import Changes
from annotator.model.subject import Subject
from annotator.model.work import Criterion, Label, Prompt, QuotaPlan
from annotator.store import changes, leases, locks

_NAMED = 1000


def add_decisions(
    db: Session, annotator_id: str, subject_ids: Sequence[str], verdict: str, reason: str, label: str
) -> Changes:
    """Record one verdict on one or many subjects as one act."""
    locks.refuse_locked(db, subject_ids)
    change = changes.record(db, annotator_id, label, ["decision"])
    moment, connection = now_text(), db.connection()
    connection.exec_driver_sql(
        "INSERT INTO decision (id, created_at, annotator_id, change_id, active, subject_id, verdict, reason) "
        "VALUES (?, ?, ?, ?, 1, ?, ?, ?)",
        [(new_id(), moment, annotator_id, change.id, subject, verdict, reason) for subject in subject_ids],
    )
    changes.refresh_verdicts(connection, change.id, verdict, moment)
    leases.end_decided(db, annotator_id, change.id)
    # Naming a great many subjects costs more than asking for what is on screen again.
    named = frozenset(subject_ids) if len(subject_ids) <= _NAMED else frozenset[str]()
    return Changes(frozenset({"decision", "subject"}), named, label, change.id)


def add_labels(
    db: Session, annotator_id: str, subject_ids: Sequence[str], name: str, value: str, label: str
) -> Changes:
    """Record what one or many subjects are said to be (``name`` is of `changes.LABELS`), as one act."""
    change = changes.record(db, annotator_id, label, ["label"])
    for start in range(0, len(subject_ids), _NAMED):
        part = subject_ids[start : start + _NAMED]
        for subject in db.exec(select(Subject).where(col(Subject.id).in_(part))):
            before = str(getattr(subject, name))
            db.add(
                Label(
                    annotator_id=annotator_id,
                    change_id=change.id,
                    subject_id=subject.id,
                    name=name,
                    value=value,
                    before=before,
                )
            )
    db.flush()
    changes.refresh_subjects(db.connection(), subject_ids)
    return Changes(frozenset({"label", "subject"}), frozenset(subject_ids), label, change.id)


def add_quota_plan(db: Session, annotator_id: str, quotas: Sequence[dict[str, Any]], label: str) -> Changes:
    """Record what the project wants of which kind; the plan before stays in the log."""
    change = changes.record(db, annotator_id, label, ["quota"])
    db.add(QuotaPlan(annotator_id=annotator_id, change_id=change.id, quotas=list(quotas)))
    return Changes(frozenset({"quota"}), label=label, change_id=change.id)


def add_prompt(
    db: Session, annotator_id: str, subject_id: str, text: str, note: str, label: str, origin: str = "human"
) -> Changes:
    """Record a revision of a subject's paraphrase."""
    locks.refuse_locked(db, [subject_id])
    change = changes.record(db, annotator_id, label, ["prompt"])
    put_prompt(db, annotator_id, change, subject_id, text, origin, note)
    changes.refresh_subjects(db.connection(), [subject_id])
    return Changes(frozenset({"prompt", "subject"}), frozenset({subject_id}), label, change.id)


def put_prompt(
    db: Session, annotator_id: str, change: Change, subject_id: str, text: str, origin: str = "human", note: str = ""
) -> None:
    """Write a revision of a paraphrase under an entry of the log that is open already."""
    db.add(
        Prompt(
            annotator_id=annotator_id, change_id=change.id, subject_id=subject_id, text=text, note=note, origin=origin
        )
    )
    db.flush()


def put_criterion(db: Session, annotator_id: str, change: Change, subject_id: str, source: str, note: str = "") -> None:
    """Write a revision of a criterion under an entry of the log that is open already."""
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


def add_criterion(db: Session, annotator_id: str, subject_id: str, source: str, note: str, label: str) -> Changes:
    """Record a revision of a subject's criterion document."""
    locks.refuse_locked(db, [subject_id])
    change = changes.record(db, annotator_id, label, ["criterion"])
    put_criterion(db, annotator_id, change, subject_id, source, note)
    changes.refresh_subjects(db.connection(), [subject_id])
    return Changes(frozenset({"criterion", "subject"}), frozenset({subject_id}), label, change.id)
