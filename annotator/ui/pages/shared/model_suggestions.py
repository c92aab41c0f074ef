"""A model's suggestions: ask for them, compare them with the request, edit them, use them or turn them down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QPushButton, QWidget

from annotator.base import clock
from annotator.criteria import CheckedDocument, parse_criterion
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.run_rows import SetupRow
from annotator.model.rows.view_rows import SubjectView, SuggestionRow
from annotator.services import suggestions
from annotator.services.prompt.rewrite_parts import PARTS
from annotator.services.prompt.suggested_rewrites import ReportLine
from annotator.services.suggestion_replies import BUG, REWRITE
from annotator.services.suggestions import SuggestionBatch, SuggestionChoices
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.base_page import PageContext
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import OnError, SessionJob, WorkFailure
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_message, translate_word
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import choice_box, debounce, line_edit, make_editable, refill_box
from annotator.ui.widgets.labels import OptionalLabel, Segments, ago_text, button, label
from annotator.ui.widgets.layouts import fill_column, make_row, make_splitter
from annotator.ui.widgets.table import DataTable

SUGGESTION_STATES = {
    "open": mark_for_translation("open"),
    "accepted": mark_for_translation("✓ used"),
    "rejected": mark_for_translation("✗ rejected"),
}


def offer_endpoints(box: QComboBox, endpoints: Sequence[SetupRow]) -> None:
    """Fill an editable combo box with endpoints; typed text stays.

    A preset (version 0) is offered but never preselected, because requests to it cost money.
    """
    typed_text = box.currentText()
    refill_box(box, [(row.name, row.name) for row in endpoints], box.currentData())
    if typed_text or not any(row.version for row in endpoints):
        box.setEditText(typed_text)


def offer_models(box: QComboBox, names: Sequence[str]) -> None:
    """Fill an editable combo box with names of models; typed text stays."""
    typed_text = box.currentText()
    box.clear()
    box.addItems(names)
    if typed_text or not names:
        box.setEditText(typed_text)


class SuggestionRequest(QWidget):
    """Fields to ask a model about a subject, one request at a time; it also keeps the subject's suggestions loaded."""

    requested = Signal()
    ended = Signal()
    """The request has been answered, has failed or was cancelled."""
    loaded = Signal(object)
    """The `SuggestionRow`s of the subject; they are loaded again when suggestions change."""

    def __init__(
        self, session: Session, subject_id: str, kinds: Sequence[str], *first_fields: tuple[str, QWidget]
    ) -> None:
        """``kinds`` are the kinds of suggestions to load; ``first_fields`` (name, field) come before the endpoint."""
        super().__init__()
        self._session, self._subject_id, self._kinds = session, subject_id, kinds
        self.job: SessionJob | None = None
        self.endpoint = choice_box(tr("Endpoint"), letters=10)
        self.model = choice_box(tr("Model"), letters=10)
        make_editable(self.endpoint, "http://localhost:8000/v1")
        make_editable(self.model, tr("name of the model at the endpoint"))
        self.key_name = line_edit(tr("Name of the key"), tr("empty: the endpoint's own; never the key itself"))
        self.ask_button = button(tr("Ask"), clicked=self.requested)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        own_fields = ((tr("Endpoint"), self.endpoint), (tr("Model"), self.model), (tr("Key name"), self.key_name))
        for column, (caption, widget) in enumerate((*first_fields, *own_fields)):
            grid.addWidget(label(caption, "dim"), 0, column)
            grid.addWidget(widget, 1, column)
            grid.setColumnStretch(column, 1 if column < len(first_fields) else 2)
        grid.addWidget(self.ask_button, 1, grid.columnCount())
        session.changed.connect(self._changed)

    def reload(self) -> None:
        """Load the subject's suggestions, and the endpoints and models to ask."""
        if self._session.store is not None:
            work = partial(_load_suggestions, self._session.store, self._subject_id, self._kinds)
            self._session.run("read", work, self._show_loaded, latest=f"suggestions-{id(self)}")

    def _changed(self, changes: Changes) -> None:
        if "suggestion" in changes.nouns:
            self.reload()

    def _show_loaded(self, loaded: tuple[tuple[SuggestionRow, ...], SuggestionChoices]) -> None:
        rows, choices = loaded
        offer_endpoints(self.endpoint, choices.endpoints)
        offer_models(self.model, choices.models)
        self.loaded.emit(rows)

    def reject(self, row: SuggestionRow | None, on_done: Callable[[Changes], object], on_error: OnError) -> None:
        """Turn an open suggestion down; it stays in the list."""
        if row is not None and row.state == "open":
            self._session.act(
                partial(suggestions.reject_suggestion, self._session.open_store, row.id), on_done, on_error
            )

    def start(
        self,
        kind: str,
        title: Callable[[str], str],
        on_done: Callable[[SuggestionBatch], object],
        on_error: OnError,
        report_line: ReportLine,
    ) -> bool:
        """Request a suggestion in a job called ``title(model)``; return False if a request is already running."""
        if self.job is not None:
            return False
        texts = (self.endpoint.currentText(), self.key_name.text(), self.model.currentText())
        endpoint_name, key_name, model = (text.strip() for text in texts)
        work = partial(
            _ask, self._session.open_store, (endpoint_name, key_name, model), kind, self._subject_id, report_line
        )
        # A chore, because a request can be repeated and need not keep the project from being closed.
        self._set_job(
            self._session.start_job(
                title(model), work, on_done, on_error, lane="net", chore=True, on_end=partial(self._set_job, None)
            )
        )
        return True

    def _set_job(self, job: SessionJob | None) -> None:
        self.job = job
        self.ask_button.setEnabled(job is None)
        self.ask_button.setText(tr("Ask") if job is None else tr("Asking…"))
        if job is None:
            self.ended.emit()


