"""One criterion in two faces: a form and its YAML, always in step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QMenu, QStackedWidget

from annotator.ui.pages.parts.criterion_form import CriterionForm
from annotator.ui.theme import Theme
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.segments import Segments
from annotator.ui.widgets.yaml_editor import YamlEditor
from annotator.ui.words import tr, tr_known, tr_later

if TYPE_CHECKING:
    from annotator.criteria import Checked

FORM, YAML = 0, 1
_FORM_MS = 120
_PROBLEMS_SHOWN = 4
_EMPTY = tr_later("There is no rule yet. Add one below, or select text in a response and make it a rule.")
_BY_TESTS = tr_later(
    "No rule is needed: answers are judged by the tests this came with. Prove it as it is, or add a rule to judge "
    "by rules instead."
)


class CriterionEditor(Card):
    """The card with the document being written."""

    changed = Signal()
    """The text is another one, by whichever face."""

    def __init__(self, theme: Theme, templates: tuple[str, ...]) -> None:
        """Show an empty document as a form."""
        super().__init__(tr("Criterion"))
        self.faces = Segments(tr("Criterion"), (tr("Form"), "YAML"))
        self.faces.chosen.connect(self._show_face)
        self.template = button(tr("Template"))
        self.menu = QMenu(self.template)
        for name in templates:
            self.menu.addAction(tr_known(name.replace("_", " "))).triggered.connect(partial(self.insert_template, name))
        self.template.setMenu(self.menu)
        self.head.insertWidget(1, self.faces)
        self.head.addWidget(self.template)
        self.form = CriterionForm(theme)
        self.form.edited.connect(self._field_edited)
        self.form.added.connect(self._rule_added)
        self.form.removed.connect(self._rule_removed)
        self.yaml = YamlEditor(theme, tr("Criterion as YAML"))
        self.yaml.setPlaceholderText(tr("grading:\n  keywords:\n    - a word the answer must contain"))
        self.yaml.textChanged.connect(self._text_changed)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.form)
        self.stack.addWidget(self.yaml)
        self.problems = label("", "problem", wrap=True)
        self.problems.hide()
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.problems)
        self._quiet = False
        self._empty = _EMPTY
        self._form_timer = QTimer(self)
        self._form_timer.setSingleShot(True)
        self._form_timer.setInterval(_FORM_MS)
        self._form_timer.timeout.connect(self._fill_form)
        self._fill_form()

    # -- the document ---------------------------------------------------------------------------------------------

    @property
    def source(self) -> str:
        """The document as YAML."""
        return self.yaml.toPlainText()

    def set_source(self, text: str, *, has_tests: bool = False) -> None:
        """Show another document; `changed` is not emitted. ``has_tests``: without a rule, tests judge the answers."""
        self._empty = _BY_TESTS if has_tests else _EMPTY
        if self.source == text and text:
            return
        self._quiet = True
        self.yaml.set_code(text, "yaml")
        self._quiet = False
        self._fill_form()

    def flush(self) -> None:
        """Take over what was typed last in the form, before the document is saved or left."""
        self.form.flush()

    def insert_template(self, name: str, _checked: bool = False) -> None:
        """Put a template into an empty document, or at its end."""
        from annotator.criteria.templates import template

        text = self.source
        self.yaml.replace_text(template(name) if not text.strip() else f"{text.rstrip()}\n\n{template(name)}")

    def add_rule(self, section: str, values: dict[str, Any]) -> None:
        """Add a rule that is filled already, such as one made of selected text."""
        from annotator.criteria.form_edits import add_rule

        self._edit(lambda source: add_rule(source, section, values))

    def set_field(self, section: str, index: int, name: str, value: Any) -> None:
        """Change one field of a rule, as the form would."""
        from annotator.criteria.form_edits import write_field

        self._edit(lambda source: write_field(source, section, index, name, value))

    def show_face(self, face: int) -> None:
        """Show the form or the YAML."""
        self.faces.choose(face)

    def go_to_line(self, line: int) -> None:
        """Show a line of the YAML."""
        self.show_face(YAML)
        self.yaml.go_to_line(line)
        self.yaml.setFocus()

    def show_problems(self, checked: Checked | None) -> None:
        """Say what is wrong with the document, at the lines and in sentences."""
        found = checked.problems if checked else ()
        self.yaml.set_problems([(item.line, item.message) for item in found if item.severity == "error"])
        lines = [tr("Line {line}: {message}", line=item.line, message=item.message) for item in found[:_PROBLEMS_SHOWN]]
        if len(found) > len(lines):
            lines.append(tr("and {count} more", count=len(found) - len(lines)))
        self.say("\n".join(lines))

    def say(self, text: str) -> None:
        """Show a sentence below the document; nothing hides it."""
        self.problems.setText(text)
        self.problems.setVisible(bool(text))

    # -- in step --------------------------------------------------------------------------------------------------

    def _text_changed(self) -> None:
        if not self._quiet:
            self._form_timer.start()
            self.changed.emit()

    def _show_face(self, face: int) -> None:
        self.stack.setCurrentIndex(face)
        if face == FORM:
            self._fill_form()

    def _fill_form(self) -> None:
        from annotator.criteria.forms import FormError, read_form

        try:
            rules = read_form(self.source)
        except FormError as error:
            self.form.show_rules((), str(error))
            return
        self.form.show_rules(rules)
        self.form.message.setText("" if rules else tr_known(self._empty))
        self.form.message.setVisible(not rules)

    def _edit(self, change: Callable[[str], str]) -> bool:
        from annotator.criteria.forms import FormError

        try:
            self.yaml.replace_text(change(self.source))
        except FormError as error:
            self.say(str(error))
            return False
        self._fill_form()
        return True

    def _field_edited(self, edit: tuple[str, int, str, Any]) -> None:
        self.set_field(*edit)

    def _rule_added(self, section: str) -> None:
        from annotator.criteria.form_edits import add_rule

        if self._edit(lambda source: add_rule(source, section)):
            self.form.focus_last(section)

    def _rule_removed(self, place: tuple[str, int]) -> None:
        from annotator.criteria.form_edits import remove_rule

        section, index = place
        self._edit(lambda source: remove_rule(source, section, index))
