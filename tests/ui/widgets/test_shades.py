"""Cells with a ground of their own: painted where they stand, asked for when they are seen."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.table import Cell, DataTable

GROUNDS = ("#ff0000", "#00ff00", "#0000ff")
ROWS = 300


def _shade(payload: int, column: int) -> tuple[str, str] | None:
    return None if column == 0 or payload % 5 == 4 else (GROUNDS[payload % 3], "#000000")


def _table(qtbot: QtBot, asked: list[tuple[int, int]]) -> DataTable:
    table = DataTable("Numbers")
    qtbot.addWidget(table)
    table.resize(600, 400)
    table.show()

    def shade(payload: int, column: int) -> tuple[str, str] | None:
        asked.append((payload, column))
        return _shade(payload, column)

    cells = [[Cell(f"row {row}"), *(Cell(str(row), float(row)) for _ in range(40))] for row in range(ROWS)]
    table.set_rows(("name", *(f"n{number}" for number in range(40))), cells, list(range(ROWS)), (), shade=shade)
    return table


def _ground(table: DataTable, row: int, column: int) -> str:
    index = table.model().index(row, column)
    table.scrollTo(index)
    spot = table.visualRect(index).topLeft() + QPoint(4, 4)
    return table.viewport().grab().toImage().pixelColor(spot).name()


def test_cells_have_the_ground_of_their_rule(qtbot: QtBot, theme: Theme) -> None:
    table = _table(qtbot, [])
    plain = QColor(theme.tokens.panel).name()
    for row, column in ((0, 1), (1, 2), (2, 3), (7, 1), (290, 39)):
        assert _ground(table, row, column) == GROUNDS[row % 3]
    assert _ground(table, 0, 0) == plain and _ground(table, 4, 1) == plain


def test_grounds_go_with_their_rows_when_rows_are_sorted(qtbot: QtBot, theme: Theme) -> None:
    table = _table(qtbot, [])
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert table.payload_at(table.model().index(0, 0)) == ROWS - 1
    for row in (1, 2, 3, 11):
        assert _ground(table, row, 1) == GROUNDS[(ROWS - 1 - row) % 3]


def test_only_cells_on_screen_are_asked_for_and_only_once(qtbot: QtBot, theme: Theme) -> None:
    asked: list[tuple[int, int]] = []
    table = _table(qtbot, asked)
    for _ in range(3):
        table.viewport().grab()
    assert 0 < len(asked) == len(set(asked)) < ROWS
    table.scrollToBottom()
    table.viewport().grab()
    assert len(asked) == len(set(asked)) and (ROWS - 1, 0) in asked


def test_other_rows_have_other_grounds(qtbot: QtBot, theme: Theme) -> None:
    table = _table(qtbot, [])
    assert _ground(table, 0, 1) == GROUNDS[0]
    table.set_rows(("a", "b"), [[Cell("x"), Cell("1", 1.0)]], [1], (), shade=_shade)
    assert _ground(table, 0, 1) == GROUNDS[1]
    table.set_rows(("a", "b"), [[Cell("x"), Cell("1", 1.0)]], [1])
    assert _ground(table, 0, 1) == QColor(theme.tokens.panel).name()
    table.set_rows((), [], [], shade=_shade)
    table.viewport().grab()


def test_the_chosen_row_has_a_frame(qtbot: QtBot, theme: Theme) -> None:
    table = _table(qtbot, [])
    table.select(1)
    box = table.visualRect(table.model().index(1, 1))
    image = table.viewport().grab().toImage()
    assert image.pixelColor(box.topLeft() + QPoint(1, 1)).name() == "#000000"
    assert image.pixelColor(box.center() + QPoint(-box.width() // 4, 0)).name() == GROUNDS[1]
    other = table.visualRect(table.model().index(2, 1))
    assert image.pixelColor(other.topLeft() + QPoint(1, 1)).name() == GROUNDS[2]


def test_columns_are_as_wide_as_their_widest_number(qtbot: QtBot, theme: Theme) -> None:
    table = DataTable("Numbers")
    qtbot.addWidget(table)
    table.resize(600, 200)
    table.set_rows(("a", "b"), [[Cell("x"), Cell(text, 1.0)] for text in ("1", "1234567890123", "22")], [0, 1, 2], ())
    assert table.columnWidth(1) >= table.fontMetrics().horizontalAdvance("1234567890123")
