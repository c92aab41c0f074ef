"""Exploring by keys: from a cell to its answers and back, filters, the next failure, pairs, columns, links, saving."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from annotator.ui.pages.results.response_panel import OTHERS
from annotator.ui.pages.results.result_controls import TABLE_GROUPS, TABLES
from tests.windows import Wait, open_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Iterator[Any]:
    found = open_page(window, "Results")
    window.activateWindow()
    wait(window.isActiveWindow)
    wait(lambda: found.board.table.row_count() == 3)
    wait(lambda: found.panel.explanation is not None)
    yield found
    assert not window.error_bar.isVisible()


def test_one_key_leads_from_a_cell_of_the_grid_to_its_answers_and_one_back(
    page: Any, window: MainWindow, wait: Wait, qtbot: QtBot
) -> None:
    page.bar.choose("grid")
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "grid")
    table = page.board.table
    cell = table.model().index(2, 4)
    table.setCurrentIndex(cell)
    title, model = page.board.rows()[2][1].text, page.board.current_table.headers[4]
    wait(lambda: page.items_card.title == title)
    wait(lambda: page.panel.explanation is not None and page.panel.explanation.detail.model == model)
    table.setFocus()
    for key in (Qt.Key.Key_V, Qt.Key.Key_Return):
        qtbot.keyClick(table, key)
        wait(lambda: QApplication.focusWidget() is page.items)
        qtbot.keyClick(page.items, Qt.Key.Key_Comma)
        wait(lambda: QApplication.focusWidget() is table)
        assert table.currentIndex() == cell


def test_answers_are_filtered_and_the_next_failure_is_one_key_away(page: Any, wait: Wait, qtbot: QtBot) -> None:
    everything = page.items.row_count()
    failed = [row for row in page.items.shown_payloads() if row.outcome != "pass"]
    assert 0 < len(failed) < everything
    page.items.select(everything - 1)
    page.items.setFocus()
    qtbot.keyClick(page.items, Qt.Key.Key_Period)
    assert page.items.payload_at(page.items.currentIndex()) == failed[0]
    page.items_card.outcome.setCurrentIndex(page.items_card.outcome.findData("failed"))
    wait(lambda: page.items.row_count() == len(failed))
    word = page.panel.explanation.detail.text.split()[0]
    page.items_card.search_field.setText(word)
    wait(lambda: 0 < page.items.row_count() <= len(failed))
    page.items_card.search_field.setText("no answer says this")
    wait(lambda: page.items.row_count() == 0)
    page.items_card.search_field.clear()
    page.items_card.outcome.setCurrentIndex(0)
    wait(lambda: page.items.row_count() == everything)


def test_two_answers_stand_side_by_side_and_differ_from_each_other_or_the_reference(page: Any, wait: Wait) -> None:
    page.panel.faces.choose(OTHERS)
    others = page.panel.explanation.others
    at = next(at for at, row in enumerate(others) if row.outcome != page.panel.explanation.detail.outcome)
    page.panel.others.select(at)
    wait(lambda: page.panel.pair is not None and page.panel.pair.detail.response_id == others[at].response_id)
    pair = page.panel.pair
    assert page.panel.other_text.toPlainText() == pair.other and page.panel.own_text.toPlainText() == pair.own
    assert any(part.kind != "equal" for part in pair.diff)
    page.panel.against.choose(1)
    assert page.panel.against.current == 1


def test_columns_are_chosen_and_stay_hidden(page: Any, wait: Wait) -> None:
    table = page.board.table
    model = table.model()
    at = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(model.columnCount())].index("from")
    menu = table.column_menu()
    next(action for action in menu.actions() if action.text() == "from").trigger()
    assert table.isColumnHidden(at)
    page.bar.filter.setText("cinder")
    page.bar.filter.clear()
    assert table.isColumnHidden(at)
    next(action for action in table.column_menu().actions() if action.text() == "from").trigger()
    assert not table.isColumnHidden(at)


def test_a_link_leads_back_to_its_answer(page: Any, wait: Wait) -> None:
    wanted = page.panel.explanation.detail.response_id
    page.context.actions.trigger("results.link")
    link = QGuiApplication.clipboard().text()
    assert wanted in link and "/" not in link
    page.items.select(page.items.row_count() - 1)
    wait(lambda: page.panel.explanation.detail.response_id != wanted)
    page.items_card.search_field.setText(link)
    wait(lambda: page.panel.explanation is not None and page.panel.explanation.detail.response_id == wanted)
    assert page.items_card.search_field.text() == ""


def test_selected_answers_are_saved(page: Any, qtbot: QtBot, tmp_path: Path) -> None:
    assert len(page.items_card.rows_to_save()) == page.items.row_count()
    for row in (0, 2):
        index = page.items.model().index(row, 0)
        flags = page.items.selectionModel().SelectionFlag
        page.items.selectionModel().select(index, flags.Select | flags.Rows)
    chosen = page.items_card.rows_to_save()
    assert len(chosen) == 2
    path = tmp_path / "chosen.jsonl"
    page.save_answers_to(path)
    qtbot.waitUntil(lambda: path.exists() and not page.session.jobs)
    assert [json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()] == [
        row.response_id for row in chosen
    ]


def test_tables_stand_in_five_named_groups(page: Any) -> None:
    box = page.bar.table
    assert len(TABLE_GROUPS) == 5 and box.count() == len(TABLES) + 5
    headings = [at for at in range(box.count()) if box.itemData(at) is None]
    assert len(headings) == 5 and not any(box.model().item(at).isEnabled() for at in headings)
    assert box.currentData() == "leaderboard"
