"""What a screen reader is told: every control of every page has a name, and the keyboard reaches it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.page_registry import PAGES
from tests.windows import settle, tree_problems

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


def _can_be_reached(widget: QWidget) -> bool:
    """By Tab, by the arrow keys from one of its row that Tab reaches, or (what empties a field) by Delete in it."""
    parent = widget.parentWidget()
    if isinstance(parent, QLineEdit):
        return True
    row = [item for item in parent.children() if type(item) is type(widget)] if parent is not None else [widget]
    return any(bool(item.focusPolicy() & Qt.FocusPolicy.TabFocus) for item in row)


def _problems(window: MainWindow, qtbot: QtBot, name: str) -> Iterator[str]:
    """Say what a page shows without a name or out of the keyboard's reach, and whether it is too wide."""
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
    """Say which controls of a part have no name or cannot be reached, or that it has hardly any."""
    controls = [item for item in shown.findChildren(QWidget) if isinstance(item, CONTROLS) and not _is_inner(item)]
    if len(controls) <= 5:
        yield f"{name}: only {len(controls)} controls"
    for item in controls:
        if not _told(item) and not _waits(item):
            place = f"{item.objectName()} in {type(item.parentWidget()).__name__}"
            yield f"{name}: {type(item).__name__} {place} has no name"
        if item.isVisible() and item.isEnabled() and not _can_be_reached(item):
            yield f"{name}: {type(item).__name__} {_told(item)} cannot be reached"


def test_every_control_has_a_name_and_can_be_reached_on_a_common_screen(window: MainWindow, qtbot: QtBot) -> None:
    problems = [problem for item in PAGES for problem in _problems(window, qtbot, item.name)]
    assert not [*problems, *_unnamed(window, "window")]
