"""Helpers shared by all views of rows: the context menu of a row, and the text shown when there are no rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QPainter, QPalette, QTextOption
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QMenu

from annotator.ui.app.translation import tr

Fill = Callable[[QMenu], object]


class RowMenu(QObject):
    """A context menu for the current row of a view, which callbacks fill each time."""

    def __init__(self, view: QAbstractItemView, fill: Fill) -> None:
        """Attach to a view; ``fill`` is called before the menu opens, to add its entries."""
        super().__init__(view)
        self._view = view
        self._fill_callbacks = [fill]
        self.menu = QMenu(view)
        self.menu.setObjectName("row-menu")
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def add(self, fill: Fill) -> None:
        """Add a callback that adds entries above the existing ones."""
        self._fill_callbacks.insert(0, fill)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open the menu at the mouse position, or below the current row if it was requested by a key."""
        if isinstance(event, QContextMenuEvent):
            is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
            position = None if is_key else event.globalPos()
            return self.open(position)
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and _is_menu_key(event):
            return self.open(None)
        return super().eventFilter(watched, event)

    def open(self, position: QPoint | None) -> bool:
        """Open the menu at a screen position, else below the current row; return whether it has entries."""
        if not self._view.currentIndex().isValid():
            return False
        self.menu.clear()
        for fill in self._fill_callbacks:
            fill(self.menu)
        if self.menu.isEmpty():
            return False
        self.menu.popup(position if position is not None else self._below_row())
        return True

    def _below_row(self) -> QPoint:
        box = self._view.visualRect(self._view.currentIndex())
        inside = box.intersected(self._view.viewport().rect())
        return self._view.viewport().mapToGlobal(QPoint(max(0, inside.left()) + 12, max(0, inside.bottom())))


def paint_empty(view: QAbstractItemView, text: str) -> None:
    """Paint a dim text into the middle of a view that has no rows."""
    painter = QPainter(view.viewport())
    painter.setPen(view.palette().color(QPalette.ColorRole.PlaceholderText))
    option = QTextOption(Qt.AlignmentFlag.AlignCenter)
    # Without breaks inside words, a folded queue, a few letters wide, would cut off a long word.
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    painter.drawText(QRectF(view.viewport().rect().adjusted(12, 8, -12, -8)), text, option)
    painter.end()


def _is_menu_key(event: QKeyEvent) -> bool:
    shift = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
    return event.key() == Qt.Key.Key_Menu or (event.key() == Qt.Key.Key_F10 and shift)


def _copy(text: str, _checked: bool = False) -> None:
    QGuiApplication.clipboard().setText(text)


def add_copy(menu: QMenu, title: str, text: str) -> None:
    """Add an entry that copies a text, unless the text is empty."""
    if text:
        menu.addAction(title).triggered.connect(partial(_copy, text))


def add_copies_of_row(menu: QMenu, cells: list[str], column: int) -> None:
    """Add entries that copy one cell and the whole row, whose cells are separated by tabs."""
    if menu.actions():
        menu.addSeparator()
    add_copy(menu, tr("Copy the cell"), cells[column] if 0 <= column < len(cells) else "")
    add_copy(menu, tr("Copy the row"), "\t".join(cells) if any(cells) else "")


def add_buttons(menu: QMenu, buttons: Iterable[QAbstractButton]) -> None:
    """Add entries for those buttons that are enabled and not hidden."""
    for button in buttons:
        if button.isEnabled() and not button.isHidden():
            menu.addAction(button.accessibleName() or button.text()).triggered.connect(partial(_press, button))


def _press(button: QAbstractButton, _checked: bool = False) -> None:
    button.click()
