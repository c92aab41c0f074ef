"""A row that breaks where there is no more room."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from annotator.ui.widgets.layouts import FlowLayout, clear_layout, make_column


class Block(QWidget):
    """A widget of one size."""

    def sizeHint(self) -> QSize:
        """Return it."""
        return QSize(100, 20)


def test_a_row_breaks_where_there_is_no_more_room(qtbot: QtBot) -> None:
    outer, inner = QWidget(), QWidget()
    qtbot.addWidget(outer)
    flow = FlowLayout(10, 5)
    inner.setLayout(flow)
    blocks = [Block() for _ in range(5)]
    for block in blocks:
        flow.addWidget(block)
    make_column(outer, inner, None)
    outer.resize(330, 300)
    outer.show()
    assert [(block.x(), block.y()) for block in blocks] == [(0, 0), (110, 0), (220, 0), (0, 25), (110, 25)]
    assert inner.height() == 45 and flow.heightForWidth(539) == 45 and flow.heightForWidth(540) == 20
    blocks[1].hide()
    qtbot.waitUntil(lambda: blocks[2].x() == 110)
    outer.resize(100, 300)
    qtbot.waitUntil(lambda: blocks[4].y() == 75)
    assert outer.minimumSizeHint().width() < 330
    clear_layout(flow)
    assert flow.count() == 0 and flow.heightForWidth(100) == 0 and flow.itemAt(0) is None
