"""What every page of the window is: a widget that binds actions, refreshes itself and keeps its state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QWidget

from annotator.base.settings import Settings
from annotator.model.changes import Changes
from annotator.model.rows.drafts import Draft
from annotator.model.rows.queue import SubjectRow
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, translate_word


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """What a page may use: the bridge to the project, the look, and the table of actions."""

    session: Session
    theme: Theme
    actions: ActionRegistry
    settings: Callable[[], Settings]
    """The settings in force."""
    holder: QWidget | None = None
    """Where pages are shown. A widget moved to another parent is styled again with all there is in it."""

    def setting(self, key: str) -> Any:
        """Return the value in force of a setting."""
        return self.settings().get(key)


@dataclass(frozen=True, slots=True)
class Destination:
    """Another page to show, and the subject to show there (empty: the page's own choice)."""

    page: str
    subject_id: str = ""


class Page(QWidget):
    """Base of the ten pages. It is built while a project is open, once per project, when first shown."""

    name: ClassVar[str] = ""
    icon: ClassVar[str] = ""

    go_to = Signal(object)
    """Emitted with a `Destination` when the page wants another page shown."""

    part_built = Signal(QWidget)
    """Emitted with a panel that was built after the page, which is to be arranged as it was last time."""

    def __init__(self, context: PageContext) -> None:
        """Build the page's frame; data is asked for in `activate`."""
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
        """The page is now visible: load or refresh what it shows."""

    def deactivate(self) -> None:
        """Another page is shown now: stop what only matters while visible. Pending text is saved separately."""

    def call_back(self) -> None:
        """Work ended that may have taken long: draw attention to the window if people are elsewhere by now."""
        window = self.window()
        if not window.isActiveWindow():
            QApplication.alert(window)

    def refresh(self, changes: Changes) -> None:
        """Something changed: re-query what of it is on screen. Called only while visible, or just before `activate`."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what the page does for each action id of the table; actions it leaves out are disabled."""
        return {}

    def show_subject(self, subject_id: str) -> None:
        """Show a subject another page asked for; pages without subjects do nothing."""

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Files were dropped on the window; only the page of sources is asked."""

    def subject_on_screen(self) -> SubjectRow | None:
        """Return the subject that is shown, which the next page goes on with; None on pages without subjects."""
        return None

    def follow_subject(self, row: SubjectRow) -> None:
        """Go on with the subject of the page that was left, if it is listed here; no filter is changed for it."""

    def reveal(self, changes: Changes) -> bool:  # noqa: ARG002 - pages without a queue show nothing of it
        """Make what an undo or redo concerned current here; returns whether this page can show it."""
        return False

    def show_draft(self, draft: Draft) -> None:
        """Show a draft in the field where it was typed."""
        self.show_subject(draft.subject_id)

    def state(self) -> dict[str, Any]:
        """Return what the page wants back next time (filters, faces), as plain JSON values.

        Splitters, widths of columns and scroll positions are kept for it.
        """
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Take back what `state` returned, possibly by an older version: unknown or odd values are ignored."""

    def finish_typing(self) -> None:
        """Hand over as drafts what is still being typed in slow fields: the page or its item is about to be left."""
