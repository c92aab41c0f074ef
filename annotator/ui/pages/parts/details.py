"""The tabs below a subject: reference, code, tests, answers, evidence, history."""

from __future__ import annotations

import json
from functools import partial

from PySide6.QtWidgets import QStackedWidget, QTabBar

from annotator.base import clock
from annotator.model.rows import HistoryRow, SubjectView
from annotator.ui.session import Session
from annotator.ui.theme import Theme
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code_view import CodeView
from annotator.ui.widgets.table import Cell, DataTable

_TABS = ("Reference", "Code", "Tests", "Answers", "Evidence", "History")


class Details(Card):
    """Everything about a subject but its prompt."""

    def __init__(self, session: Session, theme: Theme) -> None:
        """Show nothing yet."""
        super().__init__()
        self._session = session
        self._subject_id = ""
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Details of the subject")
        self.stack = QStackedWidget()
        self.views = {name: CodeView(theme, name) for name in ("Reference", "Code", "Tests", "Answers")}
        self.tables = {name: DataTable(name) for name in ("Evidence", "History")}
        self.views["Answers"].setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
        for name in _TABS:
            self.tabs.addTab(name)
            self.stack.addWidget(self.views.get(name) or self.tables[name])
        self.tabs.currentChanged.connect(self.stack.setCurrentIndex)
        self.body.addWidget(self.tabs)
        self.body.addWidget(self.stack, 1)

    def show_subject(self, view: SubjectView | None) -> None:
        """Show a subject, or nothing."""
        self._subject_id = view.row.id if view else ""
        language = view.row.language if view else ""
        reference = view.reference if view else ""
        prose = "```" in reference or (view is not None and view.row.task == "question")
        wrap = CodeView.LineWrapMode.WidgetWidth if prose else CodeView.LineWrapMode.NoWrap
        self.views["Reference"].setLineWrapMode(wrap)
        self.views["Reference"].set_code(reference, "markdown" if "```" in reference else language)
        self.views["Code"].set_code(view.context if view else "", language)
        self.views["Tests"].set_code(_tests(view), language)
        self.views["Answers"].set_code(_answers(view), "markdown")
        self._count("Tests", len(view.tests) if view else 0)
        self._count("Answers", len(view.responses) if view else 0)
        self.tables["Evidence"].set_rows(("fact", "value"), _evidence(view), [None] * len(_evidence(view)), stretch=1)
        self.tables["History"].set_rows(("when", "who", "what", "detail"), [], [], stretch=3)
        store = self._session.store
        if store is not None and view is not None:
            self._session.run("read", partial(_history, store, view.row.id), self._take_history, latest="history")

    def _count(self, name: str, count: int) -> None:
        self.tabs.setTabText(_TABS.index(name), f"{name} {count}" if count else name)

    def _take_history(self, rows: tuple[HistoryRow, ...]) -> None:
        self._count("History", len(rows))
        lines = [
            (
                Cell(clock.ago(clock.parse(row.created_at)), row.created_at),
                Cell(row.annotator),
                Cell(row.act if row.active else f"{row.act} (undone)"),
                Cell(row.detail),
            )
            for row in rows
        ]
        self.tables["History"].set_rows(("when", "who", "what", "detail"), lines, list(rows), stretch=3)


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
    return "\n\n".join(f"# {item.model}, sample {item.sample + 1}\n\n{item.text}" for item in view.responses)


def _evidence(view: SubjectView | None) -> list[tuple[Cell, Cell]]:
    if view is None:
        return []
    row = view.row
    facts = {
        "key": row.key,
        "task": row.task,
        "language": row.language,
        "domain": row.domain,
        "area": row.area,
        "difficulty": row.difficulty,
        "question type": view.question_type,
        "views": f"{row.views:,}" if row.views is not None else "",
        "entry point": view.entry_point,
        "licence": view.licence or "not known",
        **{f"provenance: {name}": str(value) for name, value in view.provenance.items()},
    }
    return [(Cell(name), Cell(value)) for name, value in facts.items() if value]


def _history(store: object, subject_id: str) -> tuple[HistoryRow, ...]:
    from annotator.services import selecting

    return selecting.history(store, subject_id)  # type: ignore[arg-type]  # the store's type would load it
