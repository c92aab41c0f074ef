"""Reviews of four aspects, comments with mentions, and locks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.base.records import record_from
from annotator.evaluation.released_items import asked_prompt
from annotator.model.changes import Changes
from annotator.model.rows.judging_rows import CommentRow, ReviewRow
from annotator.model.rows.view_rows import SubjectView
from annotator.model.tables.judging_tables import Lock
from annotator.model.tables.work_tables import Comment, Review
from annotator.model.vocabulary import ASPECTS
from annotator.services.consensus import panel_votes
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import stored_consensus
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_proofs


def find_mentions(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct people mentioned with @ in order of the text; the longest matching name wins.

    Case is ignored, names may contain spaces, and an address such as a@example.org mentions nobody.
    """
    names_by_key = {name.casefold(): name for name in names if name.strip()}
    if not names_by_key:
        return ()
    longest_first = sorted(names_by_key, key=len, reverse=True)
    expression = rf"(?<!\w)@({'|'.join(re.escape(name) for name in longest_first)})(?!\w)"
    keys = re.findall(expression, text.casefold())
    return tuple(dict.fromkeys(names_by_key[name] for name in keys))


def reviewed_hash(view: SubjectView) -> str:
    """Return the hash of the content under review: prompt, solution, tests and criterion."""
    tests = [(test.name, test.code, test.expected) for test in view.tests]
    return content_hash([asked_prompt(view), view.reference, tests, view.criterion.source if view.criterion else ""])


def reviewed_item_hash(item: Mapping[str, Any]) -> str:
    """Return the `reviewed_hash` of a subject in the form stored in a release."""
    tests = [(test["name"], test["code"], test["expected"]) for test in item["tests"]]
    return content_hash([item["prompt"], item["reference"], tests, item["criterion"]])


def add_review(store: ProjectFile, subject_id: str, marks: dict[str, int | None], note: str = "") -> Changes:
    """Record marks from 1 to 5 for some of the four aspects, with a reference to the subject's newest proof.

    Raises `BadInputError` for an unknown aspect, a mark out of range, or a review without marks.
    """
    for name, mark in marks.items():
        if name not in ASPECTS:
            raise BadInputError(f"There is no aspect {name}. Choose from: {', '.join(ASPECTS)}.")
        if mark is not None and mark not in range(1, 6):
            raise BadInputError(f"The mark for {name} must be from 1 to 5, not {mark}.")
    if all(mark is None for mark in marks.values()):
        raise BadInputError("A review needs a mark for at least one aspect.")
    with store.write() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        stored_consensus.refuse_locked(db, [subject.id])
        digest = reviewed_hash(stored_subjects.load_subject_view(db, subject.id))
        proof = stored_proofs.newest_proof_row(db, subject)
        row = Review(note=note.strip(), content_hash=digest)
        row.proof_id = proof.id if proof and proof.holds else None
        for name, mark in marks.items():
            setattr(row, name, mark)
        return stored_consensus.add_subject_work(
            db, store.annotator.id, subject.id, [row], Message("Review {title}", title=subject.title)
        )


def list_reviews(store: ProjectFile, subject_id: str) -> tuple[ReviewRow, ...]:
    """Return each person's newest review of a subject; a stale one refers to content that has changed since."""
    with store.read() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        rows, names = stored_consensus.newest_reviews(db, subject.id), stored_consensus.fetch_annotator_names(db)
        digest = reviewed_hash(stored_subjects.view_of(db, subject)) if rows else ""
        return tuple(
            record_from(
                ReviewRow,
                row,
                annotator=names[row.annotator_id],
                run=stored_consensus.find_proof_outcome(db, row.proof_id),
                stale=row.content_hash != digest,
            )
            for row in rows
        )


def add_comment(store: ProjectFile, subject_id: str, text: str, reply_to: str | None = None) -> Changes:
    """Add a comment to a subject; @Name mentions a person.

    Raises `BadInputError` for an empty text, or a reply to a comment that is not on this subject.
    """
    if not text.strip():
        raise BadInputError("The comment is empty, so it was not saved.")
    with store.write() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        if reply_to is not None:
            parent = stored_consensus.find_comment(db, reply_to)
            if parent is None or parent.subject_id != subject.id:
                raise BadInputError("The comment you replied to is not on this subject. Nothing was saved.")
        row = Comment(text=text.strip(), reply_to=reply_to)
        return stored_consensus.add_subject_work(
            db, store.annotator.id, subject.id, [row], Message("Comment on {title}", title=subject.title)
        )


def load_comments(store: ProjectFile, subject_id: str | None = None) -> tuple[CommentRow, ...]:
    """Return the comments on a subject (or on all), oldest first."""
    with store.read() as db:
        only_id = stored_subjects.find_subject(db, subject_id).id if subject_id is not None else None
        rows, names = stored_consensus.fetch_comments(db, only_id), stored_consensus.fetch_annotator_names(db)
        keys = stored_consensus.subject_keys(db, [row.subject_id for row in rows])
    return tuple(
        record_from(
            CommentRow,
            row,
            key=keys[row.subject_id][0],
            title=keys[row.subject_id][1],
            annotator=names[row.annotator_id],
            mentions=find_mentions(row.text, names.values()),
        )
        for row in rows
        if row.subject_id in keys
    )


def unanswered_mentions(store: ProjectFile) -> tuple[CommentRow, ...]:
    """Return the unanswered comments that mention the annotator, newest first."""
    comments = load_comments(store)
    answered = {row.reply_to for row in comments if row.annotator == store.annotator.name}
    mentions = [row for row in comments if store.annotator.name in row.mentions and row.id not in answered]
    return tuple(reversed([row for row in mentions if row.annotator != store.annotator.name]))


def set_locked(store: ProjectFile, subject_id: str, locked: bool, reason: str = "") -> Changes:
    """Lock a subject against further work, or unlock it with a reason.

    Raises `BadInputError` if it is already in that state.
    """
    if not locked and not reason.strip():
        raise BadInputError("Unlocking a subject needs a reason, which stays in the subject's history.")
    with store.write() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        if stored_consensus.is_locked(db, subject.id) == locked:
            raise BadInputError(f"{subject.title} is {'already' if locked else 'not'} locked.")
        row = Lock(locked=locked, reason=reason.strip())
        title = subject.title
        label = Message("Lock {title}", title=title) if locked else Message("Unlock {title}", title=title)
        return stored_consensus.add_subject_work(db, store.annotator.id, subject.id, [row], label)


def is_subject_locked(store: ProjectFile, subject_id: str) -> bool:
    """Return whether a subject is locked."""
    with store.read() as db:
        return stored_consensus.is_locked(db, stored_subjects.find_subject(db, subject_id).id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewProgress:
    """The number of reviews of the current content, of ``stale`` reviews of earlier content, and of votes.

    ``is_kept`` is None while the votes are sealed, or if there are none.
    """

    subject_id: str
    reviews: int
    stale: int
    cast: int
    voters: int
    is_kept: bool | None


def load_review_progress(store: ProjectFile, subject_id: str) -> ReviewProgress:
    """Return a subject's review progress, without anything that is sealed."""
    rows = list_reviews(store, subject_id)
    votes = panel_votes.vote_state(store, subject_id)
    stale = sum(row.stale for row in rows)
    is_kept = votes.kept if votes.cast else None
    return ReviewProgress(
        subject_id=subject_id,
        reviews=len(rows) - stale,
        stale=stale,
        cast=votes.cast,
        voters=votes.voters,
        is_kept=is_kept,
    )
