"""A queue that a search or a filter has emptied says so, and the way back is one key or one button."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget

from annotator.ui.pages.page_registry import PAGES
from tests.windows import Wait, open_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


def _search_without_a_hit(window: MainWindow, wait: Wait, name: str) -> None:
    page = open_page(window, name)
    wait(lambda: page.view is not None)
    page.queue.search.setText("nothinghasthisword")
    wait(lambda: page.view is None and page.right.currentWidget() is page.empty_state)
    assert "search" in page.empty_state.title and page.empty_state.button.text() == "Show all"
    page.empty_state.button.click()
    wait(lambda: page.view is not None)
    assert page.queue.search.text() == ""
    assert page.queue.list.hasFocus(), QApplication.focusWidget()
    assert window.pages.current_name == name


def test_a_search_without_a_hit_says_so_and_everything_comes_back(
    window: MainWindow, wait: Wait, subtests: pytest.Subtests
) -> None:
    for name in ("Select", "Prompt", "Criterion"):
        with subtests.test(name):
            _search_without_a_hit(window, wait, name)


def test_a_filter_without_a_hit_is_taken_back_in_its_boxes_too(window: MainWindow, wait: Wait) -> None:
    from annotator.model.rows.queue_rows import QueueFilter

    page = open_page(window, "Select")
    wait(lambda: page.view is not None)
    page.filters.choose(QueueFilter(languages=("cobol",)))
    wait(lambda: page.view is None)
    page.empty_state.button.click()
    wait(lambda: page.view is not None)
    assert page.filters.filter() == QueueFilter()


def test_escape_empties_the_search_and_goes_back_to_the_list(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None)
    page.queue.focus_search()
    wait(page.queue.search.hasFocus)
    qtbot.keyClicks(page.queue.search, "regex")
    wait(lambda: page.queue.model.rowCount() < 5)
    qtbot.keyClick(page.queue.search, Qt.Key.Key_Escape)
    assert page.queue.search.text() == "" and page.queue.list.hasFocus()
    wait(lambda: page.queue.model.rowCount() == 24)


def test_the_current_subject_stays_in_view_when_the_search_is_cleared(window: MainWindow, wait: Wait) -> None:
    window.resize(1280, 700)
    page = open_page(window, "Select")
    wait(lambda: page.view is not None)
    queue = page.queue
    queue.search.setText("window")
    wait(lambda: queue.model.rowCount() < 5)
    found = queue.current_id()
    queue.search.setText("")
    wait(lambda: queue.model.rowCount() == 24)
    place = queue.list.visualRect(queue.list.currentIndex())
    assert queue.current_id() == found and queue.list.currentIndex().row() > 8
    assert queue.list.viewport().rect().contains(place)


class _Windows(QObject):
    """Notes every widget that is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(repr(watched))
        return False


def test_no_page_shows_a_part_as_a_window_that_takes_the_focus(window: MainWindow, wait: Wait) -> None:
    application = QApplication.instance()
    assert application is not None
    watching = _Windows()
    application.installEventFilter(watching)
    try:
        for item in PAGES:
            window.show_page(item.name)
            wait(lambda name=item.name: window.pages.current_name == name)  # type: ignore[misc]  # mypy knows no default
            QApplication.processEvents()
    finally:
        application.removeEventFilter(watching)
    assert not watching.seen
    assert window.isActiveWindow()
