"""Subjects closed to further work."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text
from sqlmodel import Session

from annotator.base.errors import BadInputError
from annotator.store import bulk

_CHUNK = 500
# The lock table is small: it leads, so that a bulk act does not ask it for every subject.
_LOCKED = (
    "SELECT s.id, s.key FROM lock l CROSS JOIN subject s ON s.id = l.subject_id "
    "AND l.id = (SELECT w.id FROM lock w WHERE w.subject_id = s.id AND w.active = 1 "
    "ORDER BY w.created_at DESC, w.id DESC LIMIT 1) "
    "WHERE l.locked = 1"
)


def locked(db: Session, subject_ids: Sequence[str]) -> dict[str, str]:
    """Return id -> key of those subjects that are locked."""
    found: dict[str, str] = {}
    for start in range(0, len(subject_ids), _CHUNK):
        part = list(subject_ids[start : start + _CHUNK])
        names = {f"s{number}": value for number, value in enumerate(part)}
        marks = ", ".join(f":{name}" for name in names)
        found.update(
            (row[0], row[1]) for row in db.connection().execute(text(f"{_LOCKED} AND s.id IN ({marks})"), names)
        )
    return found


def refuse_locked(db: Session, subject_ids: Sequence[str]) -> None:
    """Raise `BadInputError` if one of the subjects is locked."""
    _refuse(list(locked(db, subject_ids).values()))


def refuse_locked_chosen(db: Session) -> None:
    """Raise `BadInputError` if one of the subjects chosen for a bulk act is locked."""
    found = db.connection().exec_driver_sql(f"{_LOCKED} AND s.row IN {bulk.CHOSEN} ORDER BY s.row")
    _refuse([record[1] for record in found])


def _refuse(keys: Sequence[str]) -> None:
    if keys:
        more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
        raise BadInputError(
            f"{keys[0]}{more} is locked, so nothing was changed. Unlock it on the Consensus page first."
        )
