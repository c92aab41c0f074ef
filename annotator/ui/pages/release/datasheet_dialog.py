"""The datasheet as a form: facts the project knows, and fields for what only people know."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from annotator.formats.documents.datasheet import Answer
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import text_field
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import fill_layout, make_row
from annotator.ui.widgets.timers import debounce

_TYPING_MS = 500
_TEXTS = (
    ("description", mark_for_translation("The benchmark in a paragraph")),
    ("url", mark_for_translation("Where it lives, as an address")),
    ("citation", mark_for_translation("How to cite it")),
)
_TITLES = {
    "motivation": mark_for_translation("Motivation"),
    "composition": mark_for_translation("Composition"),
    "collection": mark_for_translation("Collection"),
    "preprocessing": mark_for_translation("Preprocessing"),
    "uses": mark_for_translation("Uses"),
    "distribution": mark_for_translation("Distribution"),
    "maintenance": mark_for_translation("Maintenance"),
}


class DatasheetDialog(Dialog):
    """Every question with its facts and an answer; what is written is handed out when typing pauses."""

    written = Signal(str, str)
    """Question id or text's name, and the text."""

    def __init__(self, theme: Theme, answers: Sequence[Answer], texts: dict[str, Any], parent: QWidget) -> None:
        """Show what is known."""
        super().__init__(parent)
        self.setWindowTitle(tr("Datasheet"))
        self.resize(theme.pixels(760), theme.pixels(640))
        self._pending: list[tuple[QTimer, str, QPlainTextEdit]] = []
        self.fields: dict[str, QPlainTextEdit] = {}
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setSpacing(6)
        column.addWidget(label(tr("Goes with every export. What the project knows is filled in."), "dim", wrap=True))
        for name, title in _TEXTS:
            column.addWidget(label(translate_word(title), "section"))
            column.addWidget(self._field(name, translate_word(title), str(texts.get(name, ""))))
        section = ""
        for answer in answers:
            if answer.question.section != section:
                section = answer.question.section
                column.addSpacing(8)
                column.addWidget(label(translate_word(_TITLES[section]), "title"))
            need = tr(" (required)") if answer.question.required else ""
            column.addWidget(label(translate_word(answer.question.text) + need, "section", wrap=True))
            if answer.facts:
                known = label(answer.facts, "dim", wrap=True)
                known.setObjectName("datasheet-facts")
                column.addWidget(known)
            column.addWidget(self._field(answer.question.id, translate_word(answer.question.text), answer.person))
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        foot = make_row(None, button(tr("Close"), primary=True, clicked=self.accept))
        fill_layout(QVBoxLayout(self), (area, 1), foot)
        self.finished.connect(self._flush)

    def _field(self, name: str, title: str, text: str) -> QPlainTextEdit:
        field = text_field(title)
        field.setPlainText(text)
        field.setTabChangesFocus(True)
        field.setFixedHeight(field.fontMetrics().lineSpacing() * 3 + 14)
        timer = debounce(self, _TYPING_MS, partial(self._say, name, field))
        field.textChanged.connect(timer.start)
        self._pending.append((timer, name, field))
        self.fields[name] = field
        return field

    def show_text(self, name: str, text: str) -> None:
        """Show another text in a field; that is no writing."""
        for timer, of, field in self._pending:
            if of == name:
                field.setPlainText(text)
                timer.stop()

    def _say(self, name: str, field: QPlainTextEdit) -> None:
        self.written.emit(name, field.toPlainText())

    def _flush(self, _result: int) -> None:
        for timer, name, field in self._pending:
            if timer.isActive():
                timer.stop()
                self._say(name, field)
