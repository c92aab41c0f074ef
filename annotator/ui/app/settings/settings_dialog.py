"""The settings dialog, built from the table in `annotator.base.settings`, and the editor of the keys."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QTabWidget,
    QWidget,
)

from annotator.base.settings import SETTINGS, Setting, Settings
from annotator.ui.app.action_registry import (
    ActionRegistry,
    Keys,
    changed_keys,
    find_key_owner,
    key_problem,
    key_text,
    normalise_key,
)
from annotator.ui.app.actions import ACTIONS, ActionSpec
from annotator.ui.app.translation import mark_words, tr, translate_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import choice_box, number_box, search_line
from annotator.ui.widgets.labels import OptionalLabel, button, join_list, label
from annotator.ui.widgets.layouts import fill_column, fill_row, make_column, make_row, make_scroll
from annotator.ui.widgets.table import Cell, DataTable

DEFAULTS = {spec.id: spec.shortcuts for spec in ACTIONS}


class KeysEditor(QWidget):
    """The table of keys, and a row that changes those of the selected action."""

    shortcuts_chosen = Signal(object)
    """The keys to save: a mapping with all actions whose keys differ from the defaults."""

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
        self.set_key_button = button(tr("Set"), primary=True, clicked=self.apply)
        self.reassign_button = button(tr("Reassign key"), clicked=self.reassign)
        self.no_key_button = button(tr("No key"), clicked=self.clear_keys)
        self.reset_button = button(tr("Reset"), clicked=self.reset_keys)
        self.reset_all_button = button(tr("Reset all keys"), clicked=self.reset_every_key)
        self.problem = OptionalLabel("problem")
        key_buttons = (self.set_key_button, self.reassign_button, self.no_key_button, self.reset_button)
        row = make_row((self.field, 1), *key_buttons, None, self.reset_all_button)
        note = label(tr("Single-character keys work only while no text field has the focus."), "dim", wrap=True)
        fill_column(self, (self.table, 1), note, self.about, row, self.problem, margin=(0, 8, 0, 8))
        self.field.keySequenceChanged.connect(self._check)
        actions.keys_changed.connect(self._fill)
        self._fill()

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
            tr("{title}: {help}. Keys: {keys}.", title=_title(spec), help=translate_word(spec.help), keys=keys_text)
        )
        self.field.setKeySequence(QKeySequence(keys[0]) if keys else QKeySequence())
        self.no_key_button.setEnabled(bool(keys))
        self.reset_button.setEnabled(tuple(map(normalise_key, keys)) != tuple(map(normalise_key, DEFAULTS[action_id])))
        self._check()

    def apply(self) -> None:
        """Assign the keys in the field to the action, unless they are invalid or taken."""
        key = self._typed_key()
        if self.set_key_button.isEnabled():
            self._emit_changes({self._current: (key,)})

    def reassign(self) -> None:
        """Assign the keys in the field to the action, and remove them from the action that has them."""
        key = self._typed_key()
        other = self._find_owner(key)
        if other and not key_problem(key):
            remaining = tuple(
                other_key for other_key in self._actions.shortcuts(other) if normalise_key(other_key) != key
            )
            self._emit_changes({self._current: (key,), other: remaining})

    def clear_keys(self) -> None:
        """Remove all keys of the action."""
        self._emit_changes({self._current: ()})

    def reset_keys(self) -> None:
        """Reset the action's keys to the defaults; if another action has one of them, show that instead."""
        keys = DEFAULTS[self._current]
        for key in keys:
            other = self._find_owner(key)
            if other:
                self.problem.setText(
                    tr(
                        "{key} is now the key for {title}. Reset that one first.",
                        key=key_text(key),
                        title=_title(self._actions.spec(other)),
                    )
                )
                return
        self._emit_changes({self._current: keys})

    def reset_every_key(self) -> None:
        """Reset the keys of all actions to the defaults."""
        self.shortcuts_chosen.emit({})

    def _typed_key(self) -> str:
        return normalise_key(self.field.keySequence().toString(QKeySequence.SequenceFormat.PortableText))

    def _check(self) -> None:
        """Show why the keys in the field cannot be assigned, such as another action that has them."""
        key = self._typed_key()
        current_keys = tuple(map(normalise_key, self._actions.shortcuts(self._current)))
        message, other = "", ""
        if key and key not in current_keys:
            message = key_problem(key)
            other = "" if message else self._find_owner(key)
            if other:
                message = tr(
                    "{key} is already the key for {title}.", key=key_text(key), title=_title(self._actions.spec(other))
                )
        self.problem.setText(message)
        self.reassign_button.setVisible(bool(other))
        self.set_key_button.setEnabled(bool(key) and not message and (key,) != current_keys)

    def _find_owner(self, key: str) -> str:
        """Return the id of another action that has the key and can act on the same page, or an empty text."""
        current = self._actions.spec(self._current)
        keys = {spec.id: self._actions.shortcuts(spec.id) for spec in ACTIONS if spec.shares_page_with(current)}
        return find_key_owner(keys, key, self._current)

    def _current_keys(self) -> dict[str, tuple[str, ...]]:
        return {spec.id: self._actions.shortcuts(spec.id) for spec in ACTIONS}

    def _emit_changes(self, changes: Keys) -> None:
        self.shortcuts_chosen.emit(changed_keys(DEFAULTS, {**self._current_keys(), **changes}))

    def _fill(self) -> None:
        # Those without keys come last, because this is also the list of keys.
        specs = sorted(filter(self._matches_search, ACTIONS), key=lambda spec: not self._actions.shortcuts(spec.id))
        rows = []
        for spec in specs:
            keys = self._actions.shortcuts(spec.id)
            is_changed = tuple(map(normalise_key, keys)) != tuple(map(normalise_key, DEFAULTS[spec.id]))
            where = join_list(map(translate_word, spec.pages)) or tr("Everywhere")
            keys_text = tr("  or  ").join(map(key_text, keys))
            rows.append((Cell(_title(spec)), Cell(where), Cell(keys_text), Cell(tr("changed") if is_changed else "")))
        current = self._current
        self.table.set_rows(mark_words("action", "page", "keys", ""), rows, [spec.id for spec in specs], stretch=0)
        index_of_current = next((index for index, spec in enumerate(specs) if spec.id == current), 0)
        if specs:
            self.table.select(index_of_current)
            self.choose(specs[index_of_current].id)

    def _matches_search(self, spec: ActionSpec) -> bool:
        keys_text = " ".join(map(key_text, self._actions.shortcuts(spec.id)))
        texts = (spec.text, translate_word(spec.text), spec.help, translate_word(spec.help), *spec.pages, keys_text)
        text = " ".join(texts).lower()
        return all(word in text for word in self._words)


