"""The key for the next candidate that nobody has: two people at two windows never look at the same one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import members, projects
from annotator.services.select import leases, triage
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.select.page import SelectPage
from tests.windows import open_page


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> SelectPage:
    found = open_page(window, "Select")
    assert isinstance(found, SelectPage)
    qtbot.waitUntil(lambda: found.view is not None)
    return found


@pytest.fixture
def other(window: MainWindow) -> Iterator[ProjectFile]:
    """A colleague who has the same project open."""
    assert window.session.store is not None
    store = projects.open_project(window.session.store.path)
    members.add_annotator(store, "Zoe")
    store.close()
    mine = projects.open_project(window.session.store.path, annotator="Zoe")
    yield mine
    mine.close()


def _open_ids(store: ProjectFile) -> list[str]:
    return [row.id for row in triage.queue_page(store, QueueFilter(verdicts=("open",))).rows]


def _press(page: SelectPage) -> None:
    page.queue.list.setFocus()
    QTest.keyClick(page.queue.list, Qt.Key.Key_O)


def _reopen(store: ProjectFile, count: int) -> list[str]:
    """Make some candidates open again; the sample has few."""
    found = _open_ids(store)
    with store.write() as db:
        for row in triage.queue_page(store, QueueFilter()).rows:
            if len(found) < count and row.id not in found:
                db.connection().exec_driver_sql("UPDATE subject SET verdict = NULL WHERE id = ?", (row.id,))
                found.append(row.id)
    return _open_ids(store)


def test_the_key_takes_what_nobody_has(window: MainWindow, page: SelectPage, other: ProjectFile, qtbot: QtBot) -> None:
    ids = _reopen(other, 4)
    page.queue.reload()
    (theirs,) = leases.take_next_subjects(other)
    assert theirs.id == ids[0]
    for wanted in ids[1:3]:
        _press(page)
        qtbot.waitUntil(lambda wanted=wanted: page.view is not None and page.view.row.id == wanted)
    held = {row.subject_id: row.mine for row in leases.current_leases(other)}
    assert held == {ids[0]: True, ids[2]: False}, "what was passed over is free again"
    page.decide(Verdict.ACCEPT)
    # Deciding ends it; a change that is noticed meanwhile may be another's.
    qtbot.waitUntil(lambda: ids[2] not in _open_ids(other))
    held = [row.subject_id for row in leases.current_leases(other)]
    assert ids[0] in held and ids[2] not in held, "deciding ends it"


def test_nothing_left_is_said_and_the_round_begins_again(
    window: MainWindow, page: SelectPage, other: ProjectFile, qtbot: QtBot
) -> None:
    ids = _reopen(other, 2)
    leases.take_next_subjects(other, count=len(ids) - 1)
    _press(page)
    qtbot.waitUntil(lambda: page.view is not None and page.view.row.id == ids[-1])
    with qtbot.waitSignal(window.session.message_posted) as said:
        _press(page)
    assert "Others have reserved" in said.args[0]
    _press(page)
    qtbot.waitUntil(lambda: [row.mine for row in leases.current_leases(other)].count(False) == 1)


def test_a_beat_keeps_it_and_stops_when_there_is_nothing(
    window: MainWindow, page: SelectPage, other: ProjectFile, qtbot: QtBot
) -> None:
    _reopen(other, 2)
    _press(page)
    qtbot.waitUntil(lambda: len(leases.current_leases(other)) == 1)
    with other.write() as db:
        db.connection().exec_driver_sql("UPDATE lease SET until = 0")
    assert leases.current_leases(other)[0].seconds_left == 0
    page.next_free.heartbeat.timeout.emit()
    qtbot.waitUntil(lambda: leases.current_leases(other)[0].seconds_left > 60)
    with other.write() as db:
        db.connection().exec_driver_sql("DELETE FROM lease")
    page.next_free.heartbeat.timeout.emit()
    qtbot.waitUntil(lambda: not page.next_free.heartbeat.isActive())
