"""All file dialogs of the window: open one or several files, name a new one, choose a folder.

They are Qt's own dialogs and never open a file. Qt's default icon provider and the system's dialogs open files to
detect their type, and closing a descriptor drops all POSIX locks that the process holds on the file: SQLite would lose
its locks on the open project (https://www.sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QFileInfo, QObject
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialogButtonBox,
    QFileDialog,
    QFileIconProvider,
    QLineEdit,
    QWidget,
)

from annotator.base.open_files import is_open_here, is_project_name
from annotator.base.paths import BACKUPS_SUFFIX, DRAFTS_SUFFIX, PROJECT_SUFFIX, config_dir, data_dir, log_dir
from annotator.ui.app.session.session import Session
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.translation import tr
from annotator.ui.widgets.dialog import show_message


class NameIcons(QFileIconProvider):
    """Icons and types by name and file system information, never by content."""

    def icon(self, kind: QFileIconProvider.IconType | QFileInfo) -> QIcon:
        """Return the icon of an icon type, or of a file or folder."""
        if isinstance(kind, QFileInfo):
            kind = QFileIconProvider.IconType.Folder if kind.isDir() else QFileIconProvider.IconType.File
        return super().icon(kind)

    def type(self, info: QFileInfo) -> str:
        """Return the text of the type column."""
        if info.isDir():
            return tr("Folder")
        return tr("{suffix} file", suffix=info.suffix().upper()) if info.suffix() else tr("File")


class FileDialog(QFileDialog):
    """Qt's own file dialog, with icons by file name and with checks that protect projects."""

    def __init__(
        self, parent: QWidget | None, title: str, mode: QFileDialog.FileMode, filters: str, folder: Path, name: str = ""
    ) -> None:
        """Show ``folder``; ``filters`` are Qt's name filters, empty for all files."""
        super().__init__(parent, title, "", filters)
        self.allows_projects = False
        """Whether a project may be chosen."""
        self.creates_folder = False
        """Whether a folder that does not exist is created."""
        self.setOption(QFileDialog.Option.DontUseNativeDialog)
        # Qt's catalogue lacks translations of these two words in some languages.
        self.setLabelText(QFileDialog.DialogLabel.LookIn, tr("Folder"))
        self.setLabelText(QFileDialog.DialogLabel.FileType, tr("Kind"))
        self.setOption(QFileDialog.Option.ShowDirsOnly, mode == QFileDialog.FileMode.Directory)
        # Qt does not take ownership.
        self._icons = NameIcons()
        self.setIconProvider(self._icons)
        # Set after the icon provider, so that no file of the folder is opened.
        self.setDirectory(str(folder))
        self.setFileMode(mode)
        if name:
            self.selectFile(name)
            suffix = Path(name).suffix
            name_filter = next((item for item in self.nameFilters() if suffix in _suffixes_of(item)), "")
            if name_filter:
                self.selectNameFilter(name_filter)
            self.filterSelected.connect(self._follow_filter)
            self._follow_filter(name_filter)

    def _follow_filter(self, name_filter: str) -> None:
        """Give the file's name the ending of the chosen filter, because the ending decides how a file is written."""
        suffix = next(iter(_suffixes_of(name_filter)), "")
        self.setDefaultSuffix(suffix)
        for line in self.findChildren(QLineEdit, "fileNameEdit"):
            name = Path(line.text())
            if suffix and any(name.suffix in _suffixes_of(other) for other in self.nameFilters()):
                line.setText(str(name.with_suffix(suffix)))

    def offer_new_folder(self, name: str) -> None:
        """Allow a folder that does not exist yet, and suggest this name; `accept` creates the folder."""
        self.creates_folder = True
        for line in self.findChildren(QLineEdit, "fileNameEdit"):
            line.setText(name)
        for box in self.findChildren(QDialogButtonBox):
            for button in box.buttons():
                if box.buttonRole(button) == QDialogButtonBox.ButtonRole.AcceptRole:
                    button.installEventFilter(self)
                    button.setEnabled(True)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Re-enable the button that Qt disables while the named folder does not exist."""
        if self.creates_folder and event.type() == QEvent.Type.EnabledChange and isinstance(watched, QAbstractButton):
            watched.setEnabled(True)
        return super().eventFilter(watched, event)

    def accept(self) -> None:
        """Close the dialog, unless a project would be replaced, or opened as another kind of file.

        A missing folder to write into is created.
        """
        for path in map(Path, self.selectedFiles()):
            if not self.allows_projects and path.is_file() and (is_project_name(path.name) or is_open_here(path)):
                text = tr("{name} belongs to a project. Choose another file.", name=path.name)
                show_message(self, self.windowTitle(), text)
                return
            folder = path if self.creates_folder else path.parent
            is_for_writing = self.creates_folder or self.acceptMode() == QFileDialog.AcceptMode.AcceptSave
            if is_for_writing and not folder.exists() and not _make_folder(folder):
                show_message(self, self.windowTitle(), tr("{name} cannot be created here.", name=folder.name))
                return
        super().accept()


def project_folder(session: Session) -> Path | None:
    """Return the folder of the open project, or None without one or for a project on a server."""
    store = session.store
    return None if store is None or store.shared else store.path.parent


def beside_project(session: Session, name: str) -> Path:
    """Return the path of a file with this name in the open project's folder, else in the home folder."""
    return (project_folder(session) or Path.home()) / name


