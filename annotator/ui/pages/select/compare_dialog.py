"""Two candidates side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import label, shorten_middle
from annotator.ui.widgets.layouts import make_column, make_splitter


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One side of the comparison; ``texts`` are (name, text, language)."""

    title: str
    facts: str
    texts: Sequence[tuple[str, str, str]]


class CompareDialog(Dialog):
    """Shows two candidates beside each other, text by text."""

    def __init__(
        self, parent: QWidget, theme: Theme, remark: str, left_side: ComparisonSide, right_side: ComparisonSide
    ) -> None:
        """``remark`` is the reason for the comparison."""
        super().__init__(parent)
        self.setWindowTitle(tr("Compare two candidates"))
        across = make_splitter(
            Qt.Orientation.Horizontal, make_side_card(theme, left_side), make_side_card(theme, right_side)
        )
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Close)
        about = [label(remark, "dim", wrap=True)] if remark else []
        make_column(self, *about, (across, 1), buttons, spacing=12, margin=16)
        self.resize(1120, 700)


def make_side_card(theme: Theme, side: ComparisonSide) -> Card:
    """Return a card with the texts of one candidate below each other."""
    card = Card(shorten_middle(side.title, 60))
    card.body.addWidget(label(side.facts, "dim", wrap=True))
    for name, text, language in side.texts:
        card.body.addWidget(label(name, "section"))
        view = CodeView(theme, tr("{name} of {title}", name=name, title=side.title))
        if language in ("", "markdown"):
            view.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
        view.set_code(text, language)
        card.body.addWidget(view, 1)
    return card
