"""The table of results in two faces: cells to open, and the figure drawn from them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QStackedWidget

from annotator.figures.look import cell_colours, look
from annotator.model.results import Cell as ResultCell
from annotator.model.results import Table, Target
from annotator.ui.session import Session
from annotator.ui.theme import Theme
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.labels import button, label, shortened
from annotator.ui.widgets.segments import Segments
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_known, tr_later, tr_told

TABLE, FIGURE = 0, 1
_ROW_PIXELS = 24
_FRAME_PIXELS = 120
_LEAST = (480, 320)
_TALLEST = 6000
_DRAW_MS = 150
# As many as the figure shows.
_COMPARED = 60
_PINNED = "◆ "
_TICKS = tr_later("on the frontier")
# Tables whose numbers are coloured by how large they are; the second is signed around 0.
_HEATED = ("domains", "metric")
_WIDE = ("model", "title", "evidence", "why")
_SAME = ("protocol", tr_later("item score"))


class ResultsBoard(Card):
    """Shows one table; `opened` carries the target of the cell that was chosen."""

    opened = Signal(object)
    ticked = Signal(tuple)
    """The models a scaling line is to go through; empty for those of the upper envelope."""

    def __init__(self, session: Session, theme: Theme) -> None:
        """Show nothing yet."""
        super().__init__(tr("Results"))
        self._session, self._theme = session, theme
        self.shown: Table | None = None
        self._filter = ""
        self.pins: set[str] = set()
        self.faces = Segments(tr("Results as"), (tr("Table"), tr("Figure")))
        self.faces.chosen.connect(self._show_face)
        self.pin = button(tr("Pin"))
        self.pin.setToolTip(tr("Keep the chosen row on top"))
        self.pin.clicked.connect(self.toggle_pin)
        self.tick = button(tr("Tick"))
        self.tick.setToolTip(
            tr("Draw the line through the chosen model, or no longer; the column of ticks does the same")
        )
        self.tick.clicked.connect(self._toggle_tick)
        self.envelope = button(tr("Envelope"))
        self.envelope.setToolTip(tr("Draw the line through the best model of every size again"))
        self.envelope.clicked.connect(self._untick)
        for made in (self.tick, self.envelope):
            made.hide()
            self.head.addWidget(made)
        self.head.addWidget(self.pin)
        self.head.addWidget(self.faces)
        self.table = DataTable(tr("Results"))
        self.table.cell_selected.connect(self._open)
        self.table.clicked.connect(self._clicked)
        self.picture = QLabel()
        self.picture.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.frame = QScrollArea()
        self.frame.setWidget(self.picture)
        self.frame.setWidgetResizable(True)
        self.frame.setFrameShape(QScrollArea.Shape.NoFrame)
        self.frame.setAccessibleName(tr("Figure"))
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.frame)
        self.notes = label("", "dim", wrap=True)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.notes)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DRAW_MS)
        self._timer.timeout.connect(self._draw)
        theme.changed.connect(self._restyle)

    def show_table(self, table: Table) -> None:
        """Show another table in the face that is chosen."""
        self.shown = table
        self.set_title(shortened(tr_told(table.title), 70))
        self._fill()
        self._show_face()

    def show_problem(self, title: str, sentence: str) -> None:
        """Say why the table that was asked for cannot be made."""
        self.shown = None
        self.set_title(title)
        self.table.set_rows((), [], [])
        self.picture.clear()
        self.notes.setText(tr_told(sentence))
        self.notes.show()

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
        return sorted(kept, key=self._unpinned)

    def toggle_pin(self, _checked: bool = False) -> None:
        """Pin the current row to the top, or let it go."""
        index = self.table.currentIndex()
        if index.isValid():
            self.pins ^= {self._name(self.table.payload_at(index))}
            self._fill()

    def _toggle_tick(self, _checked: bool = False) -> None:
        index = self.table.currentIndex()
        if self.shown is not None and self.shown.name == "scaling" and index.isValid():
            at = self.shown.headers.index(_TICKS)
            on = {self._name(row) for row in self.shown.rows if row[at].text}
            on ^= {self._name(self.table.payload_at(index))}
            self.ticked.emit(tuple(sorted(on)))

    def _untick(self, _checked: bool = False) -> None:
        self.ticked.emit(())

    def _clicked(self, index: QModelIndex) -> None:
        columns = self._columns()
        if self.shown is not None and self.shown.headers[columns[index.column()]] == _TICKS:
            self._toggle_tick()

    def _unpinned(self, row: tuple[ResultCell, ...]) -> bool:
        return self._name(row) not in self.pins

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
        cells = [[self._cell(row, at) for at in columns] for row in rows]
        # Where there are many numbers, names get the room they need and no more.
        self.table.set_rows(headers, cells, rows, stretch=() if self.shown.name in _HEATED else wide[:2] or (0,))

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
        told = [f"{tr_known(table.headers[at])}: {tr_told(table.rows[0][at].text)}" for at in same if table.rows]
        self.notes.setText("\n".join([*map(tr_told, table.notes), *([" · ".join(told)] if told else [])]))
        self.notes.setVisible(bool(self.notes.text()))
        return [at for at in range(len(table.headers)) if at not in same]

    def _cell(self, row: tuple[ResultCell, ...], at: int) -> Cell:
        assert self.shown is not None
        cell, table = row[at], self.shown
        text = cell.text
        if at == self._name_column() and cell.text in self.pins:
            text = _PINNED + text
        if table.headers[at] == _TICKS:
            text = "☑" if text else "☐"
        value: float | str | None = cell.number
        if table.numeric[at] and value is None:
            value = float("-inf")
        ground = ink = ""
        if cell.number is not None:
            colours = look(dark=self._theme.is_dark)
            if table.name in _HEATED and at < _heat_end(table):
                ground, ink = map(_hex, cell_colours(cell.number, 0.0, 100.0, colours))
            elif table.name == "dsi" and table.headers[at] == "DSI %":
                ground, ink = map(_hex, cell_colours(max(-100.0, cell.number), -100.0, 100.0, colours, signed=True))
            elif table.name == "correlation" and table.headers[at] == "Spearman":
                ground, ink = map(_hex, cell_colours(cell.number, -1.0, 1.0, colours, signed=True))
        return Cell(text, value, ground, ink)

    def _open(self, row: tuple[ResultCell, ...], column: int) -> None:
        place = self._columns()[column]
        targets: list[Target | None] = [row[place].target, *(cell.target for cell in row)]
        found = next((target for target in targets if target is not None), None)
        if found is not None:
            self.opened.emit(found)

    # -- the figure -----------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw the figure again at its new size."""
        super().resizeEvent(event)
        if self.faces.current == FIGURE:
            self._timer.start()

    def _show_face(self, _face: int = 0) -> None:
        self.stack.setCurrentIndex(self.faces.current)
        self.pin.setVisible(self.faces.current == TABLE)
        scaling = self.shown is not None and self.shown.name == "scaling"
        self.tick.setVisible(scaling and self.faces.current == TABLE)
        self.envelope.setVisible(scaling)
        if self.faces.current == FIGURE:
            self._timer.start()

    def _restyle(self) -> None:
        self._fill()
        if self.faces.current == FIGURE:
            self._timer.start()

    def _draw(self) -> None:
        if self.shown is None:
            return
        view = self.frame.viewport()
        lines = _lines_of(self.shown)
        height = min(_TALLEST, max(view.height() - 4, _LEAST[1], lines * _ROW_PIXELS + _FRAME_PIXELS))
        size = (max(_LEAST[0], view.width() - 4), height)
        ratio = self.devicePixelRatioF()
        work = partial(_picture, self.shown, size, self._theme.is_dark, ratio)
        self._session.run("cpu", work, partial(self._take_picture, ratio), latest="result-figure")

    def _take_picture(self, ratio: float, data: bytes) -> None:
        if not data:
            self.picture.setText(tr("This table has no figure."))
            return
        pixmap = QPixmap()
        pixmap.loadFromData(data, "PNG")
        pixmap.setDevicePixelRatio(ratio)
        self.picture.setPixmap(pixmap)
        self.picture.setMinimumSize(pixmap.deviceIndependentSize().toSize())


def _heat_end(table: Table) -> int:
    """Return the first column that is no group any more."""
    return table.headers.index("mean") if "mean" in table.headers else len(table.headers) - 1


def _lines_of(table: Table) -> int:
    if table.name in ("dsi", "correlation"):
        return len({row[0].text for row in table.rows})
    if table.name == "compare":
        return min(_COMPARED, len(table.rows))
    return len(table.rows) if table.name in ("leaderboard", "domains", "metric", "rank-intervals", "weighted") else 0


def _hex(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in colour)


def _picture(table: Table, size: tuple[int, int], dark: bool, ratio: float) -> bytes:
    """Draw a table's figure as PNG, in a worker; empty for a table that has none."""
    from annotator.figures import draw
    from annotator.services import result_figures

    if not result_figures.has_chart(table.name):
        return b""
    return draw(result_figures.chart_of(table), "png", dark=dark, size=size, scale=ratio, title=False)
