"""The form of a criterion: one box per rule, one field per part; every change is handed out, none is made here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QLocale, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from annotator.ui.theme import Theme
from annotator.ui.widgets.labels import button, label
from annotator.ui.words import tr, tr_known

if TYPE_CHECKING:
    from annotator.criteria.forms import Field, Rule

_TYPING_MS = 250
_LINE_HEIGHTS = {"lines": 3, "code": 7}


class CriterionForm(QScrollArea):
    """Shows rules and says what the user changed."""

    edited = Signal(object)
    """(section, index, field, value)"""
    added = Signal(object)
    """A section."""
    removed = Signal(object)
    """(section, index)"""

    def __init__(self, theme: Theme) -> None:
        """Show nothing yet."""
        super().__init__()
        self._theme = theme
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Criterion as a form"))
        self._shape: tuple[tuple[str, int, str], ...] = ()
        self._boxes: list[RuleBox] = []
        self._inner = QWidget()
        self._layout = QVBoxLayout(self._inner)
        self._layout.setContentsMargins(0, 0, 6, 0)
        self._layout.setSpacing(10)
        self.setWidget(self._inner)
        # The card's own ground shows through.
        self.viewport().setAutoFillBackground(False)
        self._inner.setAutoFillBackground(False)
        self.message = label("", "dim", wrap=True)
        self.add_button = button(tr("Add a rule"))
        self.add_menu = QMenu(self.add_button)
        self.add_button.setMenu(self.add_menu)

    def show_rules(self, rules: Sequence[Rule], message: str = "") -> None:
        """Show these rules; fields that are being typed in keep what they have."""
        shape = tuple((rule.section, rule.index, rule.locked) for rule in rules)
        if shape != self._shape or not self._boxes or message != self.message.text():
            self._rebuild(rules, message)
            self._shape = shape
        for box, rule in zip(self._boxes, rules, strict=False):
            box.show_values(rule.values)

    def flush(self) -> None:
        """Hand on at once what was typed last."""
        for box in list(self._boxes):
            box.flush()

    def focus_last(self, section: str) -> None:
        """Put the cursor into the newest rule of a section."""
        for box in reversed(self._boxes):
            if box.section == section:
                QTimer.singleShot(0, box, partial(self.ensureWidgetVisible, box))
                box.focus_first()
                return

    def _rebuild(self, rules: Sequence[Rule], message: str) -> None:
        from annotator.criteria.forms import TITLES

        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None and widget is not self.message and widget is not self.add_button:
                widget.hide()
                widget.deleteLater()
        self._boxes = []
        self.message.setText(message)
        # Not before it has a parent: shown on its own it would be a window, and take the focus from ours.
        self._layout.addWidget(self.message)
        self.message.setVisible(bool(message))
        section = ""
        for rule in rules:
            if rule.section != section:
                section = rule.section
                self._layout.addWidget(label(tr_known(TITLES[section]), "section"))
            box = RuleBox(self._theme, rule)
            box.edited.connect(self.edited)
            box.removed.connect(self.removed)
            self._boxes.append(box)
            self._layout.addWidget(box)
        self.add_menu.clear()
        for name, title in TITLES.items():
            if name != "targets" or any(rule.section == "blank_filling" for rule in rules):
                self.add_menu.addAction(tr_known(title)).triggered.connect(partial(self._add, name))
        self._layout.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.add_button.setVisible(not message)
        self._layout.addStretch(1)

    def _add(self, section: str, _checked: bool = False) -> None:
        self.added.emit(section)


class RuleBox(QFrame):
    """One rule."""

    edited = Signal(object)
    removed = Signal(object)

    def __init__(self, theme: Theme, rule: Rule) -> None:
        """Make the fields of a rule's section."""
        super().__init__()
        from annotator.criteria.forms import FIELDS, TITLES

        self.section, self.index = rule.section, rule.index
        self._theme = theme
        self.setProperty("role", "card")
        self._setters: dict[str, Callable[[Any], None]] = {}
        self._fields: list[QWidget] = []
        self._pending: list[tuple[QTimer, Callable[[], None]]] = []
        grid = QGridLayout(self)
        grid.setContentsMargins(10, 8, 10, 8)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        name = f"{tr_known(TITLES[rule.section])} {rule.index + 1}"
        remove = QPushButton(tr("Remove"))
        remove.setProperty("role", "flat")
        remove.setAccessibleName(tr("Remove {name}", name=name))
        remove.clicked.connect(self._remove)
        row = 0
        if rule.locked:
            grid.addWidget(label(tr_known(rule.locked), "dim", wrap=True), row, 0, 1, 2)
            grid.addWidget(remove, row, 2)
            row += 1
        small, flags = QHBoxLayout(), QHBoxLayout()
        small.setSpacing(8)
        flags.setSpacing(14)
        for item in FIELDS[rule.section]:
            widget = self._widget(item, name)
            widget.setEnabled(not rule.locked)
            self._fields.append(widget)
            if item.kind == "flag":
                flags.addWidget(widget)
            elif item.kind in ("number", "choice"):
                small.addWidget(label(tr_known(item.label), "dim"))
                small.addWidget(widget)
            else:
                grid.addWidget(label(tr_known(item.label), "dim"), row, 0, Qt.AlignmentFlag.AlignTop)
                grid.addWidget(widget, row, 1, 1, 2)
                row += 1
        small.addStretch(1)
        flags.addStretch(1)
        grid.addLayout(small, row, 0, 1, 3)
        if flags.count() > 1:
            row += 1
            grid.addLayout(flags, row, 0, 1, 2)
        if not rule.locked:
            if flags.count() > 1:
                grid.addWidget(remove, row, 2, Qt.AlignmentFlag.AlignRight)
            else:
                small.addWidget(remove)

    def show_values(self, values: Any) -> None:
        """Show values; a field with the cursor keeps what it has."""
        for name, setter in self._setters.items():
            if name in values:
                setter(values[name])

    def flush(self) -> None:
        """Hand on at once what was typed last."""
        for timer, then in self._pending:
            if timer.isActive():
                timer.stop()
                then()

    def focus_first(self) -> None:
        """Put the cursor into the first field that takes text."""
        for widget in self._fields:
            if isinstance(widget, QLineEdit | QPlainTextEdit):
                widget.setFocus()
                return
        self._fields[0].setFocus()

    def _remove(self) -> None:
        self.removed.emit((self.section, self.index))

    def _widget(self, item: Field, owner: str) -> QWidget:
        made: QWidget
        if item.kind == "flag":
            made = self._flag(item)
        elif item.kind == "choice":
            made = self._choice(item)
        elif item.kind == "number":
            made = self._number(item)
        elif item.kind == "text":
            made = self._line(item)
        else:
            made = self._lines(item)
        made.setAccessibleName(f"{owner}: {tr_known(item.label)}")
        made.setToolTip(tr_known(item.help))
        return made

    def _say(self, name: str, value: Any) -> None:
        self.edited.emit((self.section, self.index, name, value))

    def _say_choice(self, name: str, box: QComboBox, _index: int) -> None:
        self._say(name, box.currentData())

    def _flag(self, item: Field) -> QWidget:
        box = QCheckBox(tr_known(item.label))
        self._setters[item.name] = partial(_set_flag, box)
        box.toggled.connect(partial(self._say, item.name))
        return box

    def _choice(self, item: Field) -> QWidget:
        box = QComboBox()
        for word in item.choices:
            box.addItem(tr_known(word), word)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._setters[item.name] = partial(_set_choice, box)
        box.activated.connect(partial(self._say_choice, item.name, box))
        return box

    def _number(self, item: Field) -> QWidget:
        box = QLineEdit()
        validator = QDoubleValidator(-1e9, 1e9, 4, box)
        validator.setLocale(QLocale.c())
        box.setValidator(validator)
        box.setFixedWidth(self._theme.pixels(66))
        timer = self._timer(partial(self._say_number, item.name, box))
        self._setters[item.name] = partial(_set_number, box, timer)
        box.textEdited.connect(partial(_restart, timer))
        return box

    def _line(self, item: Field) -> QWidget:
        box = QLineEdit()
        timer = self._timer(partial(self._say_line, item.name, box))
        self._setters[item.name] = partial(_set_line, box, timer)
        box.textEdited.connect(partial(_restart, timer))
        return box

    def _lines(self, item: Field) -> QWidget:
        box = QPlainTextEdit()
        box.setFont(self._theme.code_font())
        box.setTabChangesFocus(True)
        box.setProperty("role", "field")
        box.setFixedHeight(box.fontMetrics().lineSpacing() * _LINE_HEIGHTS[item.kind] + 14)
        box.setPlaceholderText(tr_known(item.help))
        timer = self._timer(partial(self._say_lines, item.name, box))
        self._setters[item.name] = partial(_set_lines, box, timer)
        box.textChanged.connect(partial(_restart, timer))
        return box

    def _say_line(self, name: str, box: QLineEdit) -> None:
        self._say(name, box.text())

    def _say_number(self, name: str, box: QLineEdit) -> None:
        if box.hasAcceptableInput():
            self._say(name, float(box.text()))

    def _say_lines(self, name: str, box: QPlainTextEdit) -> None:
        self._say(name, box.toPlainText())

    def _timer(self, then: Callable[[], None]) -> QTimer:
        """Return a timer that speaks when typing pauses."""
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(_TYPING_MS)
        timer.timeout.connect(then)
        self._pending.append((timer, then))
        return timer


# A field that is being typed in, or whose text has not been handed on yet, keeps what it has.


def _restart(timer: QTimer, *_: object) -> None:
    timer.start()


def _set_flag(box: QCheckBox, value: Any) -> None:
    with QSignalBlocker(box):
        box.setChecked(bool(value))


def _set_choice(box: QComboBox, value: Any) -> None:
    with QSignalBlocker(box):
        place = box.findData(str(value))
        box.setCurrentIndex(place if place >= 0 else box.currentIndex())


def _set_number(box: QLineEdit, timer: QTimer, value: Any) -> None:
    if not box.hasFocus() and not timer.isActive():
        box.setText(f"{float(value):.10g}")


def _set_line(box: QLineEdit, timer: QTimer, value: Any) -> None:
    if not box.hasFocus() and not timer.isActive() and box.text() != str(value):
        box.setText(str(value))


def _set_lines(box: QPlainTextEdit, timer: QTimer, value: Any) -> None:
    text = str(value)
    if not box.hasFocus() and not timer.isActive() and box.toPlainText().rstrip("\n") != text.rstrip("\n"):
        with QSignalBlocker(box):
            box.setPlainText(text.rstrip("\n"))
