"""Every control has a name for screen readers, can be reached by Tab, and is not cut by large letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QButtonGroup,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.settings.page_layout import path_in_page
from annotator.ui.pages.page_registry import PAGES
from annotator.ui.pages.runs import page as runs_page
from annotator.ui.widgets.labels import ElidedLabel
from annotator.ui.widgets.table import DataTable
from tests.windows import Wait, open_page, settle, tree_problems

CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTabBar, QTextEdit,
)  # fmt: skip
COMMON_WIDTH = 1280


def _is_inner(widget: QWidget) -> bool:
    """Parts of a control that is named itself: the list and the line of a combo box, the line of a spin box."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QComboBox | QAbstractSpinBox) or parent.inherits("QComboBoxPrivateContainer"):
            return True
        if isinstance(parent, QAbstractItemView):
            return True
        parent = parent.parentWidget()
    return widget.objectName().startswith("qt_")


def _waits(widget: QWidget) -> bool:
    """A button that is hidden until it is given its word."""
    return isinstance(widget, QAbstractButton) and widget.isHidden() and not widget.text()


def _told(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name).strip() if interface is not None else ""


def _problems(window: MainWindow, qtbot: QtBot, name: str) -> Iterator[str]:
    """Say what a page shows without a name, and whether it is too wide."""
    window.show_page(name)
    qtbot.waitUntil(lambda: window.pages.current_name == name and window.pages.page(name) is not None)
    settle(window, qtbot)
    page = window.pages.page(name)
    assert page is not None
    yield from _unnamed(page, name)
    yield from tree_problems(page, name)
    if window.minimumSizeHint().width() > COMMON_WIDTH:
        yield f"{name}: needs {window.minimumSizeHint().width()} pixels"


def _unnamed(shown: QWidget, name: str) -> Iterator[str]:
    """Say which controls of a part have no name, or that it has hardly any."""
    controls = [item for item in shown.findChildren(QWidget) if isinstance(item, CONTROLS) and not _is_inner(item)]
    if len(controls) <= 5:
        yield f"{name}: only {len(controls)} controls"
    for item in controls:
        if not _told(item) and not _waits(item):
            place = f"{item.objectName()} in {type(item.parentWidget()).__name__}"
            yield f"{name}: {type(item).__name__} {place} has no name"


def test_every_control_has_a_name_on_a_common_screen(window: MainWindow, qtbot: QtBot) -> None:
    problems = [problem for item in PAGES for problem in _problems(window, qtbot, item.name)]
    assert not [*problems, *_unnamed(window, "window")]


# The keyboard alone: Tab goes through every page, to each control there is.
WALK_CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTabBar,
)  # fmt: skip
MOST_KEYS = 250


def _walk_is_inner(widget: QWidget) -> bool:
    """Parts of a control that Tab reaches as one, such as the line of a box."""
    parent = widget.parentWidget()
    return isinstance(parent, QComboBox | QAbstractSpinBox | QAbstractItemView) or widget.objectName().startswith("qt_")


