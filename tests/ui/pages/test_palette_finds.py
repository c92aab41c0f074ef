"""The palette, the manual, the tour and changed keys in the window on the sample project."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from annotator.base.settings import Settings
from annotator.ui.app import main_window
from annotator.ui.app.main_window import MainWindow
from tests.windows import Wait, open_page, open_store


def _texts(window: MainWindow, kind: str) -> list[str]:
    return [entry.text for entry in window.palette_popup.results() if entry.kind.startswith(kind)]


def test_the_palette_finds_subjects_runs_and_the_manual(window: MainWindow, wait: Wait) -> None:
    window.open_palette()
    popup = window.palette_popup
    popup.field.setText("np.where tuple")
    wait(lambda: _texts(window, "Subject") == ["Why does np.where return a tuple?"])
    assert popup.results()[0].kind == "Subject"
    popup.run_current()
    wait(lambda: window.pages.current_name == "Select")
    page = window.pages.page("Select")
    wait(lambda: page.view is not None and page.view.row.title.startswith("Why does np.where"))

    window.open_palette()
    popup.field.setText("birch")
    wait(lambda: _texts(window, "Run") == ["birch-medium on 0.1"])
    popup.run_current()
    wait(lambda: window.pages.current_name == "Runs")
    runs = window.pages.page("Runs")
    wait(lambda: runs.detail.run is not None and runs.detail.run.model == "birch-medium")

    window.open_palette()
    popup.field.setText("troubleshooting")
    assert popup.results()[0].kind == "Manual"
    popup.run_current()
    wait(lambda: window.help.manual_window is not None and window.help.manual_window.place == "troubleshooting")
    window.help.manual_window.close()


def test_f1_opens_the_manual_at_the_page(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    window.show_page("Release")
    window.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_F1)
    viewer = window.help.manual_window
    assert viewer is not None
    assert viewer.place == "release"
    window.actions_table.set_shortcuts({"select.accept": ("X",)})
    viewer.show_place("select")
    assert "X\naccept" in viewer.page.toPlainText()
    window.actions_table.set_shortcuts({})
    assert "A\naccept" in viewer.page.toPlainText(), "the page on screen shows keys at once"
    viewer.close()


def test_the_tour_begins_once_with_the_sample(
    window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert not window.tour.isVisible(), "a project of one's own begins no tour"
    store = open_store(window)
    folder = tmp_path / "data" / "sample"
    folder.mkdir(parents=True)
    copy = folder / "starter.annotator"
    store.copy_to(copy)
    monkeypatch.setattr(main_window, "data_dir", lambda: tmp_path / "data")
    window.open_project(copy)
    wait(window.tour.isVisible)
    assert window.state.tour_seen
    assert window.pages.current_name == "Sources"
    window.tour.end()
    window.acts.close_project()
    window.open_project(copy)
    wait(lambda: window.pages.current_name != "")
    assert not window.tour.isVisible()
    window.actions_table.trigger("help.tour")
    assert window.tour.isVisible()


def test_the_tour_begins_with_a_sample_kept_anywhere(window: MainWindow, wait: Wait) -> None:
    store = open_store(window)
    path = store.path
    window.acts.close_project()
    window.expect_sample()
    window.open_project(path)
    wait(window.tour.isVisible)
    window.tour.end()


def test_changed_keys_show_on_buttons_sidebar_and_palette(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Select")
    accept = page.header.buttons["select.accept"]
    assert accept.text() == "Accept  A"
    window.actions_table.set_shortcuts({"select.accept": ("X",), "go.select": ("Ctrl+F2",)})
    assert accept.text() == "Accept  X"
    assert window.sidebar.button("Select").toolTip().endswith("Ctrl+F2")
    entry = next(entry for entry in window.palette_entries() if entry.text == "Accept")
    assert entry.key == "X"
    window.actions_table.set_shortcuts({})
    assert accept.text() == "Accept  A"


def test_keys_of_the_settings_file_are_in_force_from_the_start(qtbot: QtBot, tmp_path: Path) -> None:
    from PySide6.QtWidgets import QApplication

    from annotator.ui.app.theme.look import Theme

    settings = Settings(tmp_path / "s.json", {"shortcuts": {"palette.open": ["Ctrl+J"], "odd": ["Q"], "file.new": 3}})
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    made = MainWindow(Theme(app), settings)
    assert made.actions_table.shortcuts("palette.open") == ("Ctrl+J",)
    assert made.actions_table.shortcuts("file.new") == ("Ctrl+N",)
    made.close()
    made.deleteLater()
