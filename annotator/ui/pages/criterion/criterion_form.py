"""The form of a criterion: one box per rule, one field per key; it emits edits and never applies them itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QLocale, QSignalBlocker, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QDoubleValidator, QResizeEvent, QTextCursor
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from annotator.criteria import Problem
from annotator.criteria.document.document_form import FIELDS, TITLES, FormRule, field_at
from annotator.criteria.document.keys import Key
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_message, translate_word
from annotator.ui.widgets.fields import TextBox, TextLine, choice_box, debounce, line_edit
from annotator.ui.widgets.labels import OptionalLabel, button, escape_tool_tip, label
from annotator.ui.widgets.layouts import FlowLayout, keep_together, order_tabs

Value = str | float | bool

_TYPING_MS = 200
_MIN_LINES, _MAX_LINES = {"plain": 3, "code": 7}, 24
"""A box is as high as its text, within these numbers of lines."""
_BOX_PADDING = 20


class _NumberValidator(QDoubleValidator):
    """Accepts numbers; a field left with anything else goes back to its last number."""

    def __init__(self, box: QLineEdit) -> None:
        super().__init__(-1e9, 1e9, 4, box)
        self.setLocale(QLocale.c())
        self.last_valid_text = ""

    def fixup(self, _text: str) -> str:
        """Return the last valid number."""
        return self.last_valid_text


class _GrowingBox(TextBox):
    """A field as high as its text, within limits."""

    def __init__(self, min_lines: int) -> None:
        super().__init__()
        self._min_lines = min_lines
        self.textChanged.connect(self._fit_height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height to lines that wrap at another width."""
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        line_height, height, block = self.fontMetrics().lineSpacing(), 0.0, self.document().begin()
        while block.isValid() and height < _MAX_LINES * line_height:
            height += self.blockBoundingRect(block).height()
            block = block.next()
        # The first and the last line include the margin of the text.
        height -= 2 * self.document().documentMargin()
        lines = min(max(round(height / line_height), self._min_lines), _MAX_LINES)
        self.setFixedHeight(line_height * lines + _BOX_PADDING)


