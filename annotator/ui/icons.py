"""The icons: glyphs of the Phosphor font, tinted.

The font comes with QtAwesome and is read from where that is installed. The package itself is not loaded: it loads
every class of Qt and eleven more fonts, which took longer than everything else before the first page of the queue.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QIconEngine, QPainter, QPalette, QPixmap

from annotator.ui.words import tr

PREFIX = "ph."
_PART_OF_HEIGHT = 0.875
"""A glyph is a little smaller than its icon, so that nothing of it is cut."""


class IconFont:
    """The font and the names of its glyphs; read once, when the first icon is wanted."""

    def __init__(self) -> None:
        """Read the font. Raises FileNotFoundError where it is not installed."""
        folder = _folder()
        font = next(iter(sorted(folder.glob("phosphor-[0-9]*.ttf"))), None)
        names = next(iter(sorted(folder.glob("phosphor-charmap-*.json"))), None)
        if font is None or names is None:
            raise FileNotFoundError(tr("The icon font is not in {folder}.", folder=folder))
        number = QFontDatabase.addApplicationFont(str(font))
        self._families = QFontDatabase.applicationFontFamilies(number)
        self._codes: dict[str, str] = json.loads(names.read_text(encoding="utf-8"))

    def icon(self, name: str, colour: str) -> QIcon:
        """Return an icon (``ph.`` and the glyph's name) in a colour. Raises KeyError for a name that is not there."""
        glyph = chr(int(self._codes[name.removeprefix(PREFIX)], 16))
        return QIcon(_Glyph(self._families, glyph, QColor(colour)))


def _folder() -> Path:
    found = find_spec("qtawesome")
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError(tr("QtAwesome is not installed."))
    return Path(next(iter(found.submodule_search_locations))) / "fonts"


class _Glyph(QIconEngine):
    """Draws one glyph at any size; what is disabled takes the look's colour of disabled text."""

    def __init__(self, families: list[str], glyph: str, colour: QColor) -> None:
        super().__init__()
        self._families = families
        self._glyph = glyph
        self._colour = colour

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        del state
        colour = self._colour
        if mode == QIcon.Mode.Disabled:
            colour = QGuiApplication.palette().color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
        font = QFont(self._families)
        font.setPixelSize(max(1, round(_PART_OF_HEIGHT * rect.height())))
        painter.save()
        painter.setPen(colour)
        painter.setFont(font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._glyph)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        found = QPixmap(size)
        found.fill(Qt.GlobalColor.transparent)
        painter = QPainter(found)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return found

    def clone(self) -> QIconEngine:
        return _Glyph(self._families, self._glyph, self._colour)
