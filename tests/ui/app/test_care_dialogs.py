"""Receipts, failed saves, the history, the past, backups, recovery and reports in the window."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.settings import Settings
from annotator.jobs.lanes import LANES
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import DiskStatus, QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import backups, projects
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.backup_files import Rotation
from annotator.ui.app.application import ErrorHook
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.session.session import JOB_LANE, Session
from annotator.ui.app.session.session_notices import Receipt
from annotator.ui.app.status_bar import StatusBar, disk_text
from annotator.ui.app.theme.look import Theme
from annotator.ui.care.backups_and_recovery import BackupsDialog, RecoveryDialog
from annotator.ui.care.crash_dialog import CrashDialog
from annotator.ui.care.history_dialog import HistoryDialog
from tests.windows import close, open_page, open_store


@pytest.fixture
def project_file(tmp_path: Path) -> Path:
    path = tmp_path / "test.annotator"
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"id": n, "prompt": f"Prompt {n}."}) + "\n" for n in range(6)))
    store = projects.create_project(path, "Test project", "mei")
    imports.import_paths(store, "jsonl", [rows])
    ids = [row.id for row in triage.queue_page(store, QueueFilter()).rows]
    triage.decide_subjects(store, ids[:2], Verdict.ACCEPT)
    triage.decide_subjects(store, ids[2:3], Verdict.REJECT)
    store.close()
    return path


@pytest.fixture
def window(qtbot: QtBot, theme: Theme, project_file: Path, tmp_path: Path) -> Iterator[MainWindow]:
    settings = Settings(tmp_path / "settings.json", {"backup_minutes": 100_000, "backup_on_open": False})
    store = projects.open_project(project_file)
    backups.make_project_backup(store, Rotation(5))
    store.close()
    window = MainWindow(theme, settings)
    window.show()
    with qtbot.waitSignal(window.session.opened):
        window.open_project(project_file)
    qtbot.waitUntil(lambda: bool(window.session.facts and window.session.facts.annotators))
    yield window
    for dialog in window.findChildren(QDialog):
        dialog.close()
    close(window)


def _counts(window: MainWindow) -> tuple[int, int]:
    store = open_store(window)
    counts = projects.stage_counts(store)
    return counts.accepted, counts.rejected


def _no_names_missing(dialog: QDialog) -> None:
    for made in dialog.findChildren(QAbstractButton):
        if made.isVisible():
            assert made.accessibleName() or made.text(), made


def test_a_receipt_follows_the_commit(qtbot: QtBot, session: Session) -> None:
    status = StatusBar(session)
    qtbot.addWidget(status)
    store = session.store
    assert store is not None
    ids = [row.id for row in triage.queue_page(store, QueueFilter()).rows]
    with qtbot.waitSignal(session.saved) as saved:
        session.act(lambda: triage.decide_subjects(store, ids[:1], Verdict.SKIP))
    receipt = saved.args[0]
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM change WHERE id = ?", (receipt.change_id,)).fetchone()[0] == 1
    assert status.disk.text().startswith(f"Saved {receipt.at:%H:%M:%S}")
    with qtbot.assertNotEmitted(session.saved, wait=50):
        session.act(int)
        session.act(Changes)


def test_what_is_saved_without_an_act_in_the_history_is_not_denied() -> None:
    """A rule of the gates is saved, though no subject was touched."""
    disk = DiskStatus(decisions=0, last_saved=None, backup_at=None, backup_ok=False)
    assert disk_text(disk).startswith("Nothing to save yet")
    assert "Nothing" not in disk_text(disk, Receipt(datetime.now(), "Set the gates", None))


def test_a_failed_save_stays_and_can_be_tried_again(qtbot: QtBot, window: MainWindow) -> None:
    full = [True]

    def save() -> Changes:
        if full[0]:
            raise MissingEnvironmentError("The disk is full, so nothing of this was saved.")
        return Changes(frozenset({"prompt"}), label="Paraphrase x")

    session, bar, unsaved = window.session, window.error_bar, window.status.unsaved
    with qtbot.waitSignal(session.not_saved):
        session.act(save, on_error=session.failed.emit, text="What I wrote")
    assert bar.isVisible() and unsaved.isVisible()
    assert len(bar.failures) == 1, "shown once, however many tell of it"
    assert "Not saved" in bar.message.text()
    bar.text_button.click()
    assert QGuiApplication.clipboard().text() == "What I wrote"
    with qtbot.waitSignal(session.not_saved):
        bar.retry_button.click()
    assert bar.isVisible()
    full[0] = False
    with qtbot.waitSignal(session.saved):
        bar.retry_button.click()
    assert not bar.isVisible()
    assert not unsaved.isVisible()


def test_what_is_refused_is_no_failed_save(qtbot: QtBot, window: MainWindow) -> None:
    def refuse() -> None:
        raise BadInputError("The paraphrase is empty.")

    with qtbot.waitSignal(window.session.failed), qtbot.assertNotEmitted(window.session.not_saved):
        window.session.act(refuse, text="")
    assert not window.error_bar.retry_button.isVisible()


def _history(qtbot: QtBot, window: MainWindow) -> HistoryDialog:
    window.actions_table.trigger("edit.history")
    dialog = window.findChild(HistoryDialog)
    qtbot.waitUntil(lambda: dialog.acts.row_count() == 3)
    return dialog


def test_the_history_shows_what_going_back_changes_and_goes(qtbot: QtBot, window: MainWindow) -> None:
    dialog = _history(qtbot, window)
    _no_names_missing(dialog)
    assert not dialog.return_here_button.isEnabled()
    dialog.acts.select(1)
    qtbot.waitUntil(lambda: dialog.effects.row_count() == 1)
    assert "undoes one of your changes" in dialog.summary.text()
    assert (dialog.panes.original.toPlainText(), dialog.panes.paraphrase()) == ("reject", "open")
    assert _counts(window) == (2, 1)
    with qtbot.waitSignal(window.session.saved):
        dialog.return_here_button.click()
    assert _counts(window) == (2, 0)
    dialog.search.setText("accept")
    qtbot.waitUntil(lambda: dialog.acts.row_count() == 1)


def test_then_and_now_restores_one_subject(qtbot: QtBot, window: MainWindow) -> None:
    dialog = _history(qtbot, window)
    dialog.faces.choose(1)
    dialog.acts.select(2)
    qtbot.waitUntil(lambda: dialog.effects.row_count() == 3)
    dialog.effects.select(0)
    with qtbot.waitSignal(window.session.saved):
        dialog.restore_one_button.click()
    assert _counts(window) == (1, 1)
    with qtbot.waitSignal(window.session.saved):
        window.session.undo()
    assert _counts(window) == (2, 1)


def _offered(qtbot: QtBot, window: MainWindow) -> bool:
    """Whether the acts on the subject on screen can be clicked."""
    page = open_page(window, "Select")
    qtbot.waitUntil(lambda: page.view is not None)
    offered = {made.isEnabled() for made in page.header.buttons.values()}
    assert len(offered) == 1
    return offered.pop()


def test_the_project_is_shown_as_it_was_and_back(qtbot: QtBot, window: MainWindow) -> None:
    dialog = _history(qtbot, window)
    dialog.acts.select(2)
    with qtbot.waitSignal(window.session.opened):
        dialog.view_button.click()
    bar = window.care.bar
    assert bar.isVisible() and "as of" in bar.text.text()
    assert _counts(window) == (0, 0)
    assert window.session.store is not None and window.session.store.read_only
    assert not _offered(qtbot, window)
    with qtbot.waitSignal(window.session.opened):
        bar.back_button.click()
    assert not bar.isVisible()
    assert _counts(window) == (2, 1)
    assert _offered(qtbot, window)


def test_all_of_it_is_restored_from_the_past(qtbot: QtBot, window: MainWindow) -> None:
    dialog = _history(qtbot, window)
    dialog.acts.select(2)
    with qtbot.waitSignal(window.session.opened):
        dialog.view_button.click()
    with qtbot.waitSignal(window.session.saved):
        window.care.bar.restore_button.click()
    assert _counts(window) == (0, 0)
    assert not window.care.bar.isVisible()


def _press(text: str, parent: QWidget) -> None:
    """Press a button of the next question, whenever it comes: the one who asks waits for the answer."""
    looking = QTimer(parent)

    def press() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            looking.stop()
            next(made for made in box.buttons() if made.text() == text).click()

    looking.timeout.connect(press)
    looking.start(20)


def test_a_backup_is_put_back(qtbot: QtBot, window: MainWindow) -> None:
    store = open_store(window)
    ids = [row.id for row in triage.queue_page(store, QueueFilter()).rows]
    triage.decide_subjects(store, ids[3:], Verdict.ACCEPT)
    window.actions_table.trigger("file.backups")
    dialog = window.findChild(BackupsDialog)
    qtbot.waitUntil(lambda: dialog.table.row_count() == 1)
    _no_names_missing(dialog)
    dialog.check_button.click()
    qtbot.waitUntil(lambda: not window.session.jobs)
    _press("Restore", window)
    with qtbot.waitSignal(window.session.opened):
        dialog.restore_button.click()
    assert _counts(window) == (2, 1)


def test_a_project_that_has_no_backup_gets_one_when_it_is_opened(
    qtbot: QtBot, theme: Theme, project_file: Path, tmp_path: Path
) -> None:
    window = MainWindow(theme, Settings(tmp_path / "settings.json", {}))
    window.show()
    window.open_project(project_file)
    try:
        qtbot.waitUntil(lambda: [row.state for row in backups.list_project_backups(project_file)] == ["good"])
    finally:
        close(window)


def test_only_a_backup_that_was_asked_for_has_a_message(qtbot: QtBot, window: MainWindow) -> None:
    window.session.say("Run of nova done.")
    window.acts.back_up("10 acts")
    qtbot.waitUntil(lambda: not window.session.jobs)
    assert window.status.message.text() == "Run of nova done."
    window.actions_table.trigger("file.backup")
    qtbot.waitUntil(lambda: window.status.message.text().startswith("Backup created and checked"))


def test_after_a_cancelled_backup_another_is_written(qtbot: QtBot, window: MainWindow) -> None:
    gate = threading.Event()
    for _ in range(LANES[JOB_LANE]):
        window.session.lanes.submit(JOB_LANE, gate.wait)
    window.acts.back_up()
    window.session.jobs[-1].progress.cancel()
    gate.set()
    qtbot.waitUntil(lambda: not window.session.jobs)
    window.acts.back_up()
    qtbot.waitUntil(lambda: window.status.message.text().startswith("Backup created and checked"))


def test_a_damaged_project_offers_what_can_be_read(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    from tests.store import damage

    broken = tmp_path / "broken.annotator"
    store = open_store(window)
    projects.back_up_and_check(store, broken)
    damage.beheaded(broken, 0)
    with qtbot.waitSignal(window.session.failed):
        window.open_project(broken)
    dialog = window.findChild(RecoveryDialog)
    qtbot.waitUntil(dialog.open_button.isEnabled)
    _no_names_missing(dialog)
    assert "rows can be read" in dialog.state.text()
    assert not dialog.restore_button.isEnabled(), "there is no backup of it"
    with qtbot.waitSignal(window.session.opened):
        dialog.open_button.click()
    assert _counts(window) == (2, 1)
    assert window.session.store is not None and window.session.store.path.name == "broken-recovered.annotator"


def test_a_project_that_is_renamed_while_it_is_open_is_told_of(qtbot: QtBot, window: MainWindow) -> None:
    store = open_store(window)
    told = list[str]()
    window.session.failed.connect(lambda failure: told.append(failure.message))
    store.path.rename(store.path.with_name("renamed.annotator"))
    qtbot.waitUntil(lambda: any("renamed or moved" in text for text in told))
    # What looks at the file a little after opening finds none.
    window.care.check_large()
    assert not [item for item in window.findChildren(CrashDialog) if item.isVisible()]


def test_a_bug_shows_one_calm_report(qtbot: QtBot, window: MainWindow) -> None:
    hook = ErrorHook(window)
    for _ in range(2):
        hook(ValueError, ValueError("a text of the project"), None)
    (dialog,) = window.findChildren(CrashDialog)
    _no_names_missing(dialog)
    assert "ValueError" in dialog.text.toPlainText()
    assert "a text of the project" not in dialog.text.toPlainText()
    dialog.consent.setChecked(True)
    assert "a text of the project" in dialog.text.toPlainText()
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == dialog.text.toPlainText()
    dialog.continue_button.click()
    hook(BadInputError, BadInputError("known"), None)
    assert not [item for item in window.findChildren(CrashDialog) if item.isVisible()]
