"""Every file dialog of the window: open one or several files, name a new one, choose a folder.

They are Qt's own and never look into a file. Qt's usual icon provider, and dialogs of the system, open files to name
their type, and closing a descriptor of a file drops all POSIX locks that the process holds on it: SQLite would lose its
locks on the open project (https://www.sqlite.org/howtocorrupt.html, section 2.2).
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
    QMessageBox,
    QWidget,
)

from annotator.base.open_files import is_open_here, is_project_name
from annotator.base.paths import BACKUPS_SUFFIX, DRAFTS_SUFFIX, PROJECT_SUFFIX, config_dir, data_dir, log_dir
from annotator.ui.app.session.session import Session
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.translation import tr


class NameIcons(QFileIconProvider):
    """Icons and types by what a name says and what the file system knows, never by content."""

    def icon(self, of: QFileIconProvider.IconType | QFileInfo) -> QIcon:
        """Return the icon of a kind of place, or of a file or folder."""
        if isinstance(of, QFileInfo):
            of = QFileIconProvider.IconType.Folder if of.isDir() else QFileIconProvider.IconType.File
        return super().icon(of)

    def type(self, info: QFileInfo) -> str:
        """Return what stands in the column of types."""
        if info.isDir():
            return tr("Folder")
        return tr("{suffix} file", suffix=info.suffix().upper()) if info.suffix() else tr("File")


class FileDialog(QFileDialog):
    """Qt's own dialog, which begins in the last folder used."""

    def __init__(
        self, parent: QWidget | None, title: str, mode: QFileDialog.FileMode, filters: str, folder: Path, name: str = ""
    ) -> None:
        """Show ``folder``; ``filters`` is Qt's text of name filters, empty for all files."""
        super().__init__(parent, title, "", filters)
        self.projects = False
        """Whether a project may be chosen."""
        self.makes_folder = False
        """Whether a folder that is named and not there is made."""
        self.setOption(QFileDialog.Option.DontUseNativeDialog)
        # Of these two words Qt's own catalogue lacks some languages.
        self.setLabelText(QFileDialog.DialogLabel.LookIn, tr("Folder"))
        self.setLabelText(QFileDialog.DialogLabel.FileType, tr("Kind"))
        self.setOption(QFileDialog.Option.ShowDirsOnly, mode == QFileDialog.FileMode.Directory)
        # Qt does not own it.
        self._icons = NameIcons()
        self.setIconProvider(self._icons)
        # The folder is read only now, when nothing looks into its files any more.
        self.setDirectory(str(folder))
        self.setFileMode(mode)
        if name:
            self.selectFile(name)

    def offer_new_folder(self, name: str) -> None:
        """Let a folder be chosen that is not there yet, such as the one of this name; it is made."""
        self.makes_folder = True
        for line in self.findChildren(QLineEdit, "fileNameEdit"):
            line.setText(name)
        for box in self.findChildren(QDialogButtonBox):
            for button in box.buttons():
                if box.buttonRole(button) == QDialogButtonBox.ButtonRole.AcceptRole:
                    button.installEventFilter(self)
                    button.setEnabled(True)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the button awake that Qt puts to sleep while the folder that is named is not there."""
        if self.makes_folder and event.type() == QEvent.Type.EnabledChange and isinstance(watched, QAbstractButton):
            watched.setEnabled(True)
        return super().eventFilter(watched, event)

    def accept(self) -> None:
        """Close the dialog, unless a project was chosen as another kind of file or would be replaced.

        A folder to write into that is not there yet is made.
        """
        for path in map(Path, self.selectedFiles()):
            if not self.projects and path.is_file() and (is_project_name(path.name) or is_open_here(path)):
                text = tr("{name} is a project, or part of one. Choose another file.", name=path.name)
                QMessageBox.information(self, self.windowTitle(), text)
                return
            folder = path if self.makes_folder else path.parent
            writes = self.makes_folder or self.acceptMode() == QFileDialog.AcceptMode.AcceptSave
            if writes and not folder.exists() and not _make_folder(folder):
                QMessageBox.information(self, self.windowTitle(), tr("{name} cannot be made here.", name=folder.name))
                return
        super().accept()


def project_folder(session: Session) -> Path | None:
    """Return the folder of the open project, None without one and for a project on a server."""
    store = session.store
    return None if store is None or store.shared else store.path.parent


def beside_project(session: Session, name: str) -> Path:
    """Return a file of this name in the open project's folder, or in the home folder where there is none."""
    return (project_folder(session) or Path.home()) / name


