"""All unsaved texts of the project: read, open or discard them, even if their item is gone."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.draft_rows import Draft
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import draft_time
from annotator.ui.widgets.labels import button, label, shorten_end
from annotator.ui.widgets.layouts import make_column, make_row, make_splitter
from annotator.ui.widgets.table import Cell, DataTable

_LETTERS = 60


class UnsavedTextsDialog(Dialog):
    """Lists the drafts and shows the selected one's text; a draft whose item is gone can be read and copied here."""

    draft_requested = Signal(object)
    """The `Draft` to show where it was typed."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("unsaved-texts")
        self.setWindowTitle(tr("Unsaved texts"))
        self._session = session
        self._draft: Draft | None = None
        self.table = DataTable(tr("Unsaved texts"), selected=self._show)
        self.text = CodeView(theme, tr("The whole text"))
        self.text.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
        self.go = button(tr("Show where it was written"), primary=True, clicked=self._go)
        self.discard_button = button(tr("Discard"), clicked=self.discard)
        shut = button(tr("Close"), clicked=self.reject)
        about = tr("If the item of a text is gone, read and copy the text here.")
        across = make_splitter(Qt.Orientation.Horizontal, self.table, self.text, sizes=(420, 480))
        foot = make_row(self.discard_button, None, shut, self.go, spacing=8)
        make_column(self, label(about, "dim", wrap=True), (across, 1), foot, spacing=12, margin=16)
        self.resize(theme.pixels(920), theme.pixels(520))
        self._show_drafts()

    def _show_drafts(self) -> None:
        drafts = self._session.drafts.drafts
        rows = [
            (
                Cell(translate_word(draft.key.page)),
                Cell(shorten_end(" ".join(draft.text.split()), _LETTERS)),
                Cell(draft_time(draft.written_at), draft.written_at),
            )
            for draft in drafts
        ]
        self.table.set_rows((tr("page"), tr("text"), tr("when")), rows, drafts, stretch=1)
        for act_button in (self.go, self.discard_button):
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
            # A field on screen then shows the stored text again.
            drafts.read_again()
