"""The queue card and its list, which every queue uses: each row has a title, facts and a chip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QProgressBar,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.fields import TextLine, add_clear_button
from annotator.ui.widgets.labels import (
    ElidedLabel,
    OptionalLabel,
    Segments,
    button,
    chip_colours,
    escape_tool_tip,
    label,
    paint_chip,
)
from annotator.ui.widgets.layouts import fill_column, fill_layout, fill_splitter, make_row
from annotator.ui.widgets.row_menu import RowMenu, add_copies_of_row, paint_empty

Index = QModelIndex | QPersistentModelIndex
_ROW_HEIGHT = 54
_COMMAND_MODIFIERS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)
_MIN_WIDTH, _MIN_WIDTH_COMPACT = 320, 168
"""Minimum widths of an unfolded queue in pixels, in a usual and in a cramped window."""
_FOLDED_WIDTH = 76
"""The width of a folded queue in pixels; it shows only the number and the chip of each row."""
_MARGIN, _FOLDED_MARGIN = 12, 4
DESK_WIDTH = 1230
"""The width in pixels at which a desk has room for 80 characters of code beside a step."""


class QueueView(QTableView):
    """A table with one column as wide as the view, which keys navigate like a list."""

    row_opened = Signal()
    """The current row was double-clicked, or Return was pressed on it."""
    letter_ignored = Signal(object)
    """The text of a typed letter that has no effect in the list."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        """Create an empty view; ``name`` is for screen readers."""
        super().__init__(parent)
        self._theme = theme
        self.empty_text = ""
        """The text shown if there are no rows; empty until the rows have been loaded."""
        self.setAccessibleName(name)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        # Else Tab would move from row to row instead of to the next widget.
        self.setTabKeyNavigation(False)
        column_header, row_header = self.horizontalHeader(), self.verticalHeader()
        column_header.hide()
        column_header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        row_header.hide()
        row_header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        # Qt's default minimum would be higher than a row of small text.
        row_header.setMinimumSectionSize(1)
        self._size_rows()
        theme.changed.connect(self._size_rows)
        self.doubleClicked.connect(self._double_clicked)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint `empty_text` if there are no rows."""
        super().paintEvent(event)
        if not self.model().rowCount():
            paint_empty(self, self.empty_text)

    def _double_clicked(self, _index: QModelIndex) -> None:
        self.row_opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the current row on Return, and report letters that have no effect."""
        if (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            and self.currentIndex().isValid()
        ):
            self.row_opened.emit()
            return
        if event.text().isprintable() and event.text().strip() and not event.modifiers() & _COMMAND_MODIFIERS:
            # Qt would select a row that begins with the letter, but a letter meant for a field must not change the row.
            self.letter_ignored.emit(event.text())
            return
        super().keyPressEvent(event)

    def _size_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._theme.pixels(_ROW_HEIGHT))

    def moveCursor(  # noqa: N802 - Qt's own name
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Go to the first row on Home and to the last row on End, where a table would go to another column."""
        last_row = self.model().rowCount() - 1
        if last_row >= 0 and action == QAbstractItemView.CursorAction.MoveHome:
            return self.model().index(0, 0)
        if last_row >= 0 and action == QAbstractItemView.CursorAction.MoveEnd:
            return self.model().index(last_row, 0)
        return super().moveCursor(action, modifiers)


@dataclass(frozen=True, slots=True)
class QueueLine:
    """The content of a row of a queue: a title, facts below it, and a chip (word, kind) beside it.

    ``tip`` is the tool tip; the default is the full title.
    """

    title: str
    facts: str
    chip: tuple[str, str] | None = None
    tip: str = ""


