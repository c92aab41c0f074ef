"""Runs: score recorded responses against a release, and see every run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QStackedWidget, QVBoxLayout

from annotator.base import clock
from annotator.jobs.progress import Progress
from annotator.model.rows import Changes, ReleaseRow, RunRow
from annotator.ui.notices import Failure
from annotator.ui.page import Destination, Page, PageContext
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.table import Cell, DataTable

_OUTCOMES = ("pass", "partial", "fail", "empty", "refusal", "truncated", "machinery")


class RunsPage(Page):
    """Start a replay and watch the runs."""

    name = "Runs"
    icon = "ph.play"

    def __init__(self, context: PageContext) -> None:
        """Put the form and the list together."""
        super().__init__(context)
        self.form = Card("Score recorded responses")
        self.release = QComboBox()
        self.release.setAccessibleName("Release")
        self.release.setMinimumContentsLength(12)
        self.choose = button("Choose a file…", primary=True)
        self.choose.clicked.connect(self.choose_file)
        self.said = label(
            "A file of JSON lines with subject, model, sample and response: every model in it becomes a run. Asking "
            "models over an endpoint is not in this version.",
            "dim",
            wrap=True,
        )
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(label("Release"))
        row.addWidget(self.release)
        row.addStretch(1)
        row.addWidget(self.choose)
        self.form.body.addLayout(row)
        self.form.body.addWidget(self.said)
        self.list_card = Card("Runs", "Open a run to see its results")
        self.table = DataTable("Runs")
        self.table.row_activated.connect(self._open)
        self.empty = EmptyState(
            self.theme,
            "ph.play",
            "No run yet",
            "Make a release first, then score recorded responses of models against it.",
            "Go to Release",
        )
        self.empty.acted.connect(self._go_to_release)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        self.list_card.body.addWidget(self.stack)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 12, 8)
        layout.setSpacing(12)
        layout.addWidget(self.form)
        layout.addWidget(self.list_card, 1)

    def activate(self) -> None:
        """Load releases and runs."""
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(_state, store), self._take, latest="runs")

    def refresh(self, changes: Changes) -> None:
        """Load again when runs or releases changed."""
        if changes.nouns & {"run", "release", "response"}:
            self.activate()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return the replay."""
        return {"runs.replay": self.choose_file}

    def choose_file(self) -> None:
        """Ask for a file of responses and score it."""
        name, _ = QFileDialog.getOpenFileName(
            self, "Recorded responses", "", "JSON lines (*.jsonl *.jsonl.gz);;All (*)"
        )
        if name:
            self.replay(Path(name))

    def replay(self, path: Path) -> None:
        """Score a file of responses against the chosen release, as a job."""
        store, version = self.session.store, self.release.currentData()
        if store is None:
            return
        self._say(f"Scoring {path.name}…")
        work = partial(_replay, store, version, path)
        self.session.start_job(f"Scoring {path.name}", work, self._done, self._failed, summary=_summary)

    def _take(self, state: tuple[tuple[ReleaseRow, ...], tuple[RunRow, ...]]) -> None:
        releases, runs = state
        chosen = self.release.currentData()
        self.release.clear()
        for row in releases:
            self.release.addItem(f"{row.version} ({row.item_count} items)", row.version)
        self.release.setCurrentIndex(max(0, self.release.findData(chosen)))
        self.choose.setEnabled(bool(releases))
        self.stack.setCurrentWidget(self.table if runs else self.empty)
        self.empty.button.setVisible(not releases)
        lines = [
            (
                Cell(run.model),
                Cell(run.version),
                Cell(run.preset),
                Cell(run.state),
                Cell(f"{run.done} of {run.expected}", run.done),
                Cell(", ".join(f"{run.outcomes[name]} {name}" for name in _OUTCOMES if run.outcomes.get(name))),
                Cell(clock.ago(clock.parse(run.created_at)), run.created_at),
            )
            for run in runs
        ]
        headers = ("model", "release", "protocol", "state", "responses", "outcomes", "when")
        self.table.set_rows(headers, lines, list(runs), stretch=5)

    def _done(self, result: tuple[tuple[RunRow, ...], Changes]) -> None:
        notes = "; ".join(f"{run.model}: {run.reason}" for run in result[0] if run.reason)
        self._say(f"{_summary(result)} {notes}".strip())

    def _failed(self, failure: Failure) -> None:
        self._say("\n".join([failure.message, *failure.details[:6]]))

    def _say(self, text: str) -> None:
        self.said.setText(text)

    def _open(self, _run: RunRow) -> None:
        self.go_to.emit(Destination("Results"))

    def _go_to_release(self) -> None:
        self.go_to.emit(Destination("Release"))


def _summary(result: tuple[tuple[RunRow, ...], Changes]) -> str:
    count = sum(run.done for run in result[0])
    return f"{count} responses of {len(result[0])} models scored."


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _state(store: object) -> tuple[tuple[ReleaseRow, ...], tuple[RunRow, ...]]:
    from annotator.services import releasing, running

    return releasing.releases(store), running.runs(store)  # type: ignore[arg-type]  # see above


def _replay(store: object, version: str | None, path: Path, progress: Progress) -> tuple[tuple[RunRow, ...], Changes]:
    from annotator.services import running

    return running.start_replay(store, version, path, (), progress)  # type: ignore[arg-type]  # see above
