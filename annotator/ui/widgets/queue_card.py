"""The queue of subjects: a queue card whose list fetches what is on screen, however many subjects there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractListModel, QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.base.ids import is_hex
from annotator.model.rows.queue_rows import QueueFilter, QueueRows, SubjectRow
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count, translate_word
from annotator.ui.widgets.labels import escape_tool_tip, shorten_middle
from annotator.ui.widgets.line_queue import Index, LineDelegate, QueueCard, QueueLine, QueueView
from annotator.ui.widgets.timers import debounce

WINDOW = 64
KEPT_WINDOWS = 40
_AHEAD = 24
_ID_LETTERS = 24
_DIGEST_LETTERS = 12
"""From so many hexadecimal letters on, an identifier was made from content and tells people nothing."""
Fetch = Callable[[Sequence[int], Callable[[tuple[SubjectRow, ...]], object]], None]
Status = Callable[[SubjectRow], tuple[str, str] | None]
_Start = tuple[QueueFilter, QueueRows, tuple[SubjectRow, ...], bool]
_SEARCH_MS = 120
_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.UserRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.ToolTipRole,
)


class QueueModel(QAbstractListModel):
    """A list of any length; subjects that are not there yet show as an empty line until they arrive."""

    subjects_arrived = Signal()

    def __init__(self, fetch: Fetch) -> None:
        """Take the function that fetches subjects by row and calls back with them in the main thread."""
        super().__init__()
        self._fetch = fetch
        self._rows: Sequence[int] = ()
        self._windows: dict[int, tuple[SubjectRow, ...]] = {}
        self._request_numbers: dict[int, int] = {}
        self._number = 0

    def set_rows(self, rows: Sequence[int], first: tuple[SubjectRow, ...] = ()) -> None:
        """Show other subjects, by their rows; if they only go on where those known end, what is on screen stays.

        ``first`` are the subjects of the first window, where they came along.
        """
        known_count = len(self._rows)
        if 0 < known_count < len(rows) and list(rows[:known_count]) == list(self._rows):
            self.beginInsertRows(QModelIndex(), known_count, len(rows) - 1)
            self._rows = rows
            # The last window known may have been cut short.
            self._windows.pop(known_count // WINDOW, None)
            self._request_numbers.pop(known_count // WINDOW, None)
            self.endInsertRows()
            return
        self.beginResetModel()
        self._rows = rows
        self._windows = {}
        self._request_numbers = {}
        if first and len(first) == min(len(rows), WINDOW):
            self._number += 1
            self._request_numbers[0], self._windows[0] = self._number, first
        self.endResetModel()

    def refresh(self, subjects: frozenset[str] = frozenset()) -> None:
        """Fetch known subjects again, because these (none named: any of them) have changed."""
        # What was known stays on screen until the new arrives, so nothing flickers.
        for window, rows in list(self._windows.items()):
            if not subjects or any(row.id in subjects for row in rows):
                self._request_numbers.pop(window, None)
                self._request(window)

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
            self._request(window + 1)
        subjects = self._windows.get(window)
        if subjects is None:
            self._request(window)
            return None
        return subjects[offset] if offset < len(subjects) else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title for screen readers, or the subject itself."""
        if not index.isValid():
            return None
        if role not in _ROLES:
            return None
        row = self.subject(index.row())
        if role == Qt.ItemDataRole.UserRole:
            return row
        if row is None:
            return ""
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.title}, {_format_facts(row)}, {translate_word(row.verdict or 'open')}"
        return escape_tool_tip(row.title) if role == Qt.ItemDataRole.ToolTipRole else row.title

    def _request(self, window: int) -> None:
        if window in self._request_numbers:
            return
        self._number += 1
        self._request_numbers[window] = self._number
        part = self._rows[window * WINDOW : (window + 1) * WINDOW]
        self._fetch(part, partial(self._take, self._number, window))

    def _take(self, number: int, window: int, rows: tuple[SubjectRow, ...]) -> None:
        # Two threads read: what was asked for before the newest request may come after it.
        if self._request_numbers.get(window) != number:
            return
        self._windows.pop(window, None)
        self._windows[window] = rows
        while len(self._windows) > KEPT_WINDOWS:
            oldest = next(iter(self._windows))
            del self._windows[oldest]
            self._request_numbers.pop(oldest, None)
        first = self.index(window * WINDOW)
        last = self.index(min(len(self._rows), (window + 1) * WINDOW) - 1)
        self.dataChanged.emit(first, last)
        self.subjects_arrived.emit()


