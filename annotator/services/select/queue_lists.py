"""Read the queue: pages, row ids and counts; importable without SQLModel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from annotator.base.errors import BadInputError
from annotator.model.rows.queue_rows import Facets, QueueFilter, QueuePage, QueueRows, SubjectRow
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page

FILTER_FIELDS = {
    "language": "languages",
    "task": "tasks",
    "domain": "domains",
    "area": "areas",
    "difficulty": "difficulties",
}
"""A subject's labels, and the fields of a filter for their values."""


def queue_page(store: ProjectFile, queue_filter: QueueFilter, after: int | None = None, limit: int = 200) -> QueuePage:
    """Return a page of the queue; ``after`` is the last row of the previous page."""
    queue_filter = _resolve_me(store, queue_filter)
    with store.reader() as connection:
        if not queue_filter.sort:
            return first_page.load_queue_page(connection, queue_filter, after, limit)
        rows = first_page.list_queue_rows(connection, queue_filter)
        start = rows.index(after) + 1 if after in rows else 0
        unsearched = first_page.count_unsearchable(connection) if queue_filter.text.strip() else 0
        page_subjects = first_page.load_subject_rows(connection, rows[start : start + limit])
        return QueuePage(page_subjects, len(rows), unsearched=unsearched)


def queue_ids(store: ProjectFile, queue_filter: QueueFilter) -> Sequence[int]:
    """Return the row ids of all matching subjects in queue order."""
    with store.reader() as connection:
        return first_page.list_queue_rows(connection, _resolve_me(store, queue_filter))


def queue_subjects(store: ProjectFile, queue_filter: QueueFilter) -> tuple[SubjectRow, ...]:
    """Return all matching subjects in queue order."""
    return subjects_at_rows(store, queue_ids(store, queue_filter))


def accepted_subjects(store: ProjectFile) -> tuple[SubjectRow, ...]:
    """Return all accepted subjects, in queue order."""
    return queue_subjects(store, QueueFilter(verdicts=("accept",)))


def queue_rows(store: ProjectFile, queue_filter: QueueFilter) -> QueueRows:
    """Return the row ids that a window shows for a filter; if a search has too many matches, the first of them."""
    queue_filter = _resolve_me(store, queue_filter)
    with store.reader() as connection:
        as_of = first_page.read_newest_act_number(connection)
        return replace(first_page.load_queue_rows(connection, queue_filter), as_of=as_of)


def queue_start(store: ProjectFile, queue_filter: QueueFilter) -> QueueRows | None:
    """Return the first row ids of a list that takes long to read, to show meanwhile; None for a short list."""
    queue_filter = _resolve_me(store, queue_filter)
    with store.reader() as connection:
        as_of = first_page.read_newest_act_number(connection)
        first_rows = first_page.load_first_rows(connection, queue_filter)
        return None if first_rows is None else replace(first_rows, as_of=as_of)


def _resolve_me(store: ProjectFile, queue_filter: QueueFilter) -> QueueFilter:
    """Return the filter with the current annotator's id in place of "me"."""
    if "me" not in queue_filter.holders:
        return queue_filter
    return replace(
        queue_filter, holders=tuple(store.annotator.id if holder == "me" else holder for holder in queue_filter.holders)
    )


def subjects_at_rows(store: ProjectFile, rows: Sequence[int]) -> tuple[SubjectRow, ...]:
    """Return the subjects with some row ids, for a list that loads only its visible part."""
    with store.reader() as connection:
        return first_page.load_subject_rows(connection, rows)


def queue_facets(store: ProjectFile, queue_filter: QueueFilter) -> Facets:
    """Count the values of each filter among the subjects that match all other filters."""
    with store.reader() as connection:
        return first_page.count_facets(connection, _resolve_me(store, queue_filter))


def refuse_unknown_values(store: ProjectFile, queue_filter: QueueFilter) -> None:
    """Raise `BadInputError` for a language, task or other value of a filter that no subject of the project has."""
    counts = queue_facets(store, QueueFilter()).counts
    for name, field in FILTER_FIELDS.items():
        values: Sequence[str] = getattr(queue_filter, field)
        available = [value for value, _ in counts.get(name, ())]
        unknown = [value for value in values if value not in available]
        if unknown:
            choices_text = (
                f"Choose from: {', '.join(filter(None, available))}." if any(available) else f"None has a {name}."
            )
            raise BadInputError(f"No subject of this project has the {name} {unknown[0]}. {choices_text}")
