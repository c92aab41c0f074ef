"""Triage: one candidate after the other, by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QInputDialog, QPlainTextEdit, QSplitter

from annotator.model.rows import Changes, Facets, QueueFilter, StageCounts, SubjectRow, SubjectView
from annotator.model.words import Verdict
from annotator.ui.pages.parts.details import Details
from annotator.ui.pages.parts.header import SubjectHeader
from annotator.ui.pages.parts.work_page import WorkPage
from annotator.ui.widgets.card import Card

_CHIPS = {
    "accept": ("accepted", "good"),
    "reject": ("rejected", "bad"),
    "skip": ("skipped", "neutral"),
    "flag": ("flagged", "attention"),
}
_FILTERS = ("verdict", "language", "task", "domain")
_ALL = {"verdict": "All", "language": "Language", "task": "Task", "domain": "Domain"}


class SelectPage(WorkPage):
    """The queue of candidates and the one being decided on."""

    name = "Select"
    icon = "ph.check-square"
    queue_title = "Candidates"
    empty = (
        "ph.tray",
        "No candidate to show",
        "Candidates come from files and folders on the Sources page. If a filter or a search is set, clear it first.",
        "Go to Sources",
    )

    def build(self) -> None:
        """Build filters, header, prompt and details."""
        self.filters: dict[str, QComboBox] = {}
        grid = QGridLayout()
        grid.setSpacing(6)
        for place, name in enumerate(_FILTERS):
            box = QComboBox()
            box.setAccessibleName(f"Filter by {name}")
            box.addItem(_ALL[name], "")
            box.setMinimumContentsLength(4)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.activated.connect(self._filtered)
            self.filters[name] = box
            grid.addWidget(box, place // 2, place % 2)
        self.queue.body.insertLayout(1, grid)
        self.queue.set_status(_status)
        self.header = SubjectHeader(
            self.context.actions,
            (
                ("select.skip", "Skip", False),
                ("select.flag", "Flag", False),
                ("select.reject", "Reject", False),
                ("select.accept", "Accept", True),
            ),
        )
        self.prompt_card = Card("Prompt")
        self.prompt = QPlainTextEdit()
        self.prompt.setReadOnly(True)
        self.prompt.setAccessibleName("Prompt of the candidate")
        self.prompt_card.body.addWidget(self.prompt)
        self.details = Details(self.session, self.theme)
        down = QSplitter(Qt.Orientation.Vertical)
        down.setChildrenCollapsible(False)
        down.setHandleWidth(12)
        down.addWidget(self.prompt_card)
        down.addWidget(self.details)
        down.setSizes([300, 420])
        self.subject_layout.addWidget(self.header)
        self.subject_layout.addWidget(down, 1)

    def activate(self) -> None:
        """Load the queue, the filters' counts and the progress."""
        super().activate()
        self._count()

    def refresh(self, changes: Changes) -> None:
        """Show the new state of what changed."""
        super().refresh(changes)
        self._count()

    def show_view(self, view: SubjectView | None) -> None:
        """Show a candidate."""
        self.header.show_subject(view.row if view else None)
        self.prompt.setPlainText(view.prompt if view else "")
        self.prompt_card.set_trailing(_said(view))
        self.details.show_subject(view)

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return the decisions."""
        return {
            **super().actions(),
            "select.accept": partial(self.decide, Verdict.ACCEPT),
            "select.reject": self.reject,
            "select.skip": partial(self.decide, Verdict.SKIP),
            "select.flag": partial(self.decide, Verdict.FLAG),
            "select.undo": self.session.undo,
        }

    def reject(self) -> None:
        """Reject; for several at once, ask for a reason first."""
        ids = self.queue.selected_ids()
        if len(ids) < 2:
            self.decide(Verdict.REJECT)
            return
        reason, agreed = QInputDialog.getText(self, f"Reject {len(ids)} candidates", "Reason (may stay empty)")
        if agreed:
            self.decide(Verdict.REJECT, reason)

    def decide(self, verdict: Verdict, reason: str = "") -> None:
        """Decide on the selected candidates and go on to the next at once; the saving follows."""
        store = self.session.store
        current = self.queue.current_id()
        ids = self.queue.selected_ids() or ([current] if current else [])
        if store is None or not ids:
            return
        self.session.act(partial(_decide, store, ids, verdict, reason))
        self.queue.select_next()

    def _filtered(self, _index: int) -> None:
        chosen = {name: box.currentData() for name, box in self.filters.items()}
        self.queue.set_filter(
            QueueFilter(
                verdicts=(chosen["verdict"],) if chosen["verdict"] else (),
                languages=(chosen["language"],) if chosen["language"] else (),
                tasks=(chosen["task"],) if chosen["task"] else (),
                domains=(chosen["domain"],) if chosen["domain"] else (),
            )
        )
        self._count()

    def _count(self) -> None:
        store = self.session.store
        if store is not None:
            self.session.run(
                "read", partial(_counts, store, self.queue.filter), self._take_counts, latest="select-counts"
            )

    def _take_counts(self, found: tuple[Facets, StageCounts]) -> None:
        facets, counts = found
        for name, box in self.filters.items():
            chosen = box.currentData()
            box.clear()
            box.addItem(_ALL[name], "")
            for value, count in facets.counts.get(name, ()):
                box.addItem(f"{value} {count}", value)
            if chosen and box.findData(chosen) < 0:
                box.addItem(f"{chosen} 0", chosen)
            box.setCurrentIndex(max(0, box.findData(chosen)))
        self.queue.set_progress("Decided", counts.subjects - counts.open, counts.subjects)


def _status(row: SubjectRow) -> tuple[str, str] | None:
    return _CHIPS.get(row.verdict or "")


def _said(view: SubjectView | None) -> str:
    if view is None or not view.decisions:
        return ""
    last = view.decisions[0]
    reason = f": {last.reason}" if last.reason else ""
    return f"{_CHIPS[last.verdict][0]} by {last.annotator}{reason}"


def _decide(store: object, ids: list[str], verdict: Verdict, reason: str) -> Changes:
    from annotator.services import selecting

    return selecting.decide(store, ids, verdict, reason)  # type: ignore[arg-type]  # the store's type would load it


def _counts(store: object, wanted: QueueFilter) -> tuple[Facets, StageCounts]:
    from annotator.services import projects, selecting

    return selecting.facets(store, wanted), projects.stage_counts(store)  # type: ignore[arg-type]  # likewise