def _load_suggestions(
    store: ProjectFile, subject_id: str, kinds: Sequence[str]
) -> tuple[tuple[SuggestionRow, ...], SuggestionChoices]:
    """Return a subject's suggestions of these kinds, and the endpoints and models that can be asked for more."""
    return suggestions.find_suggestions(store, subject_id, kinds), suggestions.suggestion_choices(store)


def _ask(
    store: ProjectFile,
    choice: tuple[str, str, str],
    kind: str,
    subject_id: str,
    report_line: ReportLine,
    progress: Progress,
) -> SuggestionBatch:
    """Ask the chosen model; ``choice`` is the endpoint, the name of the key and the model."""
    endpoint_name, key_name, model = choice
    endpoint = suggestions.endpoint_at(store, endpoint_name, key_name)
    return suggestions.request_suggestions(store, endpoint, model, kind, [subject_id], progress, tell=report_line)


_KIND_WORDS = {
    "criterion": mark_for_translation("criterion"),
    "tests": mark_for_translation("test cases"),
    "paraphrase": mark_for_translation("paraphrase"),
    "instruction": mark_for_translation("instruction"),
    "requirement": mark_for_translation("requirement"),
    "domain": mark_for_translation("domain label"),
}
_CRITERIA = ("criterion", "tests")
_SUGGESTION, _REQUEST = 0, 1
_CHECK_MS = 200


