"""A sortable table of records whose rows can be opened, and whose cells can have a background by value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QMetaMethod,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
    QStaticText,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QStyle, QStyleOptionViewItem, QTableView

from annotator.base import clock
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.labels import Slot, ago_text, escape_tool_tip, shorten_middle
from annotator.ui.widgets.row_menu import RowMenu, add_copies_of_row, paint_empty

Shade = Callable[[Any, int], tuple[str, str] | None]
"""Returns a cell's (background, text) colours as in CSS, given the row's payload and the column; None: a plain cell."""

_MARGIN = 11
"""Pixels between the text of a shaded cell and its right edge."""
Index = QModelIndex | QPersistentModelIndex
_CELL_PADDING = 26
"""Pixels that a column needs in addition to its widest text."""
_MAX_NARROW_WIDTH = 260
_MIN_WIDE_WIDTH = 110
_MIN_COLUMN_WIDTH = 24
_MIN_ROW_HEIGHT, _ROW_PADDING = 34, 14
_BASE_FONT_POINTS = 10
_MAX_MEASURED_ROWS = 200
_MAX_MEASURED_CHARS = 80
_MAX_HEADER_CHARS = 30
_HIDDEN = -1
"""The width recorded for a column that the user has hidden."""


class ShadedCell(NamedTuple):
    """The prepared painting of a shaded cell."""

    background: QColor
    pen: QPen
    text: QStaticText
    width: float


class CellShading:
    """Paints the cells of a table that have their own background. Each is laid out when it is first visible."""

    def __init__(self, view: QTableView, cell: Callable[[int, int], tuple[Any, str]]) -> None:
        """``cell`` returns a row's payload and a cell's text, given the model's row and column."""
        self._view, self._cell = view, cell
        self._shade: Shade | None = None
        self._shaded_cells: dict[tuple[int, int], ShadedCell | None] = {}

    def set_shade(self, shade: Shade | None) -> None:
        """Set the function that colours cells, and forget the cells laid out so far."""
        self._shade = shade
        self._shaded_cells.clear()

    def region(self, rows: dict[int, int]) -> QRegion:
        """Return the region of the shaded cells; ``rows`` maps each visible row of the view to the model's row."""
        columns = self._columns() if self._shade is not None else []
        shaded = QRegion()
        for row, source in rows.items():
            top, height = self._view.rowViewportPosition(row), self._view.rowHeight(row)
            neighbours: list[tuple[int, int]] = []
            for column, left_edge, width in columns:
                if self._shaded_cell(source, column) is None:
                    shaded += _region_of(neighbours, top, height)
                    neighbours = []
                else:
                    neighbours.append((left_edge, width))
            shaded += _region_of(neighbours, top, height)
        return shaded

    def paint(self, painter: QPainter, rows: dict[int, int]) -> None:
        """Paint the shaded cells of some rows; those of the current row get a frame."""
        view, columns = self._view, self._columns()
        metrics = view.fontMetrics()
        painter.setFont(view.font())
        current_row = view.currentIndex().row() if view.selectionModel().hasSelection() else -1
        for row, source in rows.items():
            top, height = view.rowViewportPosition(row), view.rowHeight(row)
            if row == current_row:
                self._paint_selection(painter, QRect(0, top, view.viewport().width(), height))
            text_top = top + (height - metrics.height()) // 2
            for column, left_edge, width in columns:
                shaded = self._shaded_cell(source, column)
                if shaded is None:
                    continue
                painter.fillRect(left_edge + 1, top + 1, width - 2, height - 2, shaded.background)
                painter.setPen(shaded.pen)
                painter.drawStaticText(round(left_edge + width - _MARGIN - shaded.width), text_top, shaded.text)
                if row == current_row:
                    painter.drawRect(left_edge + 1, top + 1, width - 3, height - 3)

    def _paint_selection(self, painter: QPainter, box: QRect) -> None:
        option = QStyleOptionViewItem()
        option.initFrom(self._view)
        option.rect = box
        option.state |= QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_Enabled
        self._view.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewRow, option, painter, self._view)

    def _columns(self) -> list[tuple[int, int, int]]:
        """Return (column, left edge, width) of the visible columns."""
        view = self._view
        columns = []
        for visual in range(view.horizontalHeader().count()):
            column = view.horizontalHeader().logicalIndex(visual)
            left_edge, width = view.columnViewportPosition(column), view.columnWidth(column)
            if left_edge >= view.viewport().width():
                break
            if left_edge + width > 0 and not view.isColumnHidden(column):
                columns.append((column, left_edge, width))
        return columns

    def _shaded_cell(self, row: int, column: int) -> ShadedCell | None:
        key = (row, column)
        if key not in self._shaded_cells:
            self._shaded_cells[key] = self._make_cell(row, column)
        return self._shaded_cells[key]

    def _make_cell(self, row: int, column: int) -> ShadedCell | None:
        payload, cell_text = self._cell(row, column)
        colours = self._shade(payload, column) if self._shade is not None else None
        if colours is None:
            return None
        text = QStaticText(cell_text)
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.prepare(font=self._view.font())
        return ShadedCell(QColor(colours[0]), QPen(QColor(colours[1])), text, text.size().width())


