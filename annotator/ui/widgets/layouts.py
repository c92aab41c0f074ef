"""Helpers to fill layouts and splitters with widgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
    QWidgetItem,
)

Item = QWidget | QLayout
Part = Item | tuple[Item, int] | tuple[QWidget, Qt.AlignmentFlag] | int | None
Margin = int | tuple[int, int, int, int]
"""Pixels on all sides, or left, top, right and bottom."""
B = TypeVar("B", bound=QBoxLayout)


def fill_layout(layout: B, *items: Part) -> B:
    """Add widgets and layouts to a box layout and return it.

    A pair is an item with its stretch factor, or a widget with its alignment; None adds a stretch, and a number adds a
    stretch with that factor.
    """
    for entry in items:
        item, stretch_or_alignment = entry if isinstance(entry, tuple) else (entry, 0)
        if item is None or isinstance(item, int):
            layout.addStretch(1 if item is None else item)
        elif isinstance(item, QWidget) and isinstance(stretch_or_alignment, Qt.AlignmentFlag):
            layout.addWidget(item, 0, stretch_or_alignment)
        elif isinstance(item, QWidget):
            layout.addWidget(item, stretch_or_alignment)
        else:
            layout.addLayout(item, stretch_or_alignment)
    return layout


def make_row(*items: Part, spacing: int = 8) -> QHBoxLayout:
    """Create a row of parts as in `fill_layout`."""
    return _space(fill_layout(QHBoxLayout(), *items), spacing, 0)


def make_column(*items: Part, spacing: int = 8) -> QVBoxLayout:
    """Create a column of parts as in `fill_layout`."""
    return _space(fill_layout(QVBoxLayout(), *items), spacing, 0)


def fill_row(parent: QWidget, *items: Part, spacing: int = 8, margin: Margin = 0) -> QHBoxLayout:
    """Lay out parts, as in `fill_layout`, in a row in a widget."""
    return _space(fill_layout(QHBoxLayout(parent), *items), spacing, margin)


def fill_column(parent: QWidget, *items: Part, spacing: int = 8, margin: Margin = 0) -> QVBoxLayout:
    """Lay out parts, as in `fill_layout`, in a column in a widget."""
    return _space(fill_layout(QVBoxLayout(parent), *items), spacing, margin)


def _space(layout: B, spacing: int, margin: Margin) -> B:
    layout.setSpacing(spacing)
    layout.setContentsMargins(*(margin if isinstance(margin, tuple) else (margin,) * 4))
    return layout


def make_form(*rows: tuple[str | QLabel, Item]) -> QFormLayout:
    """Create a form of captions and fields; a caption is also its field's name for screen readers if it has none."""
    form = QFormLayout()
    form.setHorizontalSpacing(12)
    form.setVerticalSpacing(8)
    for caption, field in rows:
        if isinstance(field, QWidget) and isinstance(caption, str) and not field.accessibleName():
            field.setAccessibleName(caption.replace("&", ""))
        form.addRow(caption, field)
    return form


def make_flow(*widgets: QWidget, spacing: int = 8) -> FlowLayout:
    """Create a row of widgets that wraps if there is no room."""
    flow = FlowLayout(spacing, spacing)
    for widget in widgets:
        flow.addWidget(widget)
    return flow


def keep_together(*parts: Part) -> QWidget:
    """Group parts, as in `fill_layout`, so that they stay next to each other in a wrapping row.

    A caption names the field after it, because the name of a box is its value for screen readers on Linux.
    """
    holder = QWidget()
    fill_row(holder, *parts)
    caption, field = parts[0], parts[-1]
    if isinstance(caption, QLabel) and isinstance(field, QWidget):
        caption.setBuddy(field)
    return holder


def order_tabs(root: QWidget) -> None:
    """Let Tab go through the controls within a widget in reading order, as its layouts nest them."""
    stops = [widget for widget in _nested_widgets(root) if widget.focusPolicy() != Qt.FocusPolicy.NoFocus]
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)