def _no_chip(_row: SubjectRow) -> None:
    return None


def _format_facts(row: SubjectRow) -> str:
    """Return a subject's second line: its own identifier, unless that is a digest, language, domain and views."""
    own_id = row.key.partition(":")[2]
    is_digest = is_hex(own_id, range(_DIGEST_LETTERS, len(own_id) + 1))
    shown_id = "" if is_digest else shorten_middle(own_id, _ID_LETTERS)
    parts = [shown_id, row.language, row.domain or row.task]
    if row.views:
        parts.append(
            tr("{views} k views", views=row.views // 1000)
            if row.views >= 1000
            else tr("{views} views", views=row.views)
        )
    return " · ".join(part for part in parts if part)


class Queue(QueueCard):
    """The list a person works through."""

    subject_selected = Signal(object)
    """The id of the subject now current, or None."""
    filter_changed = Signal(object)
    placed = Signal()
    """A subject that was asked for is current now."""
    not_listed = Signal(object)
    """The ids of subjects of which one was to become current, and of which the filter lets none through."""

    def __init__(
        self, session: Session, theme: Theme, title: str, base: QueueFilter, parent: QWidget | None = None
    ) -> None:
        """Show the subjects ``base`` lets through; the search field narrows it."""
        self.list = QueueView(theme, translate_word(title))
        super().__init__(theme, translate_word(title), self.list, parent=parent)
        self._session = session
        self._filter = base
        self._sought_ids: frozenset[str] = frozenset()
        self._sought_rows: frozenset[int] | None = None
        self._current: str | None = None
        self._whole = False
        self._listing = False
        self.as_of = 0
        """The newest act of the undo log that the list knows of."""
        self.placed_by_list = False
        """Whether the current place came with the list, and nobody went there."""
        self.model = QueueModel(self._fetch)
        self._status: Status = _no_chip
        self._delegate = LineDelegate(theme, self._line)
        self.list.setItemDelegate(self._delegate)
        self.list.setModel(self.model)
        self._timer = debounce(self, _SEARCH_MS, self._search_now)
        self.search.textChanged.connect(self._timer.start)
        self.list.selectionModel().currentChanged.connect(self._moved)
        self.model.subjects_arrived.connect(self._announce_current)

    def set_status(self, status: Status) -> None:
        """Say which chip (word, kind) a subject has."""
        self._status = status
        self.list.viewport().update()

    def _line(self, index: Index) -> QueueLine | None:
        """Return what a row shows; a subject that has not arrived is an empty line."""
        row = index.data(Qt.ItemDataRole.UserRole)
        return QueueLine(row.title, _format_facts(row), self._status(row)) if isinstance(row, SubjectRow) else None

    @property
    def filter(self) -> QueueFilter:
        """The filter in force, with the text of the search field."""
        return replace(self._filter, text=self.search.text())

    def set_filter(self, queue_filter: QueueFilter) -> None:
        """Narrow the queue by other values; the text in the search field stays."""
        self._filter = queue_filter
        self.reload()

    def reload(self) -> None:
        """Ask for the subjects again and keep the current one if it is still there."""
        store = self._session.store
        if store is not None:
            self._whole = False
            work, latest = partial(_queue_start, store, self.filter), f"queue-{id(self)}"
            self._session.run("read", work, self._take_start, latest=latest)

    def refresh(self, subjects: frozenset[str] = frozenset()) -> None:
        """Fetch subjects again that have changed (none named: all known); which ones are in the queue stays."""
        self.model.refresh(subjects)

    def go_to(self, *subject_ids: str) -> None:
        """Make a subject current once the queue is there, and nothing else selected; else `not_listed` follows.

        Of several the one that is current stays so, else the first in the queue becomes it.
        """
        store = self._session.store
        if store is not None:
            self._sought_ids, self._sought_rows = frozenset(subject_ids), None
            work, latest = partial(triage.queue_rows_of, store, self._sought_ids), f"queue-{id(self)}-wanted"
            self._session.run("read", work, partial(self._take_sought_rows, self._sought_ids), latest=latest)

    def current_id(self) -> str | None:
        """Return the id of the current subject."""
        return self._current

    @property
    def seeking(self) -> bool:
        """Whether a subject is still to become current."""
        return bool(self._sought_ids)

    def shown_id(self) -> str | None:
        """Return the id of the subject at the list's current place, None until it has arrived."""
        row = self.current_row()
        return row.id if row is not None else None

    def current_row(self) -> SubjectRow | None:
        """Return the subject at the list's current place, None until it has arrived."""
        return self.model.subject(self.list.currentIndex().row())

    def selected_rows(self) -> list[int]:
        """Return the rows of all selected subjects, else that of the current one; whether they have arrived or not."""
        places = sorted(index.row() for index in self.list.selectionModel().selectedRows())
        places = places or [self.list.currentIndex().row()]
        return [self.model.rows[place] for place in places if 0 <= place < len(self.model.rows)]

    def following(self, count: int) -> list[SubjectRow]:
        """Return the subjects after the current one that have arrived, up to ``count``."""
        place = self.list.currentIndex().row()
        subjects = (self.model.subject(number) for number in range(place + 1, place + 1 + count))
        return [row for row in subjects if row is not None]

    def rows_beyond(self, by: int) -> Sequence[int]:
        """Return the rows below the current place (1) or above it (-1), nearest first; with 0, from it downwards."""
        place, rows = max(0, self.list.currentIndex().row()), self.model.rows
        return rows[:place][::-1] if by < 0 else rows[place + by :]

    def go_to_row(self, row: int) -> bool:
        """Make the subject at a row current; returns whether it is listed."""
        rows = self.model.rows
        if row not in rows:
            return False
        self._select_only(rows.index(row))
        return True

    def select_next(self) -> None:
        """Go one down; at the end nothing happens."""
        self._step(1)

    def select_previous(self) -> None:
        """Go one up."""
        self._step(-1)

    def _step(self, by: int) -> None:
        place = self.list.currentIndex().row() + by
        if 0 <= place < len(self.model.rows):
            self._select_only(place)

    def _select_only(self, place: int) -> None:
        """Make a place current and nothing else selected; the view would add to the selection while Ctrl is held."""
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.list.selectionModel().setCurrentIndex(self.model.index(place), flags)

    def _fetch(self, rows: Sequence[int], done: Callable[[tuple[SubjectRow, ...]], object]) -> None:
        store = self._session.store
        if store is not None:
            self._session.run("read", partial(triage.subjects_at_rows, store, rows), done)

    def _search_now(self) -> None:
        self.filter_changed.emit(self.filter)
        self.reload()

    def _take_start(self, start: _Start) -> None:
        """Show what has come; if these are only the first of many, ask for all."""
        queue_filter, rows, first, self._whole = start
        self._take_rows(rows, first)
        store = self._session.store
        if not self._whole and store is not None:
            work = partial(triage.queue_rows, store, queue_filter)
            self._session.run("read", work, self._take_all, latest="queue")

    def _take_all(self, queue_rows: QueueRows) -> None:
        self._whole = True
        self._take_rows(queue_rows)

    def _take_rows(self, queue_rows: QueueRows, first: tuple[SubjectRow, ...] = ()) -> None:
        rows = queue_rows.rows
        keep = self.list.currentIndex().row()
        self.as_of = queue_rows.as_of
        old = self.model.rows
        current_row = old[keep] if 0 <= keep < len(old) else None
        selected, was_in_view = self.selected_rows(), self._is_current_in_view()
        self.model.set_rows(rows, first)
        self.list.empty_text = tr("No subject matches.")
        self._count.setText(
            tr("first {count} matches", count=f"{len(rows):,}")
            if queue_rows.capped
            else tr_count("{count} subject", "{count} subjects", len(rows))
        )
        self.incomplete.setText(
            tr_count(
                "Search is not complete yet: {count} candidate left to index.",
                "Search is not complete yet: {count} candidates left to index.",
                queue_rows.unsearched,
            )
            if queue_rows.unsearched
            else ""
        )
        self.fit_fold()
        if not rows:
            self._current = None
            self.subject_selected.emit(None)
            self._go_to_sought()
            return
        # None is in no rows, but looking for it would look at every one.
        stays = current_row is not None and current_row in rows
        place = rows.index(current_row) if stays else min(max(keep, 0), len(rows) - 1)
        self._listing = not stays
        self._select_only(place)
        self._listing = False
        if was_in_view:
            self.list.scrollTo(self.model.index(place))
        if len(selected) > 1 and stays:
            self._select_rows(selected)
        self._go_to_sought()

    def _is_current_in_view(self) -> bool:
        return self.list.viewport().rect().intersects(self.list.visualRect(self.list.currentIndex()))

    def _select_rows(self, rows: Sequence[int]) -> None:
        """Select those of the rows that are listed, in stretches of neighbours; what is current stays so."""
        row_set, selection, start = set(rows), QItemSelection(), -1
        for place, row in enumerate((*self.model.rows, None)):
            if row in row_set:
                start = place if start < 0 else start
            elif start >= 0:
                selection.select(self.model.index(start), self.model.index(place - 1))
                start = -1
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        self.list.selectionModel().select(selection, flags)

    def _moved(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.placed_by_list = self._listing
            self._announce_current()

    def _announce_current(self) -> None:
        """Tell who is current, once the subject at that place has come."""
        row = self.model.subject(self.list.currentIndex().row())
        if row is not None and row.id != self._current:
            self._current = row.id
            self.subject_selected.emit(row.id)

    def _take_sought_rows(self, subject_ids: frozenset[str], rows: frozenset[int]) -> None:
        if subject_ids == self._sought_ids:
            self._sought_rows = rows
            self._go_to_sought()

    def _go_to_sought(self) -> None:
        """Go to the subject asked for, once it is known where it is and what the queue holds."""
        rows, subject_ids, listed_rows = self._sought_rows, self._sought_ids, self.model.rows
        if not subject_ids or rows is None:
            return
        place = self.list.currentIndex().row()
        if not 0 <= place < len(listed_rows) or listed_rows[place] not in rows:
            place = next((number for number, row in enumerate(listed_rows) if row in rows), -1) if rows else -1
        if place >= 0:
            self._sought_ids = frozenset()
            # Also where it is current already: what else was selected would be decided with it.
            self._select_only(place)
            self.placed.emit()
        elif self._whole:
            self._sought_ids = frozenset()
            self.not_listed.emit(subject_ids)


def _queue_start(store: ProjectFile, queue_filter: QueueFilter) -> _Start:
    start = triage.queue_start(store, queue_filter)
    rows = start or triage.queue_rows(store, queue_filter)
    # What is on screen first comes along: another round through the lanes would show empty lines meanwhile.
    return queue_filter, rows, triage.subjects_at_rows(store, rows.rows[:WINDOW]), start is None