def _region_of(neighbours: list[tuple[int, int]], top: int, height: int) -> QRegion:
    if not neighbours:
        return QRegion()
    left_edge = neighbours[0][0]
    return QRegion(left_edge, top, neighbours[-1][0] + neighbours[-1][1] - left_edge, height)


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell, and the value to sort it by; None sorts by the text."""

    text: str
    value: float | str | None = None


CellContent = Cell | str | int
"""The content of a cell: a `Cell`, a text, or a count to be shown by `count_cell`."""


def count_cell(count: int) -> Cell:
    """Return a cell with a count, with thousands separators."""
    return Cell(f"{count:,}", count)


def moment_cell(moment: str) -> Cell:
    """Return a cell with the time since a stored moment, such as "5 min ago"; empty for an empty text."""
    return Cell(ago_text(clock.parse_time(moment)) if moment else "", moment)


def _as_cell(content: CellContent) -> Cell:
    if isinstance(content, Cell):
        return content
    return count_cell(content) if isinstance(content, int) else Cell(content)


class TableModel(QAbstractTableModel):
    """A model of rows, each with cells and a payload."""

    def __init__(self) -> None:
        super().__init__()
        self._headers: tuple[str, ...] = ()
        self.names: list[str] = []
        """The untranslated headers, which identify columns; equal ones get a number."""
        self._rows: list[tuple[Cell, ...]] = []
        self._payloads: list[Any] = []
        self._widths: dict[tuple[int, str], int] = {}

    def fill(self, headers: Sequence[str], rows: Sequence[Sequence[CellContent]], payloads: Sequence[Any]) -> None:
        """Replace the rows; the headers are translated here."""
        self.beginResetModel()
        self._headers = tuple(map(translate_word, headers))
        self.names = []
        for header in headers:
            same_count = sum(name.partition("\n")[0] == header for name in self.names)
            self.names.append(f"{header}\n{same_count + 1}" if same_count else header)
        self._rows = [tuple(map(_as_cell, row)) for row in rows]
        self._payloads = list(payloads)
        self._widths.clear()
        self.endResetModel()

    def payload(self, row: int) -> Any:
        """Return the payload of a row."""
        return self._payloads[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's name."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._headers):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return shorten_middle(self._headers[section], _MAX_HEADER_CHARS)
        if role == Qt.ItemDataRole.ToolTipRole:
            return escape_tool_tip(self._headers[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and self._is_numeric(section):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, sort value or alignment."""
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        cell = self._rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return escape_tool_tip(cell.text)
        if role == Qt.ItemDataRole.UserRole:
            return cell.text if cell.value is None else cell.value
        if role == Qt.ItemDataRole.TextAlignmentRole and isinstance(cell.value, (int, float)):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def payload_and_text(self, row: int, column: int) -> tuple[Any, str]:
        """Return the payload of a row and the text of a cell."""
        return self._payloads[row], self._rows[row][column].text

    def header(self, column: int) -> str:
        """Return a column's name."""
        return self._headers[column]

    def needed_width(self, column: int, font: QFont) -> int:
        """Return the width in pixels of the widest text among a column's header and first rows."""
        key = (column, font.key())
        if key not in self._widths:
            metrics = QFontMetrics(font)
            texts = {row[column].text[:_MAX_MEASURED_CHARS] for row in self._rows[:_MAX_MEASURED_ROWS]}
            if self._is_numeric(column):
                # Digits all have the same width, so the longest number is the widest.
                max_length = max(map(len, texts))
                texts = {next(text for text in texts if len(text) == max_length)}
            header = shorten_middle(self._headers[column], _MAX_HEADER_CHARS)
            self._widths[key] = max(metrics.horizontalAdvance(text) for text in (header, *texts))
        return self._widths[key]

    def _is_numeric(self, column: int) -> bool:
        return bool(self._rows) and isinstance(self._rows[0][column].value, (int, float))


