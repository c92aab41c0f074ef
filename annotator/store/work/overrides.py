"""Overrides of the paraphrase checks: resolutions about one revision of a paraphrase, with a reason."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from annotator.model.rows.release_rows import PromptOverride
from annotator.model.tables.judging_tables import Resolution
from annotator.model.tables.project_tables import Annotator
from annotator.model.tables.subject_tables import Subject

ABOUT = "paraphrase:"
"""The prefix of ``about`` in an override; the revision's id or `ORIGINAL` follows."""
ORIGINAL = "original"
METHOD, OUTCOME = "override", "keep"


def override_row(prompt_id: str | None, reason: str) -> Resolution:
    """Return a resolution that lets one revision of a paraphrase pass."""
    return Resolution(about=f"{ABOUT}{prompt_id or ORIGINAL}", method=METHOD, outcome=OUTCOME, rationale=reason)


def prompt_overrides(db: Session, subject_ids: Sequence[str] = ()) -> dict[str, PromptOverride]:
    """Return the newest override of each subject's current paraphrase, for some subjects or all."""
    query = (
        select(Resolution, Subject.prompt_id, Annotator.name)
        .join(Subject, col(Subject.id) == Resolution.subject_id)
        .join(Annotator, col(Annotator.id) == Resolution.annotator_id)
        .where(col(Resolution.active), col(Resolution.about).startswith(ABOUT))
        .order_by(col(Resolution.created_at), col(Resolution.id))
    )
    if subject_ids:
        query = query.where(col(Resolution.subject_id).in_(subject_ids))
    return {
        row.subject_id: PromptOverride(row.rationale, name, row.created_at)
        for row, prompt_id, name in db.exec(query)
        if row.about == f"{ABOUT}{prompt_id or ORIGINAL}"
    }
