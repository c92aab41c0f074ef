"""The keyboard alone: Tab goes through every page, to each control there is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
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
from annotator.ui.pages.registry import PAGES

Wait = Callable[[Callable[[], bool]], None]
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


@pytest.mark.parametrize("name", [item.name for item in PAGES])
def test_tab_reaches_every_control_of_a_page(window: MainWindow, qtbot: QtBot, wait: Wait, name: str) -> None:
    window.show_page(name)
    page = window.pages.page(name)
    assert page is not None
    qtbot.wait(600)
    focus = QApplication.focusWidget()
    assert focus is not None and page.isAncestorOf(focus), "the focus is where work begins"
    been = _walk(qtbot)
    unnamed = [_name(item) for item in been if not _name(item).partition(" ")[2]]
    assert not unnamed
    missed = [
        _name(item)
        for item in page.findChildren(QWidget)
        if isinstance(item, CONTROLS)
        and item.isVisible()
        and item.isEnabled()
        and not _is_inner(item)
        and not _is_one_of_group(item)
        and item.focusPolicy() & Qt.FocusPolicy.TabFocus
        and item not in been
    ]
    assert not missed
