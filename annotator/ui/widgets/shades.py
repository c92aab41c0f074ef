"""Cells with a ground of their own, painted for the whole view at once: a delegate would be asked for one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QRegion, QStaticText
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QTableView

Shade = Callable[[Any, int], "tuple[str, str] | None"]
"""Gives the colours of ground and text (names as in CSS) for a row's payload and a column; None for a plain cell."""

_MARGIN = 11


class Look(NamedTuple):
    """What a shaded cell is painted with, made once."""

    ground: QColor
    pen: QPen
    text: QStaticText
    width: float


class Shades:
    """The shaded cells of a table. Looks are made when a cell is first on screen."""

    def __init__(self, view: QTableView, cell: Callable[[int, int], tuple[Any, str]]) -> None:
        """Shade nothing yet; ``cell`` gives a row's payload and the text of a cell of the model's."""
        self._view, self._cell = view, cell
        self._shade: Shade | None = None
        self._looks: dict[tuple[int, int], Look | None] = {}

    def use(self, shade: Shade | None) -> None:
        """Shade by another rule, or other rows by the same."""
        self._shade = shade
        self._looks.clear()

    def region(self, rows: dict[int, int]) -> QRegion:
        """Return where shaded cells are; ``rows`` has, by row as shown, the model's row, for those on screen."""
        columns = self._columns() if self._shade is not None else []
        found = QRegion()
        for row, source in rows.items():
            top, height = self._view.rowViewportPosition(row), self._view.rowHeight(row)
            run: list[tuple[int, int]] = []
            for column, left, width in columns:
                if self._look(source, column) is None:
                    found += _box(run, top, height)
                    run = []
                else:
                    run.append((left, width))
            found += _box(run, top, height)
        return found

    def paint(self, painter: QPainter, rows: dict[int, int]) -> None:
        """Paint the shaded cells of some rows; the chosen one's get a frame."""
        view, columns = self._view, self._columns()
        metrics = view.fontMetrics()
        painter.setFont(view.font())
        chosen = view.currentIndex().row() if view.selectionModel().hasSelection() else -1
        for row, source in rows.items():
            top, height = view.rowViewportPosition(row), view.rowHeight(row)
            if row == chosen:
                self._chosen_ground(painter, QRect(0, top, view.viewport().width(), height))
            down = top + (height - metrics.height()) // 2
            for column, left, width in columns:
                look = self._look(source, column)
                if look is None:
                    continue
                painter.fillRect(left + 1, top + 1, width - 2, height - 2, look.ground)
                painter.setPen(look.pen)
                painter.drawStaticText(round(left + width - _MARGIN - look.width), down, look.text)
                if row == chosen:
                    painter.drawRect(left + 1, top + 1, width - 3, height - 3)

    def _chosen_ground(self, painter: QPainter, box: QRect) -> None:
        option = QStyleOptionViewItem()
        option.initFrom(self._view)
        option.rect = box
        option.state |= QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_Enabled
        self._view.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewRow, option, painter, self._view)

    def _columns(self) -> list[tuple[int, int, int]]:
        """Return number, left side and width of the columns on screen."""
        view = self._view
        found = []
        for visual in range(view.horizontalHeader().count()):
            column = view.horizontalHeader().logicalIndex(visual)
            left, width = view.columnViewportPosition(column), view.columnWidth(column)
            if left >= view.viewport().width():
                break
            if left + width > 0 and not view.isColumnHidden(column):
                found.append((column, left, width))
        return found

    def _look(self, row: int, column: int) -> Look | None:
        known = (row, column)
        if known not in self._looks:
            self._looks[known] = self._made(row, column)
        return self._looks[known]

    def _made(self, row: int, column: int) -> Look | None:
        payload, words = self._cell(row, column)
        colours = self._shade(payload, column) if self._shade is not None else None
        if colours is None:
            return None
        text = QStaticText(words)
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.prepare(font=self._view.font())
        return Look(QColor(colours[0]), QPen(QColor(colours[1])), text, text.size().width())


def _box(run: list[tuple[int, int]], top: int, height: int) -> QRegion:
    if not run:
        return QRegion()
    left = run[0][0]
    return QRegion(left, top, run[-1][0] + run[-1][1] - left, height)
