"""The labels of a candidate that people set: difficulty, question type and licence."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from annotator.formats.documents.licence_terms import KNOWN_LICENCES
from annotator.model.rows.view_rows import SubjectView
from annotator.model.vocabulary import QUESTION_TYPES, Difficulty
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.fields import box_value, choice_box, make_editable
from annotator.ui.widgets.flow_layout import FlowRow
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import keep_together


class _TypedBox(QComboBox):
    """An editable combo box that records whether its list was opened; arrow keys select without opening it."""

    opened = False

    def showPopup(self) -> None:  # noqa: N802 - Qt's own name
        """Open the list and record that."""
        self.opened = True
        super().showPopup()


class KindRow(FlowRow):
    """Three fields; `label_chosen` carries the name and value of a changed label.

    `typing_finished` is emitted after a value was picked from a list or confirmed with Return, so that letters
    become keys of the page again.
    """

    label_chosen = Signal(str, str)
    typing_finished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(spacing=12, parent=parent)
        words = ((translate_word(item.value), item.value) for item in Difficulty)
        self.difficulty = choice_box(tr("Difficulty of the candidate"), ((tr("not set"), ""), *words))
        self._current_values = {"difficulty": "", "question_type": "", "licence": ""}
        self.type = self._make_typed("question_type", tr("Question type of the candidate"), QUESTION_TYPES, 190)
        licences = (licence.id for licence in KNOWN_LICENCES)
        self.licence = self._make_typed("licence", tr("Licence of the candidate"), licences, 140)
        self.licence.setObjectName("licence")
        difficulty = keep_together(label(tr("Difficulty  E M H"), "dim"), self.difficulty)
        type_ = keep_together(label(tr("Question type  Y"), "dim"), self.type)
        licence = keep_together(label(tr("Licence"), "dim"), self.licence)
        self.add(difficulty, type_, licence)
        self.difficulty.activated.connect(self._choose_difficulty)

    def _make_typed(self, name: str, words: str, values: Iterable[str], width: int) -> QComboBox:
        """Return an editable combo box of the known values."""
        box = _TypedBox()
        box.setAccessibleName(words)
        for value in ("", *values):
            box.addItem(translate_word(value), value)
        box.setMinimumWidth(width)
        line = make_editable(box, tr("not set"))
        choose = partial(self._choose_typed, name, box)
        box.activated.connect(choose)
        box.activated.connect(partial(self._leave_list, box))
        line.editingFinished.connect(choose)
        line.returnPressed.connect(self.typing_finished)
        return box

    def _leave_list(self, box: _TypedBox, _index: int) -> None:
        if box.opened:
            box.opened = False
            self.typing_finished.emit()

    def show_subject(self, view: SubjectView | None) -> None:
        """Show the labels of a candidate."""
        self.setEnabled(view is not None)
        label_values = (view.row.difficulty, view.question_type, view.licence) if view else ("", "", "")
        self._current_values = dict(zip(self._current_values, label_values, strict=True))
        place = self.difficulty.findData(self._current_values["difficulty"])
        if place < 0:
            self.difficulty.addItem(self._current_values["difficulty"], self._current_values["difficulty"])
            place = self.difficulty.count() - 1
        self.difficulty.setCurrentIndex(place)
        for box, value in (
            (self.type, self._current_values["question_type"]),
            (self.licence, self._current_values["licence"]),
        ):
            box.setEditText(translate_word(value))
            if line := box.lineEdit():
                line.setCursorPosition(0)

    def open_types(self) -> None:
        """Open the list of question types."""
        self.type.setFocus()
        self.type.showPopup()

    def _choose_difficulty(self, _index: int) -> None:
        self._choose("difficulty", str(self.difficulty.currentData()))

    def _choose_typed(self, name: str, box: QComboBox, _index: int = 0) -> None:
        self._choose(name, box_value(box))

    def _choose(self, name: str, value: str) -> None:
        if value != self._current_values[name]:
            self._current_values[name] = value
            self.label_chosen.emit(name, value)
