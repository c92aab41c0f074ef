"""Results: every table and figure, and the way down from a cell to one response explained."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QSplitter, QStackedWidget, QVBoxLayout

from annotator.model.results import ItemScoreRow, Table, Target
from annotator.model.rows import Changes
from annotator.ui.folders import beside_project
from annotator.ui.notices import Failure
from annotator.ui.page import Destination, Page, PageContext
from annotator.ui.pages.parts.response_panel import DIFF, ResponsePanel
from annotator.ui.pages.parts.results_bar import ResultsBar, Wanted
from annotator.ui.pages.parts.results_board import ResultsBoard
from annotator.ui.pages.parts.results_work import (
    Shown,
    answer_of,
    explain,
    export,
    items_of,
    label_response,
    send_back,
    show,
)
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button, shortened
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_known, tr_later

if TYPE_CHECKING:
    from annotator.jobs.progress import Progress
    from annotator.services.labelling import LabelChoice
    from annotator.services.result_detail import Explanation

_FILES = tr_later(
    "CSV (*.csv);;JSON (*.json);;LaTeX (*.tex);;Markdown (*.md);;SVG figure (*.svg);;PDF figure (*.pdf);;"
    "PNG figure (*.png);;Report of everything (*.html)"
)


class ResultsPage(Page):
    """From the leaderboard down to one response."""

    name = "Results"
    icon = "ph.chart-bar"

    def __init__(self, context: PageContext) -> None:
        """Put the table, the items below it and the response together."""
        super().__init__(context)
        self.shown: Shown | None = None
        self._target: Target | None = None
        self._response = ""
        self.bar = ResultsBar()
        self.bar.changed.connect(self.activate)
        self.bar.filtered.connect(self._filter)
        self.bar.scores_asked.connect(self._ask_scores)
        self.board = ResultsBoard(self.session, self.theme)
        self.board.opened.connect(self._open)
        self.board.ticked.connect(self.bar.set_frontier)
        self.board.turned.connect(self._make_room)
        self.board.sent_back.connect(self._send_item)
        self.save = button(tr("Save as…"))
        self.save.clicked.connect(self.export)
        self.board.head.addWidget(self.save)
        self.items_card = Card(tr("Items"))
        self.items = DataTable(tr("Items"))
        self.items.row_selected.connect(self._show_item)
        self.items_card.body.addWidget(self.items)
        self.panel = ResponsePanel(self.theme, context.actions.keys("results.label"))
        self.panel.other_chosen.connect(self._show_other)
        self.panel.other_opened.connect(self._show_item)
        self.panel.labelled.connect(self._label)
        self.panel.sent_back.connect(self._send_back)
        self.panel.item_opened.connect(self._open_item)
        self.empty = EmptyState(
            self.theme,
            "ph.chart-bar",
            tr("No result yet"),
            tr("Ask a model or score recorded responses on the Runs page; the leaderboard appears here."),
            tr("Go to Runs"),
        )
        self.empty.acted.connect(self._go_to_runs)
        self.below = QSplitter(Qt.Orientation.Horizontal)
        self.down = QSplitter(Qt.Orientation.Vertical)
        for splitter in (self.below, self.down):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(12)
        self.below.addWidget(self.items_card)
        self.below.addWidget(self.panel)
        self.below.setSizes([420, 720])
        self.down.addWidget(self.board)
        self.down.addWidget(self.below)
        self.down.setSizes([400, 380])
        self.stack = QStackedWidget()
        self.stack.addWidget(self.down)
        self.stack.addWidget(self.empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 12, 8)
        layout.setSpacing(8)
        layout.addWidget(self.bar)
        layout.addWidget(self.stack, 1)

    # -- what the window asks -------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Make the table that is asked for, off the main thread."""
        store = self.session.store
        if store is not None:
            known = self.shown.data if self.shown else None
            work = partial(show, store, self.bar.wanted(), known)
            self.session.run("cpu", work, self._take, self._refused, latest="results")

    def refresh(self, changes: Changes) -> None:
        """Read again when a run ended, a score changed or a release was made."""
        if changes.nouns & {"run", "score", "release", "response", "published"}:
            self.shown = self._target = None
            self.activate()
        elif changes.nouns & {"error_label", "decision"} and self.panel.found is not None:
            self._explain(self._response)
            if self.board.shown is not None and self.board.shown.name == "errors":
                self.activate()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return the export and what labels failed responses."""
        return {
            "results.export": self.export,
            "results.failed": self.show_failed,
            "results.label": self.choose_label,
        }

    def state(self) -> dict[str, Any]:
        """Return splitters and pins."""
        return {"down": self.down.sizes(), "below": self.below.sizes(), "pins": sorted(self.board.pins)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take splitters and pins back."""
        for name, splitter in (("down", self.down), ("below", self.below)):
            sizes = state.get(name)
            if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(size, int) for size in sizes):
                splitter.setSizes(sizes)
        pins = state.get("pins")
        if isinstance(pins, list):
            self.board.pins = {str(name) for name in pins}

    # -- the table ------------------------------------------------------------------------------------------------

    def _take(self, shown: Shown | None) -> None:
        self.shown = shown
        filled = shown is not None and bool(shown.labels)
        self.stack.setCurrentIndex(0 if filled else 1)
        self.bar.setVisible(filled)
        if shown is None or not filled:
            return
        self.bar.offer(shown.versions, shown.version, shown.protocols, shown.labels, shown.published)
        self._make_room()
        if shown.table is None:
            self.board.show_problem(self.bar.table.currentText(), shown.problem)
            return
        self.board.show_table(shown.table)
        if self._target is None or self.items.row_count() == 0:
            self.board.table.select(0)

    def _make_room(self) -> None:
        """Leave the figure the whole page; published tables have no responses below either."""
        self.below.setVisible(self.shown is not None and self.shown.data is not None and not self.board.has_figure_face)
        self.save.setEnabled(self.board.shown is not None)

    def _refused(self, failure: Failure) -> None:
        self.board.show_problem(self.bar.table.currentText(), failure.message)

    def _filter(self) -> None:
        self.board.set_filter(self.bar.filter.text())

    def _ask_scores(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self, tr("Scores of another benchmark"), "", tr("CSV or JSON (*.csv *.json)")
        )
        if path:
            self.bar.set_scores(Path(path))

    def compare(self, a: str, b: str) -> None:
        """Compare two models of the board."""
        self.bar.choose("compare", a, b)

    # -- the way down ---------------------------------------------------------------------------------------------

    def _open(self, target: Target) -> None:
        store, shown = self.session.store, self.shown
        if store is None or shown is None or shown.data is None or target == self._target:
            return
        self._target = target
        self.session.run(
            "read", partial(items_of, store, shown.data, target), partial(self._take_items, target),
            latest="result-items",
        )  # fmt: skip

    def _take_items(self, target: Target, rows: tuple[ItemScoreRow, ...]) -> None:
        one_item = target.kind == "item"
        first = "model" if one_item else "item"
        lines = [
            (
                Cell(row.model if one_item else row.title),
                Cell(str(row.sample + 1), row.sample),
                Cell(tr_known(row.outcome)),
                Cell("n/a", -1.0) if row.score is None else Cell(f"{row.score * 100:.2f}", row.score),
            )
            for row in rows
        ]
        self.items.set_rows((first, tr("sample"), tr("outcome"), tr("score %")), lines, list(rows))
        self.items_card.set_title(shortened(self._heading(target, rows), 40))
        self.items_card.set_trailing(tr("{count} responses", count=len(rows)))
        if rows:
            self.items.select(0)
        else:
            self.panel.clear()

    def _heading(self, target: Target, rows: tuple[ItemScoreRow, ...]) -> str:
        if target.kind == "item":
            return rows[0].title if rows else tr("Item")
        name = next(
            (label for label, run in (self.shown.runs if self.shown else ()) if run == target.run_id), tr("Items")
        )
        if target.kind == "failed":
            return tr("{name} · failed", name=name) + (f" · {target.value or tr('not labelled')}" if target.by else "")
        return f"{name} · {target.value}" if target.value else name

    def _show_item(self, row: ItemScoreRow) -> None:
        self._explain(row.response_id)

    def _explain(self, response_id: str) -> None:
        self._response = response_id
        store, shown = self.session.store, self.shown
        if store is not None and shown is not None:
            work = partial(explain, store, response_id, shown.data)
            self.session.run("cpu", work, self._take_response, latest="result-response")

    def _take_response(self, found: tuple[Explanation, tuple[LabelChoice, ...]]) -> None:
        self.panel.offer_labels(found[1])
        self.panel.show_response(found[0])

    def _show_other(self, row: ItemScoreRow) -> None:
        store = self.session.store
        if store is not None:
            self.session.run(
                "read", partial(answer_of, store, row.response_id), self.panel.show_other, latest="result-other"
            )

    # -- acts -----------------------------------------------------------------------------------------------------

    def _label(self, word: str, note: str) -> None:
        store, found = self.session.store, self.panel.found
        if store is not None and found is not None:
            work = partial(label_response, store, found.detail.response_id, word, note)
            self.session.act(work, self._go_on if word else None)

    def choose_label(self) -> None:
        """Open the labels below the response: a digit labels it and goes on to the next."""
        if self.panel.found is not None:
            menu = self.panel.label_menu()
            menu.popup(self.panel.label_add.mapToGlobal(self.panel.label_add.rect().topLeft()))

    def show_failed(self) -> None:
        """Go through the failed responses of the model shown that nobody has labelled yet, beside the reference."""
        target = self._target
        run = target.run_id if target is not None else ""
        runs = self.shown.runs if self.shown else ()
        if run or runs:
            self.panel.faces.choose(DIFF)
            self._open(Target("failed", run or runs[0][1], "label", ""))

    def _go_on(self, _changes: Changes) -> None:
        """After a label, show the next failed response of the list."""
        if self._target is not None and self._target.kind == "failed":
            self.items.select(min(self.items.currentIndex().row() + 1, self.items.row_count() - 1))

    def _send_back(self) -> None:
        if self.panel.found is not None:
            self._send_item(self.panel.found.subject_id)

    def _send_item(self, subject_id: str) -> None:
        store = self.session.store
        if store is not None:
            self.session.act(partial(send_back, store, subject_id), self._sent)

    def _sent(self, changes: Changes) -> None:
        self.session.say(tr("{label}. It waits in the queue again.", label=changes.label))

    def _open_item(self) -> None:
        if self.panel.found is not None:
            self.go_to.emit(Destination("Criterion", self.panel.found.subject_id))

    def export(self) -> None:
        """Ask for a file and write what is on screen: its ending says how."""
        name = self.board.shown.name if self.board.shown else "results"
        path, _ = QFileDialog.getSaveFileName(
            self, tr("Save the results"), beside_project(self.session, f"{name}.csv"), tr_known(_FILES)
        )
        if path:
            self.export_to(Path(path))

    def export_to(self, path: Path) -> None:
        """Write the table or figure on screen, or the whole report, off the main thread."""
        store, table = self.session.store, self._as_shown()
        if store is None or table is None:
            return
        wanted: Wanted = self.bar.wanted()
        work: Callable[[Progress], object] = partial(export, store, table, path, wanted)
        self.session.start_job(tr("Writing {name}", name=path.name), work, summary=partial(_written, path))

    def _as_shown(self) -> Table | None:
        """Return the table with the rows that are on screen."""
        found = self.board.shown
        if found is None:
            return None
        return Table(found.name, found.title, found.headers, tuple(self.board.rows()), found.numeric, found.notes)

    def _go_to_runs(self) -> None:
        self.go_to.emit(Destination("Runs"))


def _written(path: Path, _result: object) -> str:
    return tr("{name} was written.", name=path.name)
