"""What a page shows when there is nothing yet: what belongs here, and the first act."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from annotator.ui.theme import Theme
from annotator.ui.widgets.labels import button, label

_ICON = 40


class EmptyState(QWidget):
    """An icon, a title, a sentence and perhaps a button."""

    acted = Signal()

    def __init__(self, theme: Theme, icon: str, title: str, text: str, button_text: str = "") -> None:
        """Show the state; the button emits `acted`."""
        super().__init__()
        self._theme = theme
        self._icon = icon
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._title = label(title, "title")
        self._text = label(text, "dim", wrap=True)
        self._text.setMaximumWidth(520)
        self.button: QPushButton = button(button_text, primary=True)
        self.button.setVisible(bool(button_text))
        self.button.clicked.connect(self._clicked)
        layout = QVBoxLayout(self)
        layout.setSpacing(12)
        layout.addStretch(2)
        for widget in (self._picture, self._title, self._text, self.button):
            if isinstance(widget, QLabel):
                widget.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        theme.changed.connect(self._tint)
        self._tint()

    def set_text(self, title: str, text: str) -> None:
        """Say something else."""
        self._title.setText(title)
        self._text.setText(text)

    def _clicked(self) -> None:
        self.acted.emit()

    def _tint(self) -> None:
        self._picture.setPixmap(self._theme.icon(self._icon).pixmap(_ICON, _ICON))
