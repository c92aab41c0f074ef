"""Several windows on one server: what is shown is leased, moving on leads to what is free, the rest is asked about."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QMessageBox
from pytestqt.qtbot import QtBot

from annotator.base.addresses import ServerAddress
from annotator.base.errors import MissingEnvironmentError
from annotator.base.settings import Settings
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import members, undo
from annotator.services.select import leases, triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from annotator.store.server.server_project import ServerProject
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.theme.look import Theme
from tests.windows import Wait, close

COUNT = 8
pytestmark = pytest.mark.slow


@pytest.fixture
def bo(database: ServerAddress, tmp_path: Path) -> Iterator[ServerProject]:
    """What another client has open, as Bo."""
    rows = tmp_path / "rows.jsonl"
    made = ({"id": str(n), "title": f"T{n}", "prompt": "Do it.", "language": "python"} for n in range(COUNT))
    rows.write_text("".join(json.dumps(row) + "\n" for row in made))
    store = ServerProject.make(database, "Shared", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    members.switch_annotator(store, "Bo")
    yield store
    store.close()


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path, bo: ServerProject, wait: Wait) -> Iterator[MainWindow]:
    made = MainWindow(Theme(qapp), Settings(tmp_path / "s.json", {}))
    made.show()
    made.open_project(replace(bo.address, annotator="Ada"))
    wait(lambda: made.pages.current_name != "")
    made.show_page("Select")
    made.activateWindow()
    yield made
    close(made)


def _page(window: MainWindow) -> Any:
    return window.pages.page("Select")


def _shown(page: Any) -> str:
    return page.view.row.key if page.view is not None else ""


def _held(store: ProjectFile) -> dict[str, str]:
    return {row.key: row.annotator for row in leases.current_leases(store)}


def _press(page: Any, key: Qt.Key) -> None:
    QTest.keyClick(page.queue.list, key)


def _answer(wait: Wait, proceed: bool) -> str:
    """Answer the question that is open; returns what it said."""

    def boxes() -> list[QMessageBox]:
        found = [box for top in QApplication.topLevelWidgets() for box in top.findChildren(QMessageBox)]
        tops = [box for box in QApplication.topLevelWidgets() if isinstance(box, QMessageBox)]
        return [box for box in {*found, *tops} if box.objectName() == "others-question" and box.isVisible()]

    wait(lambda: len(boxes()) == 1)
    (box,) = boxes()
    text = box.informativeText()
    role = QMessageBox.ButtonRole.AcceptRole if proceed else QMessageBox.ButtonRole.RejectRole
    above = box.parentWidget().window()
    next(item for item in box.buttons() if box.buttonRole(item) == role).click()
    wait(lambda: not boxes())
    above.activateWindow()
    wait(above.isActiveWindow)
    return text


def _verdicts(store: ProjectFile) -> list[str | None]:
    return [row.verdict for row in triage.queue_page(store, QueueFilter()).rows]


def test_every_way_on_leads_to_what_is_free(window: MainWindow, bo: ServerProject, wait: Wait) -> None:
    page = _page(window)
    wait(lambda: _held(bo) == {"jsonl:0": "Ada"})
    rows = triage.queue_ids(bo, QueueFilter())
    leases.take_first_free(bo, rows[1:], undecided=True)
    triage.decide_subjects(bo, ["jsonl:2"], Verdict.REJECT)
    wait(lambda: _held(bo) == {"jsonl:0": "Ada", "jsonl:1": "Bo"})
    _press(page, Qt.Key.Key_A)
    wait(lambda: _shown(page) == "jsonl:3")
    assert _held(bo) == {"jsonl:1": "Bo", "jsonl:3": "Ada"}, "deciding ended the first, and what is shown is leased"
    _press(page, Qt.Key.Key_J)
    wait(lambda: _shown(page) == "jsonl:4")
    assert _held(bo) == {"jsonl:1": "Bo", "jsonl:4": "Ada"}, "what was left is free again"
    _press(page, Qt.Key.Key_K)
    wait(lambda: _shown(page) == "jsonl:3")
    _press(page, Qt.Key.Key_K)
    wait(lambda: _shown(page) == "jsonl:0")
    page.session.undo()
    wait(lambda: _verdicts(bo)[0] is None and _held(bo).get("jsonl:0") == "Ada")
    # Keys in quick succession wait for what they are about.
    for key in (Qt.Key.Key_A, Qt.Key.Key_R, Qt.Key.Key_F):
        _press(page, key)
    wait(lambda: _shown(page) == "jsonl:5" and not page.next_free.is_moving)
    assert _verdicts(bo)[:6] == ["accept", None, "reject", "reject", "flag", None]
    window.show_page("Results")
    wait(lambda: _held(bo) == {"jsonl:1": "Bo"})
    window.show_page("Select")
    wait(lambda: _held(bo) == {"jsonl:1": "Bo", "jsonl:5": "Ada"})


def test_what_somebody_holds_is_shown_and_asked_about(window: MainWindow, bo: ServerProject, wait: Wait) -> None:
    page = _page(window)
    wait(lambda: _held(bo) == {"jsonl:0": "Ada"})
    leases.hold_subject(bo, triage.load_subject(bo, "jsonl:2").row.id)
    page.queue.list.setCurrentIndex(page.queue.model.index(2))
    wait(lambda: "holder_line" in page.__dict__ and page.holder_line.text().startswith("Reserved by Bo until "))
    assert page.holder_line.isVisibleTo(page)
    _press(page, Qt.Key.Key_R)
    assert _answer(wait, proceed=False).startswith("jsonl:2 is reserved by Bo until ")
    assert _shown(page) == "jsonl:2" and _verdicts(bo)[2] is None
    _press(page, Qt.Key.Key_R)
    _answer(wait, proceed=True)
    wait(lambda: _verdicts(bo)[2] == "reject" and _shown(page) == "jsonl:3")
    wait(lambda: not page.holder_line.isVisibleTo(page))


def test_a_lease_that_ends_is_taken_by_who_waits_for_it(window: MainWindow, bo: ServerProject, wait: Wait) -> None:
    page = _page(window)
    wait(lambda: _held(bo) == {"jsonl:0": "Ada"})
    leases.hold_subject(bo, triage.load_subject(bo, "jsonl:2").row.id)
    page.queue.list.setCurrentIndex(page.queue.model.index(2))
    wait(lambda: "holder_line" in page.__dict__ and page.holder_line.isVisibleTo(page))
    leases.return_subjects(bo)
    wait(lambda: not page.holder_line.isVisibleTo(page))
    assert _held(bo) == {"jsonl:2": "Ada"}


def test_what_somebody_decided_meanwhile_is_asked_about(window: MainWindow, bo: ServerProject, wait: Wait) -> None:
    page = _page(window)
    wait(lambda: _held(bo) == {"jsonl:0": "Ada"})
    triage.decide_subjects(bo, ["jsonl:0"], Verdict.ACCEPT, anyway=True)
    _press(page, Qt.Key.Key_R)
    assert _answer(wait, proceed=False) == "jsonl:0 was accepted by Bo."
    assert _verdicts(bo)[0] == "accept"


def test_a_bulk_act_says_how_many_are_others(
    window: MainWindow, bo: ServerProject, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _page(window)
    wait(lambda: _held(bo) == {"jsonl:0": "Ada"})
    # Arriving there would end a selection.
    wait(lambda: _shown(page) == "jsonl:0" and not page.next_free.is_moving)
    leases.take_next_subjects(bo, count=2)
    triage.decide_subjects(bo, ["jsonl:4", "jsonl:5", "jsonl:6"], Verdict.SKIP)
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("", True))
    page.queue.list.selectAll()
    page.decide(Verdict.FLAG)
    said = _answer(wait, proceed=False)
    assert said == "2 candidates are reserved by others. 3 candidates were decided by others."
    assert _verdicts(bo) == [None] * 4 + ["skip"] * 3 + [None]
    page.queue.list.selectAll()
    page.decide(Verdict.FLAG)
    _answer(wait, proceed=True)
    wait(lambda: _verdicts(bo) == ["flag"] * COUNT)


def test_closing_ends_the_lease_and_a_crash_leaves_it_to_its_limit(
    window: MainWindow, bo: ServerProject, wait: Wait
) -> None:
    wait(lambda: _held(bo) == {"jsonl:0": "Ada"})
    assert 60 < leases.current_leases(bo)[0].seconds_left <= leases.LEASE_S
    window.session.close()
    assert _held(bo) == {}


def test_nothing_free_is_said_and_keys_are_forgotten(
    window: MainWindow, bo: ServerProject, wait: Wait, qtbot: QtBot
) -> None:
    page = _page(window)
    wait(lambda: _held(bo) == {"jsonl:0": "Ada"})
    leases.take_next_subjects(bo, count=COUNT)
    with qtbot.waitSignal(window.session.message_posted) as said:
        for _ in range(3):
            _press(page, Qt.Key.Key_A)
    assert said.args[0].startswith("Others have")
    wait(lambda: not page.next_free.is_moving)
    assert _verdicts(bo) == ["accept"] + [None] * (COUNT - 1) and len(undo.load_acts(bo).rows) == 2


def test_a_server_out_of_reach_for_a_minute_loses_nothing(
    window: MainWindow, bo: ServerProject, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _page(window)
    wait(lambda: _held(bo) == {"jsonl:0": "Ada"})
    away = [True]
    real = ServerProject.write

    def write(store: ServerProject, *, durable: bool = True) -> Any:
        if away[0] and store is page.store:
            raise MissingEnvironmentError("The server cannot be reached.")
        return real(store, durable=durable)

    monkeypatch.setattr(ServerProject, "write", write)
    for _ in range(2):
        _press(page, Qt.Key.Key_A)
    bar = window.error_bar
    wait(lambda: bar.isVisible() and not page.next_free.is_moving and _shown(page) == "jsonl:0")
    assert _verdicts(bo)[:2] == [None, None]
    away[0] = False
    bar.retry()
    wait(lambda: _shown(page) == "jsonl:1" and not page.next_free.is_moving)
    assert _verdicts(bo)[:2] == ["accept", None], "the second key was for what nobody had seen"
    with monkeypatch.context() as lost:
        lost.setattr(leases, "hold_subject", _raise_out_of_reach)
        page.queue.list.setCurrentIndex(page.queue.model.index(3))
        wait(lambda: _shown(page) == "jsonl:3" and not page.next_free.leased_id)
    page.next_free.heartbeat.timeout.emit()
    wait(lambda: _held(bo) == {"jsonl:3": "Ada"})


def _raise_out_of_reach(*_: object) -> None:
    raise MissingEnvironmentError("The server cannot be reached.")


def test_a_second_window_of_the_same_person_takes_over_and_skips(
    window: MainWindow, bo: ServerProject, wait: Wait
) -> None:
    page = _page(window)
    wait(lambda: _held(bo) == {"jsonl:0": "Ada"})
    second = ServerProject.reach(bo.address, annotator="Ada")
    rows = triage.queue_ids(bo, QueueFilter())
    assert leases.take_first_free(second, rows, undecided=True) == (rows[1], triage.load_subject(bo, "jsonl:1").row.id)
    _press(page, Qt.Key.Key_J)
    wait(lambda: _shown(page) == "jsonl:2")
    leases.hold_subject(second, triage.load_subject(bo, "jsonl:2").row.id)
    page.next_free.heartbeat.timeout.emit()
    wait(lambda: leases.renew_leases(second) == 0)
    assert _held(bo) == {"jsonl:2": "Ada"}, "the window where it is on screen has it, and nobody is asked"
    second.close()
