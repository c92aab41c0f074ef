"""A row has a menu, by mouse and by key, and opens by a double click and by Return."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QTableView

from annotator.model.rows.view_rows import SubjectView
from annotator.ui.pages.select.quota_list import QuotaList
from annotator.ui.pages.shared.fact_texts import source_address
from annotator.ui.pages.sources.mining_panel import FunnelView
from annotator.ui.widgets.row_menu import RowMenu
from tests.windows import Wait, open_page, open_store

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


def _texts(menu: QMenu) -> list[str]:
    return [action.text().partition("\t")[0] for action in menu.actions() if not action.isSeparator()]


def _page(window: MainWindow, wait: Wait, name: str) -> Any:
    page = open_page(window, name)
    wait(lambda: page.view is not None)
    return page


def test_keys_open_the_menu_of_a_candidate(
    window: MainWindow, qtbot: QtBot, wait: Wait, subtests: pytest.Subtests
) -> None:
    for key, modifiers in (
        (Qt.Key.Key_Menu, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier),
    ):
        with subtests.test(f"{key} {modifiers}"):
            page = _page(window, wait, "Select")
            qtbot.keyClick(page.queue.list, key, modifiers)
            menu = page.row_menu.menu
            wait(menu.isVisible)
            assert {"Accept", "Reject", "Show on Prompt", "Copy the key"} <= set(_texts(menu))
            next(action for action in menu.actions() if action.text() == "Copy the key").trigger()
            assert QGuiApplication.clipboard().text() == page.view.row.key
            menu.hide()


def test_a_right_click_opens_what_the_page_can_do(window: MainWindow, wait: Wait, subtests: pytest.Subtests) -> None:
    for name in ("Select", "Prompt", "Criterion"):
        with subtests.test(name):
            page = _page(window, wait, name)
            view = page.queue.list
            at = view.visualRect(view.currentIndex()).center()
            place = view.viewport().mapToGlobal(at)
            QApplication.sendEvent(view.viewport(), QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, place))
            menu = page.row_menu.menu
            wait(menu.isVisible)
            assert set(_texts(window.findChild(QMenu, "menu-page"))) <= set(_texts(menu))
            menu.hide()


def test_return_and_a_double_click_go_to_where_work_goes_on(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    page = _page(window, wait, "Select")
    view = page.queue.list
    accepted = next(n for n in range(24) if (row := page.queue.model.subject(n)) and row.verdict == "accept")
    view.setCurrentIndex(page.queue.model.index(accepted))
    subject = page.queue.model.subject(accepted).id
    wait(lambda: page.view is not None and page.view.row.id == subject)
    at = view.visualRect(view.currentIndex()).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    wait(lambda: window.pages.current_name == "Prompt")
    desk: Any = window.pages.page("Prompt")
    wait(lambda: desk.view is not None and desk.view.row.id == subject)
    desk.queue.list.setFocus()
    qtbot.keyClick(desk.queue.list, Qt.Key.Key_Return)
    wait(lambda: QApplication.focusWidget() is not desk.queue.list)
    assert desk.isAncestorOf(QApplication.focusWidget())


def test_every_list_of_rows_has_a_menu(window: MainWindow, wait: Wait) -> None:
    from annotator.ui.pages.page_registry import PAGES

    for page in PAGES:
        window.show_page(page.name)
        wait(lambda name=page.name: window.pages.current_name == name)
    kinds = (QTableView, FunnelView, QuotaList)
    without = [view for view in window.findChildren(QAbstractItemView) if isinstance(view, kinds)]
    assert without
    assert [view.accessibleName() for view in without if not view.findChildren(RowMenu)] == []


def test_a_cell_and_a_row_can_be_copied(qtbot: QtBot) -> None:
    from annotator.ui.widgets.table import Cell, DataTable

    opened: list[object] = []
    table = DataTable("Things", activated=opened.append)
    qtbot.addWidget(table)
    table.set_rows(("a", "b"), [(Cell("one"), Cell("two"))], ["first"])
    table.show()
    assert not table.menu.open(QPoint(0, 0)), "no row is current yet"
    table.select(0)
    assert table.menu.open(None)
    assert _texts(table.menu.menu) == ["Open", "Copy the cell", "Copy the row", "Copy the table"]
    for action in table.menu.menu.actions():
        if action.text() == "Copy the row":
            action.trigger()
    assert QGuiApplication.clipboard().text() == "one\ttwo"
    table.menu.menu.actions()[0].trigger()
    assert opened == ["first"]
    table.menu.menu.hide()


def test_selected_rows_are_copied_with_their_heads(qtbot: QtBot) -> None:
    from annotator.ui.widgets.table import Cell, DataTable

    table = DataTable("Things")
    qtbot.addWidget(table)
    rows = [(Cell(f"name {number}\tand\nmore"), Cell(str(number), number)) for number in range(3)]
    table.set_rows(("name", "points"), rows, [0, 1, 2])
    table.show()
    table.select(1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "name\tpoints\nname 1 and more\t1"
    table.horizontalHeader().moveSection(1, 0)
    qtbot.keyClick(table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[::3] == ["points\tname", "2\tname 2 and more"]


def _open_line(window: MainWindow, qtbot: QtBot, wait: Wait, key: Qt.Key) -> None:
    from annotator.ui.widgets.line_queue import LineList
    from annotator.ui.widgets.queue_card import QueueLine

    lines = LineList(window.theme, "Lines")
    qtbot.addWidget(lines)
    lines.set_lines([QueueLine("one", "facts"), QueueLine("two", "facts")], ["first", "second"])
    opened: list[int] = []
    lines.row_opened.connect(lambda: opened.append(lines.currentIndex().row()))
    qtbot.keyClick(lines, key)
    assert opened == []
    lines.select(1)
    keypad = key == Qt.Key.Key_Enter
    modifiers = Qt.KeyboardModifier.KeypadModifier if keypad else Qt.KeyboardModifier.NoModifier
    qtbot.keyClick(lines, key, modifiers)
    assert opened == [1]
    qtbot.keyClick(lines, key, Qt.KeyboardModifier.ControlModifier)
    assert opened == [1], "with Ctrl it is another key"


def test_every_enter_opens_a_line_once(window: MainWindow, qtbot: QtBot, wait: Wait, subtests: pytest.Subtests) -> None:
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        with subtests.test(f"{key}"):
            _open_line(window, qtbot, wait, key)


def test_a_run_and_a_release_have_their_acts(window: MainWindow, wait: Wait) -> None:
    runs = open_page(window, "Runs")
    wait(lambda: runs.list.rescore_button.isEnabled())
    assert runs.table.menu.open(None)
    assert {"Open", "Score again", "Results", "Copy the row"} <= set(_texts(runs.table.menu.menu))
    assert "Stop" not in _texts(runs.table.menu.menu), "it has ended"
    runs.table.menu.menu.hide()
    page = open_page(window, "Release")
    wait(lambda: page.table.row_count() == 1)
    page.table.select(0)
    assert page.table.menu.open(None)
    assert {"Open", "Export"} <= set(_texts(page.table.menu.menu))
    page.table.menu.menu.hide()


def test_a_matter_opens_where_it_is_settled(window: MainWindow, wait: Wait) -> None:
    from annotator.model.rows.queue_rows import QueueFilter
    from annotator.model.vocabulary import Verdict
    from annotator.services.project import members
    from annotator.services.select import triage

    store = open_store(window)
    me = store.annotator.name
    subject = triage.queue_page(store, QueueFilter(verdicts=("accept",))).rows[0].id
    members.switch_annotator(store, "Bo")
    triage.decide_subjects(store, [subject], Verdict.REJECT, "too simple")
    members.switch_annotator(store, me)
    triage.decide_subjects(store, [subject], Verdict.ACCEPT, "often asked")
    page = open_page(window, "Consensus")
    wait(lambda: page.table.row_count() == 1 and page.stack.isEnabled())
    page.table.row_opened.emit()
    assert QApplication.focusWidget() is page.settle_panel.rationale
    assert page.table.menu.open(None)
    acts = set(_texts(window.findChild(QMenu, "menu-page")))
    assert acts and acts | {"Copy the row"} <= set(_texts(page.table.menu.menu))
    page.table.menu.menu.hide()


@pytest.mark.parametrize(
    ("facts", "address"),
    [
        ({"url": "https://stackoverflow.com/q/1"}, "https://stackoverflow.com/q/1"),
        ({"url": "file:///etc/passwd"}, ""),
        (
            {"url": "https://github.com/a/b.git", "revision": "abc", "path": "src/my file.py"},
            "https://github.com/a/b/blob/abc/src/my%20file.py",
        ),
        (
            {"url": "https://gitlab.com/a/b", "revision": "abc", "path": "x.py"},
            "https://gitlab.com/a/b/-/blob/abc/x.py",
        ),
        ({"url": "https://github.com/a/b", "path": "x.py"}, "https://github.com/a/b"),
        ({"url": "https://git.example.org/b", "revision": "abc", "path": "x.py"}, "https://git.example.org/b"),
    ],
)
def test_a_function_of_a_repository_opens_at_its_file(facts: dict[str, str], address: str) -> None:
    view = cast(SubjectView, SimpleNamespace(provenance=facts))
    assert source_address(view) == address
