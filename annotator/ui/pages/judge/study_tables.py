"""The list of one's own verdicts, and the tables of a study's report with its notes and the button to unblind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.judging_rows import OwnVerdict
from annotator.services.judge.agreement import TextTable
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_words, tr, tr_count, tr_message
from annotator.ui.pages.judge.pair_panel import show_pair_sides
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import clear_layout, fill_column, make_row, make_scroll, make_splitter
from annotator.ui.widgets.table import Cell, DataTable


class OwnVerdicts(QWidget):
    """Lists verdicts, and below them the pair of the selected one, in the order in which it was shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.table = DataTable(tr("Your verdicts"), selected=self._show_pair)
        self.remark = label("", "dim", wrap=True)
        self.first = CodeView(theme, tr("Candidate 1"), wrap=True)
        self.second = CodeView(theme, tr("Candidate 2"), wrap=True)
        pair_view = make_splitter(Qt.Orientation.Horizontal, Card("1", self.first), Card("2", self.second))
        list_card = Card(tr("Your verdicts"), self.remark, (self.table, 1))
        fill_column(self, (make_splitter(Qt.Orientation.Vertical, list_card, pair_view, sizes=(320, 260)), 1))

    def show_verdicts(self, verdicts: Sequence[OwnVerdict]) -> None:
        """List verdicts and select the newest."""
        verdict_words = {"1": tr("1 is better"), "2": tr("2 is better"), "tie": tr("Tie"), "both_bad": tr("Both bad")}
        self.remark.setText(
            tr_count("{count} verdict. Undo reverts the newest.", "{count} verdicts. Undo reverts the newest.",
                     len(verdicts))
            if verdicts
            else tr("You have not judged any pair of this study yet.")
        )  # fmt: skip
        cells = [
            (
                Cell(str(row.pair.position + 1), row.pair.position),
                Cell(row.title),
                Cell(verdict_words.get(row.choice, row.choice)),
                Cell(tr("repeated") if row.again else ""),
                Cell("n/a", -1.0)
                if row.seconds is None
                else Cell(tr("{seconds} s", seconds=f"{row.seconds:.0f}"), row.seconds),
                Cell(row.rationale),
            )
            for row in verdicts
        ]
        headers = mark_words("pair", "subject", "verdict", "shown", "time", "rationale")
        self.table.set_rows(headers, cells, list(verdicts), stretch=(1, 5))
        if verdicts:
            self.table.select(len(verdicts) - 1)
        else:
            self._show_pair(None)

    def _show_pair(self, row: Any) -> None:
        show_pair_sides(row.pair if isinstance(row, OwnVerdict) else None, self.first, self.second)


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
        self.unblind_button = button(tr("Unblind…"), clicked=self.unblind_requested)
        self.verify_button = button(tr("Verify map"), clicked=self.check_requested)
        head = Card("", make_row((self.heading, 1), self.verify_button, self.unblind_button), self.remark)
        self.inner = QWidget()
        self.column = fill_column(self.inner, spacing=12)
        self.tables: dict[str, DataTable] = {}
        area = make_scroll(self.inner)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        fill_column(self, head, (area, 1), spacing=12)

    def show_failure(self, failure: WorkFailure) -> None:
        """Show why the report could not be made."""
        self._clear()
        self.heading.setText(tr("No tables yet"))
        self.remark.setText(failure.message)
        for act_button in (self.unblind_button, self.verify_button):
            act_button.setEnabled(False)

    def show_report(
        self, heading: str, notes: list[str], sections: tuple[TextTable, ...], *, is_unblinded: bool
    ) -> None:
        """Show a report's tables; ``is_unblinded`` if the identities of A and B are known already."""
        previous_tables = self.tables
        self._clear()
        self.heading.setText(heading)
        self.remark.setText("\n".join(map(tr_message, notes)))
        self.verify_button.setEnabled(True)
        self.unblind_button.setEnabled(not is_unblinded)
        for section in sections:
            if not section.rows:
                continue
            table = DataTable(tr_message(section.title))
            table.setObjectName(section.title)
            if section.title in previous_tables:
                table.adopt_choices(previous_tables[section.title])
            rows = [
                [_make_cell(text, column in section.right) for column, text in enumerate(row)] for row in section.rows
            ]
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


def _make_cell(text: str, is_number: bool) -> Cell:
    if not is_number:
        return Cell(text)
    try:
        return Cell(text, float(text.lstrip("$€£<").split()[0]))
    except (ValueError, IndexError):
        return Cell(text, -1.0)
