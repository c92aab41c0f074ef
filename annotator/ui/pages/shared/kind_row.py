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
    """A field for each fact; `label_chosen` carries the subject's view, and the name and value of a changed one.

    `typing_finished` is emitted after a value was picked from a list or confirmed with Return, so that letters
    become keys of the page again.
    """

    label_chosen = Signal(object, str, str)
    typing_finished = Signal()

    def __init__(self, parent: QWidget | None = None, *, all_facts: bool = False, has_keys: bool = False) -> None:
        """``all_facts`` adds domain and area; ``has_keys`` shows the keys of the fields, where the page has them."""
        super().__init__(spacing=12, parent=parent)
        self._view: SubjectView | None = None
        self._shown_texts: dict[str, str] = {}
        """What a box held when its fact was shown or chosen: any other text in it was typed since."""
        words = ((translate_word(item.value), item.value) for item in Difficulty)
        self.difficulty = choice_box(tr("Difficulty of the candidate"), ((tr("not set"), ""), *words))
        self.difficulty.activated.connect(partial(self._choose, "difficulty"))
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
        choose = partial(self._choose, name)
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
        """Show the facts of a candidate; a text that is being typed stays, or is chosen for the candidate left."""
        is_other = view is None or self._view is None or view.row.id != self._view.row.id
        if is_other:
            for name in self._boxes:
                self._choose(name)
        self._view = view
        self.setEnabled(view is not None)
        values = {}
        if view is not None:
            values = {
                "difficulty": view.row.difficulty,
                "question_type": view.question_type,
                "licence": view.licence,
                "domain": view.row.domain,
                "area": view.row.area,
            }
        for name, box in self._boxes.items():
            self._show_value(name, box, values.get(name, ""), keep_typed=not is_other)

    def _show_value(self, name: str, box: QComboBox, value: str, *, keep_typed: bool) -> None:
        """Show a value: that of a choice in the user's language, any other as it is."""
        place, line = box.findData(value), box.lineEdit()
        shown = box.itemText(place) if place >= 0 else value
        keep_typed = keep_typed and self._is_typed(name)
        self._shown_texts[name] = shown
        if line is None:
            if place < 0:
                box.addItem(value, value)
            box.setCurrentIndex(box.findData(value))
        elif not keep_typed:
            box.setEditText(shown)
            line.setCursorPosition(0)

    def open_types(self) -> None:
        """Open the list of question types."""
        self.type.setFocus()
        self.type.showPopup()

    def _choose(self, name: str, _index: int = 0) -> None:
        """Emit a value that is not the one shown."""
        box = self._boxes[name]
        if self._view is not None and self._is_typed(name):
            self._shown_texts[name] = box.currentText()
            self.label_chosen.emit(self._view, name, box_value(box))

    def _is_typed(self, name: str) -> bool:
        return self._boxes[name].currentText().strip() != self._shown_texts.get(name, "").strip()
