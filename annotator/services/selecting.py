"""Triage: the queue and the decisions on it."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.base.errors import BadInputError
from annotator.model.rows import Changes, Facets, HistoryRow, QueueFilter, QueuePage, SubjectRow, SubjectView
from annotator.model.words import Verdict
from annotator.store import queue
from annotator.store.project_file import ProjectFile

_ACTS = {
    Verdict.ACCEPT: "Accept",
    Verdict.REJECT: "Reject",
    Verdict.SKIP: "Skip",
    Verdict.FLAG: "Flag",
}


def queue_page(store: ProjectFile, wanted: QueueFilter, after: int | None = None, limit: int = 200) -> QueuePage:
    """Return a page of the queue; ``after`` is the last row of the page before."""
    with store.reader() as connection:
        return queue.page(connection, wanted, after, limit)


def queue_ids(store: ProjectFile, wanted: QueueFilter) -> tuple[int, ...]:
    """Return the rows of all subjects a filter lets through, in queue order."""
    with store.reader() as connection:
        return queue.ids(connection, wanted)


def rows_at(store: ProjectFile, rows: Sequence[int]) -> tuple[SubjectRow, ...]:
    """Return the subjects at some rows, for a list that fetches what it shows."""
    with store.reader() as connection:
        return queue.rows_at(connection, rows)


def facets(store: ProjectFile, wanted: QueueFilter) -> Facets:
    """Count the values of each filter among what the other filters let through."""
    with store.reader() as connection:
        return queue.facets(connection, wanted)


def subject(store: ProjectFile, id_or_key: str) -> SubjectView:
    """Return one subject with everything its page shows. Raises `BadInputError` if there is none."""
    from annotator.store import subjects

    with store.read() as db:
        return subjects.view(db, id_or_key)


def history(store: ProjectFile, id_or_key: str) -> tuple[HistoryRow, ...]:
    """Return every act on a subject, newest first."""
    from annotator.store import timeline

    with store.read() as db:
        return timeline.history(db, id_or_key)


def decide(store: ProjectFile, subject_ids: Sequence[str], verdict: Verdict, reason: str = "") -> Changes:
    """Record a verdict on one or many subjects as one act that can be undone. Raises `BadInputError` for none."""
    from annotator.store import subjects, work

    if not subject_ids:
        raise BadInputError("No subject was chosen, so nothing was decided.")
    with store.write() as db:
        first = subjects.find(db, subject_ids[0])
        what = first.title if len(subject_ids) == 1 else f"{len(subject_ids)} subjects"
        ids = [first.id, *(subjects.find(db, item).id for item in subject_ids[1:])]
        return work.add_decisions(db, store.annotator.id, ids, verdict, reason, f"{_ACTS[verdict]} {what}")