class LineDelegate(QStyledItemDelegate):
    """Paints the rows of a queue: a title above its facts, with a chip beside them."""

    def __init__(self, theme: Theme, line_of: Callable[[Index], QueueLine | None]) -> None:
        """``line_of`` returns the content of the row at an index, None for an empty row."""
        super().__init__()
        self._theme, self._line_of = theme, line_of

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        tokens = self._theme.tokens
        rect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(tokens.selection))
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, QColor(tokens.line))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -2))
        line = self._line_of(index)
        if line is not None and rect.width() < self._theme.pixels(_FOLDED_WIDTH):
            self._paint_folded(painter, option, index.row() + 1, line.chip)
        elif line is not None:
            self._paint_line(painter, option, line)
        painter.restore()

    def _paint_folded(
        self, painter: QPainter, option: QStyleOptionViewItem, number: int, chip: tuple[str, str] | None
    ) -> None:
        """Paint the number of a row, and the word of its chip below it."""
        tokens, metrics = self._theme.tokens, QFontMetrics(option.font)
        word, kind = chip or ("", "")
        top = option.rect.top() + (option.rect.height() - 2 * metrics.height() - 2) // 2
        texts = ((str(number), tokens.text), (translate_word(word), chip_colours(tokens, kind)[0]))
        painter.setFont(option.font)
        for line_number, (text, colour) in enumerate(texts):
            line_top = top + line_number * (metrics.height() + 2)
            box = QRectF(option.rect.left(), line_top, option.rect.width(), metrics.height())
            painter.setPen(QColor(colour))
            elided_text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, option.rect.width() - 2)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, elided_text)

    def _paint_line(self, painter: QPainter, option: QStyleOptionViewItem, queue_line: QueueLine) -> None:
        tokens, rect, font = self._theme.tokens, option.rect, option.font
        metrics = QFontMetrics(font)
        line_height = metrics.height()
        top = rect.top() + (rect.height() - 2 * line_height - 2) // 2
        left_edge, right_edge = rect.left() + 12, rect.right() - 10
        line_tops = (top, top + line_height + 2)
        line_widths = [right_edge - left_edge] * 2
        painter.setFont(font)
        if queue_line.chip is not None:
            word = translate_word(queue_line.chip[0])
            width = metrics.horizontalAdvance(word) + 20
            # In a narrow list the chip is beside the facts, so that the title keeps at least half of the width.
            chip_line = 1 if 2 * width > line_widths[0] else 0
            box = QRectF(right_edge - width, line_tops[chip_line] - 2, width, line_height + 2)
            paint_chip(painter, box, word, chip_colours(tokens, queue_line.chip[1]))
            line_widths[chip_line] -= width + 10
        texts = ((queue_line.title, tokens.text), (queue_line.facts, tokens.dim))
        for (text, colour), line_top, line_width in zip(texts, line_tops, line_widths, strict=True):
            painter.setPen(QColor(colour))
            elided_text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, line_width)
            painter.drawText(left_edge, line_top + metrics.ascent(), elided_text)


