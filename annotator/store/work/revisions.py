"""Revisions of a text that several people write: whether one is newer than all that somebody has seen."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import Session, col, or_, select

from annotator.model.tables.columns import SubjectWork


def is_unseen(db: Session, standing: SubjectWork, seen: Collection[str]) -> bool:
    """Tell whether the revision that stands is newer than those seen, which are named by their ids or their acts'.

    What stands because a seen revision was undone is older, and no news.
    """
    if standing.id in seen or standing.change_id in seen:
        return False
    noun = type(standing)
    known = db.exec(select(noun).where(or_(col(noun.id).in_(seen), col(noun.change_id).in_(seen)))).all()
    return all((row.created_at, row.id) < (standing.created_at, standing.id) for row in known)
