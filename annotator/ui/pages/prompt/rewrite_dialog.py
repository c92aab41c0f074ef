"""The dialog that rewrites a mined function, so that models cannot know the task: its parts and their gates."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QInputDialog, QTableWidgetItem, QWidget

from annotator.base.errors import BadInputError, KnownError
from annotator.mining.parity import parse_table, table_json
from annotator.mining.rendering import render_types
from annotator.mining.rewriting import Rewrite, TaskSignature, read_signature, rewrite_json, signature_text
from annotator.model.changes import Changes
from annotator.model.rows.view_rows import SuggestionRow
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.prompt import rewrite_items, rewrites, suggested_rewrites
from annotator.services.prompt.rewrite_parts import PARTS, RewriteParts, read_parts
from annotator.services.prompt.rewrites import RewriteView, RewriteWork
from annotator.ui.app.base_page import PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_message, translate_word
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog, SeenRevisions
from annotator.ui.pages.shared.model_suggestions import RewriteSuggestions
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import DraftBar, DraftField, ask_text
from annotator.ui.widgets.fields import EntryTable, line_edit
from annotator.ui.widgets.labels import OptionalLabel, Segments, button, label
from annotator.ui.widgets.layouts import FlowRow, fill_column, make_row, make_stack
from annotator.ui.widgets.table import DataTable

_COLUMNS = ("name", "inputs", "expected", "comparator")


class RewriteTable(QWidget):
    """A table to edit the tests, one per row; `edited` is emitted on every change."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        headers = (tr("name"), tr("inputs (JSON list)"), tr("expected (JSON)"), tr("comparator"))
        self.table = EntryTable(tr("Tests of every language"), headers)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column in (0, 3):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
        self.table.setColumnWidth(0, 170)
        self.types = label("", "dim", wrap=True)
        self.add_row_button = button(tr("Add a row"), clicked=self._add)
        remove_button = button(tr("Remove selected"), clicked=self._remove)
        hint = label(tr("Comparators: equal, close, unordered, raises"), "dim", wrap=True)
        row = make_row(self.add_row_button, remove_button, (hint, 1))
        fill_column(self, (self.table, 1), self.types, row)
        self.table.itemChanged.connect(self._changed)

    def set_cells(self, cells: list[list[str]]) -> None:
        """Show rows of cell texts in the order of `_COLUMNS`, without emitting `edited`."""
        with QSignalBlocker(self.table):
            self.table.setRowCount(0)
            for texts in cells:
                self.table.add_row(texts)
        self.show_types()

    def cells(self) -> list[list[str]]:
        """Return the texts of all cells, valid or not."""
        return [[text.strip() for text in row] for row in self.table.texts()]

    def document(self) -> dict[str, Any]:
        """Return the rows as a document. Raises `BadInputError` for inputs or results that are not JSON."""
        rows = []
        for row_number, cells in enumerate(self.cells()):
            texts = dict(zip(_COLUMNS, cells, strict=True))
            row: dict[str, Any] = {
                "name": texts["name"] or f"row {row_number + 1}",
                "comparator": texts["comparator"] or "equal",
            }
            for name in ("inputs", "expected"):
                if name == "expected" and row["comparator"] == "raises":
                    continue
                try:
                    row[name] = json.loads(texts[name])
                except (ValueError, RecursionError):
                    raise BadInputError(
                        tr(
                            'Row {place}: {name} is not valid JSON, such as [1, "a", null].',
                            place=row_number + 1,
                            name=name,
                        )
                    ) from None
            rows.append(row)
        return {"rows": rows}

    def show_types(self) -> None:
        """Show the parameter and result types that a reference needs in each typed language."""
        type_lines = []
        try:
            table = parse_table(self.document())
            for name in ("java", "c++", "typescript") if table.rows else ():
                parameter_types, result_type = render_types(table, name)
                type_lines.append(
                    tr(
                        "{language}: ({parameters}) returns {result}",
                        language=name,
                        parameters=", ".join(parameter_types),
                        result=result_type,
                    )
                )
        except BadInputError as error:
            type_lines.append(error.message)
        self.types.setText("\n".join(type_lines))

    def _add(self) -> None:
        self.table.add_row(_cells_of_row({"name": f"row {self.table.rowCount() + 1}"}))
        self._changed()

    def _remove(self) -> None:
        self.table.remove_selected()
        self._changed()

    def _changed(self, _item: object = None) -> None:
        self.show_types()
        self.edited.emit()


def rewrite_table_cells(document: dict[str, Any]) -> list[list[str]]:
    """Return the cell texts of a document from `annotator.mining.parity.table_json`."""
    return [_cells_of_row(row) for row in document.get("rows", [])]


