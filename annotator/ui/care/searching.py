"""Makes search complete behind long imports, and goes on after a project was closed, or killed, before it was."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from annotator.model.changes import Changes
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.notices import Job
from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import tr
from annotator.ui.loading import search_index
from annotator.ui.widgets.timers import debounce

# After the first page, and once for everything that an import announces.
_AFTER_MS = 1_000


class SearchKeeper(QObject):
    """Starts the work on the search index as a job, when a project that lacks some of it opens or is imported into."""

    def __init__(self, session: Session, parent: QObject) -> None:
        """Listen to the session."""
        super().__init__(parent)
        self._session = session
        self._job: Job | None = None
        self._timer = debounce(self, _AFTER_MS, self._look)
        session.opened.connect(self._opened)
        session.changed.connect(self._changed)

    def _opened(self) -> None:
        self._job = None
        self._timer.start()

    def _changed(self, changes: Changes) -> None:
        if "source" not in changes.nouns:
            return
        if self._job is not None and self._job.state == "cancelled":
            # Whoever cancelled it does not want it back at once; the next import or opening starts it again.
            self._job = None
            return
        self._timer.start()

    def _look(self) -> None:
        store = self._session.store
        if store is not None and not store.read_only:
            self._session.run(
                "read", partial(search_index.lacking, store), partial(self._start, store), latest="search-lacks"
            )

    def _start(self, store: ProjectFile, lacking: int) -> None:
        running = self._job is not None and self._job.state not in ("done", "failed", "cancelled")
        if not lacking or running or store is not self._session.store:
            return
        self._job = self._session.start_job(
            tr("Making search complete"),
            partial(search_index.complete, store),
            self._done,
            summary=lambda _made: tr("Search is complete."),
            chore=True,
        )

    def _done(self, made: int) -> None:
        self._session.announce(Changes(frozenset({"subject", "source"} if made else ())))
