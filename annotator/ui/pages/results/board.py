"""The table of results, whose cells can be opened, and the figure drawn from it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QStyle

from annotator.figures.chart_data import Picture
from annotator.figures.drawing import Look, cell_colours, choose_look, draw_picture
from annotator.model.rows.result_rows import Table
from annotator.model.rows.result_rows import ValueCell as ResultCell
from annotator.services.results import figures
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, tr_message, translate_word
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.labels import Segments, button, label, shorten_middle
from annotator.ui.widgets.layouts import fill_layout, make_flow, make_splitter, make_stack
from annotator.ui.widgets.table import Cell, DataTable

MIN_WIDTH = 360
_MIN_HEIGHT = 220
_MAX_HEIGHT = 6000
_ROW_PIXELS = 24
_FRAME_PIXELS = 120
_DRAW_MS = 150
_ROW_FIGURES = ("leaderboard", "domains", "metric", "grid", "rank-intervals", "weighted", "coco-score")


class FigureView(QScrollArea):
    """Shows the figure of one table; `opened` carries the target of a clicked row, cell or point."""

    opened = Signal(object)
    failed = Signal(str)
    """The figure cannot be drawn, for this reason."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self._table: Table | None = None
        self._picture: Picture | None = None
        self.picture = QLabel()
        self.picture.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.picture.setMouseTracking(True)
        self.picture.installEventFilter(self)
        self.setWidget(self.picture)
        self.setWidgetResizable(True)
        for widget in (self.picture, self.viewport()):
            widget.setAutoFillBackground(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setAccessibleName(tr("Figure"))
        self.setMinimumWidth(MIN_WIDTH)
        self._timer = debounce(self, _DRAW_MS, self._draw)
        theme.changed.connect(self._redraw)

    def show_table(self, table: Table | None) -> None:
        """Draw a table's figure as soon as the view is visible; None clears it."""
        if table != self._table:
            self._table, self._picture = table, None
            self.picture.setText(tr("Drawing…") if table is not None else "")
            self._redraw()

    def open_at(self, x: float, y: float) -> None:
        """Emit `opened` for the mark at a position of the picture, if there is one."""
        target = self._target_at(x, y)
        if target is not None:
            self.opened.emit(target)

    def marked_places(self) -> list[tuple[float, float]]:
        """Return the centres of the marks that have a target."""
        marks = self._picture.marks if self._picture is not None else ()
        return [((mark.left + mark.right) / 2, (mark.top + mark.bottom) / 2) for mark in marks if mark.opens]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open a clicked mark, and show a pointing hand over marks that can be opened."""
        if isinstance(event, QMouseEvent):
            position = event.position()
            if event.type() == QEvent.Type.MouseButtonRelease and event.button() == Qt.MouseButton.LeftButton:
                self.open_at(position.x(), position.y())
            elif event.type() == QEvent.Type.MouseMove:
                is_mark = self._target_at(position.x(), position.y()) is not None
                self.picture.setCursor(Qt.CursorShape.PointingHandCursor if is_mark else Qt.CursorShape.ArrowCursor)
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the figure if its table was set while the view was hidden."""
        super().showEvent(event)
        if self._picture is None:
            self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw the figure again for the new size."""
        super().resizeEvent(event)
        self._redraw()

    def _target_at(self, x: float, y: float) -> object:
        marks = self._picture.marks if self._picture is not None else ()
        return next((mark.opens for mark in marks if mark.holds(x, y)), None)

    def _redraw(self) -> None:
        if self._table is not None and self.isVisible():
            self._timer.start()

    def _draw(self) -> None:
        if self._table is None or not self.isVisible():
            return
        room = self.contentsRect()
        row_count = _row_count(self._table)
        height = min(_MAX_HEIGHT, max(room.height() - 4, _MIN_HEIGHT, row_count * _ROW_PIXELS + _FRAME_PIXELS))
        bar_width = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent) if height > room.height() else 0
        size = (max(MIN_WIDTH, room.width()) - bar_width - 4, height)
        ratio = self.devicePixelRatioF()
        work = partial(_draw_table, self._table, size, self._theme.is_dark, ratio)
        self._session.run(
            "cpu", work, partial(self._show, self._table, ratio), self._emit_failure, latest="result-figure"
        )

    def _emit_failure(self, failure: WorkFailure) -> None:
        self.failed.emit(failure.message)

    def _show(self, table: Table, ratio: float, picture: Picture) -> None:
        if table is not self._table:
            return
        self._picture = picture
        pixmap = QPixmap()
        pixmap.loadFromData(picture.png, "PNG")
        pixmap.setDevicePixelRatio(ratio)
        self.picture.setPixmap(pixmap)
        self.picture.setMinimumHeight(int(pixmap.deviceIndependentSize().height()))


def _row_count(table: Table) -> int:
    """Return the number of rows that a figure needs room for; 0 for a figure of points or lines."""
    if table.name in ("dsi", "correlation"):
        return len({row[0].text for row in table.rows})
    if table.name == "compare":
        return 1 + min(figures.MAX_COMPARED_ITEMS, len(table.rows))
    return len(table.rows) if table.name in _ROW_FIGURES else 0


def _draw_table(table: Table, size: tuple[int, int], dark: bool, ratio: float) -> Picture:
    return draw_picture(figures.build_chart(table), size, dark=dark, scale=ratio)


TABLE, FIGURE = 0, 1
CONTENT, MESSAGE = 0, 1
_STRETCH_FACTORS = (3, 2)
# Minimum width of the board, in pixels at 100 % text size, to show table and figure side by side.
_MIN_WIDTH_FOR_BOTH = 960
_MAX_NOTE_LINES = 4
_PIN_SIGN = "◆ "
_TICK_HEADER = mark_for_translation("on the frontier")
# Tables whose numbers have a background colour that depends on their value.
_HEAT_TABLES = ("domains", "metric", "grid")
_WIDE_HEADERS = ("model", "name", "one", "other", "title", "evidence", "why")
# Minimum width of the name column in pixels, because rows are told apart by their names.
_NAME_PIXELS = 190
_SPARE_HEADERS = {
    "leaderboard": (
        "items", "pass", "fail", "partial", mark_for_translation("no answer"), mark_for_translation("not scored"),
        "SE", "samples", "cost",
        mark_for_translation("tokens per answer"), mark_for_translation("seconds per answer"),
    ),
}  # fmt: skip
"""Columns to hide in a narrow table, by table; the last one is hidden first."""
_OPTIONAL_HEADERS = ("protocol", mark_for_translation("item score"))


class Notes(QScrollArea):
    """A dim text that fits its height up to four lines and scrolls beyond; ``name`` is its accessible name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._label = label("", "dim", wrap=True)
        # A word longer than a line must not widen the page.
        self._label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setWidget(self._label)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._label.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self.hide()

    def text(self) -> str:
        """Return the text."""
        return self._label.text()

    def set_text(self, text: str) -> None:
        """Set the text; an empty one hides the widget."""
        self._label.setText(text)
        self.verticalScrollBar().setValue(0)
        self.setVisible(bool(text))
        self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height to the text at the new width."""
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        needed_height = max(
            self._label.heightForWidth(self.viewport().width()), self._label.fontMetrics().lineSpacing()
        )
        self.setFixedHeight(min(needed_height, _MAX_NOTE_LINES * self._label.fontMetrics().lineSpacing()))


class ResultsBoard(Card):
    """Shows one table; `target_opened` carries the target of the selected cell or mark.

    The figure is beside the table if there is room, except for heat maps, whose coloured cells already are a picture;
    the view Figure shows it on the whole page.
    """

    target_opened = Signal(object)
    ticked = Signal(tuple)
    """The models that the scaling line goes through; empty for the upper envelope."""
    send_back_requested = Signal(list)
    """The ids of the items in the selected rows, to send back to the queue."""
    face_changed = Signal()
    """Another view was chosen, or the board has become empty or filled."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__(tr("Results"))
        self._session, self._theme = session, theme
        self.current_table: Table | None = None
        self._filter = ""
        self.pins: set[str] = set()
        self.faces = Segments(tr("Results as"), (tr("Table"), tr("Figure")), selected=self._show_face)
        self.pin_button = button(tr("Pin"), clicked=self.toggle_pin, tip=tr("Keep the selected row at the top"))
        self.tick_button = button(tr("Show line"), clicked=self._toggle_tick)
        self.tick_button.setToolTip(tr("Show or hide the line of the selected model, like the ticks in the table"))
        self.envelope_button = button(tr("Envelope"), clicked=self._clear_ticks)
        self.envelope_button.setToolTip(tr("Draw the line through the best model of each size again"))
        reopen_tip = tr("Reopen the selected items for a new decision, with these findings as the reason")
        self.select_all_button = button(tr("Select all"), "Ctrl+A", clicked=self._select_all)
        self.send_back_button = button(tr("Reopen items"), tip=reopen_tip, clicked=self._send_back)
        self.acts = make_flow(
            self.tick_button,
            self.envelope_button,
            self.select_all_button,
            self.send_back_button,
            self.pin_button,
            self.faces,
        )
        for act_button in (self.tick_button, self.envelope_button, self.select_all_button, self.send_back_button):
            act_button.hide()
        self.head.addLayout(self.acts)
        self.table = DataTable(tr("Results"))
        self.table.cell_selected.connect(self._open)
        self.table.clicked.connect(self._toggle_clicked_tick)
        self.figure = FigureView(session, theme)
        self.figure.opened.connect(self._open_mark)
        self.figure.failed.connect(self._hide_figure)
        self.content = make_splitter(Qt.Orientation.Horizontal, self.table, self.figure)
        for index, stretch in enumerate(_STRETCH_FACTORS):
            self.content.setStretchFactor(index, stretch)
        self.message = EmptyState(theme, "ph.chart-bar", tr("Please wait"), tr("Loading results."))
        self.stack = make_stack(self.content, self.message)
        self.stack.setCurrentIndex(MESSAGE)
        self.notes = Notes(tr("Notes on the results"))
        fill_layout(self.body, (self.stack, 1), self.notes)
        theme.changed.connect(self._fill)

    def show_table(self, table: Table) -> None:
        """Show a table in the current view; the current row stays if it is the same table."""
        current_cell = (
            self._current_cell() if self.current_table is not None and self.current_table.name == table.name else None
        )
        self.current_table = table
        self.set_title(shorten_middle(tr_message(table.title), 70))
        self._fill()
        if current_cell is not None:
            self._restore_current_cell(*current_cell)
        self._show_face()

    def show_problem(self, title: str, sentence: str) -> None:
        """Show why the requested table cannot be made."""
        self.current_table = None
        self.set_title(title)
        self.table.set_rows((), [], [])
        self.figure.show_table(None)
        self.notes.set_text("")
        self._show_message(tr("Nothing to show yet"), tr_message(sentence))
        self._show_face()

    @property
    def has_figure_face(self) -> bool:
        """Whether the figure is shown, which needs the whole page."""
        return self.current_table is not None and self.faces.current == FIGURE

    def _show_message(self, title: str, sentence: str) -> None:
        self.message.set_text(title, sentence)
        self.stack.setCurrentIndex(MESSAGE)

    def set_filter(self, text: str) -> None:
        """Show only the rows that contain every word."""
        self._filter = text
        self._fill()

    def rows(self) -> list[tuple[ResultCell, ...]]:
        """Return the filtered rows, pinned ones first."""
        words = self._filter.lower().split()
        matching_rows = [
            row
            for row in (self.current_table.rows if self.current_table else ())
            if all(any(word in cell.text.lower() for cell in row) for word in words)
        ]
        return sorted(matching_rows, key=lambda row: self._name(row) not in self.pins)

    def _current_cell(self) -> tuple[str, int] | None:
        """Return the name of the current row and the current column."""
        index = self.table.currentIndex()
        return (self._name(self.table.payload_at(index)), index.column()) if index.isValid() else None

    def _restore_current_cell(self, name: str, column: int) -> None:
        model = self.table.model()
        for row in range(self.table.row_count()):
            if self._name(self.table.payload_at(model.index(row, 0))) == name:
                self.table.setCurrentIndex(model.index(row, min(column, model.columnCount() - 1)))
                return

    def choose_run(self, run_id: str) -> bool:
        """Select the first row of a run; return whether there is one."""
        model = self.table.model()
        for row in range(self.table.row_count()):
            cells = self.table.payload_at(model.index(row, 0))
            if any(cell.target is not None and cell.target.run_id == run_id for cell in cells):
                self.table.select_view_row(row)
                return True
        return False

    def toggle_pin(self, _checked: bool = False) -> None:
        """Pin or unpin the current row."""
        index = self.table.currentIndex()
        if index.isValid():
            self.pins ^= {self._name(self.table.payload_at(index))}
            # Pinned rows come first in the table's own order only.
            self.table.forget_sort()
            self._fill()

    def _toggle_tick(self, _checked: bool = False) -> None:
        index = self.table.currentIndex()
        if self.current_table is not None and self.current_table.name == "scaling" and index.isValid():
            ticks = self.current_table.column(_TICK_HEADER).texts
            ticked_names = {self._name(row) for row, tick in zip(self.current_table.rows, ticks, strict=True) if tick}
            ticked_names ^= {self._name(self.table.payload_at(index))}
            self.ticked.emit(tuple(sorted(ticked_names)))

    def _select_all(self, _checked: bool = False) -> None:
        self.table.selectAll()
        self.table.setFocus()

    def _send_back(self, _checked: bool = False) -> None:
        rows = self.table.selected_payloads()
        item_ids = [
            next((cell.target.id for cell in row if cell.target and cell.target.kind == "item"), "") for row in rows
        ]
        if known_ids := [item_id for item_id in item_ids if item_id]:
            self.send_back_requested.emit(known_ids)

    def _clear_ticks(self, _checked: bool = False) -> None:
        self.ticked.emit(())

    def _toggle_clicked_tick(self, index: QModelIndex) -> None:
        columns = self._columns()
        if self.current_table is not None and self.current_table.headers[columns[index.column()]] == _TICK_HEADER:
            self._toggle_tick()

    def _name(self, row: tuple[ResultCell, ...]) -> str:
        return row[self._name_column()].text

    def _name_column(self) -> int:
        headers = self.current_table.headers if self.current_table else ()
        return headers.index("model") if "model" in headers else 0

    def _fill(self) -> None:
        if self.current_table is None:
            return
        rows, columns = self.rows(), self._columns()
        headers = [self.current_table.headers[column] for column in columns]
        wide_columns = tuple(index for index, header in enumerate(headers) if header in _WIDE_HEADERS)
        name_column = self._name_column()
        tick_column = (
            self.current_table.headers.index(_TICK_HEADER) if _TICK_HEADER in self.current_table.headers else -1
        )
        column_traits = [
            (column, column == name_column, column == tick_column, self.current_table.columns[column].numeric)
            for column in columns
        ]
        cells = [[self._cell(row[column], *traits) for column, *traits in column_traits] for row in rows]
        # In tables of many numbers, the name column is not stretched.
        stretch = () if self.current_table.name in _HEAT_TABLES else wide_columns[:2] or (0,)
        self.table.set_rows(
            headers,
            cells,
            rows,
            stretch,
            min_width=_NAME_PIXELS,
            shade=partial(_cell_colours_of, self.current_table, columns, choose_look(dark=self._theme.is_dark)),
            spare=[
                index
                for spare_header in _SPARE_HEADERS.get(self.current_table.name, ())
                for index, header in enumerate(headers)
                if header == spare_header
            ],
        )
        has_chart = figures.has_chart(self.current_table.name)
        self.figure.show_table(self.current_table.with_rows(rows) if has_chart else None)

    def _columns(self) -> list[int]:
        """Return the columns to show; optional columns with one value for all rows go to the notes."""
        table = self.current_table
        if table is None:
            return []
        constant_columns = [
            column
            for column, name in enumerate(table.headers)
            if name in _OPTIONAL_HEADERS and len({row[column].text for row in table.rows}) < 2
        ]
        facts = [
            tr(
                "{name}: {value}",
                name=translate_word(table.headers[column]),
                value=translate_word(tr_message(table.rows[0][column].text)),
            )
            for column in constant_columns
            if table.rows
        ]
        self.notes.set_text("\n".join([*map(tr_message, table.notes), *([" · ".join(facts)] if facts else [])]))
        return [column for column in range(len(table.headers)) if column not in constant_columns]

    def _cell(self, cell: ResultCell, is_name: bool, is_tick: bool, is_numeric: bool) -> Cell:
        text = cell.text if cell.number is None else tr_message(cell.text)
        if is_name and text in self.pins:
            text = _PIN_SIGN + text
        if is_tick:
            text = "☑" if text else "☐"
        value: float | str | None = cell.number
        if is_numeric and value is None:
            value = float("-inf")
        return Cell(text, value)

    def _open(self, row: tuple[ResultCell, ...], column: int) -> None:
        table_column = self._columns()[column]
        target = row[table_column].target or figures.first_target(row)
        if target is not None:
            self.target_opened.emit(target)

    def _open_mark(self, target: object) -> None:
        """Select the cell that a clicked mark of the figure represents; if none is shown, open the mark's target."""
        if self.faces.current == FIGURE:
            self.faces.choose(TABLE)
        columns, model = self._columns(), self.table.model()
        for row in range(self.table.row_count()):
            cells = self.table.payload_at(model.index(row, 0))
            index = next((index for index, column in enumerate(columns) if cells[column].target == target), None)
            if index is not None:
                self.table.setCurrentIndex(model.index(row, index))
                return
        self.target_opened.emit(target)

    # -- the figure -----------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the figure beside the table if there is room for both now."""
        super().resizeEvent(event)
        self._place_figure()

    def _show_face(self, _face: int = 0) -> None:
        has_table = self.current_table is not None
        is_table_face = self.faces.current == TABLE
        self.faces.setVisible(has_table)
        self.pin_button.setVisible(has_table and is_table_face)
        is_scaling = self.current_table is not None and self.current_table.name == "scaling"
        self.tick_button.setVisible(is_scaling and is_table_face)
        self.envelope_button.setVisible(is_scaling)
        is_item_list = self.current_table is not None and self.current_table.name == "items" and is_table_face
        self.select_all_button.setVisible(is_item_list)
        self.send_back_button.setVisible(is_item_list)
        self._place_figure()
        self.face_changed.emit()

    def _place_figure(self) -> None:
        """Show the table, its figure or both, depending on the view, the table and the width."""
        if self.current_table is None:
            self.stack.setCurrentIndex(MESSAGE)
            return
        has_chart = figures.has_chart(self.current_table.name)
        is_beside = (
            has_chart
            and self.current_table.name not in _HEAT_TABLES
            and self.width() >= self._theme.pixels(_MIN_WIDTH_FOR_BOTH)
        )
        is_figure_face = self.faces.current == FIGURE
        if is_figure_face and not has_chart:
            self._show_message(tr("No figure"), tr("There is no figure for this table."))
            return
        self.stack.setCurrentIndex(CONTENT)
        self.table.setVisible(not is_figure_face)
        self.figure.setVisible(is_figure_face or is_beside)

    def _hide_figure(self, reason: str) -> None:
        """Hide a figure that cannot be drawn; in the view Figure, say why."""
        if self.faces.current == FIGURE:
            self._show_message(tr("No figure"), reason)
        else:
            self.figure.hide()


def _cell_colours_of(
    table: Table, columns: list[int], colours: Look, row: tuple[ResultCell, ...], column: int
) -> tuple[str, str] | None:
    """Return the background and text colours of a heat cell, None for other cells; called when it is first painted."""
    table_column = columns[column]
    number = row[table_column].number
    if number is None:
        return None
    if table.name in _HEAT_TABLES and table_column < _heat_end(table):
        colour_pair = cell_colours(number, 0.0, 100.0, colours)
    elif table.name == "dsi" and table.headers[table_column] == "DSI %":
        colour_pair = cell_colours(max(-100.0, number), -100.0, 100.0, colours, signed=True)
    elif table.name == "correlation" and table.headers[table_column] == "Spearman":
        colour_pair = cell_colours(number, -1.0, 1.0, colours, signed=True)
    else:
        return None
    return _hex(colour_pair[0]), _hex(colour_pair[1])


def _heat_end(table: Table) -> int:
    """Return the index after the last heat column, which is followed by the mean if there is one."""
    if "mean" not in table.headers:
        return len(table.headers) - 1
    # The last one, because a group or a model may be called "mean", too.
    return len(table.headers) - 1 - table.headers[::-1].index("mean")


def _hex(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in colour)
