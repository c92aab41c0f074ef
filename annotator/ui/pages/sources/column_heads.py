"""A table header with a combo box below each column's name to choose the column's field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHeaderView

from annotator.formats.read.field_names import FIELDS
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.fields import choice_box

_NO_FIELD = ""
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
"""Display names of the fields a column can hold, in menu order."""
_BOX_MARGIN, _BOX_GAP = 6, 4
_MIN_SECTION_WIDTH = 24


class ColumnHeads(QHeaderView):
    """The header of a preview: the name of each column with a combo box for its field below."""

    fields_chosen = Signal(object)
    """The mapping from column to field, after a change by the user."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setSectionsClickable(True)
        self._columns: tuple[str, ...] = ()
        self._first_section = 0
        self.boxes: list[QComboBox] = []
        self.sectionResized.connect(self.place_boxes)
        self.geometriesChanged.connect(self.place_boxes)

    def show_fields(self, columns: Sequence[str], fields: Mapping[str, str], first: int) -> None:
        """Show a combo box for each column from section ``first`` on; ``fields`` maps columns to fields."""
        for box in self.boxes:
            box.hide()
            box.deleteLater()
        self._columns, self._first_section = tuple(columns), first
        self.boxes = [self._make_box(name, fields.get(name, _NO_FIELD)) for name in columns]
        self.setMinimumSectionSize(
            max((box.sizeHint().width() + _BOX_MARGIN for box in self.boxes), default=_MIN_SECTION_WIDTH)
        )
        self.updateGeometry()
        self.place_boxes()

    def _make_box(self, column: str, field: str) -> QComboBox:
        choices = [(translate_word(FIELD_NAMES[name]), name) for name in FIELD_NAMES]
        # A field outside the menu comes from a typed mapping.
        choices += [(name, name) for name in FIELDS if name == field and name not in FIELD_NAMES]
        box = choice_box(tr("Meaning of {column}", column=column), [(tr("left out"), _NO_FIELD), *choices], letters=9)
        box.setCurrentIndex(max(0, box.findData(field)))
        box.setParent(self.viewport())
        box.activated.connect(partial(self._choose, column))
        box.show()
        return box

    def _choose(self, column: str, _index: int) -> None:
        """Assign a field to a column and remove it from any other column."""
        field = self.boxes[self._columns.index(column)].currentData()
        for name, box in zip(self._columns, self.boxes, strict=True):
            if field and name != column and box.currentData() == field:
                box.setCurrentIndex(0)
        pairs = zip(self._columns, self.boxes, strict=True)
        self.fields_chosen.emit({name: box.currentData() for name, box in pairs if box.currentData()})

    def sizeHint(self) -> QSize:
        """Return a height for the names and the boxes below them."""
        hint = super().sizeHint()
        if self.boxes:
            hint.setHeight(hint.height() + self.boxes[0].sizeHint().height() + _BOX_GAP)
        return hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the boxes again for the new size."""
        super().resizeEvent(event)
        self.place_boxes()

    def place_boxes(self, *_changed: int) -> None:
        """Place each box in its section; also connected to scrolling."""
        if self.boxes:
            self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        for number, box in enumerate(self.boxes, start=self._first_section):
            height = box.sizeHint().height()
            width = self.sectionSize(number) - _BOX_MARGIN
            box.setVisible(width > 0 and not self.isSectionHidden(number))
            box.setGeometry(self.sectionViewportPosition(number), self.height() - height - _BOX_GAP, width, height)
