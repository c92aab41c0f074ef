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
        if not wanted.sort:
            return queue.page(connection, wanted, after, limit)
        found = queue.ids(connection, wanted)
        start = found.index(after) + 1 if after in found else 0
        return QueuePage(queue.rows_at(connection, found[start : start + limit]), len(found))


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
    from annotator.store import subjects

    with store.read() as db:
        return subjects.history(db, id_or_key)


def decide(store: ProjectFile, subject_ids: Sequence[str], verdict: Verdict, reason: str = "") -> Changes:
    """Record a verdict on one or many subjects as one act that can be undone. Raises `BadInputError` for none."""
    from annotator.store import subjects, work

    with store.write() as db:
        found = [subjects.find(db, item) for item in subject_ids]
        ids = list(dict.fromkeys(item.id for item in found))
        label = _label(verdict, len(ids), found[0].title if found else "")
        return work.add_decisions(db, store.annotator.id, ids, verdict, reason, label)


def decide_rows(store: ProjectFile, rows: Sequence[int], verdict: Verdict, reason: str = "") -> Changes:
    """Record a verdict on the subjects at some rows of the queue, as one act, however many they are."""
    from annotator.store import subjects, work

    with store.write() as db:
        ids = subjects.ids_at(db, rows)
        label = _label(verdict, len(ids), subjects.find(db, ids[0]).title if len(ids) == 1 else "")
        return work.add_decisions(db, store.annotator.id, ids, verdict, reason, label)


def _label(verdict: Verdict, count: int, title: str) -> str:
    if not count:
        raise BadInputError("No subject was chosen, so nothing was decided.")
    return f"{_ACTS[verdict]} {title if count == 1 else f'{count} subjects'}"