class SuggestionsDialog(Dialog):
    """Shows a model's suggestions; none of them changes the project until somebody presses Use."""

    def __init__(self, parent: QWidget, context: PageContext, view: SubjectView, kind: str, first_id: str = "") -> None:
        """Show the existing suggestions for a subject; ``kind`` is the default kind of a new one.

        ``first_id`` is the suggestion to select first.
        """
        super().__init__(
            parent, tr("Suggestions for {title}", title=view.row.title), name="suggestions-dialog", size=(980, 620)
        )
        self.session = context.session
        self._subject = view
        self._first_id = first_id
        self._rows: tuple[SuggestionRow, ...] = ()
        self._row: SuggestionRow | None = None
        self._last_error = ""
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        kinds = ((translate_word(words), name) for name, words in _KIND_WORDS.items())
        self.kind = choice_box(tr("Kind of suggestion"), kinds, letters=10)
        self.kind.setCurrentIndex(max(0, self.kind.findData(kind)))
        self.request = SuggestionRequest(self.session, view.row.id, (*_KIND_WORDS, BUG), (tr("Kind"), self.kind))
        self.request.requested.connect(self.ask_model)
        self.request.loaded.connect(self._show_rows)
        self.endpoint, self.model, self.ask_button = self.request.endpoint, self.request.model, self.request.ask_button
        self.table = DataTable(tr("Suggestions for this subject"), selected=self._show_row)
        self.faces = Segments(tr("Suggestion"), (tr("Suggestion"), tr("Request")), selected=self._show_face)
        self.text = CodeView(context.theme, tr("Suggestion"), language="markdown", read_only=False, wrap=True)
        self._edited_text = ""
        self.edit = DraftField(self.session.drafts, "prompt.suggestion", self._edit_text, self._replace_edit, self)
        self.draft_bar = DraftBar(context.theme, self.edit)
        self.status_label = label("", wrap=True)
        self.use_button = button(tr("Use"), primary=True, clicked=self.take)
        self.reject_button = button(tr("Reject"), clicked=self.reject_suggestion)
        self.close_button = button(tr("Close"), clicked=self.close)
        self._check_timer = debounce(self, _CHECK_MS, self._check)
        right = QWidget()
        faces = (self.faces, Qt.AlignmentFlag.AlignLeft)
        fill_column(right, faces, self.draft_bar, (self.text, 1))
        splitter = make_splitter(Qt.Orientation.Horizontal, self.table, right, sizes=[380, 560])
        buttons = make_row((self.status_label, 1), self.close_button, self.reject_button, self.use_button)
        self.lay_out(self.request, (splitter, 1), buttons)
        self.text.textChanged.connect(self._edited)
        self._show_row(None)
        self.request.reload()

    def return_button(self) -> QPushButton:
        """Bind Return to Ask, because the text fields describe the request; only its own button uses a suggestion."""
        return self.ask_button

    # -- reading --------------------------------------------------------------------------------------------------

    def _show_rows(self, rows: tuple[SuggestionRow, ...]) -> None:
        old_ids = {row.id for row in self._rows}
        new_ids = [row.id for row in rows if row.id not in old_ids] if old_ids else []
        current_id = self._row.id if self._row else self._first_id
        selected_id = new_ids[0] if new_ids else current_id
        self._rows = rows
        cells = [
            (
                translate_word(_KIND_WORDS.get(row.kind, row.kind)),
                row.model,
                ago_text(clock.parse_time(row.created_at)),
                _state_text(row),
            )
            for row in rows
        ]
        self.table.set_rows(mark_words("suggestion", "model", "asked", "state"), cells, rows, stretch=1)
        if not self.table.select_first(lambda row: row.id == selected_id):
            self._show_row(None)
            self._say(
                tr("No suggestion yet. Choose a model and ask it; a suggestion changes nothing until you use it.")
            )

    def _show_row(self, row: SuggestionRow | None) -> None:
        self._row = row
        own_id = row.id if row is not None and self._is_open else ""
        text = row.text if row is not None else ""
        self._edited_text = self.edit.load_item(own_id, text, subject_id=self._subject.row.id)
        self.faces.choose(_SUGGESTION)
        self._show_face(_SUGGESTION)
        for act_button in (self.use_button, self.reject_button):
            act_button.setEnabled(self._is_open)
        self._say("" if row is None or row.complete else tr("The answer was cut off at the token limit."))
        self._check()

    @property
    def _is_open(self) -> bool:
        """Whether nobody has decided on the selected suggestion."""
        return self._row is not None and self._row.state == "open"

    def _show_face(self, face: int) -> None:
        row = self._row
        self.text.setReadOnly(face == _REQUEST or not self._is_open)
        if row is not None and face == _SUGGESTION:
            self.text.set_code(self._edited_text, "yaml" if row.kind in _CRITERIA else "markdown")
            return
        self.text.set_code("", "markdown")
        if row is not None:
            work = partial(suggestions.suggestion_prompt, self.session.open_store, row.id)
            self.session.run("read", work, partial(self._show_request, row.id), latest="suggestions-asked")

    def _show_request(self, suggestion_id: str, text: str) -> None:
        if self._row is not None and self._row.id == suggestion_id and self.faces.current == _REQUEST:
            self.text.set_code(text, "markdown")

    # -- checking -------------------------------------------------------------------------------------------------

    def _edited(self) -> None:
        row = self._row
        if row is not None and self.faces.current == _SUGGESTION and not self.text.isReadOnly():
            self._edited_text = self.text.toPlainText()
            self.edit.record_edit()
            self._check_timer.start()

    def _check(self) -> None:
        row = self._row
        if row is None or not self._is_open:
            return
        if row.kind in _CRITERIA:
            work = partial(parse_criterion, self._edited_text, self._subject.files)
            self.session.run("cpu", work, partial(self._show_checked, row.id), latest="suggestions-check")
        elif row.kind in suggestions.PROMPTS:
            find_problems = partial(suggestions.suggestion_problems, self._subject, self._edited_text)
            self.session.run("cpu", find_problems, partial(self._show_problems, row.id), latest="suggestions-check")

    def _show_problems(self, suggestion_id: str, problems: tuple[str, ...]) -> None:
        """Show the problems that would block a release; the suggestion can still be used and corrected on the desk."""
        if self._row is None or self._row.id != suggestion_id or not self._is_open:
            return
        if problems:
            more = tr(" ({count} more)", count=len(problems) - 1) if len(problems) > 1 else ""
            self._say(f"{tr_message(problems[0])}{more}", problem=True)
        elif self._row.complete:
            self._say("")

    def _show_checked(self, suggestion_id: str, checked: CheckedDocument) -> None:
        if self._row is None or self._row.id != suggestion_id or not self._is_open:
            return
        errors = [item for item in checked.problems if item.severity == "error"]
        self.use_button.setEnabled(checked.document is not None)
        if errors:
            more = tr(" ({count} more)", count=len(errors) - 1) if len(errors) > 1 else ""
            message = tr_message(errors[0].message).rstrip(".")
            sentence = tr("Line {line}: {message}{more}.", line=errors[0].line, message=message, more=more)
            self._say(tr("{problem} Correct it here, then use it.", problem=sentence), problem=True)
        else:
            self._say("")

    def _edit_text(self) -> str:
        return self._edited_text

    def _replace_edit(self, text: str) -> None:
        self._edited_text = text
        self._show_face(self.faces.current)

    # -- acting ---------------------------------------------------------------------------------------------------

    def ask_model(self) -> None:
        """Request one suggestion; it is stored together with its request."""
        self._last_error = ""
        self.request.start(
            str(self.kind.currentData()),
            self._request_title,
            self._take_outcome,
            self._show_request_failure,
            _ignore_line,
        )

    def _request_title(self, model: str) -> str:
        return tr("Asking {model} about {title}", model=model, title=self._subject.row.title)

    def _take_outcome(self, outcome: SuggestionBatch) -> None:
        self._last_error = outcome.left_out[0][1] if outcome.left_out else ""
        self.session.announce(outcome.changes)
        if outcome.left_out:
            self._say(self._last_error, problem=True)

    def _show_request_failure(self, failure: WorkFailure) -> None:
        self._last_error = failure.message
        self._say(failure.message, problem=True)

    def take(self) -> None:
        """Save the suggestion, with its edits, as a new revision that can be undone."""
        row = self._row
        if row is not None and self.use_button.isEnabled():
            work = partial(suggestions.accept_suggestion, self.session.open_store, row.id, self._edited_text)
            self.session.act(work, partial(self._confirm_verdict, row.id), self._show_failure)

    def reject_suggestion(self) -> None:
        """Turn the suggestion down; it stays in the list."""
        if self._row is not None:
            self.request.reject(self._row, partial(self._confirm_verdict, self._row.id), self._show_failure)

    def _confirm_verdict(self, suggestion_id: str, changes: Changes) -> None:
        self.edit.finish(suggestion_id)
        self._last_error = ""
        self._say(tr("{label}: saved. Undo reverts it.", label=tr_message(changes.label)))

    def _show_failure(self, failure: WorkFailure) -> None:
        self._say(failure.message, problem=True)

    def _say(self, text: str, *, problem: bool = False) -> None:
        # The list reloads on every change; the reason why the last request failed has to stay visible.
        if self._last_error and not problem:
            text, problem = self._last_error, True
        self.status_label.setProperty("role", "problem" if problem else "dim")
        self.status_label.style().polish(self.status_label)
        self.status_label.setText(text)


