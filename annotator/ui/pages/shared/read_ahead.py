"""Read ahead: the subjects that come next in a queue are loaded before they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from annotator.model.rows.views import SubjectView
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.session.session import Session

_HELD = 8


class ReadAhead:
    """Subjects that were read before they are shown, a few at most.

    ``arrived`` gets each subject read and says whether it is shown at once; ``failed`` gets the id of one that could
    not be read.
    """

    def __init__(
        self, session: Session, arrived: Callable[[SubjectView], bool], failed: Callable[[str], object]
    ) -> None:
        """Hold nothing yet."""
        self._session, self._arrived, self._failed = session, arrived, failed
        self._held: dict[str, SubjectView] = {}
        self._requests: dict[str, object] = {}

    def take(self, subject_id: str) -> SubjectView | None:
        """Hand out a subject that was read ahead, once; None if it was not."""
        return self._held.pop(subject_id, None)

    def is_reading(self, subject_id: str) -> bool:
        """Whether a subject is being read now."""
        return subject_id in self._requests

    def read(self, store: ProjectFile, subject_ids: Iterable[str]) -> None:
        """Read subjects that are neither held nor being read."""
        for subject_id in subject_ids:
            if subject_id not in self._held and subject_id not in self._requests:
                self._requests[subject_id] = request = object()
                work = partial(triage.subject, store, subject_id)
                self._session.run("read", work, partial(self._hold, request), partial(self._drop, subject_id))

    def forget(self, subject_ids: frozenset[str]) -> None:
        """Drop subjects that have changed; without any named, all."""
        for subject_id in subject_ids or {*self._held, *self._requests}:
            self._held.pop(subject_id, None)
            self._requests.pop(subject_id, None)

    def _hold(self, request: object, view: SubjectView) -> None:
        # A request that is no longer there was forgotten: its subject has changed since.
        if self._requests.get(view.row.id) is not request:
            return
        del self._requests[view.row.id]
        if self._arrived(view):
            return
        self._held[view.row.id] = view
        while len(self._held) > _HELD:
            del self._held[next(iter(self._held))]

    def _drop(self, subject_id: str, _failure: Failure) -> None:
        self._requests.pop(subject_id, None)
        self._failed(subject_id)
