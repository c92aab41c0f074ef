"""Pages of later versions: what will be there, and which command does it today."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from annotator.ui.page import Page, PageContext
from annotator.ui.widgets.empty_state import EmptyState

_TEXTS = {
    "Bugs": (
        "ph.bug",
        "Implanted bugs will be reviewed here",
        "Each proposal as a diff with its proof: tests before and after, the rule that fires, the timing. "
        "The commands annotator bugs propose, prove and review are named already and say that they are not in this "
        "version.",
    ),
}


class LaterPage(Page):
    """Says what is coming, honestly."""

    def __init__(self, context: PageContext, name: str) -> None:
        """Show the text for a page that is still to come."""
        super().__init__(context)
        self.setObjectName(f"page-{name.lower()}")
        self.setAccessibleName(f"{name} page")
        icon, title, text = _TEXTS[name]
        QVBoxLayout(self).addWidget(EmptyState(self.theme, icon, title, text))
