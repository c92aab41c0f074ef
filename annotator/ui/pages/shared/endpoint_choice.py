"""The choice of an endpoint and a model, and the row of fields that asks one for suggestions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QWidget

from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.run_rows import SetupRow
from annotator.model.rows.view_rows import SuggestionRow
from annotator.services import suggestions
from annotator.services.prompt.suggested_rewrites import ReportLine
from annotator.services.suggestions import SuggestionBatch, SuggestionChoices
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import OnError, SessionJob
from annotator.ui.app.translation import mark_for_translation, tr
from annotator.ui.widgets.fields import choice_box, line_edit, make_editable, refill_box
from annotator.ui.widgets.labels import button, label

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

    asked = Signal()
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
        self.endpoint, self.model = choice_box(tr("Endpoint"), letters=10), choice_box(tr("Model"), letters=10)
        make_editable(self.endpoint, "http://localhost:8000/v1")
        make_editable(self.model, tr("name of the model at the endpoint"))
        self.key_name = line_edit(tr("Name of the key"), tr("empty: the endpoint's own; never the key itself"))
        self.ask = button(tr("Ask"), clicked=self.asked)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        own_fields = ((tr("Endpoint"), self.endpoint), (tr("Model"), self.model), (tr("Key name"), self.key_name))
        for column, (caption, widget) in enumerate((*first_fields, *own_fields)):
            grid.addWidget(label(caption, "dim"), 0, column)
            grid.addWidget(widget, 1, column)
            grid.setColumnStretch(column, 1 if column < len(first_fields) else 2)
        grid.addWidget(self.ask, 1, grid.columnCount())
        session.changed.connect(self._changed)

    def reload(self) -> None:
        """Load the subject's suggestions, and the endpoints and models to ask."""
        if self._session.store is not None:
            work = partial(_load_suggestions, self._session.store, self._subject_id, self._kinds)
            self._session.run("read", work, self._take_loaded, latest=f"suggestions-{id(self)}")

    def _changed(self, changes: Changes) -> None:
        if "suggestion" in changes.nouns:
            self.reload()

    def _take_loaded(self, loaded: tuple[tuple[SuggestionRow, ...], SuggestionChoices]) -> None:
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
        tell: ReportLine,
    ) -> bool:
        """Request a suggestion in a job called ``title(model)``; return False if a request is already running."""
        if self.job is not None:
            return False
        texts = (self.endpoint.currentText(), self.key_name.text(), self.model.currentText())
        endpoint_name, key_name, model = (text.strip() for text in texts)
        work = partial(_ask, self._session.open_store, (endpoint_name, key_name, model), kind, self._subject_id, tell)
        # A request can be repeated, so it never keeps the project from being closed.
        self._set_job(
            self._session.start_job(
                title(model), work, on_done, on_error, lane="net", chore=True, on_end=partial(self._set_job, None)
            )
        )
        return True

    def _set_job(self, job: SessionJob | None) -> None:
        self.job = job
        self.ask.setEnabled(job is None)
        self.ask.setText(tr("Ask") if job is None else tr("Asking…"))
        if job is None:
            self.ended.emit()


def _load_suggestions(
    store: ProjectFile, subject_id: str, kinds: Sequence[str]
) -> tuple[tuple[SuggestionRow, ...], SuggestionChoices]:
    """Return a subject's suggestions of these kinds, and the endpoints and models that can be asked for more."""
    return suggestions.find_suggestions(store, subject_id, kinds), suggestions.suggestion_choices(store)


def _ask(
    store: ProjectFile, choice: tuple[str, str, str], kind: str, subject_id: str, tell: ReportLine, progress: Progress
) -> SuggestionBatch:
    """Ask the chosen model; ``choice`` is the endpoint, the name of the key and the model."""
    endpoint_name, key_name, model = choice
    endpoint = suggestions.endpoint_at(store, endpoint_name, key_name)
    return suggestions.request_suggestions(store, endpoint, model, kind, [subject_id], progress, tell=tell)
