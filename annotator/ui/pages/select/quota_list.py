"""The progress of every quota: a row each, with numbers and a bar."""

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

from annotator.model.rows.queue_rows import QuotaRow, SubjectRow
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.row_menu import RowMenu, add_copies_of_row

_ROW_HEIGHT = 30
_OWN_ROLE = Qt.ItemDataRole.UserRole + 1


class QuotaDelegate(QStyledItemDelegate):
    """Paints one quota; those of the subject on screen are bold."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the same height for every row."""
        del option, index
        return QSize(100, self._theme.pixels(_ROW_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint the values on the left, the numbers on the right, and the bar below."""
        row = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(row, QuotaRow):
            return
        tokens, rect = self._theme.tokens, option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(tokens.selection))
        font = QFont(option.font)
        is_own = bool(index.data(_OWN_ROLE))
        font.setBold(is_own)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        is_full = row.filled >= row.wanted
        is_short = not is_full and row.wanted - row.filled > row.open
        numbers = f"{row.filled} / {row.wanted}{' ✓' if is_full else ' !' if is_short else ''}"
        text_x, right, baseline = rect.left() + 4, rect.right() - 6, rect.top() + 4 + metrics.ascent()
        width = metrics.horizontalAdvance(numbers)
        painter.setPen(QColor(tokens.good if is_full else tokens.attention if is_short else tokens.text))
        painter.drawText(right - width, baseline, numbers)
        painter.setPen(QColor(tokens.text if is_own else tokens.dim))
        name = metrics.elidedText(row.label, Qt.TextElideMode.ElideRight, right - width - text_x - 12)
        painter.drawText(text_x, baseline, name)
        bar = rect.adjusted(4, rect.height() - 6, -6, -3)
        painter.fillRect(bar, QColor(tokens.line))
        share = min(1.0, row.filled / row.wanted) if row.wanted else 1.0
        bar.setWidth(round(bar.width() * share))
        painter.fillRect(bar, QColor(tokens.good if is_full else tokens.accent))
        painter.restore()


class QuotaList(QListWidget):
    """The quotas of the project; `quota_chosen` carries the quota whose subjects to show, or None for all."""

    quota_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Quotas"))
        self._delegate = QuotaDelegate(theme)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setToolTip(tr("Double-click or Return shows the subjects of a quota; repeat to show all"))
        self.itemActivated.connect(self._activated)
        RowMenu(self, self._fill_menu)
        self._shown_quota: QuotaRow | None = None

    def set_rows(self, rows: Sequence[QuotaRow]) -> None:
        """Update the quotas in place."""
        while self.count() > len(rows):
            self.takeItem(self.count() - 1)
        for place, row in enumerate(rows):
            item = self.item(place)
            if item is None:
                item = QListWidgetItem()
                self.addItem(item)
            if item.data(Qt.ItemDataRole.UserRole) != row:
                item.setData(Qt.ItemDataRole.UserRole, row)
                summary = tr(
                    "{label}: {filled} of {wanted}, {open} open",
                    label=row.label,
                    filled=row.filled,
                    wanted=row.wanted,
                    open=row.open,
                )
                item.setData(Qt.ItemDataRole.AccessibleTextRole, summary)
                item.setToolTip(summary)

    def rows(self) -> tuple[QuotaRow, ...]:
        """Return the quotas in the list."""
        return tuple(self.item(place).data(Qt.ItemDataRole.UserRole) for place in range(self.count()))

    def mark(self, subject: SubjectRow | None) -> None:
        """Mark the quotas a subject counts towards and scroll to the first of them."""
        first = None
        for place, row in enumerate(self.rows()):
            is_own = subject is not None and row.holds(subject)
            item = self.item(place)
            if bool(item.data(_OWN_ROLE)) != is_own:
                item.setData(_OWN_ROLE, is_own)
            first = first or (item if is_own else None)
        if first is not None:
            self.scrollToItem(first)

    def _fill_menu(self, menu: QMenu) -> None:
        item = self.currentItem()
        row: QuotaRow = item.data(Qt.ItemDataRole.UserRole)
        is_shown = self._shown_quota is not None and self._shown_quota.values == row.values
        opening = menu.addAction(tr("Show all candidates") if is_shown else tr("Show its candidates"))
        opening.triggered.connect(partial(self._choose, item))
        menu.setDefaultAction(opening)
        add_copies_of_row(menu, [item.toolTip()], -1)

    def _choose(self, item: QListWidgetItem, _checked: bool = False) -> None:
        self._activated(item)

    def _activated(self, item: QListWidgetItem) -> None:
        row = item.data(Qt.ItemDataRole.UserRole)
        self._shown_quota = None if self._shown_quota is not None and self._shown_quota.values == row.values else row
        self.quota_chosen.emit(self._shown_quota)
