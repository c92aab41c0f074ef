"""The status bar: what is saved on the left; running jobs and the current annotator on the right."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAction, QActionGroup
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QProgressBar, QSizePolicy, QToolButton, QWidget

from annotator.model.rows.queue_rows import AnnotatorRow, DiskStatus
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import Notice, ProjectFacts, Receipt, SessionJob, WorkFailure
from annotator.ui.app.translation import tr, tr_count, tr_message, translate_word
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.labels import ElidedLabel, ago_text, escape_tool_tip, join_list
from annotator.ui.widgets.layouts import fill_column, fill_row

_MESSAGE_MS = 10_000
_NOTICE_MS = 30_000
_MESSAGE_MARGIN = 4
_MINUTE_MS = 60_000


def disk_text(disk: DiskStatus | None, receipt: Receipt | None = None) -> str:
    """Return the disk status, such as "412 decisions on disk · backup verified 12 min ago"."""
    if disk is None:
        return tr("Reading the project…")
    if disk.decisions == 0 and disk.last_saved is None and receipt is None:
        saved = tr("Nothing to save yet")
    else:
        saved = (
            tr_count("{count} decision on the server", "{count} decisions on the server", disk.decisions)
            if disk.on_server
            else tr_count("{count} decision saved", "{count} decisions saved", disk.decisions)
        )
    if disk.on_server:
        return saved
    if disk.backup_at is None:
        return tr("{saved} · no backup yet", saved=saved)
    when = ago_text(disk.backup_at)
    if disk.backup_ok:
        return tr("{saved} · backup verified {when}", saved=saved, when=when)
    return tr("{saved} · backup not verified, {when}", saved=saved, when=when)


def saved_text(receipt: Receipt | None) -> str:
    """Return the time of the last save in this session, such as "Saved 10:42:03"."""
    return tr("Saved {at}", at=f"{receipt.at:%H:%M:%S}") if receipt is not None else ""


def time_left(seconds: float | None) -> str:
    """Return the approximate time left, such as "2 min" or "under 1 min", or an empty text if unknown."""
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if minutes < 1:
        return tr("under 1 min")
    return (
        tr("{minutes} min", minutes=minutes)
        if minutes < 60
        else tr("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)
    )


def job_text(job: SessionJob) -> str:
    """Return a job's label, progress and time left."""
    if job.state == "waiting":
        return tr("{label}  waiting", label=job.label)
    fraction = job.progress.fraction
    parts = [job.label]
    if fraction is not None:
        parts.append(f"{fraction:.0%}".replace("%", " %"))
    elif job.progress.done:
        parts.append(f"{job.progress.done:,}")
    parts.append(tr("paused") if job.progress.paused else time_left(job.seconds_left))
    return "  ".join(part for part in parts if part)


