"""A layout that wraps a row of widgets like the words of a paragraph."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget, QWidgetItem


class FlowLayout(QLayout):
    """Arranges widgets in as many rows as needed; a widget wider than the row shrinks to it, down to its minimum."""

    def __init__(self, across: int = 6, down: int = 6) -> None:
        """Create an empty layout; ``across`` and ``down`` are the gaps in pixels."""
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._across, self._down = across, down
        self._heights: dict[int, int] = {}
        """Cached heights by width, because Qt asks for them many times."""
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Append an item."""
        self._items.append(item)
        self._heights.clear()

    def insert_widget(self, index: int, widget: QWidget) -> None:
        """Insert a widget before the item at an index."""
        self.addChildWidget(widget)
        self._items.insert(index, QWidgetItem(widget))
        self._heights.clear()

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or None."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return an item, or return None."""
        self._heights.clear()
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return that the layout needs no extra space."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return that the height depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the total height of the rows at a width."""
        if width not in self._heights:
            self._heights[width] = self._arrange(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def invalidate(self) -> None:
        """Clear the cached heights after a change of an item."""
        super().invalidate()
        self._heights.clear()

    def sizeHint(self) -> QSize:
        """Return the size of all items in one row."""
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + self._across * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:
        """Return the largest minimum width and height of the items."""
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(
            max((size.width() for size in sizes), default=0), max((size.height() for size in sizes), default=0)
        )

    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Lay out the rows, each as high as its highest item, and return the total height."""
        x, y, row = rect.x(), rect.y(), list[tuple[QLayoutItem, int]]()
        height = 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = _size_in(item, rect.width())
            if row and x + size.width() > rect.right() + 1:
                self._place(rect, row, y, height, move=move)
                x, y, row, height = rect.x(), y + height + self._down, [], 0
            row.append((item, x))
            x += size.width() + self._across
            height = max(height, size.height())
        self._place(rect, row, y, height, move=move)
        return y + height - rect.y()

    @staticmethod
    def _place(rect: QRect, row: list[tuple[QLayoutItem, int]], y: int, height: int, *, move: bool) -> None:
        for item, x in row if move else ():
            size = _size_in(item, rect.width())
            item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))


class FlowRow(QWidget):
    """A widget with a flow layout, whose height is fixed to that of its rows.

    Height-for-width is hidden from the outside: a scroll area would give its content the preferred height, and a box
    layout with too little space would cut off the last row.
    """

    def __init__(self, *widgets: QWidget, spacing: int = 8, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(spacing, spacing)
        self.setLayout(self._flow)
        self.add(*widgets)

    def add(self, *widgets: QWidget) -> None:
        """Append widgets."""
        for widget in widgets:
            self._flow.addWidget(widget)

    def insert(self, index: int, widget: QWidget) -> None:
        """Insert a widget before the one at an index."""
        self._flow.insert_widget(index, widget)

    def hasHeightForWidth(self) -> bool:
        """Return False, as the height is fixed to that of the rows."""
        return False

    def event(self, event: QEvent) -> bool:
        """Adjust the height when a widget is resized or hidden."""
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height to a new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        height = self._flow.heightForWidth(self.width())
        if height != self.minimumHeight():
            self.setFixedHeight(height)


def _size_in(item: QLayoutItem, width: int) -> QSize:
    """Return an item's size hint, no wider than the row unless its minimum is."""
    hint = item.sizeHint()
    return QSize(max(item.minimumSize().width(), min(hint.width(), width)), hint.height())
