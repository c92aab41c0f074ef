"""The list of runs with the acts on the one that is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QMenu

from annotator.model.rows.runs import resumable, retryable, state_word
from annotator.model.rows.views import RunRow
from annotator.ui.app.session.notices import Job
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.runs.run_detail import outcome_words
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button, label, say
from annotator.ui.widgets.layouts import CurrentStack, fill_layout, make_flow, make_stack
from annotator.ui.widgets.row_menu import add_buttons
from annotator.ui.widgets.table import Cell, DataTable, moment_cell

_FIRST = mark_for_translation(
    "Make a release first. Then ask a model over any OpenAI-compatible endpoint, or score recorded responses."
)
_NEXT = mark_for_translation(
    "Ask a model over any OpenAI-compatible endpoint with the form on the left, or score recorded responses."
)
_LEAST_HEIGHT = 190
_LEAST_EMPTY = 290


class RunList(Card):
    """Runs, newest first; ``jobs`` are those this window works on, by run id."""

    def __init__(self, theme: Theme, pause_key: str) -> None:
        """Show no run."""
        super().__init__(tr("Runs"))
        self.table = DataTable(tr("Runs"))
        self._runs: Sequence[RunRow] = ()
        self._wanted = ""
        self.go_on = button(tr("Resume"))
        self.pause = button(tr("Pause"), tip=pause_key)
        self.stop = button(tr("Stop"))
        self.retry = button(tr("Retry failed"))
        self.rescore = button(tr("Score again"))
        self.rescore.setToolTip(
            tr("Score the responses with the criteria as they stand in the project; nothing is asked")
        )
        self.results = button(tr("Results"))
        self.said = label("", wrap=True)
        self.said.hide()
        self.empty = EmptyState(theme, "ph.play", tr("No run yet"), _FIRST, tr("Go to Release"))
        self._acts = (self.go_on, self.pause, self.stop, self.retry, self.rescore, self.results)
        for made in self._acts:
            made.setEnabled(False)
        self.head.addLayout(make_flow(*self._acts))
        self.table.menu.add(self._fill_menu)
        self._theme = theme
        theme.changed.connect(self.updateGeometry)
        self.pause.hide()
        self.stack = make_stack(self.table, self.empty, kind=CurrentStack)
        fill_layout(self.body, self.said, (self.stack, 1))

    def minimumSizeHint(self) -> QSize:
        """Ask for room for runs below acts that stand in several rows, and for what is said while there are none."""
        hint = super().minimumSizeHint()
        least = _LEAST_EMPTY if self.stack.currentWidget() is self.empty else _LEAST_HEIGHT
        return QSize(hint.width(), max(self._theme.pixels(least), hint.height()))

    def _fill_menu(self, menu: QMenu) -> None:
        add_buttons(menu, self._acts)

    def fill(self, runs: Sequence[RunRow], jobs: Mapping[str, Job], chosen: str, *, releases: bool) -> None:
        """Show the runs and choose the one that was chosen, else the newest."""
        self.empty.button.setVisible(not releases)
        self.empty.set_text(tr("No run yet"), _NEXT if releases else _FIRST)
        self.stack.setCurrentWidget(self.table if runs else self.empty)
        waiting = sum(run.state == "planned" for run in runs)
        self.set_trailing(tr("{waiting} in the queue", waiting=waiting) if waiting else "")
        lines = [
            (
                Cell(run.model),
                Cell(run.version),
                Cell(translate_word(run.preset)),
                Cell(word_of(run, jobs.get(run.id))),
                Cell(tr("{done} of {expected}", done=f"{run.done:,}", expected=f"{run.expected:,}"), run.done),
                Cell(outcome_words(run.outcomes)),
                moment_cell(run.created_at),
            )
            for run in runs
        ]
        bar = self.table.verticalScrollBar()
        place = bar.value()
        headers = ("model", "release", "protocol", "state", "scored", "outcomes", "when")
        self.table.set_rows(headers, lines, list(runs), stretch=5)
        self._runs = runs
        wanted = next((at for at, run in enumerate(runs) if run.id == self._wanted), None)
        if wanted is not None:
            self._wanted = ""
            self.table.select(wanted)
        elif runs:
            self.table.select(next((at for at, run in enumerate(runs) if run.id == chosen), 0))
            bar.setValue(place)

    def choose(self, run_id: str) -> None:
        """Choose a run, now or as soon as it is listed."""
        at = next((at for at, run in enumerate(self._runs) if run.id == run_id), None)
        self._wanted = run_id if at is None else ""
        if at is not None:
            self.table.select(at)

    def allow(self, run: RunRow, job: Job | None) -> None:
        """Offer the acts that make sense for a run."""
        paused = job is not None and job.progress.paused
        # One of the two is there: a run that this window works on is paused, another one is resumed.
        self.go_on.setVisible(job is None)
        self.pause.setVisible(job is not None)
        self.pause.setText(tr("Resume") if paused else tr("Pause"))
        self.pause.setEnabled(job is not None and job.state == "running")
        self.stop.setEnabled(job is not None or (run.state == "planned" and not run.live))
        self.go_on.setText(tr("Start") if run.state == "planned" else tr("Resume"))
        self.go_on.setEnabled(job is None and resumable(run))
        self.retry.setEnabled(job is None and run.state != "planned" and retryable(run))
        self.rescore.setEnabled(job is None and not run.live and run.answered > 0)
        self.results.setEnabled(run.state == "done")

    def say(self, text: str) -> None:
        """Say what came of an act, above the list."""
        say(self.said, text)


def word_of(run: RunRow, job: Job | None) -> str:
    """Say where a run is; a job of this window knows better than what is on disk."""
    if job is None:
        return translate_word(state_word(run))
    if job.state == "waiting":
        return tr("queued")
    return tr("paused") if job.progress.paused else tr("running")
