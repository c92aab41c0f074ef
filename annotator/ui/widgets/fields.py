"""Fields to type or choose in: lines, texts, boxes of choices and of numbers, lists to tick."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSpinBox,
    QToolButton,
)

from annotator.ui.app.translation import tr
from annotator.ui.widgets.file_drops import TextBox, TextLine

_INSET = 9


def line_edit(name: str, hint: str = "") -> QLineEdit:
    """Return a line to type in; ``name`` is for screen readers, ``hint`` stands in it while it is empty."""
    line = TextLine()
    line.setAccessibleName(name)
    line.setPlaceholderText(hint)
    return line


def search_line(name: str) -> QLineEdit:
    """Return a line that narrows what is shown, which a button in it empties."""
    line = line_edit(name, name)
    add_clear_button(line)
    return line


def add_clear_button(line: QLineEdit) -> None:
    """Let a line be emptied by a button in it; Qt gives that button no name."""
    line.setClearButtonEnabled(True)
    for tool_button in line.findChildren(QToolButton):
        tool_button.setAccessibleName(tr("Clear the text"))


def text_field(name: str) -> QPlainTextEdit:
    """Return a framed field for a text of several lines."""
    field = TextBox()
    field.setProperty("role", "field")
    field.setAccessibleName(name)
    return field


def choice_box(name: str, choices: Iterable[tuple[str, object]] = (), *, letters: int = 0) -> QComboBox:
    """Return a box of choices, each a text and its value; with ``letters`` it is that wide whatever it offers."""
    box = QComboBox()
    box.setAccessibleName(name)
    for text, value in choices:
        box.addItem(text, value)
    if letters:
        box.setMinimumContentsLength(letters)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box


def let_type(box: QComboBox, hint: str = "") -> QLineEdit:
    """Let something else be typed into a box of choices, which keeps its choices; returns the line in it."""
    box.setEditable(True)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    line = box.lineEdit()
    assert line is not None
    line.setPlaceholderText(hint)
    return line


def value_of(box: QComboBox) -> str:
    """Return what a box that can be typed in holds: the value of a choice, whatever language shows it, or the words."""
    typed = box.currentText().strip()
    place = box.findText(typed)
    return str(box.itemData(place)) if place >= 0 else typed


def refill(box: QComboBox, choices: Sequence[tuple[str, object]], selected: object) -> None:
    """Offer other choices without telling anybody: ``chosen`` is chosen, else the first."""
    with QSignalBlocker(box):
        box.clear()
        for text, value in choices:
            box.addItem(text, value)
        box.setCurrentIndex(max(0, box.findData(selected)) if choices else -1)


def add_heading(box: QComboBox, text: str) -> None:
    """Add the name of a group of choices, which cannot be chosen itself."""
    box.addItem(text)
    model = box.model()
    if isinstance(model, QStandardItemModel):
        item = model.item(box.count() - 1)
        item.setEnabled(False)
        font = box.font()
        font.setBold(True)
        item.setFont(font)


def number_box(low: int, high: int, value: int = 0, name: str = "") -> QSpinBox:
    """Return a field for a whole number."""
    box = QSpinBox()
    _inset(box.lineEdit())
    box.setAccessibleName(name)
    box.setRange(low, high)
    box.setValue(value)
    return box


def real_box(low: float, high: float, value: float, name: str) -> QDoubleSpinBox:
    """Return a field for a number with decimals."""
    box = QDoubleSpinBox()
    _inset(box.lineEdit())
    box.setAccessibleName(name)
    box.setRange(low, high)
    box.setValue(value)
    return box


def _inset(field: QLineEdit) -> None:
    """Keep a number off the frame: style sheets do not pad the field inside, and hide it where there are no arrows."""
    field.setTextMargins(_INSET, 0, _INSET, 0)


class TickList(QListWidget):
    """Names to tick, each shown by a word."""

    def __init__(
        self, names: Iterable[str], ticked: Sequence[str], height: int, word_of: Callable[[str], str] = str
    ) -> None:
        """Offer names, some of them ticked, in a list of this height at most."""
        super().__init__()
        self.setMaximumHeight(height)
        for name in names:
            item = QListWidgetItem(word_of(name))
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if name in ticked else Qt.CheckState.Unchecked)
            self.addItem(item)

    @property
    def ticked_names(self) -> tuple[str, ...]:
        """The names that are ticked."""
        items = [self.item(row) for row in range(self.count())]
        ticked = (item for item in items if item.checkState() == Qt.CheckState.Checked)
        return tuple(str(item.data(Qt.ItemDataRole.UserRole)) for item in ticked)
