"""Tabs that wrap: one is current, all are in view, and keys move between them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from annotator.ui.widgets.labels import TabRow

NAMES = ("Question", "Reference", "Code", "Answers", "Evidence", "History", "Comments")



@pytest.fixture
def tabs(qtbot: QtBot) -> Iterator[TabRow]:
    window = QWidget()
    qtbot.addWidget(window)
    row = TabRow("Details", window)
    for name in NAMES[1:]:
        row.add_tab(name)
    row.insert_tab(0, NAMES[0])
    layout = QVBoxLayout(window)
    layout.addWidget(row)
    layout.addStretch(1)
    window.resize(260, 300)
    with qtbot.waitExposed(window):
        window.show()
    yield row


def test_all_tabs_are_in_view_in_their_order_however_narrow_it_is(tabs: TabRow) -> None:
    places = [tabs.button(place).geometry() for place in range(tabs.count())]
    assert [tabs.tab_text(place) for place in range(tabs.count())] == list(NAMES)
    assert all(tabs.rect().contains(place) for place in places)
    assert sorted(places, key=lambda place: (place.y(), place.x())) == places
    assert len({place.y() for place in places}) > 1


def test_one_tab_is_current_and_says_so_once(tabs: TabRow, qtbot: QtBot) -> None:
    # The first tab added stays the current one behind an inserted one.
    assert tabs.current == 1
    chosen: list[int] = []
    tabs.current_changed.connect(chosen.append)
    tabs.choose(3)
    tabs.choose(3)
    qtbot.mouseClick(tabs.button(0), Qt.MouseButton.LeftButton)
    assert chosen == [3, 0] and tabs.current == 0
    tabs.button(0).setFocus()
    qtbot.keyClick(tabs.button(0), Qt.Key.Key_Right)
    assert tabs.current == 1


def test_a_hidden_tab_takes_no_room(tabs: TabRow, qtbot: QtBot) -> None:
    height = tabs.height()
    for place in range(2, tabs.count()):
        tabs.set_shown(place, False)
    qtbot.waitUntil(lambda: tabs.height() < height)
    assert [place for place in range(tabs.count()) if tabs.is_shown(place)] == [0, 1]
