"""Lease the current subject of a queue that several people share, and skip subjects leased by others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from annotator.model.rows.queue_rows import LeaseRow, QueueFilter, SubjectRow
from annotator.services.select import leases
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import tr
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.queue_card import Queue

_HEARTBEAT_MS = 30_000
_RECHECK_MS = 2_000
"""The delay before asking again whether another person has released the current subject."""


class NextFree(QObject):
    """Leases for one page with a queue.

    On a server the subject on screen is leased and the lease renewed periodically; moving on goes to the next free
    subject. On a file, only the command for the next free candidate takes leases.
    """

    holder_changed = Signal(object)
    """The `LeaseRow` of another person who holds the current subject, or None."""
    moved = Signal(bool)
    """A move has ended; True if a free subject is on screen now."""

    def __init__(self, session: Session, store: ProjectFile, queue: Queue, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._store, self._queue = session, store, queue
        self.uses_leases = store.shared and not store.read_only
        """Whether the current subject is leased; if not, the queue moves on by itself."""
        self.is_moving = False
        self._is_active = False
        self._is_selecting = False
        self.leased_id = ""
        """The id of the subject last leased here, empty if there is none."""
        self._passed_ids: tuple[str, ...] = ()
        self.heartbeat = QTimer(self)
        """Renews the lease periodically."""
        self.heartbeat.setInterval(_HEARTBEAT_MS)
        self.heartbeat.timeout.connect(self._renew_lease)
        self._recheck_timer = debounce(self, _RECHECK_MS, self.renew)
        if self.uses_leases:
            queue.subject_selected.connect(self._handle_selection)

    # -- the current subject --------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Lease the current subject when the page comes on screen."""
        self._is_active = True
        self.renew()

    def deactivate(self) -> None:
        """Release the lease on the current subject."""
        self._is_active = False
        self._end_move(succeeded=False)
        if self.uses_leases and self._session.store is self._store:
            self.leased_id = ""
            self.heartbeat.stop()
            self._recheck_timer.stop()
            self._session.run("store", partial(leases.return_subjects, self._store), None, self._ignore_failure)

    def renew(self) -> None:
        """Lease the current subject again, or show who holds it now."""
        current = self._queue.current_id()
        if self._is_active and self.uses_leases and not self.is_moving and current is not None:
            self._request_lease(current)

    def _handle_selection(self, subject_id: str | None) -> None:
        if not self._is_active:
            return
        if subject_id is not None and subject_id == self.leased_id:
            if not self._is_selecting:
                self._finish_move()
        elif subject_id is not None and self._queue.was_placed_by_list and not self.is_moving:
            # The list selected this row by itself, so any other free subject will do.
            self._take_first(self._queue.rows_beyond(0))
        elif subject_id is not None:
            self._end_move(succeeded=True)
            self._request_lease(subject_id)

    def _request_lease(self, subject_id: str) -> None:
        work = partial(leases.hold_subject, self._store, subject_id)
        on_done = partial(self._show_lease_holder, subject_id)
        self._session.run("store", work, on_done, self._retry_with_heartbeat, latest="lease")

    def _retry_with_heartbeat(self, _failure: WorkFailure) -> None:
        """The server is unreachable: try again at the next heartbeat."""
        self.leased_id = ""
        self.heartbeat.start()

    def _show_lease_holder(self, subject_id: str, row: LeaseRow | None) -> None:
        if subject_id != self._queue.current_id():
            return
        self.leased_id = subject_id if row is not None and row.mine else ""
        if self.leased_id:
            self.heartbeat.start()
        others_lease = row if row is not None and not row.mine else None
        if others_lease is not None:
            self._recheck_timer.start()
        self.holder_changed.emit(others_lease)

    # -- moving on ------------------------------------------------------------------------------------------------

    def begin_move(self) -> None:
        """Mark a move as pending, so that keys are held back until `move` or `cancel_move` is called."""
        self.is_moving = True

    def cancel_move(self) -> None:
        """Cancel the move and stay on the current subject."""
        self._end_move(succeeded=False)

    def move(self, by: int) -> None:
        """Go down (1) or up (-1) to the nearest subject not leased by others."""
        rows = self._queue.rows_beyond(by)
        if rows:
            self._take_first(rows)
        else:
            self._end_move(succeeded=False)

    def _take_first(self, rows: Sequence[int]) -> None:
        self.is_moving = True
        # With a filter for decided subjects, as on Prompt, people work on subjects that others accepted.
        verdicts = self._queue.filter.verdicts
        work = partial(leases.take_first_free, self._store, rows, undecided=not verdicts or "open" in verdicts)
        self._session.run("store", work, self._go_to_leased, self._fail_move, latest="lease")

    def _go_to_leased(self, leased_row: tuple[int, str] | None) -> None:
        if leased_row is None:
            self._session.say(tr("Others have reserved or decided every candidate from here on."))
            self._end_move(succeeded=False)
            self.renew()
            return
        row, self.leased_id = leased_row
        self.heartbeat.start()
        self._is_selecting = True
        is_listed = self._queue.go_to_row(row)
        self._is_selecting = False
        if not is_listed:
            # The list was reloaded in the meantime.
            self._end_move(succeeded=False)
            self.renew()
        elif self._queue.current_id() == self.leased_id:
            self._finish_move()

    def _finish_move(self) -> None:
        """End the move: the leased subject is the current one."""
        self.holder_changed.emit(None)
        self._end_move(succeeded=True)

    def _fail_move(self, failure: WorkFailure) -> None:
        self._end_move(succeeded=False)
        self._session.failed.emit(failure)

    def _end_move(self, *, succeeded: bool) -> None:
        if self.is_moving:
            self.is_moving = False
            self.moved.emit(succeeded)

    # -- the next open candidate ----------------------------------------------------------------------------------

    def take_next(self, queue_filter: QueueFilter) -> None:
        """Release undecided leases and take the next open candidate that matches a filter."""
        open_filter = replace(queue_filter, verdicts=("open",), sort="")
        self._session.act(partial(_take_next, self._store, open_filter, self._passed_ids), self._show_next)

    def _show_next(self, rows: Sequence[SubjectRow]) -> None:
        if not rows:
            self.heartbeat.stop()
            # The next round starts again with the candidates passed over.
            again = tr(" Press the key again to return to those you passed over.") if self._passed_ids else ""
            self._passed_ids = ()
            self._session.say(tr("Others have reserved all open candidates in this list.{again}", again=again))
            return
        self._passed_ids = (*self._passed_ids, rows[0].id)
        self.leased_id = rows[0].id
        self.heartbeat.start()
        self._queue.go_to(rows[0].id)

    # -- renewing the lease ---------------------------------------------------------------------------------------

    def _renew_lease(self) -> None:
        if self.uses_leases and not self.leased_id:
            self.renew()
            return
        self._session.run(
            "store", partial(leases.renew_leases, self._store), self._check_renewed_count, self._ignore_failure
        )

    def _check_renewed_count(self, count: int) -> None:
        if not count:
            self.heartbeat.stop()
            self.leased_id = ""
            self.renew()

    def _ignore_failure(self, _failure: WorkFailure) -> None:
        """Ignore it: the next heartbeat tries again, and a decision reports a lasting failure."""


def _take_next(store: ProjectFile, queue_filter: QueueFilter, passed_ids: Sequence[str]) -> tuple[SubjectRow, ...]:
    leases.return_subjects(store)
    return leases.take_next_subjects(store, queue_filter, leave_out=passed_ids)
