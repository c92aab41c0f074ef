"""A card: a titled panel."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from annotator.ui.widgets.labels import ElidedLabel, label
from annotator.ui.widgets.layouts import Part, fill_layout, least_at_width

_LEAST_LETTERS = 8


class Card(QFrame):
    """A panel with a title, a dim remark on the right, and its content in ``body``."""

    def __init__(self, title: str = "", *parts: Part, trailing: str = "", parent: QWidget | None = None) -> None:
        """Build the card with ``parts``, as in `fill_layout`; the head is hidden without title and remark."""
        super().__init__(parent)
        self.setProperty("role", "card")
        self._title = label(title)
        self._title.setProperty("role", "section")
        self._trailing = ElidedLabel("dim")
        self._trailing.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._trailing.set_least(_LEAST_LETTERS)
        self._trailing.set_full(trailing)
        self.head = fill_layout(QHBoxLayout(), self._title, None, self._trailing, spacing=8)
        self.body = fill_layout(QVBoxLayout(), *parts, spacing=8)
        fill_layout(QVBoxLayout(self), self.head, (self.body, 1), spacing=8, margin=12)
        self._show_head()

    @property
    def title(self) -> str:
        """The title, even while it is hidden."""
        return self._title.text()

    @property
    def remark(self) -> str:
        """The full remark on the right, even if it is elided."""
        return self._trailing.full

    def set_title(self, text: str) -> None:
        """Set the title."""
        self._title.setText(text)
        self._show_head()

    def set_trailing(self, text: str) -> None:
        """Set the remark on the right, such as "71 words"."""
        self._trailing.set_full(text)
        self._show_head()

    def mark(self, mark: QWidget) -> None:
        """Insert a mark, such as the dot of a draft, next to the title."""
        self.head.insertWidget(self.head.indexOf(self._title) + 1, mark)

    def minimumSizeHint(self) -> QSize:
        """Return the height that wrapping parts need at the current width; a splitter does not ask for it."""
        least = super().minimumSizeHint()
        return least_at_width(least, self.layout(), self.width()) if self.isVisible() else least

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update the geometry when the width changes."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def _show_head(self) -> None:
        self._title.setVisible(bool(self._title.text()))
        self._trailing.setVisible(bool(self._trailing.full))
