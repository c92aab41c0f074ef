"""Statements of people on points of the release audit; of each point the newest that stands counts."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlmodel import Session

from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.audit import AuditStatement
from annotator.model.tables.release import AuditAnswer
from annotator.store.history import undo_log
from annotator.store.tables import ANNOTATOR, AUDIT_ANSWER, DECISION, SUBJECT_COUNT


def add(db: Session, annotator_id: str, point: str, state: str, statement: str) -> Changes:
    """Write what a person states on a point, as one act that can be undone."""
    label = Message("Audit: {point}", point=point)
    change = undo_log.record(db, annotator_id, label, ["audit"])
    undo_log.write(db, change, AuditAnswer(point=point, state=state, statement=statement))
    return Changes(frozenset({"audit"}), label=label, change_id=change.id)


def current(db: Session) -> dict[str, AuditStatement]:
    """Return the statement that counts, by the id of its point."""
    query = (
        select(
            AUDIT_ANSWER.c.point,
            AUDIT_ANSWER.c.state,
            AUDIT_ANSWER.c.statement.label("text"),
            ANNOTATOR.c.name.label("person"),
            AUDIT_ANSWER.c.created_at,
        )
        .join(ANNOTATOR, ANNOTATOR.c.id == AUDIT_ANSWER.c.annotator_id)
        .where(AUDIT_ANSWER.c.active)
        .order_by(AUDIT_ANSWER.c.created_at, AUDIT_ANSWER.c.id)
    )
    found = [dict(row) for row in db.connection().execute(query).mappings()]
    return {row.pop("point"): AuditStatement(**row) for row in found}


def candidate_labels(db: Session, names: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return how many visible subjects have each value of some labels, by label."""
    found: dict[str, dict[str, int]] = {}
    for name in names:
        column = SUBJECT_COUNT.c[name]
        query = select(column, func.sum(SUBJECT_COUNT.c.subjects)).where(SUBJECT_COUNT.c.subjects > 0).group_by(column)
        found[name] = {str(value): int(count) for value, count in db.connection().execute(query)}
    return found


def verdicts_by_person(db: Session) -> dict[str, dict[str, str]]:
    """Return subject → person → the verdict that person gave last."""
    query = (
        select(DECISION.c.subject_id, DECISION.c.annotator_id, DECISION.c.verdict)
        .where(DECISION.c.active)
        .order_by(DECISION.c.created_at, DECISION.c.id)
    )
    found: dict[str, dict[str, str]] = {}
    for subject, person, verdict in db.connection().execute(query):
        found.setdefault(subject, {})[person] = verdict
    return found