def choose_file(
    parent: QWidget, title: str, filters: str = "", folder: Path | None = None, *, projects: bool = False
) -> Path | None:
    """Ask for a file that exists, a project only with ``projects``; ``folder`` is where to begin the first time."""
    dialog = FileDialog(parent, title, QFileDialog.FileMode.ExistingFile, filters, first_folder(folder))
    dialog.projects = projects
    paths = _ask(dialog)
    return paths[0] if paths else None


def choose_files(parent: QWidget, title: str, filters: str = "", folder: Path | None = None) -> list[Path]:
    """Ask for files that exist; ``folder`` is where to begin the first time."""
    return _ask(FileDialog(parent, title, QFileDialog.FileMode.ExistingFiles, filters, first_folder(folder)))


def choose_folder(parent: QWidget, title: str, folder: Path | None = None) -> Path | None:
    """Ask for a folder that exists; ``folder`` is where to begin the first time."""
    paths = _ask(FileDialog(parent, title, QFileDialog.FileMode.Directory, "", first_folder(folder)))
    return paths[0] if paths else None


def choose_new_folder(parent: QWidget, title: str, proposed: Path) -> Path | None:
    """Ask for a folder to write into, and make it if it is not there yet; ``proposed`` is how it may be named."""
    folder = first_folder(proposed.parent)
    dialog = FileDialog(parent, title, QFileDialog.FileMode.Directory, "", folder)
    dialog.setLabelText(QFileDialog.DialogLabel.FileName, tr("Folder"))
    dialog.offer_new_folder(proposed.name)
    paths = _ask(dialog)
    return paths[0] if paths else None


def choose_new_file(
    parent: QWidget, title: str, proposed: Path, filters: str = "", *, keep_folder: bool = False
) -> Path | None:
    """Ask where a file goes, and whether one of that name is replaced.

    ``proposed`` is its name; its folder is where to begin the first time, or (``there``) every time.
    """
    folder = proposed.parent
    if not keep_folder or not folder.is_dir():
        folder = first_folder(folder if proposed.is_absolute() else None)
    dialog = FileDialog(parent, title, QFileDialog.FileMode.AnyFile, filters, folder, proposed.name)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    paths = _ask(dialog)
    return paths[0] if paths else None


def _make_folder(path: Path) -> bool:
    """Make a folder; tells whether it could be made."""
    try:
        path.mkdir(parents=True)
    except OSError:
        return False
    return True


def first_folder(fallback: Path | None) -> Path:
    """Return where a dialog begins: the last folder used, else ``fallback``, else the home folder."""
    for folder in (WindowState().last_folder, fallback):
        if folder is not None and folder.is_dir() and not _is_ours(folder):
            return folder
    return Path.home()


def _ask(dialog: FileDialog) -> list[Path]:
    paths = [Path(name) for name in dialog.selectedFiles()] if dialog.exec() else []
    dialog.deleteLater()
    if paths:
        folder = paths[0] if dialog.fileMode() == QFileDialog.FileMode.Directory else paths[0].parent
        if not _is_ours(folder):
            WindowState().last_folder = folder
    return paths


def _is_ours(folder: Path) -> bool:
    """Tell whether nobody keeps own files in a folder: it is for the program's files, or a project's own."""
    beside = (f"{PROJECT_SUFFIX}{BACKUPS_SUFFIX}", f"{PROJECT_SUFFIX}{DRAFTS_SUFFIX}")
    parts = (folder, *folder.parents)
    ours = (data_dir(), config_dir(), log_dir())
    return any(part.name.endswith(beside) or part in ours for part in parts)
