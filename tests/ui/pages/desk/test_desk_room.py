"""How much of an item is seen at once in a window of 1440 x 900."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.desk.page import CriterionPage, PromptPage
from annotator.ui.pages.desk.steps import DeskStep
from annotator.ui.widgets.code.code_view import CodeView
from tests.windows import Wait, open_page


def _room(view: QPlainTextEdit) -> tuple[float, float]:
    """How many characters and lines are seen of a text."""
    metrics, size = view.fontMetrics(), view.viewport().size()
    return size.width() / metrics.horizontalAdvance("0"), size.height() / metrics.lineSpacing()


def test_the_material_and_the_open_step_can_be_read(window: MainWindow, wait: Wait) -> None:
    window.resize(1440, 900)
    prompt = open_page(window, "Prompt")
    assert isinstance(prompt, PromptPage)
    wait(lambda: prompt.view is not None and prompt.queue.is_folded)
    assert _room(prompt.panes.editor)[1] >= 20
    page = open_page(window, "Criterion")
    assert isinstance(page, CriterionPage)
    wait(lambda: page.view is not None and page.queue.is_folded)
    page.details.show_tab("Reference")
    [code] = [view for view in page.details.findChildren(CodeView) if view.isVisible()]
    wait(lambda: _room(code)[0] >= 80)
    assert _room(code)[1] >= 30
    page.go_to_step(DeskStep.PROVEN)
    table = page.proof.table
    wait(lambda: table.viewport().height() // table.verticalHeader().defaultSectionSize() >= 12)


def test_two_steps_side_by_side_have_the_room_of_two(window: MainWindow, wait: Wait, qtbot: QtBot) -> None:
    window.resize(1920, 1080)
    page = open_page(window, "Criterion")
    assert isinstance(page, CriterionPage)
    columns = page.frame.columns

    def share() -> float:
        material, steps = columns.sizes()
        return steps / (material + steps)

    wait(lambda: page.view is not None and abs(share() - 0.54) < 0.02)
    handle = columns.handle(1)
    start = handle.rect().center()
    qtbot.mousePress(handle, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(handle, start - QPoint(100, 0))
    qtbot.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=start - QPoint(100, 0))
    dragged = share()
    assert dragged > 0.57
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: abs(share() - 0.37) < 0.02)
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: abs(share() - dragged) < 0.03)


def test_a_wide_window_becomes_a_narrow_one_in_one_step(window: MainWindow, wait: Wait) -> None:
    for name in ("Prompt", "Select", "Sources", "Bugs", "Runs", "Results"):
        window.resize(1920, 1080)
        window.show_page(name)
        if name in ("Prompt", "Select"):
            page: Any = window.pages.page(name)
            wait(lambda page=page: page.view is not None)
        window.resize(720, 700)
        assert window.width() == 720, name
    wait(lambda: window.theme.is_cramped)


def test_the_question_asked_for_before_the_item_has_come_keeps_the_cursor(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    assert isinstance(page, CriterionPage) and page.view is None
    page.go_to_step(DeskStep.ACCEPTED)
    wait(lambda: page.view is not None and page.panes.original.hasFocus())


def test_the_step_asked_for_before_the_item_has_come_is_the_open_one(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    assert isinstance(page, CriterionPage)
    assert page.view is None, "the item is still being read"
    page.go_to_step(DeskStep.PROVEN)
    wait(lambda: page.view is not None)
    wait(lambda: page.current_step() == DeskStep.PROVEN and page.proof.table.hasFocus())


def test_the_cursor_never_begins_on_the_button_that_removes_a_rule(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    assert isinstance(page, CriterionPage)
    wait(lambda: page.view is not None)
    nested = "grading:\n  keywords:\n    - content: {and: [sort, {or: [first, last]}]}\n"
    page.document.set_source(f"{nested}    - content: tail\n", has_tests=False)
    boxes = page.document.form.boxes
    assert [box.is_locked for box in boxes] == [True, False]
    page.document.focus()
    focus = window.focusWidget()
    assert focus is not None and boxes[1].isAncestorOf(focus) and focus.isEnabled()
    page.document.set_source(nested, has_tests=False)
    page.document.focus()
    assert window.focusWidget() is page.document.form
