"""Widgets that pages share."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.table import Cell, DataTable


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme(qapp)


def test_long_sentences_of_an_empty_state_are_whole(qtbot: QtBot, theme: Theme) -> None:
    state = EmptyState(theme, "ph.tray", "Nothing here", "A sentence that needs more than one line. " * 6)
    qtbot.addWidget(state)
    state.resize(1000, 600)
    state.show()
    for found in state.findChildren(QLabel):
        if found.wordWrap():
            assert found.height() >= found.heightForWidth(found.width())
            assert found.width() > 300


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
