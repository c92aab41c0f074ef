"""The quotas of a project as a table to edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from annotator.base.errors import KnownError
from annotator.mining.quota_plan import DIMENSIONS, parse_quotas
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import make_row


class QuotaDialog(Dialog):
    """Edits quotas; `rows` holds the entered quotas after the dialog was accepted."""

    def __init__(self, parent: QWidget, rows: Sequence[dict[str, Any]]) -> None:
        """``rows`` are quotas as `annotator.mining.quota_plan.quotas_json` returns them."""
        super().__init__(parent)
        self.setWindowTitle(tr("Quotas of the project"))
        self.rows: list[dict[str, Any]] = []
        self._columns = (*DIMENSIONS, "wanted")
        self.table = QTableWidget(0, len(self._columns))
        self.table.setAccessibleName(tr("Quotas"))
        self.table.setHorizontalHeaderLabels([translate_word(name) for name in (*DIMENSIONS, "target")])
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.verticalHeader().hide()
        self.problem = label("", "problem", wrap=True)
        self.problem.hide()
        more, fewer = button(tr("Add a quota"), clicked=self._add), button(tr("Remove selected"))
        fewer.clicked.connect(self._remove)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        below = make_row(more, fewer, None, self.buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        about = tr("Target number of accepted subjects with these values. An empty cell matches any value.")
        layout.addWidget(label(about, "dim", wrap=True))
        layout.addWidget(self.table, 1)
        layout.addWidget(self.problem)
        layout.addLayout(below)
        for row in rows:
            self._insert(row)
        self.resize(720, 460)

    def accept(self) -> None:
        """Accept valid quotas; show the problem of invalid ones."""
        rows = self._entered_rows()
        try:
            parse_quotas(rows)
        except KnownError as error:
            self.problem.setText(error.message)
            self.problem.show()
            return
        self.rows = rows
        super().accept()

    def _insert(self, row: dict[str, Any]) -> None:
        place = self.table.rowCount()
        self.table.insertRow(place)
        for column, name in enumerate(self._columns):
            item = QTableWidgetItem(str(row.get(name, "")))
            if name == "wanted":
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.table.setItem(place, column, item)

    def _add(self) -> None:
        self._insert({"wanted": 10})
        self.table.setCurrentCell(self.table.rowCount() - 1, 0)
        self.table.setFocus()

    def _remove(self) -> None:
        for place in sorted({index.row() for index in self.table.selectedIndexes()}, reverse=True):
            self.table.removeRow(place)

    def _entered_rows(self) -> list[dict[str, Any]]:
        rows = []
        for place in range(self.table.rowCount()):
            texts = {name: self._text(place, column) for column, name in enumerate(self._columns)}
            count_text = texts.pop("wanted")
            if not count_text and not any(texts.values()):
                continue
            row: dict[str, Any] = {name: text for name, text in texts.items() if text}
            row["wanted"] = int(count_text) if count_text.isascii() and count_text.isdecimal() else count_text
            rows.append(row)
        return rows

    def _text(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return item.text().strip() if item is not None else ""
