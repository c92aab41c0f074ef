"""A layout that breaks a row of widgets where there is no more room, as a paragraph breaks its words."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Widgets beside each other, in as many rows as the width asks for; none is wider than the row unless it must."""

    def __init__(self, across: int = 6, down: int = 6) -> None:
        """Leave so many pixels between widgets of a row, and between rows."""
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._across, self._down = across, down
        self._heights: dict[int, int] = {}
        """The heights that were asked for since anything changed, by width: a page asks many times over."""
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Put an item behind the last one."""
        self._items.append(item)
        self._heights.clear()

    def count(self) -> int:
        """How many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or None where there is none."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take an item out, and return it."""
        self._heights.clear()
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Ask for no more room than is needed."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all rows at a width."""
        if width not in self._heights:
            self._heights[width] = self._arrange(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def invalidate(self) -> None:
        """Forget the heights: an item is another size, or another item."""
        super().invalidate()
        self._heights.clear()

    def sizeHint(self) -> QSize:
        """Ask for one row."""
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + self._across * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:
        """Return the size of the widest and of the highest widget."""
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(
            max((size.width() for size in sizes), default=0), max((size.height() for size in sizes), default=0)
        )

    def setGeometry(self, rect: QRect) -> None:
        """Put the widgets into their places."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Go through the rows, each as high as its highest widget; return how high they are together."""
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
    """Widgets in such a layout, as high as their rows are.

    Height for width is kept inside: a scroll area would make all around it as high as it would like to be, and a box
    with too little room would cut the last row.
    """

    def __init__(self, *widgets: QWidget, spacing: int = 8, parent: QWidget | None = None) -> None:
        """Put the widgets beside each other."""
        super().__init__(parent)
        self._flow = FlowLayout(spacing, spacing)
        self.setLayout(self._flow)
        self.add(*widgets)

    def add(self, *widgets: QWidget) -> None:
        """Put widgets behind the last one."""
        for widget in widgets:
            self._flow.addWidget(widget)

    def hasHeightForWidth(self) -> bool:
        """Have one height, that of the rows."""
        return False

    def event(self, event: QEvent) -> bool:
        """Fit again when a widget changes its size or is hidden."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the rows to another width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        height = self._flow.heightForWidth(self.width())
        if height != self.minimumHeight():
            self.setFixedHeight(height)


def _size_in(item: QLayoutItem, width: int) -> QSize:
    """Return the size that an item hints at, no wider than the row unless it must be."""
    hint = item.sizeHint()
    return QSize(max(item.minimumSize().width(), min(hint.width(), width)), hint.height())
