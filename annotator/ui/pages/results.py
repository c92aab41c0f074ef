"""Results: the leaderboard, a model's items, and one response explained."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QSplitter, QStackedWidget, QVBoxLayout

from annotator.model.rows import Changes, ItemScoreRow, Leaderboard, LeaderboardRow, ResponseDetail
from annotator.ui.page import Destination, Page, PageContext
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code_view import CodeView
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button
from annotator.ui.widgets.table import Cell, DataTable

if TYPE_CHECKING:
    from annotator.criteria import Scored

_GROUPS = ("language", "domain", "task", "difficulty")
_HEADERS = ("rank", "model", "score %", "95 % interval", "pass", "partial", "fail", "no answer", "not scored", "items")


@dataclass(frozen=True, slots=True)
class Explained:
    """One response with its score rule by rule."""

    detail: ResponseDetail
    scored: Scored | None


class ResultsPage(Page):
    """From the leaderboard down to one response."""

    name = "Results"
    icon = "ph.chart-bar"

    def __init__(self, context: PageContext) -> None:
        """Put the leaderboard and the drill-down together."""
        super().__init__(context)
        self.board: Leaderboard | None = None
        self.board_card = Card("Leaderboard")
        self.group = QComboBox()
        self.group.setAccessibleName("Columns by")
        self.group.addItem("Totals", "")
        for name in _GROUPS:
            self.group.addItem(f"By {name}", name)
        self.group.currentIndexChanged.connect(self._show_board)
        self.save_csv = button("Save as CSV…")
        self.save_csv.clicked.connect(self.export)
        self.board_card.head.addWidget(self.group)
        self.board_card.head.addWidget(self.save_csv)
        self.table = DataTable("Leaderboard")
        self.table.row_selected.connect(self._show_model)
        self.board_card.body.addWidget(self.table)
        self.items_card = Card("Items")
        self.items = DataTable("Items of the model")
        self.items.row_selected.connect(self._show_item)
        self.items_card.body.addWidget(self.items)
        self.response_card = Card("Response")
        self.response = CodeView(self.theme, "Response with what matched", language="markdown")
        self.response.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
        self.rules = DataTable("Rules and their points")
        self.response_card.body.addWidget(self.response, 3)
        self.response_card.body.addWidget(self.rules, 2)
        self.empty = EmptyState(
            self.theme,
            "ph.chart-bar",
            "No result yet",
            "Score recorded responses on the Runs page; the leaderboard with its intervals appears here.",
            "Go to Runs",
        )
        self.empty.acted.connect(self._go_to_runs)
        below = QSplitter(Qt.Orientation.Horizontal)
        down = QSplitter(Qt.Orientation.Vertical)
        for splitter in (below, down):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(12)
        below.addWidget(self.items_card)
        below.addWidget(self.response_card)
        below.setSizes([520, 620])
        down.addWidget(self.board_card)
        down.addWidget(below)
        down.setSizes([260, 520])
        self.stack = QStackedWidget()
        self.stack.addWidget(down)
        self.stack.addWidget(self.empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 12, 8)
        layout.addWidget(self.stack)

    def activate(self) -> None:
        """Load the leaderboard."""
        store = self.session.store
        if store is not None:
            self.session.run("cpu", partial(_board, store), self._take_board, latest="results")

    def refresh(self, changes: Changes) -> None:
        """Load again when a run ended."""
        if changes.nouns & {"run", "score", "release"}:
            self.activate()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return the export."""
        return {"results.export": self.export}

    def export(self) -> None:
        """Ask for a file and write the table on screen as CSV."""
        name, _ = QFileDialog.getSaveFileName(self, "Save the leaderboard", "leaderboard.csv", "CSV (*.csv)")
        if name:
            self.export_to(Path(name))

    def export_to(self, path: Path) -> None:
        """Write the table on screen as CSV, off the main thread."""
        headers, rows = self._cells()
        lines = [headers, *([cell.text for cell in row] for row in rows)]
        self.session.run("net", partial(_write_csv, path, lines), partial(self._exported, path))

    def _exported(self, path: Path, _nothing: None) -> None:
        self.session.say(f"The leaderboard was written to {path.name}.")

    def _take_board(self, board: Leaderboard | None) -> None:
        self.board = board
        filled = board is not None and bool(board.rows)
        self.stack.setCurrentIndex(0 if filled else 1)
        if board is not None and filled:
            failed = sum(row.machinery for row in board.rows)
            note = f" · {failed} responses could not be scored here and count for nothing" if failed else ""
            self.board_card.set_trailing(f"release {board.version} · {board.items} items{note}")
            self._show_board()

    def _show_board(self, _index: int = 0) -> None:
        if self.board is None:
            return
        headers, rows = self._cells()
        self.table.set_rows(headers, rows, list(self.board.rows), stretch=1)
        self.table.select(0)

    def _cells(self) -> tuple[list[str], list[list[Cell]]]:
        board = self.board
        if board is None:
            return [], []
        by = self.group.currentData()
        groups = sorted({name for row in board.rows for name in row.groups[by]}) if by else []
        if by:
            headers = ["rank", "model", "score %", *groups]
            rows = [
                [Cell(str(row.rank), row.rank), Cell(row.model), _percent(row.score)]
                + [_percent(row.groups[by].get(name)) for name in groups]
                for row in board.rows
            ]
            return headers, rows
        return list(_HEADERS), [_totals(row, board.items) for row in board.rows]

    def _show_model(self, row: LeaderboardRow) -> None:
        store = self.session.store
        if store is not None:
            self.items_card.set_title(row.model)
            self.session.run("read", partial(_items, store, row.run_id), self._take_items, latest="result-items")

    def _take_items(self, rows: tuple[ItemScoreRow, ...]) -> None:
        lines = [
            (
                Cell(row.title),
                Cell(row.language),
                Cell(str(row.sample + 1), row.sample),
                Cell(row.outcome),
                _percent(row.score),
            )
            for row in rows
        ]
        self.items.set_rows(("item", "language", "sample", "outcome", "score %"), lines, list(rows))
        self.items_card.set_trailing(f"{len(rows)} responses")
        self.items.select(0)

    def _show_item(self, row: ItemScoreRow) -> None:
        store = self.session.store
        if store is not None:
            self.session.run(
                "cpu", partial(_explain, store, row.response_id), self._take_response, latest="result-response"
            )

    def _take_response(self, found: Explained) -> None:
        detail, scored = found.detail, found.scored
        self.response_card.set_title(detail.title)
        score = "not scored" if detail.score is None else f"{detail.score * 100:.2f} %"
        self.response_card.set_trailing(f"{detail.model} · sample {detail.sample + 1} · {detail.outcome} · {score}")
        self.response.set_code(detail.text, "markdown")
        rules = scored.rules if scored else ()
        self.response.set_marks([(start, end, "good") for rule in rules for start, end in rule.spans])
        lines = [
            (
                Cell("not judged" if rule.matched is None else ("✓ yes" if rule.matched else "✗ no")),
                Cell(rule.label),
                Cell(f"{rule.points:g} of {rule.total:g}", rule.points),
                Cell(rule.why),
            )
            for rule in rules
        ]
        self.rules.set_rows(("found", "rule", "points", "why"), lines, list(rules), stretch=(1, 3))

    def _go_to_runs(self) -> None:
        self.go_to.emit(Destination("Runs"))


