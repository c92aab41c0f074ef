"""Write expert work; every function adds rows under one entry of the undo log."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, func, or_, select, update
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from annotator.base.clock import now_text
from annotator.base.ids import content_hash
from annotator.model.changes import Changes
from annotator.model.tables.table_columns import SubjectWork
from annotator.model.tables.work_tables import Criterion, Decision, Prompt, QuotaPlan
from annotator.store.core_tables import DECISION, LABEL, SUBJECT, find_table, is_chosen
from annotator.store.history import undo_log
from annotator.store.judging import stored_consensus
from annotator.store.queue import bulk_acts, stored_leases


def add_decisions(
    db: Session, annotator_id: str, subject_ids: Sequence[str], verdict: str, reason: str, label: str
) -> Changes:
    """Record one verdict on one or many subjects as one act."""
    return decide_chosen(db, annotator_id, bulk_acts.choose_ids(db.connection(), subject_ids), verdict, reason, label)


def decide_chosen(db: Session, annotator_id: str, count: int, verdict: str, reason: str, label: str) -> Changes:
    """Record one verdict on the ``count`` subjects that were chosen (`annotator.store.queue.bulk_acts`) as one act."""
    stored_consensus.refuse_locked_chosen(db)
    change = undo_log.record_change(db, annotator_id, label, ["decision"])
    connection = db.connection()
    values = {"created_at": _date_work(connection, DECISION), "annotator_id": annotator_id, "change_id": change.id}
    with bulk_acts.recount_chosen(connection, count):
        bulk_acts.add_work(connection, "decision", {**values, "active": 1, "verdict": verdict, "reason": reason})
        connection.execute(update(SUBJECT).where(is_chosen(SUBJECT.c.row)).values(verdict=verdict))
    stored_leases.end_decided_leases(db, annotator_id, change.id)
    return Changes(frozenset({"decision", "subject"}), bulk_acts.chosen_ids(connection), label, change.id)


def reopen_subjects(db: Session, annotator_id: str, reasons: Mapping[str, str], label: str) -> Changes:
    """Reopen the chosen subjects as one act; ``reasons`` are by subject id."""
    stored_consensus.refuse_locked_chosen(db)
    change = undo_log.record_change(db, annotator_id, label, ["decision"])
    moment = _date_work(db.connection(), DECISION)
    rows = [
        Decision(subject_id=subject, verdict=undo_log.OPEN, reason=reason, created_at=moment)
        for subject, reason in reasons.items()
    ]
    undo_log.write_work(db, change, *rows)
    undo_log.refresh_subjects(db.connection(), list(reasons))
    return Changes(frozenset({"decision", "subject"}), frozenset(reasons), label, change.id)


def _date_work(connection: Connection, work: Table) -> str:
    """Return the time for work on the chosen subjects: now, or just after the newest work of its kind on one of them.

    The newest row counts, so an existing row from a machine whose clock is ahead must not be dated later.
    """
    moment = now_text()
    is_of_chosen = work.c.subject_id.in_(select(SUBJECT.c.id).where(is_chosen(SUBJECT.c.row)))
    newest = select(func.max(work.c.created_at)).where(is_of_chosen, work.c.created_at >= moment)
    return undo_log.time_after(moment, connection.execute(newest).scalar_one())


def label_chosen(db: Session, annotator_id: str, count: int, name: str, value: str, label: str) -> Changes:
    """Set a label of the chosen subjects as one act (``name`` is one of `undo_log.LABELS`)."""
    connection = db.connection()
    change = undo_log.record_change(db, annotator_id, label, ["label"])
    with bulk_acts.recount_chosen(connection, count):
        moment = _date_work(connection, LABEL)
        values = {"created_at": moment, "annotator_id": annotator_id, "change_id": change.id, "active": 1}
        label_values = {**values, "name": name, "value": value, "origin": "human"}
        bulk_acts.add_work(connection, "label", label_values, {"before": name})
        undo_log.refresh_chosen(connection, ["label"])
    return Changes(frozenset({"label", "subject"}), bulk_acts.chosen_ids(connection), label, change.id)


def allot_rows(db: Session, annotator_id: str, rows: Mapping[str | None, Sequence[int]], label: str) -> Changes:
    """Assign the subjects at some rows of the queue to people (None: to nobody), as one act."""
    connection = db.connection()
    listed_ids: set[str] = set()
    change = undo_log.record_change(db, annotator_id, label, ["allotment"])
    values = {"annotator_id": annotator_id, "change_id": change.id, "active": 1}
    total = 0
    for person, subject_rows in rows.items():
        count = bulk_acts.choose_rows(connection, subject_rows)
        total += count
        with bulk_acts.recount_chosen(connection, count):
            moment = _date_work(connection, find_table("allotment"))
            bulk_acts.add_work(connection, "allotment", {**values, "created_at": moment, "person_id": person})
            undo_log.refresh_chosen(connection, ["allotment"])
        if total <= bulk_acts.MAX_LISTED_SUBJECTS:
            listed_ids |= bulk_acts.chosen_ids(connection)
    subject_ids = frozenset(listed_ids) if total <= bulk_acts.MAX_LISTED_SUBJECTS else frozenset[str]()
    return Changes(frozenset({"allotment", "subject"}), subject_ids, label, change.id)


def add_quota_plan(db: Session, annotator_id: str, quotas: Sequence[dict[str, Any]], label: str) -> Changes:
    """Record a new quota plan; earlier plans stay in the log."""
    return undo_log.write_act(db, annotator_id, label, ["quota"], [QuotaPlan(quotas=list(quotas))])


def find_prompt(db: Session, prompt_id: str | None) -> Prompt | None:
    """Return a revision of a paraphrase by its id."""
    return db.get(Prompt, prompt_id) if prompt_id else None


def find_criterion(db: Session, criterion_id: str | None) -> Criterion | None:
    """Return a revision of a criterion document by its id."""
    return db.get(Criterion, criterion_id) if criterion_id else None


def add_prompt(db: Session, annotator_id: str, subject_id: str, text: str, note: str, label: str) -> Changes:
    """Record a revision of a subject's paraphrase."""
    stored_consensus.refuse_locked(db, [subject_id])
    return stored_consensus.add_subject_work(db, annotator_id, subject_id, [Prompt(text=text, note=note)], label)


def add_criterion(db: Session, annotator_id: str, subject_id: str, source: str, note: str, label: str) -> Changes:
    """Record a revision of a subject's criterion document."""
    stored_consensus.refuse_locked(db, [subject_id])
    row = Criterion(source=source, content_hash=content_hash(source), note=note)
    return stored_consensus.add_subject_work(db, annotator_id, subject_id, [row], label)


def is_unseen(db: Session, current: SubjectWork, seen_ids: Collection[str]) -> bool:
    """Return whether the current revision is newer than all seen ones, given by their ids or their acts' ids.

    A revision that is current because a seen one was undone is older, so it does not count as unseen.
    """
    if current.id in seen_ids or current.change_id in seen_ids:
        return False
    model = type(current)
    seen_rows = db.exec(
        select_rows(model).where(or_(col(model.id).in_(seen_ids), col(model.change_id).in_(seen_ids)))
    ).all()
    return all((row.created_at, row.id) < (current.created_at, current.id) for row in seen_rows)
