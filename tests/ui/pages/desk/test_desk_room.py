"""How much of an item is seen at once in a window of 1440 x 900."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit

from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.desk.page import CriterionPage, PromptPage
from annotator.ui.pages.desk.steps import DeskStep
from annotator.ui.widgets.code.code_view import CodeView
from tests.windows import Wait


def _room(view: QPlainTextEdit) -> tuple[float, float]:
    """How many characters and lines are seen of a text."""
    metrics, size = view.fontMetrics(), view.viewport().size()
    return size.width() / metrics.horizontalAdvance("0"), size.height() / metrics.lineSpacing()


def test_the_material_and_the_open_step_can_be_read(window: MainWindow, wait: Wait) -> None:
    window.resize(1440, 900)
    window.show_page("Prompt")
    prompt = window.pages.page("Prompt")
    assert isinstance(prompt, PromptPage)
    wait(lambda: prompt.view is not None and prompt.queue.is_folded)
    assert _room(prompt.panes.editor)[1] >= 20
    window.show_page("Criterion")
    page = window.pages.page("Criterion")
    assert isinstance(page, CriterionPage)
    wait(lambda: page.view is not None and page.queue.is_folded)
    page.details.show_tab("Reference")
    [code] = [view for view in page.details.findChildren(CodeView) if view.isVisible()]
    wait(lambda: _room(code)[0] >= 80)
    assert _room(code)[1] >= 30
    page.go_to_step(DeskStep.PROVEN)
    table = page.proof.table
    wait(lambda: table.viewport().height() // table.verticalHeader().defaultSectionSize() >= 12)
