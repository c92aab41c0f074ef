"""Acts on an item's source: open it in the browser or the user's editor, copy its path."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from PySide6.QtCore import QDir, QProcess, QTemporaryDir, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu

from annotator.base.ids import content_hash
from annotator.formats.interchange.release_items import SUFFIXES
from annotator.model.rows.view_rows import SubjectView
from annotator.text.code_or_prose import looks_like_prose
from annotator.ui.app.base_page import PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import tr
from annotator.ui.pages.shared.fact_texts import source_address
from annotator.ui.widgets.row_menu import add_copy

_FILE_PLACEHOLDER = "{file}"
_MAX_NAME_CHARS = 60


class ItemSource:
    """The acts on the source of the item that a page shows."""

    def __init__(self, context: PageContext, current_view: Callable[[], SubjectView | None]) -> None:
        """``current_view`` is called when an act starts and returns the item to act on."""
        self._context, self._current_view = context, current_view
        self._copies: QTemporaryDir | None = None
        """The folder of the copies, created with the first one and deleted with the page."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the acts by their action ids."""
        return {
            "subject.editor": self.open_in_editor,
            "subject.browser": self.open_in_browser,
            "subject.copy_path": self.copy_path,
        }

    def add_entries(self, menu: QMenu) -> None:
        """Add the acts on the current item's source to a menu."""
        view = self._current_view()
        if view is None:
            return
        menu.addSeparator()
        menu.addAction(self._context.actions.action("subject.editor"))
        if source_address(view):
            menu.addAction(self._context.actions.action("subject.browser"))
        add_copy(menu, tr("Copy the address"), source_address(view))
        if _path_of(view):
            menu.addAction(self._context.actions.action("subject.copy_path"))
        add_copy(menu, tr("Copy the key"), view.row.key)
        add_copy(menu, tr("Copy the title"), view.row.title)

    def open_in_browser(self) -> None:
        """Open the page the item comes from."""
        view = self._current_view()
        address = source_address(view) if view is not None else ""
        if not address:
            self._say(tr("This item has no address to open."))
        elif not QDesktopServices.openUrl(QUrl(address)):
            self._fail(tr("No program could open the address. Copy it from the row's menu."))

    def copy_path(self) -> None:
        """Put the path of the item's file on the clipboard."""
        view = self._current_view()
        path = _path_of(view) if view is not None else ""
        if path:
            QGuiApplication.clipboard().setText(path)
            self._say(tr("Copied: {path}", path=path))
        else:
            self._say(tr("This item does not come from a file."))

    def open_in_editor(self) -> None:
        """Open the item's file, or a read-only copy of its code or prompt, in the user's editor."""
        view = self._current_view()
        if view is None:
            self._say(tr("No item is shown."))
            return
        command = str(self._context.setting("editor")).strip()
        try:
            # The system may run a code file instead of showing it, so without an editor it gets a .txt copy.
            path = (find_local_file(view.provenance) or self._copy_of(view)) if command else self._copy_of(view, ".txt")
        except OSError as error:
            self._fail(tr("The file for the editor could not be written ({reason}).", reason=error.strerror or ""))
            return
        if not command:
            if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
                self._fail(tr("No program could open the text file. Set your editor in the settings."))
            return
        program, *arguments = build_editor_command(command, path)
        if not QProcess.startDetached(program, arguments)[0]:
            self._fail(tr("The editor {program} could not be started. Check Editor in the settings.", program=program))

    def _copy_of(self, view: SubjectView, forced_suffix: str = "") -> Path:
        """Write an item's code, or its prompt if it has none, to a read-only file."""
        code = "" if looks_like_prose(view.reference) else view.reference
        text = "\n\n".join(part.strip("\n") for part in (view.context, code) if part.strip())
        if text:
            suffix = PurePosixPath(_path_of(view)).suffix or SUFFIXES.get(view.row.language.lower(), ".txt")
        else:
            text, suffix = view.prompt, ".md"
        text = text.rstrip("\n") + "\n"
        name = re.sub(r"[^\w-]+", "-", view.row.key)[-_MAX_NAME_CHARS:].strip("-") or "item"
        if self._copies is None or not self._copies.isValid():
            self._copies = QTemporaryDir(f"{QDir.tempPath()}/annotator-editor-XXXXXX")
        if not self._copies.isValid():
            raise OSError(errno.EIO, self._copies.errorString())
        folder = Path(self._copies.path(), content_hash(text)[:12])
        folder.mkdir(exist_ok=True)
        path = folder / f"{name}{forced_suffix or suffix}"
        if not path.exists():
            path.write_text(text, encoding="utf-8")
            path.chmod(0o400)
        return path

    def _say(self, text: str) -> None:
        self._context.session.say(text)

    def _fail(self, text: str) -> None:
        self._context.session.failed.emit(WorkFailure(message=text))


def build_editor_command(command: str, path: Path) -> list[str]:
    """Return program and arguments of a command; the path replaces ``{file}`` or is appended."""
    parts = QProcess.splitCommand(command) or [command]
    if not any(_FILE_PLACEHOLDER in part for part in parts):
        return [*parts, str(path)]
    return [part.replace(_FILE_PLACEHOLDER, str(path)) for part in parts]


def find_local_file(provenance: Mapping[str, Any]) -> Path | None:
    """Return the file an item comes from if it is on this machine and inside the imported folder."""
    path = provenance.get("path")
    for root in (provenance.get("repository"), provenance.get("origin")):
        if isinstance(path, str) and path and isinstance(root, str) and Path(root).is_absolute():
            candidate = Path(root, path).resolve()
            if candidate.is_relative_to(Path(root).resolve()) and candidate.is_file():
                return candidate
    return None


def _path_of(view: SubjectView) -> str:
    path = view.provenance.get("path")
    return path if isinstance(path, str) else ""
