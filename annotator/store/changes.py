"""The undo log: durable, one line of acts per annotator, and the caches that follow from it.

Expert work is append-only. Undoing an act marks its rows inactive and writes an event row; nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import Connection, text
from sqlmodel import Session, col, select

from annotator.model.project import Annotator, Change
from annotator.model.rows import ChangeRow, Changes
from annotator.model.words import ChangeKind, ChangeState
from annotator.store import bulk

SUBJECT_WORK = (
    "decision", "prompt", "criterion", "bug", "review", "vote", "comment", "label", "rewriting",
    "coveragenote", "suggestion_verdict", "revision", "confirmation", "resolution", "lock", "bug_review", "allotment",
)  # fmt: skip
UNDOABLE = (
    *SUBJECT_WORK, "subject", "source", "judgement", "error_label", "setup", "published_table", "quotaplan", "study",
    "seal", "unblinding",
)  # fmt: skip
LABELS = ("difficulty", "question_type", "domain", "area")
"""What people may change of a subject beside its texts."""
CACHES = {
    "decision": ("verdict", "verdict"), "prompt": ("prompt_id", "id"), "criterion": ("criterion_id", "id"),
    "allotment": ("holder_id", "person_id"),
}  # fmt: skip
"""Work whose newest standing row a subject caches: its own column, and the one of the work."""


def record(db: Session, annotator_id: str, label: str, nouns: Iterable[str]) -> Change:
    """Open an entry in the log; what was undone before can then no longer be redone."""
    db.connection().execute(
        text("UPDATE change SET state = 'superseded' WHERE state = 'undone' AND annotator_id = :who"),
        {"who": annotator_id},
    )
    change = Change(label=label, annotator_id=annotator_id, nouns=sorted(nouns))
    db.add(change)
    db.flush()
    return change


def record_event(db: Session, annotator_id: str, label: str, nouns: Iterable[str]) -> Change:
    """Note an act that cannot be undone (a release, a run) in the history."""
    change = Change(label=label, annotator_id=annotator_id, nouns=sorted(nouns), state=ChangeState.EVENT)
    db.add(change)
    db.flush()
    return change


def fix_sealed(connection: Connection) -> None:
    """Make the judgements of sealed batches events: undo passes over them, here and in every merged copy."""
    connection.exec_driver_sql(
        "UPDATE change SET state = 'event' WHERE state <> 'event' AND id IN (SELECT j.change_id FROM judgement j "
        "JOIN pair p ON p.id = j.pair_id JOIN seal s ON s.study_id = p.study_id AND s.annotator_id = j.annotator_id "
        "AND s.active = 1 WHERE j.active = 1)"
    )


def refresh_origins(connection: Connection, subject_ids: Iterable[str]) -> None:
    """Let subjects that several imports brought live while one of those stands; it names their change and source."""
    for subject in sorted(subject_ids):
        connection.execute(
            text(
                "UPDATE subject SET (change_id, source_id, created_at, active) = (SELECT o.change_id, o.source_id, "
                "o.created_at, c.state IN ('done', 'event') FROM origin o JOIN change c ON c.id = o.change_id "
                "WHERE o.subject_id = subject.id ORDER BY c.state IN ('done', 'event') DESC, o.created_at, o.change_id "
                "LIMIT 1) WHERE id = :subject AND id IN (SELECT subject_id FROM origin)"
            ),
            {"subject": subject},
        )


def next_undo(db: Session, annotator_id: str) -> Change | None:
    """Return the annotator's last act that still stands."""
    query = select(Change).where(
        Change.annotator_id == annotator_id, Change.kind == ChangeKind.DO, Change.state == ChangeState.DONE
    )
    return db.exec(query.order_by(col(Change.seq).desc()).limit(1)).first()


def next_redo(db: Session, annotator_id: str) -> Change | None:
    """Return the annotator's act that was undone last."""
    query = select(Change).where(
        Change.annotator_id == annotator_id, Change.kind == ChangeKind.DO, Change.state == ChangeState.UNDONE
    )
    return db.exec(query.order_by(col(Change.seq)).limit(1)).first()


