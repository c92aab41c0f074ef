"""A project on a server in the window: opened by its address, and alive when others work in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QInputDialog
from pytestqt.qtbot import QtBot

from annotator.base.addresses import ServerAddress, parse_server_address
from annotator.base.clock import now
from annotator.base.settings import Settings
from annotator.model.rows.queue_rows import DiskStatus, QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import members
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.server.server_project import ServerProject
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.project_acts import ProjectActs
from annotator.ui.app.session.session import Session
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.status_bar import disk_text
from annotator.ui.app.theme.look import Theme

ADDRESS = "postgresql+psycopg://mei@db/bench?annotator=Mei"


@pytest.fixture
def shared(database: ServerAddress, tmp_path: Path) -> Iterator[ServerProject]:
    """What another client has open, as Bo."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "1", "title": "T", "prompt": "Do it.", "reference": "x", "language": "python"}\n')
    store = ServerProject.make(database, "Shared", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    members.switch_annotator(store, "Bo")
    yield store
    store.close()


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    made = MainWindow(Theme(qapp), Settings(tmp_path / "s.json", {}))
    made.show()
    yield made
    # A question that nobody answers would keep the suite waiting for ever.
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(ProjectActs, "ask_to_leave", lambda *said: asked.append(said) or True)
    made.close()
    made.deleteLater()
    assert asked == []


@pytest.mark.slow
def test_what_others_do_reaches_the_pages(qtbot: QtBot, qapp: object, shared: ServerProject) -> None:
    session = Session()
    with qtbot.waitSignal(session.opened):
        session.open(replace(shared.address, annotator="Ada"))
    assert session.store is not None and session.store.annotator.name == "Ada"
    (listener,) = session.store.listeners
    qtbot.waitUntil(listener.ready.is_set)
    (row,) = triage.queue_page(shared, QueueFilter()).rows
    with qtbot.waitSignal(session.changed) as told:
        triage.decide_subjects(shared, [row.id], Verdict.ACCEPT)
    assert {"decision", "subject"} <= told.args[0].nouns and told.args[0].subjects == {row.id}
    qtbot.waitUntil(lambda: bool(session.facts and session.facts.counts.accepted == 1))
    assert session.facts is not None and session.facts.disk is not None and session.facts.disk.on_server
    session.close()
    triage.decide_subjects(shared, [row.id], Verdict.REJECT)
    qtbot.wait(300)
    session.deleteLater()


@pytest.mark.slow
def test_the_window_opens_an_address_and_remembers_it(
    qtbot: QtBot, shared: ServerProject, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = str(replace(shared.address, annotator="Ada"))
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (typed, True))
    session, acts = window.session, window.acts
    with qtbot.waitSignal(session.opened):
        acts.choose_server()
    assert str(window.state.recent()[0]) == typed
    assert str(window.state.last_project) == typed
    qtbot.waitUntil(lambda: "on the server" in window.status.disk.text())
    acts.back_up_if_due()
    assert session.jobs == (), "a server is backed up by others"
    assert any(entry.text == f"Open {shared.address.name}" for entry in window.palette_entries())


@pytest.mark.parametrize("typed", ["postgresql+psycopg://a:s3cretWord@h/b", "nonsense"])
def test_a_bad_address_is_said_and_nothing_is_opened(
    qtbot: QtBot, window: MainWindow, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (typed, True))
    with qtbot.waitSignal(window.session.failed) as failed:
        window.acts.choose_server()
    assert "address" in failed.args[0].message and "s3cret" not in failed.args[0].message


def test_recent_projects_may_be_on_servers(qapp: object, tmp_path: Path) -> None:
    store = QSettings(str(tmp_path / "state.ini"), QSettings.Format.IniFormat)
    state, file = WindowState(store), tmp_path / "p.annotator"
    file.touch()
    state.add_recent(file)
    state.add_recent(parse_server_address(ADDRESS))
    state.last_project = parse_server_address(ADDRESS)
    assert list(map(str, state.recent())) == [ADDRESS, str(file)]
    assert str(state.last_project) == ADDRESS
    store.setValue("projects/last", "postgresql+psycopg://a:b@h/b")
    assert state.last_project is None


def test_an_address_is_drawn_among_recent_projects_and_opens(qtbot: QtBot, window: MainWindow) -> None:
    address = parse_server_address(ADDRESS)
    window.welcome.set_recent((address,))
    qtbot.waitExposed(window)
    view = window.welcome.view
    row = view.visualRect(view.model().index(0, 0))
    drawn = view.viewport().grab(row).toImage()
    assert len({drawn.pixel(x, y) for x in range(drawn.width()) for y in range(drawn.height())}) > 4
    window.welcome.open_recent.disconnect()
    with qtbot.waitSignal(window.welcome.open_recent) as wanted:
        view.clicked.emit(view.model().index(0, 0))
    assert wanted.args == [address]


def test_the_status_bar_says_where_work_is_safe() -> None:
    text = disk_text(DiskStatus(decisions=3, last_saved=now(), backup_at=None, backup_ok=False, on_server=True))
    assert "on the server" in text and "backup" not in text


@pytest.mark.slow
def test_the_window_says_who_else_has_the_project_open(qtbot: QtBot, shared: ServerProject, window: MainWindow) -> None:
    window.session.open(replace(shared.address, annotator="Ada"))
    qtbot.waitUntil(lambda: window.session.store is not None)
    assert not window.status.windows.isVisible()
    shared.listen(lambda _changes: None, lambda _names: None)
    text = "This project is also open in another window: Bo."
    qtbot.waitUntil(lambda: window.status.windows.full == text and window.status.windows.isVisible())
