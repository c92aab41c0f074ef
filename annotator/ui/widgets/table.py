"""A table of records: sortable, numbers on the right, rows that can be opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows and what it is sorted by (None: by what it shows)."""

    text: str
    value: float | str | None = None


class TableModel(QAbstractTableModel):
    """Rows of cells with a payload each."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self._headers: tuple[str, ...] = ()
        self._rows: list[tuple[Cell, ...]] = []
        self._payloads: list[Any] = []

    def fill(self, headers: Sequence[str], rows: Sequence[Sequence[Cell]], payloads: Sequence[Any]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._headers = tuple(headers)
        self._rows = [tuple(row) for row in rows]
        self._payloads = list(payloads)
        self.endResetModel()

    def payload(self, row: int) -> Any:
        """Return what a row stands for."""
        return self._payloads[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(self._headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's name."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._headers):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headers[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and self._numeric(section):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, sort value or alignment."""
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        cell = self._rows[index.row()][index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return cell.text
        if role == Qt.ItemDataRole.UserRole:
            return cell.text if cell.value is None else cell.value
        if role == Qt.ItemDataRole.TextAlignmentRole and isinstance(cell.value, (int, float)):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _numeric(self, column: int) -> bool:
        return bool(self._rows) and isinstance(self._rows[0][column].value, (int, float))


class DataTable(QTableView):
    """The view; `row_activated` carries the payload of a row opened by double click or Return."""

    row_activated = Signal(object)
    row_selected = Signal(object)

    def __init__(self, name: str) -> None:
        """Show nothing yet; ``name`` is for screen readers."""
        super().__init__()
        self.setAccessibleName(name)
        self._model = TableModel()
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(self._model)
        self._proxy.setSortRole(Qt.ItemDataRole.UserRole)
        self.setModel(self._proxy)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(34)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.doubleClicked.connect(self._open)
        self.selectionModel().currentRowChanged.connect(self._moved)

    def set_rows(
        self,
        headers: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        payloads: Sequence[Any],
        stretch: int | tuple[int, ...] = 0,
    ) -> None:
        """Show rows; ``stretch`` names the columns that share the room left."""
        self.setSortingEnabled(False)
        self._model.fill(headers, rows, payloads)
        self._proxy.sort(-1)
        self.setSortingEnabled(True)
        wide = stretch if isinstance(stretch, tuple) else (stretch,)
        header = self.horizontalHeader()
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.resizeColumnsToContents()
        for column in range(len(headers)):
            mode = QHeaderView.ResizeMode.Stretch if column in wide else QHeaderView.ResizeMode.Interactive
            header.setSectionResizeMode(column, mode)
            if column not in wide:
                self.setColumnWidth(column, min(self.columnWidth(column) + 12, 360))

    def payload_at(self, index: Index) -> Any:
        """Return what a view row stands for."""
        return self._model.payload(self._proxy.mapToSource(index).row())

    def row_count(self) -> int:
        """Return how many rows are shown."""
        return self._proxy.rowCount()

    def select(self, row: int) -> None:
        """Select a row as shown."""
        self.setCurrentIndex(self._proxy.index(row, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the current row on Return."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._open(self.currentIndex())
            return
        super().keyPressEvent(event)

    def _open(self, index: QModelIndex) -> None:
        self.row_activated.emit(self.payload_at(index))

    def _moved(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.row_selected.emit(self.payload_at(current))