def _title(spec: ActionSpec) -> str:
    name = translate_word(spec.text).removesuffix("…")
    return tr("Go to {name}", name=name) if spec.id.startswith("go.") else name


_CONTROL_WIDTH = 220


class SettingRow(QWidget):
    """One setting: its name, help, control, and a reset button."""

    changed = Signal(object)
    """The chosen value, always of the setting's type."""
    reset_requested = Signal()

    def __init__(self, setting: Setting) -> None:
        """Create the control for the setting's type."""
        super().__init__()
        self.setting = setting
        self.setObjectName(f"setting-{setting.key}")
        self.control = self._control()
        self.control.setAccessibleName(translate_word(setting.name))
        self.control.setAccessibleDescription(translate_word(setting.help))
        if not isinstance(self.control, QCheckBox):
            self.control.setFixedWidth(_CONTROL_WIDTH)
        self.reset_button: QPushButton = button(tr("Reset"))
        self.reset_button.setProperty("role", "flat")
        self.reset_button.setAccessibleName(tr("Reset {name}", name=translate_word(setting.name).lower()))
        self.reset_button.clicked.connect(self.reset_requested)
        self.problem = OptionalLabel("problem")
        self.problem.setText("")
        name = label(translate_word(setting.name))
        about = label(translate_word(setting.help), "dim", wrap=True)
        text_column = make_column(name, about, self.problem, spacing=2)
        top = Qt.AlignmentFlag.AlignTop
        parts = ((text_column, 1), (self.reset_button, top), (self.control, top))
        fill_row(self, *parts, spacing=12, margin=(0, 4, 0, 4))

    def _control(self) -> QCheckBox | QComboBox | QSpinBox | QLineEdit:
        setting = self.setting
        if isinstance(setting.default, bool):
            box = QCheckBox(tr("Yes"))
            box.toggled.connect(self._take)
            return box
        if setting.choices:
            choice = choice_box("", ((translate_word(setting.choice_name(word)), word) for word in setting.choices))
            choice.activated.connect(partial(self._take_choice, choice))
            return choice
        if isinstance(setting.default, int):
            number = number_box(int(setting.low or 0), int(setting.high or 1_000_000))
            number.setSuffix(f" {translate_word(setting.unit)}" if setting.unit else "")
            number.setKeyboardTracking(False)
            number.valueChanged.connect(self._take)
            return number
        field = QLineEdit()
        field.editingFinished.connect(partial(self._take_text, field))
        return field

    def show_value(self, value: object) -> None:
        """Show a value without emitting `changed`; Reset is hidden for the default."""
        self.control.blockSignals(True)
        if isinstance(self.control, QCheckBox):
            self.control.setChecked(bool(value))
        elif isinstance(self.control, QComboBox):
            self.control.setCurrentIndex(self.control.findData(value))
        elif isinstance(self.control, QSpinBox):
            self.control.setValue(int(str(value)))
        else:
            self.control.setText(str(value))
        self.control.blockSignals(False)
        self.reset_button.setVisible(value != self.setting.default)
        self.say("")

    def say(self, problem: str) -> None:
        """Show a problem with the entered value below the setting, or clear it."""
        self.problem.setText(problem)

    def fits(self, words: list[str]) -> bool:
        """Return whether every word occurs in the setting's name, section, key or help."""
        texts = (self.setting.name, self.setting.section, self.setting.help)
        text = " ".join((self.setting.key, *texts, *map(translate_word, texts))).lower()
        return all(word in text for word in words)

    def _take_choice(self, choice: QComboBox, _index: int) -> None:
        self._take(choice.currentData())

    def _take_text(self, field: QLineEdit) -> None:
        self._take(field.text().strip())

    def _take(self, value: object) -> None:
        problem = self.setting.problem(value)
        self.say(problem)
        if not problem:
            self.changed.emit(value)


