"""Compare a text's current revision with those that somebody has seen."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import Session, col, or_, select

from annotator.model.tables.table_columns import SubjectWork


def is_unseen(db: Session, current: SubjectWork, seen_ids: Collection[str]) -> bool:
    """Return whether the current revision is newer than the seen ones, given by their ids or their acts' ids.

    A revision that is current because a seen one was undone is older, and not news.
    """
    if current.id in seen_ids or current.change_id in seen_ids:
        return False
    noun = type(current)
    seen_rows = db.exec(select(noun).where(or_(col(noun.id).in_(seen_ids), col(noun.change_id).in_(seen_ids)))).all()
    return all((row.created_at, row.id) < (current.created_at, current.id) for row in seen_rows)
