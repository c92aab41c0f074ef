"""Refuse decisions on candidates that another person or window holds or has decided on, until they are confirmed."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.model.rows.queue_rows import DecidedRow, HeldRow, SeenDecisions
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.queue import stored_leases


class OthersWorkError(BadInputError):
    """Somebody else holds some of the candidates or has decided on them; nothing was decided.

    ``held_row`` and ``decided_row`` are the first of each, ``held_count`` and ``decided_count`` their numbers.
    """

    def __init__(
        self, held_row: HeldRow | None, held_count: int, decided_row: DecidedRow | None, decided_count: int
    ) -> None:

        self.held_row, self.held_count = held_row, held_count
        self.decided_row, self.decided_count = decided_row, decided_count
        super().__init__(_describe(held_row, held_count, decided_row, decided_count))


def _describe(held_row: HeldRow | None, held_count: int, decided_row: DecidedRow | None, decided_count: int) -> str:
    if held_row is not None and held_count == 1 and decided_row is None:
        return f"{held_row.key} is held by {held_row.person} at this moment, so nothing was decided."
    if decided_row is not None and decided_count == 1 and held_row is None:
        return (
            f"{decided_row.key} has a decision by {decided_row.person} already ({decided_row.verdict}), "
            "so nothing was decided."
        )
    parts = [
        f"{count} {words}"
        for count, words in ((held_count, "held by others"), (decided_count, "decided by others already"))
        if count
    ]
    return f"Of these candidates {' and '.join(parts)}, so nothing was decided."


def refuse_others(store: ProjectFile, db: Session, seen_decisions: SeenDecisions | None) -> None:
    """Raise `OthersWorkError` if somebody else holds or has decided on one of the chosen candidates.

    On a server this covers all other people. With ``seen_decisions`` it also covers the decisions of another window or
    command that the caller has not seen; a command has read no list and passes None.
    """
    me, connection = store.annotator.id, db.connection()
    held_rows = stored_leases.held_by_others(db, me) if store.shared else ()
    count, decided_row = stored_leases.decided_by_others(db, me) if store.shared else (0, None)
    acts = store.acts_of_others.since(connection, seen_decisions.as_of) if seen_decisions is not None else ()
    if seen_decisions is not None and acts and decided_row is None:
        count, decided_row = stored_leases.decided_unseen(db, me, acts, seen_decisions.decision_ids)
    if held_rows or decided_row is not None:
        raise OthersWorkError(held_rows[0] if held_rows else None, len(held_rows), decided_row, count)
