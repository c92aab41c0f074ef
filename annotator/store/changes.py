"""The undo log: durable, one line of acts per annotator, and the caches that follow from it.

Expert work is append-only. Undoing an act marks its rows inactive and writes an event row; nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Connection, text
from sqlmodel import Session, col, select

from annotator.base.errors import BadInputError
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
STANDS = "CASE WHEN c.state IN ('done', 'event') THEN 1 ELSE 0 END"
"""Whether the work of a change ``c`` stands, as SQL."""
_CHUNK = 500
_SHORTEST_ID = 8
_NEWEST = "WHERE w.subject_id = subject.id AND w.active = 1 ORDER BY w.created_at DESC, w.id DESC LIMIT 1"
CACHES = {
    # "open" and empty texts are what going back to a time before the first decision or text writes.
    "decision": ("verdict", "nullif(w.verdict, 'open')"),
    "prompt": ("prompt_id", "CASE WHEN w.text <> '' THEN w.id END"),
    "criterion": ("criterion_id", "CASE WHEN w.source <> '' THEN w.id END"),
    "allotment": ("holder_id", "w.person_id"),
}
"""Work whose newest standing row a subject caches: its own column, and what of the row stands there."""
_COUNTED = {"decision": "verdict", "allotment": "holder_id"}
PROVEN = (
    # What judges is the criterion; without one the subject's own tests, which are part of its content.
    "proven = coalesce((SELECT CASE WHEN p.outcome = 'pass' THEN 1 ELSE 0 END FROM proof p "
    "WHERE p.subject_id = subject.id AND coalesce(p.prompt_id, '') = coalesce(subject.prompt_id, '') "
    "AND p.content_hash = coalesce((SELECT c.content_hash FROM criterion c WHERE c.id = subject.criterion_id), "
    "subject.content_hash) ORDER BY p.created_at DESC, p.id DESC LIMIT 1), 0)"
)
"""The assignment that says whether that work is proven; it reads what `current` writes."""


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
                f"o.created_at, {STANDS} FROM origin o JOIN change c ON c.id = o.change_id "
                f"WHERE o.subject_id = subject.id ORDER BY {STANDS} DESC, o.created_at, o.change_id "
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


def find(db: Session, act_id: str) -> Change:
    """Return an entry of the log by its id, or how that begins; raises `BadInputError` if there is not just one."""
    escaped = act_id.strip().lower()
    found = db.exec(select(Change).where(col(Change.id).startswith(escaped, autoescape=True)).limit(2)).all()
    if len(escaped) < _SHORTEST_ID or not found:
        raise BadInputError(f"There is no act {act_id} in the history. annotator history list names them.")
    if len(found) > 1:
        raise BadInputError(f"Several acts begin with {act_id}. Give more of the id.")
    return found[0]


def apply(db: Session, change: Change, kind: ChangeKind) -> Changes:
    """Take a change back or do it again; returns what that changed."""
    with bulk.roomy(db.connection()):
        return _apply(db, change, kind)


def _apply(db: Session, change: Change, kind: ChangeKind) -> Changes:
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
    # What of an import is not visible yet does not become so any more, or becomes so here.
    connection.execute(text("DELETE FROM arrival WHERE change_id = :change"), {"change": change.id})
    # Work that changes one counted column each; other work changes several, or what is counted at all.
    changing = [_COUNTED[table] for table in touched if table in _COUNTED]
    with bulk.counted(connection, many, changing=changing if len(changing) == len(touched) else ()):
        for table in UNDOABLE:
            connection.execute(
                text(f"UPDATE {table} SET active = :active WHERE change_id = :change"),
                {"active": active, "change": change.id},
            )
        refresh_chosen(connection, touched)
    if origins:
        refresh_origins(connection, origins)
    return Changes(frozenset(change.nouns) | {"subject"}, named, event.label, change.id)


def current(tables: Collection[str] = ("decision", "prompt", "criterion", "allotment")) -> str:
    """Return the assignments that give a subject its current work of some tables; nothing if it caches none of them."""
    return ", ".join(
        f"{column} = (SELECT {value} FROM {table} w {_NEWEST})"
        for table, (column, value) in CACHES.items()
        if table in tables
    )


def _subjects_of(connection: Connection, change_id: str) -> list[str]:
    queries = [f"SELECT subject_id FROM {table} WHERE change_id = :change" for table in SUBJECT_WORK]
    queries.append("SELECT id FROM subject WHERE change_id = :change")
    return [record[0] for record in connection.execute(text(" UNION ".join(queries)), {"change": change_id})]


def facts_of(connection: Connection, change_id: str) -> dict[str, tuple[str, str, dict[str, str]]]:
    """Return id -> (key, title, current work in words) of the subjects that a change is about."""
    return facts_of_subjects(connection, _subjects_of(connection, change_id))


def facts_of_subjects(connection: Connection, subject_ids: Sequence[str]) -> dict[str, tuple[str, str, dict[str, str]]]:
    """Return id -> (key, title, current work in words) of some subjects."""
    found = {}
    names = ("in the project", "verdict", "paraphrase", "criterion", *LABELS)
    for start in range(0, len(subject_ids), _CHUNK):
        part = list(subject_ids[start : start + _CHUNK])
        for record in connection.exec_driver_sql(
            "SELECT s.id, s.key, s.title, CASE WHEN s.active = 1 THEN 'yes' ELSE 'no' END, "
            "coalesce(s.verdict, 'open'), "
            "coalesce((SELECT p.text FROM prompt p WHERE p.id = s.prompt_id), ''), "
            "coalesce((SELECT c.source FROM criterion c WHERE c.id = s.criterion_id), ''), "
            f"{', '.join('s.' + name for name in LABELS)} FROM subject s WHERE s.id IN ({', '.join('?' * len(part))})",
            tuple(part),
        ):
            found[record[0]] = (record[1], record[2], dict(zip(names, record[3:], strict=True)))
    return found


def refresh_subjects(connection: Connection, subject_ids: Iterable[str]) -> None:
    """Bring the cached current work of some subjects in step with their active rows."""
    with bulk.counted(connection, bulk.choose_ids(connection, subject_ids)):
        refresh_chosen(connection, (*CACHES, "label", "proof"))


def refresh_chosen(connection: Connection, tables: Collection[str]) -> None:
    """Bring what the chosen subjects cache of some tables in step with the rows that stand there."""
    columns = current(tables)
    if columns:
        connection.exec_driver_sql(f"UPDATE subject SET {columns} WHERE row IN {bulk.CHOSEN}")
    if {"prompt", "criterion", "proof", "subject"} & set(tables):
        connection.exec_driver_sql(f"UPDATE subject SET {PROVEN} WHERE row IN {bulk.CHOSEN}")
    if "label" in tables:
        connection.exec_driver_sql(
            f"UPDATE subject SET {labels()} WHERE row IN {bulk.CHOSEN} "
            "AND EXISTS (SELECT 1 FROM label w WHERE w.subject_id = subject.id)"
        )


def labels() -> str:
    """Return the assignments that give a subject the newest label that stands, else what stood before the first."""
    return ", ".join(
        f"{name} = coalesce((SELECT w.value FROM label w WHERE w.subject_id = subject.id AND w.name = '{name}' "
        "AND w.active = 1 ORDER BY w.created_at DESC, w.id DESC LIMIT 1), "
        f"(SELECT w.before FROM label w WHERE w.subject_id = subject.id AND w.name = '{name}' "
        f"ORDER BY w.created_at, w.id LIMIT 1), {name})"
        for name in LABELS
    )


def listing(db: Session, limit: int) -> tuple[ChangeRow, ...]:
    """Return the newest entries of the log, newest first."""
    query = select(Change, Annotator.name).join(Annotator, col(Annotator.id) == Change.annotator_id)
    return tuple(
        ChangeRow(change.id, change.label, change.kind, change.state, name, change.created_at)
        for change, name in db.exec(query.order_by(col(Change.seq).desc()).limit(limit))
    )
