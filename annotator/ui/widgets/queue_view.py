"""The list of a queue as it is scrolled and selected: rows of one height, of which only those on screen cost anything.

A table with one column, not a list: Qt's list view asks its model for every row before it shows the first.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from annotator.ui.theme import Theme

_ROW_HEIGHT = 54


class QueueView(QTableView):
    """One column as wide as the view; it moves like a list."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        """Show nothing yet; ``name`` is for screen readers, and rows grow with the text."""
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName(name)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        # The Tab key leaves the list.
        self.setTabKeyNavigation(False)
        across, down = self.horizontalHeader(), self.verticalHeader()
        across.hide()
        across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        down.hide()
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        # Headers have a least height of their own, larger than a row where text is small.
        down.setMinimumSectionSize(1)
        self._size_rows()
        theme.changed.connect(self._size_rows)

    def _size_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._theme.pixels(_ROW_HEIGHT))

    def moveCursor(  # noqa: N802 - Qt's own name
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Go where a list goes: Home and End are the first and the last row."""
        last = self.model().rowCount() - 1
        if last >= 0 and action == QAbstractItemView.CursorAction.MoveHome:
            return self.model().index(0, 0)
        if last >= 0 and action == QAbstractItemView.CursorAction.MoveEnd:
            return self.model().index(last, 0)
        return super().moveCursor(action, modifiers)