def _percent(value: float | None) -> Cell:
    return Cell("n/a", -1.0) if value is None else Cell(f"{value * 100:.2f}", value)


def _totals(row: LeaderboardRow, items: int) -> list[Cell]:
    interval = "n/a"
    if row.low is not None and row.high is not None:
        interval = f"{row.low * 100:.1f} to {row.high * 100:.1f}"
    counts = (row.passed, row.partial, row.failed, row.no_answer, row.machinery)
    head = [Cell(str(row.rank), row.rank), Cell(row.model), _percent(row.score), Cell(interval, row.low or 0.0)]
    return [*head, *(Cell(str(count), count) for count in counts), Cell(f"{row.items} of {items}", row.items)]


def _write_csv(path: Path, lines: list[list[str]]) -> None:
    from annotator.base.errors import MissingEnvironmentError

    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} could not be written ({error.strerror}).") from error


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _board(store: object) -> Leaderboard | None:
    from annotator.services import releasing, results

    if not releasing.releases(store):  # type: ignore[arg-type]  # see above
        return None
    return results.leaderboard(store)  # type: ignore[arg-type]  # see above


def _items(store: object, run_id: str) -> tuple[ItemScoreRow, ...]:
    from annotator.services import results

    return results.items(store, run_id)  # type: ignore[arg-type]  # see above


def _explain(store: object, response_id: str) -> Explained:
    from annotator.criteria import check, score
    from annotator.services import results

    detail = results.response_detail(store, response_id)  # type: ignore[arg-type]  # see above
    document = check(detail.source, detail.files).document
    return Explained(detail, score(document, detail.text) if document else None)
