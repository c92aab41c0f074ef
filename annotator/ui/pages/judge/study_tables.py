"""The results of a study: all tables of its report, with warnings and the button to unblind."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from annotator.services.judge.agreement import TextTable
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_message
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import arrange, clear_layout, make_scroll
from annotator.ui.widgets.table import Cell, DataTable

_ROW_HEIGHT = 34
_MAX_ROWS = 12


class StudyTables(QWidget):
    """The report of one study."""

    unblind_requested = Signal()
    check_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.heading = label("", "section", wrap=True)
        self.remark = label("", "dim", wrap=True)
        self.unblind = button(tr("Unblind…"), clicked=self.unblind_requested)
        self.verify = button(tr("Verify map"), clicked=self.check_requested)
        head = Card("", arrange(QHBoxLayout(), (self.heading, 1), self.verify, self.unblind), self.remark)
        self.inner = QWidget()
        self.column = arrange(QVBoxLayout(self.inner), spacing=12)
        self.tables: dict[str, DataTable] = {}
        area = make_scroll(self.inner)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        arrange(QVBoxLayout(self), head, (area, 1), spacing=12)

    def show_failure(self, failure: WorkFailure) -> None:
        """Show why there are no tables."""
        self._clear()
        self.heading.setText(tr("No tables yet"))
        self.remark.setText(failure.message)
        for act_button in (self.unblind, self.verify):
            act_button.setEnabled(False)

    def show_report(
        self, heading: str, notes: list[str], sections: tuple[TextTable, ...], *, is_unblinded: bool
    ) -> None:
        """Show a report's tables; ``is_unblinded`` if the identities of A and B are known already."""
        self._clear()
        self.heading.setText(heading)
        self.remark.setText("\n".join(map(tr_message, notes)))
        self.verify.setEnabled(True)
        self.unblind.setEnabled(not is_unblinded)
        for section in sections:
            if not section.rows:
                continue
            table = DataTable(tr_message(section.title))
            rows = [[_cell(text, column in section.right) for column, text in enumerate(row)] for row in section.rows]
            # The column of remarks is stretched, else the first column.
            stretched_column = len(section.headers) - 1 if section.headers[-1] == "remark" else 0
            table.set_rows(section.headers, rows, list(section.rows), stretch=stretched_column)
            table.setFixedHeight(_ROW_HEIGHT * (min(len(rows), _MAX_ROWS) + 1) + 12)
            self.tables[section.title] = table
            self.column.addWidget(Card(tr_message(section.title), table))
        self.column.addStretch(1)

    def _clear(self) -> None:
        self.tables = {}
        clear_layout(self.column)


def _cell(text: str, is_number: bool) -> Cell:
    if not is_number:
        return Cell(text)
    try:
        return Cell(text, float(text.lstrip("$€£<").split()[0]))
    except (ValueError, IndexError):
        return Cell(text, -1.0)
