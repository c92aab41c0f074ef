"""The bar above the pages that counts the unsaved drafts of a project when it is opened."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count
from annotator.ui.care.unsaved_texts import UnsavedTextsDialog
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import arrange


class DraftNotice(QFrame):
    """Shown once for a project with drafts, until somebody goes to the first or dismisses it."""

    draft_requested = Signal(object)
    """The `Draft` to show where it was typed."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        """Build the hidden bar; it closes with the session's project."""
        super().__init__(parent)
        self.setObjectName("draft-notice")
        self.setAccessibleName(tr("Unsaved drafts"))
        self._session, self._theme = session, theme
        self.text = label("", wrap=True)
        self.go = button("", primary=True, clicked=self._go)
        self.see_all = button(tr("See all…"), clicked=self._see_all)
        self.dismiss = button(tr("Dismiss"), clicked=self.hide)
        top = Qt.AlignmentFlag.AlignTop
        parts = ((self.text, 1), (self.go, top), (self.see_all, top), (self.dismiss, top))
        arrange(QHBoxLayout(self), *parts, margins=(12, 8, 12, 8))
        session.closed.connect(self.hide)
        self.hide()

    def show_state(self) -> None:
        """Show the number of drafts, or hide the bar if there are none."""
        count = len(self._session.drafts.drafts)
        self.setVisible(count > 0)
        if count == 0:
            return
        self.text.setText(
            tr_count(
                "{count} text in this project was not saved. It is kept as a draft where it was typed.",
                "{count} texts in this project were not saved. They are kept as drafts where they were typed.",
                count,
            )
        )
        word = tr("Show it") if count == 1 else tr("Show the first")
        self.go.setText(word)
        self.go.setAccessibleName(word)
        QAccessible.updateAccessibility(QAccessibleEvent(self.text, QAccessible.Event.Alert))

    def _see_all(self) -> None:
        dialog = UnsavedTextsDialog(self._session, self._theme, self.window())
        dialog.draft_requested.connect(self.draft_requested)
        dialog.open_once()

    def _go(self) -> None:
        self.hide()
        drafts = self._session.drafts.drafts
        if drafts:
            self.draft_requested.emit(drafts[0])
