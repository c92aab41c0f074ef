"""Drafts by a model for the accepted subjects of a repository: ask, read, take or turn down."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from annotator.ui.notices import Failure
from annotator.ui.session import Session
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_known, tr_later

if TYPE_CHECKING:
    from annotator.model.rows import SuggestionRow
    from annotator.services.asking import Asked

_EVERY = tr_later("every accepted subject")
_KINDS = ("instruction", "requirement", "domain")


class DraftPanel(QWidget):
    """Asks for a draft of one kind for every accepted subject that has none, and shows what came."""

    def __init__(self, session: Session) -> None:
        """Show nothing yet."""
        super().__init__()
        self.session = session
        self._shown: SuggestionRow | None = None
        self.kind, self.repository, self.endpoint = QComboBox(), QComboBox(), QComboBox()
        for kind in _KINDS:
            self.kind.addItem(tr_known(kind), kind)
        self.repository.addItem(tr_known(_EVERY), "")
        self.endpoint.setEditable(True)
        self.endpoint.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        line = self.endpoint.lineEdit()
        if line is not None:
            line.setPlaceholderText(tr("An endpoint of the project, or an address"))
        self.model = QLineEdit()
        self.model.setPlaceholderText(tr("Model"))
        self.ask = button(tr("Ask"), primary=True)
        self.ask.clicked.connect(self.ask_model)
        about = tr("Every accepted subject that has no draft of this kind is asked about. Its tests are never shown.")
        self.state = label(about, "dim", wrap=True)
        self.table = DataTable(tr("Drafts"))
        self.table.row_selected.connect(self.show_draft)
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(tr("Draft"))
        self.take, self.drop = button(tr("Take"), primary=True), button(tr("Turn down"))
        self.take.clicked.connect(self.take_draft)
        self.drop.clicked.connect(self.turn_down)
        self._lay_out()
        self.show_draft(None)

    def _lay_out(self) -> None:
        asking, listed, read = Card(tr("Ask a model")), Card(tr("Drafts")), Card(tr("Draft"))
        row = QHBoxLayout()
        row.setSpacing(8)
        for name, widget, stretch in (
            (tr("Kind of draft"), self.kind, 0),
            (tr("Repository"), self.repository, 1),
            (tr("Endpoint"), self.endpoint, 1),
            (tr("Model"), self.model, 1),
        ):
            widget.setAccessibleName(name)
            row.addWidget(widget, stretch)
        row.addWidget(self.ask)
        asking.body.addLayout(row)
        asking.body.addWidget(self.state)
        listed.body.addWidget(self.table, 1)
        acts = QHBoxLayout()
        acts.addWidget(label(tr("The text can be edited before it is taken."), "dim"), 1)
        acts.addWidget(self.drop)
        acts.addWidget(self.take)
        read.body.addWidget(self.text, 1)
        read.body.addLayout(acts)
        across = QSplitter(Qt.Orientation.Horizontal)
        across.setChildrenCollapsible(False)
        across.setHandleWidth(12)
        across.addWidget(listed)
        across.addWidget(read)
        across.setSizes([560, 520])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addWidget(asking)
        layout.addWidget(across, 1)

    def reload(self) -> None:
        """Read the drafts, the endpoints and the repositories again."""
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(_state, store), self._take_state, self._failed, latest="drafts")

    def _take_state(self, found: tuple[tuple[str, ...], tuple[str, ...], tuple[SuggestionRow, ...]]) -> None:
        repositories, endpoints, drafts = found
        chosen, typed = self.repository.currentData(), self.endpoint.currentText()
        self.repository.clear()
        self.repository.addItem(tr_known(_EVERY), "")
        for name in repositories:
            self.repository.addItem(name, name)
        self.repository.setCurrentIndex(max(0, self.repository.findData(chosen)))
        self.endpoint.clear()
        self.endpoint.addItems(list(endpoints))
        if typed:
            self.endpoint.setEditText(typed)
        rows = [(Cell(row.key), Cell(tr_known(row.kind)), Cell(tr_known(row.state)), Cell(row.model)) for row in drafts]
        self.table.set_rows((tr("subject"), tr("kind"), tr("state"), tr("model")), rows, list(drafts), stretch=0)
        kept = [row.id for row in drafts]
        if drafts:
            self.table.select(kept.index(self._shown.id) if self._shown and self._shown.id in kept else 0)
        else:
            self.show_draft(None)

    def show_draft(self, row: SuggestionRow | None) -> None:
        """Show a draft; one that was decided on can be read alone."""
        self._shown = row
        is_open = row is not None and row.state == "open"
        self.text.setPlainText(row.text if row is not None else "")
        self.text.setReadOnly(not is_open)
        for widget in (self.take, self.drop):
            widget.setEnabled(is_open)

    def _failed(self, failure: Failure) -> None:
        self.ask.setEnabled(True)
        self.state.setText(failure.message)

    # -- acts -----------------------------------------------------------------------------------------------------

    def ask_model(self) -> None:
        """Ask for a draft of every accepted subject that has none of this kind, as a job."""
        store, where, model = self.session.store, self.endpoint.currentText().strip(), self.model.text().strip()
        if store is None:
            return
        if not where or not model:
            self.state.setText(tr("Name an endpoint and a model first."))
            return
        kind, repository = str(self.kind.currentData()), str(self.repository.currentData() or "")
        work = partial(_ask, store, kind, repository, where, model)
        self.state.setText(tr("Asking…"))
        self.session.start_job(
            tr("Asking for drafts of the {kind}", kind=tr_known(kind)),
            work,
            self._asked,
            self._failed,
            summary=_summary,
        )

    def _asked(self, asked: Asked) -> None:
        self.state.setText(_summary(asked))
        self.session.announce(asked.changes)
        self.reload()

    def take_draft(self) -> None:
        """Take the draft shown, as it stands in the editor."""
        store, row = self.session.store, self._shown
        if store is not None and row is not None:
            self.session.act(partial(_accept, store, row.id, self.text.toPlainText()), self._decided, self._failed)

    def turn_down(self) -> None:
        """Turn the draft shown down; it stays in the history."""
        store, row = self.session.store, self._shown
        if store is not None and row is not None:
            self.session.act(partial(_reject, store, row.id), self._decided, self._failed)

    def _decided(self, changes: Any) -> None:
        self.state.setText(f"{changes.label}.")
        self.reload()


def _summary(asked: Asked) -> str:
    rows, left_out = asked.rows, asked.left_out
    if not rows and not left_out:
        return tr("Every accepted subject has a draft of this kind already.")
    text = tr("{count} drafts are there to be looked at.", count=f"{len(rows):,}")
    return (
        tr(
            "{text} {count} subjects got none: {left_out}",
            text=text,
            count=f"{len(left_out):,}",
            left_out=left_out[0][1],
        )
        if left_out
        else text
    )


# The services would load SQLModel before the first paint, so these import them when they run.


def _state(store: Any) -> tuple[tuple[str, ...], tuple[str, ...], tuple[SuggestionRow, ...]]:
    from annotator.services import run_setup, suggesting

    endpoints = tuple(row.name for row in run_setup.current(store, "endpoint"))
    return suggesting.repositories(store), endpoints, suggesting.listing(store, kinds=_KINDS)


def _ask(store: Any, kind: str, repository: str, where: str, model: str, progress: Any) -> Asked:
    from annotator.services import asking

    return asking.ask_about_the_rest(store, where, model, kind, repository, progress)


def _accept(store: Any, suggestion_id: str, text: str) -> Any:
    from annotator.services import suggesting

    return suggesting.accept(store, suggestion_id, text)


def _reject(store: Any, suggestion_id: str) -> Any:
    from annotator.services import suggesting

    return suggesting.reject(store, suggestion_id)
