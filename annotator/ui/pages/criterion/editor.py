"""One criterion as a form and as YAML, kept in sync."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QStringListModel, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QCompleter, QListView, QMenu, QToolTip

from annotator.criteria import CheckedDocument, Problem
from annotator.criteria.document.document_form import (
    FormError,
    add_rule,
    load_yaml_tree,
    plain_text_line,
    read_criterion_form,
    remove_rule,
    write_field,
)
from annotator.criteria.document.document_schema import criterion_template
from annotator.criteria.document.keys import keys_at
from annotator.criteria.document.positioned_yaml import cursor_place_at
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, tr_message, translate_word
from annotator.ui.pages.criterion.criterion_form import CriterionForm
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.labels import OptionalLabel, Segments, button, escape_tool_tip
from annotator.ui.widgets.layouts import fill_layout, make_stack

_INDENT = 2
_KEY_OF_ITEM = re.compile(r" *(?:- +)+[\w-]+ *:(?: |$)")


class YamlEditor(CodeView):
    """A `CodeView` that offers the valid keys at the cursor, on Ctrl+Space or while a key is typed."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, read_only=False, language="yaml")
        self._model = QStringListModel(self)
        self._completer = QCompleter(self._model, self)
        self._popup = QListView(self)
        self._completer.setPopup(self._popup)
        self._completer.setWidget(self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self._completer.activated.connect(self._insert_key)

    def replace_text(self, text: str) -> None:
        """Replace only the differing part, so that cursor, scroll bar and undo history are kept."""
        old = self.toPlainText()
        if text == old:
            return
        start = _common_prefix_length(old, text)
        suffix_length = _common_prefix_length(old[start:][::-1], text[start:][::-1])
        cursor = QTextCursor(self.document())
        # Qt counts positions in UTF-16 code units of two bytes.
        prefix_bytes = old[:start].encode("utf-16-le")
        replaced_bytes = old[start : len(old) - suffix_length].encode("utf-16-le")
        cursor.setPosition(len(prefix_bytes) // 2)
        cursor.setPosition((len(prefix_bytes) + len(replaced_bytes)) // 2, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text[start : len(text) - suffix_length])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Complete keys, and indent new lines like the one above."""
        return_keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        popup_keys = (*return_keys, Qt.Key.Key_Tab, Qt.Key.Key_Escape, Qt.Key.Key_Backtab)
        if self._popup.isVisible() and event.key() in popup_keys:
            # The completer handles them.
            event.ignore()
            return
        is_completion_key = event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if event.key() in return_keys and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._new_line()
        elif event.key() == Qt.Key.Key_Tab and not self.textCursor().hasSelection():
            self.insertPlainText(" " * (_INDENT - self.textCursor().positionInBlock() % _INDENT))
        elif not is_completion_key:
            super().keyPressEvent(event)
        if is_completion_key or (event.text().isalpha() and not event.modifiers()):
            self._show_completions(forced=is_completion_key)
        else:
            self._popup.hide()

    def event(self, event: QEvent) -> bool:
        """Explain the key under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self._describe_key(event)
            if text:
                QToolTip.showText(event.globalPos(), escape_tool_tip(text), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _describe_key(self, event: QHelpEvent) -> str:
        cursor = self.cursorForPosition(self.viewport().mapFromParent(event.pos()))
        problem = self.problem_at(cursor.blockNumber() + 1)
        place = cursor_place_at(self.toPlainText(), cursor.blockNumber(), cursor.positionInBlock())
        key_help = keys_at(place.path).get(place.key, "") if place.is_key else ""
        return "\n".join(part for part in (problem, f"{place.key}: {key_help}" if key_help else "") if part)

    def _new_line(self) -> None:
        line = self.textCursor().block().text()[: self.textCursor().positionInBlock()]
        line_indent = len(line) - len(line.lstrip(" "))
        block_indent = _INDENT if line.rstrip().endswith(":") else 0
        # After `- key: value` comes another key; after `- text`, another item.
        item_indent = _INDENT if _KEY_OF_ITEM.match(line) and not block_indent else 0
        self.insertPlainText("\n" + " " * (line_indent + block_indent + item_indent))

    def _show_completions(self, *, forced: bool) -> None:
        cursor = self.textCursor()
        place = cursor_place_at(self.toPlainText(), cursor.blockNumber(), cursor.positionInBlock())
        keys = sorted(keys_at(place.path)) if place.is_key else []
        if not keys or place.key in keys or (not forced and len(place.key) < 2):
            self._popup.hide()
            return
        self._model.setStringList(keys)
        self._completer.setCompletionPrefix(place.key)
        if self._completer.completionCount() == 0:
            self._popup.hide()
            return
        self._popup.setCurrentIndex(self._completer.completionModel().index(0, 0))
        box = self.cursorRect()
        box.setLeft(box.left() + self.gutter_width())
        box.setWidth(self._popup.sizeHintForColumn(0) + self._popup.verticalScrollBar().sizeHint().width() + 16)
        self._completer.complete(box)

    def _insert_key(self, key: str) -> None:
        cursor = self.textCursor()
        cursor.movePosition(
            QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(self._completer.completionPrefix())
        )
        cursor.insertText(f"{key}: ")
        self.setTextCursor(cursor)


def _common_prefix_length(first: str, second: str) -> int:
    """Return the length of the common prefix of two texts."""
    differing = (index for index, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(differing, min(len(first), len(second)))


FORM, YAML = 0, 1
_FORM_MS = 120
_MAX_PROBLEMS = 4
_TEMPLATES = {
    "keywords": mark_for_translation("words the answer contains"),
    "blank_filling": mark_for_translation("the text in each blank"),
    "unit_test": mark_for_translation("tests that run the code"),
    "similarity": mark_for_translation("similarity of a text to the reference"),
    "ast": mark_for_translation("structure of the code"),
    "equals": mark_for_translation("the answer is this text"),
    "number": mark_for_translation("the answer is this number"),
    "json": mark_for_translation("the answer is this JSON"),
    "customized": mark_for_translation("your own function scores it"),
}
_NO_RULE_TEXT = mark_for_translation("No rules yet. Add one below, or select text in a response and make it a rule.")
_JUDGED_BY_TESTS_TEXT = mark_for_translation(
    "No rule is needed: the imported tests judge answers. Prove it now, or add a rule to judge by rules instead."
)


class CriterionEditor(Card):
    """The card to edit a criterion document."""

    changed = Signal()
    """The text has changed, in the form or in the YAML."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.faces = Segments(tr("Criterion"), (tr("Form"), "YAML"), selected=self._show_face)
        self.template_button = button(tr("Template"))
        self.menu = QMenu(self.template_button)
        for name, about in _TEMPLATES.items():
            text = f"{translate_word(name.replace('_', ' '))}: {translate_word(about)}"
            self.menu.addAction(text).triggered.connect(partial(self.insert_template, name))
        self.template_button.setMenu(self.menu)
        self.head.insertWidget(0, self.faces)
        self.head.addWidget(self.template_button)
        self.form = CriterionForm(theme)
        self.form.edited.connect(self.set_field)
        self.form.added.connect(self._add_empty_rule)
        self.form.removed.connect(self._remove_rule)
        self.form.word_typed.connect(self._add_first_word)
        self.yaml = YamlEditor(theme, tr("Criterion as YAML"))
        self.yaml.setPlaceholderText(tr("grading:\n  keywords:\n    - a word the answer must contain"))
        self.yaml.textChanged.connect(self._text_changed)
        self.stack = make_stack(self.form, self.yaml)
        self.problems = OptionalLabel("problem")
        self.effect = OptionalLabel("dim")
        """The effect of saving on recorded runs."""
        fill_layout(self.body, (self.stack, 1), self.problems, self.effect)
        self._is_loading = False
        self._problems: tuple[Problem, ...] = ()
        self._language, self._empty_text = "", _NO_RULE_TEXT
        self._form_timer = debounce(self, _FORM_MS, self._fill_form)
        self._fill_form()

    # -- the document ---------------------------------------------------------------------------------------------

    @property
    def source(self) -> str:
        """The document as YAML."""
        return self.yaml.toPlainText()

    def set_source(self, text: str, *, language: str = "", has_tests: bool = False) -> None:
        """Show another document without emitting `changed`; ``has_tests``: imported tests judge without a rule.

        ``language`` is that of the subject, which tests added here are written in.
        """
        self._language = language
        self._empty_text = _JUDGED_BY_TESTS_TEXT if has_tests else _NO_RULE_TEXT
        if self.source == text and text:
            return
        self._is_loading = True
        self.yaml.set_code(text, "yaml")
        self._is_loading = False
        self._fill_form()

    def flush(self) -> None:
        """Apply pending input of the form, before the document is saved or left."""
        self.form.flush()

    def insert_template(self, name: str, _checked: bool = False) -> None:
        """Append a template to the document."""
        text = self.source
        self.yaml.replace_text(
            criterion_template(name) if not text.strip() else f"{text.rstrip()}\n\n{criterion_template(name)}"
        )

    def add_rule(self, section: str, values: dict[str, Any]) -> None:
        """Add a rule with values, such as one made from selected text."""
        self._edit(partial(self._with_rule, section, values))

    def _with_rule(self, section: str, values: dict[str, Any] | None, source: str) -> str:
        """Return a document with one more rule; one with tests names the subject's language unless it names another."""
        if section == "unit_test" and self._language and "lang" not in load_yaml_tree(source):
            source = f"lang: {self._language}\n{source}"
        return add_rule(source, section, values)

    def set_field(self, section: str, index: int, name: str, value: Any) -> None:
        """Change one field of a rule."""
        self._edit(lambda source: write_field(source, section, index, name, value))

    def focus(self) -> None:
        """Put the cursor into the YAML, the first rule, or the field for the first word."""
        if self.faces.current == YAML:
            self.yaml.setFocus()
        else:
            self.form.focus_first()

    def toggle_face(self) -> None:
        """Switch between form and YAML."""
        self.show_face(YAML if self.faces.current == FORM else FORM)

    def show_face(self, face: int) -> None:
        """Show the form or the YAML."""
        self.faces.choose(face)

    def go_to_line(self, line: int) -> None:
        """Show a line of the YAML."""
        self.show_face(YAML)
        self.yaml.go_to_line(line)
        self.yaml.setFocus()

    def show_problems(self, checked: CheckedDocument | None) -> None:
        """Show the problems of the document, at their lines and as sentences."""
        self._problems = checked.problems if checked else ()
        self.yaml.set_problems(
            [(item.line, tr_message(item.message)) for item in self._problems if item.severity == "error"]
        )
        self._list_problems()

    def _list_problems(self) -> None:
        """List, below the document, the problems that the current view does not show in place."""
        problems_outside_form = self.form.show_problems(self._problems)
        problems = problems_outside_form if self.faces.current == FORM else self._problems
        lines = [
            tr("Line {line}: {message}", line=item.line, message=tr_message(item.message))
            for item in problems[:_MAX_PROBLEMS]
        ]
        if len(problems) > len(lines):
            lines.append(tr("and {count} more", count=len(problems) - len(lines)))
        self.say("\n".join(lines))

    def say(self, text: str) -> None:
        """Show a sentence below the document; an empty one hides the line."""
        self.problems.setText(text)

    # -- keeping form and YAML in sync ----------------------------------------------------------------------------

    def _text_changed(self) -> None:
        if not self._is_loading:
            self._form_timer.start()
            self.changed.emit()

    def _show_face(self, face: int) -> None:
        self.stack.setCurrentIndex(face)
        if face == FORM:
            self._fill_form()
        elif self._problems:
            self._list_problems()

    def _fill_form(self) -> None:
        try:
            rules = read_criterion_form(self.source)
        except FormError as error:
            self.form.show_rules((), str(error))
            return
        self.form.show_rules(rules)
        self.form.message.setText("" if rules else translate_word(self._empty_text))
        if self._problems:
            self._list_problems()

    def _edit(self, change: Callable[[str], str]) -> bool:
        try:
            self.yaml.replace_text(change(self.source))
        except FormError as error:
            self.say(str(error))
            return False
        self._fill_form()
        return True

    def _add_empty_rule(self, section: str) -> None:
        if self._edit(partial(self._with_rule, section, None)):
            self.form.focus_last(section)

    def _add_first_word(self, text: str) -> None:
        if self._edit(lambda source: add_rule(source, "keywords", {"texts": plain_text_line(text)})):
            self.form.focus_last("keywords")

    def _remove_rule(self, section: str, index: int) -> None:
        self._edit(lambda source: remove_rule(source, section, index))
