"""The queue on both faces of the Bugs page: the rows of one list, the current one, and which comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.bugs import BugRow
from annotator.model.rows.tasks import TaskRow
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.labels import Segments
from annotator.ui.widgets.line_queue import LineQueue
from annotator.ui.widgets.queue_card import Line

Row = TypeVar("Row", BugRow, TaskRow)


class ReviewQueue(LineQueue, Generic[Row]):
    """Rows to decide on, below a choice of lists."""

    row_current = Signal(object)
    """The row to show, None if the list is empty."""

    def __init__(
        self,
        theme: Theme,
        title: str,
        lists: Segments,
        is_listed: Callable[[Row], bool],
        line_of: Callable[[Row], Line],
        filters: Sequence[QWidget] = (),
    ) -> None:
        super().__init__(theme, title, lists, filters)
        self.rows: tuple[Row, ...] = ()
        self.wanted_id = ""
        self._is_listed: Callable[[Row], bool] = is_listed
        self._line_of: Callable[[Row], Line] = line_of
        lists.chosen.connect(self.fill)
        self.searched.connect(self._choose)
        self.table.row_selected.connect(self.row_current)

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        """Show rows that were read again; the wanted one, or the one that was current, is current if it is listed."""
        self.rows = rows
        self.fill()

    def fill(self, _chosen: int = 0) -> None:
        """Fill the list with the rows of the chosen kind."""
        rows = [row for row in self.rows if self._is_listed(row)]
        self.set_lines([self._line_of(row) for row in rows], rows)
        self._choose()

    def _choose(self) -> None:
        rows: tuple[Row, ...] = self.payloads
        if not rows:
            self.row_current.emit(None)
            return
        place = next((number for number, row in enumerate(rows) if row.id == self.wanted_id), 0)
        self.table.select(place)
        self.row_current.emit(rows[place])

    def following(self, row_id: str) -> str:
        """Return the row to show once this one is decided on: the next, at the end the one before, else itself."""
        ids = [row.id for row in self.payloads]
        place = ids.index(row_id) if row_id in ids else -1
        return next(iter(ids[place + 1 : place + 2] or ids[max(0, place - 1) : place]), row_id)
