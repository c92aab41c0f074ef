"""The queue's model: it holds row numbers and fetches what is on screen, 64 subjects at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from annotator.model.rows import SubjectRow
from annotator.ui.words import tr_known

WINDOW = 64
KEPT_WINDOWS = 40
_AHEAD = 24
Index = QModelIndex | QPersistentModelIndex
Fetch = Callable[[Sequence[int], Callable[[tuple[SubjectRow, ...]], object]], None]


class QueueModel(QAbstractListModel):
    """A list of any length; subjects that are not there yet show as an empty line until they arrive."""

    arrived = Signal()

    def __init__(self, fetch: Fetch) -> None:
        """Take the function that fetches subjects by row and calls back with them in the main thread."""
        super().__init__()
        self._fetch = fetch
        self._rows: Sequence[int] = ()
        self._windows: dict[int, tuple[SubjectRow, ...]] = {}
        self._asked: dict[int, int] = {}
        self._number = 0

    def set_rows(self, rows: Sequence[int], first: tuple[SubjectRow, ...] = ()) -> None:
        """Show other subjects, by their rows; if they only go on where those known end, what is on screen stays.

        ``first`` are the subjects of the first window, where they came along.
        """
        known = len(self._rows)
        if 0 < known < len(rows) and list(rows[:known]) == list(self._rows):
            self.beginInsertRows(QModelIndex(), known, len(rows) - 1)
            self._rows = rows
            # The last window known may have been cut short.
            self._windows.pop(known // WINDOW, None)
            self._asked.pop(known // WINDOW, None)
            self.endInsertRows()
            return
        self.beginResetModel()
        self._rows = rows
        self._forget()
        if first and len(first) == min(len(rows), WINDOW):
            self._number += 1
            self._asked[0], self._windows[0] = self._number, first
        self.endResetModel()

    def renew(self, subjects: frozenset[str] = frozenset()) -> None:
        """Fetch known subjects again, because these (none named: any of them) have changed."""
        # What was known stays on screen until the new arrives, so nothing flickers.
        for window, rows in list(self._windows.items()):
            if not subjects or any(row.id in subjects for row in rows):
                self._asked.pop(window, None)
                self._ask(window)

    def _forget(self) -> None:
        self._windows = {}
        self._asked = {}

    @property
    def rows(self) -> Sequence[int]:
        """The rows of all subjects, in order."""
        return self._rows

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return how many subjects there are."""
        return 0 if parent.isValid() else len(self._rows)

    def subject(self, position: int) -> SubjectRow | None:
        """Return the subject at a position, or None (and ask for it) if it is not there yet."""
        if not 0 <= position < len(self._rows):
            return None
        window, offset = divmod(position, WINDOW)
        if offset >= WINDOW - _AHEAD and (window + 1) * WINDOW < len(self._rows):
            self._ask(window + 1)
        found = self._windows.get(window)
        if found is None:
            self._ask(window)
            return None
        return found[offset] if offset < len(found) else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title for screen readers, or the subject itself."""
        if not index.isValid():
            return None
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.UserRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        row = self.subject(index.row())
        if role == Qt.ItemDataRole.UserRole:
            return row
        if row is None:
            return ""
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.title}, {row.language}, {row.domain}, {tr_known(row.verdict or 'open')}"
        return row.title

    def _ask(self, window: int) -> None:
        if window in self._asked:
            return
        self._number += 1
        self._asked[window] = self._number
        part = self._rows[window * WINDOW : (window + 1) * WINDOW]
        self._fetch(part, partial(self._take, self._number, window))

    def _take(self, number: int, window: int, rows: tuple[SubjectRow, ...]) -> None:
        # Two threads read: what was asked for before the newest request may come after it.
        if self._asked.get(window) != number:
            return
        self._windows.pop(window, None)
        self._windows[window] = rows
        while len(self._windows) > KEPT_WINDOWS:
            oldest = next(iter(self._windows))
            del self._windows[oldest]
            self._asked.pop(oldest, None)
        first = self.index(window * WINDOW)
        last = self.index(min(len(self._rows), (window + 1) * WINDOW) - 1)
        self.dataChanged.emit(first, last)
        self.arrived.emit()
