"""The queue on both faces of the Bugs page: the rows of one list, the current one, and which comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.bugs import BugRow
from annotator.model.rows.tasks import TaskRow
from annotator.ui.app.translation import tr
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.labels import Segments
from annotator.ui.widgets.table import Cell, DataTable

Row = TypeVar("Row", BugRow, TaskRow)


class ReviewQueue(Card, Generic[Row]):
    """A table of rows to decide on, below a choice of lists."""

    row_current = Signal(object)
    """The row to show, None if the list is empty."""

    def __init__(
        self,
        title: str,
        lists: Segments,
        table: DataTable,
        headers: Sequence[str],
        is_listed: Callable[[Row], bool],
        texts_of: Callable[[Row], Sequence[str]],
        filters: Sequence[QWidget] = (),
    ) -> None:
        super().__init__(title)
        self.lists, self.table = lists, table
        self.rows: tuple[Row, ...] = ()
        self.wanted_id = ""
        self._headers = headers
        self._is_listed: Callable[[Row], bool] = is_listed
        self._texts_of: Callable[[Row], Sequence[str]] = texts_of
        lists.chosen.connect(self.fill)
        table.row_selected.connect(self.row_current)
        for widget in (lists, *filters):
            self.body.addWidget(widget)
        self.body.addWidget(table, 1)

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        """Show rows that were read again; the wanted one, or the one that was current, is current if it is listed."""
        self.rows = rows
        self.fill()

    def fill(self, _chosen: int = 0) -> None:
        """Fill the table with the rows of the chosen list."""
        rows = self._listed()
        self.set_trailing(tr("{count} of {count2}", count=len(rows), count2=len(self.rows)))
        cells = [[Cell(text) for text in self._texts_of(row)] for row in rows]
        self.table.set_rows(self._headers, cells, rows, 0)
        if not rows:
            self.row_current.emit(None)
            return
        place = next((number for number, row in enumerate(rows) if row.id == self.wanted_id), 0)
        self.table.select(place)
        self.row_current.emit(rows[place])

    def step(self, by: int) -> None:
        """Choose another row of the list."""
        place = self.table.currentIndex().row() + by
        if 0 <= place < self.table.row_count():
            self.table.select(place)

    def following(self, row_id: str) -> str:
        """Return the row to show once this one is decided on: the next, at the end the one before, else itself."""
        ids = [row.id for row in self._listed()]
        place = ids.index(row_id) if row_id in ids else -1
        return next(iter(ids[place + 1 : place + 2] or ids[max(0, place - 1) : place]), row_id)

    def _listed(self) -> list[Row]:
        return [row for row in self.rows if self._is_listed(row)]
