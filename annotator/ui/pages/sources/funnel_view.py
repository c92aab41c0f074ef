"""A funnel as a list of stages, each with its condition, its count and a bar."""

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

_ROW_HEIGHT = 42


@dataclass(frozen=True, slots=True)
class FunnelStage:
    """One stage: name, label of its condition, count (None if unknown), and the largest count of all stages."""

    name: str
    label: str
    count: int | None
    largest: int


class _FunnelDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        del option, index
        return QSize(160, self._theme.pixels(_ROW_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        stage = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(stage, FunnelStage):
            return
        tokens, rect, metrics = self._theme.tokens, option.rect, QFontMetrics(option.font)
        painter.save()
        painter.setFont(option.font)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(tokens.selection))
        number = tr("not known") if stage.count is None else f"{stage.count:,}"
        width = metrics.horizontalAdvance(number)
        baseline = rect.top() + 6 + metrics.ascent()
        painter.setPen(QColor(tokens.text))
        painter.drawText(rect.right() - width - 6, baseline, number)
        label_width = rect.width() - width - 24
        painter.drawText(
            rect.left() + 6, baseline, metrics.elidedText(stage.label, Qt.TextElideMode.ElideRight, label_width)
        )
        bar = rect.adjusted(6, 10 + metrics.height(), -6, 0)
        bar.setHeight(8)
        painter.fillRect(bar, QColor(tokens.line))
        # Any count above 0 gets at least 2 pixels, so that a reached stage never looks empty.
        filled_share = (stage.count or 0) / stage.largest if stage.largest else 0
        bar.setWidth(max(2 if stage.count else 0, round(bar.width() * filled_share)))
        painter.fillRect(bar, QColor(tokens.accent))
        painter.restore()


class FunnelView(QListWidget):
    """The stages of a funnel; `stage_chosen` carries the name of the stage whose dropped items to show."""

    stage_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(tr("Funnel"))
        self._delegate = _FunnelDelegate(theme)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.currentItemChanged.connect(self._emit_current)
        RowMenu(self, self._fill_menu)

    def set_stages(self, stages: Sequence[tuple[str, str, int | None]]) -> None:
        """Show stages given as (name, label of the condition, count)."""
        largest = max((count or 0 for _, _, count in stages), default=0)
        while self.count() > len(stages):
            self.takeItem(self.count() - 1)
        self.setMinimumHeight(self._theme.pixels(_ROW_HEIGHT) * len(stages) + 4)
        for place, (name, condition, count) in enumerate(stages):
            text = translate_word(condition)
            item = self.item(place)
            if item is None:
                item = QListWidgetItem()
                self.addItem(item)
            item.setData(Qt.ItemDataRole.UserRole, FunnelStage(name, text, count, largest))
            summary = f"{text}: {tr('not known') if count is None else f'{count:,}'}"
            item.setData(Qt.ItemDataRole.AccessibleTextRole, summary)
            item.setToolTip(tr("{said}. Select it to see what it drops.", said=summary))

    def _fill_menu(self, menu: QMenu) -> None:
        add_copies_of_row(menu, [str(self.currentItem().data(Qt.ItemDataRole.AccessibleTextRole))], -1)

    def _emit_current(self, current: QListWidgetItem | None, _previous: QListWidgetItem | None) -> None:
        if current is not None:
            self.stage_chosen.emit(current.data(Qt.ItemDataRole.UserRole).name)
