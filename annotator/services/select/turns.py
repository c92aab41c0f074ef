"""Whose turn a candidate is: the queue dealt out, so that no two people decide on the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotator.base.errors import BadInputError, UsageError
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.queue import QueueFilter
from annotator.store.file import people
from annotator.store.file import people as persons
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page
from annotator.store.work import expert_work


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueShare:
    """How far one person's share is; ``person`` is empty for what is nobody's turn."""

    person: str
    candidates: int
    open: int
    decided: int
    later: int


def shares(store: ProjectFile) -> tuple[QueueShare, ...]:
    """Return everybody's share of the queue, in the order people joined, and last what is nobody's.

    ``decided`` are accepted and rejected, ``later`` skipped and flagged ones.
    """
    with store.reader() as connection:
        found = first_page.holder_counts(connection)
    return tuple(
        QueueShare(person=name, candidates=undecided + done + later, open=undecided, decided=done, later=later)
        for name, (undecided, done, later) in found
    )


def allot(
    store: ProjectFile, people: Sequence[str], wanted: QueueFilter, *, count: int | None = None
) -> tuple[Changes, tuple[QueueShare, ...]]:
    """Deal out candidates that are open, nobody's turn yet and let through by a filter, as one act.

    Each of ``people`` (names) gets every so-many-th in the order of the queue, so that the shares are alike in size and
    kind; ``count`` is how many each gets at most. Raises `BadInputError` for an unknown person or if there is nothing
    to deal, `UsageError` for nobody or a count below 1.
    """
    if not people:
        raise UsageError("Name at least one person to deal candidates to.")
    if count is not None and count < 1:
        raise UsageError("Everybody must get at least one candidate.")
    names = list(dict.fromkeys(people))
    free = replace(wanted, verdicts=("open",), holders=("nobody",))
    with store.reader() as connection:
        rows = first_page.ids(connection, free, -1 if count is None else count * len(names))
    return give(store, {name: rows[place :: len(names)] for place, name in enumerate(names)}), shares(store)


def give(store: ProjectFile, rows: dict[str, Sequence[int]]) -> Changes:
    """Make the candidates at some rows of the queue these people's turn ("" takes them back), as one act.

    Raises `BadInputError` for an unknown person or if no candidate is named.
    """
    dealt = {name: found for name, found in rows.items() if found}
    many = sum(len(found) for found in dealt.values())
    if not many:
        raise BadInputError("There is no open candidate to deal out that is nobody's turn, so nothing was changed.")
    names = ", ".join(dealt)
    label = (
        Message("Give {many} candidates to {names}", many=many, names=names)
        if names
        else Message("Take {many} candidates back", many=many)
    )
    with store.write() as db:
        persons = {people.named(db, name).id if name else None: found for name, found in dealt.items()}
        return expert_work.allot(db, store.annotator.id, persons, label)


def take_back(store: ProjectFile, people: Sequence[str]) -> Changes:
    """Make what these people (nobody named: all) have not decided on nobody's turn again, as one act.

    Raises `BadInputError` for an unknown person, or if they have nothing left.
    """
    with store.read() as db:
        known = [persons.named(db, name).id for name in people] or [person.id for person in persons.listing(db)]
    with store.reader() as connection:
        rows = first_page.ids(connection, QueueFilter(verdicts=("open",), holders=tuple(known)))
    if not rows:
        raise BadInputError("Nothing is left to be taken back, so nothing was changed.")
    return give(store, {"": rows})
