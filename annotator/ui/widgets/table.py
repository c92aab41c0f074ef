"""A table of records: sortable, numbers on the right, cells shaded by their value, rows that can be opened."""

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
from annotator.ui.app.relative_time import ago_text
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.labels import Slot, escape_tool_tip, shorten_middle
from annotator.ui.widgets.row_menu import RowMenu, add_copies_of_row, paint_empty

Shade = Callable[[Any, int], "tuple[str, str] | None"]
"""Gives the colours of ground and text (names as in CSS) for a row's payload and a column; None for a plain cell."""

_MARGIN = 11
Index = QModelIndex | QPersistentModelIndex
_CELL_PADDING = 26
_NARROW_LIMIT = 260
_WIDE_MINIMUM = 110
_NARROWEST = 24
_ROW, _ROW_PADDING = 34, 14
_FIRST_POINTS = 10
_ROWS_MEASURED = 200
_LONG_TEXT = 80
_LONG_HEADER = 30
_HIDDEN = -1


class ShadedCell(NamedTuple):
    """What a shaded cell is painted with."""

    ground: QColor
    pen: QPen
    text: QStaticText
    width: float


class CellShading:
    """The shaded cells of a table. Each is laid out when it is first on screen."""

    def __init__(self, view: QTableView, cell: Callable[[int, int], tuple[Any, str]]) -> None:
        """Shade nothing yet; ``cell`` gives a row's payload and the text of a cell of the model's."""
        self._view, self._cell = view, cell
        self._shade: Shade | None = None
        self._shaded: dict[tuple[int, int], ShadedCell | None] = {}

    def use(self, shade: Shade | None) -> None:
        """Shade by another rule, or other rows by the same."""
        self._shade = shade
        self._shaded.clear()

    def region(self, rows: dict[int, int]) -> QRegion:
        """Return where shaded cells are; ``rows`` has, by row as shown, the model's row, for those on screen."""
        columns = self._columns() if self._shade is not None else []
        shaded = QRegion()
        for row, source in rows.items():
            top, height = self._view.rowViewportPosition(row), self._view.rowHeight(row)
            run: list[tuple[int, int]] = []
            for column, left_edge, width in columns:
                if self._shaded_cell(source, column) is None:
                    shaded += _box(run, top, height)
                    run = []
                else:
                    run.append((left_edge, width))
            shaded += _box(run, top, height)
        return shaded

    def paint(self, painter: QPainter, rows: dict[int, int]) -> None:
        """Paint the shaded cells of some rows; the chosen one's get a frame."""
        view, columns = self._view, self._columns()
        metrics = view.fontMetrics()
        painter.setFont(view.font())
        current_row = view.currentIndex().row() if view.selectionModel().hasSelection() else -1
        for row, source in rows.items():
            top, height = view.rowViewportPosition(row), view.rowHeight(row)
            if row == current_row:
                self._chosen_ground(painter, QRect(0, top, view.viewport().width(), height))
            down = top + (height - metrics.height()) // 2
            for column, left_edge, width in columns:
                shaded = self._shaded_cell(source, column)
                if shaded is None:
                    continue
                painter.fillRect(left_edge + 1, top + 1, width - 2, height - 2, shaded.ground)
                painter.setPen(shaded.pen)
                painter.drawStaticText(round(left_edge + width - _MARGIN - shaded.width), down, shaded.text)
                if row == current_row:
                    painter.drawRect(left_edge + 1, top + 1, width - 3, height - 3)

    def _chosen_ground(self, painter: QPainter, box: QRect) -> None:
        option = QStyleOptionViewItem()
        option.initFrom(self._view)
        option.rect = box
        option.state |= QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_Enabled
        self._view.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewRow, option, painter, self._view)

    def _columns(self) -> list[tuple[int, int, int]]:
        """Return number, left side and width of the columns on screen."""
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
        if key not in self._shaded:
            self._shaded[key] = self._make_cell(row, column)
        return self._shaded[key]

    def _make_cell(self, row: int, column: int) -> ShadedCell | None:
        payload, words = self._cell(row, column)
        colours = self._shade(payload, column) if self._shade is not None else None
        if colours is None:
            return None
        text = QStaticText(words)
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.prepare(font=self._view.font())
        return ShadedCell(QColor(colours[0]), QPen(QColor(colours[1])), text, text.size().width())


