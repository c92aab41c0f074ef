"""Search becomes complete behind imports and after openings, says so meanwhile, and rests when it was cancelled."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.project import projects, search_index
from annotator.services.sources import imports
from annotator.store.file.long_writes import FIRST_STEP
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.care.keeping import SearchKeeper
from annotator.ui.widgets.queue_card import Queue

MANY = FIRST_STEP + 100


def _import(store: ProjectFile | None, folder: Path, name: str = "a") -> None:
    assert store is not None
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps({"id": f"{name}{n}", "prompt": f"Okapi {n}?"}) + "\n" for n in range(MANY)))
    imports.import_paths(store, "jsonl", [path])


@pytest.fixture
def keeper(session: Session) -> Iterator[SearchKeeper]:
    parent = QObject()
    yield SearchKeeper(session, parent)
    session.close()
    parent.deleteLater()


def _lacking(session: Session) -> int:
    assert session.store is not None
    return search_index.count_unindexed(session.store)


def test_an_import_is_made_searchable_behind_it(
    qtbot: QtBot, session: Session, keeper: SearchKeeper, theme: Theme, tmp_path: Path
) -> None:
    assert keeper.parent() is not None
    _import(session.store, tmp_path)
    queue = Queue(session, theme, "Candidates", QueueFilter())
    qtbot.addWidget(queue)
    queue.search.setText("okapi")
    qtbot.waitUntil(lambda: not queue.incomplete.isHidden())
    assert queue.incomplete.text() == f"Search is not complete yet: {MANY:,} candidates left to index."
    session.changed.connect(queue.reload)
    session.announce(Changes(frozenset({"source"})))
    qtbot.waitUntil(lambda: _lacking(session) == 0 and not session.jobs)
    qtbot.waitUntil(lambda: len(queue.model.rows) == MANY and queue.incomplete.isHidden())


def test_what_was_left_is_made_searchable_at_the_next_opening(
    qtbot: QtBot, session: Session, keeper: SearchKeeper, project_file: Path, tmp_path: Path
) -> None:
    assert keeper.parent() is not None
    _import(session.store, tmp_path)
    session.close()
    session.adopt(projects.open_project(project_file))
    assert _lacking(session) == MANY
    qtbot.waitUntil(lambda: _lacking(session) == 0 and not session.jobs)


def test_it_is_not_started_again_by_being_cancelled(
    qtbot: QtBot, session: Session, keeper: SearchKeeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    complete = search_index.complete_search_index

    def waiting(_store: ProjectFile, progress: Progress) -> int:
        started.append("started")
        while True:
            progress.check()
            time.sleep(0.01)

    monkeypatch.setattr(search_index, "complete_search_index", waiting)
    _import(session.store, tmp_path)
    session.announce(Changes(frozenset({"source"})))
    qtbot.waitUntil(lambda: started == ["started"] and len(session.jobs) == 1)
    # An import meanwhile does not start a second one.
    _import(session.store, tmp_path, "b")
    with qtbot.waitSignal(session.changed):
        session.announce(Changes(frozenset({"source"})))
    qtbot.waitUntil(lambda: not keeper.findChild(QTimer).isActive())
    # A late notice about the file may come while the job still ends.
    with qtbot.waitSignal(session.changed, check_params_cb=lambda _changes: not session.jobs):
        session.jobs[0].progress.cancel()
    assert not keeper.findChild(QTimer).isActive() and started == ["started"]
    monkeypatch.setattr(search_index, "complete_search_index", complete)
    session.announce(Changes(frozenset({"source"})))
    qtbot.waitUntil(lambda: _lacking(session) == 0 and not session.jobs)
