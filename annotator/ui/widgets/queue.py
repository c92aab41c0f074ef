"""The queue card: search, title and count, the list, and how far the work is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from annotator.model.rows import QueueFilter, QueueRows, SubjectRow
from annotator.ui.session import Session
from annotator.ui.theme import Theme
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.chip import chip_colours, paint_chip
from annotator.ui.widgets.labels import clearable, label
from annotator.ui.widgets.painting import fill
from annotator.ui.widgets.queue_model import WINDOW, QueueModel
from annotator.ui.widgets.queue_view import QueueView
from annotator.ui.words import tr, tr_count, tr_known

Status = Callable[[SubjectRow], tuple[str, str] | None]
_Start = tuple[QueueFilter, QueueRows, tuple[SubjectRow, ...], bool]
_SEARCH_MS = 120
_LEAST_WIDTH = 320


class QueueDelegate(QStyledItemDelegate):
    """Paints a subject in two lines with a chip."""

    def __init__(self, theme: Theme, view: QueueView, status: Status) -> None:
        """Take the colours, the list painted in, and the function that says which chip a subject has."""
        super().__init__()
        self._theme = theme
        self._view = view
        self.status = status

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint one subject; a subject that has not arrived is an empty line."""
        tokens = self._theme.tokens
        rect = option.rect
        font = option.font
        painter.save()
        # The option's state says so, too, but asking it loads all there is to say about styles.
        if self._view.selectionModel().isSelected(index):
            fill(painter, rect, tokens.selection)
        fill(painter, QRect(rect.left(), rect.bottom(), rect.width(), 1), tokens.line)
        row = index.data(Qt.ItemDataRole.UserRole)
        if isinstance(row, SubjectRow):
            metrics = QFontMetrics(font)
            line = metrics.height()
            top = rect.top() + (rect.height() - 2 * line - 2) // 2
            left, right = rect.left() + 12, rect.right() - 10
            chip = self.status(row)
            room = right - left
            painter.setFont(font)
            if chip is not None:
                word = tr_known(chip[0])
                width = metrics.horizontalAdvance(word) + 20
                box = QRectF(right - width, top - 2, width, line + 2)
                paint_chip(painter, box, word, chip_colours(tokens, chip[1]))
                room -= width + 10
            painter.setPen(QColor(tokens.text))
            title = metrics.elidedText(row.title, Qt.TextElideMode.ElideRight, room)
            painter.drawText(left, top + metrics.ascent(), title)
            painter.setPen(QColor(tokens.dim))
            facts = metrics.elidedText(facts_of(row), Qt.TextElideMode.ElideRight, right - left)
            painter.drawText(left, top + line + 2 + metrics.ascent(), facts)
        painter.restore()


