"""How far every quota is: a line each, with a bar, filled and wanted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
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

from annotator.model.rows.queue import QuotaRow, SubjectRow
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.row_menu import RowMenu, add_copies_of_row

_HEIGHT = 30
_OWN = Qt.ItemDataRole.UserRole + 1


class QuotaDelegate(QStyledItemDelegate):
    """Paints one quota; those of the subject on screen are marked and bold."""

    def __init__(self, theme: Theme) -> None:
        """Take the colours."""
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the same height for every line."""
        del option, index
        return QSize(100, self._theme.pixels(_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint the values on the left, the numbers on the right, and the bar below."""
        row = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(row, QuotaRow):
            return
        t, rect = self._theme.tokens, option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(t.selection))
        font = QFont(option.font)
        own = bool(index.data(_OWN))
        font.setBold(own)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        full = row.filled >= row.wanted
        short = not full and row.wanted - row.filled > row.open
        numbers = f"{row.filled} / {row.wanted}{' ✓' if full else ' !' if short else ''}"
        left, right, base = rect.left() + 4, rect.right() - 6, rect.top() + 4 + metrics.ascent()
        width = metrics.horizontalAdvance(numbers)
        painter.setPen(QColor(t.good if full else t.attention if short else t.text))
        painter.drawText(right - width, base, numbers)
        painter.setPen(QColor(t.text if own else t.dim))
        name = metrics.elidedText(row.label, Qt.TextElideMode.ElideRight, right - width - left - 12)
        painter.drawText(left, base, name)
        bar = rect.adjusted(4, rect.height() - 6, -6, -3)
        painter.fillRect(bar, QColor(t.line))
        share = min(1.0, row.filled / row.wanted) if row.wanted else 1.0
        bar.setWidth(round(bar.width() * share))
        painter.fillRect(bar, QColor(t.good if full else t.accent))
        painter.restore()


class QuotaList(QListWidget):
    """The quotas of the project; `chosen` carries the quota whose subjects shall be shown, or None for all."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        """Show nothing yet."""
        super().__init__(parent)
        self.setAccessibleName(tr("Quotas"))
        self._delegate = QuotaDelegate(theme)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setToolTip(tr("Double click or Return shows the subjects of a quota; again shows all"))
        self.itemActivated.connect(self._activated)
        RowMenu(self, self._fill_menu)
        self._shown: QuotaRow | None = None

    def set_rows(self, rows: Sequence[QuotaRow]) -> None:
        """Show other numbers; the lines stay where they are."""
        while self.count() > len(rows):
            self.takeItem(self.count() - 1)
        for place, row in enumerate(rows):
            item = self.item(place)
            if item is None:
                item = QListWidgetItem()
                self.addItem(item)
            if item.data(Qt.ItemDataRole.UserRole) != row:
                item.setData(Qt.ItemDataRole.UserRole, row)
                said = tr(
                    "{label}: {filled} of {wanted}, {open} open",
                    label=row.label,
                    filled=row.filled,
                    wanted=row.wanted,
                    open=row.open,
                )
                item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
                item.setToolTip(said)

    def rows(self) -> tuple[QuotaRow, ...]:
        """Return what is shown."""
        return tuple(self.item(place).data(Qt.ItemDataRole.UserRole) for place in range(self.count()))

    def mark(self, subject: SubjectRow | None) -> None:
        """Mark the quotas a subject counts towards, and show the first of them."""
        first = None
        for place, row in enumerate(self.rows()):
            own = subject is not None and row.holds(subject)
            item = self.item(place)
            if bool(item.data(_OWN)) != own:
                item.setData(_OWN, own)
            first = first or (item if own else None)
        if first is not None:
            self.scrollToItem(first)

    def _fill_menu(self, menu: QMenu) -> None:
        item = self.currentItem()
        row: QuotaRow = item.data(Qt.ItemDataRole.UserRole)
        shown = self._shown is not None and self._shown.values == row.values
        opening = menu.addAction(tr("Show all candidates") if shown else tr("Show its candidates"))
        opening.triggered.connect(partial(self._choose, item))
        menu.setDefaultAction(opening)
        add_copies_of_row(menu, [item.toolTip()], -1)

    def _choose(self, item: QListWidgetItem, _checked: bool = False) -> None:
        self._activated(item)

    def _activated(self, item: QListWidgetItem) -> None:
        row = item.data(Qt.ItemDataRole.UserRole)
        self._shown = None if self._shown is not None and self._shown.values == row.values else row
        self.chosen.emit(self._shown)
