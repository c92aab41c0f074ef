"""The empty state of a page: what belongs here, and a button for the first step."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import translate_word
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import fill_layout, make_row

_ICON = 40
_WIDTH = 520


class EmptyState(QWidget):
    """An icon, a title, a sentence and perhaps a button."""

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
        column.setMaximumWidth(_WIDTH)
        inside = QVBoxLayout(column)
        inside.setSpacing(12)
        for widget in (self._picture, self._title, self._text):
            widget.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            inside.addWidget(widget)
        inside.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        # Only after it has a parent: without one it would be shown as a window and steal the focus.
        self.button.setVisible(bool(button_text))
        fill_layout(QVBoxLayout(self), 2, make_row(None, (column, 100), None), 3)
        self._draw_icon()
        theme.changed.connect(self._draw_icon)

    @property
    def title(self) -> str:
        """The title."""
        return self._title.text()

    def set_text(self, title: str, text: str, button_text: str = "") -> None:
        """Set other texts; the button keeps its text if none is given."""
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
        self._picture.setPixmap(self._theme.icon(self._icon).pixmap(_ICON, _ICON))
