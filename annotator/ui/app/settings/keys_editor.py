"""The editor of shortcuts: a table of actions, and a field to press new keys."""

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
    """The table of keys, and a row that changes those of the selected action."""

    shortcuts_chosen = Signal(object)
    """The keys to be saved: those of all actions that differ from the defaults."""

    def __init__(self, actions: ActionRegistry) -> None:
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
        self.take_over = button(tr("Reassign key"), clicked=self.apply_and_take)
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
        """Show only actions whose name, page, help or keys contain every word."""
        self._words = text.lower().split()
        self._fill()

    def choose(self, action_id: str) -> None:
        """Select an action for editing."""
        self._current = action_id
        spec = self._actions.spec(action_id)
        keys = self._actions.shortcuts(action_id)
        keys_text = tr(" or ").join(map(key_text, keys)) or tr("no key")
        self.about.setText(
            tr("{title}: {help}. Keys: {held}.", title=_title(spec), help=translate_word(spec.help), held=keys_text)
        )
        self.field.setKeySequence(QKeySequence(keys[0]) if keys else QKeySequence())
        self.none.setEnabled(bool(keys))
        self.reset.setEnabled(
            tuple(map(shortcuts.normalise_key, keys)) != tuple(map(shortcuts.normalise_key, DEFAULTS[action_id]))
        )
        self._check()

    def apply(self) -> None:
        """Assign the keys in the field to the action, unless they are invalid or taken."""
        key = self._typed()
        if self.set_key.isEnabled():
            self._keep({self._current: (key,)})

    def apply_and_take(self) -> None:
        """Assign the keys in the field to the action, removing them from the action that has them."""
        key = self._typed()
        other = self._taken_by(key)
        if other and not shortcuts.key_problem(key):
            remaining = tuple(k for k in self._actions.shortcuts(other) if shortcuts.normalise_key(k) != key)
            self._keep({self._current: (key,), other: remaining})

    def clear_keys(self) -> None:
        """Remove all keys of the action."""
        self._keep({self._current: ()})

    def reset_keys(self) -> None:
        """Reset the action's keys to the defaults, unless another action has one of them, which is then named."""
        keys = DEFAULTS[self._current]
        for key in keys:
            other = self._taken_by(key)
            if other:
                self.problem.setText(
                    tr(
                        "{key} is now the key for {title}. Reset that one first.",
                        key=key_text(key),
                        title=_title(self._actions.spec(other)),
                    )
                )
                return
        self._keep({self._current: keys})

    def reset_every_key(self) -> None:
        """Reset the keys of all actions to the defaults."""
        self.shortcuts_chosen.emit({})

    def _typed(self) -> str:
        return shortcuts.normalise_key(self.field.keySequence().toString(QKeySequence.SequenceFormat.PortableText))

    def _check(self) -> None:
        """Show the problem with the keys in the field, such as the action that has them."""
        key = self._typed()
        current_keys = tuple(map(shortcuts.normalise_key, self._actions.shortcuts(self._current)))
        message, other = "", ""
        if key and key not in current_keys:
            message = shortcuts.key_problem(key)
            other = "" if message else self._taken_by(key)
            if other:
                message = tr(
                    "{key} is already the key for {title}.", key=key_text(key), title=_title(self._actions.spec(other))
                )
        self.problem.setText(message)
        self.take_over.setVisible(bool(other))
        self.set_key.setEnabled(bool(key) and not message and (key,) != current_keys)

    def _taken_by(self, key: str) -> str:
        """Return the id of another action that has the key and can act on the same page, or an empty text."""
        current = self._actions.spec(self._current)
        keys = {spec.id: self._actions.shortcuts(spec.id) for spec in ACTIONS if spec.meets(current)}
        return shortcuts.find_key_owner(keys, key, self._current)

    def _in_force(self) -> dict[str, tuple[str, ...]]:
        return {spec.id: self._actions.shortcuts(spec.id) for spec in ACTIONS}

    def _keep(self, changes: shortcuts.Keys) -> None:
        self.shortcuts_chosen.emit(shortcuts.changed_keys(DEFAULTS, {**self._in_force(), **changes}))

    def _fill(self) -> None:
        specs = [spec for spec in ACTIONS if self._fits(spec)]
        rows = []
        for spec in specs:
            keys = self._actions.shortcuts(spec.id)
            is_changed = tuple(map(shortcuts.normalise_key, keys)) != tuple(
                map(shortcuts.normalise_key, DEFAULTS[spec.id])
            )
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
