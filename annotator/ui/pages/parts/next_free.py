"""Several people on one queue: the next candidate that nobody else has, kept for as long as it is worked on here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from annotator.ui.notices import Failure
from annotator.ui.session import Session
from annotator.ui.words import tr

if TYPE_CHECKING:
    from annotator.model.rows import QueueFilter, SubjectRow

_BEAT_MS = 30_000


class NextFree(QObject):
    """Asks for the next free candidate, goes there, and says from time to time that it is still wanted."""

    def __init__(self, session: Session, go_to: Callable[[str], object], parent: QObject) -> None:
        """Have nothing yet; ``go_to`` shows a subject by its id."""
        super().__init__(parent)
        self._session = session
        self._go_to = go_to
        self._passed: tuple[str, ...] = ()
        self._timer = QTimer(self)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self._beat)

    def take(self, wanted: QueueFilter) -> None:
        """Let others have what is still undecided here, and take the next open candidate of a filter."""
        store = self._session.store
        if store is not None:
            only_open = replace(wanted, verdicts=("open",), sort="")
            self._session.act(partial(_take, store, only_open, self._passed), self._taken)

    def _taken(self, rows: Sequence[SubjectRow]) -> None:
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
        store = self._session.store
        if store is None:
            self._timer.stop()
        else:
            self._session.run("store", partial(_keep, store), self._kept, self._unheard)

    def _kept(self, count: int) -> None:
        if not count:
            self._timer.stop()

    def _unheard(self, _failure: Failure) -> None:
        """Try again at the next beat; deciding says what is wrong, if it still is."""


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _take(store: Any, wanted: QueueFilter, passed: Sequence[str]) -> tuple[SubjectRow, ...]:
    from annotator.services import leasing

    leasing.give_back(store)
    return leasing.take_next(store, wanted, leave_out=passed)


def _keep(store: Any) -> int:
    from annotator.services import leasing

    return leasing.keep(store)
