"""Completes the search index after long imports, also when the project was closed or killed before it was done."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from annotator.model.changes import Changes
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import SessionJob
from annotator.ui.app.translation import tr
from annotator.ui.loading import search_index
from annotator.ui.widgets.timers import debounce

# Waits for the first page, and groups the announcements of one import.
_AFTER_MS = 1_000


class SearchKeeper(QObject):
    """Starts a job to complete the search index when a project opens or gets an import with rows not yet indexed."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._job: SessionJob | None = None
        self._timer = debounce(self, _AFTER_MS, self._check_index)
        session.opened.connect(self._project_opened)
        session.changed.connect(self._changed)

    def _project_opened(self) -> None:
        self._job = None
        self._timer.start()

    def _changed(self, changes: Changes) -> None:
        if "source" not in changes.nouns:
            return
        if self._job is not None and self._job.state == "cancelled":
            # A cancelled job does not restart at once, only with the next import or when the project opens again.
            self._job = None
            return
        self._timer.start()

    def _check_index(self) -> None:
        store = self._session.store
        if store is not None and not store.read_only:
            self._session.run(
                "read", partial(search_index.count_unindexed, store), partial(self._start, store), latest="search-lacks"
            )

    def _start(self, store: ProjectFile, missing_count: int) -> None:
        is_running = self._job is not None and self._job.state not in ("done", "failed", "cancelled")
        if not missing_count or is_running or store is not self._session.store:
            return
        self._job = self._session.start_job(
            tr("Completing the search index"),
            partial(search_index.complete_search_index, store),
            self._done,
            summary=lambda _row_count: tr("Search is complete."),
            chore=True,
        )

    def _done(self, row_count: int) -> None:
        self._session.announce(Changes(frozenset({"subject", "source"} if row_count else ())))
