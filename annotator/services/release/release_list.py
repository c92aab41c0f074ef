"""List releases, and find one with the gates it was frozen with."""

from __future__ import annotations

from typing import Any

from annotator.model.rows.project_rows import ReleaseRow
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page


def list_releases(store: ProjectFile) -> tuple[ReleaseRow, ...]:
    """Return all releases, newest first."""
    with store.reader() as connection:
        return first_page.fetch_release_rows(connection)


def find_release(store: ProjectFile, version: str | None = None) -> tuple[ReleaseRow, list[dict[str, Any]]]:
    """Return a release (None: the newest) and the gates stored with it. Raises `BadInputError` if there is none."""
    from annotator.store.judging import stored_consensus  # they load SQLModel
    from annotator.store.runs import stored_releases as stored

    with store.read() as db:
        release = stored.fetch_release(db, version)
        row = stored.row_of(release, stored_consensus.fetch_annotator_names(db)[release.annotator_id])
        return row, list(release.manifest.get("gates") or ())