def facts_of(row: SubjectRow) -> str:
    """Return a subject's second line: language, domain and views."""
    parts = [row.language, row.domain or row.task]
    if row.views:
        parts.append(
            tr("{views} k views", views=row.views // 1000)
            if row.views >= 1000
            else tr("{views} views", views=row.views)
        )
    return " · ".join(part for part in parts if part)


class _SearchField(QLineEdit):
    """A search field; Esc empties it and leaves it."""

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.left.emit()
            return
        super().keyPressEvent(event)


class Queue(Card):
    """The list a person works through."""

    subject_selected = Signal(object)
    """The id of the subject now current, or None."""
    filter_changed = Signal(object)

    def __init__(
        self, session: Session, theme: Theme, title: str, base: QueueFilter, parent: QWidget | None = None
    ) -> None:
        """Show the subjects ``base`` lets through; the search field narrows it."""
        super().__init__(parent=parent)
        self._session = session
        self._theme = theme
        self._filter = base
        self._wanted: str | None = None
        self._current: str | None = None
        self.search = _SearchField(self)
        self.search.setPlaceholderText(tr("Search    /"))
        self.search.setAccessibleName(tr("Search the queue"))
        clearable(self.search)
        self._heading, self._count = label(tr_known(title), "section"), label("", "dim")
        self._incomplete = label("", "dim")
        self._incomplete.setWordWrap(True)
        self._incomplete.hide()
        self.model = QueueModel(self._fetch)
        self.list = QueueView(theme, tr_known(title), self)
        self._delegate = QueueDelegate(theme, self.list, _no_status)
        self.list.setItemDelegate(self._delegate)
        self.list.setModel(self.model)
        self._goal, self._done = label("", "dim"), label("", "dim")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(tr("Progress of the queue"))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SEARCH_MS)
        self._timer.timeout.connect(self._search_now)
        self._lay_out()
        self.search.textChanged.connect(self._typed)
        self.search.returnPressed.connect(self.list.setFocus)
        self.search.left.connect(self.list.setFocus)
        self.list.selectionModel().currentChanged.connect(self._moved)
        self.model.arrived.connect(self._arrived)

    def _lay_out(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self._heading)
        top.addStretch(1)
        top.addWidget(self._count)
        bottom.addWidget(self._goal)
        bottom.addStretch(1)
        bottom.addWidget(self._done)
        self.body.addWidget(self.search)
        self.body.addLayout(top)
        self.body.addWidget(self._incomplete)
        self.body.addWidget(self.list, 1)
        self.body.addLayout(bottom)
        self.body.addWidget(self.progress)

    def minimumSizeHint(self) -> QSize:
        """Ask for room for a title beside its chip, and for every word around the list."""
        hint = super().minimumSizeHint()
        return QSize(max(_LEAST_WIDTH, hint.width()), hint.height())

    def set_status(self, status: Status) -> None:
        """Say which chip (word, kind) a subject has."""
        self._delegate.status = status
        # Asking for the viewport of a list that was never shown would load every class of widget there is.
        if self.list.isVisible():
            self.list.viewport().update()

    def set_progress(self, what: str, done: int, of: int) -> None:
        """Show how far the work is, such as "Decided 38 / 50"."""
        self._goal.setText(what)
        self._done.setText(f"{done:,} / {of:,}")
        self.progress.setMaximum(max(1, of))
        self.progress.setValue(done)

    @property
    def filter(self) -> QueueFilter:
        """The filter in force, with the text of the search field."""
        return replace(self._filter, text=self.search.text())

    def set_filter(self, wanted: QueueFilter) -> None:
        """Narrow the queue by other values; the text in the search field stays."""
        self._filter = wanted
        self.reload()

    def reload(self) -> None:
        """Ask for the subjects again and keep the current one if it is still there."""
        store = self._session.store
        if store is not None:
            self._session.run(
                "read", partial(_queue_start, store, self.filter), self._take_start, latest=f"queue-{id(self)}"
            )

    def renew(self, subjects: frozenset[str] = frozenset()) -> None:
        """Fetch subjects again that have changed (none named: all known); which ones are in the queue stays."""
        self.model.renew(subjects)

    def go_to(self, subject_id: str) -> None:
        """Make a subject current once the queue is there."""
        self._wanted = subject_id
        self._arrived()

    def current_id(self) -> str | None:
        """Return the id of the current subject."""
        return self._current

    def selected_rows(self) -> list[int]:
        """Return the rows of all selected subjects, else that of the current one; whether they have arrived or not."""
        places = sorted(index.row() for index in self.list.selectionModel().selectedRows())
        places = places or [self.list.currentIndex().row()]
        return [self.model.rows[place] for place in places if 0 <= place < len(self.model.rows)]

    def following(self, count: int) -> list[SubjectRow]:
        """Return the subjects after the current one that have arrived, up to ``count``."""
        place = self.list.currentIndex().row()
        found = (self.model.subject(number) for number in range(place + 1, place + 1 + count))
        return [row for row in found if row is not None]

    def select_next(self) -> None:
        """Go one down; at the end nothing happens."""
        self._step(1)

    def select_previous(self) -> None:
        """Go one up."""
        self._step(-1)

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _step(self, by: int) -> None:
        index = self.model.index(self.list.currentIndex().row() + by)
        if index.isValid():
            self.list.setCurrentIndex(index)

    def _fetch(self, rows: object, done: Callable[[tuple[SubjectRow, ...]], object]) -> None:
        store = self._session.store
        if store is not None:
            self._session.run("read", partial(_rows_at, store, rows), done)

    def _typed(self, _text: str) -> None:
        self._timer.start()

    def _search_now(self) -> None:
        self.filter_changed.emit(self.filter)
        self.reload()

    def _take_start(self, found: _Start) -> None:
        """Show what has come; if these are only the first of many, ask for all."""
        wanted, rows, first, whole = found
        self._take_rows(rows, first)
        store = self._session.store
        if not whole and store is not None:
            self._session.run("read", partial(_queue_rows, store, wanted), self._take_rows, latest=f"queue-{id(self)}")

    def _take_rows(self, found: QueueRows, first: tuple[SubjectRow, ...] = ()) -> None:
        rows = found.rows
        keep = self.list.currentIndex().row()
        old = self.model.rows
        current_row = old[keep] if 0 <= keep < len(old) else None
        self._wanted = self._wanted or self._current
        self.model.set_rows(rows, first)
        self._count.setText(
            tr("first {count} found", count=f"{len(rows):,}")
            if found.capped
            else tr_count("{count} subject", "{count} subjects", len(rows))
        )
        self._incomplete.setText(
            tr_count(
                "Search is not complete yet: {count} candidate to go.",
                "Search is not complete yet: {count} candidates to go.",
                found.unsearched,
            )
        )
        self._incomplete.setVisible(found.unsearched > 0)
        if not rows:
            self._current = None
            self.subject_selected.emit(None)
            return
        # None is in no rows, but looking for it would look at every one.
        stays = current_row is not None and current_row in rows
        place = rows.index(current_row) if stays else min(max(keep, 0), len(rows) - 1)
        self.list.setCurrentIndex(self.model.index(place))

    def _moved(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self._arrived()

    def _arrived(self) -> None:
        """Tell who is current, once the subject at that place has come."""
        if self._wanted is not None and self._place_wanted():
            return
        row = self.model.subject(self.list.currentIndex().row())
        if row is not None and row.id != self._current:
            self._current = row.id
            self.subject_selected.emit(row.id)

    def _place_wanted(self) -> bool:
        """Go to the subject asked for if it has arrived; returns whether the move tells of it."""
        for position in range(min(self.model.rowCount(), 2000)):
            row = self.model.subject(position)
            if row is not None and row.id == self._wanted:
                self._wanted = None
                if self.list.currentIndex().row() == position:
                    return False
                self.list.setCurrentIndex(self.model.index(position))
                return True
            if row is None:
                return False
        self._wanted = None
        return False


def _no_status(_row: SubjectRow) -> None:
    return None


def _queue_rows(store: object, wanted: QueueFilter) -> QueueRows:
    from annotator.services import selecting

    return selecting.queue_rows(store, wanted)  # type: ignore[arg-type]  # the store's type would load it


def _queue_start(store: object, wanted: QueueFilter) -> _Start:
    from annotator.services import selecting

    start = selecting.queue_start(store, wanted)  # type: ignore[arg-type]  # likewise
    rows = start or _queue_rows(store, wanted)
    # What is on screen first comes along: another round through the lanes would show empty lines meanwhile.
    return wanted, rows, _rows_at(store, rows.rows[:WINDOW]), start is None


def _rows_at(store: object, rows: object) -> tuple[SubjectRow, ...]:
    from annotator.services import selecting

    return selecting.rows_at(store, rows)  # type: ignore[arg-type]  # likewise
