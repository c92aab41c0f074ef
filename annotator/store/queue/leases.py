"""Subjects given to one person at a time: each lease lapses by itself when its client is gone.

On a server, leases are taken outside the writing lane. A subject's row is locked while it is given away, others skip it
(``SKIP LOCKED``), and the lease's primary key has the last word: whoever comes second gets nothing and looks further.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from sqlalchemy import Double, cast, delete, exists, extract, func, select, text, update
from sqlmodel import Session

from annotator.base.errors import BadInputError
from annotator.model.rows.queue import LeaseRow, QueueFilter
from annotator.store.queue import first_page
from annotator.store.tables import ANNOTATOR, DECISION, LEASE, LOCK, SUBJECT, chunks, is_file, upsert

_HELD = LEASE.join(ANNOTATOR, ANNOTATOR.c.id == LEASE.c.annotator_id).join(SUBJECT, SUBJECT.c.id == LEASE.c.subject_id)


def moment(db: Session) -> float:
    """Return the time by the project's own clock, in seconds since 1970: the same for all who share it."""
    if is_file(db.connection()):
        return time.time()
    clock = cast(extract("epoch", func.clock_timestamp()), Double)
    return float(db.connection().execute(select(clock)).scalar_one())


def take(
    db: Session,
    annotator_id: str,
    client: str,
    wanted: QueueFilter,
    count: int,
    seconds: float,
    leave_out: Collection[str] = (),
) -> list[str]:
    """Give the first subjects of a queue that nobody has to a person; returns their ids in queue order.

    Locked subjects are passed over, and those in ``leave_out``. There may be fewer than ``count``, or none.
    """
    taken: list[str] = []
    while len(taken) < count:
        free = _free(db, wanted, count - len(taken), (*leave_out, *taken))
        if not free:
            break
        taken += [subject for subject in free if _grant(db, annotator_id, client, subject, seconds)]
    return taken


