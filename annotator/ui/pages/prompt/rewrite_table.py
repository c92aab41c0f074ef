"""The table of tests shared by all languages, a row each, with inputs and expected output as JSON."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from annotator.base.errors import BadInputError
from annotator.mining.parity import parse_table
from annotator.mining.rendering import render_types
from annotator.ui.app.translation import tr
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import make_column, make_row

_COLUMNS = ("name", "inputs", "expected", "comparator")


class RewriteTable(QWidget):
    """Edits the rows of tests; `edited` is emitted on every change."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.table = QTableWidget(0, len(_COLUMNS))
        self.table.setAccessibleName(tr("Tests of every language"))
        self.table.setHorizontalHeaderLabels(
            [tr("name"), tr("inputs (JSON list)"), tr("expected (JSON)"), tr("comparator")]
        )
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column in (0, 3):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
        self.table.setColumnWidth(0, 170)
        self.types = label("", "dim", wrap=True)
        self.more = button(tr("Add a row"), clicked=self._add)
        fewer = button(tr("Remove selected"), clicked=self._remove)
        row = make_row(self.more, fewer, label(tr("Comparators: equal, close, unordered, raises"), "dim"), None)
        make_column(self, (self.table, 1), self.types, row, spacing=8)
        self.table.itemChanged.connect(self._changed)

    def set_cells(self, cells: list[list[str]]) -> None:
        """Show rows as returned by `cells` and `rewrite_table_cells`, without emitting `edited`."""
        self.table.blockSignals(True)
        self.table.setRowCount(0)
        for texts in cells:
            self._insert(texts)
        self.table.blockSignals(False)
        self.show_types()

    def cells(self) -> list[list[str]]:
        """Return the texts of all cells, valid or not."""
        return [[self._text(row, column) for column in range(len(_COLUMNS))] for row in range(self.table.rowCount())]

    def document(self) -> dict[str, Any]:
        """Return the rows as a document. Raises `BadInputError` for a cell that is not JSON."""
        rows = []
        for place in range(self.table.rowCount()):
            texts = {name: self._text(place, column) for column, name in enumerate(_COLUMNS)}
            row: dict[str, Any] = {
                "name": texts["name"] or f"row {place + 1}",
                "comparator": texts["comparator"] or "equal",
            }
            for name in ("inputs", "expected"):
                if name == "expected" and row["comparator"] == "raises":
                    continue
                try:
                    row[name] = json.loads(texts[name])
                except (ValueError, RecursionError):
                    raise BadInputError(
                        tr('Row {place}: {name} is not valid JSON, such as [1, "a", null].', place=place + 1, name=name)
                    ) from None
            rows.append(row)
        return {"rows": rows}

    def show_types(self) -> None:
        """Show the parameter and result types that references in typed languages must have."""
        lines = []
        try:
            table = parse_table(self.document())
            for name in ("java", "c++", "typescript") if table.rows else ():
                parameter_types, result_type = render_types(table, name)
                lines.append(
                    tr(
                        "{name}: ({list}) returns {gives}",
                        name=name,
                        list=", ".join(parameter_types),
                        gives=result_type,
                    )
                )
        except BadInputError as error:
            lines.append(error.message)
        self.types.setText("\n".join(lines))

    def _insert(self, texts: list[str]) -> None:
        place = self.table.rowCount()
        self.table.insertRow(place)
        for column, text in enumerate(texts):
            self.table.setItem(place, column, QTableWidgetItem(text))

    def _text(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return item.text().strip() if item is not None else ""

    def _add(self) -> None:
        self._insert(_cells_of_row({"name": f"row {self.table.rowCount() + 1}"}))
        self._changed()

    def _remove(self) -> None:
        for place in sorted({index.row() for index in self.table.selectedIndexes()}, reverse=True):
            self.table.removeRow(place)
        self._changed()

    def _changed(self, _item: object = None) -> None:
        self.show_types()
        self.edited.emit()


def rewrite_table_cells(document: dict[str, Any]) -> list[list[str]]:
    """Return the cell texts of a document from `annotator.mining.parity.table_json`."""
    return [_cells_of_row(row) for row in document.get("rows", [])]


def _cells_of_row(row: dict[str, Any]) -> list[str]:
    raises = row.get("comparator") == "raises"
    return [
        str(row.get("name", "")),
        json.dumps(row.get("inputs", []), ensure_ascii=False),
        "" if raises else json.dumps(row.get("expected"), ensure_ascii=False),
        str(row.get("comparator", "equal")),
    ]
