"""The window begins with its frame; what is not looked at is not made yet, and then it is what it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QInputDialog,
)
from pytestqt.qtbot import QtBot

from annotator.base.settings import Settings
from annotator.services.project import members, projects
from annotator.ui.app import file_dialogs
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.settings.window_state import MAX_RECENT
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.welcome import NewProjectDialog
from annotator.ui.pages.sources.repository_panel import RepositoryPanel
from tests.windows import open_store

pytestmark = pytest.mark.usefixtures("without_backups")


@pytest.fixture
def begin(qtbot: QtBot, tmp_path: Path) -> Iterator[list[MainWindow]]:
    made: list[MainWindow] = []
    yield made
    for window in made:
        window.close()
        window.deleteLater()


def _window(made: list[MainWindow], tmp_path: Path, wanted: Path | None = None) -> MainWindow:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    window = MainWindow(Theme(application), Settings(tmp_path / "s.json", {}), place=wanted)
    made.append(window)
    return window


def test_a_wanted_project_shows_the_frame_at_once_and_opens_after_it(
    qtbot: QtBot, begin: list[MainWindow], project_file: Path, tmp_path: Path
) -> None:
    window = _window(begin, tmp_path, project_file)
    assert window.session.store is None
    assert window.stack.currentWidget() is window.pages
    assert not window.sidebar.isHidden()
    assert project_file.stem in window.status.disk.text()
    window.show()
    assert window.session.store is None
    assert "welcome" not in window.__dict__
    qtbot.waitUntil(lambda: window.pages.current_name == "Select")
    assert "welcome" not in window.__dict__


def test_a_window_that_is_never_painted_opens_it_all_the_same(
    qtbot: QtBot, begin: list[MainWindow], project_file: Path, tmp_path: Path
) -> None:
    window = _window(begin, tmp_path, project_file)
    window.setUpdatesEnabled(False)
    window.show()
    qtbot.waitUntil(lambda: window.session.store is not None)


def test_what_cannot_be_opened_leads_to_the_welcome_screen(
    qtbot: QtBot, begin: list[MainWindow], tmp_path: Path
) -> None:
    window = _window(begin, tmp_path, tmp_path / "nowhere.annotator")
    window.show()
    qtbot.waitUntil(lambda: window.error_bar.isVisible())
    assert window.stack.currentWidget() is window.welcome
    assert not window.sidebar.isVisible()


def test_many_recent_projects_scroll_before_the_window_outgrows_the_screen(
    qtbot: QtBot, begin: list[MainWindow], tmp_path: Path
) -> None:
    window = _window(begin, tmp_path)
    window.resize(1280, 800)
    window.show()
    area, recent = window.welcome.area, window.welcome.view
    try:
        window.welcome.set_recent(tuple(tmp_path / f"project {number}.annotator" for number in range(MAX_RECENT)))
        qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
        assert recent.verticalScrollBar().maximum() == 0
        window.theme.set_scale(200)
        qtbot.waitUntil(lambda: recent.height() >= recent.verticalHeader().length())
        assert recent.verticalScrollBar().maximum() == 0 and window.height() == 800
        buttons = window.welcome.buttons.values()
        qtbot.waitUntil(lambda: all(button.width() >= button.sizeHint().width() for button in buttons))
    finally:
        window.theme.set_scale(100)


def test_a_new_project_begins_with_own_data_or_a_repository(
    qtbot: QtBot, begin: list[MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    def agree(dialog: NewProjectDialog) -> int:
        dialog.name.setText("First")
        dialog.file.setText(str(tmp_path / f"{len(list(tmp_path.iterdir()))}.annotator"))
        dialog.annotator.setText("Mei")
        return QDialog.DialogCode.Accepted

    table = tmp_path / "rows.csv"
    table.write_text("title,prompt\nSum,Add two numbers.\n", encoding="utf-8")
    monkeypatch.setattr(NewProjectDialog, "exec", agree)
    monkeypatch.setattr(file_dialogs, "choose_files", lambda *_, **__: [table])
    for action_id in ("sources.import", "sources.repository"):
        with subtests.test(action_id):
            window = _window(begin, tmp_path)
            window.show()
            window.welcome.buttons[action_id].click()
            qtbot.waitUntil(lambda window=window: window.pages.current_name == "Sources")
            page: Any = window.pages.page("Sources")
            if action_id == "sources.import":
                qtbot.waitUntil(page.preview.isVisible)
            else:
                qtbot.waitUntil(lambda page=page: isinstance(page.panels.currentWidget(), RepositoryPanel))


def test_another_project_opened_meanwhile_is_the_one_that_counts(
    qtbot: QtBot, begin: list[MainWindow], project_file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.annotator"
    projects.create_project(other, "Other", "Mei").close()
    window = _window(begin, tmp_path, project_file)
    window.open_project(other)
    window.show()
    qtbot.waitUntil(lambda: window.pages.current_name == "Select")
    store = open_store(window)
    assert store.project_name == "Other"


def test_bars_stand_in_the_same_order_whichever_comes_first(begin: list[MainWindow], tmp_path: Path) -> None:
    window = _window(begin, tmp_path)
    window.tour.hide()
    window.care.bar.hide()
    window.error_bar.show_failure(WorkFailure(message="No."))
    bars = window.centralWidget().layout().itemAt(0)
    shown = [bars.itemAt(place).widget() for place in range(bars.count())]
    assert shown == [window.error_bar, window.care.bar, window.tour]


def test_a_project_is_renamed_here_and_in_another_window(
    qtbot: QtBot, begin: list[MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.annotator"
    projects.create_project(path, "First", "Ada").close()
    window = _window(begin, tmp_path, path)
    window.show()
    qtbot.waitUntil(lambda: window.windowTitle() == "First · Annotator")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, text, **__: (f"{text} and better", True))
    window.actions_table.trigger("file.rename")
    qtbot.waitUntil(lambda: window.windowTitle() == "First and better · Annotator")
    other = projects.open_project(path)
    members.rename_project(other, "Second")
    other.close()
    qtbot.waitUntil(lambda: window.windowTitle() == "Second · Annotator")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("  ", True))
    window.actions_table.trigger("file.rename")
    assert window.session.store is not None and window.session.store.project_name == "Second"
