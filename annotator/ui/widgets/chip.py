"""A chip: one word in a colour. The word carries the meaning; the colour only helps to find it."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.theme.tokens import Tokens
from annotator.ui.app.translation import translate_word

Kind = Literal["good", "attention", "bad", "neutral"]


def chip_colours(tokens: Tokens, kind: str) -> tuple[str, str]:
    """Return the (text, background) colours of a kind of chip."""
    return {
        "good": (tokens.good, tokens.good_ground),
        "attention": (tokens.attention, tokens.attention_ground),
        "bad": (tokens.bad, tokens.bad_ground),
    }.get(kind, (tokens.dim, tokens.ground))


def paint_chip(painter: QPainter, box: QRectF, text: str, colours: tuple[str, str]) -> None:
    """Paint a chip into a box."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours[1]))
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    painter.setPen(QColor(colours[0]))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


class Chip(QWidget):
    """One word in a rounded box."""

    def __init__(self, theme: Theme, text: str, kind: Kind = "neutral") -> None:
        super().__init__()
        self._theme = theme
        self._text = text = translate_word(text)
        self._kind: Kind = kind
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)
        theme.changed.connect(self.update)

    @property
    def text(self) -> str:
        """The word shown."""
        return self._text

    def sizeHint(self) -> QSize:
        """Return the size the word needs."""
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self._text) + 22, metrics.height() + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the chip."""
        painter = QPainter(self)
        paint_chip(painter, QRectF(self.rect()), self._text, chip_colours(self._theme.tokens, self._kind))
        painter.end()
