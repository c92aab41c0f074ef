"""Drawing that several widgets do."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter


def fill(painter: QPainter, rect: QRect, colour: str) -> None:
    """Fill a rectangle; the painter has no pen afterwards.

    Not with ``fillRect``: to find out which of its forms is meant, the binding loads gradients and images.
    """
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawRect(rect)
