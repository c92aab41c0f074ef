"""Fields for the facts that people set of a subject: difficulty, question type, licence, domain and area."""

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

_LETTERS = 20
"""Room for a domain or an area."""


class _TypedBox(QComboBox):
    """An editable combo box that records whether its list was opened; arrow keys select without opening it."""

    opened = False

    def showPopup(self) -> None:  # noqa: N802 - Qt's own name
        """Open the list and record that."""
        self.opened = True
        super().showPopup()


class KindRow(FlowRow):
    """A field for each fact; `label_chosen` carries the name and value of a changed one.

    `typing_finished` is emitted after a value was picked from a list or confirmed with Return, so that letters
    become keys of the page again.
    """

    label_chosen = Signal(str, str)
    typing_finished = Signal()

    def __init__(self, parent: QWidget | None = None, *, all_facts: bool = False, has_keys: bool = False) -> None:
        """``all_facts`` adds domain and area; ``has_keys`` shows the keys of the fields, where the page has them."""
        super().__init__(spacing=12, parent=parent)
        self._current_values: dict[str, str] = {}
        words = ((translate_word(item.value), item.value) for item in Difficulty)
        self.difficulty = choice_box(tr("Difficulty of the candidate"), ((tr("not set"), ""), *words))
        self.difficulty.activated.connect(self._choose_difficulty)
        self.type = self._make_typed("question_type", tr("Question type of the candidate"), QUESTION_TYPES, 170)
        licences = (licence.id for licence in KNOWN_LICENCES)
        self.licence = self._make_typed("licence", tr("Licence of the candidate"), licences, 140)
        self.licence.setObjectName("licence")
        difficulty = tr("Difficulty  E M H") if has_keys else tr("Difficulty")
        type_ = tr("Question type  Y") if has_keys else tr("Question type")
        fields = [(difficulty, self.difficulty), (type_, self.type), (tr("Licence"), self.licence)]
        self._boxes = {"difficulty": self.difficulty, "question_type": self.type, "licence": self.licence}
        if all_facts:
            for name, word in (("domain", tr("Domain")), ("area", tr("Area"))):
                box = self._make_typed(name, word, (), 0)
                box.setMinimumContentsLength(_LETTERS)
                self._boxes[name] = box
                fields.append((word, box))
        self.add(*(keep_together(label(word, "dim"), box) for word, box in fields))

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
        """Show the facts of a candidate."""
        self.setEnabled(view is not None)
        values = {"difficulty": "", "question_type": "", "licence": "", "domain": "", "area": ""}
        if view is not None:
            values = {
                "difficulty": view.row.difficulty,
                "question_type": view.question_type,
                "licence": view.licence,
                "domain": view.row.domain,
                "area": view.row.area,
            }
        self._current_values = values
        for name, box in self._boxes.items():
            if name == "difficulty":
                if box.findData(values[name]) < 0:
                    box.addItem(values[name], values[name])
                box.setCurrentIndex(box.findData(values[name]))
            elif line := box.lineEdit():
                box.setEditText(translate_word(values[name]))
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
        if value != self._current_values.get(name, ""):
            self.label_chosen.emit(name, value)
