"""The panel that selects a benchmark from the project's mined functions to match given targets."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from annotator.base.errors import UsageError
from annotator.mining.repository.discovery.subset import SubsetChoice, SubsetTargets
from annotator.model.changes import Changes
from annotator.services.select.triage import OthersWorkError
from annotator.services.sources import benchmark_subset
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import mark_words, tr, tr_message
from annotator.ui.pages.shared.others_question import OthersQuestion
from annotator.ui.pages.sources.mining_panel import ShareTable
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.fields import number_box, real_box
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import fill_layout, make_column, make_row, make_splitter
from annotator.ui.widgets.table import Cell, DataTable, Shown


class SubsetPanel(QWidget):
    """Targets on the left, the values that the proposed selection reaches on the right."""

    def __init__(self, session: Session, store: ProjectFile) -> None:
        """Start with EvoCodeBench's targets."""
        super().__init__()
        self.session, self.store = session, store
        self.others = OthersQuestion(session, self)
        self.proposal: SubsetChoice | None = None
        self.items, self.seed = number_box(1, 1_000_000, 275, tr("Size")), number_box(0, 2_000_000_000, 0, tr("Seed"))
        self.standalone = real_box(0.0, 1.0, 0.27, tr("Share of standalone functions"))
        self.standalone.setSingleStep(0.01)
        self.dependencies = real_box(0.0, 99.0, 3.2, tr("Mean number of dependencies"))
        self.dependencies.setSingleStep(0.1)
        self.domains = ShareTable(tr("Share of each domain"), tr("domain"))
        self.more = button(tr("Add a domain"), clicked=self._add_domain)
        self.choose = button(tr("Choose"), clicked=self.propose)
        self.accept = button(tr("Accept"), primary=True, clicked=self.accept_chosen)
        self.accept.setEnabled(False)
        self.table = DataTable(tr("Result of the choice"))
        self.problem = label("", "problem", wrap=True)
        first_row, second_row = QHBoxLayout(), QHBoxLayout()
        for line, boxes in ((first_row, (self.items, self.seed)), (second_row, (self.standalone, self.dependencies))):
            for box in boxes:
                fill_layout(line, label(box.accessibleName(), "dim"), box)
            line.addStretch(1)
        about = label(tr("Shares of domains add up to 1; without shares, domains are not balanced."), "dim", wrap=True)
        below = make_row(self.more, None, self.choose)
        targets_card = Card(tr("Targets"), first_row, second_row, about, (self.domains, 1), below)
        result_card = Card(tr("Result of the choice"), (self.table, 1), make_row((self.problem, 1), self.accept))
        splitter = make_splitter(Qt.Orientation.Horizontal, targets_card, result_card, sizes=[460, 660])
        make_column(self, splitter)

    def _add_domain(self, _checked: bool = False) -> None:
        self.domains.add_share()

    def propose(self) -> None:
        """Compute a selection for the targets without changing the project."""
        try:
            shares = self.domains.shares()
        except UsageError as error:
            self._failed(WorkFailure(message=error.message))
            return
        targets = SubsetTargets(self.items.value(), self.standalone.value(), self.dependencies.value(), shares)
        work = partial(benchmark_subset.propose_subset, self.store, targets, self.seed.value())
        self.session.run("read", work, self._show_proposal, self._failed, latest="subset")

    def _failed(self, failure: WorkFailure) -> None:
        self.proposal = None
        self.problem.setText(tr_message(failure.message))
        self.accept.setEnabled(False)
        self.table.set_rows(mark_words("target", "target value", "reached", "all available"), [], [])

    def _show_proposal(self, proposal: SubsetChoice) -> None:
        self.proposal = proposal
        self.problem.setText("")
        rows: list[tuple[Shown, ...]] = [
            (row.name, *(Cell(f"{value:.4g}", value) for value in (row.wanted, row.got, row.available)))
            for row in proposal.reached
        ]
        self.table.set_rows(mark_words("target", "target value", "reached", "all available"), rows, proposal.reached)
        self.accept.setText(tr("Accept {count}", count=f"{len(proposal.keys):,}"))
        self.accept.setEnabled(bool(proposal.keys))

    def accept_chosen(self) -> None:
        """Accept the proposed subjects as one undoable act."""
        if self.proposal is not None:
            self._accept(self.proposal)

    def _accept(self, proposal: SubsetChoice, *, anyway: bool = False) -> None:
        self.accept.setEnabled(False)
        act = partial(benchmark_subset.accept_subset, self.store, proposal, anyway=anyway)
        self.session.act(act, self._accepted, partial(self._not_accepted, proposal))

    def _not_accepted(self, proposal: SubsetChoice, failure: WorkFailure) -> None:
        if isinstance(failure.error, OthersWorkError):
            self.accept.setEnabled(self.proposal is not None)
            self.others.ask(failure.error, partial(self._accept, proposal, anyway=True))
        else:
            self._failed(failure)

    def _accepted(self, _changes: Changes) -> None:
        self.session.say(tr("Accepted. Undo reverts it."))
