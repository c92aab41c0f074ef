"""A queue folds to numbers where its item needs the room, and shows all its words when they are asked for."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from annotator.ui.app.settings.page_layout import PageLayout
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.labels import Segments
from annotator.ui.widgets.line_queue import DESK_WIDTH, LineQueue, QueueLine, QueueSplitter

ROOMY, NARROW = DESK_WIDTH + 400, DESK_WIDTH + 100
LINES = [QueueLine(f"Sum of list {number}", "python", ("proven", "good")) for number in range(30)]


class _Page(QWidget):
    """A queue of lines beside a text."""

    def __init__(self, theme: Theme, width: int) -> None:
        super().__init__()
        self.queue = LineQueue(theme, "Items", Segments("List", ("Open", "All")))
        self.item = QPlainTextEdit()
        self.splitter = QueueSplitter(theme, "page-splitter", DESK_WIDTH)
        self.splitter.fill(self.queue, self.item, (340, 900))
        QVBoxLayout(self).addWidget(self.splitter)
        self.queue.set_lines(LINES, LINES)
        self.resize(width, 600)


def _shown(qtbot: QtBot, theme: Theme, width: int, state: object = None) -> tuple[_Page, PageLayout]:
    page = _Page(theme, width)
    qtbot.addWidget(page)
    layout = PageLayout(page)
    layout.restore(state)
    page.show()
    qtbot.waitExposed(page)
    return page, layout


@pytest.fixture
def page(qtbot: QtBot, theme: Theme) -> _Page:
    return _shown(qtbot, theme, NARROW)[0]


def test_the_room_decides_until_somebody_does(qtbot: QtBot, page: _Page) -> None:
    assert page.queue.is_folded and not page.queue.search.isVisible()
    assert page.item.width() > NARROW - 150
    page.resize(ROOMY, 600)
    qtbot.waitUntil(lambda: not page.queue.is_folded and page.queue.search.isVisible())
    assert page.queue.width() >= 320
    page.resize(NARROW, 600)
    qtbot.waitUntil(lambda: page.queue.is_folded)
    qtbot.mouseClick(page.queue.fold_button, Qt.MouseButton.LeftButton)
    assert not page.queue.is_folded
    page.resize(ROOMY, 600)
    page.resize(NARROW, 600)
    qtbot.waitUntil(lambda: page.queue.width() >= 320)
    assert not page.queue.is_folded


def test_a_folded_queue_is_still_worked_through(qtbot: QtBot, page: _Page) -> None:
    page.queue.focus_list()
    page.queue.table.select(0)
    qtbot.keyClick(page.queue.table, Qt.Key.Key_Down)
    assert page.queue.is_folded and page.queue.table.currentIndex().row() == 1
    tip = page.queue.table.currentIndex().data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "Sum of list 1"


def test_a_search_shows_the_words_until_a_row_is_opened(qtbot: QtBot, page: _Page) -> None:
    page.queue.focus_search()
    qtbot.waitUntil(page.queue.search.isVisible)
    qtbot.keyClicks(page.queue.search, "list 2")
    page.queue.focus_list()
    page.queue.table.select(0)
    qtbot.keyClick(page.queue.table, Qt.Key.Key_Return)
    assert not page.queue.is_folded, "what narrows the list stays in view"
    page.queue.search.clear()
    page.queue.table.select(0)
    qtbot.keyClick(page.queue.table, Qt.Key.Key_Return)
    assert page.queue.is_folded


def test_an_empty_list_shows_how_to_go_on(page: _Page) -> None:
    page.queue.set_lines((), ())
    assert not page.queue.is_folded
    page.queue.set_lines(LINES, LINES)
    assert page.queue.is_folded


def test_the_first_lines_take_the_focus_that_waited_for_them(qtbot: QtBot, page: _Page) -> None:
    queue = page.queue
    queue.set_lines((), ())
    queue.focus_list()
    assert page.focusWidget() is queue.lists.button(0)
    queue.set_lines(LINES, LINES)
    # The page says first which line is current; a list that gets the focus would choose its first one.
    assert queue.is_folded and queue.table.current_payload() is None
    queue.table.select(1)
    qtbot.waitUntil(lambda: page.focusWidget() is queue.table)
    assert queue.table.current_payload() == LINES[1]
    queue.set_lines((), ())
    qtbot.waitUntil(lambda: page.focusWidget() is queue.lists.button(0))
    queue.lists.choose(1)  # somebody is choosing a list, and may go on
    queue.restore_fold(False)
    queue.set_lines(LINES, LINES)
    qtbot.wait(0)
    assert page.focusWidget() is queue.lists.button(0)


def test_what_somebody_chose_is_kept(qtbot: QtBot, theme: Theme) -> None:
    page, layout = _shown(qtbot, theme, ROOMY)
    assert not layout.state()["folded"]
    page.queue.choose_fold(True)
    state = json.loads(json.dumps(layout.state()))
    again, _ = _shown(qtbot, theme, ROOMY, state)
    assert again.queue.is_folded and again.queue.width() < 100
    again.queue.choose_fold(False)
    qtbot.waitUntil(lambda: again.queue.width() >= 320)


def test_another_text_size_leaves_a_dragged_queue_as_it_is(qtbot: QtBot, theme: Theme) -> None:
    page, _ = _shown(qtbot, theme, ROOMY + 300)
    page.splitter.setSizes([450, ROOMY - 150])
    qtbot.waitUntil(lambda: page.queue.width() > 420)
    width = page.queue.width()
    theme.set_scale(110)
    try:
        qtbot.wait(50)
        assert abs(page.queue.width() - width) <= 2
    finally:
        theme.set_scale(100)


def test_a_choice_that_agrees_with_the_room_does_not_outlast_it(qtbot: QtBot, theme: Theme) -> None:
    page, layout = _shown(qtbot, theme, NARROW)
    for _ in ("unfold", "fold again"):
        qtbot.mouseClick(page.queue.fold_button, Qt.MouseButton.LeftButton)
    assert page.queue.is_folded and not layout.state()["folded"]
    page.resize(ROOMY, 600)
    qtbot.waitUntil(lambda: not page.queue.is_folded)


def test_the_width_of_the_open_list_outlives_a_folded_one(qtbot: QtBot, theme: Theme) -> None:
    page, layout = _shown(qtbot, theme, ROOMY + 300)
    page.splitter.setSizes([450, ROOMY - 150])
    page.resize(NARROW, 600)
    qtbot.waitUntil(lambda: page.queue.is_folded and page.queue.width() < 100)
    state = json.loads(json.dumps(layout.state()))
    again, _ = _shown(qtbot, theme, NARROW, state)
    assert again.queue.is_folded
    again.resize(ROOMY + 300, 600)
    qtbot.waitUntil(lambda: abs(again.queue.width() - 450) <= 5)


def test_a_search_that_is_folded_away_by_hand_is_still_named(page: _Page) -> None:
    page.queue.search.setText("list 2")
    assert not page.queue.is_folded
    page.queue.choose_fold(True)
    assert page.queue.is_folded
    assert "list 2" in [part.text() for part in page.queue.findChildren(QLabel) if part.isVisible()]
    page.queue.search.clear()
    assert "list 2" not in [part.text() for part in page.queue.findChildren(QLabel) if part.isVisible()]


def test_escape_leaves_the_search_and_folds_the_list_again(qtbot: QtBot, page: _Page) -> None:
    page.queue.focus_search()
    qtbot.keyClicks(page.queue.search, "list 2")
    qtbot.keyClick(page.queue.search, Qt.Key.Key_Escape)
    assert page.queue.is_folded and page.queue.search.text() == "" and page.focusWidget() is page.queue.table


def test_a_folded_list_is_dragged_open(qtbot: QtBot, page: _Page) -> None:
    handle = page.splitter.handle(1)
    assert page.queue.is_folded
    for way in (-40, 260):
        start = handle.rect().center()
        end = start + QPoint(way, 0)
        qtbot.mousePress(handle, Qt.MouseButton.LeftButton, pos=start)
        qtbot.mouseMove(handle, end)
        qtbot.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=end)
        assert page.queue.is_folded == (way < 0)
    assert page.queue.width() >= 320


def test_a_list_that_leads_to_no_wide_item_does_not_fold(qtbot: QtBot, theme: Theme) -> None:
    queue, splitter = LineQueue(theme, "Items", Segments("List", ("Open", "All"))), QueueSplitter(theme, "plain")
    qtbot.addWidget(splitter)
    splitter.fill(queue, QPlainTextEdit(), (340, 400))
    queue.set_lines(LINES, LINES)
    queue.restore_fold(True)
    assert not queue.is_folded and queue.fold_button.isHidden()


def test_an_empty_list_offers_no_folding(page: _Page) -> None:
    page.queue.set_lines((), ())
    assert not page.queue.fold_button.isEnabled()
    page.queue.set_lines(LINES, LINES)
    assert page.queue.fold_button.isEnabled()