class CriterionForm(QScrollArea):
    """Shows the rules and emits the user's edits."""

    edited = Signal(str, int, str, object)
    """Section, index, field and value."""
    added = Signal(str)
    """A section."""
    removed = Signal(str, int)
    """Section and index."""
    word_typed = Signal(str)
    """Text typed into the field for the first word, while there is no rule."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Criterion as a form"))
        self._shape: tuple[tuple[str, int, str], ...] = ()
        self.boxes: list[RuleBox] = []
        """The boxes of the rules, from top to bottom."""
        self._inner = QWidget()
        self._layout = QVBoxLayout(self._inner)
        self._layout.setContentsMargins(0, 0, 6, 0)
        self._layout.setSpacing(10)
        self.setWidget(self._inner)
        # Transparent, so that the card's background shows through.
        self.viewport().setAutoFillBackground(False)
        self._inner.setAutoFillBackground(False)
        self.message = OptionalLabel("dim")
        self.first_word = line_edit(tr("A word that the answer must contain"))
        self.first_word.setPlaceholderText(tr("A word that the answer must contain"))
        # The first letter creates the rule, which takes the following ones.
        self.first_word.textEdited.connect(self.word_typed)
        self.add_button = button(tr("Add a rule"))
        self.add_menu = QMenu(self.add_button)
        self.add_button.setMenu(self.add_menu)

    def show_rules(self, rules: Sequence[FormRule], message: str = "") -> None:
        """Show the rules; a field being typed in keeps its text."""
        shape = tuple((rule.section, rule.index, rule.locked) for rule in rules)
        if shape != self._shape or not self.boxes or message != self.message.text():
            self._rebuild(rules, message)
            self._shape = shape
        for box, rule in zip(self.boxes, rules, strict=False):
            box.show_values(rule.values)

    def show_problems(self, problems: Sequence[Problem]) -> tuple[Problem, ...]:
        """Show each problem at its rule; return the problems that belong to none of the rules shown."""
        fields = [(problem, field_at(problem.key)) for problem in problems]
        for box in self.boxes:
            box.show_problems(
                [(field[2], problem) for problem, field in fields if field and field[:2] == (box.section, box.index)]
            )
        shown_rules = {(box.section, box.index) for box in self.boxes}
        return tuple(problem for problem, field in fields if field is None or field[:2] not in shown_rules)

    def flush(self) -> None:
        """Emit pending edits at once."""
        for box in list(self.boxes):
            box.flush()

    def focus_last(self, section: str) -> None:
        """Put the cursor into the newest rule of a section."""
        for box in reversed(self.boxes):
            if box.section == section:
                QTimer.singleShot(0, box, partial(self.ensureWidgetVisible, box))
                box.focus_first()
                return

    def focus_first(self) -> None:
        """Put the cursor into the first rule that can be edited here, or into the field for the first word."""
        editable_box = next((box for box in self.boxes if not box.is_locked), None)
        if editable_box is not None:
            editable_box.focus_first()
        elif self.boxes or self.add_button.isHidden():
            self.setFocus()
        else:
            self.first_word.setFocus()

    def _rebuild(self, rules: Sequence[FormRule], message: str) -> None:
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None and widget not in (self.message, self.first_word, self.add_button):
                widget.hide()
                widget.deleteLater()
        self.boxes = []
        # The message is shown only once it has a parent: without one it would open as a window and take the focus.
        self._layout.addWidget(self.message)
        self.message.setText(message)
        self.first_word.clear()
        self._layout.addWidget(self.first_word)
        self.first_word.setVisible(not rules and not message)
        section = ""
        for rule in rules:
            if rule.section != section:
                section = rule.section
                self._layout.addWidget(label(translate_word(TITLES[section]), "section"))
            box = RuleBox(self._theme, rule)
            box.edited.connect(self.edited)
            box.removed.connect(self.removed)
            self.boxes.append(box)
            self._layout.addWidget(box)
        self.add_menu.clear()
        for name, title in TITLES.items():
            if name != "targets" or any(rule.section == "blank_filling" for rule in rules):
                self.add_menu.addAction(translate_word(title)).triggered.connect(partial(self._add, name))
        self._layout.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.add_button.setVisible(not message)
        self._layout.addStretch(1)
        order_tabs(self)

    def _add(self, section: str, _checked: bool = False) -> None:
        self.added.emit(section)


class RuleBox(QFrame):
    """The fields of one rule."""

    edited = Signal(str, int, str, object)
    removed = Signal(str, int)

    def __init__(self, theme: Theme, rule: FormRule) -> None:
        super().__init__()
        self.section, self.index = rule.section, rule.index
        self._theme = theme
        self.setProperty("role", "card")
        self._setters: dict[str, Callable[[Value], None]] = {}
        self._fields_by_name: dict[str, QWidget] = {}
        self.problems = OptionalLabel("problem")
        self._pending: list[tuple[QTimer, Callable[[], None]]] = []
        grid = QGridLayout(self)
        grid.setContentsMargins(10, 8, 10, 8)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        name = f"{translate_word(TITLES[rule.section])} {rule.index + 1}"
        remove = QPushButton(tr("Remove"))
        remove.setProperty("role", "flat")
        remove.setAccessibleName(tr("Remove {name}", name=name))
        remove.clicked.connect(self._remove)
        row = 0
        self.is_locked = bool(rule.locked)
        """Whether the rule can be edited in the YAML only."""
        if rule.locked:
            grid.addWidget(label(translate_word(rule.locked), "dim", wrap=True), row, 0, 1, 2)
            grid.addWidget(remove, row, 2)
            row += 1
        small_fields, flags = FlowLayout(8), FlowLayout(14)
        for item in FIELDS[rule.section]:
            widget = self._make_field(item, name)
            widget.setEnabled(not rule.locked)
            self._fields_by_name[item.name] = widget
            if item.kind == "flag":
                flags.addWidget(widget)
            elif item.kind in ("number", "choice"):
                small_fields.addWidget(keep_together(label(translate_word(item.label), "dim"), widget))
            else:
                grid.addWidget(label(translate_word(item.label), "dim"), row, 0, Qt.AlignmentFlag.AlignTop)
                grid.addWidget(widget, row, 1, 1, 2)
                row += 1
        grid.addLayout(small_fields, row, 0, 1, 3)
        has_flags = flags.count() > 0
        if not rule.locked:
            (flags if has_flags else small_fields).addWidget(remove)
        if has_flags:
            grid.addLayout(flags, row + 1, 0, 1, 3)
        grid.addWidget(self.problems, row + 2, 0, 1, 3)

    def show_problems(self, named_problems: Sequence[tuple[str, Problem]]) -> None:
        """Show the problems of the rule and frame the fields with errors."""
        labels = {item.name: translate_word(item.label) for item in FIELDS[self.section]}
        messages = [(name, tr_message(problem.message)) for name, problem in named_problems]
        lines = [f"{labels[name]}: {message}" if name else message for name, message in messages]
        self.problems.setText("\n".join(lines))
        wrong_fields = {name for name, problem in named_problems if problem.severity == "error"}
        for name, widget in self._fields_by_name.items():
            state = "wrong" if name in wrong_fields else ""
            if (widget.property("state") or "") != state:
                widget.setProperty("state", state)
                widget.style().unpolish(widget)
                widget.style().polish(widget)

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Show values; a field with the cursor keeps its text."""
        for name, setter in self._setters.items():
            if name in values:
                setter(values[name])

    def flush(self) -> None:
        """Emit pending edits at once."""
        for timer, emit in self._pending:
            if timer.isActive():
                timer.stop()
                emit()

    def focus_first(self) -> None:
        """Put the cursor into the first field that takes text."""
        fields = list(self._fields_by_name.values())
        field = next((field for field in fields if isinstance(field, QLineEdit | QPlainTextEdit)), fields[0])
        if isinstance(field, QPlainTextEdit):
            field.moveCursor(QTextCursor.MoveOperation.End)
        field.setFocus()

    def _remove(self) -> None:
        self.removed.emit(self.section, self.index)

    def _make_field(self, item: Key, owner: str) -> QWidget:
        makers = {
            "flag": self._make_flag,
            "choice": self._make_choice,
            "number": self._make_number,
            "text": self._make_line,
        }
        widget = makers.get(item.kind, self._make_text_box)(item)
        widget.setAccessibleName(f"{owner}: {translate_word(item.label)}")
        widget.setToolTip(escape_tool_tip(translate_word(item.help)))
        return widget

    def _emit(self, name: str, value: Value) -> None:
        self.edited.emit(self.section, self.index, name, value)

    def _make_flag(self, item: Key) -> QWidget:
        box = QCheckBox(translate_word(item.label))

        def show(value: Value) -> None:
            with QSignalBlocker(box):
                box.setChecked(bool(value))

        self._setters[item.name] = show
        box.toggled.connect(partial(self._emit, item.name))
        return box

    def _make_choice(self, item: Key) -> QWidget:
        box = choice_box("", ((translate_word(word), word) for word in item.choices))
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

        def show(value: Value) -> None:
            index = box.findData(str(value))
            box.setCurrentIndex(index if index >= 0 else box.currentIndex())

        def choose(_index: int) -> None:
            self._emit(item.name, box.currentData())

        self._setters[item.name] = show
        box.activated.connect(choose)
        return box

    def _make_number(self, item: Key) -> QWidget:
        box = TextLine()
        validator = _NumberValidator(box)
        box.setValidator(validator)
        box.setFixedWidth(self._theme.pixels(66))

        def current_number() -> float | None:
            if not box.hasAcceptableInput():
                return None
            validator.last_valid_text = box.text()
            return float(box.text())

        def show(value: Value) -> None:
            validator.last_valid_text = f"{float(value):.10g}"
            box.setText(validator.last_valid_text)

        self._watch_typing(item, box, box.textEdited, current_number, show)
        return box

    def _make_line(self, item: Key) -> QWidget:
        box = TextLine()

        def show(value: Value) -> None:
            box.setText(str(value))
            # Show the beginning of a long text.
            box.setCursorPosition(0)

        self._watch_typing(item, box, box.textEdited, box.text, show)
        return box

    def _make_text_box(self, item: Key) -> QWidget:
        box = _GrowingBox(_MIN_LINES[item.kind])
        box.setFont(self._theme.code_font())
        box.setTabChangesFocus(True)
        box.setProperty("role", "field")
        box.setPlaceholderText(translate_word(item.help))

        def show(value: Value) -> None:
            text = str(value).rstrip("\n")
            if box.toPlainText().rstrip("\n") != text:
                with QSignalBlocker(box):
                    box.setPlainText(text)

        self._watch_typing(item, box, box.textChanged, box.toPlainText, show)
        return box

    def _watch_typing(
        self,
        item: Key,
        box: QWidget,
        changed: SignalInstance,
        current_value: Callable[[], Value | None],
        show: Callable[[Value], None],
    ) -> None:
        """Emit a field's value shortly after an edit; until then, and while it has the cursor, it keeps its text.

        Further typing does not restart the timer, because drafts must be on disk within a second.
        """

        def emit() -> None:
            value = current_value()
            if value is not None:
                self._emit(item.name, value)

        timer = debounce(self, _TYPING_MS, emit)

        def start_timer(*_: object) -> None:
            if not timer.isActive():
                timer.start()

        def show_unless_typing(value: Value) -> None:
            if not box.hasFocus() and not timer.isActive():
                show(value)

        changed.connect(start_timer)
        self._setters[item.name] = show_unless_typing
        self._pending.append((timer, emit))
