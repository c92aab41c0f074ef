"""The line above what is judged: its title and chips, and the buttons that decide about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QHBoxLayout, QPushButton

from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.chip import Chip, Kind
from annotator.ui.widgets.labels import ElidedLabel, button
from annotator.ui.widgets.layouts import clear_layout, fill_layout


class ChipRow(QHBoxLayout):
    """Chips side by side."""

    def __init__(self, theme: Theme) -> None:
        """Show none yet."""
        super().__init__()
        self._theme = theme
        self.setSpacing(6)

    def show_chips(self, chips: Sequence[tuple[str, Kind]]) -> None:
        """Show these words in place of what was there."""
        clear_layout(self)
        for text, kind in chips:
            self.addWidget(Chip(self._theme, text, kind))


class VerdictHeader(QHBoxLayout):
    """Title and chips on the left; Reject and Accept on the right, and between them what else can be done."""

    def __init__(
        self,
        theme: Theme,
        actions: ActionRegistry,
        reject: Callable[[], object],
        accept: Callable[[], object],
        between: QPushButton | None = None,
    ) -> None:
        """Connect the two buttons; the keys they show are those of the actions."""
        super().__init__()
        self.title = ElidedLabel("title")
        self.chips = ChipRow(theme)
        self.reject = button(tr("Reject"), actions.keys("select.reject"), clicked=reject)
        self.accept = button(tr("Accept"), actions.keys("select.accept"), primary=True, clicked=accept)
        buttons = (self.reject, between, self.accept) if between is not None else (self.reject, self.accept)
        fill_layout(self, (self.title, 1), self.chips, *buttons, spacing=8)
