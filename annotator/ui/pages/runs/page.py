"""Runs: start one with its forecast before, watch it, pause and go on, and look into every request."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QInputDialog

from annotator.evaluation.presets import Protocol
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.drafts import Draft
from annotator.model.rows.releases import ReleaseRow
from annotator.model.rows.runs import RequestRow, ScoreSetRow, SetupRow, resumable, retryable
from annotator.model.rows.views import RunRow
from annotator.services.release import release_list
from annotator.services.runs import rescoring, run_control, run_list, run_log, run_setups
from annotator.services.runs.execution import RunLive, Watch
from annotator.services.runs.rescoring import Rescored
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Destination, Page, PageContext
from annotator.ui.app.session.notices import Failure, Job
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word
from annotator.ui.pages.runs import run_form
from annotator.ui.pages.runs.run_detail import RunDetail, load_face
from annotator.ui.pages.runs.run_form import RunForm, RunInput
from annotator.ui.pages.runs.run_list import RunList
from annotator.ui.pages.runs.setup_dialog import SetupDialog
from annotator.ui.widgets.layouts import arrange, make_splitter

_LANE = "runs"
_ANSWERS = mark_for_translation("JSON lines (*.jsonl *.jsonl.gz *.eval *.json);;All (*)")
_DETAIL_S = 1.0
# Of the time, this share at most goes into reading a run that goes on.
_READ_SHARE = 0.05
_ELSEWHERE_MS = 2000


_Carry = Callable[[ProjectFile, str, Progress | None, Watch | None], tuple[RunRow, Changes]]
"""Resumes or retries a run."""


class RunsState(NamedTuple):
    """What the page shows: releases, runs, and what runs can be set up with."""

    releases: tuple[ReleaseRow, ...]
    runs: tuple[RunRow, ...]
    endpoints: tuple[SetupRow, ...]
    protocols: tuple[Protocol, ...]


@dataclass(frozen=True, slots=True)
class _Work:
    """A run that this window works on; the worker leaves in ``seen`` how far it is."""

    job: Job
    seen: deque[RunLive]


class RunsPage(Page):
    """Start runs, watch them and look into them."""

    name = "Runs"
    icon = "ph.play"

    def __init__(self, context: PageContext) -> None:
        """Put the form, the list and the detail together."""
        super().__init__(context)
        self._work: dict[str, _Work] = {}
        self._runs: tuple[RunRow, ...] = ()
        self._read_at = self._read_s = 0.0
        self._shown = self._releases = False
        self.form = RunForm(context.actions.keys("runs.start"))
        self.list = RunList(self.theme, context.actions.keys("runs.pause"))
        self.table, self.said = self.list.table, self.list.said
        self.detail = RunDetail(self.theme)
        # A run may go on in another process, which cannot tell this window.
        self._elsewhere = QTimer(self)
        self._elsewhere.setInterval(_ELSEWHERE_MS)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        right = make_splitter(Qt.Orientation.Vertical, self.list, self.detail, sizes=(260, 420))
        self._columns = arrange(QHBoxLayout(self), self.form, (right, 1), spacing=12, margins=(0, 8, 12, 8))
        self.theme.changed.connect(self._make_room)
        self._make_room()

    def _make_room(self) -> None:
        """Put the runs below the form where there is no room beside it; without a release, above it."""
        directions = QBoxLayout.Direction
        below = directions.TopToBottom if self._releases else directions.BottomToTop
        self._columns.setDirection(below if self.theme.is_cramped else directions.LeftToRight)
        self.form.set_wide(self.theme.is_cramped)

    def _connect(self) -> None:
        self.form.forecast_asked.connect(self._forecast)
        self.form.start_asked.connect(self.start)
        self.form.replay_asked.connect(self.choose_file)
        self.form.keep_asked.connect(self._keep)
        self.form.test_asked.connect(self._test)
        self.form.set_up.clicked.connect(self.set_up)
        self.table.row_selected.connect(self._select)
        self.table.row_activated.connect(self._open)
        self.list.empty.acted.connect(self._go_to_release)
        self.list.go_on.clicked.connect(self.resume_run)
        self.list.pause.clicked.connect(self.pause_run)
        self.list.stop.clicked.connect(self.stop_run)
        self.list.retry.clicked.connect(self.retry_run)
        self.list.rescore.clicked.connect(self.rescore_run)
        self.list.results.clicked.connect(self._go_to_results)
        self.detail.face_asked.connect(self._read_detail)
        self.detail.request_chosen.connect(self._read_request)
        self.detail.scores_chosen.connect(self._use_scores)
        self.session.jobs_changed.connect(self._tick)
        self._elsewhere.timeout.connect(self._read_runs)

    # -- what the window asks ----------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Load releases, runs and what runs can be set up with."""
        self._shown = True
        self._read_at = time.monotonic()
        self.session.run("read", partial(load_state, self.store), self.show_state, latest="runs")

    def deactivate(self) -> None:
        """Stop looking at runs of other processes."""
        self._shown = False
        self._elsewhere.stop()

    def refresh(self, changes: Changes) -> None:
        """Load again when runs, releases or setups changed."""
        if changes.nouns & {"run", "release", "response", "score", "setup"}:
            self.activate()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the acts on runs."""
        return {
            "runs.replay": self.choose_file,
            "runs.start": self.form.ask_start,
            "runs.pause": self.pause_run,
            "runs.setup": self.set_up,
        }

    def show_subject(self, subject_id: str) -> None:
        """Show a run: on this page the subjects are runs."""
        self.list.choose(subject_id)

    def state(self) -> dict[str, Any]:
        """Return what was typed into the form, but for prices and caps."""
        typed = self.form.read_input()
        return {name: getattr(typed, name) for name in ("model", "endpoint", "key_name", "protocol")}

    def restore(self, state: dict[str, Any]) -> None:
        """Put back what was typed."""
        for name, widget in (("model", self.form.model), ("key_name", self.form.key_name)):
            if isinstance(state.get(name), str):
                widget.setText(state[name])
        if isinstance(state.get("endpoint"), str):
            self.form.endpoint.setEditText(state["endpoint"])

    # -- starting ----------------------------------------------------------------------------------------------------

    def _forecast(self, typed: RunInput) -> None:
        work = partial(run_form.forecast_run, self.store, typed)
        self.session.run("cpu", work, self.form.show_forecast, self.form.clear_forecast, latest="run-forecast")

    def _test(self, typed: RunInput) -> None:
        work = partial(run_form.test_connection, self.store, typed)
        self.session.run("net", work, self.form.show_probe, self.form.clear_forecast, latest="run-test")

    def start(self, typed: RunInput) -> None:
        """Put a run into the queue; it starts when those before it have ended."""
        self.session.act(partial(run_form.plan_run, self.store, typed), self._planned, self.form.show_failure)

    def _planned(self, result: tuple[str, Changes]) -> None:
        self.list.choose(result[0])
        self._launch(result[0], run_control.resume, tr("Run"))

    def _launch(self, run_id: str, carry: _Carry, what: str) -> None:
        if run_id in self._work:
            return
        seen: deque[RunLive] = deque(maxlen=1)
        row = next((item for item in self._runs if item.id == run_id), None)
        name = tr("{what} of {words}", what=what, words=row.model if row else self.form.read_input().model)
        job = self.session.start_job(
            name,
            lambda progress: carry(self.store, run_id, progress, seen.append),
            partial(self._ended, run_id),
            partial(self._broke, run_id),
            summary=describe_end,
            lane=_LANE,
        )
        self._work[run_id] = _Work(job, seen)
        self.activate()

    def _ended(self, run_id: str, _result: object) -> None:
        self._work.pop(run_id, None)
        self.form.forecast_again()
        self.call_back()

    def _broke(self, run_id: str, failure: Failure) -> None:
        self._work.pop(run_id, None)
        self._say_failure(failure)
        self.activate()

    def choose_file(self) -> None:
        """Ask for a file of responses and score it."""
        folder = file_dialogs.project_folder(self.session)
        path = file_dialogs.choose_file(self, tr("Recorded responses"), translate_word(_ANSWERS), folder)
        if path is not None:
            self.replay(path)

    def replay(self, path: Path) -> None:
        """Score a file of responses against the chosen release, as a job."""
        typed = self.form.read_input()
        work = partial(
            run_control.start_replay,
            self.store,
            typed.release or None,
            path,
            (),
            name=typed.model,
            executor=typed.executor or "local",
        )
        self.list.say(tr("Scoring {name}…", name=path.name))
        self.session.start_job(
            tr("Scoring {name}", name=path.name),
            work,
            self._replayed,
            self._say_failure,
            summary=describe_replay,
            lane=_LANE,
        )

    def _replayed(self, result: tuple[tuple[RunRow, ...], Changes]) -> None:
        notes = "; ".join(f"{run.model}: {run.reason}" for run in result[0] if run.reason)
        self.list.say(f"{describe_replay(result)} {notes}".strip())
        if result[0]:
            self.list.choose(result[0][0].id)
        self.call_back()

    def _say_failure(self, failure: Failure) -> None:
        self.list.say("\n".join([failure.message, *failure.details[:6]]))
        self.call_back()

    def show_draft(self, draft: Draft) -> None:
        """Show what a draft is of among what runs are set up with."""
        self._open_setup(draft)

    def set_up(self) -> None:
        """Show what runs are set up with, to edit it."""
        self._open_setup(None)

    def _open_setup(self, draft: Draft | None) -> None:
        dialog = SetupDialog(self.session, self.theme, self)
        if draft is not None:
            dialog.show_draft(draft)
        dialog.exec()
        dialog.deleteLater()

    def _keep(self, typed: RunInput) -> None:
        if not typed.endpoint:
            return
        name, given = QInputDialog.getText(self, tr("Keep the endpoint"), tr("Name of this endpoint in the project:"))
        if given and name.strip():
            work = partial(run_form.keep_endpoint, self.store, name.strip(), typed)
            self.session.act(work, None, self.form.show_failure)

    # -- acts on the run that is chosen --------------------------------------------------------------------------------

    def _chosen(self) -> RunRow | None:
        run = self.detail.run
        return next((item for item in self._runs if run is not None and item.id == run.id), None)

    def resume_run(self) -> None:
        """Go on with the run that is chosen."""
        run = self._chosen()
        if run is not None and resumable(run):
            self._launch(run.id, run_control.resume, tr("Run"))

    def retry_run(self) -> None:
        """Complete what failed in machinery."""
        run = self._chosen()
        if run is not None and retryable(run):
            self._launch(run.id, run_control.retry, tr("Retry"))

    def pause_run(self) -> None:
        """Ask nothing more for now, or go on."""
        run = self._chosen()
        work = self._work.get(run.id) if run else None
        if work is not None:
            (work.job.progress.resume if work.job.progress.paused else work.job.progress.pause)()
            self.activate()
        else:
            self.resume_run()

    def stop_run(self) -> None:
        """End the run; what is on the wire is taken in and kept."""
        run = self._chosen()
        if run is None:
            return
        work = self._work.get(run.id)
        if work is not None and work.job.state == "running":
            work.job.progress.cancel()
            return
        if work is not None:
            work.job.progress.cancel()
            self._work.pop(run.id)
        self.session.act(partial(run_control.stop, self.store, run.id))

    def rescore_run(self) -> None:
        """Score the responses again with the project's criteria."""
        run = self._chosen()
        if run is not None:
            work = partial(rescoring.rescore, self.store, run.id, rescoring.PROJECT)
            self.session.start_job(
                tr("Scoring {model} again", model=run.model),
                work,
                self._rescored,
                self._say_failure,
                summary=describe_rescoring,
                lane=_LANE,
            )

    def _rescored(self, result: tuple[Rescored, Changes]) -> None:
        self.list.say(describe_rescoring(result))
        self.detail.read_again()

    def _use_scores(self, chosen: ScoreSetRow) -> None:
        run = self._chosen()
        if run is not None:
            self.session.act(partial(rescoring.use_scores, self.store, run.id, chosen.id), self._scores_used)

    def _scores_used(self, _changes: Changes) -> None:
        self.detail.read_again()

    # -- showing -----------------------------------------------------------------------------------------------------

    def show_state(self, state: RunsState) -> None:
        """Show everything that was read."""
        self._releases = bool(state.releases)
        self._make_room()
        self.form.set_choices(state.releases, state.endpoints, state.protocols)
        self._show_runs(state.runs)

    def _show_runs(self, runs: tuple[RunRow, ...]) -> None:
        self._runs = runs
        self._read_s = time.monotonic() - self._read_at
        self.detail.setVisible(bool(runs))
        chosen = self.detail.run.id if self.detail.run else ""
        jobs = {run_id: work.job for run_id, work in self._work.items()}
        self.list.fill(runs, jobs, chosen, releases=self._releases)
        others = any(run.live and run.id not in self._work for run in self._runs)
        if self._shown and others:
            self._elsewhere.start()
        else:
            self._elsewhere.stop()

    def _select(self, run: RunRow) -> None:
        self._show_run(run)
        self.detail.offer_others(self._runs)
        self._read_detail()

    def _show_run(self, run: RunRow) -> None:
        work = self._work.get(run.id)
        paused = work is not None and work.job.progress.paused
        self.detail.show_run(run, work.seen[-1] if work and work.seen else None, paused=paused)
        self.list.allow(run, work.job if work else None)

    def _tick(self) -> None:
        """Show how far the run is; its items are read again once a second while it goes on."""
        run = self._chosen()
        if not self._shown or run is None:
            return
        self._show_run(run)
        if run.id in self._work and time.monotonic() - self._read_at > max(_DETAIL_S, self._read_s / _READ_SHARE):
            self._read_runs()

    def _read_runs(self) -> None:
        self._read_at = time.monotonic()
        self.session.run("read", partial(run_list.list_runs, self.store), self._show_runs, latest="runs-list")

    def _read_detail(self, _changes: Changes | None = None) -> None:
        run = self.detail.run
        if run is not None:
            work = partial(
                load_face, self.store, run.id, self.detail.face, self.detail.beside, self.detail.search.text()
            )
            self.session.run("read", work, self.detail.show_face, latest="run-detail")

    def _read_request(self, row: RequestRow) -> None:
        run = self.detail.run
        if run is not None:
            work = partial(run_log.request_log, self.store, run.id, row.subject_id, row.sample)
            self.session.run("read", work, self.detail.show_request, latest="run-request")

    def _open(self, run: RunRow) -> None:
        if run.state == "done":
            self._go_to_results()

    def _go_to_results(self) -> None:
        run = self.detail.run
        self.go_to.emit(Destination("Results", run.id if run is not None else ""))

    def _go_to_release(self) -> None:
        self.go_to.emit(Destination("Release"))


def load_state(store: ProjectFile) -> RunsState:
    """Read everything the page shows."""
    releases, runs = release_list.list_releases(store), run_list.list_runs(store)
    return RunsState(releases, runs, run_setups.endpoints(store), run_setups.protocols(store))


def describe_end(result: tuple[RunRow, Changes]) -> str:
    """Say how a run ended."""
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
    """Say how many recorded responses were scored."""
    count = sum(run.done for run in result[0])
    answers = tr_count("{count} response", "{count} responses", count)
    models = tr_count("{count} model", "{count} models", len(result[0]))
    return tr("{answers} of {models} scored.", answers=answers, models=models)


def describe_rescoring(result: tuple[Rescored, Changes]) -> str:
    """Say what scoring again changed."""
    report = result[0]
    before, after = ("n/a" if value is None else f"{value * 100:.2f} %" for value in (report.before, report.after))
    return tr(
        "Scored again: {before} before, {after} now; {count} of {responses} scores differ.",
        before=before,
        after=after,
        count=len(report.differing),
        responses=report.responses,
    )
