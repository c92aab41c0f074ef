"""List runs: all of them, the queued ones, or one by its id. The list loads no SQLModel if all runs are counted."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from annotator.base.errors import KnownError
from annotator.model.rows.queue_rows import RunRow
from annotator.model.vocabulary import RunState
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page

if TYPE_CHECKING:
    from annotator.store.file.writer import Session


def list_runs(store: ProjectFile) -> tuple[RunRow, ...]:
    """Return all runs, newest first, and cache the counts of finished runs that have none cached."""
    with store.reader() as connection:
        counted_rows = first_page.fetch_counted_runs(connection)
    if counted_rows is not None:
        return counted_rows
    from annotator.store.runs import run_views, stored_runs  # they load SQLModel

    with store.read() as db:
        rows = stored_runs.fetch_run_rows(db)
        uncounted = stored_runs.uncounted_runs(db)
    if uncounted and not store.read_only:
        # If the project is locked now, the next call caches the counts.
        with contextlib.suppress(KnownError), store.write(durable=False) as db:
            run_views.cache_run_counts(db, uncounted)
    return rows


def list_queued_runs(store: ProjectFile) -> tuple[RunRow, ...]:
    """Return the queued runs, the oldest first."""
    return tuple(row for row in reversed(list_runs(store)) if row.state == RunState.PLANNED)


def find_run(store: ProjectFile, run_id: str) -> RunRow:
    """Return a run by its id or the beginning of its id. Raises `BadInputError` if none or several match."""
    with store.read() as db:
        return find_run_in(db, run_id)


def find_run_in(db: Session, run_id: str) -> RunRow:
    """Return a run as `find_run` does, within a transaction."""
    from annotator.store.runs import run_data, stored_runs

    full_id = run_data.fetch_run(db, run_id).id
    return next(row for row in stored_runs.fetch_run_rows(db) if row.id == full_id)
