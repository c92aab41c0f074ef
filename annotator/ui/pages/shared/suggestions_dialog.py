"""A model's suggestions for one subject: request one, compare it with the request, edit it, use it or turn it down."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.base import clock
from annotator.criteria import Checked, parse_criterion
from annotator.model.changes import Changes
from annotator.model.rows.view_rows import SubjectView, SuggestionRow
from annotator.services import suggestions
from annotator.services.suggestion_replies import BUG
from annotator.services.suggestions import SuggestionBatch
from annotator.ui.app.base_page import PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import ago_text, mark_for_translation, mark_words, tr, tr_message, translate_word
from annotator.ui.pages.shared.endpoint_choice import SUGGESTION_STATES, SuggestionRequest
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import choice_box, debounce
from annotator.ui.widgets.labels import Segments, button, label
from annotator.ui.widgets.layouts import make_column, make_row, make_splitter
from annotator.ui.widgets.table import DataTable

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
        self.request.asked.connect(self.ask_model)
        self.request.loaded.connect(self._show_rows)
        self.endpoint, self.model, self.ask = self.request.endpoint, self.request.model, self.request.ask
        self.table = DataTable(tr("Suggestions for this subject"), selected=self._show_row)
        self.faces = Segments(tr("Suggestion"), (tr("Suggestion"), tr("Request")), selected=self._show_face)
        self.text = CodeView(context.theme, tr("Suggestion"), language="markdown", read_only=False, wrap=True)
        self._edited_text = ""
        self.edit = DraftField(self.session.drafts, "prompt.suggestion", self._edit_text, self._replace_edit, self)
        self.draft_bar = DraftBar(context.theme, self.edit)
        self.status_label = label("", wrap=True)
        self.use = button(tr("Use"), primary=True, clicked=self.take)
        self.turn_down = button(tr("Reject"), clicked=self.reject_suggestion)
        self.close_button = button(tr("Close"), clicked=self.close)
        self._check_timer = debounce(self, _CHECK_MS, self._check)
        right = QWidget()
        faces = (self.faces, Qt.AlignmentFlag.AlignLeft)
        make_column(right, faces, self.draft_bar, (self.text, 1), spacing=8)
        splitter = make_splitter(Qt.Orientation.Horizontal, self.table, right, sizes=[380, 560])
        buttons = make_row((self.status_label, 1), self.close_button, self.turn_down, self.use, spacing=8)
        make_column(self, self.request, (splitter, 1), buttons, spacing=12, margin=16)
        self.text.textChanged.connect(self._edited)
        self._show_row(None)
        self.request.reload()

    def return_button(self) -> QPushButton:
        """Bind Return to Ask, because the text fields describe the request; only its own button uses a suggestion."""
        return self.ask

    # -- reading --------------------------------------------------------------------------------------------------

    def _show_rows(self, rows: tuple[SuggestionRow, ...]) -> None:
        new_ids = [row.id for row in rows if row.id not in {old_row.id for old_row in self._rows}] if self._rows else []
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
        own_id, text = (row.id if self._is_open else "", row.text) if row is not None else ("", "")
        self._edited_text = self.edit.choose(own_id, text, subject_id=self._subject.row.id)
        self.faces.choose(_SUGGESTION)
        self._show_face(_SUGGESTION)
        for act_button in (self.use, self.turn_down):
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
            self.edit.note()
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

    def _show_checked(self, suggestion_id: str, checked: Checked) -> None:
        if self._row is None or self._row.id != suggestion_id or not self._is_open:
            return
        errors = [item for item in checked.problems if item.severity == "error"]
        self.use.setEnabled(checked.document is not None)
        if errors:
            more = tr(" ({count} more)", count=len(errors) - 1) if len(errors) > 1 else ""
            message = tr_message(errors[0].message).rstrip(".")
            sentence = tr("Line {line}: {message}{more}.", line=errors[0].line, message=message, more=more)
            self._say(tr("{what} Correct it here, then use it.", what=sentence), problem=True)
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
            _tell_nothing,
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
        if row is not None and self.use.isEnabled():
            work = partial(suggestions.accept_suggestion, self.session.open_store, row.id, self._edited_text)
            self.session.act(work, partial(self._confirm_verdict, row.id), self._failed)

    def reject_suggestion(self) -> None:
        """Turn the suggestion down; it stays in the list."""
        if self._row is not None:
            self.request.reject(self._row, partial(self._confirm_verdict, self._row.id), self._failed)

    def _confirm_verdict(self, suggestion_id: str, changes: Changes) -> None:
        self.edit.finish(suggestion_id)
        self._last_error = ""
        self._say(tr("{label}: saved. Undo reverts it.", label=tr_message(changes.label)))

    def _failed(self, failure: WorkFailure) -> None:
        self._say(failure.message, problem=True)

    def _say(self, text: str, *, problem: bool = False) -> None:
        # The list reloads on every change; the reason why the last request failed has to stay visible.
        if self._last_error and not problem:
            text, problem = self._last_error, True
        self.status_label.setProperty("role", "problem" if problem else "dim")
        self.status_label.style().polish(self.status_label)
        self.status_label.setText(text)


def _tell_nothing(_line: str) -> None:
    """Ignore the reported steps, because a request has only one."""


def _state_text(row: SuggestionRow) -> str:
    state = translate_word(SUGGESTION_STATES[row.state])
    return state if row.complete else tr("{state}, cut off", state=state)
