"""Completes the search index, shows past states, and opens the dialogs for history, backups, recovery and crashes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QWidget

from annotator.base.errors import DamagedFileError
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.project_rows import BackupRow
from annotator.services.project import backups, projects
from annotator.store.file.project_file import QUICK_CHECK_BYTES, ProjectFile
from annotator.ui.app.project_acts import ProjectActs
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import SessionJob, WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_message
from annotator.ui.loading import LateModule, search_index, time_machine
from annotator.ui.widgets.dialog import confirm
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.labels import button, label, when_text
from annotator.ui.widgets.layouts import fill_row

if TYPE_CHECKING:
    from annotator.model.rows.history_rows import Restoring
    from annotator.ui.care import backups_and_recovery, crash_dialog, history_dialog
else:
    backups_and_recovery = LateModule("annotator.ui.care.backups_and_recovery")
    crash_dialog = LateModule("annotator.ui.care.crash_dialog")
    history_dialog = LateModule("annotator.ui.care.history_dialog")

# Long enough for the first page to be shown, and for the announcements of one import to be grouped.
_INDEX_DELAY_MS = 1_000


class SearchKeeper(QObject):
    """Starts a job to complete the search index if rows are not indexed, after opening a project or an import."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._job: SessionJob | None = None
        self._timer = debounce(self, _INDEX_DELAY_MS, self._check_index)
        session.opened.connect(self._project_opened)
        session.changed.connect(self._index_changes)

    def _project_opened(self) -> None:
        self._job = None
        self._timer.start()

    def _index_changes(self, changes: Changes) -> None:
        if "source" not in changes.nouns:
            return
        if self._job is not None and self._job.state == "cancelled":
            # A cancelled job restarts only with the next import, or when the project is opened again.
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
            self._announce_indexed,
            summary=lambda _row_count: tr("Search is complete."),
            chore=True,
        )

    def _announce_indexed(self, row_count: int) -> None:
        self._session.announce(Changes(frozenset({"subject", "source"} if row_count else ())))


