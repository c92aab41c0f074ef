"""Reviews, votes, comments, confirmed edits, settlements and locks: written under a change, read by subject."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from sqlalchemy import text
from sqlmodel import Session, col, select

from annotator.model.judging import Confirmation, Conflict, Lock, Resolution, Revision
from annotator.model.judging_rows import ConflictRow
from annotator.model.project import Annotator
from annotator.model.rows import Changes
from annotator.model.subject import Subject
from annotator.model.tables import SubjectWork
from annotator.model.work import Comment, Proof, Review, Vote
from annotator.store import changes

Work = TypeVar("Work", bound=SubjectWork)


def add(db: Session, annotator_id: str, subject_id: str, rows: Sequence[SubjectWork], label: str) -> Changes:
    """Write rows on one subject as one act; their annotator and change are filled in here."""
    nouns = sorted({type(row).__name__.lower() for row in rows})
    change = changes.record(db, annotator_id, label, nouns)
    for row in rows:
        row.annotator_id, row.change_id, row.subject_id = annotator_id, change.id, subject_id
        db.add(row)
    db.flush()
    changes.refresh_subjects(db.connection(), [subject_id])
    return Changes(frozenset({*nouns, "subject"}), frozenset({subject_id}), label, change.id)


def names(db: Session) -> dict[str, str]:
    """Return the people's names by id."""
    return {person.id: person.name for person in db.exec(select(Annotator))}


def _standing(db: Session, noun: type[Work], subject_id: str | None) -> list[Work]:
    query = select(noun).where(noun.active)
    if subject_id is not None:
        query = query.where(noun.subject_id == subject_id)
    return list(db.exec(query.order_by(col(noun.created_at), col(noun.id))))


def reviews(db: Session, subject_id: str | None = None) -> list[Review]:
    """Return the newest review of every person on a subject (or on all), oldest first."""
    newest = {(row.subject_id, row.annotator_id): row for row in _standing(db, Review, subject_id)}
    return list(newest.values())


