"""What a page shows when there is nothing yet: what belongs here, and the first act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from annotator.ui.theme import Theme
from annotator.ui.widgets.labels import button, label
from annotator.ui.words import tr_known

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

_ICON = 40
_WIDTH = 520


class EmptyState(QWidget):
    """An icon, a title, a sentence and perhaps a button."""

    acted = Signal()

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, button_text: str = "", *, parent: QWidget | None = None
    ) -> None:
        """Show the state; the button emits `acted`."""
        super().__init__(parent)
        self._theme = theme
        self._icon = icon
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        # The icon's room is there before the icon.
        self._picture.setMinimumHeight(_ICON)
        self._title = label(tr_known(title), "title")
        self._text = label(tr_known(text), "dim", wrap=True)
        self.button: QPushButton = button(tr_known(button_text), primary=True)
        self.button.clicked.connect(self._clicked)
        # A column of its own: aligned in the outer layout, a wrapped label would get the height of a wider one.
        column = QWidget(self)
        column.setMaximumWidth(_WIDTH)
        inside = QVBoxLayout(column)
        inside.setSpacing(12)
        for widget in (self._picture, self._title, self._text):
            widget.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            inside.addWidget(widget)
        inside.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        # Not before it has a parent: shown on its own it would be a window, and take the focus from ours.
        self.button.setVisible(bool(button_text))
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(column, 100)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        layout.addLayout(row)
        layout.addStretch(3)
        self._tinted = False
        theme.changed.connect(self._tint)

    def set_text(self, title: str, text: str, button_text: str = "") -> None:
        """Say something else; the button keeps its word if none is given."""
        self._title.setText(tr_known(title))
        self._text.setText(tr_known(text))
        if button_text:
            self.button.setText(tr_known(button_text))
            self.button.setAccessibleName(tr_known(button_text))
            self.button.show()

    def text(self) -> str:
        """Return the sentence."""
        return self._text.text()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the icon when it is looked at; most empty states never are, and the font of icons takes its time."""
        super().showEvent(event)
        if not self._tinted:
            self._tinted = True
            self._tint()

    def _clicked(self) -> None:
        self.acted.emit()

    def _tint(self) -> None:
        if self._tinted:
            self._picture.setPixmap(self._theme.icon(self._icon).pixmap(_ICON, _ICON))
