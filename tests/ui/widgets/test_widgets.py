"""Widgets that pages share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QSize, Qt
from PySide6.QtGui import QColor, QTextCursor
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import install_translation, mark_words
from annotator.ui.widgets.card import EmptyState
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.code.find_bar import FindBar, find_on
from annotator.ui.widgets.dialog import ask_question
from annotator.ui.widgets.labels import ElidedLabel, Segments, TabRow, button
from annotator.ui.widgets.layouts import FlowLayout, clear_layout, fill_column
from annotator.ui.widgets.table import Cell, DataTable


def test_long_sentences_of_an_empty_state_are_whole(qtbot: QtBot, theme: Theme) -> None:
    state = EmptyState(theme, "ph.tray", "Nothing here", "A sentence that needs more than one line. " * 6)
    qtbot.addWidget(state)
    state.resize(1000, 600)
    state.show()
    for found in state.findChildren(QLabel):
        if found.wordWrap():
            assert found.height() >= found.heightForWidth(found.width())
            assert found.width() > 300


def test_html_in_the_name_of_a_file_is_text_in_questions_and_tool_tips(qtbot: QtBot) -> None:
    over, name = QWidget(), "<h1>p</h1>.annotator"
    qtbot.addWidget(over)
    over.show()
    ask_question(over, "question", f"Replace {name}?", f"{name} exists.", bool, proceed="Replace", stay="Cancel")
    box = over.findChild(QMessageBox)
    assert box is not None
    labels = [item for item in box.findChildren(QLabel) if name in item.text()]
    assert [item.textFormat() for item in labels] == [Qt.TextFormat.PlainText] * 2
    box.reject()
    assert button("Open", tip=name).toolTip() == "<span>&lt;h1&gt;p&lt;/h1&gt;.annotator</span>"


def test_a_row_of_choices_is_whole_where_a_column_is_too_low(qtbot: QtBot) -> None:
    page, choices, text = QWidget(), Segments("View", ("One", "Two")), QLabel("A long sentence. " * 60)
    qtbot.addWidget(page)
    text.setWordWrap(True)
    fill_column(page, choices, text)
    page.resize(200, 120)
    page.show()
    assert choices.height() >= choices.sizeHint().height()


def test_columns_share_the_room_and_keep_their_words(qtbot: QtBot) -> None:
    table = DataTable("Rows")
    qtbot.addWidget(table)
    table.resize(600, 200)
    table.show()
    table.set_rows(("name", "score", "why"), [[Cell("a" * 200), Cell("1.00", 1.0), Cell("b")]], ["x"], stretch=(0, 2))
    widths = [table.columnWidth(column) for column in range(3)]
    assert abs(sum(widths) - table.viewport().width()) <= 2
    assert widths[0] == widths[2] and widths[1] < 100
    table.resize(1000, 200)
    assert table.columnWidth(0) > widths[0]
    table.resize(120, 200)
    assert table.columnWidth(0) >= 100


def test_marks_stay_in_place_after_wide_characters(qtbot: QtBot, theme: Theme) -> None:
    view = CodeView(theme, "Code")
    qtbot.addWidget(view)
    text = "\U0001f600\U0001f680 find me"
    view.set_code(text)
    view.set_marks([(text.index("find"), len(text), "good")])
    assert [mark.cursor.selectedText() for mark in view.extraSelections()] == ["find me"]  # type: ignore[attr-defined]  # the stub lacks cursor


def test_changes_are_marked_after_wide_characters(qtbot: QtBot, theme: Theme) -> None:
    panes = DiffPanes(theme)
    qtbot.addWidget(panes)
    panes.set_texts("\U0001f600 keep old", "\U0001f600 keep new")
    marks = [mark.cursor.selectedText() for mark in panes.editor.extraSelections()]  # type: ignore[attr-defined]  # the stub lacks cursor
    assert marks == ["new"]
    cursor = panes.editor.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText("er")
    qtbot.waitUntil(lambda: _marked(panes) == ["newer"])
    assert panes.editor.document().isUndoAvailable()


def _marked(panes: DiffPanes) -> list[str]:
    return [mark.cursor.selectedText() for mark in panes.editor.extraSelections()]  # type: ignore[attr-defined]  # the stub lacks cursor


def test_columns_to_spare_give_way_before_a_table_scrolls_sideways(qtbot: QtBot) -> None:
    table = DataTable("Rows")
    qtbot.addWidget(table)
    table.resize(700, 200)
    table.show()
    headers = ("name", "score", "tokens per answer", "seconds per answer")
    table.set_rows(headers, [[Cell("a"), Cell("1.00", 1.0), Cell("40", 40), Cell("2.5", 2.5)]], ["x"], spare=(2, 3))
    assert not any(table.isColumnHidden(column) for column in range(4))
    table.resize(330, 200)
    assert [table.isColumnHidden(column) for column in range(4)] == [False, False, False, True]
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)
    assert table.horizontalHeader().textElideMode() == Qt.TextElideMode.ElideRight, "a cut head says that it is cut"
    menu = table.column_menu()
    assert [action.isChecked() for action in menu.actions() if action.isCheckable()] == [True, True, True, False]
    menu.actions()[3].trigger()
    assert not table.isColumnHidden(3), "who asks for a column gets it, with or without room"
    table.horizontalHeader().moveSection(0, 2)
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    menu.actions()[-1].trigger()
    assert table.isColumnHidden(3) and table.horizontalHeader().visualIndex(0) == 0, "the columns are as at first"
    assert (table.user_widths, table.user_orders, table.user_sorts) == ({}, {}, {})
    menu.deleteLater()
    table.resize(700, 200)
    assert not any(table.isColumnHidden(column) for column in range(4))


def test_columns_stay_in_another_language_and_equal_heads_are_told_apart(qtbot: QtBot) -> None:
    table, in_chinese = DataTable("Rows"), DataTable("Rows")
    for made in (table, in_chinese):
        qtbot.addWidget(made)
        made.resize(700, 200)
        made.show()
    # "who" and "by" are one word in Chinese.
    heads, rows = mark_words("who", "when", "when", "by"), [[Cell("a"), Cell("b"), Cell("c"), Cell("d")]]
    table.set_rows(heads, rows, ["x"])
    for column, width in ((1, 111), (2, 222), (3, 77)):
        table.setColumnWidth(column, width)
    table.horizontalHeader().moveSection(2, 0)
    application = QCoreApplication.instance()
    assert application is not None
    catalogue = install_translation(application, "zh_CN")
    assert catalogue is not None
    in_chinese.adopt_choices(table)
    in_chinese.set_rows(heads, rows, ["x"])
    application.removeTranslator(catalogue)
    delete(catalogue)
    assert in_chinese.model().headerData(1, Qt.Orientation.Horizontal) != "when"
    assert [in_chinese.columnWidth(column) for column in (1, 2, 3)] == [111, 222, 77]
    assert in_chinese.horizontalHeader().visualIndex(2) == 0


def test_return_presses_a_button_that_has_the_focus(qtbot: QtBot) -> None:
    window, pressed = QWidget(), []
    qtbot.addWidget(window)
    made = button("Continue", clicked=lambda: pressed.append(1))
    made.setParent(window)
    window.show()
    made.setFocus()
    qtbot.keyClick(made, Qt.Key.Key_Return)
    assert pressed == [1]


def test_a_cut_label_keeps_its_text_and_asks_for_little_room(qtbot: QtBot) -> None:
    made = ElidedLabel()
    made.set_full("412 decisions saved · backup verified 12 min ago")
    qtbot.addWidget(made)
    assert made.minimumSizeHint().width() <= 40 < made.sizeHint().width()
    made.resize(120, 20)
    made.show()
    cut = made.grab().toImage()
    made.setText(made.text()[:60])
    assert made.text().endswith("min ago") and made.grab().toImage() == cut
    plain = QLabel(made.text())
    qtbot.addWidget(plain)
    plain.resize(120, 20)
    plain.show()
    assert plain.grab().toImage() != cut, "an ellipsis says that there is more"


# A row that breaks where there is no more room.


class Block(QWidget):
    """A widget of one size."""

    def sizeHint(self) -> QSize:
        """Return it."""
        return QSize(100, 20)


def test_a_row_breaks_where_there_is_no_more_room(qtbot: QtBot) -> None:
    outer, inner = QWidget(), QWidget()
    qtbot.addWidget(outer)
    flow = FlowLayout(10, 5)
    inner.setLayout(flow)
    blocks = [Block() for _ in range(5)]
    for block in blocks:
        flow.addWidget(block)
    fill_column(outer, inner, None)
    outer.resize(330, 300)
    outer.show()
    assert [(block.x(), block.y()) for block in blocks] == [(0, 0), (110, 0), (220, 0), (0, 25), (110, 25)]
    assert inner.height() == 45 and flow.heightForWidth(539) == 45 and flow.heightForWidth(540) == 20
    blocks[1].hide()
    qtbot.waitUntil(lambda: blocks[2].x() == 110)
    outer.resize(100, 300)
    qtbot.waitUntil(lambda: blocks[4].y() == 75)
    assert outer.minimumSizeHint().width() < 330
    clear_layout(flow)
    assert flow.count() == 0 and flow.heightForWidth(100) == 0 and flow.itemAt(0) is None


# Cells with a ground of their own: painted where they stand, asked for when they are seen.
GROUNDS = ("#ff0000", "#00ff00", "#0000ff")
ROWS = 300


def _shade(payload: int, column: int) -> tuple[str, str] | None:
    return None if column == 0 or payload % 5 == 4 else (GROUNDS[payload % 3], "#000000")


def _table(qtbot: QtBot, asked: list[tuple[int, int]]) -> DataTable:
    table = DataTable("Numbers")
    qtbot.addWidget(table)
    table.resize(600, 400)
    table.show()

    def shade(payload: int, column: int) -> tuple[str, str] | None:
        asked.append((payload, column))
        return _shade(payload, column)

    cells = [[Cell(f"row {row}"), *(Cell(str(row), float(row)) for _ in range(40))] for row in range(ROWS)]
    table.set_rows(("name", *(f"n{number}" for number in range(40))), cells, list(range(ROWS)), (), shade=shade)
    return table


def _ground(table: DataTable, row: int, column: int) -> str:
    index = table.model().index(row, column)
    table.scrollTo(index)
    spot = table.visualRect(index).topLeft() + QPoint(4, 4)
    return table.viewport().grab().toImage().pixelColor(spot).name()


def test_cells_have_the_ground_of_their_rule(qtbot: QtBot, theme: Theme) -> None:
    table = _table(qtbot, [])
    plain = QColor(theme.tokens.panel).name()
    for row, column in ((0, 1), (1, 2), (2, 3), (7, 1), (290, 39)):
        assert _ground(table, row, column) == GROUNDS[row % 3]
    assert _ground(table, 0, 0) == plain and _ground(table, 4, 1) == plain


def test_grounds_go_with_their_rows_when_rows_are_sorted(qtbot: QtBot, theme: Theme) -> None:
    table = _table(qtbot, [])
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert table.payload_at(table.model().index(0, 0)) == ROWS - 1
    for row in (1, 2, 3, 11):
        assert _ground(table, row, 1) == GROUNDS[(ROWS - 1 - row) % 3]


def test_only_cells_on_screen_are_asked_for_and_only_once(qtbot: QtBot, theme: Theme) -> None:
    asked: list[tuple[int, int]] = []
    table = _table(qtbot, asked)
    for _ in range(3):
        table.viewport().grab()
    assert 0 < len(asked) == len(set(asked)) < ROWS
    table.scrollToBottom()
    table.viewport().grab()
    assert len(asked) == len(set(asked)) and (ROWS - 1, 0) in asked


def test_other_rows_have_other_grounds(qtbot: QtBot, theme: Theme) -> None:
    table = _table(qtbot, [])
    assert _ground(table, 0, 1) == GROUNDS[0]
    table.set_rows(("a", "b"), [[Cell("x"), Cell("1", 1.0)]], [1], (), shade=_shade)
    assert _ground(table, 0, 1) == GROUNDS[1]
    table.set_rows(("a", "b"), [[Cell("x"), Cell("1", 1.0)]], [1])
    assert _ground(table, 0, 1) == QColor(theme.tokens.panel).name()
    table.set_rows((), [], [], shade=_shade)
    table.viewport().grab()


def test_the_chosen_row_has_a_frame(qtbot: QtBot, theme: Theme) -> None:
    table = _table(qtbot, [])
    table.select(1)
    box = table.visualRect(table.model().index(1, 1))
    image = table.viewport().grab().toImage()
    assert image.pixelColor(box.topLeft() + QPoint(1, 1)).name() == "#000000"
    assert image.pixelColor(box.center() + QPoint(-box.width() // 4, 0)).name() == GROUNDS[1]
    other = table.visualRect(table.model().index(2, 1))
    assert image.pixelColor(other.topLeft() + QPoint(1, 1)).name() == GROUNDS[2]


def test_columns_are_as_wide_as_their_widest_number(qtbot: QtBot, theme: Theme) -> None:
    table = DataTable("Numbers")
    qtbot.addWidget(table)
    table.resize(600, 200)
    table.set_rows(("a", "b"), [[Cell("x"), Cell(text, 1.0)] for text in ("1", "1234567890123", "22")], [0, 1, 2], ())
    assert table.columnWidth(1) >= table.fontMetrics().horizontalAdvance("1234567890123")


# Tabs that wrap: one is current, all are in view, and keys move between them.
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


# Find in a text: by keys alone, from hit to hit and around, and back to the text.
TEXT = "\n".join(["value = 1", "other = Value", *(f"line {number}" for number in range(3_000)), "the last value"])


def _open(qtbot: QtBot, theme: Theme) -> tuple[CodeView, FindBar]:
    view = CodeView(theme, "Code", language="python")
    qtbot.addWidget(view)
    view.resize(500, 300)
    view.show()
    view.activateWindow()
    view.set_code(TEXT)
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    qtbot.keyClick(view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    return view, view.findChild(FindBar)


def test_return_goes_from_hit_to_hit_and_around(qtbot: QtBot, theme: Theme) -> None:
    view, bar = _open(qtbot, theme)
    qtbot.waitUntil(bar.field.hasFocus)
    qtbot.keyClicks(bar.field, "value")
    assert bar.match_count.text() == "3 found", "the end of a long text that is still filled in counts, too"
    assert view.textCursor().blockNumber() == 0
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert view.textCursor().blockNumber() == 1
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert view.textCursor().blockNumber() == 3_002
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert view.textCursor().blockNumber() == 0
    qtbot.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert view.textCursor().blockNumber() == 3_002
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible() and view.hasFocus()
    assert view.textCursor().selectedText() == "value"


def test_a_capital_letter_counts(qtbot: QtBot, theme: Theme) -> None:
    view, bar = _open(qtbot, theme)
    qtbot.keyClicks(bar.field, "Value")
    assert bar.match_count.text() == "1 found" and view.textCursor().blockNumber() == 1
    bar.field.clear()
    qtbot.keyClicks(bar.field, "nowhere")
    assert bar.match_count.text() == "0 found"


def test_the_bar_of_a_page_is_that_of_its_largest_text_and_is_made_once(qtbot: QtBot, theme: Theme) -> None:
    from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

    page = QWidget()
    qtbot.addWidget(page)
    small, large, other = CodeView(theme, "small"), CodeView(theme, "large"), QPushButton("other")
    layout = QHBoxLayout(page)
    layout.addWidget(other)
    layout.addWidget(small, 1)
    layout.addWidget(large, 3)
    page.resize(900, 300)
    page.show()
    other.setFocus()
    assert find_on(page)
    assert large.findChild(FindBar) is not None and small.findChild(FindBar) is None
    assert find_on(page)
    assert len(page.findChildren(FindBar)) == 1
    for view in (small, large):
        view.hide()
    QApplication.processEvents()
    other.setFocus()
    assert not find_on(page)
