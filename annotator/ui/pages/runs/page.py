"""The page Runs: estimate, start, pause and resume runs, and inspect their requests."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QBoxLayout, QMenu

from annotator.evaluation.presets import Protocol
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.project_rows import ReleaseRow
from annotator.model.rows.queue_rows import RunRow
from annotator.model.rows.run_rows import SetupRow, is_resumable, is_retryable, state_word
from annotator.services.release import release_list
from annotator.services.runs import rescoring, run_control, run_list, run_setups
from annotator.services.runs.execution import RunLive, Watch
from annotator.services.runs.rescoring import RescoreResult
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Destination, Page, PageContext
from annotator.ui.app.session.session_notices import SessionJob, WorkFailure
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word
from annotator.ui.pages.runs import run_form
from annotator.ui.pages.runs.run_detail import RunDetail, format_outcomes
from annotator.ui.pages.runs.run_form import RunForm, RunInput, score_recorded_file
from annotator.ui.pages.runs.setup_dialog import SetupDialog
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.labels import OptionalLabel, button
from annotator.ui.widgets.layouts import CurrentStack, fill_layout, fill_row, make_flow, make_splitter, make_stack
from annotator.ui.widgets.row_menu import add_buttons
from annotator.ui.widgets.table import Cell, DataTable, moment_cell

_NO_RELEASE_TEXT = mark_for_translation(
    "Create a release first. Then run a model at any OpenAI-compatible endpoint, or score recorded responses."
)
_NO_RUN_TEXT = mark_for_translation(
    "Run a model at any OpenAI-compatible endpoint with the form on the left, or score recorded responses."
)
_MIN_LIST_HEIGHT = 190
_MIN_EMPTY_HEIGHT = 290
"""Heights in pixels at 100 % text size: with some rows, and with the text of an empty list."""


class RunList(Card):
    """The list of runs, newest first, with buttons for the selected run."""

    def __init__(self, page: RunsPage, pause_key: str) -> None:
        super().__init__(tr("Runs"))
        self.table = DataTable(tr("Runs"))
        self._runs: Sequence[RunRow] = ()
        self._pending_run_id = ""
        self.resume_button = button(tr("Resume"), clicked=page.resume_run)
        self.pause_button = button(tr("Pause"), clicked=page.pause_run, tip=pause_key)
        self.stop_button = button(tr("Stop"), clicked=page.stop_run)
        self.retry_button = button(tr("Retry failed"), clicked=page.retry_run)
        tip = tr("Score the stored responses with the current criteria, without new requests to the model")
        self.rescore_button = button(tr("Score again"), clicked=page.rescore_run, tip=tip)
        self.results_button = button(tr("Results"), clicked=page.go_to_results)
        self.status_label = OptionalLabel()
        self.empty = EmptyState(page.theme, "ph.play", tr("No runs yet"), _NO_RELEASE_TEXT, tr("Go to Release"))
        self._run_buttons = (
            self.resume_button,
            self.pause_button,
            self.stop_button,
            self.retry_button,
            self.rescore_button,
            self.results_button,
        )
        for act_button in self._run_buttons:
            act_button.setEnabled(False)
        self.head.addLayout(make_flow(*self._run_buttons))
        self.table.menu.add(self._fill_menu)
        self._theme = page.theme
        self._theme.changed.connect(self.updateGeometry)
        self.pause_button.hide()
        self.stack = make_stack(self.table, self.empty, kind=CurrentStack)
        fill_layout(self.body, self.status_label, (self.stack, 1))

    def minimumSizeHint(self) -> QSize:
        """Return a height with room for some rows below wrapped buttons, or for the text of an empty list."""
        hint = super().minimumSizeHint()
        min_height = _MIN_EMPTY_HEIGHT if self.stack.currentWidget() is self.empty else _MIN_LIST_HEIGHT
        return QSize(hint.width(), max(self._theme.pixels(min_height), hint.height()))

    def _fill_menu(self, menu: QMenu) -> None:
        add_buttons(menu, self._run_buttons)

    def fill(self, runs: Sequence[RunRow], jobs: Mapping[str, SessionJob], selected_id: str, *, releases: bool) -> None:
        """Show the runs and select the pending one, ``selected_id`` or the newest; ``jobs`` are by run id."""
        self.empty.button.setVisible(not releases)
        self.empty.set_text(tr("No runs yet"), _NO_RUN_TEXT if releases else _NO_RELEASE_TEXT)
        self.stack.setCurrentWidget(self.table if runs else self.empty)
        waiting_count = sum(run.state == "planned" for run in runs)
        self.set_trailing(tr("{waiting} in the queue", waiting=waiting_count) if waiting_count else "")
        cells = [
            (
                run.model,
                run.version,
                translate_word(run.preset),
                run_state_text(run, jobs.get(run.id)),
                Cell(tr("{done} of {expected}", done=f"{run.done:,}", expected=f"{run.expected:,}"), run.done),
                format_outcomes(run.outcomes),
                moment_cell(run.created_at),
            )
            for run in runs
        ]
        bar = self.table.verticalScrollBar()
        scroll_position = bar.value()
        headers = ("model", "release", "protocol", "state", "scored", "outcomes", "when")
        self.table.set_rows(headers, cells, runs, stretch=5, spare=(2, 6))
        self._runs = runs
        pending_row = next((index for index, run in enumerate(runs) if run.id == self._pending_run_id), None)
        if pending_row is not None:
            self._pending_run_id = ""
            self.table.select(pending_row)
        elif runs:
            self.table.select(next((index for index, run in enumerate(runs) if run.id == selected_id), 0))
            bar.setValue(scroll_position)

    def choose(self, run_id: str) -> None:
        """Select a run now or as soon as it is listed."""
        index = next((index for index, run in enumerate(self._runs) if run.id == run_id), None)
        self._pending_run_id = run_id if index is None else ""
        if index is not None:
            self.table.select(index)

    def update_buttons(self, run: RunRow, job: SessionJob | None) -> None:
        """Enable the buttons that apply to a run."""
        is_paused = job is not None and job.progress.paused
        # A run of this window can be paused; any other can be resumed.
        self.resume_button.setVisible(job is None)
        self.pause_button.setVisible(job is not None)
        self.pause_button.setText(tr("Resume") if is_paused else tr("Pause"))
        self.pause_button.setEnabled(job is not None and job.state == "running")
        self.stop_button.setEnabled(job is not None or (run.state == "planned" and not run.live))
        self.resume_button.setText(tr("Start") if run.state == "planned" else tr("Resume"))
        self.resume_button.setEnabled(job is None and is_resumable(run))
        self.retry_button.setEnabled(job is None and run.state != "planned" and is_retryable(run))
        self.rescore_button.setEnabled(job is None and not run.live and run.answered > 0)
        self.results_button.setEnabled(run.state == "done")

    def say(self, text: str) -> None:
        """Show a message above the list."""
        self.status_label.setText(text)


def run_state_text(run: RunRow, job: SessionJob | None) -> str:
    """Return the state of a run as a word; a job of this window is more current than the stored state."""
    if job is None:
        return translate_word(state_word(run))
    if job.state == "waiting":
        return tr("queued")
    return tr("paused") if job.progress.paused else tr("running")


_LANE = "runs"
"""The queue of jobs in which runs wait for each other."""
_ANSWER_FILES = mark_for_translation("JSON lines (*.jsonl *.jsonl.gz *.eval *.json);;All (*)")
_MIN_REFRESH_S = 1.0
# Maximum share of the time that is spent on reloading a run in progress.
_MAX_READ_SHARE = 0.05
_OTHER_RUNS_MS = 2000


_RunWork = Callable[[ProjectFile, str, Progress | None, Watch | None], tuple[RunRow, Changes]]
"""A function that resumes or retries a run."""


class RunsState(NamedTuple):
    """The content of the page: releases, runs, and the available endpoints and protocols."""

    releases: tuple[ReleaseRow, ...]
    runs: tuple[RunRow, ...]
    endpoints: tuple[SetupRow, ...]
    protocols: tuple[Protocol, ...]


@dataclass(frozen=True, slots=True)
class _RunJob:
    """A run executed by this window; the worker keeps ``latest`` up to date with its progress."""

    job: SessionJob
    latest: deque[RunLive]


class RunsPage(Page):
    """Starts, watches and inspects runs."""

    name = "Runs"
    icon = "ph.play"

    def __init__(self, context: PageContext) -> None:
        """Build the form, the list and the detail."""
        super().__init__(context)
        self._run_jobs: dict[str, _RunJob] = {}
        self._runs: tuple[RunRow, ...] = ()
        self._read_at = self._read_duration_s = 0.0
        self._is_active = False
        self._has_releases = True
        self.form = RunForm(self.session, self.store, context.actions.keys("runs.start"))
        self.list = RunList(self, context.actions.keys("runs.pause"))
        self.table, self.status_label = self.list.table, self.list.status_label
        self.detail = RunDetail(self.session, self.store, self.theme)
        # Runs of other processes send no signals to this window, so they are polled.
        self._other_runs_timer = QTimer(self)
        self._other_runs_timer.setInterval(_OTHER_RUNS_MS)
        right = make_splitter(Qt.Orientation.Vertical, self.list, self.detail, sizes=(260, 420))
        self._columns = fill_row(self, self.form, (right, 1), spacing=12, margin=(0, 8, 12, 8))
        self.theme.changed.connect(self._fit_layout)
        self._fit_layout()
        self.form.start_requested.connect(self.start)
        self.form.replay_requested.connect(self.choose_file)
        self.form.set_up_button.clicked.connect(self.set_up)
        self.table.row_selected.connect(self._select)
        self.table.row_activated.connect(self._open_results)
        self.list.empty.acted.connect(self._go_to_release)
        self.session.jobs_changed.connect(self._update_selected)
        self._other_runs_timer.timeout.connect(self._read_runs)

    def _fit_layout(self) -> None:
        """Stack form and runs in a cramped window; without a release, the runs come first."""
        directions = QBoxLayout.Direction
        vertical = directions.TopToBottom if self._has_releases else directions.BottomToTop
        self._columns.setDirection(vertical if self.theme.is_cramped else directions.LeftToRight)
        self.form.set_wide(self.theme.is_cramped)

    # -- page interface ----------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Load releases, runs, endpoints and protocols."""
        self._is_active = True
        self._read_at = time.monotonic()
        self.session.run("read", partial(load_runs_state, self.store), self.show_state, latest="runs")

    def deactivate(self) -> None:
        """Stop polling runs of other processes."""
        self._is_active = False
        self._other_runs_timer.stop()

    def refresh(self, changes: Changes) -> None:
        """Reload when runs, releases or setups changed."""
        if changes.nouns & {"run", "release", "response", "score", "setup"}:
            self.activate()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the page's handlers by action id."""
        return {
            "runs.replay": self.choose_file,
            "runs.start": self.form.request_start,
            "runs.pause": self.pause_run,
            "runs.setup": self.set_up,
        }

    def show_subject(self, subject_id: str) -> None:
        """Select a run; links to this page carry a run id in place of a subject id."""
        self.list.choose(subject_id)

    def state(self) -> dict[str, Any]:
        """Return the form's model, endpoint, key name and protocol; prices and caps are not kept."""
        run_input = self.form.read_input()
        return {name: getattr(run_input, name) for name in ("model", "endpoint", "key_name", "protocol")}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the form's model, key name and endpoint."""
        for name, widget in (("model", self.form.model), ("key_name", self.form.key_name)):
            if isinstance(state.get(name), str):
                widget.setText(state[name])
        if isinstance(state.get("endpoint"), str):
            self.form.endpoint.setEditText(state["endpoint"])

    # -- starting ----------------------------------------------------------------------------------------------------

    def start(self, run_input: RunInput) -> None:
        """Queue a run; it starts after the runs before it."""
        self.session.act(
            partial(run_form.queue_entered_run, self.store, run_input), self._launch_planned, self.form.show_failure
        )

    def _launch_planned(self, result: tuple[str, Changes]) -> None:
        self.list.choose(result[0])
        self._launch(result[0], run_control.resume_execution, tr("Run"))

    def _launch(self, run_id: str, run_work: _RunWork, verb: str) -> None:
        if run_id in self._run_jobs:
            return
        latest_live: deque[RunLive] = deque(maxlen=1)
        row = next((item for item in self._runs if item.id == run_id), None)
        name = tr("{action} of {model}", action=verb, model=row.model if row else self.form.read_input().model)
        job = self.session.start_job(
            name,
            lambda progress: run_work(self.store, run_id, progress, latest_live.append),
            partial(self._finish_run_job, run_id),
            partial(self._show_run_failure, run_id),
            summary=describe_run_end,
            lane=_LANE,
        )
        self._run_jobs[run_id] = _RunJob(job, latest_live)
        self.activate()

    def _finish_run_job(self, run_id: str, _result: object) -> None:
        self._run_jobs.pop(run_id, None)
        self.form.refresh_forecast()
        self.alert_user()

    def _show_run_failure(self, run_id: str, failure: WorkFailure) -> None:
        self._run_jobs.pop(run_id, None)
        self._say_failure(failure)
        self.activate()

    def choose_file(self) -> None:
        """Ask for a file of responses and score it."""
        folder = file_dialogs.project_folder(self.session)
        path = file_dialogs.choose_file(self, tr("Recorded responses"), translate_word(_ANSWER_FILES), folder)
        if path is not None:
            self.replay(path)

    def replay(self, path: Path) -> None:
        """Score a file of responses against the chosen release, as a job."""
        work = partial(score_recorded_file, self.store, self.form.read_input(), path)
        self.list.say(tr("Scoring {name}…", name=path.name))
        self.session.start_job(
            tr("Scoring {name}", name=path.name),
            work,
            self._show_replayed,
            self._say_failure,
            summary=describe_replay,
            lane=_LANE,
            on_end=partial(self.list.say, ""),
        )

    def _show_replayed(self, result: tuple[tuple[RunRow, ...], Changes]) -> None:
        notes = "; ".join(f"{run.model}: {run.reason}" for run in result[0] if run.reason)
        self.list.say(f"{describe_replay(result)} {notes}".strip())
        if result[0]:
            self.list.choose(result[0][0].id)
        self.alert_user()

    def _say_failure(self, failure: WorkFailure) -> None:
        self.list.say("\n".join([failure.message, *failure.details[:6]]))
        self.alert_user()

    def show_draft(self, draft: Draft) -> None:
        """Open the setup dialog with the entry of a draft."""
        self._open_setup(draft)

    def set_up(self) -> None:
        """Open the setup dialog."""
        self._open_setup(None)

    def _open_setup(self, draft: Draft | None) -> None:
        dialog = SetupDialog(self.session, self.theme, self)
        if draft is not None:
            dialog.show_draft(draft)
        dialog.exec()
        dialog.deleteLater()

    # -- acts on the selected run --------------------------------------------------------------------------------------

    def _selected_run(self) -> RunRow | None:
        run = self.detail.run
        return next((item for item in self._runs if run is not None and item.id == run.id), None)

    def resume_run(self) -> None:
        """Resume the selected run."""
        run = self._selected_run()
        if run is not None and is_resumable(run):
            self._launch(run.id, run_control.resume_execution, tr("Run"))

    def retry_run(self) -> None:
        """Repeat the selected run's requests without an answer, and score its unscored answers again."""
        run = self._selected_run()
        if run is not None and is_retryable(run):
            self._launch(run.id, run_control.retry_failures, tr("Retry"))

    def pause_run(self) -> None:
        """Pause the selected run, or resume it."""
        run = self._selected_run()
        run_job = self._run_jobs.get(run.id) if run else None
        if run_job is not None:
            progress = run_job.job.progress
            if progress.paused:
                progress.resume()
            else:
                progress.pause()
            self.activate()
        else:
            self.resume_run()

    def stop_run(self) -> None:
        """Stop the selected run; answers to requests already sent are still saved."""
        run = self._selected_run()
        if run is None:
            return
        run_job = self._run_jobs.get(run.id)
        if run_job is not None:
            run_job.job.progress.cancel()
            if run_job.job.state == "running":
                return
            self._run_jobs.pop(run.id)
        self.session.act(partial(run_control.stop_run, self.store, run.id))

    def rescore_run(self) -> None:
        """Score the selected run again with the project's current criteria."""
        run = self._selected_run()
        if run is not None:
            work = partial(rescoring.rescore_responses, self.store, run.id, rescoring.PROJECT)
            self.session.start_job(
                tr("Scoring {model} again", model=run.model),
                work,
                self._show_rescored,
                self._say_failure,
                summary=describe_rescoring,
                lane=_LANE,
            )

    def _show_rescored(self, result: tuple[RescoreResult, Changes]) -> None:
        self.list.say(describe_rescoring(result))
        self.detail.reload()

    # -- showing -----------------------------------------------------------------------------------------------------

    def show_state(self, state: RunsState) -> None:
        """Show the loaded content."""
        self._has_releases = bool(state.releases)
        self._fit_layout()
        self.form.set_choices(state.releases, state.endpoints, state.protocols)
        self._show_runs(state.runs)

    def _show_runs(self, runs: tuple[RunRow, ...]) -> None:
        self._runs = runs
        self._read_duration_s = time.monotonic() - self._read_at
        self.detail.setVisible(bool(runs))
        selected_id = self.detail.run.id if self.detail.run else ""
        jobs = {run_id: run_job.job for run_id, run_job in self._run_jobs.items()}
        self.list.fill(runs, jobs, selected_id, releases=self._has_releases)
        has_others = any(run.live and run.id not in self._run_jobs for run in self._runs)
        if self._is_active and has_others:
            self._other_runs_timer.start()
        else:
            self._other_runs_timer.stop()

    def _select(self, run: RunRow) -> None:
        self._show_run(run)
        self.detail.list_other_runs(self._runs)
        self.detail.load_face()

    def _show_run(self, run: RunRow) -> None:
        run_job = self._run_jobs.get(run.id)
        is_paused = run_job is not None and run_job.job.progress.paused
        self.detail.show_run(run, run_job.latest[-1] if run_job and run_job.latest else None, paused=is_paused)
        self.list.update_buttons(run, run_job.job if run_job else None)

    def _update_selected(self) -> None:
        """Show the selected run's progress; reload at most once a second while it is in progress."""
        run = self._selected_run()
        if not self._is_active or run is None:
            return
        self._show_run(run)
        if run.id in self._run_jobs and time.monotonic() - self._read_at > max(
            _MIN_REFRESH_S, self._read_duration_s / _MAX_READ_SHARE
        ):
            self._read_runs()

    def _read_runs(self) -> None:
        self._read_at = time.monotonic()
        self.session.run("read", partial(run_list.list_runs, self.store), self._show_runs, latest="runs-list")

    def _open_results(self, run: RunRow) -> None:
        if run.state == "done":
            self.go_to_results()

    def go_to_results(self) -> None:
        """Show the results of the selected run."""
        run = self.detail.run
        self.go_to.emit(Destination("Results", run.id if run is not None else ""))

    def _go_to_release(self) -> None:
        self.go_to.emit(Destination("Release"))


