"""A report as text that can be read, selected and copied."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from annotator.ui.theme import Theme
from annotator.ui.widgets.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import button, label
from annotator.ui.words import tr


class ReportDialog(Dialog):
    """Shows one report; it goes with the exports of a release as well."""

    def __init__(self, theme: Theme, title: str, about: str, text: str, parent: QWidget) -> None:
        """Show the text under a sentence that says what it is."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.view = CodeView(theme, title, read_only=True)
        self.view.set_code(text, "markdown")
        close = button(tr("Close"), primary=True)
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addWidget(label(about, "dim", wrap=True))
        layout.addWidget(self.view, 1)
        layout.addLayout(foot)
        self.resize(theme.pixels(820), theme.pixels(560))
