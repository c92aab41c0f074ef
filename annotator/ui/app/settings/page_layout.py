"""The layout of a page: splitters, folded queues, columns and scroll positions, keyed by their path in the page."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractScrollArea, QSplitter, QWidget

from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.line_queue import QueueCard, QueueSplitter
from annotator.ui.widgets.table import DataTable

Layout = dict[str, dict[str, object]]
"""The saved values by kind of part and path, as plain JSON values."""

_SPLITTERS, _FOLDED, _COLUMNS, _ORDER, _SORT, _SCROLLED = "splitters", "folded", "columns", "order", "sort", "scrolled"
# Pages are filled asynchronously, so an area is long enough to scroll only some time after the page is shown.
_FILLING_MS = 4_000


class PageLayout(QObject):
    """Saves and restores the layout of a page's visible parts; saved values of hidden parts are kept."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self._layout: Layout = {kind: {} for kind in (_SPLITTERS, _FOLDED, _COLUMNS, _ORDER, _SORT, _SCROLLED)}
        self._positions: dict[str, ScrollPosition] = {}

    def state(self) -> Layout:
        """Return the current layout."""
        if self._page.isVisible():
            self._read_parts()
        return {kind: dict(parts) for kind, parts in self._layout.items()}

    def restore(self, state: object) -> None:
        """Restore a result of `state`, possibly of an older version; unknown or invalid values are ignored."""
        if isinstance(state, dict):
            for kind, parts in self._layout.items():
                stored = state.get(kind)
                parts.update(stored if isinstance(stored, dict) else {})
        self.arrange(self._page)

    def arrange(self, part: QWidget) -> None:
        """Restore the layout of a part of the page, such as a panel created later."""
        for splitter in part.findChildren(QSplitter):
            sizes = self._layout[_SPLITTERS].get(path_in_page(self._page, splitter))
            # A part without a size was hidden.
            if isinstance(sizes, list) and [type(size) for size in sizes if size] == [int] * splitter.count():
                splitter.setSizes(sizes)
        for queue in part.findChildren(QueueCard):
            folded = self._layout[_FOLDED].get(path_in_page(self._page, queue))
            if isinstance(folded, bool):
                queue.restore_fold(folded)
        for area in part.findChildren(QAbstractScrollArea):
            path = path_in_page(self._page, area)
            value = self._layout[_SCROLLED].get(path)
            if isinstance(area, DataTable):
                self._arrange_table(area, path)
            if isinstance(value, int) and value > 0:
                self._positions[path] = ScrollPosition(area, value)

    def _arrange_table(self, table: DataTable, path: str) -> None:
        widths, orders, sorts = (self._layout[kind].get(path) for kind in (_COLUMNS, _ORDER, _SORT))
        if isinstance(widths, dict):
            table.user_widths = {str(name): width for name, width in widths.items() if isinstance(width, int)}
        if isinstance(orders, dict):
            table.user_orders = {
                str(key): [str(name) for name in names]
                for key, names in orders.items()
                if isinstance(names, list) and sorted(map(str, names)) == str(key).split("\t")
            }
        if isinstance(sorts, dict):
            table.user_sorts = {
                str(key): (str(sort[0]), bool(sort[1]))
                for key, sort in sorts.items()
                if isinstance(sort, list) and len(sort) == 2
            }

    def _read_parts(self) -> None:
        for splitter in self._page.findChildren(QSplitter):
            if splitter.isVisible():
                sizes = splitter.open_sizes() if isinstance(splitter, QueueSplitter) else splitter.sizes()
                if all(sizes):
                    self._layout[_SPLITTERS][path_in_page(self._page, splitter)] = sizes
        for queue in self._page.findChildren(QueueCard):
            path = path_in_page(self._page, queue)
            if queue.chosen_fold is None:
                self._layout[_FOLDED].pop(path, None)
            else:
                self._layout[_FOLDED][path] = queue.chosen_fold
        for area in self._page.findChildren(QAbstractScrollArea):
            if area.isVisible():
                self._read_area(area, path_in_page(self._page, area))

    def _read_area(self, area: QAbstractScrollArea, path: str) -> None:
        if isinstance(area, DataTable):
            sorts = {key: list(sort) for key, sort in area.user_sorts.items()}
            for kind, choices in (
                (_COLUMNS, dict(area.user_widths)),
                (_ORDER, dict(area.user_orders)),
                (_SORT, sorts),
            ):
                self._layout[kind][path] = choices
                if not choices:
                    del self._layout[kind][path]
        position = self._positions.get(path)
        if position is not None and position.is_waiting:
            return
        self._positions.pop(path, None)
        if value := area.verticalScrollBar().value():
            self._layout[_SCROLLED][path] = value
        else:
            self._layout[_SCROLLED].pop(path, None)


class ScrollPosition(QObject):
    """Restores an area's scroll position as soon as its content is long enough, unless the user scrolls first."""

    def __init__(self, area: QAbstractScrollArea, value: int) -> None:
        """Wait for the content for some seconds, as it may be filled more than once."""
        super().__init__(area)
        self.is_waiting = True
        self._bar, self._value = area.verticalScrollBar(), value
        self._bar.rangeChanged.connect(self._range_changed)
        self._bar.actionTriggered.connect(self._stop)
        # Deferred, because filling an area scrolls it to the top afterwards.
        self._scroll_timer = debounce(self, 0, self._scroll)
        debounce(self, _FILLING_MS, self._stop).start()

    def _range_changed(self, _lowest: int, _highest: int) -> None:
        if self.is_waiting:
            self._scroll_timer.start()

    def _scroll(self) -> None:
        if self.is_waiting and self._bar.maximum() >= self._value:
            self._bar.setValue(self._value)

    def _stop(self, _action: int = 0) -> None:
        self.is_waiting = False


def path_in_page(page: QWidget, widget: QWidget) -> str:
    """Return the path of a widget in a page: object names, or class names with numbers."""
    steps: list[str] = []
    part = widget
    while part is not page and (parent := part.parentWidget()) is not None:
        same_class = [child for child in parent.children() if type(child) is type(part)]
        steps.append(part.objectName() or f"{type(part).__name__}-{same_class.index(part)}")
        part = parent
    return "/".join(reversed(steps))