def _flat_button(text: str, name: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setObjectName(name)
    button.setAutoRaise(True)
    button.setProperty("role", "flat")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def _problem_label(text: str, name: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setObjectName(name)
    label.setProperty("role", "problem")
    return label


class JobRow(QWidget):
    """One job: its label, a progress bar, pause and cancel."""

    def __init__(self) -> None:
        super().__init__()
        self._job: SessionJob | None = None
        # A job's label may hold a long title, which must not widen the window.
        self.label = ElidedLabel("dim", QSizePolicy.Policy.Maximum)
        self.bar = QProgressBar()
        self.bar.setObjectName("job-progress")
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(120, 6)
        self.pause_button = _flat_button(tr("Pause"), "job-pause")
        self.cancel_button = _flat_button(tr("Cancel"), "job-cancel")
        fill_row(self, self.label, self.bar, self.pause_button, self.cancel_button)
        self.pause_button.clicked.connect(self._toggle_pause)
        self.cancel_button.clicked.connect(self._cancel)

    def show_job(self, job: SessionJob) -> None:
        """Show a job's progress."""
        self._job = job
        text, fraction = job_text(job), job.progress.fraction
        paused, cancelled = job.progress.paused, job.progress.cancelled
        self.label.set_full(text)
        tips = (text, tr_message(job.progress.text))
        self.label.setToolTip(escape_tool_tip("\n".join(filter(None, tips))))
        self.bar.setRange(0, 0 if fraction is None else 1000)
        self.bar.setValue(round((fraction or 0) * 1000))
        self.bar.setAccessibleName(tr("Progress of {label}", label=job.label))
        self.pause_button.setVisible(job.can_pause)
        self.pause_button.setText(tr("Resume") if paused else tr("Pause"))
        self.pause_button.setAccessibleName(f"{self.pause_button.text()} {job.label}")
        self.cancel_button.setAccessibleName(tr("Cancel {label}", label=job.label))
        self.cancel_button.setEnabled(not cancelled)
        self.cancel_button.setText(tr("Cancelling…") if cancelled else tr("Cancel"))

    def _toggle_pause(self) -> None:
        if self._job is not None:
            progress = self._job.progress
            (progress.resume if progress.paused else progress.pause)()
            self.show_job(self._job)

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.progress.cancel()
            self.show_job(self._job)


class JobList(QFrame):
    """A popup above the status bar with all running jobs."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("job-list")
        self.setAccessibleName(tr("Running jobs"))
        self._layout = fill_column(self, margin=12)
        self.rows: list[JobRow] = []

    def show_jobs(self, jobs: tuple[SessionJob, ...]) -> None:
        """Show these jobs, one row each."""
        while len(self.rows) < len(jobs):
            row = JobRow()
            self.rows.append(row)
            self._layout.addWidget(row)
        while len(self.rows) > len(jobs):
            row = self.rows.pop()
            self._layout.removeWidget(row)
            row.deleteLater()
        for row, job in zip(self.rows, jobs, strict=True):
            row.show_job(job)
        if self.isVisible():
            self.adjustSize()

    def open_above(self, anchor: QWidget) -> None:
        """Open with the lower right corner at the upper right corner of ``anchor``."""
        self.adjustSize()
        corner = anchor.mapToGlobal(QPoint(anchor.width(), 0))
        self.move(corner.x() - self.width(), corner.y() - self.height() - 4)
        self.show()


class StatusBar(QFrame):
    """Shows what is saved, messages, running jobs, and the current annotator."""

    new_annotator = Signal()
    """The user asks to switch to a person who is not in the menu."""

    def __init__(self, session: Session) -> None:
        """Build the bar and connect it to the session."""
        super().__init__()
        self._session = session
        self.setObjectName("status-bar")
        self.setAccessibleName(tr("Status"))
        self.disk = ElidedLabel("dim", QSizePolicy.Policy.Maximum)
        self.disk.setObjectName("status-disk")
        self.message = ElidedLabel()
        self.message.setObjectName("status-message")
        self.offer_button = _flat_button("", "status-offer")
        self.offer_button.clicked.connect(self._act_on_offer)
        self.offer_button.hide()
        self._notice: Notice | None = None
        self._pending_job_text = ""
        self.warning = _problem_label(tr("Code of this project may run here without isolation"), "status-warning")
        self.warning.setToolTip(
            tr("It was allowed for this project. To forbid it again: annotator sandbox allow PROJECT --local no.")
        )
        self.windows = ElidedLabel("dim", QSizePolicy.Policy.Maximum)
        self.windows.setObjectName("status-windows")
        self.windows.hide()
        self.unsaved = _problem_label("", "status-unsaved")
        self.unsaved.hide()
        self.job = JobRow()
        self.more_jobs_button = _flat_button("", "status-more-jobs")
        self.more_jobs_button.setAccessibleName(tr("More jobs"))
        self.person_button = _flat_button("", "status-annotator")
        self.person_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._people = QMenu(self.person_button)
        self._people_group = QActionGroup(self._people)
        self.person_button.setMenu(self._people)
        self.job_list = JobList(self)
        parts = (
            self.unsaved,
            self.disk,
            self.warning,
            self.windows,
            (self.message, 100),
            self.offer_button,
            1,
            self.job,
            self.more_jobs_button,
            self.person_button,
        )
        fill_row(self, *parts, spacing=12, margin=(8, 2, 8, 2))
        self.setMinimumHeight(30)
        self._message_timer = debounce(self, _MESSAGE_MS, self._clear_message)
        self._minute_timer = QTimer(self)
        self._minute_timer.setInterval(_MINUTE_MS)
        self._minute_timer.timeout.connect(self._show_disk)
        self._minute_timer.start()
        self.more_jobs_button.clicked.connect(self._open_jobs)
        self._follow(session)
        self._show_project()
        self._show_jobs()

    def _follow(self, session: Session) -> None:
        session.jobs_changed.connect(self._show_jobs)
        session.facts_changed.connect(self._show_facts)
        session.opened.connect(self._show_project)
        session.closed.connect(self._show_project)
        session.opening_changed.connect(self._show_disk)
        session.message_posted.connect(self.say)
        session.job_message_posted.connect(self.say_job_message)
        session.notice_posted.connect(self.show_notice)
        session.saved.connect(self._show_saved)
        session.not_saved.connect(self._show_unsaved)
        session.windows_changed.connect(self._show_windows)

    def say(self, text: str) -> None:
        """Show a message for some seconds."""
        self._withdraw_offer()
        self.message.setText(text)
        self.message.setToolTip(escape_tool_tip(text))
        # The message is no wider than its text, so that the button is next to it.
        self.message.setMaximumWidth(self.message.fontMetrics().horizontalAdvance(text) + _MESSAGE_MARGIN)
        self._message_timer.start(_MESSAGE_MS)

    def say_job_message(self, text: str) -> None:
        """Show a job's message; while a notice is visible, keep the message until that disappears."""
        if self._notice is None:
            self.say(text)
        else:
            self._pending_job_text = text

    def show_notice(self, notice: Notice) -> None:
        """Show a notice with a button, for longer than a message but only until the next save."""
        self.say(notice.text)
        self._notice = notice
        self.offer_button.setText(notice.word)
        self.offer_button.setAccessibleName(f"{notice.word}: {notice.text}")
        self.offer_button.show()
        self._message_timer.start(_NOTICE_MS)
        QAccessible.updateAccessibility(QAccessibleEvent(self.message, QAccessible.Event.Alert))

    def _act_on_offer(self) -> None:
        notice = self._notice
        self._clear_message()
        if notice is not None:
            notice.act()

    def _withdraw_offer(self) -> None:
        self._notice = None
        self.offer_button.hide()

    def _clear_message(self) -> None:
        self._withdraw_offer()
        self.message.clear()
        text, self._pending_job_text = self._pending_job_text, ""
        if text:
            self.say(text)

    def _show_saved(self, receipt: Receipt) -> None:
        """Update the disk status after a save, and clear an earlier "not saved" warning."""
        self._withdraw_offer()
        if self._pending_job_text:
            self._clear_message()
        self.unsaved.hide()
        self.disk.setToolTip(escape_tool_tip(tr_message(receipt.what)))
        self._show_disk()

    def _show_unsaved(self, failure: WorkFailure) -> None:
        del failure
        self.unsaved.setText(tr("⚠ Not saved {now}", now=f"{datetime.now():%H:%M:%S}"))
        self.unsaved.show()
        QAccessible.updateAccessibility(QAccessibleEvent(self.unsaved, QAccessible.Event.Alert))

    def _show_windows(self) -> None:
        """Show whether the project is open in other windows, and whose they are if known."""
        others = self._session.other_windows
        names = join_list(sorted(set(filter(None, others))))
        text = tr("This project is also open in another window.")
        if names:
            text = tr("This project is also open in another window: {names}.", names=names)
        self.windows.set_full(text if others else "")
        self.windows.setVisible(bool(others))
        if others:
            QAccessible.updateAccessibility(QAccessibleEvent(self.windows, QAccessible.Event.Alert))

    def _show_project(self) -> None:
        self._withdraw_offer()
        self.unsaved.hide()
        self._show_windows()
        self._show_disk()
        self.warning.setVisible(bool(self._session.facts and self._session.facts.local_execution))
        self._show_person(self._session.facts.annotators if self._session.facts else ())

    def _show_facts(self, facts: ProjectFacts) -> None:
        self._show_disk()
        self.warning.setVisible(facts.local_execution)
        self._show_person(facts.annotators)

    def _show_disk(self) -> None:
        session = self._session
        if session.opening is not None:
            text = tr("Opening {name}…", name=session.opening.name)
        elif session.store is None:
            text = tr("No project open")
        else:
            disk = session.facts.disk if session.facts else None
            parts = (saved_text(session.receipt), disk_text(disk, session.receipt))
            text = " · ".join(part for part in parts if part)
            if session.store.read_only:
                text = tr("Read-only: changes cannot be saved here · {text}", text=text)
        self.disk.setText(text)

    def _show_person(self, people: tuple[AnnotatorRow, ...]) -> None:
        store = self._session.store
        self.person_button.setVisible(store is not None)
        if store is None:
            return
        current_person = store.annotator
        role = translate_word(current_person.role)
        self.person_button.setText(f"{current_person.name} · {role}")
        self.person_button.setAccessibleName(
            tr("Working as {name}, {role}; click to switch annotator", name=current_person.name, role=role)
        )
        self._people.clear()
        for person in people or (current_person,):
            action = QAction(f"{person.name} · {translate_word(person.role)}", self._people)
            action.setCheckable(True)
            action.setChecked(person.id == current_person.id)
            action.triggered.connect(partial(self._choose, person.name))
            self._people_group.addAction(action)
            self._people.addAction(action)
        self._people.addSeparator()
        self._people.addAction(tr("Switch annotator…")).triggered.connect(self.new_annotator)
        self._people.setEnabled(not store.read_only)

    def _choose(self, name: str, _checked: bool = False) -> None:
        self._session.switch_annotator(name)

    def _show_jobs(self) -> None:
        jobs = self._session.jobs
        self.job.setVisible(bool(jobs))
        self.more_jobs_button.setVisible(len(jobs) > 1)
        if jobs:
            self.job.show_job(jobs[0])
        if len(jobs) > 1:
            self.more_jobs_button.setText(tr("and {count} more", count=len(jobs) - 1))
            self.more_jobs_button.setAccessibleName(tr("Show all {count} jobs", count=len(jobs)))
        if len(jobs) < 2:
            self.job_list.hide()
        # Rows are created only while the list is visible: next to busy threads each takes a tenth of a second.
        if self.job_list.isVisible():
            self.job_list.show_jobs(jobs)

    def _open_jobs(self) -> None:
        self.job_list.show_jobs(self._session.jobs)
        self.job_list.open_above(self.more_jobs_button)