class SettingsDialog(Dialog):
    """All settings by section with a search, and the keys. Changes take effect at once without confirmation."""

    value_chosen = Signal(object)
    """(key, value): a setting was changed."""
    reset_chosen = Signal(object)
    """The key of a setting to be reset to its default."""

    def __init__(self, settings: Settings, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent, tr("Settings"), name="settings-dialog", size=(900, 680))
        self.search = search_line(tr("Search settings and keys"))
        self.search.setObjectName("settings-search")
        self.rows: dict[str, SettingRow] = {}
        self.cards: dict[str, Card] = {}
        self.nothing = label(tr("No setting matches. Look in Keys, or try fewer letters."), "dim")
        self.keys = KeysEditor(actions)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(tr("Settings and keys"))
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._sections(), tr("Settings"))
        self.tabs.addTab(self.keys, tr("Keys"))
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Close)
        self.lay_out(self.search, (self.tabs, 1), buttons)
        self.search.textChanged.connect(self._search)
        self.show_settings(settings)
        self._search("")

    def _sections(self) -> QWidget:
        content = QWidget()
        column = fill_column(content, spacing=12, margin=(0, 8, 0, 8))
        for setting in SETTINGS:
            if setting.section not in self.cards:
                self.cards[setting.section] = Card(translate_word(setting.section))
                column.addWidget(self.cards[setting.section])
            row = SettingRow(setting)
            row.changed.connect(partial(self._emit_value, setting.key))
            row.reset_requested.connect(partial(self.reset_chosen.emit, setting.key))
            self.rows[setting.key] = row
            self.cards[setting.section].body.addWidget(row)
        column.addWidget(self.nothing)
        column.addStretch(1)
        area = make_scroll(content)
        area.setAccessibleName(tr("Settings by section"))
        return area

    def show_settings(self, settings: Settings) -> None:
        """Show these values."""
        for key, row in self.rows.items():
            row.show_value(settings.get(key))

    def say(self, key: str, problem: str) -> None:
        """Show below a setting why it could not be saved."""
        self.rows[key].say(problem)

    def _emit_value(self, key: str, value: object) -> None:
        self.value_chosen.emit((key, value))

    def _search(self, text: str) -> None:
        words = text.lower().split()
        for row in self.rows.values():
            row.setVisible(row.fits(words))
        for section, card in self.cards.items():
            card.setVisible(any(row.fits(words) for row in self.rows.values() if row.setting.section == section))
        has_match = any(row.fits(words) for row in self.rows.values())
        self.nothing.setVisible(not has_match)
        self.keys.set_search(text)
        if words and has_match != bool(self.keys.table.row_count()):
            self.tabs.setCurrentIndex(0 if has_match else self.tabs.indexOf(self.keys))
