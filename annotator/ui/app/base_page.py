"""The base class of the window's pages, and the objects that a page uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QWidget

from annotator.base.settings import Settings
from annotator.model.changes import Changes
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.queue_rows import SubjectRow
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, translate_word


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """The objects that a page uses: the session with the project, the theme, the actions and the settings."""

    session: Session
    theme: Theme
    actions: ActionRegistry
    settings: Callable[[], Settings]
    """Returns the current settings."""
    holder: QWidget | None = None
    """The parent of pages, set from the start because reparenting a widget restyles all its children."""

    def setting(self, key: str) -> Any:
        """Return the current value of a setting."""
        return self.settings().get(key)


@dataclass(frozen=True, slots=True)
class Destination:
    """A page to show, and the id of the subject to show there; empty: the page chooses."""

    page: str
    subject_id: str = ""


class Page(QWidget):
    """The base of the ten pages. A page is built once per open project, when it is first shown."""

    name: ClassVar[str] = ""
    icon: ClassVar[str] = ""

    go_to = Signal(object)
    """Emitted with a `Destination` to show another page."""

    part_built = Signal(QWidget)
    """Emitted with a panel that was built after the page, so that its saved layout can be restored."""

    def __init__(self, context: PageContext) -> None:
        """Build the page's widgets; its data is loaded in `activate`."""
        super().__init__(context.holder)
        self.context = context
        self.session = context.session
        if context.session.store is None:
            raise ValueError("a page is built while a project is open")
        self.store: ProjectFile = context.session.store
        self.theme = context.theme
        if self.name:
            self.setObjectName(f"page-{self.name.lower()}")
            self.setAccessibleName(tr("{name} page", name=translate_word(self.name)))

    def activate(self) -> None:
        """Load or refresh the content; called when the page becomes visible."""

    def deactivate(self) -> None:
        """Stop work that is needed only while the page is visible; called when another page is shown."""

    def alert_user(self) -> None:
        """Alert the user after long work if the window is not active."""
        window = self.window()
        if not window.isActiveWindow():
            QApplication.alert(window)

    def refresh(self, changes: Changes) -> None:
        """Reload what is on screen after a change. Called only while the page is visible, or just before `activate`."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the page's handlers by action id; actions without one are disabled."""
        return {}

    def show_subject(self, subject_id: str) -> None:
        """Show a subject at the request of another page; pages without subjects do nothing."""

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Handle files that were dropped on the window; called only on the page Sources."""

    def subject_on_screen(self) -> SubjectRow | None:
        """Return the subject shown, which the next page shows too; None on pages without subjects."""
        return None

    def follow_subject(self, row: SubjectRow) -> None:
        """Show the subject of the previous page if it is listed here; filters are not changed for it."""

    def reveal(self, changes: Changes) -> bool:  # noqa: ARG002 - used by pages with a queue
        """Show the subject of an undo or redo; return whether this page can."""
        return False

    def show_draft(self, draft: Draft) -> None:
        """Show a draft in the field where it was typed."""
        self.show_subject(draft.subject_id)

    def state(self) -> dict[str, Any]:
        """Return the state to restore the next time, such as filters and tabs, as plain JSON values.

        Splitters, column widths and scroll positions are saved automatically.
        """
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a result of `state`, possibly of an older version; unknown or invalid values are ignored."""

    def finish_typing(self) -> None:
        """Apply the input of fields that update with a delay; called before the page or its item is left."""
