"""Helpers to fill layouts and splitters with widgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from annotator.ui.widgets.flow_layout import FlowLayout

Item = QWidget | QLayout
Part = Item | tuple[Item, int] | tuple[QWidget, Qt.AlignmentFlag] | int | None
B = TypeVar("B", bound=QBoxLayout)


def fill_layout(layout: B, *items: Part, spacing: int | None = None, margin: int | None = None) -> B:
    """Add widgets and layouts to a box layout and return it.

    A pair is an item with its stretch factor, or a widget with its alignment; None adds a stretch, and a number adds a
    stretch with that factor. ``spacing`` and ``margin`` default to the style's own.
    """
    if margin is not None:
        layout.setContentsMargins(margin, margin, margin, margin)
    if spacing is not None:
        layout.setSpacing(spacing)
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


def arrange(layout: B, *items: Part, spacing: int = 8, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> B:
    """Fill a layout like `fill_layout` and return it; margins are left, top, right and bottom in pixels."""
    layout.setContentsMargins(*margins)
    return fill_layout(layout, *items, spacing=spacing)


def make_row(*items: Part, spacing: int | None = None) -> QHBoxLayout:
    """Create a row of parts as in `fill_layout`."""
    return fill_layout(QHBoxLayout(), *items, spacing=spacing)


def make_flow(*widgets: QWidget, spacing: int = 8) -> FlowLayout:
    """Create a row of widgets that wraps if there is no room."""
    flow = FlowLayout(spacing, spacing)
    for widget in widgets:
        flow.addWidget(widget)
    return flow


def keep_together(*parts: Part) -> QWidget:
    """Group parts, as in `fill_layout`, so that they stay next to each other in a wrapping row."""
    holder = QWidget()
    arrange(QHBoxLayout(holder), *parts)
    return holder


def make_column(parent: QWidget, *items: Part, spacing: int | None = None, margin: int = 0) -> QVBoxLayout:
    """Lay out parts, as in `fill_layout`, in a column in a widget."""
    return fill_layout(QVBoxLayout(parent), *items, spacing=spacing, margin=margin)


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


def least_at_width(least: QSize, layout: QLayout | None, width: int) -> QSize:
    """Return the minimum size of a widget at a width, including the height of wrapping parts of its layout."""
    if layout is None or not layout.hasHeightForWidth():
        return least
    return QSize(least.width(), max(least.height(), layout.totalMinimumHeightForWidth(max(least.width(), width))))


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
