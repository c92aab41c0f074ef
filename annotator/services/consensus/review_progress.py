"""The progress of reviews and panel votes on one subject."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.services.consensus import aspect_reviews, panel_votes
from annotator.store.file.project_file import ProjectFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewProgress:
    """The numbers of reviews of the present content, of ``stale`` reviews of earlier content, and of votes.

    ``kept`` is None while the votes are sealed, or if there are none.
    """

    subject_id: str
    reviews: int
    stale: int
    cast: int
    voters: int
    kept: bool | None


def load_review_progress(store: ProjectFile, subject_id: str) -> ReviewProgress:
    """Return a subject's review progress, without anything that is sealed."""
    rows = aspect_reviews.list_reviews(store, subject_id)
    votes = panel_votes.vote_state(store, subject_id)
    stale = sum(row.stale for row in rows)
    kept = votes.kept if votes.cast else None
    return ReviewProgress(
        subject_id=subject_id, reviews=len(rows) - stale, stale=stale, cast=votes.cast, voters=votes.voters, kept=kept
    )
