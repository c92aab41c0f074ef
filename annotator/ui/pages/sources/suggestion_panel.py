"""The panel that requests a model's suggestions for the accepted subjects of a repository and decides on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from annotator.model.changes import Changes
from annotator.model.rows.run_rows import SetupRow
from annotator.model.rows.view_rows import SuggestionRow
from annotator.services import suggestions
from annotator.services.runs import run_setups
from annotator.services.suggestions import SuggestionBatch
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, tr_message, translate_word
from annotator.ui.pages.shared.model_suggestions import offer_endpoints
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import TextBox, choice_box, line_edit, make_editable, refill_box
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import fill_column, make_row, make_splitter
from annotator.ui.widgets.table import DataTable

_ALL_SUBJECTS = mark_for_translation("every accepted subject")
_KINDS = ("instruction", "requirement", "domain")


class SuggestionPanel(QWidget):
    """Requests suggestions of one kind for all accepted subjects without one, and lists them."""

    def __init__(self, session: Session, store: ProjectFile, theme: Theme) -> None:
        super().__init__()
        self.session, self.store = session, store
        self._current_row: SuggestionRow | None = None
        self.selected_on_load = ""
        """The id of the suggestion to select once the list is loaded."""
        self.kind = choice_box(tr("Kind of suggestion"), ((translate_word(kind), kind) for kind in _KINDS))
        self.repository = choice_box(tr("Repository"), [(translate_word(_ALL_SUBJECTS), "")])
        self.endpoint = choice_box(tr("Endpoint"))
        make_editable(self.endpoint, tr("An endpoint of the project, or an address"))
        self.model = line_edit(tr("Model"), tr("Model"))
        self.ask_button = button(tr("Ask"), primary=True, clicked=self.ask_model)
        about = tr(
            "The model is asked about every accepted subject without a suggestion of this kind. It never sees the "
            "tests."
        )
        self.state = label(about, "dim", wrap=True)
        self.table = DataTable(tr("Suggestions"), selected=self.show_row)
        self.table.empty_text = tr("Ask a model above; its suggestions are listed here.")
        self.text = TextBox()
        self.text.setAccessibleName(tr("Suggestion"))
        self.edit = DraftField.for_text(session.drafts, "sources.suggestion", self.text)
        self.draft_bar = DraftBar(theme, self.edit)
        self.use_button = button(tr("Use"), primary=True, clicked=self.use_suggestion)
        self.reject_button = button(tr("Reject"), clicked=self.reject_suggestion)
        row = make_row(self.kind, (self.repository, 1), (self.endpoint, 1), (self.model, 1), self.ask_button)
        request_card, list_card = Card(tr("Ask a model"), row, self.state), Card(tr("Suggestions"), (self.table, 1))
        buttons = make_row(
            (label(tr("You can edit the text before you use it."), "dim"), 1), self.reject_button, self.use_button
        )
        text_card = Card(tr("Suggestion"), self.draft_bar, (self.text, 1), buttons)
        splitter = make_splitter(Qt.Orientation.Horizontal, list_card, text_card, sizes=[560, 520])
        fill_column(self, request_card, (splitter, 1), spacing=12)
        self.show_row(None)

    def reload(self) -> None:
        """Reload the suggestions, the endpoints and the repositories."""
        self.session.run(
            "read", partial(_load_content, self.store), self._show_loaded, self._show_failure, latest="suggestions"
        )

    def _show_loaded(self, loaded: tuple[tuple[str, ...], tuple[SetupRow, ...], tuple[SuggestionRow, ...]]) -> None:
        repositories, endpoints, suggestion_rows = loaded
        repository_choices = [(name, name) for name in repositories]
        refill_box(
            self.repository, [(translate_word(_ALL_SUBJECTS), ""), *repository_choices], self.repository.currentData()
        )
        offer_endpoints(self.endpoint, endpoints)
        rows = [(row.key, translate_word(row.kind), translate_word(row.state), row.model) for row in suggestion_rows]
        self.table.set_rows(mark_words("subject", "kind", "state", "model"), rows, suggestion_rows, stretch=0)
        selected_id = self.selected_on_load or (self._current_row.id if self._current_row else "")
        self.selected_on_load = ""
        if not self.table.select_first(lambda row: row.id == selected_id):
            self.show_row(None)

    def show_row(self, row: SuggestionRow | None) -> None:
        """Show a suggestion; a decided one is read-only."""
        self._current_row = row
        is_open = row is not None and row.state == "open"
        self.edit.show_item(row.id if row is not None and is_open else "", row.text if row is not None else "")
        self.text.setReadOnly(not is_open)
        for widget in (self.use_button, self.reject_button):
            widget.setEnabled(is_open)

    def _show_failure(self, failure: WorkFailure) -> None:
        self.ask_button.setEnabled(True)
        self.state.setText(failure.message)

    # -- acts -----------------------------------------------------------------------------------------------------

    def ask_model(self) -> None:
        """Start a job that requests a suggestion for every accepted subject without one of this kind."""
        address, model = self.endpoint.currentText().strip(), self.model.text().strip()
        if not address or not model:
            self.state.setText(tr("Enter an endpoint and a model first."))
            return
        kind, repository = str(self.kind.currentData()), str(self.repository.currentData() or "")
        work = partial(suggestions.ask_about_remaining, self.store, address, model, kind, repository)
        self.state.setText(tr("Asking…"))
        title = tr("Asking for suggestions: {kind}", kind=translate_word(kind))
        self.session.start_job(
            title, work, self._show_outcome, self._show_failure, summary=_summary, on_end=self.state.clear
        )

    def _show_outcome(self, outcome: SuggestionBatch) -> None:
        self.state.setText(_summary(outcome))
        self.session.announce(outcome.changes)
        self.reload()

    def use_suggestion(self) -> None:
        """Accept the current suggestion with its edits."""
        self._decide(partial(suggestions.accept_suggestion, text=self.text.toPlainText()))

    def reject_suggestion(self) -> None:
        """Reject the current suggestion; it stays in the history."""
        self._decide(suggestions.reject_suggestion)

    def _decide(self, act: Callable[[ProjectFile, str], Changes]) -> None:
        if self._current_row is not None:
            suggestion_id = self._current_row.id
            self.session.act(
                partial(act, self.store, suggestion_id),
                partial(self._finish_decision, suggestion_id),
                self._show_failure,
            )

    def _finish_decision(self, suggestion_id: str, changes: Changes) -> None:
        self.edit.finish(suggestion_id)
        self.state.setText(f"{tr_message(changes.label)}.")
        self.reload()


def _summary(outcome: SuggestionBatch) -> str:
    rows, left_out = outcome.rows, outcome.left_out
    if not rows and not left_out:
        return tr("Every accepted subject already has a suggestion of this kind.")
    text = tr_count(
        "{count} suggestion is waiting for your decision.",
        "{count} suggestions are waiting for your decision.",
        len(rows),
    )
    if not left_out:
        return text
    count, reason = len(left_out), left_out[0][1]
    missing_text = tr_count(
        "{count} subject got none: {reason}", "{count} subjects got none: {reason}", count, reason=reason
    )
    return f"{text} {missing_text}"


def _load_content(store: ProjectFile) -> tuple[tuple[str, ...], tuple[SetupRow, ...], tuple[SuggestionRow, ...]]:
    return (
        suggestions.list_mined_repositories(store),
        run_setups.list_endpoints(store),
        suggestions.find_suggestions(store, kinds=_KINDS),
    )
