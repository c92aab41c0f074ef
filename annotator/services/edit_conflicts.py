"""Two people who edit one text: an edit names the revisions its writer has seen, and a newer one is shown first."""

from __future__ import annotations

from collections.abc import Collection

from annotator.base.errors import BadInputError
from annotator.model.tables.columns import SubjectWork
from annotator.store.file.writer import Session
from annotator.store.judging import consensus
from annotator.store.work import revisions


class EditConflictError(BadInputError):
    """Somebody has saved a revision that the writer of an edit has not seen; nothing was saved.

    ``revision`` names theirs, as an edit that was made after seeing it does; ``text`` is what it says.
    """

    def __init__(self, revision: str, text: str, person: str, saved_at: str) -> None:
        """Say who has saved another version."""
        super().__init__(f"{person or 'Somebody'} has saved another version since you began, so yours was not saved.")
        self.revision, self.text, self.person, self.saved_at = revision, text, person, saved_at


def refuse_unseen(
    db: Session, standing: SubjectWork | None, seen: Collection[str] | None, *, theirs: str, mine: str
) -> None:
    """Raise `EditConflictError` if the revision that stands is newer than those seen and says something else.

    ``seen`` is None for who edits without having read: a command, which saves on top.
    """
    if standing is None or seen is None or theirs == mine or not revisions.is_unseen(db, standing, seen):
        return
    raise EditConflictError(standing.id, theirs, consensus.names(db)[standing.annotator_id], standing.created_at)
