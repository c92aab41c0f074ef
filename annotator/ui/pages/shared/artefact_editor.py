"""The editor of a subject's solution or tests; a saved edit is a new revision that two other experts confirm."""

from __future__ import annotations

import json
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.model.changes import Changes
from annotator.model.rows.judging_rows import ArtefactRow
from annotator.services.edit_conflicts import EditConflictError
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.loading import three_experts
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog, SeenRevisions
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import choice_box, debounce, line_edit
from annotator.ui.widgets.labels import OptionalLabel, button, label
from annotator.ui.widgets.layouts import fill_column, make_form, make_row

ARTEFACTS = ("solution", "tests")
ARTEFACT_DRAFT = "consensus.artefact"
_EMIT_DELAY_MS = 200


def draft_item_id(subject_id: str, topic: str) -> str:
    """Return the item id of a draft; ``topic`` is the artefact or disagreement of the subject that it is about."""
    return f"{subject_id} {topic}"


class TestsForm(QWidget):
    """A form that edits a JSON array of tests, one test at a time."""

    __test__ = False

    changed = Signal(str)
    """The edited JSON array, emitted when typing pauses or `flush` is called."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._language = ""
        self._tests: list[dict[str, Any]] = []
        self._timer = debounce(self, _EMIT_DELAY_MS, self._emit_tests)
        self.choice = choice_box(tr("Test"), letters=16)
        self.choice.currentIndexChanged.connect(self._show_test)
        self.add_button = button(tr("Add a test"), clicked=self._add_test)
        self.remove_button = button(tr("Remove"), tip=tr("Remove this test"), clicked=self._remove_test)
        self.name = line_edit(tr("Name of the test"))
        self.code = CodeView(theme, tr("Code of the test"), read_only=False)
        self.inputs = line_edit(tr("Inputs of the test"), tr("a JSON object"))
        self.expected = line_edit(tr("Expected result"), tr("what the entry point returns; empty if the code decides"))
        for field in (self.name, self.inputs, self.expected):
            field.textEdited.connect(self._store_fields)
        self.code.textChanged.connect(self._store_fields)
        captioned_fields = ((tr("Name"), self.name), (tr("Inputs"), self.inputs), (tr("Expected"), self.expected))
        form = make_form(*((label(caption, "dim"), field) for caption, field in captioned_fields))
        head = make_row((self.choice, 1), self.add_button, self.remove_button, spacing=6)
        fill_column(self, head, (self.code, 1), form, spacing=6)

    def show_tests(self, text: str, language: str) -> bool:
        """Show a JSON array of tests and keep the selected index; return False if the text is not such an array."""
        tests = _parse_tests(text)
        if tests is None:
            return False
        self._timer.stop()
        if tests != self._tests or not self._tests:
            self._tests, self._language = tests, language
            index = max(0, self.choice.currentIndex())
            self._list_tests(min(index, len(tests) - 1))
        return True

    def _list_tests(self, index: int) -> None:
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItems([str(test.get("name", "")) for test in self._tests])
            self.choice.setCurrentIndex(index)
        self._show_test(index)

    def _show_test(self, index: int) -> None:
        test = self._tests[index] if 0 <= index < len(self._tests) else {}
        fields: tuple[QLineEdit | CodeView, ...] = (self.name, self.code, self.inputs, self.expected)
        for field in fields:
            field.setEnabled(bool(test))
        self.remove_button.setEnabled(len(self._tests) > 1)
        inputs = test.get("inputs") or ""
        self.name.setText(str(test.get("name", "")))
        self.inputs.setText(inputs if isinstance(inputs, str) else json.dumps(inputs, ensure_ascii=False))
        self.expected.setText(str(test.get("expected", "")))
        with QSignalBlocker(self.code):
            self.code.set_code(str(test.get("code", "")), str(test.get("language") or self._language))

    def _store_fields(self) -> None:
        """Copy the fields into the current test."""
        index = self.choice.currentIndex()
        if not 0 <= index < len(self._tests):
            return
        edited_test = {
            **self._tests[index],
            "name": self.name.text(),
            "code": self.code.toPlainText(),
            "expected": self.expected.text(),
            "inputs": _parse_object(self.inputs.text()),
        }
        if edited_test != self._tests[index]:
            self._tests[index] = edited_test
            self.choice.setItemText(index, self.name.text())
            self._timer.start()

    def _add_test(self) -> None:
        names = {test.get("name") for test in self._tests}
        numbered_names = (tr("test {number}", number=number) for number in count(len(names) + 1))
        name = next(name for name in numbered_names if name not in names)
        self._tests.append({"name": name, "language": self._language, "code": "", "inputs": {}})
        self._list_tests(len(self._tests) - 1)
        self._emit_tests()
        self.code.setFocus()

    def _remove_test(self) -> None:
        index = self.choice.currentIndex()
        del self._tests[index]
        self._list_tests(min(index, len(self._tests) - 1))
        self._emit_tests()

    def flush(self) -> None:
        """Emit pending edits at once."""
        if self._timer.isActive():
            self._emit_tests()

    def _emit_tests(self) -> None:
        self._timer.stop()
        self.changed.emit(json.dumps(self._tests, ensure_ascii=False, indent=2))


def _parse_tests(text: str) -> list[dict[str, Any]] | None:
    try:
        tests = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return tests if isinstance(tests, list) and all(isinstance(test, dict) for test in tests) else None


def _parse_object(text: str) -> object:
    """Parse typed JSON; return invalid text unchanged, because saving rejects it with the reason."""
    try:
        return json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return text


class _ArtefactEdit(NamedTuple):
    subject_id: str
    artefact: str
    note: str
    content: str

    @property
    def draft_id(self) -> str:
        return draft_item_id(self.subject_id, self.artefact)


class ArtefactEditor(QWidget):
    """Edits the solution or the tests of one subject; typed text stays a draft until it is saved."""

    saved = Signal(str, str)
    """The draft id of a saved edit, and its note."""
    problem_changed = Signal(str)
    """Why the last act failed; empty if it succeeded."""

    def __init__(self, session: Session, store: ProjectFile, theme: Theme) -> None:
        """Build the widgets; subclasses arrange them around their own."""
        super().__init__()
        self.session, self.store, self.theme = session, store, theme
        self.artefact = ARTEFACTS[0]
        """The name of the artefact shown."""
        self._subject_id, self._title, self._language = "", "", ""
        self._seen_revisions = SeenRevisions()
        self.code = CodeView(theme, tr("Content"), read_only=False)
        self.tests = TestsForm(theme)
        self.tests.hide()
        self.tests.changed.connect(self.code.setPlainText)
        session.drafts.flushing.connect(self.tests.flush)
        self.draft = DraftField.for_text(session.drafts, ARTEFACT_DRAFT, self.code, self._replace_code)
        self.draft_bar = DraftBar(theme, self.draft)
        self.save_button = button(tr("Save edit"), clicked=self.save_edit)

    def show_row(self, subject_id: str, title: str, row: ArtefactRow, language: str) -> None:
        """Show an artefact; an unsaved edit stays a draft, which is restored when the artefact is shown again."""
        self.tests.flush()
        self._subject_id, self._title = subject_id, title
        self.artefact, self._language = row.artefact, language
        draft_id = draft_item_id(subject_id, row.artefact)
        is_being_typed = draft_id == self.draft.item_id and self.code.hasFocus()
        self.draft.show_item(draft_id, row.content, subject_id=subject_id, began_from=row.revision)
        if not is_being_typed:
            self._show_form()

    def edit_note(self) -> str:
        """Return the note to save with the edit."""
        return ""

    def save_edit(self) -> None:
        """Save the text as a new revision."""
        self.tests.flush()
        if self._subject_id:
            edit = _ArtefactEdit(self._subject_id, self.artefact, self.edit_note(), self.code.toPlainText())
            self._seen_revisions.begin(edit.draft_id, self.draft.base_revision)
            self._save(edit)

    def _show_form(self) -> None:
        """Show the form instead of the text if the text is an array of tests."""
        has_form = self.artefact == "tests" and self.tests.show_tests(self.code.toPlainText(), self._language)
        self.tests.setVisible(has_form)
        self.code.setVisible(not has_form)
        self.setFocusProxy(self.tests.code if has_form else self.code)

    def _replace_code(self, text: str) -> None:
        self.code.set_code(text, "json" if self.artefact == "tests" else self._language)
        self._show_form()

    def _save(self, edit: _ArtefactEdit) -> None:
        save = partial(
            three_experts.save_artefact_edit, self.store, edit.subject_id, edit.artefact, edit.content, edit.note
        )
        work = partial(self._seen_revisions.save, edit.draft_id, save)
        self.session.act(work, partial(self._finish, edit), partial(self._fail, edit), text=edit.content)

    def _finish(self, edit: _ArtefactEdit, _changes: Changes) -> None:
        self.draft.finish(edit.draft_id, edit.content)
        self.problem_changed.emit("")
        self.saved.emit(edit.draft_id, edit.note)

    def _fail(self, edit: _ArtefactEdit, failure: WorkFailure) -> None:
        self.problem_changed.emit(failure.message)
        conflict = failure.error
        if isinstance(conflict, EditConflictError):
            title = f"{self._title}, {translate_word(edit.artefact)}"
            dialog = ConflictDialog(self.window(), self.theme, title, conflict, edit.content, code=True)
            dialog.mine_kept.connect(partial(self._keep_mine, edit, conflict))
            dialog.theirs_taken.connect(partial(self._take_theirs, edit, conflict))
            dialog.open_once()

    def _keep_mine(self, edit: _ArtefactEdit, theirs: EditConflictError, content: str) -> None:
        self._seen_revisions.add(edit.draft_id, theirs.revision)
        self._save(edit._replace(content=content))

    def _take_theirs(self, edit: _ArtefactEdit, theirs: EditConflictError) -> None:
        self.problem_changed.emit("")
        self.draft.finish(edit.draft_id)
        if edit.draft_id == self.draft.item_id:
            self.draft.show_item(edit.draft_id, theirs.text, subject_id=edit.subject_id, began_from=theirs.revision)


class MaterialEditor(ArtefactEditor):
    """Edits the reference or the tests in place; when `closed` is emitted, the owner shows the text again."""

    closed = Signal()

    def __init__(self, session: Session, store: ProjectFile, theme: Theme) -> None:
        super().__init__(session, store, theme)
        self._requested_draft_id = ""
        """The draft id of the artefact being edited, from the click on Edit until the editor closes."""
        self.problem = OptionalLabel("problem")
        self.problem_changed.connect(self.problem.setText)
        self.saved.connect(self._close)
        self.save_button.setProperty("role", "primary")
        self.close_button = button(tr("Close"), clicked=self.closed, tip=tr("An unsaved text stays a draft"))
        hint = label(tr("Saved as a new revision; then prove the item again."), "dim", wrap=True)
        foot = make_row((hint, 1), self.close_button, self.save_button)
        fill_column(self, self.draft_bar, self.problem, (self.code, 1), (self.tests, 1), foot)

    def load(self, subject_id: str, title: str, artefact: str, language: str) -> None:
        """Read an artefact and show it in the editor."""
        draft_id = self._requested_draft_id = draft_item_id(subject_id, artefact)
        work = partial(three_experts.load_artefact, self.store, subject_id, artefact)
        on_done = partial(self._show_loaded, draft_id, subject_id, title, language)
        self.session.run("read", work, on_done, partial(self._fail_load, draft_id), latest="material-edit")

    def leave(self) -> None:
        """Hide the editor and ignore a load that is still running; unsaved text stays a draft."""
        self.tests.flush()
        self._requested_draft_id = ""
        self.hide()

    def _show_loaded(self, draft_id: str, subject_id: str, title: str, language: str, row: ArtefactRow) -> None:
        if draft_id == self._requested_draft_id:
            self.show_row(subject_id, title, row, language)
            self.show()
            self.setFocus()

    def _fail_load(self, draft_id: str, failure: WorkFailure) -> None:
        self.session.failed.emit(failure)
        if draft_id == self._requested_draft_id:
            self.closed.emit()

    def _close(self, draft_id: str, _note: str) -> None:
        self.session.say(tr("Saved as a new revision. Prove the item again; two other people must confirm the text."))
        if draft_id == self._requested_draft_id:
            self.closed.emit()
