"""The settings dialog, built from the table in `annotator.base.settings`, and the keys of every action."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from annotator.base.settings import SETTINGS, Setting, Settings
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.settings.keys_editor import KeysEditor
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import choice_box, number_box, search_line
from annotator.ui.widgets.labels import button, label, set_label_text
from annotator.ui.widgets.layouts import arrange, fill_layout, make_column

_FIELD = 220


class SettingRow(QWidget):
    """One setting: its name, help, control, and a reset button."""

    changed = Signal(object)
    """The chosen value, always of the setting's type."""
    reset_asked = Signal()

    def __init__(self, setting: Setting) -> None:
        """Create the control for the setting's type."""
        super().__init__()
        self.setting = setting
        self.setObjectName(f"setting-{setting.key}")
        self.control = self._control()
        self.control.setAccessibleName(translate_word(setting.name))
        self.control.setAccessibleDescription(translate_word(setting.help))
        if not isinstance(self.control, QCheckBox):
            self.control.setFixedWidth(_FIELD)
        self.reset: QPushButton = button(tr("Reset"))
        self.reset.setProperty("role", "flat")
        self.reset.setAccessibleName(tr("Reset {name}", name=translate_word(setting.name).lower()))
        self.reset.clicked.connect(self.reset_asked)
        self.problem = label("", "problem", wrap=True)
        self.problem.hide()
        name, about = label(translate_word(setting.name)), label(translate_word(setting.help), "dim", wrap=True)
        words, top = fill_layout(QVBoxLayout(), name, about, self.problem, spacing=2), Qt.AlignmentFlag.AlignTop
        parts = ((words, 1), (self.reset, top), (self.control, top))
        arrange(QHBoxLayout(self), *parts, spacing=12, margins=(0, 4, 0, 4))

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
        self.reset.setVisible(value != self.setting.default)
        self.say("")

    def say(self, problem: str) -> None:
        """Show a problem with the entered value below the setting, or clear it."""
        set_label_text(self.problem, problem)

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
        super().__init__(parent)
        self.setObjectName("settings-dialog")
        self.setWindowTitle(tr("Settings"))
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
        make_column(self, self.search, (self.tabs, 1), buttons, spacing=12, margin=16)
        self.resize(900, 680)
        self.search.textChanged.connect(self._search)
        self.show_settings(settings)
        self._search("")

    def _sections(self) -> QWidget:
        content = QWidget()
        column = arrange(QVBoxLayout(content), spacing=12, margins=(0, 8, 0, 8))
        for setting in SETTINGS:
            if setting.section not in self.cards:
                self.cards[setting.section] = Card(translate_word(setting.section))
                column.addWidget(self.cards[setting.section])
            row = SettingRow(setting)
            row.changed.connect(partial(self._emit_value, setting.key))
            row.reset_asked.connect(partial(self.reset_chosen.emit, setting.key))
            self.rows[setting.key] = row
            self.cards[setting.section].body.addWidget(row)
        column.addWidget(self.nothing)
        column.addStretch(1)
        area = QScrollArea()
        area.setAccessibleName(tr("Settings by section"))
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(content)
        return area

    def show_settings(self, settings: Settings) -> None:
        """Show these values."""
        for key, row in self.rows.items():
            row.show_value(settings.get(key))

    def say(self, key: str, problem: str) -> None:
        """Show at a setting why it could not be saved."""
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
        if words and not has_match and self.keys.table.row_count():
            self.tabs.setCurrentWidget(self.keys)
        elif has_match and words:
            self.tabs.setCurrentIndex(0)
