"""Find in a text: by keys alone, from hit to hit and around, and back to the text."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.code.find_bar import FindBar, find_on

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
    assert bar.found.text() == "3 found", "the end of a long text that is still filled in counts, too"
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
    assert bar.found.text() == "1 found" and view.textCursor().blockNumber() == 1
    bar.field.clear()
    qtbot.keyClicks(bar.field, "nowhere")
    assert bar.found.text() == "0 found"


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