def _is_one_of_group(widget: QWidget) -> bool:
    """Of buttons of which one is down Tab reaches that one; the arrow keys go on from there."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return isinstance(group, QButtonGroup) and group.exclusive() and not widget.isChecked()  # type: ignore[attr-defined]


def _name(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    told = interface.text(QAccessible.Text.Name).strip() if interface is not None else ""
    return f"{type(widget).__name__} {told or widget.objectName()}"


def _walk(qtbot: QtBot) -> list[QWidget]:
    """Press Tab until the focus is where it has been before; return where it has been."""
    start = QApplication.focusWidget()
    assert start is not None
    been = [start]
    for _ in range(MOST_KEYS):
        before = QApplication.focusWidget()
        qtbot.keyClick(before, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        assert now is not None, f"nothing has the focus after {_name(before)}"
        assert now is not before, f"Tab does not leave {_name(before)}"
        if now in been:
            return been
        been.append(now)
    raise AssertionError(f"Tab does not come back: {[_name(item) for item in been[-12:]]}")


def _walk_problems(window: MainWindow, qtbot: QtBot, name: str) -> Iterator[str]:
    """Say what is wrong with the way through a page."""
    page = open_page(window, name)
    settle(window, qtbot)
    focus = QApplication.focusWidget()
    if focus is None or not page.isAncestorOf(focus):
        yield f"{name}: the focus is not where work begins"
        return
    try:
        been = _walk(qtbot)
    except AssertionError as error:
        yield f"{name}: {error}"
        return
    for item in been:
        if not _name(item).partition(" ")[2]:
            yield f"{name}: {_name(item)}has no name"
    for item in page.findChildren(QWidget):
        if (
            isinstance(item, WALK_CONTROLS)
            and item.isVisible()
            and item.isEnabled()
            and not _walk_is_inner(item)
            and not _is_one_of_group(item)
            and item.focusPolicy() & Qt.FocusPolicy.TabFocus
            and item not in been
        ):
            yield f"{name}: Tab misses {_name(item)}"


def test_tab_reaches_every_control_of_every_page(window: MainWindow, qtbot: QtBot) -> None:
    problems = [problem for item in PAGES for problem in _walk_problems(window, qtbot, item.name)]
    assert not problems


# Large letters: nothing is cut that cannot be scrolled to, and the window stays as large as it was.


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
            assert table.viewport().height() >= table.min_rows * row, table.accessibleName()
        assert sum(table.min_rows == 2 for table in tables) >= 1

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


# The parts of the real pages have places of their own, and panels that are made later come back arranged.


def test_every_part_of_every_page_has_a_place_of_its_own(window: MainWindow, wait: Wait) -> None:
    for item in PAGES:
        page = open_page(window, item.name)
        parts = [*page.findChildren(QSplitter), *page.findChildren(QAbstractScrollArea)]
        places = [path_in_page(page, part) for part in parts]
        assert len(set(places)) == len(places), item.name


def test_panels_that_are_made_later_are_arranged_too(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Sources")
    page.source_tabs.choose(3)
    splitter = page.panel(3).suggestions.findChild(QSplitter)
    page.panel(3).faces.choose(2)
    wait(splitter.isVisible)
    splitter.setSizes([300, 700])
    sizes = splitter.sizes()
    window.pages.save_states()
    page.source_tabs.choose(0)
    window.pages.drop_pages()
    page = open_page(window, "Sources")
    page.source_tabs.choose(3)
    page.panel(3).faces.choose(2)
    splitter = page.panel(3).suggestions.findChild(QSplitter)
    wait(splitter.isVisible)
    assert [abs(one - other) < 3 for one, other in zip(splitter.sizes(), sizes, strict=True)] == [True, True]


def test_tab_follows_the_reading_order(window: MainWindow, qtbot: QtBot) -> None:
    page = open_page(window, "Criterion")
    settle(window, qtbot)
    names = [_name(item) for item in _walk(qtbot)]
    last_rule = max(place for place, name in enumerate(names) if "Remove" in name)
    assert names[last_rule + 1] == "QPushButton Add a rule"
    assert "Details of the subject: Tried on" in " ".join(names), "Tab stops at the tab that is open"
    page.details.show_tab("Reference")
    names = [_name(item) for item in _walk(qtbot)]
    details = names.index("QPushButton Details of the subject: Reference")
    assert "Reference" in names[details + 1] or "Edit" in names[details + 1]
    caption = next(item for item in page.findChildren(QLabel) if item.text() == "match")
    assert isinstance(caption.buddy(), QComboBox)
    open_page(window, "Select")
    settle(window, qtbot)
    names = [_name(item).partition(" ")[2] for item in _walk(qtbot)]
    assert names.index("Search the queue") < names.index("Add a filter")
