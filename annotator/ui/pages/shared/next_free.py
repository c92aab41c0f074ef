"""Several people on one queue: what is shown is leased, and the way on leads to what nobody else has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from annotator.model.rows.queue import LeaseRow, QueueFilter, SubjectRow
from annotator.services.select import leases
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import tr
from annotator.ui.widgets.queue_card import Queue
from annotator.ui.widgets.timers import debounce

_BEAT_MS = 30_000
_LOOK_MS = 2_000


class NextFree(QObject):
    """Leases for one page with a queue.

    On a server the subject shown takes a lease, which says from time to time that it is still wanted, and moving on
    goes to what is free. On a file there are leases only for who asks for the next free candidate.
    """

    holder_changed = Signal(object)
    """The `LeaseRow` of somebody else who has the subject shown, or None."""
    moved = Signal(bool)
    """Moving on has ended; says whether a free subject is shown now."""

    def __init__(self, session: Session, store: ProjectFile, queue: Queue, parent: QObject) -> None:
        """Have nothing yet."""
        super().__init__(parent)
        self._session, self._store, self._queue = session, store, queue
        self.leases_shown = store.shared and not store.read_only
        """Whether what is shown is leased; otherwise moving on is the queue's own affair."""
        self.moving = False
        self._active = False
        self._going = False
        self.leased = ""
        """The subject that was leased here last, empty without one."""
        self._passed: tuple[str, ...] = ()
        self.beats = QTimer(self)
        """Each says that what is leased here is still wanted."""
        self.beats.setInterval(_BEAT_MS)
        self.beats.timeout.connect(self._beat)
        self._look_timer = debounce(self, _LOOK_MS, self.renew)
        if self.leases_shown:
            queue.subject_selected.connect(self._subject_selected)

    # -- what is shown --------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Lease what the page shows, which is on screen from now on."""
        self._active = True
        self.renew()

    def deactivate(self) -> None:
        """Let others have what was shown here."""
        self._active = False
        self._end_move(arrived=False)
        if self.leases_shown and self._session.store is self._store:
            self.leased = ""
            self.beats.stop()
            self._look_timer.stop()
            self._session.run("store", partial(leases.give_back, self._store), None, self._ignore_failure)

    def renew(self) -> None:
        """Lease the current subject again, or see who has it now."""
        current = self._queue.current_id()
        if self._active and self.leases_shown and not self.moving and current is not None:
            self._hold(current)

    def _subject_selected(self, subject_id: str | None) -> None:
        if not self._active:
            return
        if subject_id is not None and subject_id == self.leased:
            if not self._going:
                self._arrive()
        elif subject_id is not None and self._queue.placed_by_list and not self.moving:
            # Nobody chose it, so it need not be this one.
            self._take_first(self._queue.rows_beyond(0))
        elif subject_id is not None:
            self._end_move(arrived=True)
            self._hold(subject_id)

    def _hold(self, subject_id: str) -> None:
        work = partial(leases.hold, self._store, subject_id)
        done = partial(self._take_holder, subject_id)
        self._session.run("store", work, done, self._take_no_holder, latest="lease")

    def _take_no_holder(self, _failure: Failure) -> None:
        """The server is out of reach: ask again with the next beat."""
        self.leased = ""
        self.beats.start()

    def _take_holder(self, subject_id: str, row: LeaseRow | None) -> None:
        if subject_id != self._queue.current_id():
            return
        self.leased = subject_id if row is not None and row.mine else ""
        if self.leased:
            self.beats.start()
        theirs = row if row is not None and not row.mine else None
        if theirs is not None:
            self._look_timer.start()
        self.holder_changed.emit(theirs)

    # -- moving on ------------------------------------------------------------------------------------------------

    def wait(self) -> None:
        """Let keys wait: `move` or `stay` follows."""
        self.moving = True

    def stay(self) -> None:
        """Stay where the queue is after all."""
        self._end_move(arrived=False)

    def move(self, by: int) -> None:
        """Go down (1) or up (-1) to the nearest subject that nobody else has."""
        rows = self._queue.rows_beyond(by)
        if rows:
            self._take_first(rows)
        else:
            self._end_move(arrived=False)

    def _take_first(self, rows: Sequence[int]) -> None:
        self.moving = True
        # Who looks at decided ones only, such as for paraphrasing, works on what others have accepted.
        shown = self._queue.filter.verdicts
        work = partial(leases.take_first, self._store, rows, undecided=not shown or "open" in shown)
        self._session.run("store", work, self._go_on, self._cannot_move, latest="lease")

    def _go_on(self, found: tuple[int, str] | None) -> None:
        if found is None:
            self._session.say(tr("Others have, or have decided on, everything that follows here."))
            self._end_move(arrived=False)
            self.renew()
            return
        row, self.leased = found
        self.beats.start()
        self._going = True
        is_listed = self._queue.go_to_row(row)
        self._going = False
        if not is_listed:
            # The list was read again meanwhile.
            self._end_move(arrived=False)
            self.renew()
        elif self._queue.current_id() == self.leased:
            self._arrive()

    def _arrive(self) -> None:
        """What was leased is current now, at once or when its line has come."""
        self.holder_changed.emit(None)
        self._end_move(arrived=True)

    def _cannot_move(self, failure: Failure) -> None:
        self._end_move(arrived=False)
        self._session.failed.emit(failure)

    def _end_move(self, *, arrived: bool) -> None:
        if self.moving:
            self.moving = False
            self.moved.emit(arrived)

    # -- the next one that is open --------------------------------------------------------------------------------

    def take(self, wanted: QueueFilter) -> None:
        """Let others have what is still undecided here, and take the next open candidate of a filter."""
        only_open = replace(wanted, verdicts=("open",), sort="")
        self._session.act(partial(_take_next, self._store, only_open, self._passed), self._show_next)

    def _show_next(self, rows: Sequence[SubjectRow]) -> None:
        if not rows:
            self.beats.stop()
            # The next time round begins again with those that were passed over.
            again = tr(" Press the key again for those you passed over.") if self._passed else ""
            self._passed = ()
            self._session.say(tr("Nobody else has left an open candidate here.{again}", again=again))
            return
        self._passed = (*self._passed, rows[0].id)
        self.leased = rows[0].id
        self.beats.start()
        self._queue.go_to(rows[0].id)

    # -- the time limit -------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        if self.leases_shown and not self.leased:
            self.renew()
            return
        self._session.run("store", partial(leases.keep, self._store), self._take_count, self._ignore_failure)

    def _take_count(self, count: int) -> None:
        if not count:
            self.beats.stop()
            self.leased = ""
            self.renew()

    def _ignore_failure(self, _failure: Failure) -> None:
        """Try again at the next beat; deciding says what is wrong, if it still is."""


def _take_next(store: ProjectFile, wanted: QueueFilter, passed: Sequence[str]) -> tuple[SubjectRow, ...]:
    leases.give_back(store)
    return leases.take_next(store, wanted, leave_out=passed)
