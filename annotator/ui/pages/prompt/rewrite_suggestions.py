"""The panel that requests a model's suggestions for a rewrite and copies them, or parts of them, into the fields."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.base import clock
from annotator.model.changes import Changes
from annotator.model.rows.view_rows import SuggestionRow
from annotator.services.prompt.rewrite_parts import PARTS
from annotator.services.suggestion_replies import REWRITE
from annotator.services.suggestions import SuggestionBatch
from annotator.ui.app.base_page import PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import ago_text, mark_for_translation, mark_words, tr, tr_message, translate_word
from annotator.ui.pages.shared.endpoint_choice import SUGGESTION_STATES, SuggestionRequest
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.fields import choice_box
from annotator.ui.widgets.labels import OptionalLabel, button, label
from annotator.ui.widgets.layouts import make_column, make_row, make_splitter
from annotator.ui.widgets.table import DataTable

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
    """Lists the suggested rewrites of one subject; `taken` carries the row of a suggestion and the parts to copy."""

    taken = Signal(object, tuple)
    _line_reported = Signal(str)

    def __init__(self, context: PageContext, subject_id: str) -> None:
        super().__init__()
        self.session = context.session
        self._row: SuggestionRow | None = None
        self._newest_id = ""
        self._lines: list[str] = []
        self.request = SuggestionRequest(self.session, subject_id, (REWRITE,))
        self.request.asked.connect(self.ask_model)
        # Cancelling calls no callback, but the parts received until then were saved.
        self.request.ended.connect(self.request.reload)
        self.request.loaded.connect(self._show_rows)
        self.endpoint, self.model, self.ask = self.request.endpoint, self.request.model, self.request.ask
        self.table = DataTable(tr("Suggested rewrites"), selected=self._show_row)
        self.text = CodeView(context.theme, tr("Suggestion"), language="markdown", read_only=True, wrap=True)
        self.progress = label("", "dim", wrap=True)
        self.problem = OptionalLabel("problem")
        self.part = choice_box(tr("What is taken"), ((translate_word(words), name) for name, words in _PART_WORDS))
        tip = tr("Put it into the fields, to be changed and saved")
        self.take_button = button(tr("Take"), clicked=self.take, tip=tip)
        self.turn_down = button(tr("Reject"), clicked=self.reject_suggestion)
        splitter = make_splitter(Qt.Orientation.Horizontal, self.table, self.text, sizes=[360, 720])
        button_row = make_row((self.progress, 1), self.turn_down, self.part, self.take_button, spacing=8)
        make_column(self, self.request, (splitter, 1), self.problem, button_row, spacing=8)
        self._line_reported.connect(self._show_line)
        self.session.jobs_changed.connect(self._show_progress)
        self._show_row(None)
        self.request.reload()

    # -- showing ---------------------------------------------------------------------------------------------------

    def _show_rows(self, rows: tuple[SuggestionRow, ...]) -> None:
        cells = [(row.model, ago_text(clock.parse_time(row.created_at)), _state_text(row)) for row in rows]
        newest_id = rows[0].id if rows else ""
        shown_id = self._row.id if self._row is not None and newest_id == self._newest_id else newest_id
        self._newest_id = newest_id
        self.table.set_rows(mark_words("model", "asked", "state"), cells, rows, stretch=2)
        if not self.table.select_first(lambda row: row.id == shown_id):
            self._show_row(None)

    def _show_row(self, row: SuggestionRow | None) -> None:
        self._row = row
        about = tr("No suggestion yet. Choose whom to ask; a suggestion changes nothing until you take and save it.")
        self.text.set_code(row.text if row is not None else about, "markdown")
        self.take_button.setEnabled(row is not None)
        self.part.setEnabled(row is not None)
        self.turn_down.setEnabled(row is not None and row.state == "open")

    # -- acts ------------------------------------------------------------------------------------------------------

    def ask_model(self) -> None:
        """Ask for a rewrite part by part; parts already received are kept if the request is cancelled."""
        if self.request.start(REWRITE, _request_title, self._show_outcome, self._failed, self._line_reported.emit):
            self._lines = []
            self.progress.setText(tr("Asking…"))
            self.problem.setText("")

    def _show_line(self, line: str) -> None:
        self._lines.append(line)
        self._show_progress()

    def _show_progress(self) -> None:
        """Show the parts received last, and the current step."""
        job = self.request.job
        current = [f"{job.progress.text}…"] if job is not None and job.progress.text else []
        if lines := [*self._lines, *current]:
            self.progress.setText("\n".join(lines[-_MAX_LINES:]))

    def _show_outcome(self, outcome: SuggestionBatch) -> None:
        self.session.announce(outcome.changes)
        self.request.reload()
        if outcome.left_out:
            self.problem.setText(outcome.left_out[0][1])

    def _failed(self, failure: WorkFailure) -> None:
        self.problem.setText(failure.message)
        self.request.reload()

    def take(self) -> None:
        """Request that the suggestion, or one part of it, is copied into the fields."""
        if self._row is not None:
            part = str(self.part.currentData() or "")
            self.taken.emit(self._row, (part,) if part else ())

    def reject_suggestion(self) -> None:
        """Turn the suggestion down; it stays in the list."""
        self.request.reject(self._row, self._confirm_rejection, self._failed)

    def _confirm_rejection(self, changes: Changes) -> None:
        self.progress.setText(tr("{label}: saved. Undo reverts it.", label=tr_message(changes.label)))


def _request_title(model: str) -> str:
    return tr("Asking {model} for a rewrite", model=model)


def _state_text(row: SuggestionRow) -> str:
    state = translate_word(SUGGESTION_STATES[row.state])
    return state if row.complete else tr("{state}, parts missing", state=state)