def votes(db: Session, subject_id: str | None = None) -> dict[str, dict[str, dict[str, str]]]:
    """Return subject -> voter -> question -> choice; the newest answer of each counts."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for row in _standing(db, Vote, subject_id):
        found.setdefault(row.subject_id, {}).setdefault(row.annotator_id, {})[row.question] = row.choice
    return found


def comments(db: Session, subject_id: str | None = None) -> list[Comment]:
    """Return the comments that stand, oldest first."""
    return _standing(db, Comment, subject_id)


def comment(db: Session, comment_id: str) -> Comment | None:
    """Return a comment by its id."""
    return db.get(Comment, comment_id)


def artefact_rows(db: Session, subject_id: str, artefact: str) -> list[Revision | Confirmation]:
    """Return the edits and confirmations of an artefact in the order they were made."""
    rows: list[Revision | Confirmation] = [
        *(row for row in _standing(db, Revision, subject_id) if row.artefact == artefact),
        *(row for row in _standing(db, Confirmation, subject_id) if row.artefact == artefact),
    ]
    return sorted(rows, key=_moment)


def all_artefact_rows(db: Session) -> dict[tuple[str, str], list[Revision | Confirmation]]:
    """Return the edits and confirmations of everything, by (subject, artefact), in the order they were made."""
    rows: list[Revision | Confirmation] = [*_standing(db, Revision, None), *_standing(db, Confirmation, None)]
    found: dict[tuple[str, str], list[Revision | Confirmation]] = {}
    for row in sorted(rows, key=_moment):
        found.setdefault((row.subject_id, row.artefact), []).append(row)
    return found


def _moment(row: Revision | Confirmation) -> tuple[str, str]:
    return row.created_at, row.id


def experts(db: Session, subject_id: str) -> set[str]:
    """Return the ids of those who edited, confirmed or rejected something of a subject."""
    rows: Iterable[Revision | Confirmation] = (
        *_standing(db, Revision, subject_id), *_standing(db, Confirmation, subject_id),
    )  # fmt: skip
    return {row.annotator_id for row in rows}


def all_experts(db: Session) -> dict[str, set[str]]:
    """Return subject -> the ids of those who edited, confirmed or rejected something of it."""
    found: dict[str, set[str]] = {}
    for row in (*_standing(db, Revision, None), *_standing(db, Confirmation, None)):
        found.setdefault(row.subject_id, set()).add(row.annotator_id)
    return found


def accepted(db: Session) -> list[Subject]:
    """Return the accepted subjects in the order they came."""
    query = select(Subject).where(col(Subject.active), Subject.verdict == "accept").order_by(col(Subject.row))
    return list(db.exec(query))


def resolutions(db: Session) -> dict[tuple[str, str], Resolution]:
    """Return the newest settlement of every disagreement, by (subject, about)."""
    return {(row.subject_id, row.about): row for row in _standing(db, Resolution, None)}


def is_locked(db: Session, subject_id: str) -> bool:
    """Tell whether a subject is locked now."""
    rows = _standing(db, Lock, subject_id)
    return bool(rows) and rows[-1].locked


def add_run(db: Session, subject_id: str, digest: str, outcome: str, checks: list[dict[str, object]]) -> str:
    """Keep a run of a subject's tests on its content as it was; returns the proof's id."""
    proof = Proof(subject_id=subject_id, content_hash=digest, kind="artefacts", outcome=outcome,
                  detail={"checks": checks})  # fmt: skip
    db.add(proof)
    db.flush()
    return proof.id


def newest_run(db: Session, subject_id: str, digest: str) -> Proof | None:
    """Return the newest run on exactly this content, None if there was none."""
    query = select(Proof).where(Proof.subject_id == subject_id, Proof.kind == "artefacts", Proof.content_hash == digest)
    return db.exec(query.order_by(col(Proof.created_at).desc(), col(Proof.id).desc())).first()


def run_outcome(db: Session, proof_id: str | None) -> str:
    """Return what came of a run, empty without one."""
    proof = db.get(Proof, proof_id) if proof_id else None
    return proof.outcome if proof else ""


def keys(db: Session, subject_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return id -> (key, title) of some subjects that are in the project."""
    wanted = set(subject_ids)
    rows = db.exec(select(Subject.id, Subject.key, Subject.title).where(Subject.active))
    return {row[0]: (row[1], row[2]) for row in rows if row[0] in wanted}


def differing_decisions(db: Session) -> list[tuple[str, str, str, str, str]]:
    """Return (subject, annotator, verdict, reason, time) of subjects some accept and others reject; newest of each."""
    newest = (
        "SELECT d.subject_id, d.annotator_id, d.verdict, d.reason, d.created_at FROM decision d "
        "JOIN subject s ON s.id = d.subject_id AND s.active = 1 WHERE d.active = 1 AND d.id = (SELECT e.id "
        "FROM decision e WHERE e.subject_id = d.subject_id AND e.annotator_id = d.annotator_id AND e.active = 1 "
        "ORDER BY e.created_at DESC, e.id DESC LIMIT 1) AND d.verdict IN ('accept', 'reject')"
    )
    query = (
        f"WITH newest AS ({newest}) SELECT * FROM newest WHERE subject_id IN (SELECT subject_id FROM newest "
        "GROUP BY subject_id HAVING count(DISTINCT verdict) > 1) ORDER BY subject_id, created_at"
    )
    return [(row[0], row[1], row[2], row[3], row[4]) for row in db.connection().execute(text(query))]


def conflicts(db: Session) -> tuple[ConflictRow, ...]:
    """Return the contents that were not merged, both sides."""
    rows = db.exec(select(Conflict).order_by(col(Conflict.created_at).desc(), Conflict.id))
    return tuple(ConflictRow(row.id, row.table_name, row.row_id, row.ours, row.theirs) for row in rows)
