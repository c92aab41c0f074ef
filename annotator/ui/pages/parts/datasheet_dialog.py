"""The datasheet as a form: facts the project knows, and fields for what only people know."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from annotator.ui.theme import Theme
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import button, label
from annotator.ui.words import tr, tr_known, tr_later

if TYPE_CHECKING:
    from annotator.formats.datasheet import Answer

_TYPING_MS = 500
_TEXTS = (
    ("description", tr_later("The benchmark in a paragraph")),
    ("url", tr_later("Where it lives, as an address")),
    ("citation", tr_later("How to cite it")),
)
_TITLES = {
    "motivation": tr_later("Motivation"),
    "composition": tr_later("Composition"),
    "collection": tr_later("Collection"),
    "preprocessing": tr_later("Preprocessing"),
    "uses": tr_later("Uses"),
    "distribution": tr_later("Distribution"),
    "maintenance": tr_later("Maintenance"),
}


class DatasheetDialog(Dialog):
    """Every question with its facts and an answer; what is written is handed out when typing pauses."""

    written = Signal(object)
    """(question id or text's name, text)"""

    def __init__(self, theme: Theme, answers: Sequence[Answer], texts: dict[str, Any], parent: QWidget) -> None:
        """Show what is known."""
        super().__init__(parent)
        self.setWindowTitle(tr("Datasheet"))
        self.resize(theme.pixels(760), theme.pixels(640))
        self._theme = theme
        self._pending: list[tuple[QTimer, str, QPlainTextEdit]] = []
        self.fields: dict[str, QPlainTextEdit] = {}
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setSpacing(6)
        column.addWidget(label(tr("Goes with every export. What the project knows is filled in."), "dim", wrap=True))
        for name, title in _TEXTS:
            column.addWidget(label(tr_known(title), "section"))
            column.addWidget(self._field(name, tr_known(title), str(texts.get(name, ""))))
        section = ""
        for answer in answers:
            if answer.question.section != section:
                section = answer.question.section
                column.addSpacing(8)
                column.addWidget(label(tr_known(_TITLES[section]), "title"))
            need = tr(" (required)") if answer.question.required else ""
            column.addWidget(label(tr_known(answer.question.text) + need, "section", wrap=True))
            if answer.facts:
                known = label(answer.facts, "dim", wrap=True)
                known.setObjectName("datasheet-facts")
                column.addWidget(known)
            column.addWidget(self._field(answer.question.id, tr_known(answer.question.text), answer.person))
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        close = button(tr("Close"), primary=True)
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        layout = QVBoxLayout(self)
        layout.addWidget(area, 1)
        layout.addLayout(row)
        self.finished.connect(self._flush)

    def _field(self, name: str, title: str, text: str) -> QPlainTextEdit:
        field = QPlainTextEdit(text)
        field.setProperty("role", "field")
        field.setAccessibleName(title)
        field.setTabChangesFocus(True)
        field.setFixedHeight(field.fontMetrics().lineSpacing() * 3 + 14)
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(_TYPING_MS)
        timer.timeout.connect(partial(self._say, name, field))
        field.textChanged.connect(timer.start)
        self._pending.append((timer, name, field))
        self.fields[name] = field
        return field

    def _say(self, name: str, field: QPlainTextEdit) -> None:
        self.written.emit((name, field.toPlainText()))

    def _flush(self, _result: int) -> None:
        for timer, name, field in self._pending:
            if timer.isActive():
                timer.stop()
                self._say(name, field)