def _nested_widgets(widget: QWidget | None) -> Iterator[QWidget]:
    if widget is None:
        return
    yield widget
    layout = widget.layout()
    if isinstance(widget, QSplitter):
        for index in range(widget.count()):
            yield from _nested_widgets(widget.widget(index))
    elif isinstance(widget, QScrollArea):
        yield from _nested_widgets(widget.widget())
    elif layout is not None:
        yield from _laid_out_widgets(layout)


def _laid_out_widgets(layout: QLayout) -> Iterator[QWidget]:
    for index in range(layout.count()):
        item = layout.itemAt(index)
        if item is not None:
            yield from _nested_widgets(item.widget())
            inner_layout = item.layout()
            if inner_layout is not None:
                yield from _laid_out_widgets(inner_layout)


def make_splitter(
    orientation: Qt.Orientation, *widgets: QWidget, sizes: Sequence[int] = (), handle: int | None = 12
) -> QSplitter:
    """Create a splitter whose parts cannot be collapsed; ``handle`` is its width, None for that of the style."""
    return fill_splitter(QSplitter(orientation), *widgets, sizes=sizes, handle=handle)


def fill_splitter(
    splitter: QSplitter, *widgets: QWidget, sizes: Sequence[int] = (), handle: int | None = 12
) -> QSplitter:
    """Add widgets to a splitter and forbid collapsing them; sizes are in pixels."""
    splitter.setChildrenCollapsible(False)
    if handle is not None:
        splitter.setHandleWidth(handle)
    for widget in widgets:
        splitter.addWidget(widget)
    if sizes:
        splitter.setSizes(list(sizes))
    return splitter


def min_size_at_width(min_size: QSize, layout: QLayout | None, width: int) -> QSize:
    """Return the minimum size of a widget at a width, including the height of wrapping parts of its layout."""
    if layout is None or not layout.hasHeightForWidth():
        return min_size
    height = layout.totalMinimumHeightForWidth(max(min_size.width(), width))
    return QSize(min_size.width(), max(min_size.height(), height))


def clear_layout(layout: QLayout) -> None:
    """Remove all items from a layout, and delete its widgets."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.deleteLater()


class CurrentStack(QStackedWidget):
    """A stack whose minimum size is that of the current widget, not of the largest one."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        """Return the minimum size of the current widget."""
        current = self.currentWidget()
        return current.minimumSizeHint() if current is not None else super().minimumSizeHint()


def make_stack(*widgets: QWidget, kind: type[QStackedWidget] = QStackedWidget) -> QStackedWidget:
    """Create a stack of widgets that shows the first."""
    stack = kind()
    for widget in widgets:
        stack.addWidget(widget)
    return stack


def make_scroll(inner: QWidget) -> QScrollArea:
    """Create a scroll area for a widget, without frame and background; the area itself takes no focus."""
    area = QScrollArea()
    area.setWidget(inner)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    for widget in (inner, area.viewport()):
        widget.setAutoFillBackground(False)
    return area


class FlowLayout(QLayout):
    """Arranges widgets in as many rows as needed; a widget wider than the row shrinks to it, down to its minimum."""

    def __init__(self, column_gap: int = 6, row_gap: int = 6) -> None:
        """Create an empty layout with gaps in pixels between the widgets of a row, and between rows."""
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._column_gap, self._row_gap = column_gap, row_gap
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
        width = sum(size.width() for size in sizes) + self._column_gap * max(0, len(sizes) - 1)
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
        row: list[tuple[QLayoutItem, int]] = []
        x, y, height = rect.x(), rect.y(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = _size_in(item, rect.width())
            if row and x + size.width() > rect.right() + 1:
                self._place(rect, row, y, height, move=move)
                row = []
                x, y, height = rect.x(), y + height + self._row_gap, 0
            row.append((item, x))
            x += size.width() + self._column_gap
            height = max(height, size.height())
        self._place(rect, row, y, height, move=move)
        return y + height - rect.y()

    @staticmethod
    def _place(rect: QRect, row: list[tuple[QLayoutItem, int]], y: int, height: int, *, move: bool) -> None:
        if not move:
            return
        for item, x in row:
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
