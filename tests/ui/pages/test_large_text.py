"""Large letters: nothing is cut that cannot be scrolled to, and the window stays as large as it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QPushButton, QScrollArea, QWidget

from annotator.ui.pages.page_registry import PAGES
from annotator.ui.pages.runs import page as runs_page
from annotator.ui.widgets.labels import ElidedLabel
from annotator.ui.widgets.table import DataTable
from tests.windows import Wait, open_page

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow


def _cut(widget: QWidget) -> Iterator[str]:
    """Name the words that are not wholly shown in a widget."""
    for label in widget.findChildren(QLabel):
        if label.isVisibleTo(widget) and not label.wordWrap() and not isinstance(label, ElidedLabel):
            letters = label.fontMetrics()
            if letters.horizontalAdvance(label.text()) > label.width() or letters.height() > label.height():
                yield f"{label.text()!r}: {label.size()}"
    for button in widget.findChildren(QPushButton):
        if button.isVisibleTo(widget) and button.width() < button.fontMetrics().horizontalAdvance(button.text()):
            yield f"{button.text()!r}: {button.size()}"
    for box in widget.findChildren(QComboBox):
        if box.isVisibleTo(widget) and box.property("role") == "tight":
            text = box.currentText()
            if box.fontMetrics().horizontalAdvance(text) > box.width() - 22:
                yield f"{text!r}: {box.size()}"
    for table in widget.findChildren(DataTable):
        if table.isVisibleTo(widget) and table.verticalHeader().defaultSectionSize() < table.fontMetrics().height() + 8:
            yield f"rows of {table.accessibleName()!r}"


def test_no_word_is_cut_at_twice_the_size(window: MainWindow, wait: Wait) -> None:
    def whole() -> None:
        page = window.pages.page(window.pages.current_name)
        assert page is not None
        assert not list(_cut(page)), window.pages.current_name

    window.theme.set_scale(200)
    try:
        for item in PAGES:
            window.show_page(item.name)
            wait(whole)
            assert window.width() <= 1280, f"{item.name} makes the window {window.width()} wide"
            assert window.minimumSizeHint().width() <= 1920, f"{item.name} needs more than a common screen"
    finally:
        window.theme.set_scale(100)


def _show_main_buttons(window: MainWindow, wait: Wait, size: tuple[int, int], scale: int) -> None:
    """Large letters take as much room as a screen that shows all larger: 1280 x 800 at 175 % are 731 x 457."""

    def in_view() -> None:
        page = window.pages.page(window.pages.current_name)
        assert page is not None
        shown = window.pages.currentWidget()
        assert isinstance(shown, QScrollArea)
        assert shown.horizontalScrollBar().maximum() == 0, f"{page.name} scrolls sideways"
        room = shown.viewport().rect()
        for button in page.findChildren(QPushButton):
            if button.property("role") == "primary" and button.isVisible():
                place = button.rect().translated(button.mapTo(shown.viewport(), button.rect().topLeft()))
                assert room.contains(place), f"{page.name}: {button.text()!r} at {place}"

    # Small first, so that pages are framed.
    window.resize(1000, 600)
    window.show_page("Judge")
    window.resize(*size)
    window.theme.set_scale(scale)
    try:
        for item in PAGES:
            window.show_page(item.name)
            wait(in_view)
            assert (window.width(), window.height()) == size, item.name
    finally:
        window.theme.set_scale(100)


def test_the_main_button_is_in_view_where_there_is_little_room(
    window: MainWindow, wait: Wait, subtests: pytest.Subtests
) -> None:
    for size, scale in (((731, 452), 100), ((1280, 800), 175)):
        with subtests.test(f"{size} {scale}"):
            _show_main_buttons(window, wait, size, scale)


def test_the_focus_stays_when_letters_grow(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Select")
    search = page.queue.search
    search.setFocus()
    wait(search.hasFocus)
    window.theme.set_scale(150)
    try:
        QApplication.processEvents()
        assert search.hasFocus() and search.isVisible()
    finally:
        window.theme.set_scale(100)


def test_without_a_release_the_way_to_one_is_in_view(window: MainWindow, wait: Wait) -> None:
    window.resize(1000, 600)
    page = open_page(window, "Runs")
    wait(lambda: page.table.row_count() == 3)
    window.resize(731, 452)
    page.show_state(runs_page.load_runs_state(page.store)._replace(releases=(), runs=()))

    def in_view() -> None:
        frame: Any = window.pages.currentWidget()
        made = page.list.empty.button
        assert made.isVisible() and made.visibleRegion().boundingRect().size() == made.size()
        assert frame.verticalScrollBar().value() == 0
        [said] = [label for label in page.list.empty.findChildren(QLabel) if label.wordWrap()]
        assert said.height() >= said.heightForWidth(said.width())

    wait(in_view)


def _show_rows(window: MainWindow, wait: Wait, name: str) -> None:
    """Below the headers, which grow with the letters too."""

    def in_view() -> None:
        page = window.pages.page(name)
        assert page is not None
        tables = [table for table in page.findChildren(DataTable) if table.isVisible() and table.row_count()]
        assert len(tables) >= 2
        for table in tables:
            row = table.verticalHeader().defaultSectionSize()
            assert table.viewport().height() >= table.least_rows * row, table.accessibleName()
        assert sum(table.least_rows == 2 for table in tables) >= 1

    window.resize(1280, 800)
    window.theme.set_scale(175)
    try:
        window.show_page(name)
        wait(in_view)
    finally:
        window.theme.set_scale(100)


def test_every_list_has_rows_in_view(window: MainWindow, wait: Wait, subtests: pytest.Subtests) -> None:
    for name in ("Release", "Results"):
        with subtests.test(name):
            _show_rows(window, wait, name)
