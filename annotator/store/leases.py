"""Subjects given to one person at a time: each lease lapses by itself when its client is gone.

On a server, leases are taken outside the writing lane. A subject's row is locked while it is given away, others skip it
(``SKIP LOCKED``), and the lease's primary key has the last word: whoever comes second gets nothing and looks further.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from sqlmodel import Session

from annotator.base.errors import BadInputError
from annotator.model.lease_rows import LeaseRow
from annotator.model.rows import QueueFilter
from annotator.store import queue


def moment(db: Session) -> float:
    """Return the time by the project's own clock, in seconds since 1970: the same for all who share it."""
    if _is_file(db):
        return time.time()
    asked = "SELECT CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)"
    return float(db.connection().exec_driver_sql(asked).scalar_one())


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
    where, values = queue.condition(wanted)
    others = f"AND s.id NOT IN ({', '.join('?' * len(leave_out))})" if leave_out else ""
    alone = "" if _is_file(db) else "FOR NO KEY UPDATE OF s SKIP LOCKED"
    query = (
        f"SELECT s.id FROM subject s WHERE {where} {others} "
        "AND NOT EXISTS (SELECT 1 FROM lease e WHERE e.subject_id = s.id AND e.until > ?) "
        "AND coalesce((SELECT w.locked FROM lock w WHERE w.subject_id = s.id AND w.active = 1 "
        f"ORDER BY w.created_at DESC, w.id DESC LIMIT 1), 0) = 0 ORDER BY s.row LIMIT ? {alone}"
    )
    found = db.connection().exec_driver_sql(query, (*values, *leave_out, moment(db), count))
    return [str(row[0]) for row in found]


def _grant(db: Session, annotator_id: str, client: str, subject_id: str, seconds: float) -> bool:
    """Write a lease unless somebody has a live one, whenever they got it."""
    now, connection, alone = moment(db), db.connection(), _is_file(db)
    if not alone:
        # A server locks a lease that somebody else has, too. Whoever goes on to the next one must let go of it: two
        # people who each hold what the other waits for would wait for ever.
        connection.exec_driver_sql("SAVEPOINT granting")
    done = connection.exec_driver_sql(
        "INSERT INTO lease (subject_id, annotator_id, client, taken_at, until) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (subject_id) DO UPDATE SET annotator_id = excluded.annotator_id, client = excluded.client, "
        "taken_at = excluded.taken_at, until = excluded.until WHERE lease.until <= ? RETURNING subject_id",
        (subject_id, annotator_id, client, now, now + seconds, now),
    )
    granted = done.first() is not None
    if not alone:
        connection.exec_driver_sql("RELEASE SAVEPOINT granting" if granted else "ROLLBACK TO SAVEPOINT granting")
    return granted


def keep(db: Session, client: str, seconds: float) -> int:
    """Say that a client is still there; returns how many leases it has. One that lapsed untaken holds again."""
    done = db.connection().exec_driver_sql(
        "UPDATE lease SET until = ? WHERE client = ?", (moment(db) + seconds, client)
    )
    return int(done.rowcount)


def give_back(db: Session, annotator_id: str, subject_ids: Sequence[str] = (), client: str = "") -> int:
    """End a person's leases on some subjects, or all of one client; returns how many there were."""
    if client:
        done = db.connection().exec_driver_sql("DELETE FROM lease WHERE client = ?", (client,))
        return int(done.rowcount)
    ended = 0
    for subject in subject_ids:
        query = "DELETE FROM lease WHERE subject_id = ? AND annotator_id = ?"
        ended += int(db.connection().exec_driver_sql(query, (subject, annotator_id)).rowcount)
    return ended


def hold(db: Session, annotator_id: str, subject_id: str) -> None:
    """Make sure that a person still has a subject; deciding on it in this very transaction ends the lease.

    Raises `BadInputError` if the person has it no longer, so that what two people were given is done once.
    """
    alone = "" if _is_file(db) else "FOR UPDATE OF e"
    found = db.connection().exec_driver_sql(
        "SELECT e.annotator_id, a.name, s.key FROM lease e JOIN annotator a ON a.id = e.annotator_id "
        f"JOIN subject s ON s.id = e.subject_id WHERE e.subject_id = ? {alone}",
        (subject_id,),
    )
    row = found.first()
    if row is None:
        raise BadInputError("This subject is not yours at the moment, so nothing was decided. Take the next one.")
    if row[0] != annotator_id:
        raise BadInputError(
            f"{row[2]} went to {row[1]} after nothing was heard of you for a while, so nothing was decided. "
            "Take the next one."
        )


def end_decided(db: Session, annotator_id: str, change_id: str) -> None:
    """End a person's leases on what they have just decided."""
    db.connection().exec_driver_sql(
        # A person has few leases, an act may have many decisions.
        "DELETE FROM lease WHERE annotator_id = ? AND EXISTS (SELECT 1 FROM decision d "
        "WHERE d.subject_id = lease.subject_id AND d.change_id = ?)",
        (annotator_id, change_id),
    )


def listing(db: Session, annotator_id: str) -> tuple[LeaseRow, ...]:
    """Return who works on what, in queue order; ``annotator_id`` says whose are one's own."""
    now = moment(db)
    rows = db.connection().exec_driver_sql(
        "SELECT s.id, s.key, s.title, a.name, e.until, e.annotator_id FROM lease e "
        "JOIN annotator a ON a.id = e.annotator_id JOIN subject s ON s.id = e.subject_id ORDER BY s.row"
    )
    return tuple(
        LeaseRow(subject, key, title, name, max(0.0, until - now), person == annotator_id)
        for subject, key, title, name, until, person in rows
    )


def _is_file(db: Session) -> bool:
    return db.connection().dialect.name == "sqlite"
