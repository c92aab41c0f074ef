"""Every action with its keys; choose one, press other keys, and they are its own."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QKeySequenceEdit, QVBoxLayout, QWidget

from annotator.ui.app.action_registry import ActionRegistry, key_text
from annotator.ui.app.actions import ACTIONS, ActionSpec
from annotator.ui.app.settings import shortcuts
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.labels import button, join_list, label
from annotator.ui.widgets.layouts import arrange, make_row
from annotator.ui.widgets.table import Cell, DataTable

DEFAULTS = {spec.id: spec.shortcuts for spec in ACTIONS}


class KeysEditor(QWidget):
    """The table of keys and the row that changes the chosen action's."""

    shortcuts_chosen = Signal(object)
    """What is to be kept: the keys of every action whose keys are not the first ones."""

    def __init__(self, actions: ActionRegistry) -> None:
        """List the actions with the keys in force."""
        super().__init__()
        self.setAccessibleName(tr("Keys"))
        self._actions = actions
        self._words: list[str] = []
        self._current = ACTIONS[0].id
        self.table = DataTable(tr("Actions and their keys"), selected=self.choose)
        self.about = label("", "dim", wrap=True)
        self.field = QKeySequenceEdit()
        self.field.setObjectName("keys-field")
        self.field.setAccessibleName(tr("New keys"))
        self.field.setMaximumSequenceLength(1)
        self.field.setClearButtonEnabled(True)
        self.set_key = button(tr("Set"), primary=True, clicked=self.apply)
        self.take_over = button(tr("Take it over"), clicked=self.apply_and_take)
        self.none = button(tr("No key"), clicked=self.clear_keys)
        self.reset = button(tr("Reset"), clicked=self.reset_keys)
        self.reset_all = button(tr("Reset all keys"), clicked=self.reset_every_key)
        self.problem = label("", "problem", wrap=True)
        self._lay_out()
        self.field.keySequenceChanged.connect(self._check)
        actions.keys_changed.connect(self._fill)
        self._fill()

    def _lay_out(self) -> None:
        acts = (self.set_key, self.take_over, self.none, self.reset)
        row = make_row((self.field, 1), *acts, None, self.reset_all, spacing=8)
        arrange(QVBoxLayout(self), (self.table, 1), self.about, row, self.problem, margins=(0, 8, 0, 8))

    def set_search(self, text: str) -> None:
        """Show only actions in which every word is found: in name, page, explanation or key."""
        self._words = text.lower().split()
        self._fill()

    def choose(self, action_id: str) -> None:
        """Work on this action."""
        self._current = action_id
        spec = self._actions.spec(action_id)
        keys = self._actions.shortcuts(action_id)
        keys_text = tr(" or ").join(map(key_text, keys)) or tr("no key")
        self.about.setText(
            tr("{title}: {help}. It has {held}.", title=_title(spec), help=translate_word(spec.help), held=keys_text)
        )
        self.field.setKeySequence(QKeySequence(keys[0]) if keys else QKeySequence())
        self.none.setEnabled(bool(keys))
        self.reset.setEnabled(tuple(map(shortcuts.normal, keys)) != tuple(map(shortcuts.normal, DEFAULTS[action_id])))
        self._check()

    def apply(self) -> None:
        """Give the action the keys in the field, unless they cannot be used or are another's."""
        key = self._typed()
        if self.set_key.isEnabled():
            self._keep({self._current: (key,)})

    def apply_and_take(self) -> None:
        """Give the action the keys in the field, taking them away from the action that has them."""
        key = self._typed()
        other = self._taken_by(key)
        if other and not shortcuts.problem(key):
            remaining = tuple(k for k in self._actions.shortcuts(other) if shortcuts.normal(k) != key)
            self._keep({self._current: (key,), other: remaining})

    def clear_keys(self) -> None:
        """Take all keys of the action away."""
        self._keep({self._current: ()})

    def reset_keys(self) -> None:
        """Give the action its first keys back; those that another has now are named and left to it."""
        keys = DEFAULTS[self._current]
        for key in keys:
            other = self._taken_by(key)
            if other:
                self.problem.setText(
                    tr(
                        "{key} is the key of {title} now. Reset it.",
                        key=key_text(key),
                        title=_title(self._actions.spec(other)),
                    )
                )
                return
        self._keep({self._current: keys})

    def reset_every_key(self) -> None:
        """Give all actions their first keys back."""
        self.shortcuts_chosen.emit({})

    def _typed(self) -> str:
        return shortcuts.normal(self.field.keySequence().toString(QKeySequence.SequenceFormat.PortableText))

    def _check(self) -> None:
        """Say what is wrong with the keys in the field; whose they are, if they are another action's."""
        key = self._typed()
        current_keys = tuple(map(shortcuts.normal, self._actions.shortcuts(self._current)))
        message, other = "", ""
        if key and key not in current_keys:
            message = shortcuts.problem(key)
            other = "" if message else self._taken_by(key)
            if other:
                message = tr(
                    "{key} is the key of {title} already.", key=key_text(key), title=_title(self._actions.spec(other))
                )
        self.problem.setText(message)
        self.take_over.setVisible(bool(other))
        self.set_key.setEnabled(bool(key) and not message and (key,) != current_keys)

    def _taken_by(self, key: str) -> str:
        """Return the id of another action that has the key, of those that can act on the same page."""
        current = self._actions.spec(self._current)
        keys = {spec.id: self._actions.shortcuts(spec.id) for spec in ACTIONS if spec.meets(current)}
        return shortcuts.taken_by(keys, key, self._current)

    def _in_force(self) -> dict[str, tuple[str, ...]]:
        return {spec.id: self._actions.shortcuts(spec.id) for spec in ACTIONS}

    def _keep(self, changes: shortcuts.Keys) -> None:
        self.shortcuts_chosen.emit(shortcuts.differing(DEFAULTS, {**self._in_force(), **changes}))

    def _fill(self) -> None:
        specs = [spec for spec in ACTIONS if self._fits(spec)]
        rows = []
        for spec in specs:
            keys = self._actions.shortcuts(spec.id)
            is_changed = tuple(map(shortcuts.normal, keys)) != tuple(map(shortcuts.normal, DEFAULTS[spec.id]))
            where = join_list(map(translate_word, spec.pages)) or tr("Everywhere")
            keys_text = tr("  or  ").join(map(key_text, keys))
            rows.append((Cell(_title(spec)), Cell(where), Cell(keys_text), Cell(tr("changed") if is_changed else "")))
        current = self._current
        self.table.set_rows((tr("action"), tr("page"), tr("keys"), ""), rows, [spec.id for spec in specs], stretch=0)
        place = next((at for at, spec in enumerate(specs) if spec.id == current), 0)
        if specs:
            self.table.select(place)
            self.choose(specs[place].id)

    def _fits(self, spec: ActionSpec) -> bool:
        keys_text = " ".join(map(key_text, self._actions.shortcuts(spec.id)))
        texts = (spec.text, translate_word(spec.text), spec.help, translate_word(spec.help), *spec.pages, keys_text)
        text = " ".join(texts).lower()
        return all(word in text for word in self._words)


def _title(spec: ActionSpec) -> str:
    name = translate_word(spec.text).removesuffix("…")
    return tr("Go to {name}", name=name) if spec.id.startswith("go.") else name
