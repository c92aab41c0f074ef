"""The table of results in two faces: cells to open, and the figure drawn from them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QStyle

from annotator.figures import draw
from annotator.figures.look import Look, cell_colours, look
from annotator.model.rows.results import Cell as ResultCell
from annotator.model.rows.results import Table, Target
from annotator.services.results import figures
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, tr_message, translate_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import Segments, button, label, shorten_middle
from annotator.ui.widgets.layouts import fill_layout, make_flow, make_scroll, make_stack
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.widgets.timers import debounce

TABLE, FIGURE, MESSAGE = 0, 1, 2
_ROW_PIXELS = 24
_FRAME_PIXELS = 120
_LEAST = (480, 320)
_TALLEST = 6000
_DRAW_MS = 150
_NOTE_LINES = 4
_ROW_BY_ROW = ("leaderboard", "domains", "metric", "rank-intervals", "weighted", "coco-score")
_PINNED = "◆ "
_TICKS = mark_for_translation("on the frontier")
# Tables whose numbers are coloured by how large they are; the second is signed around 0.
_HEATED = ("domains", "metric", "grid")
_WIDE = ("model", "name", "one", "other", "title", "evidence", "why")
# What tells rows apart is read before the numbers: so many pixels it has at least.
_NAME_PIXELS = 190
_SPARE = {
    "leaderboard": (
        "items", "pass", "fail", "partial", mark_for_translation("no answer"), "machinery", "SE", "samples", "cost",
        mark_for_translation("tokens per answer"), mark_for_translation("seconds per answer"),
    ),
}  # fmt: skip
"""By table, columns that are left out where there is no room, the last first."""
_SAME = ("protocol", mark_for_translation("item score"))


class Notes(QScrollArea):
    """A dim text as high as it is, up to four lines; the rest is scrolled to."""

    def __init__(self, name: str) -> None:
        """Show nothing; ``name`` is for screen readers."""
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
        """Return what is shown."""
        return self._label.text()

    def set_text(self, text: str) -> None:
        """Show other sentences; without any it takes no room."""
        self._label.setText(text)
        self.verticalScrollBar().setValue(0)
        self.setVisible(bool(text))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as many lines as the text needs at this width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        needed = max(self._label.heightForWidth(self.viewport().width()), self._label.fontMetrics().lineSpacing())
        self.setFixedHeight(min(needed, _NOTE_LINES * self._label.fontMetrics().lineSpacing()))


class ResultsBoard(Card):
    """Shows one table; `opened` carries the target of the cell that was chosen."""

    opened = Signal(object)
    ticked = Signal(tuple)
    """The models a scaling line is to go through; empty for those of the upper envelope."""
    sent_back = Signal(list)
    """The items of the chosen rows, which are to be decided on again."""
    turned = Signal()
    """Another face is shown, or there is something to show again or no longer."""

    def __init__(self, session: Session, theme: Theme) -> None:
        """Show nothing yet."""
        super().__init__(tr("Results"))
        self._session, self._theme = session, theme
        self.shown: Table | None = None
        self._filter = ""
        self.pins: set[str] = set()
        self.faces = Segments(tr("Results as"), (tr("Table"), tr("Figure")), chosen=self._show_face)
        self.pin = button(tr("Pin"), clicked=self.toggle_pin, tip=tr("Keep the chosen row on top"))
        self.tick = button(tr("Tick"), clicked=self._toggle_tick)
        self.tick.setToolTip(
            tr("Draw the line through the chosen model, or no longer; the column of ticks does the same")
        )
        self.envelope = button(tr("Envelope"), clicked=self._untick)
        self.envelope.setToolTip(tr("Draw the line through the best model of every size again"))
        back = tr("Open the chosen items again: they wait for a decision, with what is said of them here as the reason")
        self.every = button(tr("Select all"), "Ctrl+A", clicked=self._select_all)
        self.back = button(tr("Send back"), tip=back, clicked=self._send_back)
        self.acts = make_flow(self.tick, self.envelope, self.every, self.back, self.pin, self.faces)
        for made in (self.tick, self.envelope, self.every, self.back):
            made.hide()
        self.head.addLayout(self.acts)
        self.table = DataTable(tr("Results"))
        self.table.cell_selected.connect(self._open)
        self.table.clicked.connect(self._clicked)
        self.picture = QLabel()
        self.picture.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.frame = make_scroll(self.picture)
        self.frame.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.frame.viewport().installEventFilter(self)
        self.frame.setFrameShape(QScrollArea.Shape.NoFrame)
        self.frame.setAccessibleName(tr("Figure"))
        self.message = EmptyState(theme, "ph.chart-bar", tr("One moment"), tr("The results are being read."))
        self.stack = make_stack(self.table, self.frame, self.message)
        self.stack.setCurrentIndex(MESSAGE)
        self.notes = Notes(tr("Notes on the results"))
        fill_layout(self.body, (self.stack, 1), self.notes)
        self._timer = debounce(self, _DRAW_MS, self._draw)
        theme.changed.connect(self._restyle)

    def show_table(self, table: Table) -> None:
        """Show another table in the face that is chosen; of the same table, the chosen row stays chosen."""
        chosen = self._chosen() if self.shown is not None and self.shown.name == table.name else None
        if table != self.shown:
            self.picture.clear()
        self.shown = table
        self.set_title(shorten_middle(tr_message(table.title), 70))
        self._fill()
        if chosen is not None:
            self._choose_again(*chosen)
        self._show_face()

    def show_problem(self, title: str, sentence: str) -> None:
        """Say why the table that was asked for cannot be made."""
        self.shown = None
        self.set_title(title)
        self.table.set_rows((), [], [])
        self.picture.clear()
        self.notes.set_text("")
        self._say(tr("Nothing to show yet"), tr_message(sentence))
        self._show_face()

    @property
    def has_figure_face(self) -> bool:
        """Whether the figure is shown, which needs all the room there is."""
        return self.shown is not None and self.faces.current == FIGURE

    def _say(self, title: str, sentence: str) -> None:
        self.message.set_text(title, sentence)
        self.stack.setCurrentIndex(MESSAGE)

    def set_filter(self, text: str) -> None:
        """Show only rows that hold every word."""
        self._filter = text
        self._fill()

    def rows(self) -> list[tuple[ResultCell, ...]]:
        """Return the rows as shown: filtered, pinned ones first."""
        words = self._filter.lower().split()
        kept = [
            row
            for row in (self.shown.rows if self.shown else ())
            if all(any(word in cell.text.lower() for cell in row) for word in words)
        ]
        return sorted(kept, key=lambda row: self._name(row) not in self.pins)

    def _chosen(self) -> tuple[str, int] | None:
        """Return the name of the chosen row, and the chosen column."""
        index = self.table.currentIndex()
        return (self._name(self.table.payload_at(index)), index.column()) if index.isValid() else None

    def _choose_again(self, name: str, column: int) -> None:
        model = self.table.model()
        for row in range(self.table.row_count()):
            if self._name(self.table.payload_at(model.index(row, 0))) == name:
                self.table.setCurrentIndex(model.index(row, min(column, model.columnCount() - 1)))
                return

    def choose_run(self, run_id: str) -> bool:
        """Choose the first row that stands for a run; returns whether there is one."""
        model = self.table.model()
        for row in range(self.table.row_count()):
            cells = self.table.payload_at(model.index(row, 0))
            if any(cell.target is not None and cell.target.run_id == run_id for cell in cells):
                self.table.select(row)
                return True
        return False

    def toggle_pin(self, _checked: bool = False) -> None:
        """Pin the current row to the top, or let it go."""
        index = self.table.currentIndex()
        if index.isValid():
            self.pins ^= {self._name(self.table.payload_at(index))}
            self._fill()

    def _toggle_tick(self, _checked: bool = False) -> None:
        index = self.table.currentIndex()
        if self.shown is not None and self.shown.name == "scaling" and index.isValid():
            ticks = self.shown.column(_TICKS).texts
            on = {self._name(row) for row, tick in zip(self.shown.rows, ticks, strict=True) if tick}
            on ^= {self._name(self.table.payload_at(index))}
            self.ticked.emit(tuple(sorted(on)))

    def _select_all(self, _checked: bool = False) -> None:
        self.table.selectAll()
        self.table.setFocus()

    def _send_back(self, _checked: bool = False) -> None:
        rows = self.table.selected_payloads()
        found = [
            next((cell.target.id for cell in row if cell.target and cell.target.kind == "item"), "") for row in rows
        ]
        if items := [item for item in found if item]:
            self.sent_back.emit(items)

    def _untick(self, _checked: bool = False) -> None:
        self.ticked.emit(())

    def _clicked(self, index: QModelIndex) -> None:
        columns = self._columns()
        if self.shown is not None and self.shown.headers[columns[index.column()]] == _TICKS:
            self._toggle_tick()

    def _name(self, row: tuple[ResultCell, ...]) -> str:
        return row[self._name_column()].text

    def _name_column(self) -> int:
        headers = self.shown.headers if self.shown else ()
        return headers.index("model") if "model" in headers else 0

    def _fill(self) -> None:
        if self.shown is None:
            return
        rows, columns = self.rows(), self._columns()
        headers = [self.shown.headers[at] for at in columns]
        wide = tuple(at for at, name in enumerate(headers) if name in _WIDE)
        name = self._name_column()
        ticks = self.shown.headers.index(_TICKS) if _TICKS in self.shown.headers else -1
        kinds = [(at, at == name, at == ticks, self.shown.columns[at].numeric) for at in columns]
        cells = [[self._cell(row[at], *kind) for at, *kind in kinds] for row in rows]
        # Where there are many numbers, names get the room they need and no more.
        stretch = () if self.shown.name in _HEATED else wide[:2] or (0,)
        self.table.set_rows(
            headers,
            cells,
            rows,
            stretch,
            min_width=_NAME_PIXELS,
            shade=partial(_shade, self.shown, columns, look(dark=self._theme.is_dark)),
            spare=[at for name in _SPARE.get(self.shown.name, ()) for at, one in enumerate(headers) if one == name],
        )

    def _columns(self) -> list[int]:
        """Return the columns to show: those that say the same of every row are left to the notes."""
        table = self.shown
        if table is None:
            return []
        same = [
            at
            for at, name in enumerate(table.headers)
            if name in _SAME and len({row[at].text for row in table.rows}) < 2
        ]
        told = [
            tr(
                "{name}: {value}",
                name=translate_word(table.headers[at]),
                value=translate_word(tr_message(table.rows[0][at].text)),
            )
            for at in same
            if table.rows
        ]
        self.notes.set_text("\n".join([*map(tr_message, table.notes), *([" · ".join(told)] if told else [])]))
        return [at for at in range(len(table.headers)) if at not in same]

    def _cell(self, cell: ResultCell, named: bool, ticked: bool, numeric: bool) -> Cell:
        text = cell.text if cell.number is None else tr_message(cell.text)
        if named and text in self.pins:
            text = _PINNED + text
        if ticked:
            text = "☑" if text else "☐"
        value: float | str | None = cell.number
        if numeric and value is None:
            value = float("-inf")
        return Cell(text, value)

    def _open(self, row: tuple[ResultCell, ...], column: int) -> None:
        place = self._columns()[column]
        targets: list[Target | None] = [row[place].target, *(cell.target for cell in row)]
        found = next((target for target in targets if target is not None), None)
        if found is not None:
            self.opened.emit(found)

    # -- the figure -----------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draw the figure again when its room changes, also by what stands around it."""
        if event.type() == QEvent.Type.Resize and self.faces.current == FIGURE:
            self._timer.start()
        return super().eventFilter(watched, event)

    def _show_face(self, _face: int = 0) -> None:
        filled, table = self.shown is not None, self.faces.current == TABLE
        self.stack.setCurrentIndex(self.faces.current if filled else MESSAGE)
        self.faces.setVisible(filled)
        self.pin.setVisible(filled and table)
        scaling = self.shown is not None and self.shown.name == "scaling"
        self.tick.setVisible(scaling and table)
        self.envelope.setVisible(scaling)
        listed = self.shown is not None and self.shown.name == "items" and table
        self.every.setVisible(listed)
        self.back.setVisible(listed)
        self.turned.emit()
        if filled and not table:
            self._timer.start()

    def _restyle(self) -> None:
        self._fill()
        if self.faces.current == FIGURE:
            self._timer.start()

    def _draw(self) -> None:
        if self.shown is None:
            return
        room = self.frame.contentsRect()
        lines = _lines_of(self.shown)
        height = min(_TALLEST, max(room.height() - 4, _LEAST[1], lines * _ROW_PIXELS + _FRAME_PIXELS))
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent) if height > room.height() else 0
        size = (max(_LEAST[0], room.width() - bar - 4), height)
        ratio = self.devicePixelRatioF()
        work = partial(_picture, self.shown, size, self._theme.is_dark, ratio)
        self._session.run("cpu", work, partial(self._take_picture, ratio), latest="result-figure")

    def _take_picture(self, ratio: float, data: bytes) -> None:
        if self.faces.current != FIGURE or self.shown is None:
            return
        if not data:
            self._say(tr("No figure"), tr("This table has no figure; it is read as numbers."))
            return
        pixmap = QPixmap()
        pixmap.loadFromData(data, "PNG")
        pixmap.setDevicePixelRatio(ratio)
        self.picture.setPixmap(pixmap)
        self.picture.setMinimumSize(pixmap.deviceIndependentSize().toSize())


