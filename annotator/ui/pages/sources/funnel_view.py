"""A funnel drawn stage by stage: a bar each, with what it asks for and how many are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.row_menu import RowMenu, add_copies_of_row

_HEIGHT = 42


@dataclass(frozen=True, slots=True)
class FunnelStage:
    """One stage: its name, what it asks for, how many reach it (None: not known), and the largest count of all."""

    name: str
    label: str
    count: int | None
    largest: int


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        del option, index
        return QSize(160, self._theme.pixels(_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        stage = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(stage, FunnelStage):
            return
        t, rect, metrics = self._theme.tokens, option.rect, QFontMetrics(option.font)
        painter.save()
        painter.setFont(option.font)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(t.selection))
        number = tr("not known") if stage.count is None else f"{stage.count:,}"
        width = metrics.horizontalAdvance(number)
        base = rect.top() + 6 + metrics.ascent()
        painter.setPen(QColor(t.text))
        painter.drawText(rect.right() - width - 6, base, number)
        room = rect.width() - width - 24
        painter.drawText(rect.left() + 6, base, metrics.elidedText(stage.label, Qt.TextElideMode.ElideRight, room))
        bar = rect.adjusted(6, 10 + metrics.height(), -6, 0)
        bar.setHeight(8)
        painter.fillRect(bar, QColor(t.line))
        # A share below one pixel is still drawn: a stage that is reached is never shown as empty.
        share = (stage.count or 0) / stage.largest if stage.largest else 0
        bar.setWidth(max(2 if stage.count else 0, round(bar.width() * share)))
        painter.fillRect(bar, QColor(t.accent))
        painter.restore()


class FunnelView(QListWidget):
    """The stages of a funnel; `stage_chosen` carries the name of one whose dropped items shall be shown."""

    stage_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Show nothing yet."""
        super().__init__()
        self._theme = theme
        self.setAccessibleName(tr("Funnel"))
        self._delegate = _Delegate(theme)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.currentItemChanged.connect(self._moved)
        RowMenu(self, self._fill_menu)

    def set_stages(self, stages: Sequence[tuple[str, str, int | None]]) -> None:
        """Show stages as (name, what it asks for, count)."""
        largest = max((count or 0 for _, _, count in stages), default=0)
        while self.count() > len(stages):
            self.takeItem(self.count() - 1)
        self.setMinimumHeight(self._theme.pixels(_HEIGHT) * len(stages) + 4)
        for place, (name, asked, count) in enumerate(stages):
            text = translate_word(asked)
            item = self.item(place)
            if item is None:
                item = QListWidgetItem()
                self.addItem(item)
            item.setData(Qt.ItemDataRole.UserRole, FunnelStage(name, text, count, largest))
            said = f"{text}: {tr('not known') if count is None else f'{count:,}'}"
            item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
            item.setToolTip(tr("{said}. Choose it to see what it drops.", said=said))

    def _fill_menu(self, menu: QMenu) -> None:
        add_copies_of_row(menu, [str(self.currentItem().data(Qt.ItemDataRole.AccessibleTextRole))], -1)

    def _moved(self, current: QListWidgetItem | None, _previous: QListWidgetItem | None) -> None:
        if current is not None:
            self.stage_chosen.emit(current.data(Qt.ItemDataRole.UserRole).name)
