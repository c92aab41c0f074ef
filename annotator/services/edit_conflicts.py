"""Detect edit conflicts: an edit lists the revisions its author has seen, and is rejected if a newer one exists."""

from __future__ import annotations

from collections.abc import Collection

from annotator.base.errors import BadInputError
from annotator.model.tables.table_columns import SubjectWork
from annotator.store.file.writer import Session
from annotator.store.judging import stored_consensus
from annotator.store.work import expert_work


class EditConflictError(BadInputError):
    """Somebody has saved a revision that the author of an edit has not seen; nothing was saved.

    ``revision`` is the id of that revision and ``text`` its text. An edit that lists the id as seen can be saved.
    """

    def __init__(self, revision: str, text: str, person: str, saved_at: str) -> None:
        super().__init__(f"{person or 'Somebody'} has saved another version since you began, so yours was not saved.")
        self.revision = revision
        self.text = text
        self.person = person
        self.saved_at = saved_at


def refuse_unseen(
    db: Session, current: SubjectWork | None, seen_revisions: Collection[str] | None, *, theirs: str, mine: str
) -> None:
    """Raise `EditConflictError` if the current revision is not in ``seen_revisions`` and has a different text.

    ``seen_revisions`` is None for a command, which has not read any revision and overwrites.
    """
    if (
        current is None
        or seen_revisions is None
        or theirs == mine
        or not expert_work.is_unseen(db, current, seen_revisions)
    ):
        return
    raise EditConflictError(
        current.id, theirs, stored_consensus.fetch_annotator_names(db)[current.annotator_id], current.created_at
    )
