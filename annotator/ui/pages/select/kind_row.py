"""What a person says a candidate is: its difficulty and the type of its question."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.views import SubjectView
from annotator.model.vocabulary import QUESTION_TYPES, Difficulty
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.fields import choice_box
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import keep_together, make_flow


class KindRow(QWidget):
    """Two fields; `label_chosen` carries a label's name and value when a person has chosen."""

    label_chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        """Show nothing yet."""
        super().__init__(parent)
        words = ((translate_word(item.value), item.value) for item in Difficulty)
        self.difficulty = choice_box(tr("Difficulty of the candidate"), ((tr("not said"), ""), *words))
        self.type = choice_box(tr("Question type of the candidate"))
        self.type.setEditable(True)
        self.type.addItems(["", *QUESTION_TYPES])
        line = self.type.lineEdit()
        assert line is not None
        line.setPlaceholderText(tr("not said"))
        self.type.setMinimumWidth(230)
        difficulty = keep_together(label(tr("Difficulty  E M H"), "dim"), self.difficulty)
        type_ = keep_together(label(tr("Question type  Y"), "dim"), self.type)
        self.setLayout(make_flow(difficulty, type_, spacing=12))
        self._shown = ("", "")
        self.difficulty.activated.connect(self._choose_difficulty)
        self.type.activated.connect(self._choose_type)
        line.editingFinished.connect(self._choose_type)

    def show_subject(self, view: SubjectView | None) -> None:
        """Show what is said of a candidate."""
        self.setEnabled(view is not None)
        self._shown = (view.row.difficulty, view.question_type) if view else ("", "")
        place = self.difficulty.findData(self._shown[0])
        if place < 0:
            self.difficulty.addItem(self._shown[0], self._shown[0])
            place = self.difficulty.count() - 1
        self.difficulty.setCurrentIndex(place)
        self.type.setEditText(self._shown[1])
        line = self.type.lineEdit()
        if line is not None:
            line.setCursorPosition(0)

    def open_types(self) -> None:
        """Show the question types to choose from."""
        self.type.setFocus()
        self.type.showPopup()

    def _choose_difficulty(self, _index: int) -> None:
        value = str(self.difficulty.currentData())
        if value != self._shown[0]:
            self._shown = (value, self._shown[1])
            self.label_chosen.emit("difficulty", value)

    def _choose_type(self, _index: int = 0) -> None:
        value = self.type.currentText().strip()
        if value != self._shown[1]:
            self._shown = (self._shown[0], value)
            self.label_chosen.emit("question_type", value)
