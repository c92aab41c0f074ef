"""The session: the open project, and the work that the window runs on it in worker threads."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from annotator.base.addresses import Place
from annotator.base.errors import BadInputError, DamagedFileError
from annotator.base.messages import Message
from annotator.jobs.lanes import Lanes
from annotator.jobs.progress import Cancelled, Progress
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import AnnotatorRow
from annotator.services.project import projects
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.bridge import Bridge, is_receiver_deleted
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.session.session_notices import (
    Notice,
    OnError,
    ProjectFacts,
    Receipt,
    SessionJob,
    WorkFailure,
    changes_in,
    merge_changes,
)
from annotator.ui.app.translation import tr, tr_message
from annotator.ui.loading import load_services, members, undo
from annotator.ui.widgets.fields import debounce

T = TypeVar("T")
_log = logging.getLogger("annotator.ui")

JOB_LANE = "net"
"""Long jobs use the lane with the most threads, so that neither saving nor live scoring waits for them."""

_TICK_MS = 100


class Session(Bridge):
    """The open project with its lanes; worker threads reach the window only through this object.

    Every submitted callable runs in a worker thread; every ``on_done`` and ``on_error`` runs in the main thread.
    Results that arrive after the project was closed are dropped.
    """

    changed = Signal(object)
    """The `Changes` of one turn of the event loop, merged."""
    opened = Signal()
    closed = Signal()
    opening_changed = Signal()
    jobs_changed = Signal()
    facts_changed = Signal(object)
    """The `ProjectFacts`, after opening and after every change."""
    message_posted = Signal(object)
    """A short sentence for the status bar."""
    job_message_posted = Signal(str)
    """The final message of a job."""
    notice_posted = Signal(object)
    """A `Notice` for the status bar."""
    stepped = Signal(object, str)
    """The `Changes` of an undo or redo that is on disk, and the message about it."""
    steps_ended = Signal()
    """The last running undo or redo has ended."""
    saved = Signal(object)
    """The `Receipt` of an act that is on disk."""
    not_saved = Signal(object)
    """The `WorkFailure` of an act that could not be saved, with a way to retry."""
    windows_changed = Signal()
    """Other windows on this project were opened or closed: see ``other_windows``."""
    _progress_posted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.store: ProjectFile | None = None
        self.jobs: tuple[SessionJob, ...] = ()
        self.facts: ProjectFacts | None = None
        self.receipt: Receipt | None = None
        self.other_windows: tuple[str, ...] = ()
        """The names of the people in other windows on this project, empty where unknown."""
        self.joined_others = False
        """Whether another window had the project open when this one opened it."""
        self.opening: Place | None = None
        self.requested_place: Place | None = None
        self._running_steps = 0
        self._opening_future: Future[ProjectFile | None] | None = None
        self._pending: Changes | None = None
        self._change_timer = debounce(self, 0, self._emit_changes)
        self._tick_timer = debounce(self, _TICK_MS, self.jobs_changed.emit)
        self.drafts = DraftKeeper(self)
        self.drafts.write_failed.connect(self._report_unwritten_draft)
        self._progress_posted.connect(self._start_tick_timer, Qt.ConnectionType.QueuedConnection)

    # -- work -----------------------------------------------------------------------------------------------------

    def explain(self, error: BaseException) -> BaseException:
        """Return an error about the damaged project if that is the cause of an unexpected error, else the error."""
        store = self.store
        return error if store is None else store.explain(error) or error

    def act(
        self,
        work: Callable[[], T],
        on_done: Callable[[T], object] | None = None,
        on_error: OnError = None,
        *,
        text: str = "",
    ) -> None:
        """Run a service that changes the project in lane *store*; `changed` announces its changes.

        If saving fails, the failure offers a retry and contains ``text``, the user's unsaved text.
        """
        on_failure = partial(self._fail_act, work, on_done, on_error, text)
        self.run("store", work, partial(self._finish_act, on_done), on_failure)

    def start_job(
        self,
        label: str,
        work: Callable[[Progress], T],
        on_done: Callable[[T], object] | None = None,
        on_error: OnError = None,
        *,
        summary: Callable[[T], str] | None = None,
        lane: str = JOB_LANE,
        chore: bool = False,
        on_end: Callable[[], object] | None = None,
    ) -> SessionJob:
        """Run a long job shown in the status bar, where it can be paused (except in lane *store*) and cancelled.

        ``label`` describes the work, such as "Importing starter.jsonl". ``summary`` returns the final message for the
        result, or "" for none. A ``chore`` never prevents the project from being closed. If the job is cancelled,
        neither callback is called; ``on_end`` is called before them, and after a cancellation too. None is called once
        the project is closed.
        """
        job = SessionJob(label, self._progressed, chore=chore, can_pause=lane != "store", on_end=on_end)
        self.jobs = (*self.jobs, job)
        self.jobs_changed.emit()
        self.run(
            lane,
            partial(self._run_job, job, work),
            partial(self._job_done, job, on_done, summary),
            partial(self._job_failed, job, on_error),
        )
        return job

    def say(self, text: str) -> None:
        """Show a short sentence in the status bar for some seconds."""
        self.message_posted.emit(text)

    def offer(self, text: str, word: str, act: Callable[[], object]) -> None:
        """Show a short sentence in the status bar with a button for an action."""
        self.notice_posted.emit(Notice(text, word, act))

    @property
    def open_store(self) -> ProjectFile:
        """The open project, for acts that are offered only while one is open."""
        if self.store is None:
            raise ValueError("no project is open")
        return self.store

    @property
    def is_stepping(self) -> bool:
        """Whether an undo or redo is under way."""
        return self._running_steps > 0

    # -- project --------------------------------------------------------------------------------------------------

    def open(self, path: Place, on_done: Callable[[], object] | None = None) -> None:
        """Close the open project, if any, and open the one at ``path``; `opened` or `failed` follows."""
        self._start_opening(path, partial(projects.open_project, path), on_done)

    def create(self, path: Path, name: str, annotator: str) -> None:
        """Close the open project, if any, create a project file and open it; `opened` or `failed` follows."""
        self._start_opening(path, partial(projects.create_project, path, name, annotator))

    def adopt(self, store: ProjectFile) -> None:
        """Adopt an already open project file, closing any other."""
        self.close()
        self._adopted(None, store)

    def close(self) -> None:
        """Cancel jobs, finish pending writes, close the project and end the threads. Idempotent."""
        was_open = self.store is not None
        self.drafts.end()
        self._new_generation()
        self._pending = None
        self._running_steps = 0
        for job in self.jobs:
            job.progress.cancel()
        self.jobs = ()
        # Wait for answers that are on their way, because they are paid for. This can take seconds.
        self.lanes.finish("runs")
        # A running read would keep its connection open after the file is closed.
        self.lanes.finish("read")
        self._close_store()
        self.lanes.close()
        self._discard_unclaimed()
        self.lanes = Lanes(load_services)
        self.facts = None
        self.receipt = None
        self.other_windows = ()
        self.expect(None)
        self.jobs_changed.emit()
        if was_open:
            self.closed.emit()

    def undo(self) -> None:
        """Undo the last act in the project."""
        self._step("undo", tr("Undone"), tr("There is nothing to undo."))

    def redo(self) -> None:
        """Redo the act that was last undone."""
        self._step("redo", tr("Redone"), tr("There is nothing to redo."))

    def switch_annotator(self, name: str) -> None:
        """Continue as another annotator, who may be new to the project."""
        store = self.store
        if store is not None:
            self.act(partial(members.switch_annotator, store, name), self._finish_switch)

    def refresh_facts(self) -> None:
        """Re-read the counts, the disk status, the annotators and the undo labels."""
        store = self.store
        if store is None:
            return
        self.run("read", partial(_read_facts, store), self._take_facts, latest="session-facts")

    def _finish_act(self, on_done: Callable[[T], object] | None, result: T) -> None:
        changes = changes_in(result)
        if changes is not None:
            self._record_save(changes)
            self.announce(changes)
        if on_done is not None and not is_receiver_deleted(on_done):
            on_done(result)

    def _fail_act(
        self,
        work: Callable[[], T],
        on_done: Callable[[T], object] | None,
        on_error: OnError,
        text: str,
        failure: WorkFailure,
    ) -> None:
        """Report an act that could not be saved; only the caller shows rejected input."""
        if not isinstance(failure.error, BadInputError) or isinstance(failure.error, DamagedFileError):
            retry = partial(self.act, work, on_done, on_error, text=text)
            failure = replace(failure, retry=retry, text=text)
            self.not_saved.emit(failure)
        elif text:
            failure = replace(failure, text=text)
        self._report(failure, on_error)

    def _record_save(self, changes: Changes) -> None:
        # An act that changed nothing has saved nothing.
        if not changes.nouns:
            return
        # Services return only after the commit, and expert work is flushed to disk, so this is really saved.
        self.receipt = Receipt(datetime.now(), changes.label, changes.change_id)
        self.saved.emit(self.receipt)

    def announce(self, changes: Changes) -> None:
        """Announce a change to the pages; changes in one turn of the event loop are merged into one `changed`."""
        self._pending = merge_changes(self._pending, changes)
        self._change_timer.start()

    def _emit_changes(self) -> None:
        changes, self._pending = self._pending, None
        if changes is not None and self.store is not None:
            self.changed.emit(changes)
            self.refresh_facts()

    # -- jobs -----------------------------------------------------------------------------------------------------

    def _run_job(self, job: SessionJob, work: Callable[[Progress], T]) -> T:
        job.progress.check()
        job.state = "running"
        job.started_at = time.monotonic()
        self._progressed(job.progress)
        store = self.store
        with store.job() if store is not None else nullcontext():
            return work(job.progress)

    def _progressed(self, _progress: Progress) -> None:
        try:
            self._progress_posted.emit()
        except RuntimeError:
            _log.info("progress arrived after the window was closed")

    def _start_tick_timer(self) -> None:
        if not self._tick_timer.isActive():
            self._tick_timer.start()

    def _job_done(
        self,
        job: SessionJob,
        on_done: Callable[[T], object] | None,
        summary: Callable[[T], str] | None,
        result: T,
    ) -> None:
        self._remove(job, "done")
        text = summary(result) if summary is not None else tr("{label}: done.", label=job.label)
        if text:
            self.job_message_posted.emit(text)
        self._finish_act(on_done, result)

    def _job_failed(self, job: SessionJob, on_error: OnError, failure: WorkFailure) -> None:
        if isinstance(failure.error, Cancelled):
            self._remove(job, "cancelled")
            self.job_message_posted.emit(tr("{label}: cancelled.", label=job.label))
            # Changes committed before the cancellation stay, so all pages are refreshed.
            self.announce(Changes(frozenset({"subject", "source", "run", "response"})))
            return
        self._remove(job, "failed")
        self._report(failure, on_error)

    def _remove(self, job: SessionJob, state: str) -> None:
        job.state = state
        self.jobs = tuple(other for other in self.jobs if other is not job)
        self.jobs_changed.emit()
        if job.on_end is not None and not is_receiver_deleted(job.on_end):
            job.on_end()

    # -- the open project -----------------------------------------------------------------------------------------

    def _start_opening(
        self, path: Place, work: Callable[[], ProjectFile], on_done: Callable[[], object] | None = None
    ) -> None:
        self.close()
        self.requested_place = path
        self.expect(path)
        self._opening_future = self._submit("store", work, partial(self._adopted, on_done), self._fail_opening)

    def expect(self, path: Place | None) -> None:
        """Set the project that is about to be opened, or None."""
        if path != self.opening:
            self.opening = path
            self.opening_changed.emit()

    def _adopted(self, on_done: Callable[[], object] | None, store: ProjectFile) -> None:
        self._opening_future = None
        self.store = store
        self.drafts.begin(store)
        self.expect(None)
        self.joined_others = store.count_windows() > 0
        # Before pages load anything, so that no later commit of others is missed.
        generation = self._generation
        store.listen(self._posting(generation, self.announce), self._posting(generation, self._take_windows))
        store.on_warning(self._posting(generation, self._show_warning))
        self.opened.emit()
        self.refresh_facts()
        if on_done is not None:
            on_done()

    def _posting(self, generation: int, call: Callable[[Any], object]) -> Callable[[Any], None]:
        """Return a function for any thread that makes ``call`` in the main thread."""
        return lambda value: self._post(generation, partial(call, value))

    def _take_windows(self, names: tuple[str, ...]) -> None:
        self.other_windows = names
        self.windows_changed.emit()

    def _show_warning(self, message: Message) -> None:
        self.failed.emit(WorkFailure(message=tr_message(message)))

    def _fail_opening(self, failure: WorkFailure) -> None:
        self._opening_future = None
        self.expect(None)
        self.failed.emit(failure)

    def _close_store(self) -> None:
        store, self.store = self.store, None
        if store is None:
            return
        try:
            # Queued after all pending writes, so that they are saved before the file is closed.
            self.lanes.submit("store", store.close).result()
        except Exception:  # noqa: BLE001 - closing goes on; the next opening checks the file
            _log.exception("the project file did not close cleanly")

    def _discard_unclaimed(self) -> None:
        """Close a project file that finished opening after the request became obsolete."""
        future, self._opening_future = self._opening_future, None
        if future is not None and future.done() and not future.cancelled():
            store = future.result()
            if store is not None:
                store.close()

    def _step(self, name: str, verb: str, text_if_none: str) -> None:
        store = self.store
        if store is not None:
            step = undo.undo_last_act if name == "undo" else undo.redo_last_act
            self._running_steps += 1
            self.run(
                "store",
                partial(step, store),
                partial(self._finish_step, verb, text_if_none),
                partial(self._fail_step, name),
            )

    def _finish_step(self, verb: str, text_if_none: str, changes: Changes | None) -> None:
        if changes is None:
            self.say(text_if_none)
        else:
            text = _step_text(verb, changes.label)
            self.say(text)
            self._record_save(changes)
            self.announce(changes)
            self.stepped.emit(changes, text)
        self._end_step()

    def _end_step(self) -> None:
        self._running_steps -= 1
        if not self._running_steps:
            self.steps_ended.emit()

    def _fail_step(self, name: str, failure: WorkFailure) -> None:
        failure = replace(failure, retry=self.undo if name == "undo" else self.redo)
        self.not_saved.emit(failure)
        self.failed.emit(failure)
        self._end_step()

    def _report_unwritten_draft(self, reason: str) -> None:
        self.failed.emit(WorkFailure(message=reason))

    def _finish_switch(self, result: tuple[AnnotatorRow, Changes]) -> None:
        self.drafts.read_again()
        self.say(tr("Working as {name}.", name=result[0].name))

    def _take_facts(self, facts: ProjectFacts) -> None:
        self.facts = facts
        self.facts_changed.emit(facts)


def _read_facts(store: ProjectFile) -> ProjectFacts:
    return ProjectFacts(
        counts=projects.stage_counts(store),
        disk=projects.disk_status(store),
        annotators=members.list_annotators(store),
        undo_label=undo.undo_label(store),
        redo_label=undo.redo_label(store),
        local_execution=members.is_local_execution_allowed(store),
        name=members.read_project_name(store),
    )


def _step_text(verb: str, label: str) -> str:
    """Return the message of an undo or redo; of a label such as "Undo: Accept X", only "Accept X" is used."""
    act = label.fields.get("label") if isinstance(label, Message) else None
    act_text = tr_message(act if isinstance(act, str) else label).removesuffix(".")
    return f"{verb}: {act_text}." if act_text else f"{verb}."
