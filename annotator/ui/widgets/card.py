"""A card, which is a titled panel, and the empty state of a page."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import translate_word
from annotator.ui.widgets.labels import ElidedLabel, button, label
from annotator.ui.widgets.layouts import Part, fill_column, make_column, make_row, min_size_at_width

_ICON_PIXELS = 40
_MAX_TEXT_WIDTH = 520


class EmptyState(QWidget):
    """A placeholder with an icon, a title, a sentence and an optional button."""

    acted = Signal()

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, button_text: str = "", *, parent: QWidget | None = None
    ) -> None:
        """Build the empty state; its button emits `acted`."""
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._title = label(translate_word(title), "title")
        self._text = label(translate_word(text), "dim", wrap=True)
        self.button: QPushButton = button(translate_word(button_text), primary=True)
        self.button.clicked.connect(self.acted)
        # In a separate column: aligned in the outer layout, a wrapped label would get the height for a larger width.
        column = QWidget(self)
        column.setMaximumWidth(_MAX_TEXT_WIDTH)
        inside = QVBoxLayout(column)
        inside.setSpacing(12)
        for widget in (self._picture, self._title, self._text):
            widget.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            inside.addWidget(widget)
        inside.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        # Only after it has a parent: without one it would be shown as a window and steal the focus.
        self.button.setVisible(bool(button_text))
        fill_column(self, 2, make_row(None, (column, 100), None), 3, margin=12)
        self._draw_icon()
        theme.changed.connect(self._draw_icon)

    @property
    def title(self) -> str:
        """The title."""
        return self._title.text()

    def set_text(self, title: str, text: str, button_text: str = "") -> None:
        """Set the texts; without ``button_text``, the button keeps its text."""
        self._title.setText(translate_word(title))
        self._text.setText(translate_word(text))
        if button_text:
            self.button.setText(translate_word(button_text))
            self.button.setAccessibleName(translate_word(button_text))
            self.button.show()

    def text(self) -> str:
        """Return the sentence."""
        return self._text.text()

    def _draw_icon(self) -> None:
        self._picture.setPixmap(self._theme.icon(self._icon).pixmap(_ICON_PIXELS, _ICON_PIXELS))


_MIN_TRAILING_CHARS = 8


class Card(QFrame):
    """A panel with a title, a dim remark at the right of the title, and its content in ``body``."""

    def __init__(self, title: str = "", *parts: Part, trailing: str = "", parent: QWidget | None = None) -> None:
        """Build the card with ``parts``, as in `fill_layout`; the head is hidden without title and remark."""
        super().__init__(parent)
        self.setProperty("role", "card")
        self._title = label(title)
        self._title.setProperty("role", "section")
        self._trailing = ElidedLabel("dim", QSizePolicy.Policy.Maximum)
        self._trailing.set_min_letters(_MIN_TRAILING_CHARS)
        self._trailing.set_full(trailing)
        self.head = make_row(self._title, None, self._trailing)
        self.body = make_column(*parts)
        fill_column(self, self.head, (self.body, 1), margin=12)
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
        """Include the height that wrapping parts need at the current width, because splitters ignore it."""
        min_size = super().minimumSizeHint()
        return min_size_at_width(min_size, self.layout(), self.width()) if self.isVisible() else min_size

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update the geometry when the width changes."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def _show_head(self) -> None:
        self._title.setVisible(bool(self._title.text()))
        self._trailing.setVisible(bool(self._trailing.full))
