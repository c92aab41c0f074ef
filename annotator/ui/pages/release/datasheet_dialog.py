"""The datasheet as a form: facts from the project, and fields for people's answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from annotator.base.ids import content_hash
from annotator.formats.documents.datasheet_document import DatasheetAnswer
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
"""The item id of drafts in the datasheet."""
_TYPING_MS = 500
_TEXTS = (
    ("description", mark_for_translation("The benchmark in a paragraph")),
    ("url", mark_for_translation("Its address (URL)")),
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
    """Shows every question with its facts and answer; emits an answer when typing pauses."""

    written = Signal(str, str)
    """The id of a question or name of a text, and the new text."""

    def __init__(
        self,
        theme: Theme,
        drafts: DraftKeeper,
        answers: Sequence[DatasheetAnswer],
        texts: dict[str, Any],
        parent: QWidget,
    ) -> None:
        """``texts`` are the free texts by name, beside the answers."""
        super().__init__(parent)
        self.setWindowTitle(tr("Datasheet"))
        self.resize(theme.pixels(760), theme.pixels(640))
        self._draft_keeper = drafts
        self._typing_timers: dict[str, QTimer] = {}
        self.drafts: dict[str, DraftField] = {}
        self.draft_bar = DraftBar(theme)
        self.fields: dict[str, QPlainTextEdit] = {}
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setSpacing(6)
        column.addWidget(
            label(tr("Included in every export. Facts from the project are filled in automatically."), "dim", wrap=True)
        )
        for name, title in _TEXTS:
            column.addWidget(label(translate_word(title), "section"))
            column.addWidget(self._field(name, translate_word(title), str(texts.get(name, ""))))
        section = ""
        for answer in answers:
            if answer.question.section != section:
                section = answer.question.section
                column.addSpacing(8)
                column.addWidget(label(translate_word(_TITLES[section]), "title"))
            required_suffix = tr(" (required)") if answer.question.required else ""
            column.addWidget(label(translate_word(answer.question.text) + required_suffix, "section", wrap=True))
            if answer.facts:
                facts_label = label(answer.facts, "dim", wrap=True)
                facts_label.setObjectName("datasheet-facts")
                column.addWidget(facts_label)
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
        draft = self.drafts[name] = DraftField.for_text(self._draft_keeper, datasheet_draft_name(name), field)
        draft.show_item(DATASHEET, text, began_from=_revision(text))
        self.draft_bar.follow(draft)
        timer = self._typing_timers[name] = debounce(self, _TYPING_MS, partial(self._emit_text, name))
        field.textChanged.connect(timer.start)
        self.fields[name] = field
        return field

    def show_text(self, name: str, text: str) -> None:
        """Show another text in a field without emitting `written`."""
        self.drafts[name].finish(DATASHEET)
        self.drafts[name].show_item(DATASHEET, text, began_from=_revision(text))
        self._typing_timers[name].stop()

    def note_written(self, name: str, text: str) -> None:
        """Record a text as stored; text typed since then is a draft."""
        self.drafts[name].choose(DATASHEET, text, began_from=_revision(text))

    def _emit_text(self, name: str) -> None:
        self.written.emit(name, self.fields[name].toPlainText())

    def _flush(self, _result: int) -> None:
        """Emit pending texts, and recovered drafts unless another person has changed their text."""
        for name, timer in self._typing_timers.items():
            draft = self.drafts[name]
            if timer.isActive() or (draft.offered is not None and not draft.outdated):
                timer.stop()
                self._emit_text(name)


def datasheet_draft_name(name: str) -> str:
    """Return a field's name in the journal of drafts."""
    return f"release.datasheet.{name}"


def _revision(text: str) -> str:
    return content_hash(text)[:16]
