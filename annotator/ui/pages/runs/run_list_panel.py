"""The list of runs with the acts on the selected one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QMenu

from annotator.model.rows.run_rows import is_resumable, is_retryable, state_word
from annotator.model.rows.view_rows import RunRow
from annotator.ui.app.session.session_notices import SessionJob
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.runs.run_detail import format_outcomes
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button, label, set_label_text
from annotator.ui.widgets.layouts import CurrentStack, fill_layout, make_flow, make_stack
from annotator.ui.widgets.row_menu import add_buttons
from annotator.ui.widgets.table import Cell, DataTable, moment_cell

_NO_RELEASE_TEXT = mark_for_translation(
    "Create a release first. Then run a model at any OpenAI-compatible endpoint, or score recorded responses."
)
_NO_RUN_TEXT = mark_for_translation(
    "Run a model at any OpenAI-compatible endpoint with the form on the left, or score recorded responses."
)
_MIN_HEIGHT = 190
_MIN_EMPTY_HEIGHT = 290


class RunList(Card):
    """Runs, newest first, with the acts on the selected run."""

    def __init__(self, theme: Theme, pause_key: str) -> None:
        super().__init__(tr("Runs"))
        self.table = DataTable(tr("Runs"))
        self._runs: Sequence[RunRow] = ()
        self._pending_run_id = ""
        self.go_on = button(tr("Resume"))
        self.pause = button(tr("Pause"), tip=pause_key)
        self.stop = button(tr("Stop"))
        self.retry = button(tr("Retry failed"))
        self.rescore = button(tr("Score again"))
        self.rescore.setToolTip(
            tr("Score the stored responses with the current criteria, without new requests to the model")
        )
        self.results = button(tr("Results"))
        self.status_label = label("", wrap=True)
        self.status_label.hide()
        self.empty = EmptyState(theme, "ph.play", tr("No runs yet"), _NO_RELEASE_TEXT, tr("Go to Release"))
        self._acts = (self.go_on, self.pause, self.stop, self.retry, self.rescore, self.results)
        for act_button in self._acts:
            act_button.setEnabled(False)
        self.head.addLayout(make_flow(*self._acts))
        self.table.menu.add(self._fill_menu)
        self._theme = theme
        theme.changed.connect(self.updateGeometry)
        self.pause.hide()
        self.stack = make_stack(self.table, self.empty, kind=CurrentStack)
        fill_layout(self.body, self.status_label, (self.stack, 1))

    def minimumSizeHint(self) -> QSize:
        """Return a height for some rows below wrapped acts, or for the text of an empty list."""
        hint = super().minimumSizeHint()
        min_height = _MIN_EMPTY_HEIGHT if self.stack.currentWidget() is self.empty else _MIN_HEIGHT
        return QSize(hint.width(), max(self._theme.pixels(min_height), hint.height()))

    def _fill_menu(self, menu: QMenu) -> None:
        add_buttons(menu, self._acts)

    def fill(self, runs: Sequence[RunRow], jobs: Mapping[str, SessionJob], selected_id: str, *, releases: bool) -> None:
        """Show the runs and select the pending one, ``selected_id`` or the newest; ``jobs`` are by run id."""
        self.empty.button.setVisible(not releases)
        self.empty.set_text(tr("No runs yet"), _NO_RUN_TEXT if releases else _NO_RELEASE_TEXT)
        self.stack.setCurrentWidget(self.table if runs else self.empty)
        waiting_count = sum(run.state == "planned" for run in runs)
        self.set_trailing(tr("{waiting} in the queue", waiting=waiting_count) if waiting_count else "")
        cells = [
            (
                Cell(run.model),
                Cell(run.version),
                Cell(translate_word(run.preset)),
                Cell(run_state_text(run, jobs.get(run.id))),
                Cell(tr("{done} of {expected}", done=f"{run.done:,}", expected=f"{run.expected:,}"), run.done),
                Cell(format_outcomes(run.outcomes)),
                moment_cell(run.created_at),
            )
            for run in runs
        ]
        bar = self.table.verticalScrollBar()
        place = bar.value()
        headers = ("model", "release", "protocol", "state", "scored", "outcomes", "when")
        self.table.set_rows(headers, cells, list(runs), stretch=5)
        self._runs = runs
        pending_row = next((index for index, run in enumerate(runs) if run.id == self._pending_run_id), None)
        if pending_row is not None:
            self._pending_run_id = ""
            self.table.select(pending_row)
        elif runs:
            self.table.select(next((index for index, run in enumerate(runs) if run.id == selected_id), 0))
            bar.setValue(place)

    def choose(self, run_id: str) -> None:
        """Select a run now or as soon as it is listed."""
        index = next((index for index, run in enumerate(self._runs) if run.id == run_id), None)
        self._pending_run_id = run_id if index is None else ""
        if index is not None:
            self.table.select(index)

    def allow(self, run: RunRow, job: SessionJob | None) -> None:
        """Enable the acts that are possible for a run."""
        is_paused = job is not None and job.progress.paused
        # A run of this window can be paused; any other can be resumed.
        self.go_on.setVisible(job is None)
        self.pause.setVisible(job is not None)
        self.pause.setText(tr("Resume") if is_paused else tr("Pause"))
        self.pause.setEnabled(job is not None and job.state == "running")
        self.stop.setEnabled(job is not None or (run.state == "planned" and not run.live))
        self.go_on.setText(tr("Start") if run.state == "planned" else tr("Resume"))
        self.go_on.setEnabled(job is None and is_resumable(run))
        self.retry.setEnabled(job is None and run.state != "planned" and is_retryable(run))
        self.rescore.setEnabled(job is None and not run.live and run.answered > 0)
        self.results.setEnabled(run.state == "done")

    def say(self, text: str) -> None:
        """Show the outcome of an act above the list."""
        set_label_text(self.status_label, text)


def run_state_text(run: RunRow, job: SessionJob | None) -> str:
    """Return the state of a run as a word; a job of this window is more current than the stored state."""
    if job is None:
        return translate_word(state_word(run))
    if job.state == "waiting":
        return tr("queued")
    return tr("paused") if job.progress.paused else tr("running")
