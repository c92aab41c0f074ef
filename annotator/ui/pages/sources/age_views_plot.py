"""Age against views of questions, with the filter line to drag: any number of points as one picture."""

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

_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 12, 38
_GRIP = 7
_KEY_STEP = 0.05
_TICKS = (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)


class Scatter(QWidget):
    """Shows a picture of points under a line with two handles.

    `dragged` carries the line as ((days, ln views), (days, ln views)) while a handle is moved by mouse or arrow keys;
    `resized` says that a picture of another size (`picture_size`) is wanted. The handles stand at day 0 and at the
    largest age shown.
    """

    dragged = Signal(object)
    resized = Signal()

    def __init__(self, theme: Theme) -> None:
        """Show an empty plot."""
        super().__init__()
        self._theme = theme
        self._density: NDArray[np.uint8] | None = None
        self.picture: QImage | None = None
        """The points as they are painted; None without any."""
        self._extent = (3000.0, 16.0)
        self._ends = [5.0, 15.5]
        self._held: int | None = None
        self._handle = 0
        self._remark = ""
        self.setAccessibleName(tr("Age against views, with the filter line"))
        self.setAccessibleDescription(tr("Left and right choose an end of the line, up and down move it."))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(320, 220)
        self.setMouseTracking(True)
        theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        """Ask for a picture wider than high."""
        return QSize(640, 400)

    @property
    def extent(self) -> tuple[float, float]:
        """The largest age in days and the largest logarithm of views shown."""
        return self._extent

    @property
    def picture_size(self) -> tuple[int, int]:
        """The pixels that a picture of the points fills."""
        area = self._area()
        return max(1, round(area.width())), max(1, round(area.height()))

    def set_extent(self, days: float, logs: float) -> None:
        """Show ages and logarithms up to these; the line keeps its place."""
        slope = (self._ends[1] - self._ends[0]) / self._extent[0]
        self._extent = max(1.0, days), max(1.0, logs)
        self._ends[1] = self._ends[0] + slope * self._extent[0]
        self.update()

    def set_density(self, density: NDArray[np.uint8] | None) -> None:
        """Show a picture: rows from the top, 0 no point, else 1 to 255 how dense."""
        self._density = density
        self._restyle()

    def set_line(self, intercept: float, slope: float) -> None:
        """Put the line somewhere; this is no dragging."""
        self._ends = [intercept, intercept + slope * self._extent[0]]
        self.update()

    def set_remark(self, text: str) -> None:
        """Show a sentence over the plot, such as how many lie above the line."""
        if text != self._remark:
            self._remark = text
            self.setAccessibleDescription(
                tr("{text}. Left and right choose an end of the line, up and down move it.", text=text)
            )
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture that fits."""
        super().resizeEvent(event)
        self.resized.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the nearer end of the line."""
        if event.button() == Qt.MouseButton.LeftButton:
            area = self._area()
            self._held = self._handle = 0 if event.position().x() < area.center().x() else 1
            self._move_to(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the end that is held; its cursor says what can be held."""
        if self._held is not None:
            self._move_to(event.position())
            return
        near = any((self.handle_at(end) - event.position()).manhattanLength() < 24 for end in (0, 1))
        self.setCursor(Qt.CursorShape.SizeVerCursor if near else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Let go."""
        self._held = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose an end with left and right, move it with up and down."""
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._handle = int(key == Qt.Key.Key_Right)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = _KEY_STEP * (10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            self._move_end(self._handle, self._ends[self._handle] + (step if key == Qt.Key.Key_Up else -step))
        else:
            super().keyPressEvent(event)
            return
        self.update()

    def _move_to(self, point: QPointF) -> None:
        if self._held is not None:
            area = self._area()
            self._move_end(self._held, (area.bottom() - point.y()) / area.height() * self._extent[1])

    def _move_end(self, end: int, height: float) -> None:
        self._ends[end] = min(max(height, -5.0), self._extent[1] + 5.0)
        self.update()
        self.dragged.emit(((0.0, self._ends[0]), (self._extent[0], self._ends[1])))

    def _area(self) -> QRectF:
        return QRectF(_LEFT, _TOP, max(1, self.width() - _LEFT - _RIGHT), max(1, self.height() - _TOP - _BOTTOM))

    def _y(self, height: float) -> float:
        area = self._area()
        return area.bottom() - height / self._extent[1] * area.height()

    def handle_at(self, end: int) -> QPointF:
        """Return where a handle is shown; an end outside the plot is held at its edge."""
        area = self._area()
        height = min(max(self._y(self._ends[end]), area.top()), area.bottom())
        return QPointF(area.left() if end == 0 else area.right(), height)

    def _restyle(self) -> None:
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
        """Paint axes, points, the part below the line dimmed, the line with its handles, and the remark."""
        t, area = self._theme.tokens, self._area()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(t.panel))
        self._paint_axes(painter, area)
        painter.setClipRect(area.adjusted(0, 0, 1, 1))
        if self.picture is not None:
            painter.drawImage(area, self.picture)
        first = QPointF(area.left(), self._y(self._ends[0]))
        last = QPointF(area.right(), self._y(self._ends[1]))
        below = QPainterPath(first)
        for point in (last, QPointF(area.right(), area.bottom() + 9999), QPointF(area.left(), area.bottom() + 9999)):
            below.lineTo(point)
        shade = QColor(t.panel)
        shade.setAlpha(150)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(below, shade)
        painter.setPen(QPen(QColor(t.bad), 2))
        painter.drawLine(first, last)
        painter.setClipping(False)
        for end in (0, 1):
            painter.setBrush(QColor(t.bad if self.hasFocus() and end == self._handle else t.panel))
            painter.setPen(QPen(QColor(t.bad), 2))
            painter.drawEllipse(self.handle_at(end), _GRIP, _GRIP)
        self._paint_remark(painter, area)
        painter.end()

    def _paint_axes(self, painter: QPainter, area: QRectF) -> None:
        t, metrics = self._theme.tokens, QFontMetrics(self.font())
        painter.setPen(QColor(t.line))
        painter.drawRect(area)
        for views in _TICKS:
            height = self._y(math.log(views))
            if area.top() <= height <= area.bottom():
                painter.setPen(QColor(t.line))
                painter.drawLine(QPointF(area.left(), height), QPointF(area.right(), height))
                painter.setPen(QColor(t.dim))
                text = (
                    tr("{views} M", views=views // 1000000)
                    if views >= 1_000_000
                    else tr("{views} k", views=views // 1000)
                    if views >= 1000
                    else str(views)
                )
                box = QRectF(0, height - metrics.height() / 2, _LEFT - 12, metrics.height())
                painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        step = _round_step(self._extent[0] / 5)
        day = 0.0
        while day <= self._extent[0]:
            place = area.left() + day / self._extent[0] * area.width()
            painter.setPen(QColor(t.dim))
            text = tr("{day} days", day=f"{day:,.0f}") if day else tr("today")
            width = metrics.horizontalAdvance(text)
            left = min(max(place - width / 2, 2), self.width() - width - 2)
            painter.drawText(QPointF(left, area.bottom() + 5 + metrics.ascent()), text)
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


def _round_step(rough: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, ... at or above a rough step."""
    power = 10 ** math.floor(math.log10(max(rough, 1.0)))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough))
