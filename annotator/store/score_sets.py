"""Score sets: which criterion scored each item of a run, once for every time the run was scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import text as sql
from sqlmodel import Session, col, select

from annotator.model.run import ScoreSet, ScoreSetItem
from annotator.store.run_data import find


def new_set(db: Session, run_id: str, annotator_id: str, source: str, hashes: Mapping[str, str]) -> ScoreSet:
    """Write which criterion (by hash) scores each item of a run, by subject id; it does not count yet."""
    made = ScoreSet(run_id=run_id, source=source, annotator_id=annotator_id)
    db.add(made)
    db.flush()
    db.add_all(ScoreSetItem(set_id=made.id, subject_id=item, criterion_hash=value) for item, value in hashes.items())
    db.flush()
    return made


def sets_of(db: Session, run_id: str) -> list[ScoreSet]:
    """Return a run's score sets, the one of its own release first."""
    return list(
        db.exec(select(ScoreSet).where(ScoreSet.run_id == run_id).order_by(col(ScoreSet.created_at), col(ScoreSet.id)))
    )


def choose_set(db: Session, run_id: str, set_id: str) -> None:
    """Let the scores of a set count."""
    run = find(db, run_id)
    run.score_set_id = set_id
    db.add(run)


def current_set(db: Session, run_id: str, annotator_id: str, source: str) -> ScoreSet:
    """Write the scores that count now as a set, for a run from before there were sets."""
    query = sql("SELECT subject_id, max(criterion_hash) FROM current_score WHERE run_id = :run GROUP BY subject_id")
    hashes = {row[0]: row[1] for row in db.connection().execute(query, {"run": run_id})}
    return new_set(db, run_id, annotator_id, source, hashes)


def hashes_of(db: Session, set_id: str) -> dict[str, str]:
    """Return a set's criterion hashes by subject id."""
    rows = db.exec(select(ScoreSetItem).where(ScoreSetItem.set_id == set_id))
    return {row.subject_id: row.criterion_hash for row in rows}


def compare_sets(db: Session, run_id: str, before: str, after: str) -> list[tuple[str, int, Any, Any, str, str]]:
    """Return (subject id, sample, old score, new score, old outcome, new outcome) of responses that two sets scored."""
    query = sql(
        "SELECT r.subject_id, r.sample, a.score, b.score, a.outcome, b.outcome FROM response r "
        "JOIN score_set_item i ON i.set_id = :before AND i.subject_id = r.subject_id "
        "JOIN score_set_item j ON j.set_id = :after AND j.subject_id = r.subject_id "
        "JOIN score a ON a.response_id = r.id AND a.criterion_hash = i.criterion_hash "
        "JOIN score b ON b.response_id = r.id AND b.criterion_hash = j.criterion_hash "
        "WHERE r.run_id = :run ORDER BY r.subject_id, r.sample"
    )
    rows = db.connection().execute(query, {"run": run_id, "before": before, "after": after})
    return [(row[0], int(row[1]), *row[2:]) for row in rows]


def set_totals(db: Session, run_id: str) -> dict[str, tuple[float | None, int]]:
    """Return the mean item score of each of a run's sets, and how many responses it scored, by the set's id."""
    query = sql(
        "SELECT set_id, avg(mean), sum(counted) FROM (SELECT i.set_id, avg(s.score) AS mean, count(s.score) AS counted "
        "FROM score_set t JOIN score_set_item i ON i.set_id = t.id "
        "JOIN response r ON r.run_id = t.run_id AND r.subject_id = i.subject_id "
        "JOIN score s ON s.response_id = r.id AND s.criterion_hash = i.criterion_hash "
        "WHERE t.run_id = :run GROUP BY i.set_id, i.subject_id) AS items GROUP BY set_id"
    )
    return {row[0]: (row[1], int(row[2])) for row in db.connection().execute(query, {"run": run_id})}
