"""Filling layouts and splitters with widgets."""

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
    """Put widgets and layouts into a box layout and return it.

    A pair names an item and its share of the room left, or a widget and the side it keeps to; None is room that
    stretches, a number room with that share.
    Without ``spacing`` and ``margin`` the style's own hold.
    """
    if margin is not None:
        layout.setContentsMargins(margin, margin, margin, margin)
    if spacing is not None:
        layout.setSpacing(spacing)
    for entry in items:
        item, share = entry if isinstance(entry, tuple) else (entry, 0)
        if item is None or isinstance(item, int):
            layout.addStretch(1 if item is None else item)
        elif isinstance(item, QWidget) and isinstance(share, Qt.AlignmentFlag):
            layout.addWidget(item, 0, share)
        elif isinstance(item, QWidget):
            layout.addWidget(item, share)
        else:
            layout.addLayout(item, share)
    return layout


def arrange(layout: B, *items: Part, spacing: int = 8, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> B:
    """Fill a layout as `fill_layout` does, and return it; margins are left, top, right and bottom in pixels."""
    layout.setContentsMargins(*margins)
    return fill_layout(layout, *items, spacing=spacing)


def make_row(*items: Part, spacing: int | None = None) -> QHBoxLayout:
    """Return a row of parts, given as `fill_layout` takes them."""
    return fill_layout(QHBoxLayout(), *items, spacing=spacing)


def make_flow(*widgets: QWidget, spacing: int = 8) -> FlowLayout:
    """Return a row that is broken into several where there is no room for one."""
    flow = FlowLayout(spacing, spacing)
    for widget in widgets:
        flow.addWidget(widget)
    return flow


def keep_together(*widgets: QWidget) -> QWidget:
    """Return widgets as one, which stay beside each other where a row is broken."""
    holder = QWidget()
    arrange(QHBoxLayout(holder), *widgets)
    return holder


def make_column(parent: QWidget, *items: Part, spacing: int | None = None, margin: int = 0) -> QVBoxLayout:
    """Lay parts, given as `fill_layout` takes them, out in a widget one below the other."""
    return fill_layout(QVBoxLayout(parent), *items, spacing=spacing, margin=margin)


def make_splitter(
    orientation: Qt.Orientation, *widgets: QWidget, sizes: Sequence[int] = (), handle: int | None = 12
) -> QSplitter:
    """Return a splitter none of whose parts can be collapsed; a handle of None has the style's width."""
    return fill_splitter(QSplitter(orientation), *widgets, sizes=sizes, handle=handle)


def fill_splitter(
    splitter: QSplitter, *widgets: QWidget, sizes: Sequence[int] = (), handle: int | None = 12
) -> QSplitter:
    """Put widgets into a splitter, none of which can be collapsed; sizes are in pixels."""
    splitter.setChildrenCollapsible(False)
    if handle is not None:
        splitter.setHandleWidth(handle)
    for widget in widgets:
        splitter.addWidget(widget)
    if sizes:
        splitter.setSizes(list(sizes))
    return splitter


def least_at_width(least: QSize, layout: QLayout | None, width: int) -> QSize:
    """Return the least size of a widget, and as high as what wraps in its layout makes it at a width."""
    if layout is None or not layout.hasHeightForWidth():
        return least
    return QSize(least.width(), max(least.height(), layout.totalMinimumHeightForWidth(max(least.width(), width))))


def clear_layout(layout: QLayout) -> None:
    """Take everything out of a layout; its widgets are deleted."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.deleteLater()


class CurrentStack(QStackedWidget):
    """A stack that asks for the room of the face shown, and not for that of its largest one."""

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self.currentChanged.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        """Ask for what the face shown needs."""
        face = self.currentWidget()
        return face.minimumSizeHint() if face is not None else super().minimumSizeHint()


def make_stack(*faces: QWidget, kind: type[QStackedWidget] = QStackedWidget) -> QStackedWidget:
    """Return a stack of widgets of which the first is shown."""
    stack = kind()
    for face in faces:
        stack.addWidget(face)
    return stack


def make_scroll(inner: QWidget) -> QScrollArea:
    """Return an area in which a widget is scrolled; the ground of what it stands on shows through."""
    area = QScrollArea()
    area.setWidget(inner)
    area.setWidgetResizable(True)
    for widget in (inner, area.viewport()):
        widget.setAutoFillBackground(False)
    return area
