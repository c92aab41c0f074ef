"""Holds the settings; a change is saved first, then it takes effect everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.base.errors import KnownError
from annotator.base.settings import Settings
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.session.session_notices import WorkFailure, failure_of
from annotator.ui.app.theme.look import Theme
from annotator.ui.loading import LateModule

if TYPE_CHECKING:
    from annotator.ui.app.settings import settings_dialog
else:
    settings_dialog = LateModule("annotator.ui.app.settings.settings_dialog")


class SettingsActs(QObject):
    """Holds the current settings and applies changes."""

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        actions: ActionRegistry,
        settings: Settings,
        show_failure: Callable[[WorkFailure], object],
    ) -> None:
        """Apply the user's keys; ``show_failure`` shows a failure in the window."""
        super().__init__(window)
        self._window = window
        self._theme = theme
        self.actions = actions
        self._show_failure = show_failure
        self.settings = settings
        actions.set_shortcuts(settings.shortcuts)
        actions.keys_changed.connect(self._update_buttons)

    def save_value(self, key: str, value: str | int | float | bool) -> bool:
        """Save a value and return whether that succeeded; a failure is shown in the window."""
        return self._save_settings(partial(self.settings.with_value, key, value)) is None

    def open(self, *, show_keys: bool = False) -> None:
        """Show the dialog, with the settings or with the list of keys."""
        dialog = settings_dialog.SettingsDialog(self.settings, self.actions, self._window)
        if show_keys:
            dialog.tabs.setCurrentWidget(dialog.keys)
        dialog.value_chosen.connect(partial(self._apply_value, dialog))
        dialog.reset_chosen.connect(partial(self._reset, dialog))
        dialog.keys.shortcuts_chosen.connect(partial(self._save_keys, dialog))
        dialog.open_once()

    def _apply_value(
        self, dialog: settings_dialog.SettingsDialog, choice: tuple[str, str | int | float | bool]
    ) -> None:
        key, value = choice
        self._apply(dialog, key, partial(self.settings.with_value, key, value))

    def _reset(self, dialog: settings_dialog.SettingsDialog, key: str) -> None:
        self._apply(dialog, key, partial(self.settings.without, key))

    def _apply(self, dialog: settings_dialog.SettingsDialog, key: str, write: Callable[[], Settings]) -> None:
        error = self._save_settings(write)
        dialog.show_settings(self.settings)
        if error is not None:
            dialog.say(key, error.message)
            return
        self.apply(key)

    def apply(self, key: str) -> None:
        """Apply a change of the look or the text size; all other settings are read when they are needed."""
        if key == "look":
            mode = str(self.settings.get("look"))
            self._theme.set_mode(mode)
            self.actions.action(f"view.{mode}").setChecked(True)
        elif key == "text_scale":
            self._theme.set_scale(int(self.settings.get("text_scale")))

    def _save_keys(self, dialog: settings_dialog.SettingsDialog, changed: Mapping[str, tuple[str, ...]]) -> None:
        error = self._save_settings(partial(self.settings.with_shortcuts, changed))
        if error is not None:
            dialog.keys.problem.setText(error.message)
            return
        self.actions.set_shortcuts(self.settings.shortcuts)

    def _save_settings(self, write: Callable[[], Settings]) -> KnownError | None:
        try:
            self.settings = write()
        except KnownError as error:
            self._show_failure(failure_of(error))
            return error
        return None

    def _update_buttons(self, changed: Mapping[str, tuple[str, str]]) -> None:
        """Show new keys on existing buttons; those created later read them from the table."""
        ids_by_key = {old: action_id for action_id, (old, _) in changed.items() if old}
        for button in self._window.findChildren(QPushButton):
            action_id = str(button.property("action") or "") or ids_by_key.get(str(button.property("key") or ""), "")
            if action_id not in changed:
                continue
            old, new = changed[action_id]
            word = button.text().removesuffix(f"  {old}") if old else button.text()
            button.setText(f"{word}  {new}" if new else word)
            button.setProperty("key", new)
            # Remember the action: a button without a key could not be identified by its old key later.
            button.setProperty("action", action_id)
