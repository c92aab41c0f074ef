"""How far others are with one subject: reviews of its four aspects, and the panel's votes."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.services.consensus import aspect_reviews, panel_votes
from annotator.store.file.project_file import ProjectFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewProgress:
    """How many reviews are of the present content and how many ``stale`` ones of an earlier, and how many have voted.

    ``kept`` is None while the votes are sealed, or nobody votes.
    """

    subject_id: str
    reviews: int
    stale: int
    cast: int
    voters: int
    kept: bool | None


def of_subject(store: ProjectFile, subject_id: str) -> ReviewProgress:
    """Return how far others are with a subject; nothing that is sealed is in it."""
    rows = aspect_reviews.reviews(store, subject_id)
    votes = panel_votes.vote_state(store, subject_id)
    stale = sum(row.stale for row in rows)
    kept = votes.kept if votes.cast else None
    return ReviewProgress(
        subject_id=subject_id, reviews=len(rows) - stale, stale=stale, cast=votes.cast, voters=votes.voters, kept=kept
    )
