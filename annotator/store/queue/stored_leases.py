"""Leases reserve a subject for one person at a time, and expire if the client does not renew them.

On a server, leases are taken outside the writing lock. A subject's row is locked during that, and others skip it
(``SKIP LOCKED``). The primary key of the lease finally decides: a second person fails and tries the next subject.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Literal

from sqlalchemy import (
    ColumnElement,
    Double,
    FromClause,
    ScalarSelect,
    cast,
    delete,
    exists,
    extract,
    func,
    select,
    text,
    true,
    update,
)
from sqlmodel import Session

from annotator.base.errors import BadInputError
from annotator.base.records import record_from
from annotator.model.rows.queue_rows import DecidedRow, HeldRow, LeaseRow, QueueFilter
from annotator.store.core_tables import (
    ANNOTATOR,
    DECISION,
    LEASE,
    LOCK,
    SUBJECT,
    chunks,
    is_chosen,
    is_file,
    newest_work,
    upsert,
)
from annotator.store.queue import first_page

_LEASE_ROWS = LEASE.join(ANNOTATOR, ANNOTATOR.c.id == LEASE.c.annotator_id).join(
    SUBJECT, SUBJECT.c.id == LEASE.c.subject_id
)


def project_time(db: Session) -> float:
    """Return the time in seconds since 1970 by the project's clock: this machine's, or the server's."""
    if is_file(db.connection()):
        return time.time()
    clock = cast(extract("epoch", func.clock_timestamp()), Double)
    return float(db.connection().execute(select(clock)).scalar_one())


def grant_leases(
    db: Session,
    annotator_id: str,
    client: str,
    queue_filter: QueueFilter,
    count: int,
    seconds: float,
    leave_out: Collection[str] = (),
) -> list[str]:
    """Lease the first free subjects of a queue to a person; returns their ids in queue order.

    Locked subjects and those in ``leave_out`` are skipped. There may be fewer than ``count``, or none.
    """
    leased_ids: list[str] = []
    while len(leased_ids) < count:
        free = _find_free(db, queue_filter, count - len(leased_ids), (*leave_out, *leased_ids))
        if not free:
            break
        leased_ids += [subject for subject in free if _grant(db, annotator_id, client, subject, seconds)]
    return leased_ids


def _find_free(db: Session, queue_filter: QueueFilter, count: int, leave_out: Collection[str]) -> list[str]:
    subject = SUBJECT.alias("s")
    where, values = first_page.build_filter_condition(queue_filter, on_file=is_file(db.connection()))
    is_leased = exists().where(LEASE.c.subject_id == subject.c.id, LEASE.c.until > project_time(db))
    query = select(subject.c.id).where(
        text(where), subject.c.id.not_in(leave_out), ~is_leased, func.coalesce(_newest_lock(subject), 0) == 0
    )
    # SQLite has no row locks; SQLAlchemy omits the clause there.
    locking_query = (
        query.order_by(subject.c.row).limit(count).with_for_update(key_share=True, of=subject, skip_locked=True)
    )
    return list(db.connection().scalars(locking_query, values))


def _newest_lock(subject: FromClause) -> ScalarSelect[int]:
    """Return the query of a subject's newest lock state; NULL if it was never locked."""
    lock = LOCK.alias("w")
    return newest_work(lock, lock.c.locked, lock.c.subject_id == subject.c.id, subject)


def _grant(
    db: Session,
    annotator_id: str,
    client: str,
    subject_id: str,
    seconds: float,
    *,
    takes_over: Literal["", "client", "person"] = "",
) -> bool:
    """Write a lease unless somebody has an unexpired one; returns whether it was granted.

    ``takes_over`` allows replacing an unexpired lease: this client's own, or any of this person's.
    """
    now = project_time(db)
    connection = db.connection()
    values = {"annotator_id": annotator_id, "client": client, "taken_at": now, "until": now + seconds}
    insert = upsert(connection, LEASE).values(subject_id=subject_id, **values)
    is_free = LEASE.c.until <= now
    if takes_over:
        is_free |= LEASE.c.client == client
    if takes_over == "person":
        is_free |= LEASE.c.annotator_id == annotator_id
    lease = insert.on_conflict_do_update(index_elements=["subject_id"], set_=values, where=is_free)
    # A server also locks the row of another person's lease. The savepoint releases that lock before the next attempt,
    # because otherwise two people could deadlock.
    savepoint = connection.begin_nested()
    is_granted = connection.execute(lease.returning(LEASE.c.subject_id)).first() is not None
    if is_granted:
        savepoint.commit()
    else:
        savepoint.rollback()
    return is_granted


