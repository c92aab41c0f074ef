"""The filter bar of the candidate queue: chips, sort order, and filters saved by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QFrame, QInputDialog, QListView, QMenu, QPushButton, QWidget

from annotator.model.rows.queue_rows import SORTS, Facets, QueueFilter
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.fields import search_line
from annotator.ui.widgets.labels import label, shorten_end
from annotator.ui.widgets.layouts import FlowLayout, fill_column

_POPUP_WIDTH, _VISIBLE_ROWS, _ROW_HEIGHT = 320, 12, 30
_CHOICE_ROLE = Qt.ItemDataRole.UserRole
_NAVIGATION_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterValue:
    """A value of a `QueueFilter` field, with its words on screen and its number of subjects."""

    field: str
    value: str
    title: str
    word: str
    count: str = ""
    is_selected: bool = False

    def fits(self, query: str) -> bool:
        """Return whether the title and the word together contain every word of the query."""
        searched_text = f"{self.title} {self.word}".casefold()
        return all(word in searched_text for word in query.casefold().split())


class FilterChoice(QFrame):
    """A popup with the filter values; Return or a click toggles one, Escape or a click elsewhere closes the popup."""

    choice_toggled = Signal(object)
    """The `FilterValue` that was toggled."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._theme = theme
        self.setObjectName("palette")
        self.setAccessibleName(tr("Filters"))
        self._choices: tuple[FilterValue, ...] = ()
        self.field = search_line(tr("Search the filters"))
        self.model = QStandardItemModel(self)
        self.view = QListView()
        self.view.setAccessibleName(tr("Values to filter by"))
        self.view.setModel(self.model)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.no_match = label(tr("No match. Try fewer letters."), "dim")
        fill_column(self, self.field, self.no_match, self.view, margin=8)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.view.clicked.connect(self._toggle)

    def open_below(self, corner: QPoint, choices: tuple[FilterValue, ...]) -> None:
        """Open the popup at a corner, within its screen, with these values."""
        self.field.clear()
        self.set_choices(choices)
        self.setFixedWidth(self._theme.pixels(_POPUP_WIDTH))
        self.view.setFixedHeight(self._theme.pixels(_ROW_HEIGHT) * _VISIBLE_ROWS)
        self.adjustSize()
        screen = QApplication.screenAt(corner) or self.screen()
        screen_area = screen.availableGeometry()
        x = max(screen_area.left(), min(corner.x(), screen_area.right() - self.width()))
        y = max(screen_area.top(), min(corner.y(), screen_area.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def set_choices(self, choices: tuple[FilterValue, ...]) -> None:
        """Replace the values; the current value stays current."""
        if choices != self._choices:
            marked = self.view.currentIndex().data(_CHOICE_ROLE)
            self._choices = choices
            self._search(self.field.text(), (marked.field, marked.value) if isinstance(marked, FilterValue) else None)

    def visible_choices(self) -> list[FilterValue]:
        """Return the visible values in order."""
        item_choices = (self.model.item(row).data(_CHOICE_ROLE) for row in range(self.model.rowCount()))
        return [choice for choice in item_choices if isinstance(choice, FilterValue)]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Forward navigation keys and Return from the search field to the list."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _NAVIGATION_KEYS:
                QApplication.sendEvent(self.view, event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._toggle()
                return True
        return super().eventFilter(watched, event)

    def _search(self, query: str, marked: tuple[str, str] | None = None) -> None:
        self.model.clear()
        title, current = "", -1
        for choice in self._choices:
            if not choice.fits(query):
                continue
            if choice.title != title:
                title = choice.title
                self.model.appendRow(self._heading(title))
            item = QStandardItem(f"{choice.word}   {choice.count}".rstrip())
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked if choice.is_selected else Qt.CheckState.Unchecked)
            item.setData(choice, _CHOICE_ROLE)
            accessible_parts = [choice.title, choice.word, choice.count, tr("chosen") if choice.is_selected else ""]
            item.setAccessibleText(", ".join(part for part in accessible_parts if part))
            self.model.appendRow(item)
            if current < 0 or (choice.field, choice.value) == marked:
                current = self.model.rowCount() - 1
        self.view.setVisible(current >= 0)
        self.no_match.setVisible(current < 0)
        if current >= 0:
            self.view.setCurrentIndex(self.model.index(current, 0))

    def _heading(self, title: str) -> QStandardItem:
        heading = QStandardItem(title)
        heading.setFlags(Qt.ItemFlag.NoItemFlags)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        return heading

    def _toggle(self) -> None:
        choice = self.view.currentIndex().data(_CHOICE_ROLE)
        if isinstance(choice, FilterValue):
            self.choice_toggled.emit(choice)


_FIELDS = {
    "verdict": ("verdicts", mark_for_translation("Decision")),
    "language": ("languages", mark_for_translation("Language")),
    "task": ("tasks", mark_for_translation("Task")),
    "domain": ("domains", mark_for_translation("Domain")),
    "area": ("areas", mark_for_translation("Area")),
    "difficulty": ("difficulties", mark_for_translation("Difficulty")),
}
_MISSING = mark_for_translation("Missing")
_TURN = mark_for_translation("Assigned to")
_TURNS = {"me": mark_for_translation("Me"), "nobody": mark_for_translation("Nobody")}
_CHIP_LETTERS = 28


class SelectFilters(QWidget):
    """A chip for each selected value, a button to add more, the sort order, and the saved filters."""

    changed = Signal(object)
    """The new `QueueFilter`, without the text of the search field."""
    save_requested = Signal(str)
    delete_requested = Signal(str)
    text_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._filter = QueueFilter()
        self._facets: Facets | None = None
        self._saved: Mapping[str, QueueFilter] = {}
        self._chips: list[QPushButton] = []
        self._flow = FlowLayout()
        self.setLayout(self._flow)
        self.choice = FilterChoice(theme, self)
        self.choice.choice_toggled.connect(self._toggle)
        self.add = _make_chip(tr("Filter…"), tr("Add a filter"))
        self.add.clicked.connect(self.open_choice)
        self.sort = _make_chip("", "")
        self._orders = QMenu(self.sort)
        self._group = QActionGroup(self)
        for name in ("", *SORTS):
            action = self._orders.addAction(_order_name(name))
            action.setCheckable(True)
            action.setData(name)
            self._group.addAction(action)
            action.triggered.connect(partial(self._sort_by, name))
        self.sort.setMenu(self._orders)
        self.saved = _make_chip(tr("Saved"), tr("Saved filters"))
        self._menu = QMenu(self.saved)
        self.saved.setMenu(self._menu)
        for bar_button in (self.add, self.sort, self.saved):
            self._flow.addWidget(bar_button)
        self.set_saved({})
        self._show()

    def filter(self) -> QueueFilter:
        """Return the current filter, without the text of the search field."""
        return self._filter

    def choose(self, queue_filter: QueueFilter) -> None:
        """Set the filter and emit `changed`."""
        self._filter = replace(queue_filter, text="")
        self._show()
        self.changed.emit(self._filter)

    def toggle_mine(self) -> None:
        """Toggle between the candidates assigned to me and all candidates."""
        self.choose(replace(self._filter, holders=() if self._filter.holders == ("me",) else ("me",)))

    def set_facets(self, facets: Facets) -> None:
        """Update the number of subjects of each value; the filter stays."""
        self._facets = facets
        if self.choice.isVisible():
            self.choice.set_choices(tuple(self._choices()))

    def set_saved(self, saved: Mapping[str, QueueFilter]) -> None:
        """Replace the saved filters."""
        self._saved = saved
        self._menu.clear()
        for name in saved:
            self._menu.addAction(name.replace("&", "&&")).triggered.connect(partial(self._choose_saved, name))
        if saved:
            self._menu.addSeparator()
        self._menu.addAction(tr("Save filter…")).triggered.connect(self._ask_to_save)
        if saved:
            delete_menu = self._menu.addMenu(tr("Delete"))
            for name in saved:
                delete_menu.addAction(name.replace("&", "&&")).triggered.connect(partial(self._delete, name))
        self._show_saved()

    def open_choice(self, _checked: bool = False) -> None:
        """Open the popup of filter values below the button."""
        self.choice.open_below(self.add.mapToGlobal(QPoint(0, self.add.height() + 2)), tuple(self._choices()))

    def show_everything(self, _checked: bool = False) -> None:
        """Clear the filter and the search field; the order stays."""
        self.text_chosen.emit("")
        self.choose(QueueFilter())

    # -- choices --------------------------------------------------------------------------------------------------

    def _choices(self) -> Iterator[FilterValue]:
        """Yield the available values by dimension, skipping empty dimensions."""
        count_suffix = "+" if self._facets is not None and self._facets.capped else ""
        counts = self._facets.counts if self._facets is not None else {}
        for name, (field, title) in _FIELDS.items():
            field_values: tuple[str, ...] = getattr(self._filter, field)
            value_counts = dict(counts.get(name, ()))
            value_counts.update((value, 0) for value in field_values if value not in value_counts)
            for value, count in value_counts.items():
                yield FilterValue(
                    field=field,
                    value=value,
                    title=translate_word(title),
                    word=translate_word(value),
                    count=f"{count:,}{count_suffix}",
                    is_selected=value in field_values,
                )
        for value, word in _TURNS.items():
            yield FilterValue(
                field="holders",
                value=value,
                title=translate_word(_TURN),
                word=translate_word(word),
                is_selected=value in self._filter.holders,
            )

    def _toggle(self, choice: FilterValue) -> None:
        values: tuple[str, ...] = getattr(self._filter, choice.field)
        new_values: tuple[str, ...]
        if choice.value in values:
            new_values = tuple(value for value in values if value != choice.value)
        elif choice.field == "holders":
            # A queue is filtered by one person at most.
            new_values = (choice.value,)
        else:
            new_values = (*values, choice.value)
        self.choose(_replace_field(self._filter, choice.field, new_values))
        self.choice.set_choices(tuple(self._choices()))

    def _remove_value(self, field: str, value: str, _checked: bool = False) -> None:
        """Remove a chip; the focus moves to the button beside it, so that it stays in the bar."""
        values: tuple[str, ...] = getattr(self._filter, field)
        self.add.setFocus()
        self.choose(_replace_field(self._filter, field, tuple(other for other in values if other != value)))

    def _sort_by(self, name: str, _checked: bool = False) -> None:
        self.choose(replace(self._filter, sort=name))

    # -- what is shown --------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Rebuild all chips: they are few, and ordered by dimension."""
        for old_chip in self._chips:
            self._flow.removeWidget(old_chip)
            old_chip.hide()
            old_chip.deleteLater()
        self._chips = [self._value_chip(*parts) for parts in self._chosen_values()]
        if self._chips:
            clear = _make_chip(tr("Show all"), "")
            clear.setProperty("role", "flat")
            clear.clicked.connect(self.show_everything)
            self._chips.append(clear)
        for chip in self._chips:
            self._flow.addWidget(chip)
        name = self._filter.sort
        self.sort.setText(f"{_order_name(name)} ▾")
        self.sort.setAccessibleName(tr("Order: {name}", name=_order_name(name)))
        for action in self._orders.actions():
            action.setChecked(action.data() == name)
        self._show_saved()
        self._flow.invalidate()
        self.updateGeometry()

    def _show_saved(self) -> None:
        """Show the button of saved filters if there are any, or a filter to save."""
        self.saved.setVisible(bool(self._saved) or any(True for _ in self._chosen_values()))

    def _chosen_values(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield (field, value, dimension title, display word) of each selected value."""
        for field, title in _FIELDS.values():
            for value in getattr(self._filter, field):
                yield field, value, translate_word(title), translate_word(value)
        for value in self._filter.missing:
            yield "missing", value, translate_word(_MISSING), translate_word(value)
        for value in self._filter.holders:
            yield "holders", value, translate_word(_TURN), translate_word(_TURNS.get(value, value))

    def _value_chip(self, field: str, value: str, title: str, word: str) -> QPushButton:
        chip_text = f"{title}: {word}" if field in {"missing", "holders"} else word
        chip = _make_chip(
            f"{shorten_end(chip_text, _CHIP_LETTERS)}  ✕",
            tr("{name}: {value}. Click to remove", name=title, value=word),
        )
        chip.setProperty("role", "chosen-chip")
        chip.clicked.connect(partial(self._remove_value, field, value))
        return chip

    # -- saved filters --------------------------------------------------------------------------------------------

    def _choose_saved(self, name: str, _checked: bool = False) -> None:
        self.text_chosen.emit(self._saved[name].text)
        self.choose(self._saved[name])

    def _ask_to_save(self, _checked: bool = False) -> None:
        name, agreed = QInputDialog.getText(self, tr("Save filter"), tr("Name"))
        if agreed and name.strip():
            self.save_requested.emit(name.strip())

    def _delete(self, name: str, _checked: bool = False) -> None:
        self.delete_requested.emit(name)


class _ChipButton(QPushButton):
    """A small rounded button, sized to its text."""

    def sizeHint(self) -> QSize:
        """Return the size of the text; it already contains the arrow of a menu."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 22, metrics.height() + 10)

    def minimumSizeHint(self) -> QSize:
        """Return the full size, so that no chip is cut off."""
        return self.sizeHint()


def _replace_field(queue_filter: QueueFilter, field: str, values: tuple[str, ...]) -> QueueFilter:
    changes: dict[str, Any] = {field: values}
    return replace(queue_filter, **changes)


def _make_chip(text: str, name: str) -> QPushButton:
    chip = _ChipButton(text.replace("&", "&&"))
    chip.setProperty("role", "chip")
    chip.setAccessibleName(name or text)
    chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return chip


def _order_name(name: str) -> str:
    return tr("By {name}", name=translate_word(name)) if name else tr("As imported")