def apply(db: Session, change: Change, kind: ChangeKind) -> Changes:
    """Take a change back or do it again; returns what that changed."""
    active = kind == ChangeKind.REDO
    connection = db.connection()
    touched, many = bulk.choose_touched(connection, change.id, (*SUBJECT_WORK, "subject"))
    named = bulk.chosen_ids(connection)
    brought = connection.execute(text("SELECT subject_id FROM origin WHERE change_id = :change"), {"change": change.id})
    origins = [record[0] for record in brought]
    change.state = ChangeState.DONE if active else ChangeState.UNDONE
    db.add(change)
    verb = "Redo" if active else "Undo"
    event = Change(
        kind=kind,
        state=ChangeState.EVENT,
        target_id=change.id,
        annotator_id=change.annotator_id,
        label=f"{verb}: {change.label}",
        nouns=change.nouns,
    )
    db.add(event)
    db.flush()
    with bulk.counted(connection, many):
        for table in UNDOABLE:
            connection.execute(
                text(f"UPDATE {table} SET active = :active WHERE change_id = :change"),
                {"active": active, "change": change.id},
            )
        refresh_chosen(connection, touched)
    if origins:
        refresh_origins(connection, origins)
    return Changes(frozenset(change.nouns) | {"subject"}, named, event.label, change.id)


def refresh_subjects(connection: Connection, subject_ids: Iterable[str]) -> None:
    """Bring the cached current work of some subjects in step with their active rows."""
    with bulk.counted(connection, bulk.choose_ids(connection, subject_ids)):
        refresh_chosen(connection, (*CACHES, "label", "proof"))


def refresh_chosen(connection: Connection, tables: Collection[str]) -> None:
    """Bring what the chosen subjects cache of some tables in step with the rows that stand there."""
    stale = [CACHES[table] + (table,) for table in sorted(CACHES) if table in tables]
    if stale:
        columns = ", ".join(
            f"{column} = (SELECT w.{value} FROM {table} w WHERE w.subject_id = subject.id AND w.active = 1 "
            "ORDER BY w.created_at DESC, w.id DESC LIMIT 1)"
            for column, value, table in stale
        )
        connection.exec_driver_sql(f"UPDATE subject SET {columns} WHERE row IN {bulk.CHOSEN}")
    if {"prompt", "criterion", "proof", "subject"} & set(tables):
        connection.exec_driver_sql(
            # What judges is the criterion; without one the subject's own tests, which are part of its content.
            "UPDATE subject SET proven = coalesce((SELECT p.outcome = 'pass' FROM proof p "
            "WHERE p.subject_id = subject.id AND p.prompt_id IS subject.prompt_id AND p.content_hash = "
            "coalesce((SELECT c.content_hash FROM criterion c WHERE c.id = subject.criterion_id), "
            "subject.content_hash) ORDER BY p.created_at DESC, p.id DESC LIMIT 1), 0) "
            f"WHERE row IN {bulk.CHOSEN}"
        )
    if "label" in tables:
        _refresh_labels(connection)


def _refresh_labels(connection: Connection) -> None:
    """Give labelled subjects the newest label that stands, else what stood there before the first."""
    columns = ", ".join(
        f"{name} = coalesce((SELECT w.value FROM label w WHERE w.subject_id = subject.id AND w.name = '{name}' "
        "AND w.active = 1 ORDER BY w.created_at DESC, w.id DESC LIMIT 1), "
        f"(SELECT w.before FROM label w WHERE w.subject_id = subject.id AND w.name = '{name}' "
        f"ORDER BY w.created_at, w.id LIMIT 1), {name})"
        for name in LABELS
    )
    connection.exec_driver_sql(
        f"UPDATE subject SET {columns} WHERE row IN {bulk.CHOSEN} "
        "AND EXISTS (SELECT 1 FROM label w WHERE w.subject_id = subject.id)"
    )


def listing(db: Session, limit: int) -> tuple[ChangeRow, ...]:
    """Return the newest entries of the log, newest first."""
    query = select(Change, Annotator.name).join(Annotator, col(Annotator.id) == Change.annotator_id)
    return tuple(
        ChangeRow(change.id, change.label, change.kind, change.state, name, change.created_at)
        for change, name in db.exec(query.order_by(col(Change.seq).desc()).limit(limit))
    )