class LineModel(QAbstractListModel):
    """A model of rows, each with its content and a payload."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[QueueLine, ...] = ()
        self.payloads: tuple[Any, ...] = ()

    def fill(self, lines: Sequence[QueueLine], payloads: Sequence[Any]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.lines, self.payloads = tuple(lines), tuple(payloads)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.lines)

    def line(self, index: Index) -> QueueLine | None:
        """Return the content of the row at an index, or None."""
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
        if role == Qt.ItemDataRole.ToolTipRole:
            return escape_tool_tip(line.tip or line.title)
        return line.title if role == Qt.ItemDataRole.DisplayRole else None


class LineList(QueueView):
    """A list of queue rows; `row_selected` carries the payload of the current one."""

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
        """The context menu of the rows; pages add their own entries."""
        self.selectionModel().currentRowChanged.connect(self._current_changed)

    def set_lines(self, lines: Sequence[QueueLine], payloads: Sequence[Any]) -> None:
        """Replace the rows; none is current."""
        self._model.fill(lines, payloads)

    def row_count(self) -> int:
        """Return the number of rows."""
        return len(self._model.lines)

    def line(self, row: int) -> QueueLine:
        """Return the content of a row."""
        return self._model.lines[row]

    def select(self, row: int) -> None:
        """Make a row current."""
        self.setCurrentIndex(self._model.index(row))

    def clear_current(self) -> None:
        """Let no row be current."""
        self.setCurrentIndex(QModelIndex())

    def current_payload(self) -> Any:
        """Return the payload of the current row, None if there is none."""
        return self.currentIndex().data(Qt.ItemDataRole.UserRole)

    def _current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.row_selected.emit(current.data(Qt.ItemDataRole.UserRole))

    def _fill_menu(self, menu: QMenu) -> None:
        line = self._model.line(self.currentIndex())
        if line is not None:
            add_copies_of_row(menu, [line.title, line.facts, translate_word(line.chip[0]) if line.chip else ""], 0)


class SearchField(TextLine):
    """A search field; Esc clears it and emits `escaped`."""

    escaped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear the field on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.escaped.emit()
            return
        super().keyPressEvent(event)


class QueueCard(Card):
    """A card with a search field, a heading with a count, a list to work through, and a progress bar.

    In a `QueueSplitter` with an item width, it can be folded: then it shows only the numbers and chips of its rows.
    Unless the user chose otherwise, it is folded while the window is too narrow and the search field is empty. An empty
    list is never folded.
    """

    fold_changed = Signal()
    """The queue was folded or unfolded."""

    def __init__(
        self, theme: Theme, title: str, view: QueueView, filters: Sequence[QWidget] = (), parent: QWidget | None = None
    ) -> None:
        """Lay out the card around ``view``, with ``filters`` below the search field."""
        super().__init__(parent=parent)
        self._theme, self._view = theme, view
        self.search = SearchField(self)
        self.search.setPlaceholderText(tr("Search    /"))
        self.search.setAccessibleName(tr("Search the queue"))
        add_clear_button(self.search)
        self.fold_button = button("", clicked=self._toggle_fold)
        self.fold_button.setProperty("role", "flat")
        self._search_label = ElidedLabel("dim")
        """Shows the search text while the queue is folded."""
        self._search_label.hide()
        self._heading, self._count = label(title, "section"), label("", "dim")
        self.incomplete = OptionalLabel("dim")
        """Shows how many candidates are not indexed for the search yet."""
        self._goal, self._done = label("", "dim"), label("", "dim")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(tr("Progress of the queue"))
        self._head, self._foot = QWidget(self), QWidget(self)
        top = make_row(self._heading, None, self._count)
        bottom = make_row(self._goal, None, self._done)
        self.above = fill_column(self._head, *filters, top, self.incomplete)
        self.below = fill_column(self._foot, bottom, self.progress)
        """The layouts above and below the list; pages add their own parts."""
        search_row = make_row((self.search, 1), self.fold_button, spacing=4)
        fill_layout(self.body, search_row, self._search_label, self._head, (view, 1), self._foot)
        self.chosen_fold: bool | None = None
        """Whether the user folded (True) or unfolded the queue; None if it follows the window's width."""
        self.can_fold = self.is_folded = self._is_searched = False
        self._has_room = True
        self._show_fold()
        self.search.returnPressed.connect(self.focus_list)
        self.search.escaped.connect(self.focus_list)
        self.search.escaped.connect(self._end_search)
        view.row_opened.connect(self._end_search)
        theme.changed.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        """Return a width with room for a title beside its chip and for all texts around the list."""
        hint = super().minimumSizeHint()
        if self.is_folded:
            return QSize(self._theme.pixels(_FOLDED_WIDTH), hint.height())
        min_width = _MIN_WIDTH_COMPACT if self._theme.is_cramped else _MIN_WIDTH
        return QSize(max(min_width, hint.width()), hint.height())

    def narrowest_width(self) -> int:
        """Return the width of the queue in the narrowest window: folded if that is possible, else compact."""
        if self.can_fold:
            return self._theme.pixels(_FOLDED_WIDTH)
        return max(_MIN_WIDTH_COMPACT, super().minimumSizeHint().width())

    def set_room(self, has_room: bool) -> None:
        """Set whether the window has room for the unfolded queue."""
        self._has_room = has_room
        self.fit_fold()

    def choose_fold(self, fold: bool) -> None:
        """Fold or unfold the queue at the user's request.

        A choice that equals the automatic state is not recorded, so the queue follows the window's width again.
        """
        self.restore_fold(None if fold == self._should_fold() else fold)

    def restore_fold(self, chosen_fold: bool | None) -> None:
        """Restore the user's earlier choice, possibly before the window's width is known."""
        self.chosen_fold, self._is_searched = chosen_fold, False
        self.fit_fold()

    def _should_fold(self) -> bool:
        return not self._has_room and not self.search.text()

    def fit_fold(self) -> None:
        """Fold or unfold the queue by the user's choice, or else by the window's width."""
        fold = self._should_fold() if self.chosen_fold is None else self.chosen_fold
        # The text is set once the rows are loaded; before that, the list may not be empty.
        is_known_empty = bool(self._view.empty_text) and not self._view.model().rowCount()
        self.fold_button.setEnabled(not is_known_empty)
        fold = fold and self.can_fold and not self._is_searched and not is_known_empty
        if fold != self.is_folded:
            self.is_folded = fold
            self._show_fold()
        self._search_label.set_full(self.search.text())
        self._search_label.setVisible(fold and bool(self.search.text()))

    def _toggle_fold(self, _checked: bool = False) -> None:
        self.choose_fold(not self.is_folded)

    def _end_search(self) -> None:
        """Allow the queue to fold again after a row was opened or the search field left."""
        self._is_searched = False
        self.fit_fold()

    def _show_fold(self) -> None:
        folded = self.is_folded
        for part in (self.search, self._head, self._foot):
            part.setHidden(folded)
        self.fold_button.setText("»" if folded else "«")
        self.fold_button.setAccessibleName(tr("Show the whole list") if folded else tr("Show only numbers"))
        self.fold_button.setToolTip(self.fold_button.accessibleName())
        margin = _FOLDED_MARGIN if folded else _MARGIN
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(margin, _MARGIN, margin, _MARGIN)
        self.updateGeometry()
        self.fold_changed.emit()

    def set_progress(self, goal: str, done: int, total: int) -> None:
        """Show the progress of the work, such as "Decided 38 / 50"."""
        self.progress.show()
        self._goal.setText(goal)
        self._done.setText(f"{done:,} / {total:,}")
        self.progress.setMaximum(max(1, total))
        self.progress.setValue(done)

    def focus_list(self) -> None:
        """Focus the list."""
        self._view.setFocus()

    def focus_search(self) -> None:
        """Put the cursor into the search field, unfolding the queue."""
        self._is_searched = True
        self.fit_fold()
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()


