"""The queue of subjects: a queue card that loads only the subjects on screen, so that it can list any number."""

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
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.labels import escape_tool_tip, shorten_middle
from annotator.ui.widgets.line_queue import Index, LineDelegate, QueueCard, QueueLine, QueueView

WINDOW = 64
"""The number of subjects that are loaded together."""
MAX_LOADED_WINDOWS = 40
_PREFETCH_DISTANCE = 24
"""The next window is loaded when one of the last rows of a window, as many as this, is shown."""
_MAX_ID_CHARS = 24
_MIN_DIGEST_CHARS = 12
"""An identifier with at least this many hexadecimal letters is a content hash, which is not worth showing."""
Fetch = Callable[[Sequence[int], Callable[[tuple[SubjectRow, ...]], object]], None]
Status = Callable[[SubjectRow], tuple[str, str] | None]
_QueueStart = tuple[QueueFilter, QueueRows, tuple[SubjectRow, ...], bool]
"""The filter, the first row ids, the subjects of the first window, and whether these are all row ids."""
_SEARCH_MS = 120
_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.UserRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.ToolTipRole,
)


class QueueModel(QAbstractListModel):
    """A model of any number of subjects, loaded in windows of `WINDOW` rows; a subject not loaded is an empty row."""

    subjects_arrived = Signal()
    """A window of subjects has been loaded."""

    def __init__(self, fetch: Fetch) -> None:
        """``fetch`` loads subjects by their row ids and calls back with them in the main thread."""
        super().__init__()
        self._fetch = fetch
        self._rows: Sequence[int] = ()
        self._windows: dict[int, tuple[SubjectRow, ...]] = {}
        self._request_numbers: dict[int, int] = {}
        self._last_request_number = 0

    def set_rows(self, rows: Sequence[int], first: tuple[SubjectRow, ...] = ()) -> None:
        """Show other subjects, given by their row ids; if these only extend the current ones, the view stays in place.

        ``first`` holds the subjects of the first window if they are loaded already.
        """
        known_count = len(self._rows)
        if 0 < known_count < len(rows) and list(rows[:known_count]) == list(self._rows):
            self.beginInsertRows(QModelIndex(), known_count, len(rows) - 1)
            self._rows = rows
            # The last known window may have been incomplete.
            self._windows.pop(known_count // WINDOW, None)
            self._request_numbers.pop(known_count // WINDOW, None)
            self.endInsertRows()
            return
        self.beginResetModel()
        self._rows = rows
        self._windows = {}
        self._request_numbers = {}
        if first and len(first) == min(len(rows), WINDOW):
            self._last_request_number += 1
            self._request_numbers[0], self._windows[0] = self._last_request_number, first
        self.endResetModel()

    def refresh(self, subjects: frozenset[str] = frozenset()) -> None:
        """Load the windows with changed subjects again; all loaded windows if no ids are given."""
        # The old subjects stay on screen until the new ones arrive, so that nothing flickers.
        for window, rows in list(self._windows.items()):
            if not subjects or any(row.id in subjects for row in rows):
                self._request_numbers.pop(window, None)
                self._request(window)

    @property
    def rows(self) -> Sequence[int]:
        """The row ids of all subjects, in order."""
        return self._rows

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of subjects."""
        return 0 if parent.isValid() else len(self._rows)

    def subject(self, position: int) -> SubjectRow | None:
        """Return the subject at a position; if it is not loaded, request it and return None."""
        if not 0 <= position < len(self._rows):
            return None
        window, offset = divmod(position, WINDOW)
        if offset >= WINDOW - _PREFETCH_DISTANCE and (window + 1) * WINDOW < len(self._rows):
            self._request(window + 1)
        subjects = self._windows.get(window)
        if subjects is None:
            self._request(window)
            return None
        return subjects[offset] if offset < len(subjects) else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title, the text for screen readers, the tool tip, or the subject itself."""
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
        self._last_request_number += 1
        self._request_numbers[window] = self._last_request_number
        window_rows = self._rows[window * WINDOW : (window + 1) * WINDOW]
        self._fetch(window_rows, partial(self._store_window, self._last_request_number, window))

    def _store_window(self, number: int, window: int, rows: tuple[SubjectRow, ...]) -> None:
        # Two threads load subjects, so the result of an earlier request may arrive after that of the newest.
        if self._request_numbers.get(window) != number:
            return
        self._windows.pop(window, None)
        self._windows[window] = rows
        while len(self._windows) > MAX_LOADED_WINDOWS:
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
    """Return the second line of a subject: its identifier unless that is a hash, its language, domain and views."""
    own_id = row.key.partition(":")[2]
    is_digest = is_hex(own_id, range(_MIN_DIGEST_CHARS, len(own_id) + 1))
    shown_id = "" if is_digest else shorten_middle(own_id, _MAX_ID_CHARS)
    parts = [shown_id, row.language, row.domain or row.task]
    if row.views:
        parts.append(
            tr("{views} k views", views=row.views // 1000)
            if row.views >= 1000
            else tr("{views} views", views=row.views)
        )
    return " · ".join(part for part in parts if part)


class Queue(QueueCard):
    """The queue of subjects; a search field and a filter narrow it."""

    subject_selected = Signal(object)
    """The id of the subject that has become current, or None."""
    filter_changed = Signal(object)
    placed = Signal()
    """The subject requested by `go_to` is current now."""
    not_listed = Signal(object)
    """The ids of the subjects requested by `go_to`, none of which matches the filter."""

    def __init__(
        self, session: Session, theme: Theme, title: str, base_filter: QueueFilter, parent: QWidget | None = None
    ) -> None:
        self.list = QueueView(theme, translate_word(title))
        super().__init__(theme, translate_word(title), self.list, parent=parent)
        self._session = session
        self._filter = base_filter
        self._requested_ids: frozenset[str] = frozenset()
        self._requested_rows: frozenset[int] | None = None
        self._current: str | None = None
        self._is_complete = False
        self._is_reloading = False
        self.as_of = 0
        """The number of the newest change in the undo log when the list was loaded."""
        self.was_placed_by_list = False
        """Whether a reload of the list made the current subject current, not the user."""
        self.model = QueueModel(self._fetch)
        self._status: Status = _no_chip
        self._delegate = LineDelegate(theme, self._line)
        self.list.setItemDelegate(self._delegate)
        self.list.setModel(self.model)
        self._timer = debounce(self, _SEARCH_MS, self._apply_search)
        self.search.textChanged.connect(self._timer.start)
        self.list.selectionModel().currentChanged.connect(self._current_changed)
        self.model.subjects_arrived.connect(self._announce_current)

    def set_status(self, status: Status) -> None:
        """Set the function that returns the chip (word, kind) of a subject."""
        self._status = status
        self.list.viewport().update()

    def _line(self, index: Index) -> QueueLine | None:
        """Return the content of a row, None for a subject that is not loaded."""
        row = index.data(Qt.ItemDataRole.UserRole)
        return QueueLine(row.title, _format_facts(row), self._status(row)) if isinstance(row, SubjectRow) else None

    @property
    def filter(self) -> QueueFilter:
        """The current filter, with the text of the search field."""
        return replace(self._filter, text=self.search.text())

    def set_filter(self, queue_filter: QueueFilter) -> None:
        """Apply another filter; the text of the search field stays."""
        self._filter = queue_filter
        self.reload()

    def reload(self) -> None:
        """Load the list again; the current subject stays current if it is still listed."""
        store = self._session.store
        if store is not None:
            self._is_complete = False
            work = partial(_queue_start, store, self.filter)
            self._session.run("read", work, self._show_start, latest=f"queue-{id(self)}")

    def refresh(self, subjects: frozenset[str] = frozenset()) -> None:
        """Load changed subjects again, all loaded ones if no ids are given; the list itself stays the same."""
        self.model.refresh(subjects)

    def go_to(self, *subject_ids: str) -> None:
        """Select one of the given subjects alone once the list is loaded; emit `not_listed` if none is listed.

        The current subject is kept if it is among them; otherwise, the first listed one becomes current.
        """
        store = self._session.store
        if store is not None:
            self._requested_ids, self._requested_rows = frozenset(subject_ids), None
            work = partial(triage.queue_rows_of, store, self._requested_ids)
            on_done = partial(self._store_requested_rows, self._requested_ids)
            self._session.run("read", work, on_done, latest=f"queue-{id(self)}-requested")

    def current_id(self) -> str | None:
        """Return the id of the current subject."""
        return self._current

    @property
    def is_seeking(self) -> bool:
        """Whether a subject requested by `go_to` is still being looked up."""
        return bool(self._requested_ids)

    def shown_id(self) -> str | None:
        """Return the id of the subject at the list's current index, None until it is loaded."""
        row = self.current_row()
        return row.id if row is not None else None

    def current_row(self) -> SubjectRow | None:
        """Return the subject at the list's current index, None until it is loaded."""
        return self.model.subject(self.list.currentIndex().row())

    def selected_rows(self) -> list[int]:
        """Return the row ids of the selected subjects, else of the current one, whether they are loaded or not."""
        positions = sorted(index.row() for index in self.list.selectionModel().selectedRows())
        positions = positions or [self.list.currentIndex().row()]
        return [self.model.rows[position] for position in positions if 0 <= position < len(self.model.rows)]

    def following(self, count: int) -> list[SubjectRow]:
        """Return the loaded ones of the ``count`` subjects after the current one."""
        position = self.list.currentIndex().row()
        subjects = (self.model.subject(number) for number in range(position + 1, position + 1 + count))
        return [row for row in subjects if row is not None]

    def rows_beyond(self, by: int) -> Sequence[int]:
        """Return the row ids below the current one (1) or above it (-1), nearest first; with 0, from it downwards."""
        position = max(0, self.list.currentIndex().row())
        rows = self.model.rows
        return rows[:position][::-1] if by < 0 else rows[position + by :]

    def go_to_row(self, row: int) -> bool:
        """Make the subject with a row id current; return whether it is listed."""
        rows = self.model.rows
        if row not in rows:
            return False
        self._select_only(rows.index(row))
        return True

    def select_next(self) -> None:
        """Go to the next subject, if there is one."""
        self._step(1)

    def select_previous(self) -> None:
        """Go to the previous subject, if there is one."""
        self._step(-1)

    def _step(self, by: int) -> None:
        position = self.list.currentIndex().row() + by
        if 0 <= position < len(self.model.rows):
            self._select_only(position)

    def _select_only(self, position: int) -> None:
        """Select one position alone, because the view would extend the selection while Ctrl is held."""
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.list.selectionModel().setCurrentIndex(self.model.index(position), flags)

    def _fetch(self, rows: Sequence[int], on_done: Callable[[tuple[SubjectRow, ...]], object]) -> None:
        store = self._session.store
        if store is not None:
            self._session.run("read", partial(triage.subjects_at_rows, store, rows), on_done)

    def _apply_search(self) -> None:
        self.filter_changed.emit(self.filter)
        self.reload()

    def _show_start(self, start: _QueueStart) -> None:
        """Show the first rows; if there are more, load them all."""
        queue_filter, rows, first, self._is_complete = start
        self._show_rows(rows, first)
        store = self._session.store
        if not self._is_complete and store is not None:
            work = partial(triage.queue_rows, store, queue_filter)
            self._session.run("read", work, self._show_all, latest="queue")

    def _show_all(self, queue_rows: QueueRows) -> None:
        self._is_complete = True
        self._show_rows(queue_rows)

    def _show_rows(self, queue_rows: QueueRows, first: tuple[SubjectRow, ...] = ()) -> None:
        rows = queue_rows.rows
        old_position = self.list.currentIndex().row()
        self.as_of = queue_rows.as_of
        old_rows = self.model.rows
        current_row = old_rows[old_position] if 0 <= old_position < len(old_rows) else None
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
            self._go_to_requested()
            return
        # None is checked first, because looking it up would compare it with each of up to a million row ids.
        is_still_listed = current_row is not None and current_row in rows
        position = rows.index(current_row) if is_still_listed else min(max(old_position, 0), len(rows) - 1)
        self._is_reloading = not is_still_listed
        self._select_only(position)
        self._is_reloading = False
        if was_in_view:
            self.list.scrollTo(self.model.index(position))
        if len(selected) > 1 and is_still_listed:
            self._select_rows(selected)
        self._go_to_requested()

    def _is_current_in_view(self) -> bool:
        return self.list.viewport().rect().intersects(self.list.visualRect(self.list.currentIndex()))

    def _select_rows(self, rows: Sequence[int]) -> None:
        """Select the listed ones of some row ids, as ranges of neighbours; the current one stays current."""
        row_set = set(rows)
        selection = QItemSelection()
        range_start = -1
        for position, row in enumerate((*self.model.rows, None)):
            if row in row_set:
                range_start = position if range_start < 0 else range_start
            elif range_start >= 0:
                selection.select(self.model.index(range_start), self.model.index(position - 1))
                range_start = -1
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        self.list.selectionModel().select(selection, flags)

    def _current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.was_placed_by_list = self._is_reloading
            self._announce_current()

    def _announce_current(self) -> None:
        """Emit the id of the current subject once it is loaded."""
        row = self.model.subject(self.list.currentIndex().row())
        if row is not None and row.id != self._current:
            self._current = row.id
            self.subject_selected.emit(row.id)

    def _store_requested_rows(self, subject_ids: frozenset[str], rows: frozenset[int]) -> None:
        if subject_ids == self._requested_ids:
            self._requested_rows = rows
            self._go_to_requested()

    def _go_to_requested(self) -> None:
        """Go to the requested subject, once both its row id and the list are loaded."""
        rows, subject_ids, listed_rows = self._requested_rows, self._requested_ids, self.model.rows
        if not subject_ids or rows is None:
            return
        position = self.list.currentIndex().row()
        if not 0 <= position < len(listed_rows) or listed_rows[position] not in rows:
            position = next((number for number, row in enumerate(listed_rows) if row in rows), -1) if rows else -1
        if position >= 0:
            self._requested_ids = frozenset()
            # Even if it is current already, because other selected subjects would be decided with it.
            self._select_only(position)
            self.placed.emit()
        elif self._is_complete:
            self._requested_ids = frozenset()
            self.not_listed.emit(subject_ids)


def _queue_start(store: ProjectFile, queue_filter: QueueFilter) -> _QueueStart:
    start = triage.queue_start(store, queue_filter)
    rows = start or triage.queue_rows(store, queue_filter)
    # Load the first window at once, because a second request would show empty rows in the meantime.
    return queue_filter, rows, triage.subjects_at_rows(store, rows.rows[:WINDOW]), start is None