def choose_file(
    parent: QWidget, title: str, filters: str = "", folder: Path | None = None, *, allow_projects: bool = False
) -> Path | None:
    """Ask for an existing file; ``folder`` is the initial folder on first use.

    A project can be chosen only with ``allow_projects``.
    """
    dialog = FileDialog(parent, title, QFileDialog.FileMode.ExistingFile, filters, first_folder(folder))
    dialog.allows_projects = allow_projects
    paths = _run_dialog(dialog)
    return paths[0] if paths else None


def choose_files(parent: QWidget, title: str, filters: str = "", folder: Path | None = None) -> list[Path]:
    """Ask for existing files; ``folder`` is the initial folder on first use."""
    return _run_dialog(FileDialog(parent, title, QFileDialog.FileMode.ExistingFiles, filters, first_folder(folder)))


def choose_folder(parent: QWidget, title: str, folder: Path | None = None) -> Path | None:
    """Ask for an existing folder; ``folder`` is the initial folder on first use."""
    paths = _run_dialog(FileDialog(parent, title, QFileDialog.FileMode.Directory, "", first_folder(folder)))
    return paths[0] if paths else None


def choose_new_folder(parent: QWidget, title: str, proposed: Path) -> Path | None:
    """Ask for a folder to write into, and create it if missing; ``proposed`` is the suggested path."""
    folder = first_folder(proposed.parent)
    dialog = FileDialog(parent, title, QFileDialog.FileMode.Directory, "", folder)
    dialog.setLabelText(QFileDialog.DialogLabel.FileName, tr("Folder"))
    dialog.offer_new_folder(proposed.name)
    paths = _run_dialog(dialog)
    return paths[0] if paths else None


def choose_new_file(
    parent: QWidget, title: str, proposed: Path, filters: str = "", *, keep_folder: bool = False
) -> Path | None:
    """Ask for the path of a new file, and whether to replace an existing one.

    ``proposed`` is the suggested path; its folder is shown on first use, or with ``keep_folder`` always.
    """
    folder = proposed.parent
    if not keep_folder or not folder.is_dir():
        folder = first_folder(folder if proposed.is_absolute() else None)
    dialog = FileDialog(parent, title, QFileDialog.FileMode.AnyFile, filters, folder, proposed.name)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    paths = _run_dialog(dialog)
    return paths[0] if paths else None


def _suffixes_of(name_filter: str) -> list[str]:
    """Return the endings in a name filter of a file dialog, such as ".csv" for "CSV (*.csv)"."""
    patterns = name_filter.rpartition("(")[2].removesuffix(")").split()
    return [pattern.removeprefix("*") for pattern in patterns if pattern != "*"]


def _make_folder(path: Path) -> bool:
    """Create a folder; return whether that succeeded."""
    try:
        path.mkdir(parents=True)
    except OSError:
        return False
    return True


def first_folder(fallback: Path | None) -> Path:
    """Return a dialog's initial folder: the last one used, else ``fallback``, else the home folder."""
    for folder in (WindowState().last_folder, fallback):
        if folder is not None and folder.is_dir() and not _belongs_to_application(folder):
            return folder
    return Path.home()


def _run_dialog(dialog: FileDialog) -> list[Path]:
    paths = [Path(name) for name in dialog.selectedFiles()] if dialog.exec() else []
    dialog.deleteLater()
    if paths:
        folder = paths[0] if dialog.fileMode() == QFileDialog.FileMode.Directory else paths[0].parent
        if not _belongs_to_application(folder):
            WindowState().last_folder = folder
    return paths


def _belongs_to_application(folder: Path) -> bool:
    """Return whether a folder belongs to the application or to a project, so that users keep no files there."""
    project_suffixes = (f"{PROJECT_SUFFIX}{BACKUPS_SUFFIX}", f"{PROJECT_SUFFIX}{DRAFTS_SUFFIX}")
    parts = (folder, *folder.parents)
    application_folders = (data_dir(), config_dir(), log_dir())
    return any(part.name.endswith(project_suffixes) or part in application_folders for part in parts)
