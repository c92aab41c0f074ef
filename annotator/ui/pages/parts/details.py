"""The tabs below a subject: reference, code, tests, answers, evidence, history."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from annotator.base import clock
from annotator.ui.pages.parts.credit import answer_count, evidence, thread_answers
from annotator.ui.session import Session
from annotator.ui.theme import Theme
from annotator.ui.when import ago
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code_view import CodeView
from annotator.ui.words import tr, tr_known, tr_later, tr_told

if TYPE_CHECKING:
    from annotator.model.rows import HistoryRow, SubjectView
    from annotator.ui.widgets.table import DataTable

_HISTORY_MS = 250
_HISTORY = (tr_later("when"), tr_later("who"), tr_later("what"), tr_later("detail"))
_TABS = (
    tr_later("Reference"),
    tr_later("Code"),
    tr_later("Tests"),
    tr_later("Answers"),
    tr_later("Evidence"),
    tr_later("History"),
)


class Details(Card):
    """Everything about a subject but its prompt."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        """Show nothing yet."""
        super().__init__(parent=parent)
        self._session = session
        self._view: SubjectView | None = None
        self._filled: set[str] = set()
        # Counting the acts on a subject can wait until a person stays with it.
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_HISTORY_MS)
        self._timer.timeout.connect(self._ask_history)
        self.tabs = QTabBar(self)
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("Details of the subject"))
        self.stack = QStackedWidget(self)
        self._theme = theme
        self._views: dict[str, CodeView] = {}
        self._tables: dict[str, DataTable] = {}
        for name in _TABS:
            self.tabs.addTab(tr_known(name))
            self.stack.addWidget(QWidget())
        self.view_of(_TABS[0])
        self.tabs.currentChanged.connect(self._show_tab)
        self.body.addWidget(self.tabs)
        self.body.addWidget(self.stack, 1)

    def view_of(self, name: str) -> CodeView:
        """Return the view of one of the first four tabs, which is made when it is first wanted."""
        if name not in self._views:
            made = CodeView(self._theme, tr_known(name), parent=self.stack)
            if name == "Answers":
                made.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
            self._views[name] = made
            self._put(name, made)
        return self._views[name]

    def table_of(self, name: str) -> DataTable:
        """Return the table of one of the other tabs, which is made when it is first wanted."""
        if name not in self._tables:
            from annotator.ui.widgets.table import DataTable

            self._tables[name] = DataTable(tr_known(name))
            self._put(name, self._tables[name])
        return self._tables[name]

    def _put(self, name: str, made: QWidget) -> None:
        """Put a view or table in the place that was kept for it."""
        place = _TABS.index(name)
        shown = self.stack.currentIndex()
        empty = self.stack.widget(place)
        self.stack.insertWidget(place, made)
        if empty is not None:
            self.stack.removeWidget(empty)
            empty.deleteLater()
        self.stack.setCurrentIndex(shown)

    def show_subject(self, view: SubjectView | None) -> None:
        """Show a subject, or nothing; a tab is filled when it is looked at."""
        self._view = view
        self._filled.clear()
        self._count("Tests", len(view.tests) if view else 0)
        self._count("Answers", len(view.responses) + answer_count(view) if view else 0)
        self._count("History", 0)
        self._fill(self.tabs.currentIndex())
        self._timer.start()

    def _show_tab(self, place: int) -> None:
        self.stack.setCurrentIndex(place)
        self._fill(place)

    def _fill(self, place: int) -> None:
        name, view = _TABS[place], self._view
        if name in self._filled:
            return
        self._filled.add(name)
        language = view.row.language if view else ""
        if name == "Reference":
            reference = view.reference if view else ""
            prose = "```" in reference or (view is not None and view.row.task == "question")
            wrap = CodeView.LineWrapMode.WidgetWidth if prose else CodeView.LineWrapMode.NoWrap
            self.view_of(name).setLineWrapMode(wrap)
            self.view_of(name).set_code(reference, "markdown" if "```" in reference else language)
        elif name == "Code":
            self.view_of(name).set_code(view.context if view else "", language)
        elif name == "Tests":
            self.view_of(name).set_code(_tests(view), language)
        elif name == "Answers":
            self.view_of(name).set_code(_answers(view), "markdown")
        elif name == "Evidence":
            from annotator.ui.widgets.table import Cell

            rows = [(Cell(fact), Cell(value)) for fact, value in evidence(view)] if view else []
            self.table_of(name).set_rows((tr("fact"), tr("value")), rows, [None] * len(rows), stretch=1)
        else:
            self.table_of(name).set_rows(_HISTORY, [], [], stretch=3)
            self._ask_history()

    def _ask_history(self) -> None:
        store, view = self._session.store, self._view
        if store is not None and view is not None:
            self._session.run("read", partial(_history, store, view.row.id), self._take_history, latest="history")

    def _count(self, name: str, count: int) -> None:
        word = tr_known(name)
        self.tabs.setTabText(_TABS.index(name), f"{word} {count}" if count else word)

    def _take_history(self, rows: tuple[HistoryRow, ...]) -> None:
        from annotator.ui.widgets.table import Cell

        self._count("History", len(rows))
        lines = [
            (
                Cell(ago(clock.parse(row.created_at)), row.created_at),
                Cell(row.annotator),
                Cell(tr_told(row.act) if row.active else tr("{act} (undone)", act=tr_told(row.act))),
                Cell(row.detail),
            )
            for row in rows
        ]
        self._filled.add("History")
        self.table_of("History").set_rows(_HISTORY, lines, list(rows), stretch=3)


def _tests(view: SubjectView | None) -> str:
    if view is None:
        return ""
    blocks = []
    for test in view.tests:
        block = f"# {test.name}\n{test.code}"
        if test.inputs:
            block += f"\n# inputs: {json.dumps(test.inputs, ensure_ascii=False)}"
        if test.expected:
            block += f"\n# expected: {test.expected}"
        blocks.append(block)
    return "\n\n".join(blocks)


def _answers(view: SubjectView | None) -> str:
    if view is None:
        return ""
    blocks = [f"# {item.model}, sample {item.sample + 1}\n\n{item.text}" for item in view.responses]
    return "\n\n".join(filter(None, [thread_answers(view), *blocks]))


def _history(store: object, subject_id: str) -> tuple[HistoryRow, ...]:
    from annotator.services import selecting

    return selecting.history(store, subject_id)  # type: ignore[arg-type]  # the store's type would load it
