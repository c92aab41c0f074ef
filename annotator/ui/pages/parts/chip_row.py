"""A row of chips that says something else for each thing shown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout

from annotator.ui.theme import Theme
from annotator.ui.widgets.chip import Chip, Kind


class ChipRow(QHBoxLayout):
    """Chips side by side."""

    def __init__(self, theme: Theme) -> None:
        """Show none yet."""
        super().__init__()
        self._theme = theme
        self.setSpacing(6)

    def show_chips(self, chips: Sequence[tuple[str, Kind]]) -> None:
        """Show these words in place of what was there."""
        while (item := self.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for text, kind in chips:
            self.addWidget(Chip(self._theme, text, kind))