def lease_first_free(
    db: Session,
    annotator_id: str,
    client: str,
    rows: Sequence[int],
    seconds: float,
    *,
    undecided: bool,
) -> tuple[int, str] | None:
    """Lease the first free subject of some rows to a person, and end the client's other leases.

    A subject is free if no other client leases it, it is not locked, and (``undecided``) nobody else decided on it.
    Returns its row and id, None if there is none.
    """
    for part in chunks(rows):
        # Subject rows are not locked here: between two clients, the lease's primary key decides.
        free = _free_among(db, annotator_id, client, part, undecided=undecided)
        for row in part:
            subject_id = free.get(row)
            if subject_id is None or not _grant(db, annotator_id, client, subject_id, seconds, takes_over="client"):
                continue
            # Between the check and the lease, another person may have decided, which ended their lease.
            if row in _free_among(db, annotator_id, client, [row], undecided=undecided):
                end_other_leases(db, client, subject_id)
                return row, subject_id
            end_leases(db, annotator_id, [subject_id])
    return None


def _free_among(db: Session, annotator_id: str, client: str, rows: Sequence[int], *, undecided: bool) -> dict[int, str]:
    """Return row -> subject id for those rows that are free for a client."""
    is_held = exists().where(
        LEASE.c.subject_id == SUBJECT.c.id, LEASE.c.until > project_time(db), LEASE.c.client != client
    )
    conditions = [SUBJECT.c.row.in_(rows), SUBJECT.c.active, ~is_held, func.coalesce(_newest_lock(SUBJECT), 0) == 0]
    if undecided:
        is_by_other = exists().where(
            DECISION.c.subject_id == SUBJECT.c.id,
            DECISION.c.id == _newest_decision(),
            DECISION.c.annotator_id != annotator_id,
        )
        conditions.append(SUBJECT.c.verdict.is_(None) | ~is_by_other)
    cursor = db.connection().execute(select(SUBJECT.c.row, SUBJECT.c.id).where(*conditions))
    return {int(row): str(subject_id) for row, subject_id in cursor}


def hold_lease(db: Session, annotator_id: str, client: str, subject_id: str, seconds: float) -> LeaseRow | None:
    """Lease a subject to a person unless somebody else has it, and end the client's other leases.

    A lease of the same person elsewhere is taken over, because its window may have crashed. Returns the current lease.
    """
    end_other_leases(db, client, subject_id)
    _grant(db, annotator_id, client, subject_id, seconds, takes_over="person")
    return next((row for row in _lease_rows(db, annotator_id, LEASE.c.subject_id == subject_id)), None)


def end_other_leases(db: Session, client: str, subject_id: str) -> None:
    """End a client's leases except the one on a subject."""
    db.connection().execute(delete(LEASE).where(LEASE.c.client == client, LEASE.c.subject_id != subject_id))


def extend_leases(db: Session, client: str, seconds: float) -> int:
    """Extend a client's leases; returns their number. Expired leases that nobody took are renewed."""
    extension = update(LEASE).where(LEASE.c.client == client).values(until=project_time(db) + seconds)
    return db.connection().execute(extension).rowcount


def end_leases(db: Session, annotator_id: str, subject_ids: Sequence[str] = (), client: str = "") -> int:
    """End a person's leases on some subjects, or all leases of one client; returns their number."""
    if client:
        return db.connection().execute(delete(LEASE).where(LEASE.c.client == client)).rowcount
    deletion = delete(LEASE).where(LEASE.c.annotator_id == annotator_id)
    return sum(
        db.connection().execute(deletion.where(LEASE.c.subject_id.in_(part))).rowcount for part in chunks(subject_ids)
    )


def require_lease(db: Session, annotator_id: str, subject_id: str) -> None:
    """Check that a person still holds a subject's lease, before a decision in this transaction ends it.

    Raises `BadInputError` otherwise, so that a subject served to two people is decided only once.
    """
    query = (
        select(LEASE.c.annotator_id, ANNOTATOR.c.name, SUBJECT.c.key)
        .select_from(_LEASE_ROWS)
        .where(LEASE.c.subject_id == subject_id)
        .with_for_update(of=LEASE)
    )
    row = db.connection().execute(query).first()
    if row is None:
        raise BadInputError("This subject is not reserved for you, so nothing was decided. Take the next one.")
    if row[0] != annotator_id:
        raise BadInputError(
            f"Your reservation of {row[2]} expired and {row[1]} has it now, so nothing was decided. Take the next one."
        )


