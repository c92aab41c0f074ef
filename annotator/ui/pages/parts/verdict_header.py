"""The line above what is judged: its title and chips, and the buttons that decide about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QPushButton

from annotator.ui.action_registry import ActionRegistry
from annotator.ui.pages.parts.chip_row import ChipRow
from annotator.ui.theme import Theme
from annotator.ui.widgets.elided_label import ElidedLabel
from annotator.ui.widgets.labels import button
from annotator.ui.words import tr


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
        self.setSpacing(8)
        self.title = ElidedLabel("title")
        self.chips = ChipRow(theme)
        self.addWidget(self.title, 1)
        self.addLayout(self.chips)
        self.reject = button(tr("Reject"), actions.keys("select.reject"))
        self.accept = button(tr("Accept"), actions.keys("select.accept"), primary=True)
        self.reject.clicked.connect(reject)
        self.accept.clicked.connect(accept)
        for made in (self.reject, between, self.accept):
            if made is not None:
                self.addWidget(made)