def _ignore_line(_line: str) -> None:
    """Ignore the reported steps, because a request has only one."""


def _state_text(row: SuggestionRow) -> str:
    state = translate_word(SUGGESTION_STATES[row.state])
    return state if row.complete else tr("{state}, cut off", state=state)


_PART_WORDS = (
    ("", mark_for_translation("Everything")),
    *zip(
        PARTS,
        (*mark_words("Requirement", "Signatures", "Tests", "References"),),
        strict=True,
    ),
)
_MAX_LINES = 4


class RewriteSuggestions(QWidget):
    """Lists the suggested rewrites of one subject; `copy_requested` carries its row and the parts to copy."""

    copy_requested = Signal(object, tuple)
    _line_reported = Signal(str)

    def __init__(self, context: PageContext, subject_id: str) -> None:
        super().__init__()
        self.session = context.session
        self._row: SuggestionRow | None = None
        self._newest_id = ""
        self._lines: list[str] = []
        self.request = SuggestionRequest(self.session, subject_id, (REWRITE,))
        self.request.requested.connect(self.ask_model)
        # Cancelling calls no callback, but the parts received until then were saved.
        self.request.ended.connect(self.request.reload)
        self.request.loaded.connect(self._show_rows)
        self.endpoint, self.model, self.ask_button = self.request.endpoint, self.request.model, self.request.ask_button
        self.table = DataTable(tr("Suggested rewrites"), selected=self._show_row)
        self.text = CodeView(context.theme, tr("Suggestion"), language="markdown", read_only=True, wrap=True)
        self.progress = label("", "dim", wrap=True)
        self.problem = OptionalLabel("problem")
        self.part = choice_box(tr("Part to copy"), ((translate_word(words), name) for name, words in _PART_WORDS))
        tip = tr("Copy it into the fields, where you can edit and save it")
        self.take_button = button(tr("Take"), clicked=self.take, tip=tip)
        self.reject_button = button(tr("Reject"), clicked=self.reject_suggestion)
        splitter = make_splitter(Qt.Orientation.Horizontal, self.table, self.text, sizes=[360, 720])
        button_row = make_row((self.progress, 1), self.reject_button, self.part, self.take_button)
        fill_column(self, self.request, (splitter, 1), self.problem, button_row)
        self._line_reported.connect(self._show_line)
        self.session.jobs_changed.connect(self._show_progress)
        self._show_row(None)
        self.request.reload()

    # -- showing ---------------------------------------------------------------------------------------------------

    def _show_rows(self, rows: tuple[SuggestionRow, ...]) -> None:
        cells = [(row.model, ago_text(clock.parse_time(row.created_at)), _rewrite_state_text(row)) for row in rows]
        newest_id = rows[0].id if rows else ""
        # A new suggestion is selected; otherwise the selection stays.
        selected_id = self._row.id if self._row is not None and newest_id == self._newest_id else newest_id
        self._newest_id = newest_id
        self.table.set_rows(mark_words("model", "asked", "state"), cells, rows, stretch=2)
        if not self.table.select_first(lambda row: row.id == selected_id):
            self._show_row(None)

    def _show_row(self, row: SuggestionRow | None) -> None:
        self._row = row
        about = tr("No suggestion yet. Choose whom to ask; a suggestion changes nothing until you take and save it.")
        self.text.set_code(row.text if row is not None else about, "markdown")
        self.take_button.setEnabled(row is not None)
        self.part.setEnabled(row is not None)
        self.reject_button.setEnabled(row is not None and row.state == "open")

    # -- acts ------------------------------------------------------------------------------------------------------

    def ask_model(self) -> None:
        """Ask for a rewrite part by part; parts already received are kept if the request is cancelled."""
        if self.request.start(
            REWRITE, _rewrite_request_title, self._show_outcome, self._show_failure, self._line_reported.emit
        ):
            self._lines = []
            self.progress.setText(tr("Asking…"))
            self.problem.setText("")

    def _show_line(self, line: str) -> None:
        self._lines.append(line)
        self._show_progress()

    def _show_progress(self) -> None:
        """Show the parts received last, and the current step."""
        job = self.request.job
        lines = list(self._lines)
        if job is not None and job.progress.text:
            lines.append(f"{job.progress.text}…")
        if lines:
            self.progress.setText("\n".join(lines[-_MAX_LINES:]))

    def _show_outcome(self, outcome: SuggestionBatch) -> None:
        self.session.announce(outcome.changes)
        self.request.reload()
        if outcome.left_out:
            self.problem.setText(outcome.left_out[0][1])

    def _show_failure(self, failure: WorkFailure) -> None:
        self.problem.setText(failure.message)
        self.request.reload()

    def take(self) -> None:
        """Request that the suggestion, or one part of it, is copied into the fields."""
        if self._row is not None:
            part = str(self.part.currentData() or "")
            self.copy_requested.emit(self._row, (part,) if part else ())

    def reject_suggestion(self) -> None:
        """Turn the suggestion down; it stays in the list."""
        self.request.reject(self._row, self._confirm_rejection, self._show_failure)

    def _confirm_rejection(self, changes: Changes) -> None:
        self.progress.setText(tr("{label}: saved. Undo reverts it.", label=tr_message(changes.label)))


def _rewrite_request_title(model: str) -> str:
    return tr("Asking {model} for a rewrite", model=model)


def _rewrite_state_text(row: SuggestionRow) -> str:
    state = translate_word(SUGGESTION_STATES[row.state])
    return state if row.complete else tr("{state}, parts missing", state=state)
