"""Several people on one server decide on candidates: what somebody else holds or has decided is asked about first."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.base.errors import BadInputError
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.queue import leases


class HeldByOtherError(BadInputError):
    """Somebody else works on a candidate at this moment; nothing was decided."""

    def __init__(self, key: str, person: str, seconds_left: float) -> None:
        """Say who has it, and for how long."""
        super().__init__(f"{key} is held by {person} at this moment, so nothing was decided.")
        self.key, self.person, self.seconds_left = key, person, seconds_left


class DecidedByOtherError(BadInputError):
    """Somebody else has decided on a candidate; nothing was changed."""

    def __init__(self, key: str, person: str, verdict: str, decided_at: str) -> None:
        """Say who has decided what, and when."""
        super().__init__(f"{key} has a decision by {person} already ({verdict}), so nothing was decided.")
        self.key, self.person, self.verdict, self.decided_at = key, person, verdict, decided_at


def refuse_others(store: ProjectFile, db: Session, subject_ids: Sequence[str]) -> None:
    """Raise one of the errors above if a candidate is somebody else's; on a file everybody works for themselves."""
    if not store.shared:
        return
    held = leases.held_by_others(db, store.annotator.id, subject_ids)
    if held is not None:
        raise HeldByOtherError(*held)
    decided = leases.decided_by_others(db, store.annotator.id, subject_ids)
    if decided is not None:
        raise DecidedByOtherError(*decided)
