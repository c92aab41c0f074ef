"""Splitters, columns and scroll positions are found by their place in a page, kept as they are seen and put back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from annotator.ui.app.settings.page_layout import PageLayout, place_in
from annotator.ui.widgets.layouts import make_splitter
from annotator.ui.widgets.table import Cell, DataTable

TEXT = "\n".join(f"line {number}" for number in range(300))


class _Page(QWidget):
    """A page with a table beside two texts."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.first, self.second = DataTable("things"), QPlainTextEdit(), QPlainTextEdit()
        self.inner = make_splitter(Qt.Orientation.Vertical, self.first, self.second)
        self.outer = make_splitter(Qt.Orientation.Horizontal, self.table, self.inner)
        QVBoxLayout(self).addWidget(self.outer)
        self.resize(900, 600)

    def fill(self) -> None:
        rows = [(Cell(f"thing {number}"), Cell("some")) for number in range(200)]
        self.table.set_rows(("name", "kind"), rows, rows, stretch=0)
        self.first.setPlainText(TEXT)


def _shown(qtbot: QtBot, state: object = None) -> tuple[_Page, PageLayout]:
    page = _Page()
    qtbot.addWidget(page)
    layout = PageLayout(page)
    layout.restore(state)
    page.show()
    qtbot.waitExposed(page)
    return page, layout


def _arranged(qtbot: QtBot) -> dict[str, Any]:
    page, layout = _shown(qtbot)
    page.fill()
    page.outer.setSizes([600, 280])
    page.inner.setSizes([400, 180])
    page.table.horizontalHeader().resizeSection(1, 131)
    page.table.horizontalHeader().moveSection(1, 0)
    page.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    page.table.verticalScrollBar().setValue(40)
    page.first.verticalScrollBar().setValue(77)
    state: dict[str, Any] = json.loads(json.dumps(layout.state()))
    assert layout.state() == state
    return state


def test_what_is_seen_comes_back_also_where_the_content_comes_later(qtbot: QtBot) -> None:
    state = _arranged(qtbot)
    page, layout = _shown(qtbot, state)
    # Looked at before anything is there: nothing is forgotten.
    assert layout.state()["scrolled"] == state["scrolled"]
    page.fill()
    assert page.table.columnWidth(1) == 131
    assert page.table.horizontalHeader().logicalIndex(0) == 1
    assert page.table.model().index(0, 0).data() == "thing 99"
    page.table.select(3)
    assert page.table.currentIndex().data() == "thing 3"
    qtbot.waitUntil(
        lambda: (page.table.verticalScrollBar().value(), page.first.verticalScrollBar().value()) == (40, 77)
    )
    # Read twice, as pages do when they are opened.
    page.first.setPlainText("")
    page.first.setPlainText(TEXT)
    qtbot.waitUntil(lambda: page.first.verticalScrollBar().value() == 77)
    assert layout.state() == state


def test_who_scrolls_first_is_not_moved(qtbot: QtBot) -> None:
    page, layout = _shown(qtbot, _arranged(qtbot))
    page.fill()
    bar = page.first.verticalScrollBar()
    bar.triggerAction(bar.SliderAction.SliderToMinimum)
    page.first.setPlainText(TEXT + TEXT)
    qtbot.wait(20)
    assert bar.value() == 0
    qtbot.wait(20)
    page.table.verticalScrollBar().triggerAction(bar.SliderAction.SliderToMinimum)
    assert layout.state()["scrolled"] == {}


def test_a_width_that_somebody_gave_a_column_holds_when_the_rows_are_read_again(qtbot: QtBot) -> None:
    page, _ = _shown(qtbot)
    page.fill()
    assert page.table.chosen_widths == {}
    page.table.horizontalHeader().resizeSection(0, 222)
    page.fill()
    page.resize(1100, 600)
    assert page.table.columnWidth(0) == 222
    page.table.set_rows(("name", "other"), [(Cell("a"), Cell("b"))], [None], stretch=1)
    assert page.table.columnWidth(0) == 222
    assert page.table.chosen_widths == {"name": 222}


def test_what_is_hidden_stays_as_it_was_kept(qtbot: QtBot) -> None:
    state = _arranged(qtbot)
    page, layout = _shown(qtbot, state)
    page.inner.hide()
    page.fill()
    place = place_in(page, page.inner)
    assert layout.state()["splitters"][place] == state["splitters"][place]
    page.hide()
    assert layout.state()["splitters"][place] == state["splitters"][place]


@pytest.mark.parametrize(
    "odd", [None, 3, [], {"splitters": 3}, {"splitters": {"QSplitter-0": ["a", "b"]}, "scrolled": {"x": "y"}}]
)
def test_odd_states_are_ignored(qtbot: QtBot, odd: object) -> None:
    page, layout = _shown(qtbot, odd)
    page.fill()
    assert sum(page.outer.sizes()) > 0
    assert layout.state()["scrolled"] in ({}, {"x": "y"})


def test_another_number_of_parts_is_ignored(qtbot: QtBot) -> None:
    state = _arranged(qtbot)
    plain, _ = _shown(qtbot)
    place = place_in(plain, plain.outer)
    page, _ = _shown(qtbot, {**state, "splitters": {place: [1, 2, 3]}})
    assert page.outer.sizes() == plain.outer.sizes()


def test_a_part_that_was_hidden_has_its_room_again(qtbot: QtBot) -> None:
    page, layout = _shown(qtbot)
    page.outer.setSizes([300, 580])
    width = page.outer.sizes()[0]
    assert layout.state()["splitters"]
    page.table.hide()
    qtbot.waitUntil(lambda: page.outer.sizes()[0] == 0)
    state = json.loads(json.dumps(layout.state()))
    again, _ = _shown(qtbot, state)
    assert abs(again.outer.sizes()[0] - width) <= 2
    [place] = [place for place in state["splitters"] if place.count("/") == 0]
    state["splitters"][place] = [0, 880]  # As it was kept once.
    assert _shown(qtbot, state)[0].outer.sizes()[0] > 200
