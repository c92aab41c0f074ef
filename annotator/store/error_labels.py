"""Why responses failed: labels by people, append-only, one that stands per person and response."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text as sql
from sqlmodel import Session, select

from annotator.base.errors import BadInputError
from annotator.model.rows import Changes
from annotator.model.run import ErrorLabel, Response
from annotator.model.run_rows import LabelRow
from annotator.store import changes

# An empty label takes one's earlier label back.
_STANDING = (
    "SELECT l.response_id, l.label, l.note, a.name, l.created_at, r.run_id, r.subject_id FROM error_label l "
    "JOIN annotator a ON a.id = l.annotator_id JOIN response r ON r.id = l.response_id "
    "WHERE l.active = 1 AND l.label <> '' AND NOT EXISTS (SELECT 1 FROM error_label n WHERE n.active = 1 "
    "AND n.response_id = l.response_id AND n.annotator_id = l.annotator_id "
    "AND (n.created_at > l.created_at OR (n.created_at = l.created_at AND n.id > l.id)))"
)


def add(db: Session, annotator_id: str, response_ids: Sequence[str], label: str, note: str) -> Changes:
    """Put a label on responses as one act. Raises `BadInputError` for a response there is not."""
    for response_id in response_ids:
        if db.exec(select(Response.id).where(Response.id == response_id)).first() is None:
            raise BadInputError("There is no such response in this project. Nothing was changed.")
    text = f"Label {label}" if label else "Take a label back"
    change = changes.record(db, annotator_id, text, ["error_label"])
    db.add_all(
        ErrorLabel(annotator_id=annotator_id, change_id=change.id, response_id=item, label=label, note=note)
        for item in response_ids
    )
    db.flush()
    return Changes(frozenset({"error_label"}), label=text, change_id=change.id)


def of_response(db: Session, response_id: str) -> tuple[LabelRow, ...]:
    """Return the labels that stand on a response, one per person at most."""
    rows = db.connection().execute(
        sql(f"{_STANDING} AND l.response_id = :id ORDER BY l.created_at"), {"id": response_id}
    )
    return tuple(LabelRow(*row[:5]) for row in rows)


def of_run(db: Session, run_id: str) -> dict[str, tuple[LabelRow, ...]]:
    """Return the labels that stand on a run's responses, by response."""
    found: dict[str, tuple[LabelRow, ...]] = {}
    for row in db.connection().execute(sql(f"{_STANDING} AND r.run_id = :run ORDER BY l.created_at"), {"run": run_id}):
        found[row[0]] = (*found.get(row[0], ()), LabelRow(*row[:5]))
    return found


def on_failed(db: Session) -> dict[str, dict[str, set[str]]]:
    """Return run -> response -> the labels that stand on it, of responses that did not pass; reads no other."""
    query = (
        "SELECT l.run_id, l.response_id, l.label FROM "
        f"({_STANDING}) AS l JOIN current_score c ON c.response_id = l.response_id "
        "WHERE c.outcome NOT IN ('pass', 'machinery')"
    )
    found: dict[str, dict[str, set[str]]] = {}
    for run_id, response_id, label in db.connection().execute(sql(query)):
        found.setdefault(run_id, {}).setdefault(response_id, set()).add(label)
    return found


def used(db: Session) -> tuple[str, ...]:
    """Return every label that stands somewhere in the project, most used first."""
    query = sql(f"SELECT label, count(*) FROM ({_STANDING}) AS standing GROUP BY label ORDER BY count(*) DESC, label")
    return tuple(row[0] for row in db.connection().execute(query))


def failed(db: Session, run_id: str) -> tuple[tuple[str, str, int, str], ...]:
    """Return (response id, subject id, sample, outcome) of a run's responses that did not pass, by item."""
    query = sql(
        "SELECT response_id, subject_id, sample, outcome FROM current_score WHERE run_id = :run "
        "AND outcome NOT IN ('pass', 'machinery') ORDER BY subject_id, sample"
    )
    return tuple((row[0], row[1], int(row[2]), row[3]) for row in db.connection().execute(query, {"run": run_id}))
