"""Pages of later versions: what will be there, and which command does it today."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from annotator.ui.page import Page, PageContext
from annotator.ui.widgets.empty_state import EmptyState

_TEXTS = {
    "Judge": (
        "ph.scales",
        "Pairs will be judged blind here",
        "Two answers in random order, without names: win, tie, lose or both bad, with your reason. "
        "Today annotator results shows scores of models side by side.",
    ),
    "Consensus": (
        "ph.users-three",
        "Disagreements will be settled here",
        "Everything raters see differently, side by side with their reasons, votes and an audit trail. "
        "Today the History tab of a subject shows who decided what.",
    ),
}


class LaterPage(Page):
    """Says what is coming, honestly."""

    def __init__(self, context: PageContext, name: str) -> None:
        """Show the text for one of the pages Judge and Consensus."""
        super().__init__(context)
        self.setObjectName(f"page-{name.lower()}")
        self.setAccessibleName(f"{name} page")
        icon, title, text = _TEXTS[name]
        QVBoxLayout(self).addWidget(EmptyState(self.theme, icon, title, text))
