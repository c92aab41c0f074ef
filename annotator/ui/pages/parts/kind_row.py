"""What a person says a candidate is: its difficulty and the type of its question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from annotator.model.words import QUESTION_TYPES, Difficulty
from annotator.ui.widgets.labels import label
from annotator.ui.words import tr, tr_known

if TYPE_CHECKING:
    from annotator.model.rows import SubjectView


class KindRow(QWidget):
    """Two fields; `said` carries (label, value) when a person has chosen."""

    said = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        """Show nothing yet."""
        super().__init__(parent)
        self.difficulty, self.type = QComboBox(self), QComboBox(self)
        self.difficulty.setAccessibleName(tr("Difficulty of the candidate"))
        self.difficulty.addItem(tr("not said"), "")
        for item in Difficulty:
            self.difficulty.addItem(tr_known(item.value), item.value)
        self.type.setAccessibleName(tr("Question type of the candidate"))
        self.type.setEditable(True)
        self.type.addItems(["", *QUESTION_TYPES])
        line = self.type.lineEdit()
        assert line is not None
        line.setPlaceholderText(tr("not said"))
        self.type.setMinimumWidth(230)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(label(tr("Difficulty  E M H"), "dim"))
        layout.addWidget(self.difficulty)
        layout.addSpacing(12)
        layout.addWidget(label(tr("Question type  Y"), "dim"))
        layout.addWidget(self.type)
        layout.addStretch(1)
        self._shown = ("", "")
        self.difficulty.activated.connect(self._difficulty_said)
        self.type.activated.connect(self._type_said)
        line.editingFinished.connect(self._type_said)

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

    def _difficulty_said(self, _index: int) -> None:
        value = str(self.difficulty.currentData())
        if value != self._shown[0]:
            self._shown = (value, self._shown[1])
            self.said.emit(("difficulty", value))

    def _type_said(self, _index: int = 0) -> None:
        value = self.type.currentText().strip()
        if value != self._shown[1]:
            self._shown = (self._shown[0], value)
            self.said.emit(("question_type", value))
