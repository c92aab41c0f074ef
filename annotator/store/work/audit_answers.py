"""People's statements on points of the release audit; the newest active one of each point counts."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlmodel import Session

from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.audit_rows import AuditStatement
from annotator.model.tables.release_tables import AuditAnswer
from annotator.store.core_tables import ANNOTATOR, AUDIT_ANSWER, DECISION, SUBJECT_COUNT
from annotator.store.history import undo_log


def add_audit_answer(db: Session, annotator_id: str, point: str, state: str, statement: str) -> Changes:
    """Write a person's statement on a point, as one act that can be undone."""
    label = Message("Audit: {point}", point=point)
    row = AuditAnswer(point=point, state=state, statement=statement)
    return undo_log.write_act(db, annotator_id, label, ["audit"], [row])


def current_audit_answers(db: Session) -> dict[str, AuditStatement]:
    """Return the current statement of each point, by the point's id."""
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
    rows = [dict(row) for row in db.connection().execute(query).mappings()]
    return {row.pop("point"): AuditStatement(**row) for row in rows}


def candidate_labels(db: Session, names: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the number of visible subjects for each value of some labels, by label."""
    counts: dict[str, dict[str, int]] = {}
    for name in names:
        column = SUBJECT_COUNT.c[name]
        query = select(column, func.sum(SUBJECT_COUNT.c.subjects)).where(SUBJECT_COUNT.c.subjects > 0).group_by(column)
        counts[name] = {str(value): int(count) for value, count in db.connection().execute(query)}
    return counts


def verdicts_by_person(db: Session) -> dict[str, dict[str, str]]:
    """Return subject → person → that person's last verdict."""
    query = (
        select(DECISION.c.subject_id, DECISION.c.annotator_id, DECISION.c.verdict)
        .where(DECISION.c.active)
        .order_by(DECISION.c.created_at, DECISION.c.id)
    )
    verdicts: dict[str, dict[str, str]] = {}
    for subject, person, verdict in db.connection().execute(query):
        verdicts.setdefault(subject, {})[person] = verdict
    return verdicts
