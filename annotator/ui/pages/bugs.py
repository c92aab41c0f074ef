"""Implanted bugs: the queue, the change beside the reference, its proof, and the reviewer's verdict; on the page's
other face the items made from code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from annotator.model.bug_rows import KINDS, BugRow, BugView, ProposedRow
from annotator.model.rows import Changes
from annotator.ui.notices import Failure
from annotator.ui.page import Page, PageContext
from annotator.ui.pages.parts.bug_calls import (
    edit_bug,
    list_bugs,
    propose_bugs,
    prove_bug,
    read_bug,
    review_bug,
    summary_of,
)
from annotator.ui.pages.parts.bug_proof import BugProof, mark_change
from annotator.ui.pages.parts.task_calls import ask_model, combine, endpoint_names, made_summary, make_tasks
from annotator.ui.pages.parts.task_panel import TaskPanel
from annotator.ui.pages.parts.verdict_header import VerdictHeader
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.chip import Kind
from annotator.ui.widgets.code_view import CodeView
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button
from annotator.ui.widgets.segments import Segments
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_known, tr_later

_NO_BUG = tr_later(
    "Bugs are put into accepted subjects with code and tests. Only those that are proven come here, to be reviewed by "
    "two people."
)
_OPEN = ("unproven", "proven", "in_review", "disputed")
_KINDS: dict[str, Kind] = {"accepted": "good", "rejected": "bad", "disputed": "attention", "unproven": "attention"}


class BugsPage(Page):
    """The bugs of the project, one of them in full."""

    name = "Bugs"
    icon = "ph.bug"

    def __init__(self, context: PageContext) -> None:
        """Put queue, change, proof and verdict together."""
        super().__init__(context)
        self.view: BugView | None = None
        self.editing = False
        self._rows: tuple[BugRow, ...] = ()
        self._wanted = ""
        self.empty_state = EmptyState(self.theme, "ph.bug", tr("No bug yet"), _NO_BUG, tr("Propose bugs"))
        self.empty_state.acted.connect(self.propose)
        side = QWidget()
        layout = QVBoxLayout(side)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        self.edit_button = button(tr("Edit"), context.actions.keys("bugs.edit"))
        self.edit_button.clicked.connect(self.edit)
        header = VerdictHeader(self.theme, context.actions, self.reject, self.accept, self.edit_button)
        self.title, self.chips = header.title, header.chips
        self.reject_button, self.accept_button = header.reject, header.accept
        layout.addLayout(header)
        down = QSplitter(Qt.Orientation.Vertical)
        down.setChildrenCollapsible(False)
        down.setHandleWidth(12)
        down.addWidget(self._build_codes())
        self.proof = BugProof(self.theme)
        self.matrix, self.aspects, self.reason = self.proof.matrix, self.proof.aspects, self.proof.reason
        self.problem = self.proof.problem
        down.addWidget(self.proof)
        down.setSizes([420, 260])
        layout.addWidget(down, 1)
        self.right = QStackedWidget()
        self.right.addWidget(side)
        self.right.addWidget(self.empty_state)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setObjectName("bugs-splitter")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(12)
        self.splitter.addWidget(self._build_queue())
        self.splitter.addWidget(self.right)
        self.splitter.setSizes([430, 840])
        self.splitter.setStretchFactor(1, 1)
        self.tasks = TaskPanel(self.context)
        self.tasks.wanted.connect(self.make)
        self.faces = QStackedWidget()
        self.faces.addWidget(self.splitter)
        self.faces.addWidget(self.tasks)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 8, 12, 8)
        outer.setSpacing(8)
        outer.addLayout(self._build_bar())
        outer.addWidget(self.faces, 1)
        self._show(None)
        self._turn(0)

    def _build_bar(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.face = Segments(tr("What is shown"), (tr("Bugs"), tr("Items from code")))
        self.face.chosen.connect(self._turn)
        row.addWidget(self.face)
        row.addStretch(1)
        acts = ((tr("Combine bugs"), self.combine), (tr("Ask a model…"), self.ask), (tr("Propose bugs"), self.propose),
                (tr("Make items"), self.make))  # fmt: skip
        self.bar_buttons = {}
        for text, act in acts:
            made = button(text)
            made.clicked.connect(act)
            row.addWidget(made)
            self.bar_buttons[text] = made
        return row

    def _turn(self, number: int) -> None:
        """Show bugs (0) or items (1), with the acts that make them."""
        self.faces.setCurrentIndex(number)
        for text, made in self.bar_buttons.items():
            made.setVisible((text == "Make items") == bool(number))
        if number:
            self.tasks.reload()

    def _build_queue(self) -> Card:
        card = Card(tr("Bugs"))
        self.queue_card = card
        self.shown = Segments(tr("Bugs shown"), (tr("To review"), tr("Accepted"), tr("Rejected"), tr("All")))
        self.shown.chosen.connect(self._fill)
        self.table = DataTable(tr("Bugs"))
        self.table.row_selected.connect(self._selected)
        card.body.addWidget(self.shown)
        card.body.addWidget(self.table, 1)
        return card

    def _build_codes(self) -> QSplitter:
        codes = QSplitter(Qt.Orientation.Horizontal)
        codes.setChildrenCollapsible(False)
        codes.setHandleWidth(12)
        self.reference = CodeView(self.theme, tr("Reference"), language="python")
        self.code = CodeView(self.theme, tr("Code with the bug"), language="python")
        for title, view in ((tr("Reference"), self.reference), (tr("With the bug"), self.code)):
            card = Card(title)
            card.body.addWidget(view)
            codes.addWidget(card)
        codes.setSizes([500, 500])
        return codes

    # -- what pages do -------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Load the queues."""
        self._reload()
        if self.face.current:
            self.tasks.reload()
        (self.tasks.table if self.face.current else self.table).setFocus()

    def refresh(self, changes: Changes) -> None:
        """Load again what changed."""
        if changes.nouns & {"bug", "subject", "source", "decision", "proof"}:
            self._reload()
            if self.face.current:
                self.tasks.reload()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return the reviewer's acts."""
        return {
            "select.accept": self.accept,
            "select.reject": self.reject,
            "bugs.edit": self.edit,
            "bugs.propose": self.propose,
            "bugs.ask": self.ask,
            "bugs.combine": self.combine,
            "bugs.make": self.make,
            "queue.next": partial(self._step, 1),
            "queue.previous": partial(self._step, -1),
        }

    def state(self) -> dict[str, Any]:
        """Return the splitter's sizes."""
        return {"sizes": self.splitter.sizes(), "face": self.face.current}

    def restore(self, state: dict[str, Any]) -> None:
        """Take the splitter's sizes back."""
        sizes = state.get("sizes")
        if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(size, int) for size in sizes):
            self.splitter.setSizes(sizes)
        if state.get("face") == 1:
            self.face.choose(1)

    # -- acts ----------------------------------------------------------------------------------------------------

    def propose(self) -> None:
        """Put bugs into all accepted subjects, as a job."""
        store = self.session.store
        if store is not None:
            self.session.start_job(
                tr("Proposing bugs"), partial(propose_bugs, store), self._proposed, self._failed, summary=summary_of
            )

    def combine(self) -> None:
        """Put two bugs of different labels into one program, in every subject that has some, as a job."""
        store = self.session.store
        if store is not None:
            work = partial(combine, store)
            self.session.start_job(tr("Combining bugs"), work, None, self._failed, summary=summary_of)

    def make(self) -> None:
        """Make items from all accepted subjects and accepted bugs, as a job."""
        store = self.session.store
        if store is not None:
            if not self.face.current:
                self.face.choose(1)
            work = partial(make_tasks, store)
            self.session.start_job(tr("Making items"), work, None, self._failed, summary=made_summary)

    def ask(self) -> None:
        """Ask which model is to propose which bugs, and start it."""
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(endpoint_names, store), self._ask_with)

    def _ask_with(self, endpoints: tuple[str, ...]) -> None:
        from annotator.ui.pages.parts.ask_dialog import AskDialog

        self.dialog = AskDialog(endpoints, KINDS, self)
        self.dialog.finished.connect(self._asked)
        self.dialog.open()

    def _asked(self, code: int) -> None:
        store, dialog = self.session.store, self.dialog
        if code == QDialog.DialogCode.Accepted and store is not None:
            work = partial(ask_model, store, dialog.endpoint.currentText(), dialog.model.text().strip(),
                           dialog.chosen_kinds, dialog.count.value())  # fmt: skip
            self.session.start_job(tr("Asking for bugs"), work, self._proposed, self._failed, summary=summary_of)
        dialog.deleteLater()

    def accept(self) -> None:
        """Accept the bug or item and go on."""
        if self.face.current:
            self.tasks.accept()
        else:
            self._review("accept", "")

    def reject(self) -> None:
        """Reject the bug for the reason given, and go on; without a reason ask for one. Items need no reason."""
        if self.face.current:
            self.tasks.reject()
            return
        reason = self.proof.reason_given()
        if self.view is not None and not reason:
            self._say(tr("A rejection needs a reason."))
            self.reason.setFocus()
            return
        self._review("reject", reason)

    def edit(self) -> None:
        """Let the code be changed; the second time save it and prove it again."""
        store = self.session.store
        if self.view is None or store is None or self.face.current:
            return
        if not self.editing:
            self._set_editing(True)
            self.code.setFocus()
            return
        text = self.code.toPlainText()
        self._set_editing(False)
        if text.strip() != self.view.code.strip():
            self.session.act(partial(edit_bug, store, self.view.row.id, text), self._edited, self._failed, text=text)

    def _set_editing(self, editing: bool) -> None:
        self.editing = editing
        self.code.setReadOnly(not editing)
        self.edit_button.setText(
            tr("Save and prove") if editing else tr("Edit  {keys}", keys=self.context.actions.keys("bugs.edit"))
        )

    def _edited(self, made: tuple[str, Changes]) -> None:
        store = self.session.store
        self._wanted = made[0]
        if store is not None:
            self.session.start_job(tr("Proving the bug"), partial(prove_bug, store, made[0]), None, self._failed)

    def _proposed(self, result: tuple[tuple[ProposedRow, ...], Changes]) -> None:
        if not any(row.kept for row in result[0]):
            reasons = [row.reason for row in result[0] if row.reason]
            why = reasons[0] if reasons else tr("Accept Python subjects with tests first.")
            self.empty_state.set_text(tr("No bug could be proven"), why)

    def _review(self, verdict: str, reason: str) -> None:
        store = self.session.store
        if self.view is None or store is None or self.editing:
            return
        said = self.proof.said
        row = self.view.row
        later = [item.id for item in self._listed()]
        place = later.index(row.id) if row.id in later else -1
        following = later[place + 1 : place + 2] or later[max(0, place - 1) : place]
        work = partial(review_bug, store, row.id, verdict, reason, said, self.proof.labels.chosen)
        self.session.act(work, partial(self._reviewed, following), self._failed)

    def _reviewed(self, following: Sequence[str], _changes: Changes) -> None:
        self._wanted = following[0] if following else ""
        self._say("")

    def _failed(self, failure: Failure) -> None:
        self._say(failure.message)
        self.session.failed.emit(failure)

    def _say(self, text: str) -> None:
        self.problem.setText(text)

    # -- showing -------------------------------------------------------------------------------------------------

    def _reload(self) -> None:
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(list_bugs, store), self._arrived, latest="bugs-list")

    def _arrived(self, rows: tuple[BugRow, ...]) -> None:
        self._rows = rows
        self._fill()

    def _listed(self) -> list[BugRow]:
        wanted = (_OPEN, ("accepted",), ("rejected",), ())[self.shown.current]
        return [row for row in self._rows if not wanted or row.state in wanted]

    def _fill(self, _number: int = 0) -> None:
        rows = self._listed()
        wanted = self._wanted or (self.view.row.id if self.view else "")
        self.queue_card.set_trailing(tr("{count} of {count2}", count=len(rows), count2=len(self._rows)))
        cells = [
            (Cell(row.title), Cell(tr_known(row.kind)), Cell(tr_known(row.state.replace("_", " ")))) for row in rows
        ]
        self.table.set_rows((tr("subject"), tr("kind"), tr("state")), cells, rows, 0)
        if not rows:
            self._show(None)
            return
        place = next((number for number, row in enumerate(rows) if row.id == wanted), 0)
        self.table.select(place)
        self._selected(rows[place])

    def _step(self, by: int) -> None:
        if self.face.current:
            self.tasks.step(by)
            return
        place = self.table.currentIndex().row() + by
        if 0 <= place < self.table.row_count():
            self.table.select(place)

    def _selected(self, row: BugRow | None) -> None:
        store = self.session.store
        # A text that is being changed stays on screen until it is saved.
        if row is not None and store is not None and not self.editing:
            self._wanted = row.id
            self.session.run("read", partial(read_bug, store, row.id), self._show, latest="bugs-view")

    def _show(self, view: BugView | None) -> None:
        if self.editing:
            return
        fresh = view is None or self.view is None or view.row.id != self.view.row.id
        self.view = view
        self.right.setCurrentIndex(0 if view is not None else 1)
        if self._rows:
            self.empty_state.set_text(
                tr("Nothing in this list"), tr("The other lists above the queue hold the other bugs.")
            )
        else:
            self.empty_state.set_text(tr("No bug yet"), _NO_BUG)
        if view is None:
            return
        self.title.set_full(view.row.title)
        state = view.row.state
        self.chips.show_chips(((view.row.kind, "neutral"), (state.replace("_", " "), _KINDS.get(state, "neutral"))))
        self.reference.set_code(view.reference, view.language)
        self.code.set_code(view.code, view.language)
        mark_change(self.reference, self.code, view)
        self.edit_button.setEnabled(not view.parts)
        store = self.session.store
        self.proof.show_bug(view, fresh=fresh, reviewer=store.annotator.name if store is not None else "")
