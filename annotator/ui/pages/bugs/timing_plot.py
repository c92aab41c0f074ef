"""A log-log plot of two programs' times at growing sizes, in which faster growth shows as a steeper line."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr

_LEFT, _RIGHT = 62, 16
_DOT_RADIUS = 4.0
_LABEL_WIDTH = 56


class TimingPlot(QWidget):
    """Plots the times of a reference and of a changed program."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._sizes: tuple[float, ...] = ()
        self._times: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
        self.setAccessibleName(tr("Times of the reference and of the code with the bug"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_times(self, sizes: Sequence[float], reference: Sequence[float], changed: Sequence[float]) -> None:
        """Show the times of both programs in seconds, by size; nothing without sizes."""
        self._sizes = tuple(sizes)
        self._times = tuple(reference), tuple(changed)
        lines = [
            tr("size {size}: {seconds} and {seconds2}", size=f"{size:g}", seconds=_seconds(a), seconds2=_seconds(b))
            for size, a, b in zip(self._sizes, *self._times, strict=True)
        ]
        self.setAccessibleDescription(
            tr("Reference and bug at ") + "; ".join(lines) if lines else tr("No times were measured.")
        )
        self.setToolTip("\n".join(lines))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of a small figure."""
        return QSize(240, self._theme.pixels(150))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the axes, and a line and name for each program."""
        if not self._sizes:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self._area()
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.bottomLeft(), area.topLeft())
        low, high = self._range()
        painter.setPen(QColor(tokens.dim))
        height = self.fontMetrics().height()
        for value in (low, high):
            box = QRectF(0, self._y(value) - height / 2, area.left() - 8, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, _seconds(value))
        # A narrow plot labels only the first and the last size.
        step = 1 if area.width() >= _LABEL_WIDTH * len(self._sizes) else len(self._sizes) - 1
        for size in self._sizes[:: max(1, step)]:
            box = QRectF(self._x(size) - 40, area.bottom() + 4, 80, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{size:,.0f}")
        x = 0.0
        reference, changed = self._times
        for times, colour, name in ((reference, tokens.good, tr("Reference")), (changed, tokens.bad, tr("Bug"))):
            self._draw_line(painter, times, colour, is_round=times is reference)
            x = self._draw_name(painter, x, colour, name, is_round=times is reference)
        painter.end()

    def _draw_line(self, painter: QPainter, times: Sequence[float], colour: str, *, is_round: bool) -> None:
        points = [QPointF(self._x(size), self._y(time)) for size, time in zip(self._sizes, times, strict=True)]
        painter.setPen(QPen(QColor(colour), 2))
        painter.drawPolyline(points)
        for point in points:
            _draw_mark(painter, point, colour, is_round=is_round)

    def _draw_name(self, painter: QPainter, x: float, colour: str, name: str, *, is_round: bool) -> float:
        """Draw a program's mark and name above the plot; return the x position for the next."""
        height, width = self.fontMetrics().height(), self.fontMetrics().horizontalAdvance(name)
        _draw_mark(painter, QPointF(x + _DOT_RADIUS + 1, height / 2), colour, is_round=is_round)
        painter.setPen(QColor(self._theme.tokens.text))
        painter.drawText(QRectF(x + 16, 0, width + 4, height), Qt.AlignmentFlag.AlignLeft, name)
        return x + width + 36

    def _area(self) -> QRectF:
        height = self.fontMetrics().height()
        top = height + 14
        return QRectF(_LEFT, top, self.width() - _LEFT - _RIGHT - 20, max(20, self.height() - top - height - 6))

    def _range(self) -> tuple[float, float]:
        seconds = [max(time, 1e-9) for times in self._times for time in times]
        return min(seconds), max(max(seconds), min(seconds) * 1.01)

    def _x(self, size: float) -> float:
        area, first, last = self._area(), self._sizes[0], self._sizes[-1]
        share = math.log(size / first) / math.log(last / first) if last > first > 0 else 0.5
        return area.left() + 12 + (area.width() - 12) * share

    def _y(self, time: float) -> float:
        area, (low, high) = self._area(), self._range()
        return area.bottom() - area.height() * math.log(max(time, 1e-9) / low) / math.log(high / low)


def _draw_mark(painter: QPainter, point: QPointF, colour: str, *, is_round: bool) -> None:
    """Draw a circle or a square, so that colour is not the only difference between the programs."""
    box = QRectF(point.x() - _DOT_RADIUS, point.y() - _DOT_RADIUS, 2 * _DOT_RADIUS, 2 * _DOT_RADIUS)
    painter.setPen(QPen(QColor(colour), 1))
    painter.setBrush(QColor(colour))
    painter.drawEllipse(box) if is_round else painter.drawRect(box)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _seconds(value: float) -> str:
    if value >= 1:
        return tr("{value} s", value=f"{value:.1f}")
    return (
        tr("{value} ms", value=f"{value * 1000.0:.3g}")
        if value >= 1e-3
        else tr("{value} µs", value=f"{value * 1000000.0:.3g}")
    )
