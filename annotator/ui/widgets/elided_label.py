"""A label that never asks for more room than there is."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from annotator.ui.widgets.labels import as_tip


class ElidedLabel(QLabel):
    """A label that ends in an ellipsis where there is no room."""

    def __init__(self, role: str) -> None:
        """Start empty."""
        super().__init__()
        self._full = ""
        self._least = 0
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(40)

    @property
    def full(self) -> str:
        """The whole text, however much of it is shown."""
        return self._full

    def set_full(self, text: str) -> None:
        """Show a text, as much of it as fits."""
        self._full = text
        self.setToolTip(as_tip(text))
        self.setAccessibleName(text)
        self.updateGeometry()
        self._fit()

    def set_least(self, letters: int) -> None:
        """Show nothing where there is no room for so many letters, in place of two and an ellipsis."""
        self._least = letters
        self._fit()

    def sizeHint(self) -> QSize:
        """Ask for room for the whole text, however much of it is shown now."""
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(self._full) + 4, hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text again."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        metrics, room = self.fontMetrics(), max(10, self.width())
        too_little = room < self._least * metrics.averageCharWidth() < metrics.horizontalAdvance(self._full)
        self.setText("" if too_little else metrics.elidedText(self._full, Qt.TextElideMode.ElideRight, room))
