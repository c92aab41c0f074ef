"""The header above an item: title, chips, and the buttons to decide."""

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
        super().__init__()
        self._theme = theme
        self.setSpacing(6)

    def show_chips(self, chips: Sequence[tuple[str, Kind]]) -> None:
        """Replace the chips."""
        clear_layout(self)
        for text, kind in chips:
            self.addWidget(Chip(self._theme, text, kind))


class VerdictHeader(QHBoxLayout):
    """Title and chips on the left; Reject, an optional button and Accept on the right."""

    def __init__(
        self,
        theme: Theme,
        actions: ActionRegistry,
        reject: Callable[[], object],
        accept: Callable[[], object],
        between: QPushButton | None = None,
    ) -> None:
        """``between`` is a button to place between Reject and Accept."""
        super().__init__()
        self.title = ElidedLabel("title")
        self.chips = ChipRow(theme)
        self.reject = button(tr("Reject"), actions.keys("select.reject"), clicked=reject)
        self.accept = button(tr("Accept"), actions.keys("select.accept"), primary=True, clicked=accept)
        buttons = (self.reject, between, self.accept) if between is not None else (self.reject, self.accept)
        fill_layout(self, (self.title, 1), self.chips, *buttons, spacing=8)
