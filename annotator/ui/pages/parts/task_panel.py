"""Items made from code: the queue, the question as models see it, its answer, and accept or reject."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from annotator.model.rows import Changes
from annotator.model.task_rows import TASK_FAMILIES, TaskRow, TaskView
from annotator.ui.notices import Failure
from annotator.ui.page import PageContext
from annotator.ui.pages.parts.task_calls import decide_task, list_tasks, read_task
from annotator.ui.pages.parts.verdict_header import VerdictHeader
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.chip import Kind
from annotator.ui.widgets.code_view import CodeView
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.segments import Segments
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_known, tr_later

_LISTS = (None, "accept", "reject")
_STATES: dict[str, tuple[str, Kind]] = {
    "accept": (tr_later("accepted"), "good"),
    "reject": (tr_later("rejected"), "bad"),
    "flag": (tr_later("flagged"), "attention"),
    "skip": (tr_later("skipped"), "neutral"),
}
_NOTHING = tr_later(
    "Questions about calls, blanks, and proven bugs to correct or find, made from accepted subjects with tests."
)


class TaskPanel(QWidget):
    """The made items of the project, one of them in full."""

    wanted = Signal()
    """Items are to be made."""

    def __init__(self, context: PageContext) -> None:
        """Put queue, question and answer together."""
        super().__init__()
        self.context, self.session, self.theme = context, context.session, context.theme
        self.view: TaskView | None = None
        self._rows: tuple[TaskRow, ...] = ()
        self._wanted = ""
        self.empty_state = EmptyState(self.theme, "ph.puzzle-piece", tr("No item yet"), _NOTHING, tr("Make items"))
        self.empty_state.acted.connect(self.wanted)
        side = QWidget()
        layout = QVBoxLayout(side)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        header = VerdictHeader(self.theme, context.actions, self.reject, self.accept)
        self.title, self.chips = header.title, header.chips
        self.reject_button, self.accept_button = header.reject, header.accept
        layout.addLayout(header)
        layout.addWidget(self._build_texts(), 1)
        self.right = QStackedWidget()
        self.right.addWidget(side)
        self.right.addWidget(self.empty_state)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(12)
        splitter.addWidget(self._build_queue())
        splitter.addWidget(self.right)
        splitter.setSizes([430, 840])
        splitter.setStretchFactor(1, 1)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(splitter)
        self._show(None)

    def _build_queue(self) -> Card:
        self.queue_card = Card(tr("Items"))
        self.shown = Segments(tr("Items shown"), (tr("To decide"), tr("Accepted"), tr("Rejected"), tr("All")))
        self.shown.chosen.connect(self._fill)
        self.family = QComboBox()
        self.family.setAccessibleName(tr("Family of items"))
        self.family.addItem(tr("Every family"), "")
        for name in TASK_FAMILIES:
            self.family.addItem(tr_known(name.capitalize()), name)
        self.family.currentIndexChanged.connect(self._fill)
        self.table = DataTable(tr("Items made from code"))
        self.table.row_selected.connect(self._selected)
        for widget in (self.shown, self.family):
            self.queue_card.body.addWidget(widget)
        self.queue_card.body.addWidget(self.table, 1)
        return self.queue_card

    def _build_texts(self) -> QSplitter:
        down = QSplitter(Qt.Orientation.Vertical)
        down.setChildrenCollapsible(False)
        down.setHandleWidth(12)
        self.prompt = CodeView(self.theme, tr("Question as models are asked"), language="markdown")
        self.answer = CodeView(self.theme, tr("Reference answer"), language="python")
        self.facts = label("", wrap=True)
        self.facts.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.problem = label("", "problem", wrap=True)
        question, answer = Card(tr("Question")), Card(tr("Reference answer"))
        question.body.addWidget(self.prompt)
        answer.body.addWidget(self.answer, 1)
        answer.body.addWidget(self.facts)
        answer.body.addWidget(self.problem)
        down.addWidget(question)
        down.addWidget(answer)
        down.setSizes([420, 300])
        return down

    # -- acts ----------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Accept the item and go on."""
        self._decide("accept")

    def reject(self) -> None:
        """Reject the item and go on."""
        self._decide("reject")

    def step(self, by: int) -> None:
        """Choose another item of the list."""
        place = self.table.currentIndex().row() + by
        if 0 <= place < self.table.row_count():
            self.table.select(place)

    def _decide(self, verdict: str) -> None:
        store = self.session.store
        if self.view is None or store is None:
            return
        subject = self.view.row.id
        later = [row.id for row in self._listed()]
        place = later.index(subject) if subject in later else -1
        following = later[place + 1 : place + 2] or later[max(0, place - 1) : place]
        self.session.act(
            partial(decide_task, store, subject, verdict), partial(self._decided, following[0] if following else ""),
            self._failed,
        )  # fmt: skip

    def _decided(self, following: str, _changes: Changes) -> None:
        self._wanted = following
        self.problem.setText("")

    def _failed(self, failure: Failure) -> None:
        self.problem.setText(failure.message)
        self.session.failed.emit(failure)

    # -- showing -------------------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read the list again."""
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(list_tasks, store), self._arrived, latest="tasks-list")

    def _arrived(self, rows: tuple[TaskRow, ...]) -> None:
        self._rows = rows
        self._fill()

    def _listed(self) -> list[TaskRow]:
        number, family = self.shown.current, self.family.currentData()
        return [
            row
            for row in self._rows
            if (number == 3 or row.verdict == _LISTS[number] or (number == 0 and row.verdict in ("skip", "flag")))
            and (not family or row.task == family)
        ]

    def _fill(self, _number: int = 0) -> None:
        rows = self._listed()
        wanted = self._wanted or (self.view.row.id if self.view else "")
        self.queue_card.set_trailing(tr("{count} of {count2}", count=len(rows), count2=len(self._rows)))
        cells = [(Cell(row.title), Cell(tr_known(row.what)), Cell(tr_known(row.difficulty))) for row in rows]
        self.table.set_rows((tr("subject"), tr("what"), tr("difficulty")), cells, rows, 0)
        if not rows:
            self._show(None)
            return
        place = next((number for number, row in enumerate(rows) if row.id == wanted), 0)
        self.table.select(place)
        self._selected(rows[place])

    def _selected(self, row: TaskRow | None) -> None:
        store = self.session.store
        if row is not None and store is not None:
            self._wanted = row.id
            self.session.run("read", partial(read_task, store, row.id), self._show, latest="tasks-view")

    def _show(self, view: TaskView | None) -> None:
        self.view = view
        self.right.setCurrentIndex(0 if view is not None else 1)
        if self._rows:
            self.empty_state.set_text(
                tr("Nothing in this list"), tr("The other lists above the queue hold the other items.")
            )
        else:
            self.empty_state.set_text(tr("No item yet"), _NOTHING)
        if view is None:
            return
        row = view.row
        self.title.set_full(row.title)
        word, kind = _STATES.get(row.verdict or "", (tr("to decide"), "neutral"))
        proven: tuple[tuple[str, Kind], ...] = ((tr("proven"), "good"),) if row.proven else ()
        self.chips.show_chips(((row.what, "neutral"), (word, kind), *proven))
        self.prompt.set_code(view.prompt)
        self.answer.set_code(view.reference, row.language)
        self.facts.setText("\n".join(f"{name}: {value}" for name, value in view.facts))
        self.problem.setText(
            "" if row.fits else tr("What this was made from has changed since. Reject it and make it again.")
        )
