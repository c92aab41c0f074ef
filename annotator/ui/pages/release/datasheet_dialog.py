"""The datasheet as a form: facts the project knows, and fields for what only people know."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from annotator.base.ids import content_hash
from annotator.formats.documents.datasheet import Answer
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import text_field
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import fill_layout, make_row
from annotator.ui.widgets.timers import debounce

DATASHEET = "datasheet"
"""The item of drafts in the datasheet."""
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

    def __init__(
        self, theme: Theme, drafts: DraftKeeper, answers: Sequence[Answer], texts: dict[str, Any], parent: QWidget
    ) -> None:
        """Show what is known."""
        super().__init__(parent)
        self.setWindowTitle(tr("Datasheet"))
        self.resize(theme.pixels(760), theme.pixels(640))
        self._keeper = drafts
        self._pending: dict[str, QTimer] = {}
        self.drafts: dict[str, DraftField] = {}
        self.draft_bar = DraftBar(theme)
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
        fill_layout(QVBoxLayout(self), self.draft_bar, (area, 1), foot)
        self.finished.connect(self._flush)

    def _field(self, name: str, title: str, text: str) -> QPlainTextEdit:
        field = text_field(title)
        field.setTabChangesFocus(True)
        field.setFixedHeight(field.fontMetrics().lineSpacing() * 3 + 14)
        draft = self.drafts[name] = DraftField.for_text(self._keeper, draft_name(name), field)
        draft.show_item(DATASHEET, text, began_from=_revision(text))
        self.draft_bar.follow(draft)
        timer = self._pending[name] = debounce(self, _TYPING_MS, partial(self._say, name))
        field.textChanged.connect(timer.start)
        self.fields[name] = field
        return field

    def show_text(self, name: str, text: str) -> None:
        """Show another text in a field; that is no writing."""
        self.drafts[name].finish(DATASHEET)
        self.drafts[name].show_item(DATASHEET, text, began_from=_revision(text))
        self._pending[name].stop()

    def note_written(self, name: str, text: str) -> None:
        """Take a text for the one that is stored; what was typed since is a draft."""
        self.drafts[name].choose(DATASHEET, text, began_from=_revision(text))

    def _say(self, name: str) -> None:
        self.written.emit(name, self.fields[name].toPlainText())

    def _flush(self, _result: int) -> None:
        """Hand out what was typed just now, and drafts from before that hold nothing of somebody else back."""
        for name, timer in self._pending.items():
            draft = self.drafts[name]
            if timer.isActive() or (draft.offered is not None and not draft.outdated):
                timer.stop()
                self._say(name)


def draft_name(name: str) -> str:
    """Return the name of a field in the journal of drafts."""
    return f"release.datasheet.{name}"


def _revision(text: str) -> str:
    return content_hash(text)[:16]
