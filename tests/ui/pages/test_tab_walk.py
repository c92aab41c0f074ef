"""The keyboard alone: Tab goes through every page, to each control there is."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QButtonGroup,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.page_registry import PAGES
from tests.windows import open_page, settle

CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTabBar,
)  # fmt: skip
MOST_KEYS = 250


def _is_inner(widget: QWidget) -> bool:
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


def _problems(window: MainWindow, qtbot: QtBot, name: str) -> Iterator[str]:
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
            isinstance(item, CONTROLS)
            and item.isVisible()
            and item.isEnabled()
            and not _is_inner(item)
            and not _is_one_of_group(item)
            and item.focusPolicy() & Qt.FocusPolicy.TabFocus
            and item not in been
        ):
            yield f"{name}: Tab misses {_name(item)}"


def test_tab_reaches_every_control_of_every_page(window: MainWindow, qtbot: QtBot) -> None:
    problems = [problem for item in PAGES for problem in _problems(window, qtbot, item.name)]
    assert not problems
