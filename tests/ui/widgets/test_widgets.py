"""Widgets that pages share."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import install_translation, mark_words
from annotator.ui.widgets.card import EmptyState
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.dialog import ask_question
from annotator.ui.widgets.labels import ElidedLabel, Segments, button
from annotator.ui.widgets.layouts import make_column
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
    make_column(page, choices, text)
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
    assert (table.chosen_widths, table.chosen_orders, table.chosen_sorts) == ({}, {}, {})
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
