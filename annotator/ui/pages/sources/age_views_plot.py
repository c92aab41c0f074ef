"""A plot of questions by age and views, with a draggable filter line; all points are one image."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr

_LEFT_MARGIN, _RIGHT_MARGIN, _TOP_MARGIN, _BOTTOM_MARGIN = 58, 14, 12, 38
_HANDLE_RADIUS = 7
_KEY_STEP = 0.05
"""The step of an arrow key, in natural logarithms of views."""
_TICKS = (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)


class AgeViewsPlot(QWidget):
    """Shows an image of points under a line with two handles, at day 0 and at the largest age.

    `dragged` carries the line as ((days, ln views), (days, ln views)) while a handle is moved by mouse or arrow keys;
    `resized` requests an image of the new `picture_size`.
    """

    dragged = Signal(object)
    resized = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._density: NDArray[np.uint8] | None = None
        self.picture: QImage | None = None
        """The rendered points; None without any."""
        self._extent = (3000.0, 16.0)
        self._ends = [5.0, 15.5]
        self._dragged_end: int | None = None
        self._selected_end = 0
        self._remark = ""
        self.setAccessibleName(tr("Age against views, with the filter line"))
        self.setAccessibleDescription(tr("The left and right keys choose an end of the line, up and down move it."))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(320, 220)
        self.setMouseTracking(True)
        theme.changed.connect(self._render_picture)

    def sizeHint(self) -> QSize:
        """Return the preferred size, wider than high."""
        return QSize(640, 400)

    @property
    def extent(self) -> tuple[float, float]:
        """The largest age in days and the largest natural logarithm of views in the plot."""
        return self._extent

    @property
    def picture_size(self) -> tuple[int, int]:
        """The width and height of the image of points, in pixels."""
        area = self._area()
        return max(1, round(area.width())), max(1, round(area.height()))

    def set_extent(self, days: float, logs: float) -> None:
        """Set the largest age and logarithm of views; the line keeps its intercept and slope."""
        slope = (self._ends[1] - self._ends[0]) / self._extent[0]
        self._extent = max(1.0, days), max(1.0, logs)
        self._ends[1] = self._ends[0] + slope * self._extent[0]
        self.update()

    def set_density(self, density: NDArray[np.uint8] | None) -> None:
        """Show point densities: rows from the top, 0 for no point, 1 to 255 for the density."""
        self._density = density
        self._render_picture()

    def set_line(self, intercept: float, slope: float) -> None:
        """Place the line without emitting `dragged`."""
        self._ends = [intercept, intercept + slope * self._extent[0]]
        self.update()

    def set_remark(self, text: str) -> None:
        """Show a sentence over the plot, such as the number of points above the line."""
        if text != self._remark:
            self._remark = text
            self.setAccessibleDescription(
                tr("{text}. The left and right keys choose an end of the line, up and down move it.", text=text)
            )
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Request an image of the new size."""
        super().resizeEvent(event)
        self.resized.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Grab the nearer end of the line."""
        if event.button() == Qt.MouseButton.LeftButton:
            area = self._area()
            self._dragged_end = self._selected_end = 0 if event.position().x() < area.center().x() else 1
            self._move_to(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the end of the line, or change the cursor near a handle."""
        if self._dragged_end is not None:
            self._move_to(event.position())
            return
        is_near_handle = any((self.handle_at(end) - event.position()).manhattanLength() < 24 for end in (0, 1))
        self.setCursor(Qt.CursorShape.SizeVerCursor if is_near_handle else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Release the handle."""
        self._dragged_end = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select an end with Left and Right, move it with Up and Down."""
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._selected_end = int(key == Qt.Key.Key_Right)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = _KEY_STEP * (10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            self._move_end(
                self._selected_end, self._ends[self._selected_end] + (step if key == Qt.Key.Key_Up else -step)
            )
        else:
            super().keyPressEvent(event)
            return
        self.update()

    def _move_to(self, point: QPointF) -> None:
        if self._dragged_end is not None:
            area = self._area()
            self._move_end(self._dragged_end, (area.bottom() - point.y()) / area.height() * self._extent[1])

    def _move_end(self, end: int, height: float) -> None:
        self._ends[end] = min(max(height, -5.0), self._extent[1] + 5.0)
        self.update()
        self.dragged.emit(((0.0, self._ends[0]), (self._extent[0], self._ends[1])))

    def _area(self) -> QRectF:
        return QRectF(
            _LEFT_MARGIN,
            _TOP_MARGIN,
            max(1, self.width() - _LEFT_MARGIN - _RIGHT_MARGIN),
            max(1, self.height() - _TOP_MARGIN - _BOTTOM_MARGIN),
        )

    def _y_of(self, height: float) -> float:
        area = self._area()
        return area.bottom() - height / self._extent[1] * area.height()

    def handle_at(self, end: int) -> QPointF:
        """Return the position of a handle, clamped to the edge of the plot."""
        area = self._area()
        height = min(max(self._y_of(self._ends[end]), area.top()), area.bottom())
        return QPointF(area.left() if end == 0 else area.right(), height)

    def _render_picture(self) -> None:
        self.picture = None
        density = self._density
        if density is not None and density.size:
            rgb = QColor(self._theme.tokens.accent)
            colour = np.uint32(rgb.red() << 16 | rgb.green() << 8 | rgb.blue())
            pixels = np.ascontiguousarray(density.astype(np.uint32) << np.uint32(24) | colour)
            pixels[density == 0] = 0
            height, width = density.shape
            self.picture = QImage(pixels.tobytes(), width, height, width * 4, QImage.Format.Format_ARGB32).copy()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint axes, points, a shade below the line, the line with its handles, and the remark."""
        tokens, area = self._theme.tokens, self._area()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.panel))
        self._paint_axes(painter, area)
        painter.setClipRect(area.adjusted(0, 0, 1, 1))
        if self.picture is not None:
            painter.drawImage(area, self.picture)
        first = QPointF(area.left(), self._y_of(self._ends[0]))
        last = QPointF(area.right(), self._y_of(self._ends[1]))
        below = QPainterPath(first)
        for point in (last, QPointF(area.right(), area.bottom() + 9999), QPointF(area.left(), area.bottom() + 9999)):
            below.lineTo(point)
        shade = QColor(tokens.panel)
        shade.setAlpha(150)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(below, shade)
        painter.setPen(QPen(QColor(tokens.bad), 2))
        painter.drawLine(first, last)
        painter.setClipping(False)
        for end in (0, 1):
            painter.setBrush(QColor(tokens.bad if self.hasFocus() and end == self._selected_end else tokens.panel))
            painter.setPen(QPen(QColor(tokens.bad), 2))
            painter.drawEllipse(self.handle_at(end), _HANDLE_RADIUS, _HANDLE_RADIUS)
        self._paint_remark(painter, area)
        painter.end()

    def _paint_axes(self, painter: QPainter, area: QRectF) -> None:
        tokens, metrics = self._theme.tokens, QFontMetrics(self.font())
        painter.setPen(QColor(tokens.line))
        painter.drawRect(area)
        for views in _TICKS:
            height = self._y_of(math.log(views))
            if area.top() <= height <= area.bottom():
                painter.setPen(QColor(tokens.line))
                painter.drawLine(QPointF(area.left(), height), QPointF(area.right(), height))
                painter.setPen(QColor(tokens.dim))
                if views >= 1_000_000:
                    text = tr("{views} M", views=views // 1_000_000)
                elif views >= 1000:
                    text = tr("{views} k", views=views // 1000)
                else:
                    text = str(views)
                box = QRectF(0, height - metrics.height() / 2, _LEFT_MARGIN - 12, metrics.height())
                painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        step = _round_step(self._extent[0] / 5)
        day = 0.0
        while day <= self._extent[0]:
            tick_x = area.left() + day / self._extent[0] * area.width()
            painter.setPen(QColor(tokens.dim))
            text = tr("{day} days", day=f"{day:,.0f}") if day else tr("today")
            width = metrics.horizontalAdvance(text)
            text_x = min(max(tick_x - width / 2, 2), self.width() - width - 2)
            painter.drawText(QPointF(text_x, area.bottom() + 5 + metrics.ascent()), text)
            day += step
        painter.drawText(QPointF(4, area.top() + metrics.ascent() - 2), tr("views"))

    def _paint_remark(self, painter: QPainter, area: QRectF) -> None:
        if not self._remark:
            return
        font = QFont(self.font())
        font.setBold(True)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        width = metrics.horizontalAdvance(self._remark)
        box = QRectF(area.right() - width - 28, area.top() + 8, width + 20, metrics.height() + 8)
        ground = QColor(self._theme.tokens.panel)
        ground.setAlpha(225)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(box, 6, 6)
        painter.setPen(QColor(self._theme.tokens.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._remark)


def _round_step(min_step: float) -> float:
    """Round a step up to the next of 1, 2, 5, 10, 20, ..."""
    power = 10 ** math.floor(math.log10(max(min_step, 1.0)))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= min_step))
