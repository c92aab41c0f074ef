"""Fields to edit a subject's difficulty, question type, licence, domain and area."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from annotator.formats.documents.licence_terms import KNOWN_LICENCES
from annotator.model.rows.view_rows import SubjectView
from annotator.model.vocabulary import QUESTION_TYPES, Difficulty
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.fields import box_value, choice_box, make_editable
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import FlowRow

_MIN_BOX_CHARS = 20
"""Minimum width of the boxes of domain and area, in characters."""
_TEXT_MARGINS = 6
"""Pixels to add for the margins of the text in an editable box and for its cursor."""


class _TypedBox(QComboBox):
    """An editable combo box that records whether its list was opened; arrow keys select without opening it."""

    was_opened = False

    def sizeHint(self) -> QSize:
        """Return the preferred size; Qt's own omits the text field's margins, so that the longest choice is cut off."""
        return super().sizeHint() + QSize(_TEXT_MARGINS, 0)

    def showPopup(self) -> None:  # noqa: N802 - Qt's own name
        """Open the list and record that."""
        self.was_opened = True
        super().showPopup()


class KindRow(FlowRow):
    """A field for each fact; `label_chosen` carries the subject's view, and the name and value of a changed fact.

    `typing_finished` is emitted when a value is picked from a list or confirmed with Return, so that the page can
    treat letters as shortcuts again.
    """

    label_chosen = Signal(object, str, str)
    typing_finished = Signal()

    def __init__(self, parent: QWidget | None = None, *, all_facts: bool = False, has_keys: bool = False) -> None:
        """``all_facts`` adds domain and area; ``has_keys`` shows the page's shortcuts in the labels."""
        super().__init__(spacing=12, parent=parent)
        self._view: SubjectView | None = None
        self._last_texts: dict[str, str] = {}
        """The text of each box when its value was last shown or emitted; a different text was typed since then."""
        difficulties = ((translate_word(item.value), item.value) for item in Difficulty)
        self.difficulty = choice_box(tr("Difficulty of the candidate"), ((tr("not set"), ""), *difficulties))
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
                box.setMinimumContentsLength(_MIN_BOX_CHARS)
                self._boxes[name] = box
                fields.append((word, box))
        # Where a label and its box are too wide for the row, as at 200 % text, the box goes below the label.
        for word, box in fields:
            caption = label(word, "dim")
            caption.setBuddy(box)
            self.add(FlowRow(caption, box))

    def _make_typed(self, name: str, accessible_name: str, values: Iterable[str], width: int) -> QComboBox:
        """Return an editable combo box of the known values."""
        box = _TypedBox()
        box.setAccessibleName(accessible_name)
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
        if box.was_opened:
            box.was_opened = False
            self.typing_finished.emit()

    def show_subject(self, view: SubjectView | None) -> None:
        """Show a candidate's facts; text being typed stays, or is emitted for the previous candidate first."""
        is_other_subject = view is None or self._view is None or view.row.id != self._view.row.id
        if is_other_subject:
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
            self._show_value(name, box, values.get(name, ""), keep_typed=not is_other_subject)

    def _show_value(self, name: str, box: QComboBox, value: str, *, keep_typed: bool) -> None:
        """Show a value, translated if it is one of the choices."""
        index = box.findData(value)
        text = box.itemText(index) if index >= 0 else value
        keep_typed = keep_typed and self._is_edited(name)
        self._last_texts[name] = text
        line = box.lineEdit()
        if line is None:
            if index < 0:
                box.addItem(value, value)
            box.setCurrentIndex(box.findData(value))
        elif not keep_typed:
            box.setEditText(text)
            line.setCursorPosition(0)

    def open_types(self) -> None:
        """Open the list of question types."""
        self.type.setFocus()
        self.type.showPopup()

    def _choose(self, name: str, _index: int = 0) -> None:
        """Emit a fact's value if it differs from the one last shown or emitted."""
        box = self._boxes[name]
        if self._view is not None and self._is_edited(name):
            self._last_texts[name] = box.currentText()
            self.label_chosen.emit(self._view, name, box_value(box))

    def _is_edited(self, name: str) -> bool:
        return self._boxes[name].currentText().strip() != self._last_texts.get(name, "").strip()
