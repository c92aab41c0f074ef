"""Load the next subjects of a queue before they are requested."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from annotator.model.rows.view_rows import SubjectView
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure

_MAX_READY = 8


class ReadAhead:
    """A small cache of subjects loaded before they are shown.

    ``on_loaded`` gets each loaded subject and returns whether it was shown at once; ``on_failed`` gets the id of a
    subject that could not be loaded.
    """

    def __init__(
        self, session: Session, on_loaded: Callable[[SubjectView], bool], on_failed: Callable[[str], object]
    ) -> None:
        self._session, self._on_loaded, self._on_failed = session, on_loaded, on_failed
        self._ready_views: dict[str, SubjectView] = {}
        self._requests: dict[str, object] = {}

    def take(self, subject_id: str) -> SubjectView | None:
        """Remove and return a subject loaded ahead; None if it is not ready."""
        return self._ready_views.pop(subject_id, None)

    def is_reading(self, subject_id: str) -> bool:
        """Whether a subject is being read now."""
        return subject_id in self._requests

    def read(self, store: ProjectFile, subject_ids: Iterable[str]) -> None:
        """Load the subjects that are neither ready nor being loaded."""
        for subject_id in subject_ids:
            if subject_id not in self._ready_views and subject_id not in self._requests:
                self._requests[subject_id] = request = object()
                work = partial(triage.load_subject, store, subject_id)
                self._session.run("read", work, partial(self._store_view, request), partial(self._drop, subject_id))

    def forget(self, subject_ids: frozenset[str]) -> None:
        """Drop subjects that have changed; all of them if no ids are given."""
        for subject_id in subject_ids or {*self._ready_views, *self._requests}:
            self._ready_views.pop(subject_id, None)
            self._requests.pop(subject_id, None)

    def _store_view(self, request: object, view: SubjectView) -> None:
        # A request that is no longer listed was dropped because its subject changed.
        if self._requests.get(view.row.id) is not request:
            return
        del self._requests[view.row.id]
        if self._on_loaded(view):
            return
        self._ready_views[view.row.id] = view
        while len(self._ready_views) > _MAX_READY:
            del self._ready_views[next(iter(self._ready_views))]

    def _drop(self, subject_id: str, _failure: WorkFailure) -> None:
        self._requests.pop(subject_id, None)
        self._on_failed(subject_id)
