"""What the queue of candidates is narrowed and sorted by, and the filters saved by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QInputDialog, QMenu, QWidget

from annotator.model.rows.queue import SORTS, Facets, QueueFilter
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.fields import choice_box
from annotator.ui.widgets.labels import button

_FIELDS = {
    "verdict": "verdicts", "language": "languages", "task": "tasks", "domain": "domains", "area": "areas",
    "difficulty": "difficulties",
}  # fmt: skip
_ALL = {
    "verdict": mark_for_translation("All"),
    "language": mark_for_translation("Language"),
    "task": mark_for_translation("Task"),
    "domain": mark_for_translation("Domain"),
    "area": mark_for_translation("Area"),
    "difficulty": mark_for_translation("Difficulty"),
}

_MOST_COLUMNS, _GAP = 3, 6
# What a box needs beside its word: its frame and its arrow.
_AROUND = 28
_TURNS = (
    (mark_for_translation("Anyone's"), ()),
    (mark_for_translation("Mine"), ("me",)),
    (mark_for_translation("Nobody's"), ("nobody",)),
)


class SelectFilters(QWidget):
    """Six values to filter by, whose turn it is, an order, and a menu of saved filters."""

    changed = Signal(object)
    """The `QueueFilter` that was chosen, without the text of the search field."""
    save_requested = Signal(str)
    delete_requested = Signal(str)
    text_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        """Let everything through."""
        super().__init__(parent)
        self.boxes: dict[str, QComboBox] = {}
        # Several values of a dimension can come from a quota or a saved filter; a box shows them as one entry.
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)
        for name in _FIELDS:
            title = tr("Filter by {name}", name=translate_word(name))
            box = _combo(self, title, [(translate_word(_ALL[name]), ())])
            box.activated.connect(self._chosen)
            self.boxes[name] = box
        sorts = ((tr("By {name}", name=translate_word(name)), name) for name in SORTS)
        self.sort = _combo(self, tr("Sort by"), ((tr("Imported"), ""), *sorts))
        self.sort.activated.connect(self._chosen)
        self.saved = button(tr("Filters"))
        self._menu = QMenu(self.saved)
        self.saved.setMenu(self._menu)
        turns = ((translate_word(text), holders) for text, holders in _TURNS)
        self.turn = _combo(self, tr("Filter by whose turn it is"), turns)
        self.turn.activated.connect(self._chosen)
        self._columns = 0
        self._arrange(_MOST_COLUMNS)
        self._saved: Mapping[str, QueueFilter] = {}
        self.set_saved({})

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put fewer side by side where their words would be cut."""
        super().resizeEvent(event)
        words = [*map(translate_word, _ALL.values()), *(translate_word(text) for text, _ in _TURNS), tr("Imported")]
        letters = self.fontMetrics()
        needed = max(map(letters.horizontalAdvance, words)) + _AROUND + _GAP
        self._arrange(max(1, min(_MOST_COLUMNS, (self.width() + _GAP) // needed)))

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for place, widget in enumerate((*self.boxes.values(), self.turn, self.sort, self.saved)):
            self._grid.addWidget(widget, place // columns, place % columns)

    def filter(self) -> QueueFilter:
        """Return what is chosen."""
        chosen: dict[str, Any] = {field: tuple(self.boxes[name].currentData() or ()) for name, field in _FIELDS.items()}
        holders = tuple(self.turn.currentData() or ())
        return replace(QueueFilter(sort=self.sort.currentData() or "", holders=holders), **chosen)

    def choose(self, wanted: QueueFilter) -> None:
        """Choose other values and say so."""
        for name, field in _FIELDS.items():
            self._set(self.boxes[name], name, getattr(wanted, field))
        self.sort.setCurrentIndex(max(0, self.sort.findData(wanted.sort)))
        self._set_turn(wanted.holders)
        self.changed.emit(self.filter())

    def toggle_mine(self) -> None:
        """Show the candidates whose turn is mine, or everybody's again."""
        self._set_turn(() if tuple(self.turn.currentData() or ()) == ("me",) else ("me",))
        self.changed.emit(self.filter())

    def _set_turn(self, holders: tuple[str, ...]) -> None:
        place = next((n for n, (_, known) in enumerate(_TURNS) if known == tuple(holders)), 0)
        self.turn.setCurrentIndex(place)

    def set_facets(self, facets: Facets) -> None:
        """Show how many subjects each value has; what is chosen stays."""
        more = "+" if facets.capped else ""
        for name, box in self.boxes.items():
            entries = [
                (translate_word(_ALL[name]), ()),
                *((f"{translate_word(value)} {count}{more}", (value,)) for value, count in facets.counts.get(name, ())),
            ]
            chosen = box.currentData() or ()
            if [(box.itemText(place), box.itemData(place)) for place in range(box.count())] == entries:
                continue
            box.clear()
            for text, value in entries:
                box.addItem(text, value)
            self._set(box, name, chosen)

    def set_saved(self, saved: Mapping[str, QueueFilter]) -> None:
        """Show other saved filters."""
        self._saved = saved
        self._menu.clear()
        for name in saved:
            self._menu.addAction(name).triggered.connect(partial(self._choose_saved, name))
        if saved:
            self._menu.addSeparator()
        self._menu.addAction(tr("Show everything")).triggered.connect(self.show_everything)
        self._menu.addAction(tr("Keep this filter…")).triggered.connect(self._save)
        if saved:
            forget = self._menu.addMenu(tr("Forget"))
            for name in saved:
                forget.addAction(name).triggered.connect(partial(self._delete, name))

    def _set(self, box: QComboBox, name: str, values: tuple[str, ...]) -> None:
        place = next((n for n in range(box.count()) if tuple(box.itemData(n) or ()) == tuple(values)), -1)
        if place < 0:
            box.addItem(", ".join(map(translate_word, values)) if values else translate_word(_ALL[name]), tuple(values))
            place = box.count() - 1
        box.setCurrentIndex(place)

    def _chosen(self, _index: int) -> None:
        self.changed.emit(self.filter())

    def _choose_saved(self, name: str, _checked: bool = False) -> None:
        self.text_chosen.emit(self._saved[name].text)
        self.choose(self._saved[name])

    def show_everything(self, _checked: bool = False) -> None:
        """Let everything through again, and empty the search field."""
        self.text_chosen.emit("")
        self.choose(QueueFilter())

    def _save(self, _checked: bool = False) -> None:
        name, agreed = QInputDialog.getText(self, tr("Keep this filter"), tr("Name"))
        if agreed and name.strip():
            self.save_requested.emit(name.strip())

    def _delete(self, name: str, _checked: bool = False) -> None:
        self.delete_requested.emit(name)


def _combo(parent: QWidget, name: str, choices: Iterable[tuple[str, object]]) -> QComboBox:
    box = choice_box(name, choices, letters=4)
    box.setParent(parent)
    box.setProperty("role", "tight")
    return box