def load_runs_state(store: ProjectFile) -> RunsState:
    """Load the content of the page."""
    releases, runs = release_list.list_releases(store), run_list.list_runs(store)
    return RunsState(releases, runs, run_setups.list_endpoints(store), run_setups.list_protocols(store))


def describe_run_end(result: tuple[RunRow, Changes]) -> str:
    """Return a sentence on the end of a run."""
    run = result[0]
    ending = f" {run.reason}" if run.reason else ""
    return tr(
        "Run of {model} {state}: {done} of {expected} responses scored.{ending}",
        model=run.model,
        state=translate_word(run.state),
        done=f"{run.done:,}",
        expected=f"{run.expected:,}",
        ending=ending,
    )


def describe_replay(result: tuple[tuple[RunRow, ...], Changes]) -> str:
    """Return a sentence with the number of recorded responses scored."""
    count = sum(run.done for run in result[0])
    response_count = tr_count("{count} response", "{count} responses", count)
    model_count = tr_count("{count} model", "{count} models", len(result[0]))
    return tr("{answers} of {models} scored.", answers=response_count, models=model_count)


def describe_rescoring(result: tuple[RescoreResult, Changes]) -> str:
    """Return a sentence on the scores before and after scoring again."""
    report = result[0]
    before, after = ("n/a" if value is None else f"{value * 100:.2f} %" for value in (report.before, report.after))
    return tr(
        "Scored again: {before} before, {after} now; {count} of {responses} scores changed.",
        before=before,
        after=after,
        count=len(report.differing),
        responses=report.responses,
    )