def _box(run: list[tuple[int, int]], top: int, height: int) -> QRegion:
    if not run:
        return QRegion()
    left_edge = run[0][0]
    return QRegion(left_edge, top, run[-1][0] + run[-1][1] - left_edge, height)


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows and what it is sorted by (None: by what it shows)."""

    text: str
    value: float | str | None = None


def count_cell(count: int) -> Cell:
    """Return a cell with a count, its digits grouped by three."""
    return Cell(f"{count:,}", count)


def moment_cell(moment: str) -> Cell:
    """Return a cell that says how long ago a moment of the project file was; nothing for an empty text."""
    return Cell(ago_text(clock.parse_time(moment)) if moment else "", moment)


class TableModel(QAbstractTableModel):
    """Rows of cells with a payload each."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self._headers: tuple[str, ...] = ()
        self.names: list[str] = []
        """The columns' heads as given, which are English words if the catalogue has them; numbered where equal."""
        self._rows: list[tuple[Cell, ...]] = []
        self._payloads: list[Any] = []
        self._widths: dict[tuple[int, str], int] = {}

    def fill(self, headers: Sequence[str], rows: Sequence[Sequence[Cell]], payloads: Sequence[Any]) -> None:
        """Show other rows; the heads are translated here."""
        self.beginResetModel()
        self._headers = tuple(map(translate_word, headers))
        self.names = []
        for head in headers:
            same = sum(name.partition("\n")[0] == head for name in self.names)
            self.names.append(f"{head}\n{same + 1}" if same else head)
        self._rows = [tuple(row) for row in rows]
        self._payloads = list(payloads)
        self._widths.clear()
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
            return shorten_middle(self._headers[section], _LONG_HEADER)
        if role == Qt.ItemDataRole.ToolTipRole:
            return escape_tool_tip(self._headers[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and self._numeric(section):
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
        """Return what a row stands for, and a cell's text."""
        return self._payloads[row], self._rows[row][column].text

    def header(self, column: int) -> str:
        """Return a column's name."""
        return self._headers[column]

    def needed_width(self, column: int, font: QFont) -> int:
        """Return the pixels the widest of a column's name and first rows needs in a font."""
        key = (column, font.key())
        if key not in self._widths:
            metrics = QFontMetrics(font)
            texts = {row[column].text[:_LONG_TEXT] for row in self._rows[:_ROWS_MEASURED]}
            if self._numeric(column):
                # All digits are as wide as each other.
                most = max(map(len, texts))
                texts = {next(text for text in texts if len(text) == most)}
            header = shorten_middle(self._headers[column], _LONG_HEADER)
            self._widths[key] = max(metrics.horizontalAdvance(text) for text in (header, *texts))
        return self._widths[key]

    def _numeric(self, column: int) -> bool:
        return bool(self._rows) and isinstance(self._rows[0][column].value, (int, float))


class DataTable(QTableView):
    """The view; `row_activated` carries the payload of a row opened by double click or Return."""

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
        """Show nothing yet; ``name`` is for screen readers, the others get the payload of a row chosen or opened.

        ``header`` takes the place of the usual heads of the columns. Rows whose order means something are not
        ``is_sortable``, nor are those below another header.
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
        self.chosen_widths: dict[str, int] = {}
        """The widths that people gave columns, by the columns' English names; they hold whatever is shown.

        A column that was hidden has the width `_HIDDEN`.
        """
        self.chosen_orders: dict[str, list[str]] = {}
        """The columns' names as somebody dragged them, by the set of columns that is shown."""
        self.chosen_sorts: dict[str, tuple[str, bool]] = {}
        """The column somebody sorts by, and whether the largest value comes first, by the set of columns."""
        self._activated_signal = QMetaMethod.fromSignal(self.row_activated)
        self.empty_text = tr("Nothing to show")
        """Shown below the heads while there are no rows."""
        self.least_rows = 1
        """So many rows are in view below the headers, however little room there is."""
        self._fitting = False
        self._wide: tuple[int, ...] = (0,)
        self._spare: tuple[int, ...] = ()
        self._min_width = _WIDE_MINIMUM
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
        self._set_up_heads(movable=header is None)
        self.doubleClicked.connect(self._open)
        self.menu = RowMenu(self, self._fill_menu)
        """The context menu of the rows; pages add what can be done with theirs."""
        self.selectionModel().currentRowChanged.connect(self._moved)
        self.selectionModel().currentChanged.connect(self._moved_cell)

    def _set_up_heads(self, *, movable: bool) -> None:
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        # Qt would make a narrow column wider than it was given, and the table scroll for nothing.
        header.setMinimumSectionSize(_NARROWEST)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.sectionResized.connect(self._note_width)
        header.setSectionsMovable(movable)
        # A third click gives the rows their own order back.
        header.setSortIndicatorClearable(True)
        header.sectionMoved.connect(self._note_order)
        header.sortIndicatorChanged.connect(self._note_sort)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._offer_columns)

    def adopt_choices(self, other: DataTable) -> None:
        """Take over how somebody left the columns of another table."""
        self.chosen_widths = dict(other.chosen_widths)
        self.chosen_orders, self.chosen_sorts = dict(other.chosen_orders), dict(other.chosen_sorts)

    def set_rows(
        self,
        headers: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        payloads: Sequence[Any],
        stretch: int | tuple[int, ...] = 0,
        min_width: int = _WIDE_MINIMUM,
        shade: Shade | None = None,
        spare: Sequence[int] = (),
    ) -> None:
        """Show rows; ``stretch`` names the columns that share the room left, ``min_width`` pixels each if they need it.

        ``spare`` names columns that are left out where there is no room, the last first, rather than scrolled to.
        ``shade`` says which cells have a ground of their own; it is asked when a cell is on screen for the first time.
        """
        self._fitting = True
        self.setSortingEnabled(False)
        self._model.fill(headers, rows, payloads)
        self._shading.use(shade)
        # Sorting that is enabled with a column marked sorts by it at once, which rows in their own order do not need.
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._proxy.sort(-1)
        self.setSortingEnabled(self._is_sortable)
        self._arrange_columns()
        self._fitting = False
        self._wide, self._min_width = stretch if isinstance(stretch, tuple) else (stretch,), min_width
        self._spare = tuple(spare)
        self._fit_columns()
        # The headers have no height before there are columns.
        self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint plain cells as any table does, and those with a ground of their own at once."""
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
        """Return the model's row by row as shown."""
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        if first < 0:
            return {}
        rows = range(first, (last if last >= 0 else self._proxy.rowCount() - 1) + 1)
        return {row: self._proxy.mapToSource(self._proxy.index(row, 0)).row() for row in rows}

    def minimumSizeHint(self) -> QSize:
        """Ask for room for the headers and a row or more below them, whatever the size of the letters."""
        height = self.horizontalHeader().sizeHint().height() + self.least_rows * self._row_height()
        return QSize(super().minimumSizeHint().width(), height + 2 * self.frameWidth())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the room anew."""
        super().resizeEvent(event)
        self._fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the rows and columns to letters of another size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.verticalHeader().setDefaultSectionSize(self._row_height())
            self._fit_columns()

    def _row_height(self) -> int:
        return max(_ROW, self.fontMetrics().height() + _ROW_PADDING)

    def _fit_columns(self) -> None:
        """Give narrow columns what their text needs, and the wide ones the rest, never less than a few words."""
        # Filling a table may resize it, which fits its columns once more.
        was_fitting, self._fitting = self._fitting, True
        columns: Sequence[int] = range(self._model.columnCount())
        limit = round(_NARROW_LIMIT * max(1.0, self.font().pointSizeF() / _FIRST_POINTS))
        least_width = self.horizontalHeader().minimumSectionSize()
        needed = {
            column: max(least_width, self._model.needed_width(column, self.font()) + _CELL_PADDING)
            for column in columns
        }
        set_widths = {column: self.chosen_widths.get(self._model.names[column], 0) for column in columns}
        hidden = {column for column in columns if set_widths[column] == _HIDDEN}
        # A table without any column could not be given one back.
        hidden = hidden if len(hidden) < len(columns) else set()
        least = {column: set_widths[column] or min(width, limit) for column, width in needed.items()}
        least.update(
            {column: min(needed[column], self._min_width) for column in self._wide if set_widths.get(column) == 0}
        )
        over = sum(width for column, width in least.items() if column not in hidden) - self.viewport().width()
        for column in reversed(self._spare):
            if over > 0 and not set_widths[column]:
                hidden.add(column)
                over -= least[column]
        for column in columns:
            self.setColumnHidden(column, column in hidden)
        columns = [column for column in columns if column not in hidden]
        set_widths = {column: max(0, set_widths[column]) for column in columns}
        needed = {column: needed[column] for column in columns}
        wide = [column for column in columns if column in self._wide and not set_widths[column]]
        taken_width = sum(
            set_widths[column] or min(width, limit) for column, width in needed.items() if column not in wide
        )
        width_left = self.viewport().width() - taken_width
        for column in columns:
            width = set_widths[column] or min(needed[column], limit)
            if column in wide:
                width = max(width_left // len(wide), min(needed[column], self._min_width))
            self.setColumnWidth(column, width)
        self._fitting = was_fitting

    def _arrange_columns(self) -> None:
        """Order and sort the columns as somebody left them."""
        header, names = self.horizontalHeader(), self._model.names
        ordered = self.chosen_orders.get(self._columns_key(), [])
        places = iter(sorted(names.index(name) for name in ordered))
        visual = {next(places): names.index(name) for name in ordered}
        for place in range(len(names)):
            header.moveSection(header.visualIndex(visual.get(place, place)), place)
        sort = self.chosen_sorts.get(self._columns_key())
        if self._is_sortable and sort is not None and sort[0] in names:
            descending = Qt.SortOrder.DescendingOrder if sort[1] else Qt.SortOrder.AscendingOrder
            self.sortByColumn(names.index(sort[0]), descending)

    def _columns_key(self) -> str:
        """Return the set of columns as a key: a table may show others, whose order and sort are their own."""
        return "\t".join(sorted(self._model.names))

    def forget_sort(self) -> None:
        """Give the rows their own order back."""
        self.chosen_sorts.pop(self._columns_key(), None)

    def _note_order(self, _column: int, _before: int, _place: int) -> None:
        if not self._fitting:
            header = self.horizontalHeader()
            names = [self._model.names[header.logicalIndex(at)] for at in range(header.count())]
            self.chosen_orders[self._columns_key()] = names

    def _note_sort(self, column: int, order: Qt.SortOrder) -> None:
        if not self._fitting:
            self.forget_sort()
            if 0 <= column < self._model.columnCount():
                descending = order == Qt.SortOrder.DescendingOrder
                self.chosen_sorts[self._columns_key()] = self._model.names[column], descending

    def _note_width(self, column: int, _before: int, width: int) -> None:
        """Take note of a column that somebody made wider or narrower."""
        if not self._fitting and width:
            self.chosen_widths[self._model.names[column]] = width

    def _offer_columns(self, place: QPoint) -> None:
        menu = self.column_menu()
        menu.popup(self.horizontalHeader().mapToGlobal(place))

    def column_menu(self) -> QMenu:
        """Return a menu that shows and hides columns."""
        menu = QMenu(tr("Columns"), self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for column in range(self._model.columnCount()):
            action = menu.addAction(shorten_middle(self._model.header(column), _LONG_HEADER).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(column))
            # What tells rows apart stays.
            action.setEnabled(column not in self._wide[:1])
            action.toggled.connect(partial(self._show_column, column))
        menu.addSeparator()
        menu.addAction(tr("Reset the columns")).triggered.connect(self.reset_columns)
        return menu

    def reset_columns(self) -> None:
        """Give the columns their own widths and order back, and the rows theirs."""
        self.chosen_widths = {}
        self.chosen_orders.pop(self._columns_key(), None)
        self.forget_sort()
        self._fitting = True
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._proxy.sort(-1)
        self._arrange_columns()
        self._fitting = False
        self._fit_columns()

    def _show_column(self, column: int, is_shown: bool) -> None:
        name = self._model.names[column]
        if is_shown and column in self._spare:
            # Given a width, it stays whether there is room or not.
            self.chosen_widths[name] = self._model.needed_width(column, self.font()) + _CELL_PADDING
        elif is_shown:
            self.chosen_widths.pop(name, None)
        else:
            self.chosen_widths[name] = _HIDDEN
        self._fit_columns()

    def selected_payloads(self) -> list[Any]:
        """Return what the selected rows stand for, from top to bottom."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.payload_at(self._proxy.index(row, 0)) for row in rows]

    def shown_payloads(self) -> list[Any]:
        """Return what all rows stand for, in the order shown."""
        return [self.payload_at(self._proxy.index(row, 0)) for row in range(self.row_count())]

    def payload_at(self, index: Index) -> Any:
        """Return what a view row stands for."""
        return self._model.payload(self._proxy.mapToSource(index).row())

    def row_count(self) -> int:
        """Return how many rows are shown."""
        return self._proxy.rowCount()

    def select(self, row: int) -> None:
        """Select a row by its number in `set_rows`, wherever it is sorted to."""
        self.setCurrentIndex(self._proxy.mapFromSource(self._model.index(row, 0)))

    def select_shown(self, row: int) -> None:
        """Select a row by its place on screen."""
        self.setCurrentIndex(self._proxy.index(row, 0))

    def scroll_to(self, row: int) -> None:
        """Show a row by its number in `set_rows`, topmost if there are enough below it; what is selected stays."""
        self.scrollTo(self._proxy.mapFromSource(self._model.index(row, 0)), QAbstractItemView.ScrollHint.PositionAtTop)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the current row on Return, and copy the rows that are selected."""
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
            opening = menu.addAction(tr("Open", "what a menu does"))
            opening.triggered.connect(self._open_current)
            menu.setDefaultAction(opening)
        cells = [str(current.siblingAtColumn(column).data() or "") for column in range(self._model.columnCount())]
        add_copies_of_row(menu, cells, current.column())
        menu.addAction(tr("Copy the table")).triggered.connect(self._copy_all)

    def _copy_all(self, _checked: bool = False) -> None:
        self.copy_rows(range(self.row_count()))

    def copy_rows(self, rows: Iterable[int]) -> None:
        """Put rows on the clipboard below the heads, as spreadsheets take them: the columns shown, parted by tabs."""
        header = self.horizontalHeader()
        places = [header.logicalIndex(place) for place in range(header.count())]
        columns = [column for column in places if not self.isColumnHidden(column)]
        lines = [[self._model.header(column) for column in columns]]
        lines += [[str(self._proxy.index(row, column).data() or "") for column in columns] for row in sorted(rows)]
        text = "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines)
        QGuiApplication.clipboard().setText(text)

    def _open_current(self, _checked: bool = False) -> None:
        self._open(self.currentIndex())

    def _open(self, index: QModelIndex) -> None:
        self.row_activated.emit(self.payload_at(index))

    def _moved(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.row_selected.emit(self.payload_at(current))

    def _moved_cell(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.cell_selected.emit(self.payload_at(current), current.column())
