"""The icons of the Phosphor set, read from SVG files and drawn in a colour of the theme."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from annotator.base.resources import resource_path

PREFIX = "ph."


def load_icon(name: str, colour: str) -> QIcon:
    """Return an icon (``ph.`` and its name in the set) in a colour. Raises KeyError for an unknown name."""
    file = resource_path("icons", "phosphor") / f"{name.removeprefix(PREFIX)}.svg"
    if not file.is_file():
        raise KeyError(name)
    return QIcon(_SvgIcon(file.read_text(encoding="utf-8"), colour))


class _SvgIcon(QIconEngine):
    """Draws one icon at any size; a disabled icon gets the palette's colour of disabled text."""

    def __init__(self, svg: str, colour: str) -> None:
        super().__init__()
        self._svg = svg
        self._colour = colour

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        del state
        colour = self._colour
        if mode == QIcon.Mode.Disabled:
            colour = QGuiApplication.palette().color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text).name()
        QSvgRenderer(self._svg.replace("currentColor", colour).encode()).render(painter, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        picture = QPixmap(size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return picture

    def clone(self) -> QIconEngine:
        return _SvgIcon(self._svg, self._colour)
