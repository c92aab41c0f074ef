"""Input fields, and the timer that waits until typing pauses; text fields leave dropped files to their parent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QMimeData, QObject, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QDragEnterEvent, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
)

from annotator.ui.app.translation import tr


def debounce(parent: QObject, milliseconds: int, slot: Callable[[], object]) -> QTimer:
    """Create a timer that calls a slot once, ``milliseconds`` after its last start."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(slot)
    return timer


def dropped_files(data: QMimeData) -> list[Path]:
    """Return the dragged files and folders."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


class TextLine(QLineEdit):
    """A line edit that accepts dropped text but no files."""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept text, but no files."""
        if dropped_files(event.mimeData()):
            event.ignore()
        else:
            super().dragEnterEvent(event)


class TextBox(QPlainTextEdit):
    """A multi-line text edit that accepts dropped text but no files."""

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Accept text, but no files."""
        return not dropped_files(source) and super().canInsertFromMimeData(source)


_MARGIN_PIXELS = 9
"""The left and right margin of the text in a spin box."""
N = TypeVar("N", QSpinBox, QDoubleSpinBox)


def line_edit(name: str, hint: str = "") -> QLineEdit:
    """Create a line edit; ``name`` is for screen readers, ``hint`` is the placeholder."""
    line = TextLine()
    line.setAccessibleName(name)
    line.setPlaceholderText(hint)
    return line


def search_line(name: str) -> QLineEdit:
    """Create a search field with a clear button."""
    line = line_edit(name, name)
    add_clear_button(line)
    return line


def add_clear_button(line: QLineEdit) -> None:
    """Add a clear button to a line, with the accessible name that Qt does not give it."""
    line.setClearButtonEnabled(True)
    for tool_button in line.findChildren(QToolButton):
        tool_button.setAccessibleName(tr("Clear the text"))


def text_field(name: str) -> QPlainTextEdit:
    """Create a framed field for a multi-line text."""
    field = TextBox()
    field.setProperty("role", "field")
    field.setAccessibleName(name)
    return field


def choice_box(name: str, choices: Iterable[tuple[str, object]] = (), *, letters: int = 0) -> QComboBox:
    """Create a combo box of (text, value) choices; ``letters`` fixes its width in characters."""
    box = QComboBox()
    box.setAccessibleName(name)
    for text, value in choices:
        box.addItem(text, value)
    if letters:
        box.setMinimumContentsLength(letters)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box


def make_editable(box: QComboBox, hint: str = "") -> QLineEdit:
    """Make a combo box editable without adding typed texts to its choices; return its line edit."""
    box.setEditable(True)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    line = box.lineEdit()
    assert line is not None
    line.setPlaceholderText(hint)
    line.setAccessibleName(box.accessibleName())
    return line


def box_value(box: QComboBox) -> str:
    """Return the value of an editable combo box: that of the matching choice, else the typed text."""
    typed_text = box.currentText().strip()
    index = box.findText(typed_text)
    return str(box.itemData(index)) if index >= 0 else typed_text


def refill_box(box: QComboBox, choices: Sequence[tuple[str, object]], selected: object) -> None:
    """Replace the choices without emitting signals, and select the value ``selected``, else the first."""
    with QSignalBlocker(box):
        box.clear()
        for text, value in choices:
            box.addItem(text, value)
        box.setCurrentIndex(max(0, box.findData(selected)) if choices else -1)


def add_heading(box: QComboBox, text: str) -> None:
    """Add the heading of a group of choices, which cannot be selected."""
    box.addItem(text)
    model = box.model()
    if isinstance(model, QStandardItemModel):
        item = model.item(box.count() - 1)
        item.setEnabled(False)
        font = box.font()
        font.setBold(True)
        item.setFont(font)


def number_box(low: int, high: int, value: int = 0, name: str = "") -> QSpinBox:
    """Create a field for a whole number."""
    box = QSpinBox()
    box.setRange(low, high)
    box.setValue(value)
    return _finish_spin_box(box, name)


def real_box(low: float, high: float, value: float, name: str) -> QDoubleSpinBox:
    """Create a field for a number with decimals."""
    box = QDoubleSpinBox()
    box.setRange(low, high)
    box.setValue(value)
    return _finish_spin_box(box, name)


def _finish_spin_box(box: N, name: str) -> N:
    """Name a spin box, and add margins to its inner field, which stylesheets cannot pad."""
    box.setAccessibleName(name)
    box.lineEdit().setTextMargins(_MARGIN_PIXELS, 0, _MARGIN_PIXELS, 0)
    return box


class EntryTable(QTableWidget):
    """A table whose cells are typed texts."""

    def __init__(self, name: str, headers: Sequence[str]) -> None:
        """``name`` is for screen readers, ``headers`` name the columns."""
        super().__init__(0, len(headers))
        self.setAccessibleName(name)
        self.setHorizontalHeaderLabels(headers)

    def add_row(self, texts: Sequence[str]) -> list[QTableWidgetItem]:
        """Append a row and return its items."""
        row, items = self.rowCount(), [QTableWidgetItem(text) for text in texts]
        self.insertRow(row)
        for column, item in enumerate(items):
            self.setItem(row, column, item)
        return items

    def remove_selected(self) -> None:
        """Remove the rows with a selected cell."""
        for row in sorted({index.row() for index in self.selectedIndexes()}, reverse=True):
            self.removeRow(row)

    def texts(self) -> list[list[str]]:
        """Return the texts of all cells, row by row."""
        items = [[self.item(row, column) for column in range(self.columnCount())] for row in range(self.rowCount())]
        return [[item.text() if item is not None else "" for item in row] for row in items]


class TickList(QListWidget):
    """A list of names to tick, each displayed as a word."""

    def __init__(
        self, names: Iterable[str], ticked: Sequence[str], height: int, word_of: Callable[[str], str] = str
    ) -> None:
        """Fill the list with names, some of them ticked; ``height`` is its maximum height."""
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
        """The ticked names."""
        items = [self.item(row) for row in range(self.count())]
        ticked = (item for item in items if item.checkState() == Qt.CheckState.Checked)
        return tuple(str(item.data(Qt.ItemDataRole.UserRole)) for item in ticked)