class PastBar(QFrame):
    """The bar shown while a past state of the project is open."""

    back_requested = Signal()
    restore_requested = Signal(str)
    """The time of the state to restore completely."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        """Build the hidden bar; it follows the session."""
        super().__init__(parent)
        self.setObjectName("past-bar")
        self.setAccessibleName(tr("The project at an earlier time"))
        self._session = session
        self.text = label("", wrap=True)
        self.restore_button = button(tr("Restore everything"), clicked=self._restore)
        self.back_button = button(tr("Back to the present"), primary=True, clicked=self.back_requested)
        top = Qt.AlignmentFlag.AlignTop
        parts = ((self.text, 1), (self.restore_button, top), (self.back_button, top))
        fill_row(self, *parts, margin=(12, 8, 12, 8))
        session.opened.connect(self.show_state)
        session.closed.connect(self.show_state)
        self.show_state()

    @property
    def moment(self) -> str:
        """The time of the past state that is open, empty for the present."""
        store = self._session.store
        return store.moment if store is not None else ""

    def show_state(self) -> None:
        """Show the bar while a past project is open."""
        if self.moment:
            self.text.setText(
                tr(
                    ("◷ You are viewing the project as of {moment}, read-only. The current state is not lost."),
                    moment=when_text(self.moment),
                )
            )
        self.setVisible(bool(self.moment))

    def _restore(self, _checked: bool = False) -> None:
        self.restore_requested.emit(self.moment)


# Late, because checking a large file reads all of it; the project must be on screen first.
_CHECK_AFTER_MS = 5_000


class CareController(QObject):
    """Opens the dialogs of `ui/care` and carries out their requests; their modules are loaded on first use."""

    def __init__(
        self,
        window: QWidget,
        session: Session,
        theme: Theme,
        acts: ProjectActs,
        current_page: Callable[[], str],
        add_bar: Callable[[QWidget], object],
    ) -> None:
        """``current_page`` returns the name of the current page, for reports; ``add_bar`` adds a bar to the window."""
        super().__init__(window)
        self._window = window
        self._session = session
        self._theme = theme
        self._acts = acts
        self._current_page = current_page
        self._add_bar = add_bar
        session.failed.connect(self._offer_recovery)
        self._check_timer = debounce(self, _CHECK_AFTER_MS, self.check_large)
        self.searching = SearchKeeper(session, self)
        session.opened.connect(self._project_opened)

    def _project_opened(self) -> None:
        self._check_timer.start()
        store = self._session.store
        if store is not None and store.moment:
            self.bar.show_state()

    @cached_property
    def bar(self) -> PastBar:
        """The bar shown above a past state, built on first use."""
        past_bar = PastBar(self._session)
        past_bar.back_requested.connect(self.return_to_present)
        past_bar.restore_requested.connect(self.restore_all)
        self._add_bar(past_bar)
        return past_bar

    # -- the past -------------------------------------------------------------------------------------------------

    def show_history(self) -> None:
        """Open the history dialog."""
        if self._session.store is None:
            return
        dialog = history_dialog.HistoryDialog(self._window, self._session, self._theme)
        dialog.past_requested.connect(self.show_past)
        dialog.open_once()

    def show_past(self, moment: str) -> None:
        """Open the project as it was at a time, after saving pending work."""
        store = self._session.store
        if store is not None and self._acts.leave():
            self._session.run("read", partial(time_machine.open_as_of, store, moment), self._session.adopt)

    def return_to_present(self) -> None:
        """Return to the current state of the project."""
        store = self._session.store
        if store is not None:
            self._session.open(store.place)

    def restore_all(self, moment: str) -> None:
        """Return to the present and restore all work as it was at a time, in one undoable act."""
        store = self._session.store
        if store is not None:
            self._session.open(store.place, partial(self._restore_all, moment))

    def _restore_all(self, moment: str) -> None:
        store = self._session.store
        if store is not None:
            self._session.act(partial(time_machine.restore_as_of, store, moment, None), self._say_restored)

    def _say_restored(self, result: tuple[Restoring, Changes]) -> None:
        self._session.say(f"{tr_message(result[1].label)}.")

    # -- backups --------------------------------------------------------------------------------------------------

    def show_backups(self) -> None:
        """Show the backups of the open project."""
        store = self._session.store
        if store is None:
            return
        if store.shared:
            self._session.say(tr("{name} is on a server; back it up there (pg_dump).", name=store.place.name))
            return
        dialog = backups_and_recovery.BackupsDialog(self._window, self._session, store.path)
        dialog.backup_requested.connect(self._acts.back_up)
        dialog.restore_requested.connect(partial(self._restore_backup, store.path, dialog))
        dialog.open_once()

    def _restore_backup(self, path: Path, dialog: QDialog, row: BackupRow) -> None:
        when = f"{row.made_at.astimezone():%Y-%m-%d %H:%M:%S}"
        text = tr(
            (
                "The project will be restored to its state on {when}. The current file is kept beside "
                "it, so nothing is lost. To restore single subjects, use the history."
            ),
            when=when,
        )
        if self._confirm(tr("Restore this backup?"), text, tr("Restore")) and self._acts.leave():
            dialog.accept()
            self.replace_with_backup(path, row)

    def replace_with_backup(self, path: Path, row: BackupRow) -> None:
        """Close the project, replace it by a backup and open it again."""
        self._session.close()
        work = partial(_restore_backup, path, row.path.name)
        self._session.start_job(tr("Restoring the backup"), work, partial(self._reopen, path), summary=_restored_text)

    def _reopen(self, path: Path, _aside: Path) -> None:
        self._session.open(path)

    # -- damage ---------------------------------------------------------------------------------------------------

    def _offer_recovery(self, failure: WorkFailure) -> None:
        path = self._session.store.place if self._session.store is not None else self._session.requested_place
        if isinstance(failure.error, DamagedFileError) and isinstance(path, Path):
            self.show_recovery(path, failure.message)

    def show_recovery(self, path: Path, message: str) -> None:
        """Open the recovery dialog for a damaged project, at most one at a time."""
        if self._window.findChild(backups_and_recovery.RecoveryDialog) is not None:
            return
        dialog = backups_and_recovery.RecoveryDialog(self._window, self._session, path, message)
        dialog.open_requested.connect(self._acts.open)
        dialog.restore_requested.connect(partial(self.replace_with_backup, path))
        dialog.open_once()

    def check_large(self) -> None:
        """Check a large project in the background; opening checks only small ones."""
        store = self._session.store
        if (
            store is not None
            and not store.shared
            and not store.moment
            # The file may have been renamed in the meantime.
            and store.path.exists()
            and store.path.stat().st_size > QUICK_CHECK_BYTES
        ):
            work = partial(_check, store)
            self._session.start_job(
                tr("Checking the project"),
                work,
                summary=lambda _sound: tr("The project is intact."),
                lane="read",
                chore=True,
            )

    # -- bugs -----------------------------------------------------------------------------------------------------

    def show_crash(self, error: BaseException) -> None:
        """Show the report of a bug; while one is open, other bugs are only logged."""
        if self._window.findChild(crash_dialog.CrashDialog) is None:
            crash_dialog.CrashDialog(self._window, error, {"page": self._current_page() or "none"}).open_once()

    def report(self, failure: WorkFailure) -> None:
        """Show the report of a failure that is a bug."""
        if failure.error is not None:
            self.show_crash(failure.error)

    def _confirm(self, title: str, text: str, proceed: str) -> bool:
        return confirm(self._window, "keeping-question", title, text, proceed=proceed, stay=tr("Leave unchanged"))


def _restore_backup(path: Path, name: str, progress: Progress) -> Path:
    progress.check()
    return backups.restore_project_backup(path, name)[1]


def _restored_text(aside: Path) -> str:
    return tr("The backup is restored; the previous file is kept as {name}.", name=aside.name)


def _check(store: ProjectFile, progress: Progress) -> None:
    progress.check()
    # The check gets the progress so that it can be cancelled, because closing the window must not wait for it.
    problems = projects.check_integrity(store, progress)
    if problems:
        raise DamagedFileError(
            tr("{name} is damaged. Your work is still saved.", name=store.path.name), details=problems
        )
