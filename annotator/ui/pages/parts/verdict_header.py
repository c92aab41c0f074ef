"""The line above what is judged: its title and chips, and the buttons that decide about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout

from annotator.ui.action_registry import ActionRegistry
from annotator.ui.pages.parts.chip_row import ChipRow
from annotator.ui.theme import Theme
from annotator.ui.widgets.elided_label import ElidedLabel
from annotator.ui.widgets.labels import button
from annotator.ui.words import tr


class VerdictHeader(QHBoxLayout):
    """Title and chips on the left; on the right Reject and Accept, and Edit between them where that is possible."""

    def __init__(
        self,
        theme: Theme,
        actions: ActionRegistry,
        reject: Callable[[], object],
        accept: Callable[[], object],
        edit: Callable[[], object] | None = None,
    ) -> None:
        """Connect the buttons; the keys they show are those of the actions."""
        super().__init__()
        self.setSpacing(8)
        self.title = ElidedLabel("title")
        self.chips = ChipRow(theme)
        self.addWidget(self.title, 1)
        self.addLayout(self.chips)
        self.reject = button(tr("Reject"), actions.keys("select.reject"))
        self.edit = button(tr("Edit"), actions.keys("bugs.edit"))
        self.accept = button(tr("Accept"), actions.keys("select.accept"), primary=True)
        for made, act in ((self.reject, reject), (self.edit, edit), (self.accept, accept)):
            if act is not None:
                made.clicked.connect(act)
                self.addWidget(made)
