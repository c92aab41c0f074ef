"""The comments on a subject: read, written and answered."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from annotator.model.rows.judging_rows import CommentRow
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.draft_field import DraftBar, DraftDot, DraftField
from annotator.ui.widgets.fields import line_edit
from annotator.ui.widgets.labels import button
from annotator.ui.widgets.layouts import arrange
from annotator.ui.widgets.table import Cell, DataTable, moment_cell


class CommentPanel(QWidget):
    """The comments on a subject and a field for a new one."""

    written = Signal(str, str)
    """The text, and the id of the comment it replies to or an empty string."""

    def __init__(self, theme: Theme, drafts: DraftKeeper) -> None:
        super().__init__()
        self._reply_to_id = ""
        self.table = DataTable(tr("Comments"), selected=self._choose)
        self.line = line_edit(tr("New comment"), tr("Write a comment; @name notifies a person"))
        self.draft = DraftField.for_line(drafts, "consensus.comment", self.line)
        self.draft_bar = DraftBar(theme, self.draft)
        self.send = button(tr("Comment"), primary=True, clicked=self._send)
        self.line.returnPressed.connect(self._send)
        self.reply = button(tr("Reply"), clicked=self._reply)
        self.reply.setEnabled(False)
        row = arrange(QHBoxLayout(), DraftDot(self.draft), (self.line, 1), self.reply, self.send)
        arrange(QVBoxLayout(self), (self.table, 1), self.draft_bar, row)

    def show_comments(self, subject_id: str, rows: tuple[CommentRow, ...]) -> None:
        """Show the comments on a subject with their mentions and the author each one replies to."""
        self.draft.show_item(subject_id, subject_id=subject_id)
        writers = {row.id: row.annotator for row in rows}
        cells = [
            (
                Cell(row.annotator),
                Cell(", ".join(f"@{name}" for name in row.mentions)),
                Cell(writers.get(row.reply_to, "") if row.reply_to else ""),
                Cell(row.text),
                moment_cell(row.created_at),
            )
            for row in rows
        ]
        self.table.set_rows(
            (tr("who"), tr("mentions"), tr("reply to"), tr("comment"), tr("when")),
            cells,
            list(rows),
            stretch=3,
            spare=(1, 2),
        )
        reply_row_numbers = [number for number, row in enumerate(rows) if row.id == self._reply_to_id]
        if reply_row_numbers:
            self.table.select(reply_row_numbers[0])
        else:
            self._reply_to_id = ""
        self.reply.setEnabled(bool(reply_row_numbers))

    def _choose(self, row: CommentRow) -> None:
        self._reply_to_id = row.id
        self.reply.setEnabled(True)

    def _send(self) -> None:
        self.written.emit(self.line.text(), "")

    def _reply(self) -> None:
        self.written.emit(self.line.text(), self._reply_to_id)
