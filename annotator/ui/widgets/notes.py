"""Sentences below a table: all of them can be read, a few lines at a time, and none takes the room of the rows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy

from annotator.ui.widgets.labels import label

_LINES = 4


class Notes(QScrollArea):
    """A dim text as high as it is, up to four lines; the rest is scrolled to."""

    def __init__(self, name: str) -> None:
        """Show nothing; ``name`` is for screen readers."""
        super().__init__()
        self.setAccessibleName(name)
        self._label = label("", "dim", wrap=True)
        # A word longer than a line must not widen the page.
        self._label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setWidget(self._label)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._label.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)
        self.hide()

    def text(self) -> str:
        """Return what is shown."""
        return self._label.text()

    def set_text(self, text: str) -> None:
        """Show other sentences; without any it takes no room."""
        self._label.setText(text)
        self.verticalScrollBar().setValue(0)
        self.setVisible(bool(text))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as many lines as the text needs at this width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        needed = max(self._label.heightForWidth(self.viewport().width()), self._label.fontMetrics().lineSpacing())
        self.setFixedHeight(min(needed, _LINES * self._label.fontMetrics().lineSpacing()))
