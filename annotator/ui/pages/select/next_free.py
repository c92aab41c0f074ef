"""Several people on one queue: the next candidate that nobody else has, kept for as long as it is worked on here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer

from annotator.model.rows.queue import QueueFilter, SubjectRow
from annotator.services.select import leases
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import tr

_BEAT_MS = 30_000


class NextFree(QObject):
    """Asks for the next free candidate, goes there, and says from time to time that it is still wanted."""

    def __init__(self, session: Session, store: ProjectFile, go_to: Callable[[str], object], parent: QObject) -> None:
        """Have nothing yet; ``go_to`` shows a subject by its id."""
        super().__init__(parent)
        self._session, self._store = session, store
        self._go_to = go_to
        self._passed: tuple[str, ...] = ()
        self._timer = QTimer(self)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self._beat)

    def take(self, wanted: QueueFilter) -> None:
        """Let others have what is still undecided here, and take the next open candidate of a filter."""
        only_open = replace(wanted, verdicts=("open",), sort="")
        self._session.act(partial(_take_next, self._store, only_open, self._passed), self._show_next)

    def _show_next(self, rows: Sequence[SubjectRow]) -> None:
        if not rows:
            self._timer.stop()
            # The next time round begins again with those that were passed over.
            again = tr(" Press the key again for those you passed over.") if self._passed else ""
            self._passed = ()
            self._session.say(tr("Nobody else has left an open candidate here.{again}", again=again))
            return
        self._passed = (*self._passed, rows[0].id)
        self._timer.start()
        self._go_to(rows[0].id)

    def _beat(self) -> None:
        self._session.run("store", partial(leases.keep, self._store), self._stop_without_leases, self._ignore_failure)

    def _stop_without_leases(self, count: int) -> None:
        if not count:
            self._timer.stop()

    def _ignore_failure(self, _failure: Failure) -> None:
        """Try again at the next beat; deciding says what is wrong, if it still is."""


def _take_next(store: ProjectFile, wanted: QueueFilter, passed: Sequence[str]) -> tuple[SubjectRow, ...]:
    leases.give_back(store)
    return leases.take_next(store, wanted, leave_out=passed)
