"""The figure of a result table, drawn off the main thread to the size of its place; a click opens what a mark is of."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QStyle

from annotator.figures import Picture, draw_picture
from annotator.model.rows.result_rows import Table
from annotator.services.results import figures
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.timers import debounce

MIN_WIDTH = 360
_MIN_HEIGHT = 220
_MAX_HEIGHT = 6000
_ROW_PIXELS = 24
_FRAME_PIXELS = 120
_DRAW_MS = 150
_ROW_FIGURES = ("leaderboard", "domains", "metric", "grid", "rank-intervals", "weighted", "coco-score")


class FigureView(QScrollArea):
    """Shows the figure of one table; `opened` carries what the clicked row, cell or point stands for."""

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
            self.picture.clear()
            self._redraw()

    def open_at(self, x: float, y: float) -> None:
        """Open what stands at a position of the picture."""
        target = self._target_at(x, y)
        if target is not None:
            self.opened.emit(target)

    def marked_places(self) -> list[tuple[float, float]]:
        """Return the centres of the marks that open something."""
        marks = self._picture.marks if self._picture is not None else ()
        return [((mark.left + mark.right) / 2, (mark.top + mark.bottom) / 2) for mark in marks if mark.opens]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open a clicked mark, and show by the cursor where a click opens something."""
        if isinstance(event, QMouseEvent):
            position = event.position()
            if event.type() == QEvent.Type.MouseButtonRelease and event.button() == Qt.MouseButton.LeftButton:
                self.open_at(position.x(), position.y())
            elif event.type() == QEvent.Type.MouseMove:
                is_mark = self._target_at(position.x(), position.y()) is not None
                self.picture.setCursor(Qt.CursorShape.PointingHandCursor if is_mark else Qt.CursorShape.ArrowCursor)
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the figure of a table that came while nothing was shown."""
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
        lines = _row_count(self._table)
        height = min(_MAX_HEIGHT, max(room.height() - 4, _MIN_HEIGHT, lines * _ROW_PIXELS + _FRAME_PIXELS))
        bar_width = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent) if height > room.height() else 0
        size = (max(MIN_WIDTH, room.width()) - bar_width - 4, height)
        ratio = self.devicePixelRatioF()
        work = partial(_draw_table, self._table, size, self._theme.is_dark, ratio)
        self._session.run("cpu", work, partial(self._show, self._table, ratio), self._tell, latest="result-figure")

    def _tell(self, failure: WorkFailure) -> None:
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
        return 1 + min(figures.COMPARED, len(table.rows))
    return len(table.rows) if table.name in _ROW_FIGURES else 0


def _draw_table(table: Table, size: tuple[int, int], dark: bool, ratio: float) -> Picture:
    return draw_picture(figures.chart_of(table), size, dark=dark, scale=ratio)
