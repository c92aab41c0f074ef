"""The queue's list: as quick at a million rows as at ten, and moved in like a list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.ui.app.theme.look import Theme, load_icon
from annotator.ui.widgets.queue_card import QueueModel, QueueView

MANY = 1_000_000


class _Counting(QueueModel):
    asked = 0

    def rowCount(self, *parent: object) -> int:
        self.asked += 1
        return super().rowCount(*parent)  # type: ignore[arg-type]


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(qapp)
    yield made
    made.set_scale(100)


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> QueueView:
    made = QueueView(theme, "Candidates")
    made.setModel(_Counting(lambda _rows, _done: None))
    qtbot.addWidget(made)
    made.resize(360, 600)
    made.show()
    return made


def _fill(view: QueueView, many: int) -> _Counting:
    model = view.model()
    assert isinstance(model, _Counting)
    model.set_rows(range(many))
    view.setCurrentIndex(model.index(0))
    QApplication.processEvents()
    view.grab()
    return model


def test_only_rows_on_screen_cost_anything(view: QueueView) -> None:
    model = _fill(view, MANY)
    assert model.asked < 1000, f"the model was asked {model.asked} times"
    model.asked = 0
    view.setCurrentIndex(model.index(MANY // 2))
    view.grab()
    assert model.asked < 1000
    assert view.viewport().rect().contains(view.visualRect(model.index(MANY // 2)).center())


def test_keys_move_as_in_a_list(qtbot: QtBot, view: QueueView) -> None:
    _fill(view, 100)
    seen = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_Left):
        qtbot.keyClick(view, key)
        seen.append(view.currentIndex().row())
    assert seen == [1, 99, 98, 98, 0, 0]
    qtbot.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    assert len(view.selectionModel().selectedRows()) == 100
    _fill(view, 0)
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert not view.currentIndex().isValid()


def test_rows_grow_with_the_text(view: QueueView, theme: Theme) -> None:
    _fill(view, 10)
    before = view.rowHeight(0)
    theme.set_scale(200)
    assert view.rowHeight(0) == 2 * before
    assert view.columnWidth(0) == view.viewport().width()


def test_every_icon_that_is_named_is_there(qapp: QApplication) -> None:
    source = Path(__file__).parents[3] / "annotator" / "ui"
    names = {name for path in source.rglob("*.py") for name in re.findall(r'"(ph\.[a-z-]+)"', path.read_text("utf-8"))}
    assert len(names) > 15
    for name in names:
        drawn = load_icon(name, "#ff0000").pixmap(QSize(32, 32)).toImage()
        inked = [drawn.pixelColor(x, y) for x in range(32) for y in range(32) if drawn.pixelColor(x, y).alpha() > 200]
        assert inked and all(colour.red() > 200 and colour.blue() < 60 for colour in inked), name
    grey = load_icon("ph.tray", "#ff0000").pixmap(QSize(32, 32), QIcon.Mode.Disabled).toImage()
    assert all(
        grey.pixelColor(x, y).red() < 230 for x in range(32) for y in range(32) if grey.pixelColor(x, y).alpha() == 255
    )
    with pytest.raises(KeyError):
        load_icon("ph.no-such-icon", "#000000")
