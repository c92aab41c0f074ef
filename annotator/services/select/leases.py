"""Reserve subjects by leases, so that several people can work through one queue without doing anything twice.

A client renews its leases with `renew_leases`. A lease that is not renewed for `LEASE_S` seconds ends, and the subject
goes to the next person who asks. Deciding ends the lease in the transaction that writes the decision.
"""

from __future__ import annotations

from collections.abc import Sequence

from annotator.base.errors import UsageError
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import LeaseRow, QueueFilter, SubjectRow
from annotator.model.vocabulary import Verdict
from annotator.services.select.triage import decision_label, refuse_others
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.queue import bulk_acts, stored_subjects
from annotator.store.queue import stored_leases as stored
from annotator.store.work import expert_work

LEASE_S = 120.0
"""Seconds until a lease ends that its client does not renew."""
RENEWAL_INTERVAL_S = 30.0
"""Seconds between the renewals of a client."""
OPEN = QueueFilter(verdicts=("open",))


def take_next_subjects(
    store: ProjectFile,
    queue_filter: QueueFilter = OPEN,
    count: int = 1,
    *,
    seconds: float = LEASE_S,
    leave_out: Sequence[str] = (),
) -> tuple[SubjectRow, ...]:
    """Lease the first free subjects of a queue to this person for ``seconds``; empty if there are none.

    Locked subjects and those in ``leave_out`` (ids) are skipped. Raises `UsageError` for a count below 1 or a time
    that is not positive.
    """
    if count < 1 or not seconds > 0:
        raise UsageError("Reserve at least one subject, for more than 0 minutes.")

    def grant(db: Session) -> tuple[SubjectRow, ...]:
        subject_ids = stored.grant_leases(
            db,
            annotator_id=store.annotator.id,
            client=store.client,
            queue_filter=queue_filter,
            count=count,
            seconds=seconds,
            leave_out=leave_out,
        )
        return tuple(stored_subjects.as_row(stored_subjects.find_subject(db, item)) for item in subject_ids)

    return store.claim(grant)


def take_first_free(
    store: ProjectFile, rows: Sequence[int], *, undecided: bool, seconds: float = LEASE_S
) -> tuple[int, str] | None:
    """Lease the first free subject among some queue rows to this person, and end the client's other leases.

    A subject is free if nobody else holds it, it is not locked, and (with ``undecided``) nobody else has decided on it.
    Returns its row and id, or None if there is none; then no lease changes.
    """
    me = store.annotator.id
    return store.claim(lambda db: stored.lease_first_free(db, me, store.client, rows, seconds, undecided=undecided))


def hold_subject(store: ProjectFile, subject_id: str, seconds: float = LEASE_S) -> LeaseRow | None:
    """Lease a subject to this person unless somebody else holds it, and end the client's other leases.

    Returns the subject's lease, whoever holds it; None if the subject no longer exists.
    """
    return store.claim(lambda db: stored.hold_lease(db, store.annotator.id, store.client, subject_id, seconds))


def renew_leases(store: ProjectFile, seconds: float = LEASE_S) -> int:
    """Renew the leases of this client; return their number."""
    return store.claim(lambda db: stored.extend_leases(db, store.client, seconds))


def return_subjects(store: ProjectFile, subject_ids: Sequence[str] = ()) -> int:
    """End the leases on the given subjects (default: all of this client); return their number."""

    def give_back(db: Session) -> int:
        ids = [subject.id for subject in stored_subjects.find_subjects(db, subject_ids)]
        return stored.end_leases(db, store.annotator.id, ids, "" if subject_ids else store.client)

    return store.claim(give_back)


def decide_leased(store: ProjectFile, subject_id: str, verdict: Verdict, reason: str = "") -> Changes:
    """Decide on a leased subject and end the lease, in one change.

    Raises `BadInputError` if the lease has ended, and `OthersWorkError` if somebody else has decided on the subject
    regardless; then nothing was decided.
    """
    with store.write() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        stored.require_lease(db, store.annotator.id, subject.id)
        count = bulk_acts.choose_ids(db.connection(), [subject.id])
        refuse_others(store, db, None)
        label = decision_label(verdict, count, subject.title)
        return expert_work.decide_chosen(db, store.annotator.id, count, verdict, reason, label)


def current_leases(store: ProjectFile) -> tuple[LeaseRow, ...]:
    """Return all current leases in queue order."""
    with store.read() as db:
        return stored.fetch_leases(db, store.annotator.id)
