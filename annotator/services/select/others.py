"""Several people or windows decide on candidates: what somebody else holds or has decided is asked about first."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.model.rows.queue import DecidedRow, HeldRow, SeenDecisions
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.queue import leases


class OthersWorkError(BadInputError):
    """Somebody else holds candidates at this moment, or has decided on them; nothing was decided.

    ``held`` and ``decided`` are the first of each, with how many there are.
    """

    def __init__(self, held: HeldRow | None, held_count: int, decided: DecidedRow | None, decided_count: int) -> None:
        """Say who has what, or has decided what."""
        self.held, self.held_count = held, held_count
        self.decided, self.decided_count = decided, decided_count
        super().__init__(_describe(held, held_count, decided, decided_count))


def _describe(held: HeldRow | None, held_count: int, decided: DecidedRow | None, decided_count: int) -> str:
    if held is not None and held_count == 1 and decided is None:
        return f"{held.key} is held by {held.person} at this moment, so nothing was decided."
    if decided is not None and decided_count == 1 and held is None:
        return f"{decided.key} has a decision by {decided.person} already ({decided.verdict}), so nothing was decided."
    parts = [
        f"{count} {words}"
        for count, words in ((held_count, "held by others"), (decided_count, "decided by others already"))
        if count
    ]
    return f"Of these candidates {' and '.join(parts)}, so nothing was decided."


def refuse_others(store: ProjectFile, db: Session, seen: SeenDecisions | None) -> None:
    """Raise `OthersWorkError` if one of the chosen candidates is somebody else's.

    On a server that is what another person holds or has decided on. Everywhere it is, too, what another window or
    command decided on and who decides now has not ``seen``; None is for a command, which has looked at nothing before.
    """
    me, connection = store.annotator.id, db.connection()
    held = leases.held_by_others(db, me) if store.shared else ()
    count, decided = leases.decided_by_others(db, me) if store.shared else (0, None)
    acts = store.acts_of_others.since(connection, seen.as_of) if seen is not None else ()
    if seen is not None and acts and decided is None:
        count, decided = leases.decided_unseen(db, me, acts, seen.decision_ids)
    if held or decided is not None:
        raise OthersWorkError(held[0] if held else None, len(held), decided, count)
