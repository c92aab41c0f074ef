"""By mouse and keys alone: from a cell to its answers, one response with what explains it, and its acts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QPushButton
from sqlalchemy import update

from annotator.services.project import undo
from annotator.services.results import error_labels, responses
from annotator.services.select import triage
from annotator.store.core_tables import SCORE
from annotator.ui.pages.results.board import FIGURE
from annotator.ui.pages.results.response_panel import DIFF, ITEM, LOG, OTHERS, PROMPT
from annotator.ui.pages.results.result_controls import TABLE_GROUPS, TABLES
from tests.windows import Wait, open_page, open_store

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow

Click = Callable[[Any, int, int], None]


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Iterator[Any]:
    found = open_page(window, "Results")
    window.activateWindow()
    wait(window.isActiveWindow)
    wait(lambda: found.board.table.row_count() == 3)
    wait(lambda: found.panel.explanation is not None)
    yield found
    assert not window.error_bar.isVisible()


@pytest.fixture
def click(qtbot: QtBot) -> Click:
    """Press the left button in the middle of a table's cell."""

    def press(table: Any, row: int, column: int) -> None:
        index = table.model().index(row, column)
        table.scrollTo(index)
        place: QPoint = table.visualRect(index).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)

    return press


def _press(qtbot: QtBot, button: QPushButton) -> None:
    assert button.isVisible() and button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def _face(qtbot: QtBot, panel: Any, number: int) -> None:
    _press(qtbot, panel.faces.button(number))
    assert panel.stack.currentIndex() == number


def test_a_cell_its_items_and_everything_about_one_response(page: Any, qtbot: QtBot, wait: Any, click: Click) -> None:
    page.bar.table.setFocus()
    page.bar.choose("domains")
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "domains")
    headers = page.board.current_table.headers
    column = next(
        at for at in range(1, headers.index("mean")) if page.board.current_table.rows[2][at].text not in ("n/a",)
    )
    click(page.board.table, 2, column)
    model = page.board.current_table.rows[2][0].text
    wait(lambda: page.items_card.title == f"{model} · {headers[column]}")
    wait(lambda: page.panel.explanation is not None and page.panel.explanation.detail.model == model)
    # Another of its items.
    last = page.items.row_count() - 1
    wanted = page.items.payload_at(page.items.model().index(last, 0)).response_id
    click(page.items, last, 0)
    wait(lambda: page.panel.explanation.detail.response_id == wanted)
    found = page.panel.explanation
    # The score explained rule by rule, with what matched marked in the answer.
    assert page.panel.rules.row_count() == len(found.rules) > 0
    assert page.panel.response.toPlainText().strip() == found.detail.text.strip()
    _face(qtbot, page.panel, PROMPT)
    assert page.panel.prompt.toPlainText().strip() == found.detail.prompt.strip() != ""
    _face(qtbot, page.panel, LOG)
    assert page.panel.log.toPlainText().strip()
    _face(qtbot, page.panel, DIFF)
    assert page.panel.left.toPlainText().strip() == found.detail.reference.strip() != ""
    _face(qtbot, page.panel, OTHERS)
    others = page.panel.others
    assert others.row_count() == len(found.others) >= 2
    click(others, others.row_count() - 1, 0)
    wait(lambda: page.panel.other_text.toPlainText().strip() != "")
    _face(qtbot, page.panel, ITEM)
    assert page.panel.history.row_count() == len(found.history) >= 2
    acts = {row.act for row in found.history}
    assert "import" in acts and len(acts) > 1


def test_a_failed_response_is_labelled_by_mouse_and_by_keys(
    page: Any, window: MainWindow, qtbot: QtBot, wait: Any, click: Click
) -> None:
    store = open_store(window)
    rows = [page.items.payload_at(page.items.model().index(at, 0)) for at in range(page.items.row_count())]
    at = next(at for at, row in enumerate(rows) if row.outcome not in ("pass", "machinery"))
    click(page.items, at, 0)
    response = rows[at].response_id
    wait(lambda: page.panel.explanation.detail.response_id == response)
    page.panel.label_choice.setCurrentIndex(1)
    _press(qtbot, page.panel.add_label_button)
    wait(lambda: [row.label for row in error_labels.labels_of_response(store, response)] == ["missing context"])
    wait(lambda: "missing context" in page.panel.given_labels.text())
    _press(qtbot, page.panel.remove_label_button)
    wait(lambda: error_labels.labels_of_response(store, response) == ())
    # The key opens the list, a digit chooses.
    page.choose_label()
    wait(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    qtbot.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_1)
    wait(lambda: [row.label for row in error_labels.labels_of_response(store, response)] == ["logic error"])


