"""A queue of entries with two lines and a chip: search, a choice of lists, and progress."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QMenu, QProgressBar, QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.fields import add_clear_button
from annotator.ui.widgets.labels import Segments, label
from annotator.ui.widgets.layouts import fill_layout
from annotator.ui.widgets.queue_card import Index, LineDelegate, QueueLine, QueueView, SearchField
from annotator.ui.widgets.row_menu import RowMenu, add_copies_of_row

_MIN_WIDTH, _MIN_WIDTH_COMPACT = 320, 168
"""Minimum widths at which a title has room next to its chip."""


class LineModel(QAbstractListModel):
    """A model of lines with a payload each."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[QueueLine, ...] = ()
        self.payloads: tuple[Any, ...] = ()

    def fill(self, lines: Sequence[QueueLine], payloads: Sequence[Any]) -> None:
        """Replace the lines."""
        self.beginResetModel()
        self.lines, self.payloads = tuple(lines), tuple(payloads)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of lines."""
        return 0 if parent.isValid() else len(self.lines)

    def line(self, index: Index) -> QueueLine | None:
        """Return the line at an index, or None."""
        return self.lines[index.row()] if 0 <= index.row() < len(self.lines) else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title, the full text for screen readers, or the payload."""
        line = self.line(index)
        if line is None:
            return None
        if role == Qt.ItemDataRole.UserRole:
            return self.payloads[index.row()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            chip = translate_word(line.chip[0]) if line.chip else ""
            return ", ".join(part for part in (line.title, line.facts, chip) if part)
        return line.title if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) else None


class LineList(QueueView):
    """The list of lines; `row_selected` carries the payload of the current one."""

    row_selected = Signal(object)

    def __init__(self, theme: Theme, name: str) -> None:
        """Create an empty list; ``name`` is for screen readers."""
        super().__init__(theme, name)
        self._model = LineModel()
        self._delegate = LineDelegate(theme, self._model.line)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegate(self._delegate)
        self.setModel(self._model)
        self.menu = RowMenu(self, self._fill_menu)
        """The context menu of the lines; pages add their own entries."""
        self.selectionModel().currentRowChanged.connect(self._moved)

    def set_lines(self, lines: Sequence[QueueLine], payloads: Sequence[Any]) -> None:
        """Replace the lines; none is current."""
        self._model.fill(lines, payloads)

    def row_count(self) -> int:
        """Return the number of lines shown."""
        return len(self._model.lines)

    def line(self, row: int) -> QueueLine:
        """Return the line at a row."""
        return self._model.lines[row]

    def select(self, row: int) -> None:
        """Make a line current."""
        self.setCurrentIndex(self._model.index(row))

    def _moved(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.row_selected.emit(current.data(Qt.ItemDataRole.UserRole))

    def _fill_menu(self, menu: QMenu) -> None:
        line = self._model.line(self.currentIndex())
        if line is not None:
            add_copies_of_row(menu, [line.title, line.facts, translate_word(line.chip[0]) if line.chip else ""], 0)


class LineQueue(Card):
    """A card with a list to work through, below a search field and a choice of lists."""

    searched = Signal()
    """The search text changed, and the lines were filtered again."""

    def __init__(
        self,
        theme: Theme,
        title: str,
        lists: Segments,
        filters: Sequence[QWidget] = (),
    ) -> None:
        super().__init__()
        self._theme = theme
        self.search = SearchField(self)
        self.search.setPlaceholderText(tr("Search    /"))
        self.search.setAccessibleName(tr("Search the queue"))
        add_clear_button(self.search)
        self.lists, self.table = lists, LineList(theme, title)
        self._heading, self._count = label(title, "section"), label("", "dim")
        self._goal, self._done = label("", "dim"), label("", "dim")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(tr("Progress of the queue"))
        self._lines: tuple[QueueLine, ...] = ()
        self._payloads: tuple[Any, ...] = ()
        top = fill_layout(QHBoxLayout(), self._heading, None, self._count)
        self._bottom = fill_layout(QHBoxLayout(), self._goal, None, self._done)
        fill_layout(self.body, self.search, lists, *filters, top, (self.table, 1), self._bottom, self.progress)
        self._make_room()
        theme.changed.connect(self._make_room)
        self.progress.hide()
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self.focus_list)
        self.search.escaped.connect(self.focus_list)

    def _make_room(self) -> None:
        self.setMinimumWidth(_MIN_WIDTH_COMPACT if self._theme.is_cramped else _MIN_WIDTH)

    @property
    def payloads(self) -> tuple[Any, ...]:
        """The payloads of the lines shown, in order."""
        search = self.search.text()
        return tuple(
            payload for line, payload in zip(self._lines, self._payloads, strict=True) if fits_search(line, search)
        )

    def set_lines(self, lines: Sequence[QueueLine], payloads: Sequence[Any]) -> None:
        """Replace the lines, and show those that match the search; none is current."""
        self._lines, self._payloads = tuple(lines), tuple(payloads)
        search = self.search.text()
        pairs = zip(self._lines, self._payloads, strict=True)
        matches = [(line, payload) for line, payload in pairs if fits_search(line, search)]
        self.table.set_lines([line for line, _ in matches], [payload for _, payload in matches])
        count, total = len(matches), len(self._lines)
        self._count.setText(
            f"{count:,}" if count == total else tr("{count} of {of}", count=f"{count:,}", of=f"{total:,}")
        )
        if self.table.hasFocus():
            self.focus_list()

    def focus_list(self) -> None:
        """Focus the lines, or the choice of lists if there are none."""
        if self.table.row_count():
            self.table.setFocus()
        else:
            self.lists.focus()

    def set_progress(self, what: str, done: int, of: int) -> None:
        """Show the progress of the work."""
        self.progress.show()
        self._goal.setText(what)
        self._done.setText(f"{done:,} / {of:,}")
        self.progress.setMaximum(max(1, of))
        self.progress.setValue(done)

    def focus_search(self) -> None:
        """Focus the search field and select its text."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def step(self, by: int) -> None:
        """Move the current line by ``by`` rows."""
        place = self.table.currentIndex().row() + by
        if 0 <= place < self.table.row_count():
            self.table.select(place)

    def _search(self, _text: str) -> None:
        self.set_lines(self._lines, self._payloads)
        self.searched.emit()


def fits_search(line: QueueLine, search: str) -> bool:
    """Return whether a line contains each word of a search."""
    text = f"{line.title} {line.facts} {translate_word(line.chip[0]) if line.chip else ''}".casefold()
    return all(word in text for word in search.casefold().split())
