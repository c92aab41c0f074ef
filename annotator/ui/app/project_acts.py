"""The actions of the menu File: create, open, rename, back up and close projects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QInputDialog, QMenu, QWidget

from annotator.base.addresses import Place, ServerAddress, parse_server_address
from annotator.base.errors import BadInputError
from annotator.base.paths import data_dir
from annotator.base.settings import Settings
from annotator.jobs.progress import Progress
from annotator.services.project import backups
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.page_stack import PageStack
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import failure_of
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.translation import tr
from annotator.ui.loading import LateModule, demo, members
from annotator.ui.widgets.dialog import confirm

if TYPE_CHECKING:
    from annotator.ui.app import welcome
else:
    welcome = LateModule("annotator.ui.app.welcome")

_BACKUP_CHECK_MS = 60_000
# The reason stored with a backup that the user requested. Only such a backup shows a message when it is finished.
_REQUESTED = "asked for"
_EXAMPLE_ADDRESS = "postgresql+psycopg://user@server/database?annotator=Name"


class ProjectActs(QObject):
    """Opens and closes projects, after saving the pending work of their pages."""

    def __init__(
        self,
        window: QWidget,
        session: Session,
        pages: PageStack,
        state: WindowState,
        settings: Callable[[], Settings],
    ) -> None:
        """Set up the backup timer; ``settings`` returns the current settings."""
        super().__init__(window)
        self._window = window
        self._session = session
        self._pages = pages
        self._state = state
        self._settings = settings
        self._backup_running = False
        self._just_opened = False
        self._new_path: Path | None = None
        self._first_act = ""
        self._held_store: ProjectFile | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_BACKUP_CHECK_MS)
        self._timer.timeout.connect(self.back_up_if_due)
        self._timer.start()

    def new(self, first_act: str = "") -> None:
        """Ask for name, file and annotator, and create the project; then trigger ``first_act``, if it is given."""
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        # The sample's folder belongs to the application, not to the user.
        folders = [path.parent for path in self._recent_files() if not path.is_relative_to(data_dir())][:1]
        folders += [Path(documents)] if documents else []
        # A new account may have no documents folder yet.
        folder = next((path for path in folders if path.is_dir()), Path.home())
        dialog = welcome.NewProjectDialog(folder, str(self._settings().get("annotator")), self._window)
        if dialog.exec() == QDialog.DialogCode.Accepted and self.leave():
            name, person = dialog.name.text().strip(), dialog.annotator.text().strip()
            self._new_path, self._first_act = dialog.path(), first_act
            self._session.create(self._new_path, name, person)
        dialog.deleteLater()

    def choose(self) -> None:
        """Ask for a project file and open it."""
        recent = self._recent_files()
        folder = recent[0].parent if recent else None
        path = file_dialogs.choose_file(
            self._window, tr("Open project"), welcome.project_filter(), folder, allow_projects=True
        )
        if path is not None:
            self.open(path)

    def choose_server(self) -> None:
        """Ask for the address of a project on a server and open it."""
        recent = [str(item) for item in self._state.recent() if isinstance(item, ServerAddress)]
        text, has_agreed = QInputDialog.getText(
            self._window,
            tr("Open on a server"),
            tr("Address of the project: include your user name, but no password"),
            text=recent[0] if recent else _EXAMPLE_ADDRESS,
        )
        if not has_agreed or not text.strip():
            return
        try:
            self.open(parse_server_address(text.strip()))
        except BadInputError as error:
            self._session.failed.emit(failure_of(error))

    def rename(self) -> None:
        """Ask for a new name of the project, and rename it."""
        store = self._session.store
        if store is None:
            return
        name, has_agreed = QInputDialog.getText(
            self._window,
            tr("Rename the project"),
            tr("Name of the project, shown in releases and reports"),
            text=store.project_name,
        )
        if has_agreed and name.strip():
            self._session.act(partial(members.rename_project, store, name))

    def add_recent_menu(self, menu: QMenu, before: QAction) -> None:
        """Insert a menu of recent projects above the entry ``before``."""
        recent_menu = QMenu(tr("Open recent"), menu)
        recent_menu.setObjectName("menu-recent")
        recent_menu.aboutToShow.connect(partial(self._fill_recent, recent_menu))
        menu.insertMenu(before, recent_menu)
        # Checked when the menu opens, because files change and starting must not wait for slow disks.
        menu.aboutToShow.connect(partial(self._offer_recent, recent_menu.menuAction()))

    def _offer_recent(self, entry: QAction) -> None:
        entry.setEnabled(bool(self._state.recent()))

    def _fill_recent(self, menu: QMenu) -> None:
        menu.clear()
        for path in self._state.recent():
            text = f"{path.stem}   {welcome.short_folder(path)}".replace("&", "&&")
            menu.addAction(text).triggered.connect(partial(self._open_recent, path))

    def _open_recent(self, place: Place, _checked: bool = False) -> None:
        self.open(place)

    def _recent_files(self) -> list[Path]:
        return [item for item in self._state.recent() if isinstance(item, Path)]

    def open(self, path: Place) -> None:
        """Open a project, after saving pending work of the open one."""
        self._new_path = None
        held_store, self._held_store = self._held_store, None
        if held_store is not None and held_store.place == path:
            self._session.adopt(held_store)
            return
        if held_store is not None:
            held_store.close()
        if self.leave():
            self._session.open(path)

    def hold(self, store: ProjectFile) -> None:
        """Keep an open project for the next call of `open`: that adopts it, or closes it to open another one."""
        self._held_store = store

    def open_sample(self) -> None:
        """Open the sample project, building it on first use."""
        if self.leave():
            self._session.close()
            work = partial(_open_or_build_sample, data_dir() / "sample")
            self._session.start_job(
                tr("Preparing the sample"),
                work,
                self._session.adopt,
                summary=lambda store: tr("The sample project was created in {parent}.", parent=store.path.parent),
            )

    def close_project(self) -> None:
        """Save pending work and close the project; the window stays open."""
        if self.leave():
            self._state.forget_last()
            self._session.close()

    def back_up(self, reason: str = _REQUESTED) -> None:
        """Write and check a backup now."""
        store = self._session.store
        if store is None or self._backup_running:
            return
        self._backup_running = True
        self._session.start_job(
            tr("Backing up"),
            partial(_back_up, store, self._settings(), reason),
            summary=partial(_backup_text, reason),
            chore=True,
            on_end=self._end_backup,
        )

    def back_up_if_due(self) -> None:
        """Back up if work was saved since the last backup, and enough time or changes have passed."""
        store, facts = self._session.store, self._session.facts
        if (
            store is None
            or store.read_only
            or store.shared
            or facts is None
            or facts.disk is None
            or facts.disk.last_saved is None
        ):
            return
        is_just_opened, self._just_opened = self._just_opened, False
        reason = backups.backup_reason(facts.disk, self._settings().get, just_opened=is_just_opened)
        if reason:
            self.back_up(reason)

    def leave(self) -> bool:
        """Save typed text as drafts, and ask if saving fails or jobs are running; return whether to close."""
        if self._held_store is not None:
            self._held_store.close()
            self._held_store = None
        if self._session.store is None:
            return True
        jobs = [job for job in self._session.jobs if not job.chore]
        if jobs and not self.ask_to_leave(
            tr("A job is still running"),
            tr("{label} is not finished. What it has saved so far is kept.", label=jobs[0].label),
            tr("Cancel it and close"),
        ):
            return False
        self._pages.finish_typing()
        failures = self._session.flush()
        is_kept = self._session.drafts.flush()
        if not failures and is_kept:
            return True
        reasons = [failure.message for failure in failures]
        if is_kept:
            reasons.append(tr("Your unsaved text is kept as a draft and shown when you open the project again."))
        else:
            reasons.append(tr("Your unsaved text could not be kept as a draft."))
        proceed = tr("Close anyway") if is_kept else tr("Close without saving")
        return self.ask_to_leave(tr("Some work could not be saved"), "\n".join(reasons), proceed)

    def take_first_act(self) -> str | None:
        """Return the action to trigger in a project that was just created here ("": none), None for other projects.

        Later calls return None.
        """
        store, new_path = self._session.store, self._new_path
        self._new_path = None
        is_new = new_path is not None and store is not None and not store.shared and store.path == new_path
        return self._first_act if is_new else None

    def project_opened(self) -> None:
        """Remember the project that was just opened."""
        self._backup_running = False
        self._just_opened = True
        store = self._session.store
        if store is not None:
            self._state.add_recent(store.place)
            self._state.last_project = store.place

    def ask_to_leave(self, title: str, text: str, proceed: str) -> bool:
        """Ask whether to proceed although work is lost, and return the answer."""
        stay = tr("Keep open")
        return confirm(self._window, "leave-question", title, text, proceed=proceed, stay=stay, loses_work=True)

    def _end_backup(self) -> None:
        self._backup_running = False
        self._session.refresh_facts()


def _open_or_build_sample(folder: Path, progress: Progress) -> ProjectFile:
    return demo.open_or_build(folder, progress)


def _backup_text(reason: str, path: Path) -> str:
    """Return the message of a finished backup, empty for an automatic one, which only the disk status shows.

    Its message could replace one that the user waits for, such as that of a finished run.
    """
    return tr("Backup created and checked: {name}.", name=path.name) if reason == _REQUESTED else ""


def _back_up(store: ProjectFile, settings: Settings, reason: str, progress: Progress) -> Path:
    progress.check()
    return backups.make_project_backup(store, backups.rotation_from_settings(settings.get), reason).path