def test_an_unhealthy_item_is_sent_back_from_its_row(
    page: Any, window: MainWindow, qtbot: QtBot, wait: Any, click: Click
) -> None:
    store = open_store(window)
    assert not page.board.send_back_button.isVisible()
    page.bar.choose("items")
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "items")
    click(page.board.table, 1, 0)
    subject = page.board.table.payload_at(page.board.table.currentIndex())[0].target.id
    wait(lambda: page.panel.explanation is not None and page.panel.explanation.subject_id == subject)
    assert page.items.row_count() == len(page.panel.explanation.others) + 1
    assert triage.load_subject(store, subject).row.verdict == "accept"
    _press(qtbot, page.board.send_back_button)
    wait(lambda: triage.load_subject(store, subject).row.verdict is None)
    wait(lambda: "Undo reverts it" in window.status.message.text())
    window.session.undo()
    wait(lambda: triage.load_subject(store, subject).row.verdict == "accept")


def test_all_items_that_are_listed_are_sent_back_with_what_health_says(
    page: Any, window: MainWindow, qtbot: QtBot, wait: Any
) -> None:
    store = open_store(window)
    page.bar.choose("items")
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "items")
    first = page.board.current_table.rows[0][1].text.split()[0]
    page.bar.filter.setText(first)
    listed = [row[0].target.id for row in page.board.table.view_payloads()]
    assert 0 < len(listed) < len(page.board.current_table.rows)
    _press(qtbot, page.board.select_all_button)
    _press(qtbot, page.board.send_back_button)
    wait(lambda: all(triage.load_subject(store, subject).row.verdict is None for subject in listed))
    assert "sent back from the results" in triage.load_subject_history(store, listed[0])[0].detail
    others = [row[0].target.id for row in page.board.current_table.rows if row[0].target.id not in listed]
    assert triage.load_subject(store, others[0]).row.verdict == "accept"
    window.session.undo()
    wait(lambda: all(triage.load_subject(store, subject).row.verdict == "accept" for subject in listed))


def test_an_answer_in_doubt_is_settled_by_a_key_without_the_model_s_name(
    page: Any, window: MainWindow, wait: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(window)
    with store.write() as db:
        db.connection().execute(update(SCORE).where(SCORE.c.outcome == "fail").values(outcome="disputed", score=0.0))
    asked: list[str] = []

    def answer(*_: Any, name: str, item_id: str, subject_id: str) -> str:
        asked.append(item_id)
        return "equal sets"

    monkeypatch.setattr("annotator.ui.pages.results.page.ask_on_page", answer)
    actions = page.context.actions
    wait(lambda: page.panel.explanation is not None)
    actions.action("results.doubt").trigger()
    wait(
        lambda: (
            page.panel.explanation is not None and page.panel.explanation.detail.in_doubt and page.items.row_count() > 0
        )
    )
    first = page.panel.explanation.detail
    wait(lambda: "a model" in page.panel.remark)
    assert first.model not in page.panel.remark and not asked
    assert page.panel.doubt_label.isVisible() and "disputed" in page.panel.doubt_label.text()
    actions.action("results.pass").trigger()
    wait(lambda: [row.verdict for row in responses.settlements_of_answer(store, first.response_id)] == ["pass"])
    assert asked == [first.response_id]
    wait(lambda: responses.response_detail(store, first.response_id).outcome == "pass")
    undo.undo_last_act(store)
    assert responses.settlements_of_answer(store, first.response_id) == ()


def test_the_table_has_the_keys_and_its_kind_is_proposed(
    page: Any, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert window.focusWidget() is page.board.table
    proposed: list[str] = []

    def choose(_parent: Any, _title: str, path: Path, _kinds: str) -> None:
        proposed.append(path.name)

    monkeypatch.setattr("annotator.ui.app.file_dialogs.choose_new_file", choose)
    page.export()
    page.board.faces.choose(FIGURE)
    page.export()
    assert proposed == ["leaderboard.csv", "leaderboard.svg"]


def test_an_empty_list_of_answers_says_why(page: Any, wait: Any) -> None:
    page.items_card.changed_box.setChecked(True)
    wait(lambda: page.items.row_count() == 0 and page.items.empty_text.startswith("There is no earlier run"))
    page.items_card.changed_box.setChecked(False)
    wait(lambda: page.items.row_count() > 0 and page.items.empty_text == "Nothing to show")


# Exploring by keys: from a cell to its answers and back, filters, the next failure, pairs, columns, links, saving.


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
    failed = [row for row in page.items.view_payloads() if row.outcome != "pass"]
    assert 0 < len(failed) < everything
    page.items.select(everything - 1)
    page.items.setFocus()
    qtbot.keyClick(page.items, Qt.Key.Key_Period)
    assert page.items.payload_at(page.items.currentIndex()) == failed[0]
    page.items_card.outcome_box.setCurrentIndex(page.items_card.outcome_box.findData("failed"))
    wait(lambda: page.items.row_count() == len(failed))
    word = page.panel.explanation.detail.text.split()[0]
    page.items_card.search_field.setText(word)
    wait(lambda: 0 < page.items.row_count() <= len(failed))
    page.items_card.search_field.setText("no answer says this")
    wait(lambda: page.items.row_count() == 0)
    page.items_card.search_field.clear()
    page.items_card.outcome_box.setCurrentIndex(0)
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
    page.panel.diff_base.choose(1)
    assert page.panel.diff_base.current == 1


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