def _cells_of_row(row: dict[str, Any]) -> list[str]:
    raises = row.get("comparator") == "raises"
    return [
        str(row.get("name", "")),
        json.dumps(row.get("inputs", []), ensure_ascii=False),
        "" if raises else json.dumps(row.get("expected"), ensure_ascii=False),
        str(row.get("comparator", "equal")),
    ]


LANGUAGES = ("python", "javascript", "typescript", "java", "c++")


class RewriteTexts(BaseModel):
    """The texts of all fields; ``signatures`` and ``rows`` are rows of cells, ``references`` programs by language."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    requirement: str
    signatures: list[list[str]]
    twists: str
    rows: list[list[str]]
    references: dict[str, str]


def rewrite_texts(work: RewriteWork) -> RewriteTexts:
    """Return the texts of the fields for a rewrite."""
    rewrite = work.rewrite
    signatures = [rewrite.signatures.get(name, TaskSignature(name="", parameters=())) for name in LANGUAGES]
    return RewriteTexts(
        requirement=rewrite.requirement,
        signatures=[
            [signature_text(item), item.objective, item.constraints]
            for item in (rewrite.before, rewrite.after, *signatures)
        ],
        twists="; ".join(rewrite.twists),
        rows=rewrite_table_cells(table_json(work.table)),
        references=drop_blank_references(work.references),
    )


def replace_parts(
    typed: RewriteTexts, suggested: RewriteTexts, answer_parts: RewriteParts, parts: Sequence[str]
) -> RewriteTexts:
    """Return the typed texts with the given parts replaced by those of a suggestion; no ``parts`` means all.

    ``answer_parts`` are the parts that the suggestion contains, and ``suggested`` their texts; what it does not
    contain stays as typed. The mined signature is never replaced.
    """

    def should_replace(part: str, content: object) -> bool:
        return bool(content) and (not parts or part in parts)

    signatures = typed.signatures
    has_signatures = should_replace("signatures", answer_parts.signatures)
    if has_signatures:
        # The first row is the mined signature, the second the new one; then follows a row for each language.
        is_suggested = [True, *(name in answer_parts.signatures for name in LANGUAGES)]
        rows = zip(typed.signatures[1:], suggested.signatures[1:], is_suggested, strict=True)
        signatures = [typed.signatures[0], *(new if use_new else old for old, new, use_new in rows)]
    references = typed.references
    if should_replace("references", answer_parts.references):
        references = {**references, **{name: suggested.references[name] for name in answer_parts.references}}
    return RewriteTexts(
        requirement=suggested.requirement
        if should_replace("requirement", answer_parts.requirement)
        else typed.requirement,
        signatures=signatures,
        twists=suggested.twists if has_signatures and answer_parts.twists else typed.twists,
        rows=suggested.rows if should_replace("tests", answer_parts.rows) else typed.rows,
        references=references,
    )


def drop_blank_references(references: Mapping[str, str]) -> dict[str, str]:
    """Return the references that are not blank, sorted by name."""
    return {name: code for name, code in sorted(references.items()) if code.strip()}


_FACES = mark_words("Requirement", "Signatures", "Tests", "References", "Gates", "Suggestions")
_GATES_PAGE = 4
_GATE_STATES = {
    True: mark_for_translation("✓ passed"),
    False: mark_for_translation("✗ blocks"),
    None: mark_for_translation("? not known"),
}


class RewriteDialog(Dialog):
    """Edits one subject's rewrite, its four parts and their gates; each save is a revision that can be undone."""

    def __init__(self, parent: QWidget, context: PageContext, subject_id: str) -> None:
        """Load the saved rewrite, or a generated first draft."""
        super().__init__(parent, tr("Rewrite to prevent leaks"), size=(1120, 700))
        self.session, self.theme = context.session, context.theme
        self._subject_id = subject_id
        self._code_by_language: dict[str, str] = {}
        self._language = LANGUAGES[0]
        self.view: RewriteView | None = None
        self._has_warned_unsaved = False
        self._seen_revisions = SeenRevisions()
        self.faces = Segments(tr("Part of the rewrite"), _FACES)
        self.panes = DiffPanes(self.theme)
        self.panes.left_card.set_title(tr("Behaviour of the mined code"))
        self.panes.right_card.set_title(tr("New requirement"))
        self.table = RewriteTable()
        self.gates, self.results = DataTable(tr("Gates")), DataTable(tr("What ran"))
        self.suggestions = RewriteSuggestions(context, subject_id)
        self.suggestions.copy_requested.connect(self.take_suggestion)
        self._used_suggestion: SuggestionRow | None = None
        self._meanings: dict[str, str] = {}
        """The meaning of each parameter, by name; the fields do not show it, so it is kept here."""
        pages = (
            self.panes,
            self._make_signatures_page(),
            self.table,
            self._make_references_page(),
            self._make_gates_page(),
            self.suggestions,
        )
        self.stack = make_stack(*pages)
        self.faces.picked.connect(self.stack.setCurrentIndex)
        self.draft = DraftField(self.session.drafts, "prompt.rewrite", self._typed_text, self._show_typed_text, self)
        self.draft_bar = DraftBar(self.theme, self.draft)
        edits = (self.panes.edited, self.signatures.itemChanged, self.twists.textChanged, self.table.edited)
        for edited in (*edits, self.code.textChanged):
            edited.connect(self.draft.record_edit)
        self.problem = OptionalLabel("problem")
        self.state = label("", "dim", wrap=True)
        self.explain_button = button(tr("Explain coverage…"), clicked=self.explain_coverage)
        self.confirm_button = button(tr("Confirm the reason…"), clicked=self.confirm_coverage)
        tip = tr("Makes one item per language, released instead of the mined code")
        self.make_button = button(tr("Make items"), clicked=self.make_items, tip=tip)
        self.make_button.setEnabled(False)
        self.save_button = button(tr("Save"), clicked=partial(self.save, False))
        self.check_button = button(tr("Save and check"), primary=True, clicked=partial(self.save, True))
        buttons = (self.explain_button, self.confirm_button, self.make_button, self.save_button, self.check_button)
        below = make_row((self.state, 1), FlowRow(*buttons))
        faces = (self.faces, Qt.AlignmentFlag.AlignLeft)
        self.lay_out(faces, self.draft_bar, (self.stack, 1), self.problem, below)
        self._load()

    def _make_signatures_page(self) -> QWidget:
        headers = (tr("signature"), tr("objective"), tr("constraints on the result"))
        self.signatures = EntryTable(tr("Signatures"), headers)
        self.signatures.setRowCount(2 + len(LANGUAGES))
        self.signatures.setVerticalHeaderLabels([tr("mined"), tr("new"), *LANGUAGES])
        self.signatures.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        hint = tr("Changes of meaning, separated by semicolons, such as: the delimiter becomes a parameter")
        self.twists = line_edit(tr("Twists"), hint)
        self.changes = label("", wrap=True)
        panel = QWidget()
        about = label(tr("Such as cut(text: str, sign: str) -> list; give the new one for each language"), "dim")
        fill_column(panel, about, (self.signatures, 1), self.twists, self.changes)
        return panel

    def _make_references_page(self) -> QWidget:
        self.languages = Segments(tr("Language of the reference"), LANGUAGES, selected=self._language_chosen)
        self.code = CodeView(self.theme, tr("Reference"), read_only=False)
        panel = QWidget()
        about = tr("Java references are static methods of the class Solution. Leave the text empty for no reference.")
        fill_column(panel, (self.languages, Qt.AlignmentFlag.AlignLeft), (self.code, 1), label(about, "dim", wrap=True))
        return panel

    def _make_gates_page(self) -> QWidget:
        panel = QWidget()
        fill_column(
            panel, (self.gates, 1), label(tr("Every table row in every language"), "section"), (self.results, 1)
        )
        return panel

    # -- loading and saving ---------------------------------------------------------------------------------------

    def _load(self, _changes: Changes | None = None) -> None:
        if self.session.store is not None:
            work = partial(rewrites.load_rewrite, self.session.store, self._subject_id)
            self.session.run("read", work, self._show, self._show_failure)

    def _show(self, view: RewriteView) -> None:
        self.view = view
        rewrite = view.work.rewrite
        self.changes.setText("\n".join(f"{item.kind}: {item.detail}" for item in rewrite.changes))
        stored = rewrite_texts(view.work).model_dump_json()
        self._add_meanings(rewrite)
        self._used_suggestion = None
        self.draft.show_item(self._subject_id, stored, subject_id=self._subject_id, began_from=view.revision)
        self._show_gates(view)
        self._has_warned_unsaved = False

    def _typed_text(self) -> str:
        code = {**self._code_by_language, self._language: self.code.toPlainText()}
        return RewriteTexts(
            requirement=self.panes.paraphrase(),
            signatures=self.signatures.texts(),
            twists=self.twists.text(),
            rows=self.table.cells(),
            references=drop_blank_references(code),
        ).model_dump_json()

    def _show_typed_text(self, text: str) -> None:
        """Show the texts of a draft; a draft in another version's format is ignored."""
        try:
            typed = RewriteTexts.model_validate_json(text)
        except ValueError:
            return
        self.panes.set_texts(self.view.work.rewrite.summary if self.view is not None else "", typed.requirement)
        for row, texts in enumerate(typed.signatures):
            for column, word in enumerate(texts):
                self.signatures.setItem(row, column, QTableWidgetItem(word))
        self.twists.setText(typed.twists)
        self.table.set_cells(typed.rows)
        self._code_by_language = dict(typed.references)
        self.code.set_code(self._code_by_language.get(self._language, ""), self._language)

    def reject(self) -> None:
        """Close the dialog; if text is unsaved, warn first and close at the second attempt."""
        is_unsaved = self.draft.offered is None and self._typed_text() != self.draft.stored
        if self.view is None or self._has_warned_unsaved or not is_unsaved:
            super().reject()
            return
        self._has_warned_unsaved = True
        self.problem.setText(tr("Your changes are not saved. Save them, or close again to keep them as a draft."))

    def _show_gates(self, view: RewriteView) -> None:
        rows = [
            (translate_word(_GATE_STATES[gate.passed]), translate_word(gate.name), gate.detail) for gate in view.gates
        ]
        self.gates.set_rows(mark_words("", "gate", "result"), rows, view.gates, stretch=2)
        names = list(view.results)
        outcomes = {name: {item.name: item.outcome for item in rows} for name, rows in view.results.items()}
        cells = [
            (row.name, *(outcomes[name].get(row.name, "missing") for name in names)) for row in view.work.table.rows
        ]
        self.results.set_rows((mark_for_translation("row"), *names), cells, view.work.table.rows)
        unmet_count = sum(gate.passed is not True for gate in view.gates)
        state_text = (
            tr("Every gate is met.") if not unmet_count else tr("Gates not met yet: {blocking}.", blocking=unmet_count)
        )
        self.make_button.setEnabled(view.saved and view.passed)
        self.state.setText(state_text if view.saved else tr("A first draft, not saved yet. {state}", state=state_text))

    def _language_chosen(self, number: int) -> None:
        self._code_by_language[self._language] = self.code.toPlainText()
        self._language = LANGUAGES[number]
        self.code.set_code(self._code_by_language.get(self._language, ""), self._language)

    def document(self) -> dict[str, Any]:
        """Return the entered rewrite as a document. Raises `BadInputError` for invalid input."""
        assert self.view is not None
        self._code_by_language[self._language] = self.code.toPlainText()
        signatures = [self._with_meanings(read_signature(*texts)) for texts in self.signatures.texts()]
        named_signatures = {name: item for name, item in zip(LANGUAGES, signatures[2:], strict=True) if item.name}
        twists = tuple(text.strip() for text in self.twists.text().split(";") if text.strip())
        rewrite = Rewrite(
            summary=self.view.work.rewrite.summary,
            requirement=self.panes.paraphrase(),
            before=signatures[0],
            after=signatures[1],
            signatures=named_signatures,
            twists=twists,
        )
        references = {name: code for name, code in self._code_by_language.items() if code.strip()}
        return {"rewrite": rewrite_json(rewrite), "table": self.table.document(), "references": references}

    def _add_meanings(self, rewrite: Rewrite) -> None:
        for signature in (rewrite.after, *rewrite.signatures.values()):
            self._meanings.update({item.name: item.meaning for item in signature.parameters if item.meaning})

    def _with_meanings(self, signature: TaskSignature) -> TaskSignature:
        parameters = tuple(replace(item, meaning=self._meanings.get(item.name, "")) for item in signature.parameters)
        return replace(signature, parameters=parameters)

    def take_suggestion(self, row: SuggestionRow, parts: tuple[str, ...]) -> None:
        """Copy a suggestion, or some parts of it, into the fields, where it can be edited and saved."""
        work = partial(
            suggested_rewrites.suggested_document, self.session.open_store, self._subject_id, row.text, parts
        )
        self.session.run("read", work, partial(self._fill_in, row, parts), self._show_failure)

    def _fill_in(self, row: SuggestionRow, parts: tuple[str, ...], work: RewriteWork) -> None:
        typed = RewriteTexts.model_validate_json(self._typed_text())
        self._show_typed_text(replace_parts(typed, rewrite_texts(work), read_parts(row.text), parts).model_dump_json())
        self._add_meanings(work.rewrite)
        self._used_suggestion = row
        self.draft.record_edit()
        self.faces.choose(PARTS.index(parts[0]) if parts else 0)
        self.state.setText(tr("The suggestion is in the fields. Change it as you like, then save."))

    def save(self, check: bool, _checked: bool = False) -> None:
        """Save the entered rewrite; with ``check``, run it in the sandbox afterwards."""
        if self.view is None:
            return
        try:
            document = self.document()
        except KnownError as error:
            self.problem.setText(error.message)
            return
        self.problem.setText("")
        self._seen_revisions.begin(self._subject_id, self.view.revision)
        self._save_document(document, self._start_check if check else self._load)

    def _save_document(self, document: dict[str, Any], on_saved: Callable[[Changes], object]) -> None:
        used_id = self._used_suggestion.id if self._used_suggestion is not None else ""
        save = partial(
            rewrites.save_rewrite, self.session.open_store, self._subject_id, document, suggestion_id=used_id
        )
        work = partial(self._seen_revisions.save, self._subject_id, save)
        on_done = partial(self._finish_save, self._typed_text(), on_saved)
        self.session.act(work, on_done, partial(self._fail_save, document, on_saved))

    def _finish_save(self, typed: str, on_saved: Callable[[Changes], object], changes: Changes) -> None:
        self.draft.finish(self._subject_id, typed)
        on_saved(changes)

    def _fail_save(self, document: dict[str, Any], on_saved: Callable[[Changes], object], failure: WorkFailure) -> None:
        self._show_failure(failure)
        conflict = failure.error
        if isinstance(conflict, EditConflictError) and self.view is not None:
            title, own_text = self.view.subject.row.title, rewrites.rewrite_as_text(document)
            dialog = ConflictDialog(self, self.theme, title, conflict, own_text, code=True, editable=False)
            dialog.mine_kept.connect(partial(self._keep_mine, document, on_saved, conflict.revision))
            dialog.theirs_taken.connect(self._take_theirs)
            dialog.open_once()

    def _keep_mine(
        self, document: dict[str, Any], on_saved: Callable[[Changes], object], their_revision: str, _text: str
    ) -> None:
        self._seen_revisions.add(self._subject_id, their_revision)
        self.problem.setText("")
        self._save_document(document, on_saved)

    def _take_theirs(self) -> None:
        self.draft.finish(self._subject_id)
        self._load()

    def _start_check(self, _changes: Changes) -> None:
        self.state.setText(tr("Running the mined code and the references…"))
        self.check_button.setEnabled(False)
        self.faces.choose(_GATES_PAGE)
        work = partial(rewrites.check_rewrite, self.session.open_store, self._subject_id)
        self.session.start_job(tr("Checking the rewrite"), work, self._checked, self._show_failure, lane="sandbox")

    def _checked(self, view: RewriteView) -> None:
        self.check_button.setEnabled(True)
        self._show(view)

    def _show_failure(self, failure: WorkFailure) -> None:
        self.check_button.setEnabled(True)
        self.problem.setText(tr("{message} Your text is kept.", message=failure.message))

    def make_items(self) -> None:
        """Create one item per language from the saved rewrite, all of whose gates are met."""
        work = partial(rewrite_items.make_rewrite_items, self.session.open_store, self._subject_id)
        self.session.act(work, self._show_made_items, self._show_failure)

    def _show_made_items(self, outcome: tuple[object, Changes]) -> None:
        summary = tr_message(outcome[1].label) or tr("Nothing new.")
        self.state.setText(tr("{summary} Accept the items, and reject the mined code.", summary=summary))

    # -- coverage -------------------------------------------------------------------------------------------------

    def explain_coverage(self) -> None:
        """Ask why a reference may stay below full coverage."""
        name = self._ask_language(tr("Explain coverage"))
        if not name:
            return
        title, question = tr("Coverage in {name}", name=name), tr("Reason; two other people must confirm it")
        draft_id = f"{self._subject_id} {name}"
        reason = ask_text(
            self,
            self.theme,
            self.session.drafts,
            title,
            question,
            name="prompt.coverage",
            item_id=draft_id,
            subject_id=self._subject_id,
        )
        if reason is not None:
            work = partial(rewrites.explain_coverage, self.session.open_store, self._subject_id, name, reason)
            self.session.act(work, self._load, self._show_failure)

    def confirm_coverage(self) -> None:
        """Confirm another person's reason."""
        name = self._ask_language(tr("Confirm the reason"))
        if name:
            work = partial(rewrites.confirm_coverage, self.session.open_store, self._subject_id, name)
            self.session.act(work, self._load, self._show_failure)

    def _ask_language(self, title: str) -> str:
        names = list(self.view.work.references) if self.view else []
        if not names:
            self.problem.setText(tr("There is no saved reference yet."))
            return ""
        name, agreed = QInputDialog.getItem(self, title, tr("Language"), names, 0, False)
        return name if agreed else ""
