"""A list of counts with bars, such as the stages of a funnel or the quotas of a project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.labels import escape_tool_tip
from annotator.ui.widgets.row_menu import RowMenu, add_copies_of_row

_ROW_HEIGHT, _BAR_HEIGHT = 34, 4
_PAYLOAD, _BAR = int(Qt.ItemDataRole.UserRole), int(Qt.ItemDataRole.UserRole) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A row: its label, its number as text, the filled share of its bar (0 to 1), and its kind for the colour.

    The kind is "", "good" or "attention".
    """

    label: str
    number: str
    share: float
    summary: str
    """The whole row, for screen readers."""
    tip: str = ""
    kind: str = ""
    is_marked: bool = False


class BarDelegate(QStyledItemDelegate):
    """Paints the label on the left, the number on the right, and the bar below; a marked row is bold."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the same height for every row."""
        del option, index
        return QSize(120, self._theme.pixels(_ROW_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint one row."""
        bar = index.data(_BAR)
        if not isinstance(bar, Bar):
            return
        tokens, rect = self._theme.tokens, option.rect.adjusted(4, 0, -6, 0)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(tokens.selection))
        font = QFont(option.font)
        font.setBold(bar.is_marked)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        baseline, width = rect.top() + 4 + metrics.ascent(), metrics.horizontalAdvance(bar.number)
        colour = {"good": tokens.good, "attention": tokens.attention}.get(bar.kind, tokens.text)
        painter.setPen(QColor(colour))
        painter.drawText(rect.right() - width, baseline, bar.number)
        painter.setPen(QColor(tokens.text))
        room = rect.width() - width - 12
        painter.drawText(rect.left(), baseline, metrics.elidedText(bar.label, Qt.TextElideMode.ElideRight, room))
        rect.setTop(rect.bottom() - _BAR_HEIGHT - 3)
        rect.setHeight(_BAR_HEIGHT)
        painter.fillRect(rect, QColor(tokens.line))
        # Anything above 0 gets at least 2 pixels, so that it never looks empty.
        rect.setWidth(max(2 if bar.share else 0, round(rect.width() * min(1.0, bar.share))))
        painter.fillRect(rect, QColor(tokens.good if bar.kind == "good" else tokens.accent))
        painter.restore()


class BarList(QListWidget):
    """A list of rows, each with a bar and a payload; updates keep the current row."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        """Create an empty list; ``name`` is for screen readers."""
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName(name)
        self._delegate = BarDelegate(theme)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.menu = RowMenu(self, self._fill_menu)

    def set_bars(self, bars: Sequence[Bar], payloads: Sequence[Any]) -> None:
        """Replace the rows in place, so that the current row stays."""
        while self.count() > len(bars):
            self.takeItem(self.count() - 1)
        for row, (bar, payload) in enumerate(zip(bars, payloads, strict=True)):
            item = self.item(row)
            if item is None:
                item = QListWidgetItem()
                self.addItem(item)
            if item.data(_BAR) != bar or item.data(_PAYLOAD) != payload:
                item.setData(_BAR, bar)
                item.setData(_PAYLOAD, payload)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, bar.summary)
                item.setToolTip(escape_tool_tip(bar.tip or bar.summary))

    def payloads(self) -> tuple[Any, ...]:
        """Return the payloads of all rows."""
        return tuple(self.item(row).data(_PAYLOAD) for row in range(self.count()))

    def bar(self, row: int) -> Bar:
        """Return the bar of a row."""
        bar: Bar = self.item(row).data(_BAR)
        return bar

    @property
    def full_height(self) -> int:
        """The height at which all rows are visible."""
        return self._theme.pixels(_ROW_HEIGHT) * self.count() + 4

    def _fill_menu(self, menu: QMenu) -> None:
        add_copies_of_row(menu, [str(self.currentItem().data(Qt.ItemDataRole.AccessibleTextRole))], -1)