def _free(db: Session, wanted: QueueFilter, count: int, leave_out: Collection[str]) -> list[str]:
    subject, lock = SUBJECT.alias("s"), LOCK.alias("w")
    where, values = first_page.condition(wanted, on_file=is_file(db.connection()))
    is_leased = exists().where(LEASE.c.subject_id == subject.c.id, LEASE.c.until > moment(db))
    is_locked = (
        select(lock.c.locked)
        .where(lock.c.subject_id == subject.c.id, lock.c.active)
        .order_by(lock.c.created_at.desc(), lock.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = select(subject.c.id).where(
        text(where), subject.c.id.not_in(leave_out), ~is_leased, func.coalesce(is_locked, 0) == 0
    )
    # A file knows no locks of rows, and SQLAlchemy leaves them out there.
    alone = query.order_by(subject.c.row).limit(count).with_for_update(key_share=True, of=subject, skip_locked=True)
    return list(db.connection().scalars(alone, values))


def _grant(db: Session, annotator_id: str, client: str, subject_id: str, seconds: float) -> bool:
    """Write a lease unless somebody has a live one, whenever they got it."""
    now, connection = moment(db), db.connection()
    values = {"annotator_id": annotator_id, "client": client, "taken_at": now, "until": now + seconds}
    insert = upsert(connection, LEASE).values(subject_id=subject_id, **values)
    lease = insert.on_conflict_do_update(index_elements=["subject_id"], set_=values, where=LEASE.c.until <= now)
    # A server locks a lease that somebody else has, too. Whoever goes on to the next one must let go of it: two
    # people who each hold what the other waits for would wait for ever.
    alone = connection.begin_nested()
    granted = connection.execute(lease.returning(LEASE.c.subject_id)).first() is not None
    if granted:
        alone.commit()
    else:
        alone.rollback()
    return granted


def keep(db: Session, client: str, seconds: float) -> int:
    """Say that a client is still there; returns how many leases it has. One that lapsed untaken holds again."""
    kept = update(LEASE).where(LEASE.c.client == client).values(until=moment(db) + seconds)
    return db.connection().execute(kept).rowcount


def give_back(db: Session, annotator_id: str, subject_ids: Sequence[str] = (), client: str = "") -> int:
    """End a person's leases on some subjects, or all of one client; returns how many there were."""
    if client:
        return db.connection().execute(delete(LEASE).where(LEASE.c.client == client)).rowcount
    own = delete(LEASE).where(LEASE.c.annotator_id == annotator_id)
    return sum(
        db.connection().execute(own.where(LEASE.c.subject_id.in_(part))).rowcount for part in chunks(subject_ids)
    )


def hold(db: Session, annotator_id: str, subject_id: str) -> None:
    """Make sure that a person still has a subject; deciding on it in this very transaction ends the lease.

    Raises `BadInputError` if the person has it no longer, so that what two people were given is done once.
    """
    query = (
        select(LEASE.c.annotator_id, ANNOTATOR.c.name, SUBJECT.c.key)
        .select_from(_HELD)
        .where(LEASE.c.subject_id == subject_id)
        .with_for_update(of=LEASE)
    )
    row = db.connection().execute(query).first()
    if row is None:
        raise BadInputError("This subject is not yours at the moment, so nothing was decided. Take the next one.")
    if row[0] != annotator_id:
        raise BadInputError(
            f"{row[2]} went to {row[1]} after nothing was heard of you for a while, so nothing was decided. "
            "Take the next one."
        )


def end_decided(db: Session, annotator_id: str, change_id: str) -> None:
    """End a person's leases on what they have just decided."""
    # A person has few leases, an act may have many decisions.
    is_decided = exists().where(DECISION.c.subject_id == LEASE.c.subject_id, DECISION.c.change_id == change_id)
    db.connection().execute(delete(LEASE).where(LEASE.c.annotator_id == annotator_id, is_decided))


def held_by_others(db: Session, annotator_id: str, subject_ids: Sequence[str]) -> tuple[str, str, float] | None:
    """Return key, person and seconds left of the first of some subjects that somebody else has now."""
    now = moment(db)
    query = (
        select(SUBJECT.c.key, ANNOTATOR.c.name, LEASE.c.until)
        .select_from(_HELD)
        .where(LEASE.c.until > now, LEASE.c.annotator_id != annotator_id)
        .order_by(SUBJECT.c.row)
    )
    for part in chunks(subject_ids):
        row = db.connection().execute(query.where(LEASE.c.subject_id.in_(part)).limit(1)).first()
        if row is not None:
            return row[0], row[1], row[2] - now
    return None


def decided_by_others(db: Session, annotator_id: str, subject_ids: Sequence[str]) -> tuple[str, str, str, str] | None:
    """Return key, person, verdict and time of the first of some subjects whose standing decision is somebody else's."""
    newer = DECISION.alias("newer")
    newest = (
        select(newer.c.id)
        .where(newer.c.subject_id == SUBJECT.c.id, newer.c.active)
        .order_by(newer.c.created_at.desc(), newer.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = (
        select(SUBJECT.c.key, ANNOTATOR.c.name, DECISION.c.verdict, DECISION.c.created_at)
        .join_from(DECISION, SUBJECT, SUBJECT.c.id == DECISION.c.subject_id)
        .join(ANNOTATOR, ANNOTATOR.c.id == DECISION.c.annotator_id)
        .where(DECISION.c.id == newest, DECISION.c.annotator_id != annotator_id, SUBJECT.c.verdict.is_not(None))
        .order_by(SUBJECT.c.row)
    )
    for part in chunks(subject_ids):
        row = db.connection().execute(query.where(SUBJECT.c.id.in_(part)).limit(1)).first()
        if row is not None:
            return row[0], row[1], row[2], row[3]
    return None


def listing(db: Session, annotator_id: str) -> tuple[LeaseRow, ...]:
    """Return who works on what, in queue order; ``annotator_id`` says whose are one's own."""
    now = moment(db)
    query = (
        select(SUBJECT.c.id, SUBJECT.c.key, SUBJECT.c.title, ANNOTATOR.c.name, LEASE.c.until, LEASE.c.annotator_id)
        .select_from(_HELD)
        .order_by(SUBJECT.c.row)
    )
    rows = db.connection().execute(query)
    return tuple(
        LeaseRow(subject, key, title, name, max(0.0, until - now), person == annotator_id)
        for subject, key, title, name, until, person in rows
    )
