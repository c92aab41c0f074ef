"""The review queue of the Bugs page, and the panel to decide on items made from code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from annotator.model.changes import Changes
from annotator.model.rows.bug_rows import BugRow
from annotator.model.rows.task_rows import TASK_FAMILIES, TaskRow, TaskView
from annotator.model.vocabulary import Verdict
from annotator.services.select import triage
from annotator.services.tasks import listing
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.base_page import PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.shared.others_question import OthersQuestion
from annotator.ui.pages.shared.subject_page import SubjectHeader
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.fields import choice_box
from annotator.ui.widgets.labels import Kind, Segments, escape_tool_tip, label
from annotator.ui.widgets.layouts import fill_column, fill_row, make_splitter, make_stack
from annotator.ui.widgets.line_queue import LineQueue, QueueLine, QueueSplitter

Row = TypeVar("Row", BugRow, TaskRow)


class ReviewQueue(LineQueue, Generic[Row]):
    """A queue of rows to decide on, below the selector of the list to show."""

    row_current = Signal(object)
    """The row to show, None if the list is empty."""

    def __init__(
        self,
        theme: Theme,
        title: str,
        lists: Segments,
        is_listed: Callable[[Row], bool],
        line_of: Callable[[Row], QueueLine],
        filters: Sequence[QWidget] = (),
    ) -> None:
        super().__init__(theme, title, lists, filters)
        self.rows: tuple[Row, ...] = ()
        self.selected_on_load = ""
        """The id of the row to select when rows are shown next."""
        self._is_listed: Callable[[Row], bool] = is_listed
        self._line_of: Callable[[Row], QueueLine] = line_of
        lists.picked.connect(self.fill)
        self.searched.connect(self._select_current)
        self.table.row_selected.connect(self.row_current)

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        """Show reloaded rows; the row ``selected_on_load`` becomes current if it is listed."""
        self.rows = rows
        self.fill()

    def fill(self, _list_number: int = 0) -> None:
        """Fill the queue with the rows of the selected list."""
        rows = [row for row in self.rows if self._is_listed(row)]
        self.set_lines([self._line_of(row) for row in rows], rows)
        self._select_current()

    def _select_current(self) -> None:
        rows: tuple[Row, ...] = self.payloads
        if not rows:
            self.row_current.emit(None)
            return
        index = next((number for number, row in enumerate(rows) if row.id == self.selected_on_load), 0)
        self.table.select(index)
        self.row_current.emit(rows[index])

    def following(self, row_id: str) -> str:
        """Return the id of the row to show after this one is decided: the next, else the previous, else itself."""
        ids: list[str] = [row.id for row in self.payloads]
        index = ids.index(row_id) if row_id in ids else -1
        if index + 1 < len(ids):
            return ids[index + 1]
        return ids[index - 1] if index > 0 else row_id


_VERDICTS_BY_LIST = ((None, "skip", "flag"), ("accept",), ("reject",))
_STATES: dict[str, tuple[str, Kind]] = {
    "accept": (mark_for_translation("accepted"), "good"),
    "reject": (mark_for_translation("rejected"), "bad"),
    "flag": (mark_for_translation("flagged"), "attention"),
    "skip": (mark_for_translation("skipped"), "neutral"),
}
_EMPTY_TEXT = mark_for_translation(
    "Questions made from accepted subjects with tests: the result of a call, a blank to fill, a proven bug to "
    "find or fix."
)


class TaskPanel(QWidget):
    """Lists the items made from code and shows one."""

    items_requested = Signal()
    """The user asks to make items."""

    def __init__(self, context: PageContext, store: ProjectFile) -> None:
        """Build the queue, the question and the answer."""
        super().__init__()
        self.session, self.theme, self.store = context.session, context.theme, store
        self.others = OthersQuestion(self.session, self)
        self.view: TaskView | None = None
        self.empty_state = EmptyState(self.theme, "ph.puzzle-piece", tr("No item yet"), _EMPTY_TEXT, tr("Make items"))
        self.empty_state.acted.connect(self.items_requested)
        acts = (("select.reject", tr("Reject"), False), ("select.accept", tr("Accept"), True))
        self.header = SubjectHeader(self.theme, context.actions, acts)
        item_widget = QWidget()
        fill_column(item_widget, self.header, (self._build_texts(), 1), spacing=12)
        self.right = make_stack(item_widget, self.empty_state)
        self.queue = self._build_queue()
        self.table = self.queue.table
        splitter = QueueSplitter(self.theme, "items-splitter")
        splitter.fill(self.queue, self.right, (430, 840))
        fill_row(self, splitter)
        self._show(None)

    def _build_queue(self) -> ReviewQueue[TaskRow]:
        self.list_choice = Segments(
            tr("Items shown"), (tr("To decide"), tr("Accepted"), tr("Rejected"), tr("All")), wrap=True
        )
        families = ((translate_word(name.capitalize()), name) for name in TASK_FAMILIES)
        self.family = choice_box(tr("Family of items"), ((tr("All families"), ""), *families))
        queue = ReviewQueue(
            self.theme, tr("Items made from code"), self.list_choice, self._is_listed, _line_of, (self.family,)
        )
        self.family.currentIndexChanged.connect(queue.fill)
        queue.row_current.connect(self._load)
        return queue

    def _build_texts(self) -> QSplitter:
        self.prompt = CodeView(self.theme, tr("Question as sent to models"), language="markdown")
        self.answer = CodeView(self.theme, tr("Reference answer"), language="python")
        self.facts = label("", wrap=True)
        self.facts.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.problem = label("", "problem", wrap=True)
        question = Card(tr("Question"), self.prompt)
        answer = Card(tr("Reference answer"), (self.answer, 1), self.facts, self.problem)
        return make_splitter(Qt.Orientation.Vertical, question, answer, sizes=(420, 300))

    # -- acts ----------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Accept the item and go to the next one."""
        self._decide(Verdict.ACCEPT)

    def reject(self) -> None:
        """Reject the item and go to the next one."""
        self._decide(Verdict.REJECT)

    def _decide(self, verdict: Verdict) -> None:
        if self.view is not None:
            subject_id = self.view.row.id
            act = partial(triage.decide_subjects, self.store, [subject_id], verdict)
            self.others.act(act, partial(self._finish_decision, self.queue.following(subject_id)), self._show_failure)

    def _finish_decision(self, following_id: str, _changes: Changes) -> None:
        self.queue.selected_on_load = following_id
        self.problem.setText("")

    def _show_failure(self, failure: WorkFailure) -> None:
        self.problem.setText(failure.message)
        self.session.failed.emit(failure)

    # -- showing -------------------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Reload the list."""
        self.session.run(
            "read", partial(listing.list_task_items, self.store), self.queue.show_rows, latest="tasks-list"
        )

    def _is_listed(self, row: TaskRow) -> bool:
        number = self.list_choice.current
        family = self.family.currentData()
        if family and row.task != family:
            return False
        return number == len(_VERDICTS_BY_LIST) or row.verdict in _VERDICTS_BY_LIST[number]

    def _load(self, row: TaskRow | None) -> None:
        if row is None:
            self._show(None)
        else:
            self.queue.selected_on_load = row.id
            self.session.run(
                "read", partial(listing.load_task_item, self.store, row.id), self._show, latest="tasks-view"
            )

    def _show(self, view: TaskView | None) -> None:
        self.view = view
        self.right.setCurrentIndex(0 if view is not None else 1)
        if view is None:
            if self.queue.rows:
                self.empty_state.set_text(
                    tr("Nothing in this list"), tr("Other items are in the other lists above the queue.")
                )
            else:
                self.empty_state.set_text(tr("No item yet"), _EMPTY_TEXT)
            return
        row = view.row
        state = translate_word(_state_chip(row)[0])
        facts = " · ".join(filter(None, (row.what, state, tr("proven") if row.proven else "")))
        self.header.title.set_full(row.title)
        self.header.title.setToolTip(escape_tool_tip(f"{row.title}\n{facts}"))
        self.header.facts.set_full(facts)
        self.prompt.set_code(view.prompt)
        self.answer.set_code(view.reference, row.language)
        self.facts.setText("\n".join(f"{name}: {value}" for name, value in view.facts))
        self.problem.setText(
            "" if row.fits else tr("Its source has changed since it was made. Reject it and make a new one.")
        )


def _line_of(row: TaskRow) -> QueueLine:
    facts = " · ".join(translate_word(word) for word in (row.what, row.difficulty) if word)
    return QueueLine(row.title, facts, _state_chip(row))


def _state_chip(row: TaskRow) -> tuple[str, Kind]:
    return _STATES.get(row.verdict or "", (mark_for_translation("to decide"), "neutral"))