def end_decided_leases(db: Session, annotator_id: str, change_id: str) -> None:
    """End a person's leases on the subjects that they have just decided."""
    # The condition is on leases, because a person has few of them, while an act may have many decisions.
    is_decided = exists().where(DECISION.c.subject_id == LEASE.c.subject_id, DECISION.c.change_id == change_id)
    db.connection().execute(delete(LEASE).where(LEASE.c.annotator_id == annotator_id, is_decided))


def find_held_by_others(db: Session, annotator_id: str) -> tuple[HeldRow, ...]:
    """Return the chosen subjects (`annotator.store.queue.bulk_acts`) that others lease now, in queue order."""
    now = project_time(db)
    query = (
        select(SUBJECT.c.key, ANNOTATOR.c.name, LEASE.c.until)
        .select_from(_LEASE_ROWS)
        .where(is_chosen(SUBJECT.c.row), LEASE.c.until > now, LEASE.c.annotator_id != annotator_id)
        .order_by(SUBJECT.c.row)
    )
    return tuple(HeldRow(key, person, until - now) for key, person, until in db.connection().execute(query))


def find_decided_by_others(db: Session, annotator_id: str) -> tuple[int, DecidedRow | None]:
    """Return the number of chosen subjects that others have decided, and the first of them."""
    return _find_decided(db, annotator_id, DECISION.c.annotator_id != annotator_id)


def find_decided_unseen(
    db: Session, annotator_id: str, change_ids: Sequence[str], seen_ids: Collection[str]
) -> tuple[int, DecidedRow | None]:
    """Return the number of chosen subjects that one of these acts decided, and the first of them.

    Decisions whose ids are in ``seen_ids`` are left out.
    """
    count, first = 0, None
    for part in chunks(change_ids):
        part_count, row = _find_decided(
            db, annotator_id, DECISION.c.change_id.in_(part) & DECISION.c.id.not_in(seen_ids)
        )
        count += part_count
        first = first or row
    return count, first


def _find_decided(db: Session, annotator_id: str, condition: ColumnElement[bool]) -> tuple[int, DecidedRow | None]:
    is_decided = (
        is_chosen(SUBJECT.c.row) & SUBJECT.c.verdict.is_not(None) & condition & (DECISION.c.id == _newest_decision())
    )
    decisions = DECISION.join(SUBJECT, SUBJECT.c.id == DECISION.c.subject_id)
    columns = (SUBJECT.c.key, ANNOTATOR.c.name, DECISION.c.verdict, DECISION.c.annotator_id)
    people = decisions.join(ANNOTATOR, ANNOTATOR.c.id == DECISION.c.annotator_id)
    first_query = select(*columns).select_from(people).where(is_decided).order_by(SUBJECT.c.row).limit(1)
    row = db.connection().execute(first_query).first()
    if row is None:
        return 0, None
    count = db.connection().execute(select(func.count()).select_from(decisions).where(is_decided)).scalar_one()
    return count, DecidedRow(key=row[0], person=row[1], verdict=row[2], mine=row[3] == annotator_id)


def _newest_decision() -> ScalarSelect[str]:
    """Return the query of the id of a subject's current decision."""
    newer = DECISION.alias("newer")
    return newest_work(newer, newer.c.id, newer.c.subject_id == SUBJECT.c.id, SUBJECT)


def fetch_leases(db: Session, annotator_id: str) -> tuple[LeaseRow, ...]:
    """Return all leases in queue order; those of ``annotator_id`` are marked as ``mine``."""
    return _lease_rows(db, annotator_id, true())


def _lease_rows(db: Session, annotator_id: str, condition: ColumnElement[bool]) -> tuple[LeaseRow, ...]:
    now = project_time(db)
    query = (
        select(LEASE, SUBJECT.c.key, SUBJECT.c.title, ANNOTATOR.c.name.label("annotator"))
        .select_from(_LEASE_ROWS)
        .where(condition)
        .order_by(SUBJECT.c.row)
    )
    rows = db.connection().execute(query)
    return tuple(
        record_from(LeaseRow, row, seconds_left=max(0.0, row.until - now), mine=row.annotator_id == annotator_id)
        for row in rows
    )
