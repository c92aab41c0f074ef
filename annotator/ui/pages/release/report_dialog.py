"""A text report to read, select and copy."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import make_column, make_row


class ReportDialog(Dialog):
    """Shows one report, which is also part of a release's exports."""

    def __init__(self, theme: Theme, title: str, about: str, text: str, parent: QWidget) -> None:
        """``about`` is the sentence above the text."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.view = CodeView(theme, title, read_only=True)
        self.view.set_code(text, "markdown")
        foot = make_row(None, button(tr("Close"), primary=True, clicked=self.accept))
        make_column(self, label(about, "dim", wrap=True), (self.view, 1), foot, spacing=12, margin=16)
        self.resize(theme.pixels(820), theme.pixels(560))
