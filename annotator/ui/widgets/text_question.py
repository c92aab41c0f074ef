"""A question with a text as its answer, which is kept as a draft until it is accepted."""

from __future__ import annotations

from PySide6.QtWidgets import QDialogButtonBox, QWidget

from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import line_edit
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import make_column


class TextQuestion(Dialog):
    """Asks for one line of text; if it is cancelled, the text is restored the next time."""

    def __init__(
        self,
        parent: QWidget,
        theme: Theme,
        drafts: DraftKeeper,
        title: str,
        question: str,
        *,
        name: str,
        item_id: str,
        subject_id: str = "",
    ) -> None:
        """Build the dialog; ``name``, ``item_id`` and ``subject_id`` identify the draft in the journal."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.line = line_edit(question)
        self.draft = DraftField.for_line(drafts, name, self.line)
        self.draft_bar = DraftBar(theme, self.draft)
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        make_column(self, label(question, wrap=True), self.draft_bar, self.line, buttons, spacing=8, margin=16)
        self.setMinimumWidth(theme.pixels(420))
        self._item_id = item_id
        self.draft.show_item(item_id, subject_id=subject_id)
        self.accepted.connect(self._forget_draft)

    def _forget_draft(self) -> None:
        self.draft.finish(self._item_id)


def ask_text(
    parent: QWidget,
    theme: Theme,
    drafts: DraftKeeper,
    title: str,
    question: str,
    *,
    name: str,
    item_id: str,
    subject_id: str = "",
) -> str | None:
    """Ask for one line and return it, or None if cancelled; see `TextQuestion`."""
    dialog = TextQuestion(parent, theme, drafts, title, question, name=name, item_id=item_id, subject_id=subject_id)
    agreed = dialog.exec()
    text = dialog.line.text()
    dialog.deleteLater()
    return text if agreed else None
