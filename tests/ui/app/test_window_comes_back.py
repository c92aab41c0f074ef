"""The window comes back as it was, also when nothing closed it: what changed is on disk within a second."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.base.settings import Settings
from annotator.model.rows.queue_rows import QueueFilter
from annotator.ui.app.main_window import STATE_INTERVAL_MS, MainWindow
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.theme.look import Theme
from annotator.ui.pages.shared.subject_page import parse_saved_filter
from tests.windows import close, open_page

pytestmark = pytest.mark.usefixtures("without_backups")


def _open(qtbot: QtBot, project: Path, store: Path) -> MainWindow:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    state = WindowState(QSettings(str(store), QSettings.Format.IniFormat))
    made = MainWindow(Theme(app), Settings(project.with_name("s.json"), {}), state)
    made.show()
    made.open_project(project)
    qtbot.waitUntil(lambda: made.pages.current_name != "")
    return made


def _page(window: MainWindow, name: str, qtbot: QtBot) -> Any:
    page = open_page(window, name)
    qtbot.waitUntil(lambda: page.view is not None)
    return page


def test_what_is_seen_is_kept_without_closing(qtbot: QtBot, sample_file: Path, tmp_path: Path) -> None:
    project = Path(shutil.copy(sample_file, tmp_path))
    kept, copy = tmp_path / "state.ini", tmp_path / "as-killed.ini"
    first = _open(qtbot, project, kept)
    page = _page(first, "Select", qtbot)
    wanted = QueueFilter(languages=("python",), sort="title")
    page.filters.choose(wanted)
    qtbot.waitUntil(lambda: page.queue.filter == wanted and 2 < len(page.queue.model.rows) < 20)
    page.queue.select_next()
    page.queue.select_next()
    page.splitter.setSizes([420, 500])
    qtbot.waitUntil(lambda: page.view.row.id == page.queue.shown_id())
    item, sizes = page.view.row.id, page.splitter.sizes()
    first.save_state()
    # What a window that is killed now would leave behind.
    shutil.copy(kept, copy)
    assert WindowState(QSettings(str(copy), QSettings.Format.IniFormat)).geometry == first.saveGeometry()
    close(first)
    second = _open(qtbot, project, copy)
    try:
        assert second.pages.current_name == "Select"
        again = _page(second, "Select", qtbot)
        qtbot.waitUntil(lambda: again.view is not None and again.view.row.id == item)
        assert again.queue.filter == wanted
        assert again.splitter.sizes() == sizes
    finally:
        close(second)


def test_a_change_is_written_by_itself_within_a_second(qtbot: QtBot, sample_file: Path, tmp_path: Path) -> None:
    project = Path(shutil.copy(sample_file, tmp_path))
    kept = tmp_path / "state.ini"
    window = _open(qtbot, project, kept)
    try:
        page = _page(window, "Prompt", qtbot)
        page.queue.select_next()
        subject = page.queue.shown_id()
        assert subject is not None
        qtbot.waitUntil(lambda: subject in kept.read_text())
        assert STATE_INTERVAL_MS < 1000
    finally:
        close(window)


@pytest.mark.parametrize("odd", [None, [], {}, {"text": 3}, "x"])
def test_an_odd_filter_is_ignored(odd: object) -> None:
    assert parse_saved_filter(odd) is None