class QueueSplitter(QSplitter):
    """A queue beside the current item; if there is no room for both, the queue folds.

    ``item_width`` is the width in pixels that the item needs; with 0, the queue never folds.
    """

    def __init__(self, theme: Theme, name: str, item_width: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setObjectName(name)
        self._theme, self._item_width = theme, item_width
        self._queue: QueueCard | None = None
        self._open_width = 0
        """The width of the queue while it is not folded."""
        theme.changed.connect(self._fit)

    def fill(self, queue: QueueCard, item: QWidget, sizes: tuple[int, int]) -> None:
        """Add the queue and the item, which gets any extra width; ``sizes`` are in pixels."""
        self._queue = queue
        queue.can_fold = bool(self._item_width)
        queue.fold_button.setVisible(queue.can_fold)
        fill_splitter(self, queue, item, sizes=sizes)
        self.setStretchFactor(1, 1)
        queue.fold_changed.connect(self._resize_queue)
        self.splitterMoved.connect(self._handle_moved)

    def setSizes(self, sizes: Sequence[int]) -> None:  # noqa: N802 - Qt's own name
        """Set the widths; a folded queue gets its width when it is unfolded."""
        self._open_width = sizes[0]
        super().setSizes(sizes)
        if self._queue is not None and self._queue.is_folded:
            self._resize_queue()

    def open_sizes(self) -> list[int]:
        """Return the widths that queue and item have while the queue is not folded."""
        queue_width, item_width = self.sizes()
        if self._queue is None or not self._queue.is_folded:
            return [queue_width, item_width]
        return [self._open_width, max(0, queue_width + item_width - self._open_width)]

    def minimumSizeHint(self) -> QSize:
        """Return a minimum for the compact or folded queue, because the queue shrinks to that with the window."""
        hint = super().minimumSizeHint()
        if self._queue is None:
            return hint
        return QSize(
            hint.width() - self._queue.minimumSizeHint().width() + self._queue.narrowest_width(), hint.height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold or unfold the queue for the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._queue is not None and self._item_width:
            needed_width = self._item_width + _MIN_WIDTH + self.handleWidth()
            self._queue.set_room(self.width() >= self._theme.pixels(needed_width))
            if self._queue.is_folded:
                self._resize_queue()

    def _resize_queue(self) -> None:
        """Give a folded queue its fixed width, and an unfolded one its previous width."""
        queue = self._queue
        if queue is None:
            return
        width = self._theme.pixels(_FOLDED_WIDTH) if queue.is_folded else self._open_width
        super().setSizes([width, max(0, self.width() - width - self.handleWidth())])

    def _handle_moved(self, _position: int, _handle: int) -> None:
        """Record the width of an unfolded queue, and unfold a folded one that was dragged wider."""
        queue, width = self._queue, self.sizes()[0]
        if queue is not None and not queue.is_folded:
            self._open_width = width
        elif queue is not None and width > self._theme.pixels(_FOLDED_WIDTH):
            queue.choose_fold(False)


class LineQueue(QueueCard):
    """A queue card whose list the user selects with ``lists``, and whose search filters the loaded rows."""

    searched = Signal()
    """The search text changed, and the rows were filtered again."""

    def __init__(
        self,
        theme: Theme,
        title: str,
        lists: Segments,
        filters: Sequence[QWidget] = (),
    ) -> None:
        self.lists, self.table = lists, LineList(theme, title)
        super().__init__(theme, title, self.table, (lists, *filters))
        self._lines: tuple[QueueLine, ...] = ()
        self._payloads: tuple[Any, ...] = ()
        self._is_focus_due = False
        """Whether the next rows take the focus from the list selector."""
        self.empty_text = tr("Nothing in this list.")
        """The hint shown while the list is empty."""
        self.progress.hide()
        self.search.textChanged.connect(self._search)
        lists.picked.connect(self._list_picked)

    def _list_picked(self, _number: int) -> None:
        """Leave the focus on the list selector, because the user is working there."""
        self._is_focus_due = False

    @property
    def payloads(self) -> tuple[Any, ...]:
        """The payloads of the rows that match the search, in order."""
        search = self.search.text()
        return tuple(
            payload for line, payload in zip(self._lines, self._payloads, strict=True) if fits_search(line, search)
        )

    def set_lines(self, lines: Sequence[QueueLine], payloads: Sequence[Any]) -> None:
        """Replace the rows, and show those that match the search; none is current."""
        self._lines, self._payloads = tuple(lines), tuple(payloads)
        search = self.search.text()
        pairs = zip(self._lines, self._payloads, strict=True)
        matches = [(line, payload) for line, payload in pairs if fits_search(line, search)]
        self.table.set_lines([line for line, _ in matches], [payload for _, payload in matches])
        count, total = len(matches), len(self._lines)
        self.table.empty_text = tr("Nothing matches the search.") if total else self.empty_text
        self._count.setText(
            f"{count:,}" if count == total else tr("{count} of {total}", count=f"{count:,}", total=f"{total:,}")
        )
        # Read before folding, which hides the list selector and moves the focus away from it.
        focus = self.window().focusWidget()
        is_in_lists = focus is not None and self.lists.isAncestorOf(focus)
        takes_focus = focus is self.table or (self._is_focus_due and is_in_lists)
        self._is_focus_due = False
        # Qt makes the first row current when a list without a current row gets the focus, here if the selector had it.
        with QSignalBlocker(self.table.selectionModel()):
            self.fit_fold()
            self.table.clear_current()
        if takes_focus:
            # Deferred for the same reason.
            QTimer.singleShot(0, self, self.focus_list)

    def focus_list(self) -> None:
        """Focus the rows; if there are none, focus the list selector until rows arrive."""
        if self.table.row_count():
            self.table.setFocus()
        else:
            self._is_focus_due = True
            self.lists.focus()

    def step(self, by: int) -> None:
        """Go ``by`` rows down, or up if it is negative."""
        row = self.table.currentIndex().row() + by
        if 0 <= row < self.table.row_count():
            self.table.select(row)

    def _search(self, _text: str) -> None:
        self.set_lines(self._lines, self._payloads)
        self.searched.emit()


def fits_search(line: QueueLine, search: str) -> bool:
    """Return whether a row contains each word of a search."""
    text = f"{line.title} {line.facts} {translate_word(line.chip[0]) if line.chip else ''}".casefold()
    return all(word in text for word in search.casefold().split())
