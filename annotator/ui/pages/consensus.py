"""Consensus: what people see differently, how it is settled, and the whole story of a subject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QSplitter, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from annotator.base import clock
from annotator.model.judging_rows import (
    ArtefactRow,
    CommentRow,
    ConflictRow,
    Disagreement,
    PanelRow,
    ReviewRow,
    VoteState,
)
from annotator.model.rows import Changes, HistoryRow
from annotator.ui.notices import Failure
from annotator.ui.page import Page, PageContext
from annotator.ui.pages.parts.consensus_lists import (
    CONFLICTS,
    FACES,
    MENTIONS,
    NOTHING,
    OPEN,
    SETTLED,
    SUBJECTS,
    cells,
)
from annotator.ui.pages.parts.expert_panel import ArtefactPanel, CommentPanel, ReviewPanel
from annotator.ui.pages.parts.packet_acts import PacketActs
from annotator.ui.pages.parts.panel_dialog import PanelActs
from annotator.ui.pages.parts.settle_panel import SettlePanel
from annotator.ui.when import ago
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.elided_label import ElidedLabel
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.segments import Segments
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_known, tr_later, tr_told

_TABS = (
    tr_later("Opinions"),
    tr_later("Review and vote"),
    tr_later("Three experts"),
    tr_later("Comments"),
    tr_later("History"),
)


@dataclass(frozen=True, slots=True)
class Around:
    """Everything about one subject that the right side shows."""

    reviews: tuple[ReviewRow, ...]
    votes: VoteState
    artefact: ArtefactRow
    comments: tuple[CommentRow, ...]
    history: tuple[HistoryRow, ...]
    locked: bool
    language: str
    title: str


class ConsensusPage(Page):
    """Lists on the left, one matter on the right."""

    name = "Consensus"
    icon = "ph.users-three"

    def __init__(self, context: PageContext) -> None:
        """Put lists and tabs together."""
        super().__init__(context)
        self.subject_id = ""
        self.faces = Segments(tr("List"), FACES)
        self.faces.chosen.connect(self._choose_face)
        self.table = DataTable(tr("What is open"))
        self.table.row_selected.connect(self._select)
        self.empty = EmptyState(self.theme, "ph.users-three", *NOTHING[OPEN])
        self.lists = QStackedWidget()
        self.lists.addWidget(self.table)
        self.lists.addWidget(self.empty)
        self.settle = SettlePanel(self.theme)
        self.settle.settled.connect(self.resolve)
        self.review, self.artefact, self.comments = ReviewPanel(), ArtefactPanel(self.theme), CommentPanel()
        self.review.reviewed.connect(self._review)
        self.review.voted.connect(self._vote)
        self.artefact.chosen.connect(self._load_around)
        self.artefact.edited.connect(self._edit)
        self.artefact.confirmed.connect(self._confirm)
        self.comments.written.connect(self._comment)
        self.history = DataTable(tr("History"))
        self.problem = label("", "problem", wrap=True)
        self.problem.hide()
        self.title = ElidedLabel("title")
        self.lock = button(tr("Lock"))
        self.lock.clicked.connect(self.toggle_lock)
        self._locked = False
        self.packets = PacketActs(self.session, self)
        self.panel = PanelActs(self.session, self.theme, self)
        self.panel.refused.connect(self._failed)
        self.review.panel.clicked.connect(self.panel.open)
        self._lay_out()

    def _lay_out(self) -> None:
        left = Card()
        left.body.addWidget(self.faces)
        left.body.addWidget(self.lists, 1)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName(tr("About the subject"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.stack = QStackedWidget()
        panels: tuple[QWidget, ...] = (self.settle, self.review, self.artefact, self.comments, self.history)
        for word, panel in zip(_TABS, panels, strict=True):
            self.tabs.addTab(tr_known(word))
            self.stack.addWidget(panel)
        self.tabs.currentChanged.connect(self.stack.setCurrentIndex)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.lock)
        right = Card()
        right.body.addLayout(head)
        right.body.addWidget(self.tabs)
        right.body.addWidget(self.problem)
        right.body.addWidget(self.stack, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(12)
        self.splitter.addWidget(left)
        self.splitter.addWidget(right)
        self.splitter.setSizes([430, 650])
        self.splitter.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 12, 8)
        layout.addWidget(self.splitter)
        self._nothing_chosen()

    # -- lists ----------------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Load the list."""
        self._load()

    def refresh(self, changes: Changes) -> None:
        """Load again; somebody's word anywhere may open or settle something."""
        self._load()
        if self.subject_id and (not changes.subjects or self.subject_id in changes.subjects):
            self._load_around()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return locking, and the ways out to colleagues and back."""
        return {
            "consensus.lock": self.toggle_lock,
            "consensus.panel": self.panel.open,
            "packet.export": self.packets.ask_to_export,
            "packet.import": self.packets.ask_to_import,
        }

    def show_subject(self, subject_id: str) -> None:
        """Show a subject another page asked for."""
        self.subject_id = subject_id
        self.tabs.setCurrentIndex(1)
        self._load_around()

    def _choose_face(self, _number: int) -> None:
        self._nothing_chosen()
        self._load()

    def _nothing_chosen(self) -> None:
        self.subject_id = ""
        self.title.set_full("")
        self.lock.setEnabled(False)
        self.settle.show_row(None)
        self.tabs.setEnabled(False)
        self.stack.setEnabled(False)
        self.tabs.setCurrentIndex(0)

    def _load(self) -> None:
        store = self.session.store
        if store is not None:
            face = self.faces.current
            self.session.run("read", partial(_rows, store, face), partial(self._take, face), latest="consensus-list")

    def _take(self, face: int, rows: tuple[Any, ...]) -> None:
        if face != self.faces.current:
            return
        self.lists.setCurrentWidget(self.table if rows else self.empty)
        self.empty.set_text(*NOTHING[face])
        headers, lines = cells(face, rows)
        self.table.set_rows(headers, lines, list(rows), stretch=0 if face in (SUBJECTS, CONFLICTS) else (0, 2))
        if not rows:
            if not self.subject_id or face in (OPEN, SETTLED):
                self._nothing_chosen()
            return
        same = [number for number, row in enumerate(rows) if getattr(row, "subject_id", "") == self.subject_id]
        self.table.select(same[0] if same and self.subject_id else 0)

    def _select(self, row: object) -> None:
        if isinstance(row, ConflictRow):
            self.subject_id = ""
            self.title.set_full(tr("Conflict in {table}", table=row.table))
            self.stack.setEnabled(True)
            self.tabs.setCurrentIndex(0)
            self.settle.show_conflict(row)
            return
        if isinstance(row, Disagreement):
            self.settle.show_row(row)
            self._load_pair(row)
            self.tabs.setCurrentIndex(0)
        else:
            self.settle.show_row(None)
            self.tabs.setCurrentIndex(3 if isinstance(row, CommentRow) else max(1, self.tabs.currentIndex()))
        self.subject_id = row.id if isinstance(row, PanelRow) else str(getattr(row, "subject_id", ""))
        self._load_around()

    def _load_pair(self, row: Disagreement) -> None:
        store = self.session.store
        if store is not None and row.about.startswith("pair:"):
            pair = row.about.partition(":")[2]
            self.session.run("read", partial(_texts, store, pair), self.settle.show_texts, latest="consensus-pair")

    # -- one subject ----------------------------------------------------------------------------------------------

    def _load_around(self, _artefact: str = "") -> None:
        store = self.session.store
        if store is not None and self.subject_id:
            work = partial(_around, store, self.subject_id, self.artefact.artefact)
            self.session.run("read", work, self._take_around, latest="consensus-subject")

    def _take_around(self, found: Around) -> None:
        self.tabs.setEnabled(True)
        self.stack.setEnabled(True)
        self.lock.setEnabled(True)
        self.title.set_full(found.title + (tr(" (locked)") if found.locked else ""))
        self._locked = found.locked
        self.lock.setText(tr("Unlock…") if found.locked else tr("Lock"))
        self.review.show_state(found.reviews, found.votes)
        self.artefact.show_row(found.artefact, found.language)
        self.comments.show_comments(found.comments)
        acts = [
            (_when(row.created_at), Cell(row.annotator),
             Cell(tr_told(row.act) + ("" if row.active else tr(" (undone)"))), Cell(row.detail))
            for row in found.history
        ]  # fmt: skip
        self.history.set_rows((tr("when"), tr("who"), tr("what"), tr("detail")), acts, list(found.history), stretch=3)
        count = len(found.comments)
        self.tabs.setTabText(3, tr("Comments {count}", count=count) if count else tr("Comments"))

    def resolve(self, method: str, outcome: str, rationale: str) -> None:
        """Settle the disagreement shown."""
        row = self.settle.row
        if row is not None:
            self._act(_resolve, row.subject_id, row.about, method, outcome, rationale)

    def _review(self, marks: dict[str, int | None], note: str) -> None:
        self._act(_review, self.subject_id, marks, note)

    def _vote(self, answers: dict[str, str]) -> None:
        self._act(_vote, self.subject_id, answers)

    def _edit(self, artefact: str, content: str, note: str) -> None:
        self._act(_edit, self.subject_id, artefact, content, note)

    def _confirm(self, artefact: str, verdict: str, note: str) -> None:
        """Confirm or reject; a confirmation runs the tests first, so it is a job."""
        store = self.session.store
        if store is not None and self.subject_id:
            work = partial(_confirm, store, self.subject_id, artefact, verdict, note)
            self.session.start_job(
                tr("{verdict} the {artefact}", verdict=tr_known(verdict.capitalize()), artefact=tr_known(artefact)),
                work,
                self._acted,
                self._failed,
            )

    def _comment(self, text: str, answered: str) -> None:
        self._act(_comment, self.subject_id, text, answered or None)

    def toggle_lock(self) -> None:
        """Close the subject to further work, or open it again with a reason."""
        if not self.subject_id:
            return
        reason = ""
        if self._locked:
            reason, said = QInputDialog.getText(self, tr("Unlock"), tr("Why is it opened again?"))
            if not said:
                return
        self._act(_lock, self.subject_id, not self._locked, reason)

    def _act(self, fn: Callable[..., Changes], *arguments: object) -> None:
        store = self.session.store
        if store is not None and self.subject_id:
            written = max((item for item in arguments if isinstance(item, str)), key=len, default="")
            self.session.act(partial(fn, store, *arguments), self._acted, self._failed, text=written)

    def _acted(self, _changes: Changes) -> None:
        self.problem.hide()
        self.comments.line.clear()
        self.artefact.note.clear()
        self.settle.rationale.clear()

    def _failed(self, failure: Failure) -> None:
        self.problem.setText(failure.message)
        self.problem.show()


def _when(text: str) -> Cell:
    return Cell(ago(clock.parse(text)), text)


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _rows(store: Any, face: int) -> tuple[Any, ...]:
    from annotator.services import reviewing, settling, voting

    if face == OPEN:
        return settling.disagreements(store)
    if face == SETTLED:
        return tuple(row for row in settling.disagreements(store, settled=True) if row.outcome is not None)
    if face == SUBJECTS:
        return voting.panel_rows(store)
    return reviewing.inbox(store) if face == MENTIONS else settling.conflicts(store)


def _texts(store: Any, pair_id: str) -> tuple[str, str, str]:
    from annotator.services import settling

    return settling.pair_texts(store, pair_id)


def _around(store: Any, subject_id: str, artefact: str) -> Around:
    from annotator.services import confirming, reviewing, selecting, voting

    view = selecting.subject(store, subject_id)
    return Around(
        reviewing.reviews(store, subject_id),
        voting.vote_state(store, subject_id),
        confirming.artefact(store, subject_id, artefact),
        reviewing.comments(store, subject_id),
        selecting.history(store, subject_id),
        reviewing.is_locked(store, subject_id),
        view.row.language,
        view.row.title,
    )


def _resolve(store: Any, subject_id: str, about: str, method: str, outcome: str, rationale: str) -> Changes:
    from annotator.services import settling

    return settling.resolve(store, subject_id, about, method, outcome, rationale)


def _review(store: Any, subject_id: str, marks: dict[str, int | None], note: str) -> Changes:
    from annotator.services import reviewing

    return reviewing.add_review(store, subject_id, marks, note)


def _vote(store: Any, subject_id: str, answers: dict[str, str]) -> Changes:
    from annotator.services import voting

    return voting.vote(store, subject_id, answers)


def _edit(store: Any, subject_id: str, artefact: str, content: str, note: str) -> Changes:
    from annotator.services import confirming

    return confirming.edit(store, subject_id, artefact, content, note)


def _confirm(store: Any, subject_id: str, artefact: str, verdict: str, note: str, _progress: object) -> Changes:
    from annotator.services import confirming

    return confirming.confirm(store, subject_id, artefact, verdict, note)


def _comment(store: Any, subject_id: str, text: str, answered: str | None) -> Changes:
    from annotator.services import reviewing

    return reviewing.add_comment(store, subject_id, text, answered)


def _lock(store: Any, subject_id: str, locked: bool, reason: str) -> Changes:
    from annotator.services import reviewing

    return reviewing.lock(store, subject_id, locked, reason)
