"""A few words of which one is chosen, such as the two faces of a card."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from annotator.ui.words import tr_known


class Segments(QWidget):
    """Buttons in a row of which exactly one is down."""

    chosen = Signal(int)

    def __init__(self, name: str, words: Sequence[str]) -> None:
        """Show the words; the first is chosen. ``name`` is for screen readers."""
        super().__init__()
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for number, word in enumerate(words):
            word = tr_known(word)
            made = QPushButton(word)
            made.setCheckable(True)
            made.setProperty("role", "segment")
            made.setAccessibleName(f"{name}: {word}")
            self._group.addButton(made, number)
            layout.addWidget(made)
        self._group.button(0).setChecked(True)
        self._group.idClicked.connect(self.chosen)

    def choose(self, number: int) -> None:
        """Choose a word and say so."""
        self._group.button(number).setChecked(True)
        self.chosen.emit(number)

    @property
    def current(self) -> int:
        """The number of the chosen word."""
        return self._group.checkedId()

    def set_shown(self, number: int, shown: bool) -> None:
        """Offer a word, or do not."""
        self._group.button(number).setVisible(shown)

    def set_word(self, number: int, word: str) -> None:
        """Show another word."""
        self._group.button(number).setText(tr_known(word))
