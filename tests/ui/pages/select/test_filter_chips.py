"""What narrows the queue is a bar of chips: a value is found by typing, shown as a chip, and gone with a press."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from tests.windows import Wait, open_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


def _page(window: MainWindow, wait: Wait) -> Any:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None and page.queue.progress.value() > 0)
    return page


def _chips(page: Any) -> list[str]:
    found = page.filters.findChildren(QPushButton)
    return [chip.accessibleName() for chip in found if chip.isVisible() and chip.property("role") == "chosen-chip"]


def test_a_value_is_found_by_typing_and_its_chip_takes_it_away(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    page = _page(window, wait)
    assert _chips(page) == []
    page.filters.open_choice()
    qtbot.keyClicks(page.filters.choice.field, "lang java")
    assert [choice.word for choice in page.filters.choice.visible_choices()] == ["javascript", "java"]
    qtbot.keyClick(page.filters.choice.field, Qt.Key.Key_Return)
    wait(lambda: page.queue.model.rowCount() == 3)
    qtbot.keyClick(page.filters.choice.field, Qt.Key.Key_Down)
    qtbot.keyClick(page.filters.choice.field, Qt.Key.Key_Return)
    wait(lambda: page.queue.model.rowCount() == 4)
    assert page.filters.filter().languages == ("javascript", "java")
    page.filters.choice.hide()
    wait(lambda: len(_chips(page)) == 2)
    next(made for made in page.filters.findChildren(QPushButton) if "javascript" in made.text()).click()
    wait(lambda: page.queue.model.rowCount() == 1)
    assert page.filters.filter().languages == ("java",)
    page.filters.show_everything()
    wait(lambda: page.queue.model.rowCount() == 24)
    assert _chips(page) == []


def test_a_dimension_without_values_is_not_offered(window: MainWindow, wait: Wait) -> None:
    from annotator.model.rows.queue_rows import Facets

    page = _page(window, wait)
    page.filters.set_facets(Facets({"language": (("python", 6),), "area": ()}, capped=False))
    page.filters.open_choice()
    titles = {choice.title for choice in page.filters.choice.visible_choices()}
    page.filters.choice.hide()
    assert titles == {"Language", "Assigned to"}


def test_a_filter_of_several_values_shows_a_chip_for_each(window: MainWindow, wait: Wait) -> None:
    from annotator.model.rows.queue_rows import QueueFilter

    page = _page(window, wait)
    wanted = QueueFilter(languages=("python", "go"), missing=("proof",), holders=("nobody",), sort="title")
    page.filters.choose(wanted)
    assert page.filters.filter() == wanted
    wait(lambda: len(_chips(page)) == 4)
    assert "By title" in page.filters.sort.text()
    page.filters.toggle_mine()
    assert page.filters.filter().holders == ("me",)