def _shade(
    table: Table, columns: list[int], colours: Look, row: tuple[ResultCell, ...], column: int
) -> tuple[str, str] | None:
    """Return ground and text of a number that is coloured by its size; asked when the cell is first on screen."""
    at = columns[column]
    number = row[at].number
    if number is None:
        return None
    if table.name in _HEATED and at < _heat_end(table):
        found = cell_colours(number, 0.0, 100.0, colours)
    elif table.name == "dsi" and table.headers[at] == "DSI %":
        found = cell_colours(max(-100.0, number), -100.0, 100.0, colours, signed=True)
    elif table.name == "correlation" and table.headers[at] == "Spearman":
        found = cell_colours(number, -1.0, 1.0, colours, signed=True)
    else:
        return None
    return _hex(found[0]), _hex(found[1])


def _heat_end(table: Table) -> int:
    """Return the first column that is no group any more."""
    if "mean" not in table.headers:
        return len(table.headers) - 1
    # A group or a model may be called so, too.
    return len(table.headers) - 1 - table.headers[::-1].index("mean")


def _lines_of(table: Table) -> int:
    if table.name in ("dsi", "correlation"):
        return len({row[0].text for row in table.rows})
    if table.name == "compare":
        return 1 + min(figures.COMPARED, len(table.rows))
    return len(table.rows) if table.name in _ROW_BY_ROW else 0


def _hex(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in colour)


def _picture(table: Table, size: tuple[int, int], dark: bool, ratio: float) -> bytes:
    """Draw a table's figure as PNG, in a worker; empty for a table that has none."""
    if not figures.has_chart(table.name):
        return b""
    return draw(figures.chart_of(table), "png", dark=dark, size=size, scale=ratio, title=False)
