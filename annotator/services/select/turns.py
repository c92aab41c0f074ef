"""Allot the candidates of the queue to people, so that no two decide on the same one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotator.base.errors import BadInputError, UsageError
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import QueueFilter
from annotator.store.file import people as persons
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.queue import first_page
from annotator.store.work import expert_work


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueShare:
    """The candidates allotted to one person, and their progress; ``person`` is empty for unallotted candidates."""

    person: str
    candidates: int
    open: int
    decided: int
    later: int


def list_shares(store: ProjectFile) -> tuple[QueueShare, ...]:
    """Return everybody's share of the queue in the order people joined, and last the unallotted candidates.

    ``decided`` counts accepted and rejected candidates, ``later`` skipped and flagged ones.
    """
    with store.reader() as connection:
        counts = first_page.count_by_holder(connection)
    return tuple(
        QueueShare(person=name, candidates=undecided + done + deferred, open=undecided, decided=done, later=deferred)
        for name, (undecided, done, deferred) in counts
    )


def allot_candidates(
    store: ProjectFile, people: Sequence[str], queue_filter: QueueFilter, *, count: int | None = None
) -> tuple[Changes, tuple[QueueShare, ...]]:
    """Allot the open, unallotted candidates that match a filter, in one change.

    They are dealt to ``people`` (names) in turn, in the order of the queue, so that all shares are similar in size
    and content; everybody gets at most ``count``. Raises `BadInputError` for an unknown person or if no candidate
    matches, `UsageError` without people or for a count below 1.
    """
    if not people:
        raise UsageError("Name at least one person to assign candidates to.")
    if count is not None and count < 1:
        raise UsageError("Each person must get at least one candidate.")
    names = list(dict.fromkeys(people))
    unallotted = replace(queue_filter, verdicts=("open",), holders=("nobody",))
    with store.write() as db, store.reader() as connection:
        rows = first_page.list_queue_rows(connection, unallotted, -1 if count is None else count * len(names))
        dealt = {name: rows[position :: len(names)] for position, name in enumerate(names)}
        changes = _give_candidates(db, store.annotator.id, dealt)
    return changes, list_shares(store)


def give_candidates(store: ProjectFile, rows: Mapping[str, Sequence[int]]) -> Changes:
    """Allot the candidates at some queue rows to people by name, in one change; the name "" makes them unallotted.

    Raises `BadInputError` for an unknown person or if no candidate is named.
    """
    with store.write() as db:
        return _give_candidates(db, store.annotator.id, rows)


def _give_candidates(db: Session, annotator_id: str, rows: Mapping[str, Sequence[int]]) -> Changes:
    rows_by_name = {name: person_rows for name, person_rows in rows.items() if person_rows}
    count = sum(len(person_rows) for person_rows in rows_by_name.values())
    if not count:
        raise BadInputError("There are no unassigned open candidates, so nothing was changed.")
    names = ", ".join(rows_by_name)
    label = (
        Message("Assign {many} candidates to {names}", many=count, names=names)
        if names
        else Message("Unassign {many} candidates", many=count)
    )
    by_person = {
        persons.find_annotator(db, name).id if name else None: person_rows for name, person_rows in rows_by_name.items()
    }
    return expert_work.allot_rows(db, annotator_id, by_person, label)


def take_back_candidates(store: ProjectFile, people: Sequence[str]) -> Changes:
    """Take back the undecided candidates of these people (default: everybody), in one change.

    Raises `BadInputError` for an unknown person, or if there are no such candidates.
    """
    with store.write() as db, store.reader() as connection:
        annotators = [persons.find_annotator(db, name) for name in people] or persons.fetch_annotators(db)
        holders = tuple(person.id for person in annotators)
        rows = first_page.list_queue_rows(connection, QueueFilter(verdicts=("open",), holders=holders))
        if not rows:
            raise BadInputError("There is nothing to unassign, so nothing was changed.")
        return _give_candidates(db, store.annotator.id, {"": rows})
