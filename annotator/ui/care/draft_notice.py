"""The bar that announces the unsaved drafts of a project when it is opened, and the dialog that lists them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QWidget

from annotator.model.rows.draft_rows import Draft
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_words, tr, tr_count, translate_word
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import draft_time
from annotator.ui.widgets.labels import button, label, shorten_end
from annotator.ui.widgets.layouts import fill_row, make_row, make_splitter
from annotator.ui.widgets.table import Cell, DataTable

_MAX_TEXT_CHARS = 60


class UnsavedTextsDialog(Dialog):
    """Lists the drafts and shows the selected one, so that a draft whose item is gone can still be read and copied."""

    draft_requested = Signal(object)
    """The `Draft` to show where it was typed."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, tr("Unsaved texts"), name="unsaved-texts", size=(theme.pixels(920), theme.pixels(520)))
        self._session = session
        self._draft: Draft | None = None
        self.table = DataTable(tr("Unsaved texts"), selected=self._show)
        self.text = CodeView(theme, tr("The whole text"), wrap=True)
        self.show_button = button(tr("Show where it was written"), primary=True, clicked=self._go)
        self.discard_button = button(tr("Discard"), clicked=self.discard)
        close_button = button(tr("Close"), clicked=self.reject)
        about = tr("If the item of a text is gone, read and copy the text here.")
        splitter = make_splitter(Qt.Orientation.Horizontal, self.table, self.text, sizes=(420, 480))
        foot = make_row(self.discard_button, None, close_button, self.show_button)
        self.lay_out(label(about, "dim", wrap=True), (splitter, 1), foot)
        self._show_drafts()

    def _show_drafts(self) -> None:
        drafts = self._session.drafts.drafts
        rows = [
            (
                Cell(translate_word(draft.key.page)),
                Cell(shorten_end(" ".join(draft.text.split()), _MAX_TEXT_CHARS)),
                Cell(draft_time(draft.written_at), draft.written_at),
            )
            for draft in drafts
        ]
        self.table.set_rows(mark_words("page", "text", "when"), rows, drafts, stretch=1)
        for act_button in (self.show_button, self.discard_button):
            act_button.setEnabled(bool(drafts))
        if drafts:
            self.table.select(0)
        else:
            self._draft = None
            self.text.set_code("")

    def _show(self, draft: Draft) -> None:
        self._draft = draft
        self.text.set_code(draft.text)

    def _go(self) -> None:
        if self._draft is not None:
            self.draft_requested.emit(self._draft)
            self.accept()

    def discard(self) -> None:
        """Discard the selected draft."""
        if self._draft is not None:
            drafts = self._session.drafts
            drafts.discard(self._draft.key.field, self._draft.key.item_id)
            self._show_drafts()
            # Makes a field on screen show the stored text again.
            drafts.read_again()


class DraftNotice(QFrame):
    """The bar for a project with drafts, shown until the user goes to a draft or dismisses the bar."""

    draft_requested = Signal(object)
    """The `Draft` to show where it was typed."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        """Build the hidden bar; it closes with the session's project."""
        super().__init__(parent)
        self.setObjectName("draft-notice")
        self.setAccessibleName(tr("Unsaved drafts"))
        self._session, self._theme = session, theme
        self.text = label("", wrap=True)
        self.show_button = button("", primary=True, clicked=self._go)
        self.see_all_button = button(tr("See all…"), clicked=self._see_all)
        self.dismiss_button = button(tr("Dismiss"), clicked=self.hide)
        align_top = Qt.AlignmentFlag.AlignTop
        parts = (
            (self.text, 1),
            (self.show_button, align_top),
            (self.see_all_button, align_top),
            (self.dismiss_button, align_top),
        )
        fill_row(self, *parts, margin=(12, 8, 12, 8))
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
        self.show_button.setText(word)
        self.show_button.setAccessibleName(word)
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
