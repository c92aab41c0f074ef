"""A strip of points from 0 to 1 with two draggable lines: no points below the first, all above the second."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr

_MARGIN = 14
_RADIUS = 4.0
_GRAB_PIXELS = 8
_STEP = 0.01
_ROWS = 5


class IntervalPlot(QWidget):
    """Plots the similarity of answers and the interval that maps similarity to points."""

    moved = Signal(float, float)
    """Low and high after a line was released."""

    def __init__(self, theme: Theme, name: str) -> None:
        """``name`` is the accessible name."""
        super().__init__()
        self._theme = theme
        self._name = name
        self._points: list[tuple[float, str]] = []
        self._low, self._high = 0.3, 0.51
        self._dragged_line = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._describe()
        theme.changed.connect(self.update)

    @property
    def interval(self) -> tuple[float, float]:
        """The positions of the two lines, (low, high)."""
        return self._low, self._high

    def show_points(self, points: Sequence[tuple[float, str]], low: float, high: float) -> None:
        """Show (value, label) points and the lines; lines being dragged stay."""
        self._points = list(points)
        if not self._dragged_line:
            self._low, self._high = low, high
        self._describe()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the preferred size of the strip."""
        return QSize(320, self._theme.pixels(130))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the interval, the points and the axis."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self._area()
        low, high = self.x_of(self._low), self.x_of(self._high)
        painter.fillRect(QRectF(area.left(), area.top(), low - area.left(), area.height()), QColor(tokens.bad_ground))
        painter.fillRect(QRectF(low, area.top(), high - low, area.height()), QColor(tokens.attention_ground))
        painter.fillRect(QRectF(high, area.top(), area.right() - high, area.height()), QColor(tokens.good_ground))
        painter.setPen(Qt.PenStyle.NoPen)
        for number, (value, _) in enumerate(self._points):
            y = area.top() + area.height() * (0.15 + 0.7 * (number % _ROWS) / (_ROWS - 1))
            colour = tokens.bad if value <= self._low else tokens.good if value >= self._high else tokens.attention
            painter.setBrush(QColor(colour))
            painter.drawEllipse(QPointF(self.x_of(value), y), _RADIUS, _RADIUS)
        for name, x in (("low", low), ("high", high)):
            width = 3 if self._dragged_line == name else 2
            painter.setPen(QPen(QColor(tokens.accent if self.hasFocus() else tokens.text), width))
            painter.drawLine(QPointF(x, area.top() - 4), QPointF(x, area.bottom() + 4))
        painter.setPen(QColor(tokens.dim))
        for tick in range(6):
            value = tick / 5
            box = QRectF(self.x_of(value) - 20, area.bottom() + 4, 40, 18)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{value:g}")
        painter.setPen(QColor(tokens.text))
        text = tr("no points below {low}, all points above {high}", low=f"{self._low:.2f}", high=f"{self._high:.2f}")
        painter.drawText(QRectF(area.left(), 0, area.width(), area.top() - 4), Qt.AlignmentFlag.AlignLeft, text)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Grab the nearer line."""
        x = event.position().x()
        distances = {"low": abs(x - self.x_of(self._low)), "high": abs(x - self.x_of(self._high))}
        nearest = min(distances, key=lambda name: distances[name])
        if distances[nearest] <= _GRAB_PIXELS:
            self._dragged_line = nearest
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the line, or show the labels of points under the pointer."""
        x = event.position().x()
        if self._dragged_line:
            self._move_line(self._dragged_line, self._value(x))
            return
        is_near_line = min(abs(x - self.x_of(self._low)), abs(x - self.x_of(self._high))) <= _GRAB_PIXELS
        self.setCursor(Qt.CursorShape.SplitHCursor if is_near_line else Qt.CursorShape.ArrowCursor)
        tips = [f"{label}: {value:.3f}" for value, label in self._points if abs(self.x_of(value) - x) <= _RADIUS]
        self.setToolTip("\n".join(tips[:8]))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Release the line."""
        if self._dragged_line:
            self._dragged_line = ""
            self.update()
            self.moved.emit(*self.interval)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the lower line with the Left and Right keys, with Shift the upper one."""
        steps = {Qt.Key.Key_Left: -_STEP, Qt.Key.Key_Right: _STEP}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        upper = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._move_line("high" if upper else "low", (self._high if upper else self._low) + step)
        self.moved.emit(*self.interval)

    def _move_line(self, name: str, value: float) -> None:
        value = round(min(1.0, max(0.0, value)), 2)
        if name == "low":
            self._low = min(value, round(self._high - _STEP, 2))
        else:
            self._high = max(value, round(self._low + _STEP, 2))
        self._describe()
        self.update()

    def _describe(self) -> None:
        nothing = sum(value <= self._low for value, _ in self._points)
        everything = sum(value >= self._high for value, _ in self._points)
        self.setAccessibleName(self._name)
        self.setAccessibleDescription(
            tr(
                "{count} answers: {nothing} get no points (below {low}), {everything} get all points (above {high}). "
                "The left and right keys move the lower line, with Shift the upper one.",
                count=len(self._points),
                nothing=nothing,
                low=f"{self._low:.2f}",
                everything=everything,
                high=f"{self._high:.2f}",
            )
        )

    def _area(self) -> QRectF:
        top = self.fontMetrics().height() + 8
        return QRectF(_MARGIN, top, self.width() - 2 * _MARGIN, max(20, self.height() - top - 28))

    def x_of(self, value: float) -> float:
        """Return the x position of a value, in pixels from the left."""
        area = self._area()
        return area.left() + area.width() * min(1.0, max(0.0, value))

    def _value(self, x: float) -> float:
        area = self._area()
        return (x - area.left()) / max(1.0, area.width())
