"""Implanted bugs, their proofs and their reviews; every act adds rows under an entry of the undo log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from annotator.base.errors import BadInputError
from annotator.base.records import record_from
from annotator.model.rows.bug_rows import ASPECTS, BugReviewRow, BugRow, state_of
from annotator.model.rows.gate_numbers import BUG_REVIEWERS, SETTING
from annotator.model.tables.project_tables import Annotator
from annotator.model.tables.subject_tables import Subject
from annotator.model.tables.work_tables import Bug, BugReview, Proof
from annotator.store.file import people
from annotator.store.work import stored_proofs

PROOF_KIND, TRIED_KIND = "bug", "bugs tried"
ACCEPT, REJECT = "accept", "reject"


def find_bug(db: Session, bug_id: str) -> Bug:
    """Return a bug by its id or a prefix of it.

    Raises `BadInputError` if there is none, if several match, or if it has been edited or undone.
    """
    query = select(Bug).where(col(Bug.id).startswith(bug_id, autoescape=True), col(Bug.active))
    matches = db.exec(query.limit(2)).all() if bug_id else []
    if len(matches) != 1:
        match_count = "no bug" if not matches else "more than one bug"
        raise BadInputError(f"There is {match_count} {bug_id} in this project. Nothing was changed.")
    if db.exec(select(Bug.id).where(Bug.replaces == matches[0].id, col(Bug.active))).first() is not None:
        raise BadInputError(f"Bug {bug_id} has been edited since. Use its newest version. Nothing was changed.")
    return matches[0]


def newest_version(db: Session, bug_id: str) -> Bug | None:
    """Return the newest active edit of a bug, given its full id; None if nobody has edited it."""
    newest = None
    replaced_id = bug_id
    while (edit := db.exec(select(Bug).where(Bug.replaces == replaced_id, col(Bug.active))).first()) is not None:
        newest, replaced_id = edit, edit.id
    return newest


def any_version(db: Session, bug_id: str) -> Bug:
    """Return a bug by its full id, even if it was edited or undone since. Raises `BadInputError` if there is none."""
    bug = db.get(Bug, bug_id)
    if bug is None:
        raise BadInputError(f"There is no bug {bug_id} in this project. Nothing was changed.")
    return bug


def known_hashes(db: Session, subject_id: str) -> frozenset[str]:
    """Return the content hashes of all bugs of a subject, even rejected and edited ones, to avoid duplicates."""
    query = select(Bug.content_hash).where(Bug.subject_id == subject_id, col(Bug.active))
    return frozenset(db.exec(query))


def newest_proof(db: Session, bug: Bug) -> Proof | None:
    """Return the newest proof of a bug's content."""
    return stored_proofs.newest_of(db, bug.subject_id, PROOF_KIND, bug.content_hash)


def fetch_bug_reviews(db: Session, bug_ids: Sequence[str] = ()) -> dict[str, tuple[BugReviewRow, ...]]:
    """Return each reviewer's last review by bug, oldest first; for all bugs if no ids are given."""
    query = select(BugReview, Annotator.name).join(Annotator, col(Annotator.id) == BugReview.annotator_id)
    query = query.where(col(BugReview.active))
    if bug_ids:
        query = query.where(col(BugReview.bug_id).in_(bug_ids))
    reviews_by_bug: dict[str, dict[str, BugReviewRow]] = {}
    for review, name in db.exec(query.order_by(col(BugReview.created_at), col(BugReview.id))):
        marks = {aspect: getattr(review, aspect) for aspect in ASPECTS}
        aspects = {aspect: value for aspect, value in marks.items() if value is not None}
        reviews_of_bug = reviews_by_bug.setdefault(review.bug_id, {})
        reviews_of_bug.pop(review.annotator_id, None)
        reviews_of_bug[review.annotator_id] = record_from(
            BugReviewRow, review, annotator=name, aspects=aspects, labels=tuple(review.labels)
        )
    return {bug: tuple(rows.values()) for bug, rows in reviews_by_bug.items()}


def fetch_bugs(db: Session, bug_id: str | None = None) -> tuple[BugRow, ...]:
    """Return the active bugs in the order of their subjects; an edit replaces the bug it was made from.

    With ``bug_id``, only that one. The changed code is not loaded.
    """
    bug_columns = (col(Bug.id), col(Bug.subject_id), col(Bug.family), col(Bug.kind), col(Bug.operator), col(Bug.origin),
            col(Bug.content_hash), col(Bug.replaces), col(Bug.created_at))  # fmt: skip
    query: Any = select(*bug_columns, col(Subject.key), col(Subject.title))  # type: ignore[call-overload]  # eleven columns
    query = query.join(Subject, col(Subject.id) == col(Bug.subject_id)).where(col(Bug.active))
    if bug_id is not None:
        query = query.where(col(Bug.id) == bug_id)
    rows = db.exec(query.order_by(col(Subject.row), col(Bug.created_at), col(Bug.id))).all()
    replaced = set(db.exec(select(Bug.replaces).where(col(Bug.active), col(Bug.replaces).is_not(None))))
    proven = _fetch_proven(db)
    reviews_by_bug = fetch_bug_reviews(db, (bug_id,) if bug_id else ())
    reviewers = BUG_REVIEWERS.read(people.read_setting(db, SETTING))
    bugs = []
    for row in rows:
        if row.id in replaced:
            continue
        accepts = sum(review.verdict == ACCEPT for review in reviews_by_bug.get(row.id, ()))
        rejects = len(reviews_by_bug.get(row.id, ())) - accepts
        state = state_of(proven.get((row.subject_id, row.content_hash), False), accepts, rejects, reviewers)
        counts = {"accepts": accepts, "rejects": rejects}
        bugs.append(record_from(BugRow, row, state=state, replaces=row.replaces or "", **counts))
    return tuple(bugs)


def _fetch_proven(db: Session) -> dict[tuple[str, str], bool]:
    """Return whether the newest proof of each bug's content passed, by (subject, content hash)."""
    query = select(Proof.subject_id, Proof.content_hash, Proof.outcome).where(Proof.kind == PROOF_KIND)
    ordered = db.exec(query.order_by(col(Proof.created_at), col(Proof.id)))
    return {(subject, digest): outcome == "pass" for subject, digest, outcome in ordered}
