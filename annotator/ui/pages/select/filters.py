"""The bar of chips that narrows the queue of candidates, its order, and the filters saved by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QInputDialog, QMenu, QPushButton, QWidget

from annotator.model.rows.queue import SORTS, Facets, QueueFilter
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.select.filter_choice import Choice, FilterChoice
from annotator.ui.widgets.flow_layout import FlowLayout
from annotator.ui.widgets.labels import shorten_end

_FIELDS = {
    "verdict": ("verdicts", mark_for_translation("Decision")),
    "language": ("languages", mark_for_translation("Language")),
    "task": ("tasks", mark_for_translation("Task")),
    "domain": ("domains", mark_for_translation("Domain")),
    "area": ("areas", mark_for_translation("Area")),
    "difficulty": ("difficulties", mark_for_translation("Difficulty")),
}
_MISSING = mark_for_translation("Missing")
_TURN = mark_for_translation("Whose turn")
_TURNS = {"me": mark_for_translation("Mine"), "nobody": mark_for_translation("Nobody's")}
_CHIP_LETTERS = 28


class SelectFilters(QWidget):
    """A chip for each value chosen, a button that offers more, the order, and the saved filters."""

    changed = Signal(object)
    """The `QueueFilter` that was chosen, without the text of the search field."""
    save_requested = Signal(str)
    delete_requested = Signal(str)
    text_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        """Let everything through."""
        super().__init__(parent)
        self._filter = QueueFilter()
        self._facets: Facets | None = None
        self._saved: Mapping[str, QueueFilter] = {}
        self._chips: list[QPushButton] = []
        self._flow = FlowLayout()
        self.setLayout(self._flow)
        self.choice = FilterChoice(theme, self)
        self.choice.chosen.connect(self._toggle)
        self.add = _chip(tr("Filter…"), tr("Add a filter"))
        self.add.clicked.connect(self.open_choice)
        self.sort = _chip("", "")
        self._orders = QMenu(self.sort)
        self._group = QActionGroup(self)
        for name in ("", *SORTS):
            action = self._orders.addAction(_order_name(name))
            action.setCheckable(True)
            action.setData(name)
            self._group.addAction(action)
            action.triggered.connect(partial(self._sort_by, name))
        self.sort.setMenu(self._orders)
        self.saved = _chip(tr("Saved"), tr("Saved filters"))
        self._menu = QMenu(self.saved)
        self.saved.setMenu(self._menu)
        for fixed in (self.add, self.sort, self.saved):
            self._flow.addWidget(fixed)
        self.set_saved({})
        self._show()

    def filter(self) -> QueueFilter:
        """Return what is chosen, without the text of the search field."""
        return self._filter

    def choose(self, wanted: QueueFilter) -> None:
        """Choose other values and say so."""
        self._filter = replace(wanted, text="")
        self._show()
        self.changed.emit(self._filter)

    def toggle_mine(self) -> None:
        """Show the candidates whose turn is mine, or everybody's again."""
        self.choose(replace(self._filter, holders=() if self._filter.holders == ("me",) else ("me",)))

    def set_facets(self, facets: Facets) -> None:
        """Take how many subjects each value has; what is chosen stays."""
        self._facets = facets
        if self.choice.isVisible():
            self.choice.set_choices(tuple(self._choices()))

    def set_saved(self, saved: Mapping[str, QueueFilter]) -> None:
        """Show other saved filters."""
        self._saved = saved
        self._menu.clear()
        for name in saved:
            self._menu.addAction(name.replace("&", "&&")).triggered.connect(partial(self._choose_saved, name))
        if saved:
            self._menu.addSeparator()
        self._menu.addAction(tr("Keep this filter…")).triggered.connect(self._save)
        if saved:
            forget = self._menu.addMenu(tr("Forget"))
            for name in saved:
                forget.addAction(name.replace("&", "&&")).triggered.connect(partial(self._delete, name))
        self._show_saved()

    def open_choice(self, _checked: bool = False) -> None:
        """Offer the values to filter by, below the button."""
        self.choice.open_below(self.add.mapToGlobal(QPoint(0, self.add.height() + 2)), tuple(self._choices()))

    def show_everything(self, _checked: bool = False) -> None:
        """Let everything through again, and empty the search field; the order stays."""
        self.text_chosen.emit("")
        self.choose(QueueFilter())

    # -- choices --------------------------------------------------------------------------------------------------

    def _choices(self) -> Iterator[Choice]:
        """Yield the values there are, dimension by dimension; a dimension without any is left out."""
        more = "+" if self._facets is not None and self._facets.capped else ""
        counts = self._facets.counts if self._facets is not None else {}
        for name, (field, title) in _FIELDS.items():
            chosen: tuple[str, ...] = getattr(self._filter, field)
            known = dict(counts.get(name, ()))
            known.update((value, 0) for value in chosen if value not in known)
            for value, count in known.items():
                yield Choice(
                    field=field,
                    value=value,
                    title=translate_word(title),
                    word=translate_word(value),
                    count=f"{count:,}{more}",
                    chosen=value in chosen,
                )
        for value, word in _TURNS.items():
            yield Choice(
                field="holders",
                value=value,
                title=translate_word(_TURN),
                word=translate_word(word),
                chosen=value in self._filter.holders,
            )

    def _toggle(self, choice: Choice) -> None:
        values: tuple[str, ...] = getattr(self._filter, choice.field)
        left = tuple(value for value in values if value != choice.value)
        wanted = (
            left
            if choice.value in values
            else (choice.value,)
            if choice.field == "holders"
            else (*values, choice.value)
        )
        self.choose(_with(self._filter, choice.field, wanted))
        self.choice.set_choices(tuple(self._choices()))

    def _without(self, field: str, value: str, _checked: bool = False) -> None:
        """Take a chip away; the focus goes to the button beside it, and not out of the bar."""
        values: tuple[str, ...] = getattr(self._filter, field)
        self.add.setFocus()
        self.choose(_with(self._filter, field, tuple(kept for kept in values if kept != value)))

    def _sort_by(self, name: str, _checked: bool = False) -> None:
        self.choose(replace(self._filter, sort=name))

    # -- what is shown --------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Make the chips anew: there are few, and their order is that of the dimensions."""
        for old in self._chips:
            self._flow.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._chips = [self._value_chip(*chosen) for chosen in self._chosen_values()]
        if self._chips:
            clear = _chip(tr("Show everything"), "")
            clear.setProperty("role", "flat")
            clear.clicked.connect(self.show_everything)
            self._chips.append(clear)
        for made in self._chips:
            self._flow.addWidget(made)
        name = self._filter.sort
        self.sort.setText(f"{_order_name(name)} ▾")
        self.sort.setAccessibleName(tr("Order: {name}", name=_order_name(name)))
        for action in self._orders.actions():
            action.setChecked(action.data() == name)
        self._show_saved()
        self._flow.invalidate()
        self.updateGeometry()

    def _show_saved(self) -> None:
        """Offer the saved filters where there are any, or something to save."""
        self.saved.setVisible(bool(self._saved) or any(True for _ in self._chosen_values()))

    def _chosen_values(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield field, value, the name of the dimension and the word of each value chosen."""
        for field, title in _FIELDS.values():
            for value in getattr(self._filter, field):
                yield field, value, translate_word(title), translate_word(value)
        for value in self._filter.missing:
            yield "missing", value, translate_word(_MISSING), translate_word(value)
        for value in self._filter.holders:
            yield "holders", value, translate_word(_TURN), translate_word(_TURNS.get(value, value))

    def _value_chip(self, field: str, value: str, title: str, word: str) -> QPushButton:
        shown = f"{title}: {word}" if field in {"missing", "holders"} else word
        made = _chip(
            f"{shorten_end(shown, _CHIP_LETTERS)}  ✕", tr("{name}: {value}. Press to remove", name=title, value=word)
        )
        made.setProperty("role", "chosen-chip")
        made.clicked.connect(partial(self._without, field, value))
        return made

    # -- saved filters --------------------------------------------------------------------------------------------

    def _choose_saved(self, name: str, _checked: bool = False) -> None:
        self.text_chosen.emit(self._saved[name].text)
        self.choose(self._saved[name])

    def _save(self, _checked: bool = False) -> None:
        name, agreed = QInputDialog.getText(self, tr("Keep this filter"), tr("Name"))
        if agreed and name.strip():
            self.save_requested.emit(name.strip())

    def _delete(self, name: str, _checked: bool = False) -> None:
        self.delete_requested.emit(name)


class _ChipButton(QPushButton):
    """A small rounded button, as high as its letters ask for."""

    def sizeHint(self) -> QSize:
        """Leave room for the word alone: the arrow of a menu is part of it."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 22, metrics.height() + 10)

    def minimumSizeHint(self) -> QSize:
        """Let no chip be cut."""
        return self.sizeHint()


def _with(wanted: QueueFilter, field: str, values: tuple[str, ...]) -> QueueFilter:
    changed: dict[str, Any] = {field: values}
    return replace(wanted, **changed)


def _chip(text: str, name: str) -> QPushButton:
    made = _ChipButton(text.replace("&", "&&"))
    made.setProperty("role", "chip")
    made.setAccessibleName(name or text)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return made


def _order_name(name: str) -> str:
    return tr("By {name}", name=translate_word(name)) if name else tr("As imported")
