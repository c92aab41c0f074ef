"""The queue on both faces of the Bugs page: the rows of one list, the current row, and the one after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.bug_rows import BugRow
from annotator.model.rows.task_rows import TaskRow
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.labels import Segments
from annotator.ui.widgets.line_queue import LineQueue
from annotator.ui.widgets.queue_card import QueueLine

Row = TypeVar("Row", BugRow, TaskRow)


class ReviewQueue(LineQueue, Generic[Row]):
    """Rows to decide on, below a selector of lists."""

    row_current = Signal(object)
    """The row to show, None if the list is empty."""

    def __init__(
        self,
        theme: Theme,
        title: str,
        lists: Segments,
        is_listed: Callable[[Row], bool],
        line_of: Callable[[Row], QueueLine],
        filters: Sequence[QWidget] = (),
    ) -> None:
        super().__init__(theme, title, lists, filters)
        self.rows: tuple[Row, ...] = ()
        self.selected_on_load = ""
        self._is_listed: Callable[[Row], bool] = is_listed
        self._line_of: Callable[[Row], QueueLine] = line_of
        lists.chosen.connect(self.fill)
        self.searched.connect(self._select_current)
        self.table.row_selected.connect(self.row_current)

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        """Show reloaded rows; the row ``selected_on_load`` becomes current if it is listed."""
        self.rows = rows
        self.fill()

    def fill(self, _list_number: int = 0) -> None:
        """Fill the queue with the rows of the selected list."""
        rows = [row for row in self.rows if self._is_listed(row)]
        self.set_lines([self._line_of(row) for row in rows], rows)
        self._select_current()

    def _select_current(self) -> None:
        rows: tuple[Row, ...] = self.payloads
        if not rows:
            self.row_current.emit(None)
            return
        place = next((number for number, row in enumerate(rows) if row.id == self.selected_on_load), 0)
        self.table.select(place)
        self.row_current.emit(rows[place])

    def following(self, row_id: str) -> str:
        """Return the id of the row to show after this one is decided: the next, else the previous, else itself."""
        ids = [row.id for row in self.payloads]
        index = ids.index(row_id) if row_id in ids else -1
        return next(iter(ids[index + 1 : index + 2] or ids[max(0, index - 1) : index]), row_id)
