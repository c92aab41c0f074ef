"""Heads of a table with a choice below each column's name: what the column holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHeaderView

from annotator.formats.read.field_names import FIELDS
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.fields import choice_box

_LEFT_OUT = ""
FIELD_NAMES: Mapping[str, str] = {
    "id": mark_for_translation("id"),
    "prompt": mark_for_translation("prompt"),
    "reference": mark_for_translation("reference"),
    "tests": mark_for_translation("tests"),
    "language": mark_for_translation("language"),
    "entry_point": mark_for_translation("entry point"),
    "title": mark_for_translation("title"),
    "domain": mark_for_translation("label: domain"),
    "area": mark_for_translation("label: area"),
    "difficulty": mark_for_translation("label: difficulty"),
    "question_type": mark_for_translation("label: question type"),
    "licence": mark_for_translation("licence"),
    "context": mark_for_translation("context"),
    "views": mark_for_translation("views"),
    "criterion": mark_for_translation("criterion"),
    "task": mark_for_translation("task family"),
}
"""What people call the fields that a column of a table can hold, in the order they are offered."""
_SIDE, _GAP = 6, 4
_NARROWEST = 24


class ColumnHeads(QHeaderView):
    """The header of a preview: the name of each column, and below it a box that says which field it is."""

    fields_chosen = Signal(object)
    """Column -> field of all columns, after somebody chose another one."""

    def __init__(self) -> None:
        """Show no boxes yet."""
        super().__init__(Qt.Orientation.Horizontal)
        self.setSectionsClickable(True)
        self._columns: tuple[str, ...] = ()
        self._first = 0
        self.boxes: list[QComboBox] = []
        self.sectionResized.connect(self.place_boxes)
        self.geometriesChanged.connect(self.place_boxes)

    def show_fields(self, columns: Sequence[str], fields: Mapping[str, str], first: int) -> None:
        """Offer fields for columns, which begin at section ``first``; ``fields`` has those that are chosen."""
        for box in self.boxes:
            box.hide()
            box.deleteLater()
        self._columns, self._first = tuple(columns), first
        self.boxes = [self._make_box(name, fields.get(name, _LEFT_OUT)) for name in columns]
        self.setMinimumSectionSize(max((box.sizeHint().width() + _SIDE for box in self.boxes), default=_NARROWEST))
        self.updateGeometry()
        self.place_boxes()

    def _make_box(self, column: str, field: str) -> QComboBox:
        choices = [(translate_word(FIELD_NAMES[name]), name) for name in FIELD_NAMES]
        # A field that nobody offers here was named in words.
        choices += [(name, name) for name in FIELDS if name == field and name not in FIELD_NAMES]
        box = choice_box(tr("What {column} holds", column=column), [(tr("left out"), _LEFT_OUT), *choices], letters=9)
        box.setCurrentIndex(max(0, box.findData(field)))
        box.setParent(self.viewport())
        box.activated.connect(partial(self._choose, column))
        box.show()
        return box

    def _choose(self, column: str, _index: int) -> None:
        """Give a column a field, and take it from the column that had it."""
        chosen = self.boxes[self._columns.index(column)].currentData()
        for name, box in zip(self._columns, self.boxes, strict=True):
            if chosen and name != column and box.currentData() == chosen:
                box.setCurrentIndex(0)
        pairs = zip(self._columns, self.boxes, strict=True)
        self.fields_chosen.emit({name: box.currentData() for name, box in pairs if box.currentData()})

    def sizeHint(self) -> QSize:
        """Ask for room for the names and the boxes below them."""
        hint = super().sizeHint()
        if self.boxes:
            hint.setHeight(hint.height() + self.boxes[0].sizeHint().height() + _GAP)
        return hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the boxes below the names."""
        super().resizeEvent(event)
        self.place_boxes()

    def place_boxes(self, *_changed: int) -> None:
        """Put each box into its section, after the table was scrolled too."""
        if self.boxes:
            self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        for number, box in enumerate(self.boxes, start=self._first):
            height = box.sizeHint().height()
            width = self.sectionSize(number) - _SIDE
            box.setVisible(width > 0 and not self.isSectionHidden(number))
            box.setGeometry(self.sectionViewportPosition(number), self.height() - height - _GAP, width, height)