class DataTable(QTableView):
    """The table view; `row_activated` carries the payload of a row opened by double click or Return."""

    row_activated = Signal(object)
    row_selected = Signal(object)
    cell_selected = Signal(object, int)
    """The payload of the current row and the current column."""

    def __init__(
        self,
        name: str,
        *,
        selected: Slot | None = None,
        activated: Slot | None = None,
        header: QHeaderView | None = None,
        is_sortable: bool = True,
    ) -> None:
        """Create an empty table; ``name`` is for screen readers.

        ``selected`` and ``activated`` are called with the payload of a row that is selected or opened. ``header``
        replaces the usual header. Pass ``is_sortable`` False for rows whose order has a meaning; a table with its own
        ``header`` is never sortable.
        """
        super().__init__()
        if header is not None:
            self.setHorizontalHeader(header)
        self._is_sortable = header is None and is_sortable
        self.setAccessibleName(name)
        if selected is not None:
            self.row_selected.connect(selected)
        if activated is not None:
            self.row_activated.connect(activated)
        self.user_widths: dict[str, int] = {}
        """The column widths set by the user, by untranslated header; `_HIDDEN` for a hidden column."""
        self.user_orders: dict[str, list[str]] = {}
        """The column order set by the user, by `_columns_key`."""
        self.user_sorts: dict[str, tuple[str, bool]] = {}
        """The column to sort by and whether in descending order, set by the user, by `_columns_key`."""
        self._activated_signal = QMetaMethod.fromSignal(self.row_activated)
        self.empty_text = tr("Nothing to show")
        """The text shown if there are no rows."""
        self.min_rows = 1
        """The minimum number of rows that the minimum height has room for."""
        self._is_fitting = False
        self._stretched_columns: tuple[int, ...] = (0,)
        self._spare_columns: tuple[int, ...] = ()
        self._min_width = _MIN_WIDE_WIDTH
        self._model = TableModel()
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(self._model)
        self._proxy.setSortRole(Qt.ItemDataRole.UserRole)
        self.setModel(self._proxy)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._shading = CellShading(self, self._model.payload_and_text)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self._row_height())
        self._set_up_header(movable=header is None)
        self.doubleClicked.connect(self._open)
        self.menu = RowMenu(self, self._fill_menu)
        """The context menu of the rows; pages add their own entries."""
        self.selectionModel().currentRowChanged.connect(self._row_changed)
        self.selectionModel().currentChanged.connect(self._cell_changed)

    def _set_up_header(self, *, movable: bool) -> None:
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        # Qt's default minimum would widen narrow columns and make the table scroll sideways.
        header.setMinimumSectionSize(_MIN_COLUMN_WIDTH)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.sectionResized.connect(self._record_width)
        header.setSectionsMovable(movable)
        # A third click on a header restores the rows' original order.
        header.setSortIndicatorClearable(True)
        header.sectionMoved.connect(self._record_order)
        header.sortIndicatorChanged.connect(self._record_sort)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._open_column_menu)

    def adopt_choices(self, other: DataTable) -> None:
        """Copy the widths, order and sorting that the user set in another table."""
        self.user_widths = dict(other.user_widths)
        self.user_orders, self.user_sorts = dict(other.user_orders), dict(other.user_sorts)

    def set_rows(
        self,
        headers: Sequence[str],
        rows: Sequence[Sequence[CellContent]],
        payloads: Sequence[Any],
        stretch: int | tuple[int, ...] = 0,
        min_width: int = _MIN_WIDE_WIDTH,
        shade: Shade | None = None,
        spare: Sequence[int] = (),
    ) -> None:
        """Show rows; the columns ``stretch`` share the remaining width, with up to ``min_width`` pixels as a minimum.

        The columns ``spare`` are hidden, the last one first, if there is no room for them. ``shade`` returns the
        colours of cells with their own background; it is called when a cell is first visible.
        """
        self._is_fitting = True
        self.setSortingEnabled(False)
        self._model.fill(headers, rows, payloads)
        self._shading.set_shade(shade)
        # Clear the sort indicator, because enabling sorting would sort by the indicated column at once.
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._proxy.sort(-1)
        self.setSortingEnabled(self._is_sortable)
        self._arrange_columns()
        self._is_fitting = False
        self._stretched_columns, self._min_width = stretch if isinstance(stretch, tuple) else (stretch,), min_width
        self._spare_columns = tuple(spare)
        self._fit_columns()
        # The headers have no height before there are columns.
        self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint plain cells as usual, and all cells with their own background together, which is faster."""
        rows = self._rows_on_screen()
        shaded = self._shading.region(rows)
        if shaded.isEmpty():
            super().paintEvent(event)
            if self._model.columnCount() and not self.row_count():
                paint_empty(self, self.empty_text)
            return
        plain = event.region().subtracted(shaded)
        if not plain.isEmpty():
            super().paintEvent(QPaintEvent(plain))
        painter = QPainter(self.viewport())
        painter.setClipRegion(shaded.intersected(event.region()))
        self._shading.paint(painter, rows)
        painter.end()

    def _rows_on_screen(self) -> dict[int, int]:
        """Return the model's row for each visible row of the view."""
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        if first < 0:
            return {}
        rows = range(first, (last if last >= 0 else self._proxy.rowCount() - 1) + 1)
        return {row: self._proxy.mapToSource(self._proxy.index(row, 0)).row() for row in rows}

    def minimumSizeHint(self) -> QSize:
        """Return a height with room for the header and `min_rows` rows in the current font."""
        height = self.horizontalHeader().sizeHint().height() + self.min_rows * self._row_height()
        return QSize(super().minimumSizeHint().width(), height + 2 * self.frameWidth())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        self._fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the rows and columns to another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.verticalHeader().setDefaultSectionSize(self._row_height())
            self._fit_columns()

    def _row_height(self) -> int:
        return max(_MIN_ROW_HEIGHT, self.fontMetrics().height() + _ROW_PADDING)

    def _fit_columns(self) -> None:
        """Give narrow columns the width of their text, and wide ones the rest, but at least a few words."""
        # Filling a table may resize it, which fits its columns once more.
        was_fitting, self._is_fitting = self._is_fitting, True
        names, viewport_width = self._model.names, self.viewport().width()
        max_narrow_width = round(_MAX_NARROW_WIDTH * max(1.0, self.font().pointSizeF() / _BASE_FONT_POINTS))
        min_column_width = self.horizontalHeader().minimumSectionSize()
        user_widths = [self.user_widths.get(name, 0) for name in names]
        hidden = {column for column, width in enumerate(user_widths) if width == _HIDDEN}
        if len(hidden) == len(names):
            # Show them: without a header there is no menu to show one again.
            hidden, user_widths = set(), [0] * len(names)
        wide_columns = {column for column in self._stretched_columns if column < len(names) and not user_widths[column]}
        widths = []
        for column, user_width in enumerate(user_widths):
            needed_width = max(min_column_width, self._model.needed_width(column, self.font()) + _CELL_PADDING)
            max_width = self._min_width if column in wide_columns else max_narrow_width
            widths.append(user_width if user_width > 0 else min(needed_width, max_width))
        excess_width = sum(width for column, width in enumerate(widths) if column not in hidden) - viewport_width
        for column in reversed(self._spare_columns):
            if excess_width > 0 and not user_widths[column]:
                hidden.add(column)
                excess_width -= widths[column]
        wide_columns -= hidden
        taken_width = sum(width for column, width in enumerate(widths) if column not in wide_columns | hidden)
        for column, width in enumerate(widths):
            self.setColumnHidden(column, column in hidden)
            if column in wide_columns:
                width = max((viewport_width - taken_width) // len(wide_columns), width)
            if column not in hidden:
                self.setColumnWidth(column, width)
        self._is_fitting = was_fitting

    def _arrange_columns(self) -> None:
        """Restore the column order and sorting set by the user."""
        header, names = self.horizontalHeader(), self._model.names
        user_order = self.user_orders.get(self._columns_key(), [])
        positions = iter(sorted(names.index(name) for name in user_order))
        column_at = {next(positions): names.index(name) for name in user_order}
        for position in range(len(names)):
            header.moveSection(header.visualIndex(column_at.get(position, position)), position)
        sort = self.user_sorts.get(self._columns_key())
        if self._is_sortable and sort is not None and sort[0] in names:
            order = Qt.SortOrder.DescendingOrder if sort[1] else Qt.SortOrder.AscendingOrder
            self.sortByColumn(names.index(sort[0]), order)

    def _columns_key(self) -> str:
        """Return a key for the current set of columns, because each set has its own order and sorting."""
        return "\t".join(sorted(self._model.names))

    def forget_sort(self) -> None:
        """Discard the sorting set by the user, so that the rows keep their original order."""
        self.user_sorts.pop(self._columns_key(), None)

    def _record_order(self, _column: int, _old_position: int, _new_position: int) -> None:
        if not self._is_fitting:
            header = self.horizontalHeader()
            names = [self._model.names[header.logicalIndex(index)] for index in range(header.count())]
            self.user_orders[self._columns_key()] = names

    def _record_sort(self, column: int, order: Qt.SortOrder) -> None:
        if not self._is_fitting:
            self.forget_sort()
            if 0 <= column < self._model.columnCount():
                is_descending = order == Qt.SortOrder.DescendingOrder
                self.user_sorts[self._columns_key()] = self._model.names[column], is_descending

    def _record_width(self, column: int, _old_width: int, width: int) -> None:
        """Record the width to which the user has resized a column."""
        if not self._is_fitting and width:
            self.user_widths[self._model.names[column]] = width

    def _open_column_menu(self, position: QPoint) -> None:
        menu = self.column_menu()
        menu.popup(self.horizontalHeader().mapToGlobal(position))

    def column_menu(self) -> QMenu:
        """Return a menu that shows and hides columns."""
        menu = QMenu(tr("Columns"), self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for column in range(self._model.columnCount()):
            action = menu.addAction(shorten_middle(self._model.header(column), _MAX_HEADER_CHARS).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(column))
            # The column that tells the rows apart cannot be hidden.
            action.setEnabled(column not in self._stretched_columns[:1])
            action.toggled.connect(partial(self._show_column, column))
        menu.addSeparator()
        menu.addAction(tr("Reset the columns")).triggered.connect(self.reset_columns)
        return menu

    def reset_columns(self) -> None:
        """Restore the default widths and order of the columns, and the original order of the rows."""
        self.user_widths = {}
        self.user_orders.pop(self._columns_key(), None)
        self.forget_sort()
        self._is_fitting = True
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._proxy.sort(-1)
        self._arrange_columns()
        self._is_fitting = False
        self._fit_columns()

    def _show_column(self, column: int, is_shown: bool) -> None:
        name = self._model.names[column]
        if is_shown and column in self._spare_columns:
            # A column with a set width is never hidden for lack of room.
            self.user_widths[name] = self._model.needed_width(column, self.font()) + _CELL_PADDING
        elif is_shown:
            self.user_widths.pop(name, None)
        else:
            self.user_widths[name] = _HIDDEN
        self._fit_columns()

    def selected_payloads(self) -> list[Any]:
        """Return the payloads of the selected rows, from top to bottom."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.payload_at(self._proxy.index(row, 0)) for row in rows]

    def view_payloads(self) -> list[Any]:
        """Return the payloads of all rows, in the order shown."""
        return [self.payload_at(self._proxy.index(row, 0)) for row in range(self.row_count())]

    def current_payload(self) -> Any:
        """Return the payload of the current row, None without one."""
        return self.payload_at(self.currentIndex()) if self.currentIndex().isValid() else None

    def payload_at(self, index: Index) -> Any:
        """Return the payload of the row at a view index."""
        return self._model.payload(self._proxy.mapToSource(index).row())

    def row_count(self) -> int:
        """Return the number of rows."""
        return self._proxy.rowCount()

    def select(self, row: int) -> None:
        """Select a row by its index in `set_rows`, regardless of sorting."""
        self.setCurrentIndex(self._proxy.mapFromSource(self._model.index(row, 0)))

    def select_first(self, matches: Callable[[Any], bool]) -> bool:
        """Select the first row of `set_rows` whose payload ``matches``, else the first row; return False without rows.

        `row_selected` is emitted for the row, so the caller only has to handle the empty table.
        """
        if not self.row_count():
            return False
        self.select(next((row for row in range(self.row_count()) if matches(self._model.payload(row))), 0))
        return True

    def select_view_row(self, row: int) -> None:
        """Select a row by its position in the view."""
        self.setCurrentIndex(self._proxy.index(row, 0))

    def scroll_to(self, row: int) -> None:
        """Scroll to a row by its index in `set_rows`, to the top if possible; the selection stays."""
        self.scrollTo(self._proxy.mapFromSource(self._model.index(row, 0)), QAbstractItemView.ScrollHint.PositionAtTop)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the current row on Return, and copy the selected rows on the copy shortcut."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows([index.row() for index in self.selectionModel().selectedRows()])
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._open(self.currentIndex())
            return
        super().keyPressEvent(event)

    def _fill_menu(self, menu: QMenu) -> None:
        current = self.currentIndex()
        if self.isSignalConnected(self._activated_signal):
            open_action = menu.addAction(tr("Open", "what a menu does"))
            open_action.triggered.connect(self._open_current)
            menu.setDefaultAction(open_action)
        cells = [str(current.siblingAtColumn(column).data() or "") for column in range(self._model.columnCount())]
        add_copies_of_row(menu, cells, current.column())
        menu.addAction(tr("Copy the table")).triggered.connect(self._copy_all)

    def _copy_all(self, _checked: bool = False) -> None:
        self.copy_rows(range(self.row_count()))

    def copy_rows(self, rows: Iterable[int]) -> None:
        """Copy rows of the view and the header to the clipboard, as spreadsheets paste them: tab-separated cells."""
        header = self.horizontalHeader()
        ordered_columns = [header.logicalIndex(index) for index in range(header.count())]
        columns = [column for column in ordered_columns if not self.isColumnHidden(column)]
        lines = [[self._model.header(column) for column in columns]]
        lines += [[str(self._proxy.index(row, column).data() or "") for column in columns] for row in sorted(rows)]
        text = "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines)
        QGuiApplication.clipboard().setText(text)

    def _open_current(self, _checked: bool = False) -> None:
        self._open(self.currentIndex())

    def _open(self, index: QModelIndex) -> None:
        self.row_activated.emit(self.payload_at(index))

    def _row_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.row_selected.emit(self.payload_at(current))

    def _cell_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.cell_selected.emit(self.payload_at(current), current.column())
