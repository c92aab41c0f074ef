"""Give me the next one nobody has: several people work through one queue, and nothing is done twice.

A lease is a person's for as long as their client says so (`keep`). When nothing has been heard for `LEASE_S` seconds,
the subject goes to whoever asks next. Deciding ends the lease in the transaction that writes the decision.
"""

from __future__ import annotations

from collections.abc import Sequence

from annotator.base.errors import UsageError
from annotator.model.changes import Changes
from annotator.model.rows.queue import LeaseRow, QueueFilter, SubjectRow
from annotator.model.vocabulary import Verdict
from annotator.services.select.others import refuse_others
from annotator.services.select.triage import act_label
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import bulk_acts, subjects
from annotator.store.queue import leases as stored
from annotator.store.work import expert_work

LEASE_S = 120.0
"""How long a subject stays with a client that is not heard of."""
BEAT_S = 30.0
"""How often a client says that it is still there."""
OPEN = QueueFilter(verdicts=("open",))


def take_next(
    store: ProjectFile,
    wanted: QueueFilter = OPEN,
    count: int = 1,
    *,
    seconds: float = LEASE_S,
    leave_out: Sequence[str] = (),
) -> tuple[SubjectRow, ...]:
    """Give this person the first subjects of a queue that nobody has, for ``seconds``; none are left: an empty tuple.

    Locked subjects are passed over, and those in ``leave_out`` (ids). Raises `UsageError` for a count below 1 or a time
    that is not positive.
    """
    if count < 1 or not seconds > 0:
        raise UsageError("At least one subject, for a time above zero, can be taken.")
    me, client = store.annotator.id, store.client
    return store.claim(
        lambda db: tuple(
            subjects.as_row(subjects.find(db, item))
            for item in stored.take(
                db,
                annotator_id=me,
                client=client,
                queue_filter=wanted,
                count=count,
                seconds=seconds,
                leave_out=leave_out,
            )
        )
    )


def take_first(
    store: ProjectFile, rows: Sequence[int], *, undecided: bool, seconds: float = LEASE_S
) -> tuple[int, str] | None:
    """Give this person the first of some rows of the queue that is free, and let others have what this client had.

    Free is what nobody else has, what is not locked, and (``undecided``) what nobody else has decided on. Returns its
    row and id; None if there is none, and then all stays as it was.
    """
    me, client = store.annotator.id, store.client
    return store.claim(lambda db: stored.take_first(db, me, client, rows, seconds, undecided=undecided))


def hold(store: ProjectFile, subject_id: str, seconds: float = LEASE_S) -> LeaseRow | None:
    """Give this person a subject unless somebody else has it, and let others have what this client had.

    Returns who has it now; None for a subject that is gone.
    """
    return store.claim(lambda db: stored.hold(db, store.annotator.id, store.client, subject_id, seconds))


def keep(store: ProjectFile, seconds: float = LEASE_S) -> int:
    """Say that this client is still there; returns how many subjects it has."""
    return store.claim(lambda db: stored.keep(db, store.client, seconds))


def give_back(store: ProjectFile, subject_ids: Sequence[str] = ()) -> int:
    """Let others have these subjects, or (none named) all this client has; returns how many there were."""
    me, client = store.annotator.id, "" if subject_ids else store.client
    return store.claim(
        lambda db: stored.give_back(db, me, [subjects.find(db, item).id for item in subject_ids], client)
    )


def decide(store: ProjectFile, subject_id: str, verdict: Verdict, reason: str = "") -> Changes:
    """Decide on a subject this person was given; the decision and the end of the lease are one act.

    Raises `BadInputError` if it is not theirs any more, and `OthersWorkError` if somebody has decided on it all the
    same: then nothing was decided.
    """
    with store.write() as db:
        found = subjects.find(db, subject_id)
        stored.require(db, store.annotator.id, found.id)
        many = bulk_acts.choose_ids(db.connection(), [found.id])
        refuse_others(store, db, None)
        label = act_label(verdict, many, found.title)
        return expert_work.decide_chosen(db, store.annotator.id, many, verdict, reason, label)


def leases(store: ProjectFile) -> tuple[LeaseRow, ...]:
    """Return who works on what at this moment, in queue order."""
    with store.read() as db:
        return stored.listing(db, store.annotator.id)
