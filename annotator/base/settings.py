"""The application's settings: their specifications, and their values in one small JSON file.

Window state is not a setting: the window keeps it in QSettings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError, MissingEnvironmentError


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The specification of a setting: key, default, permitted values (empty: any of the default's type) and help.

    ``low`` and ``high`` bound a number counted in ``unit``. ``section``, ``title`` and ``choice_names`` (one per
    permitted value) are display texts.
    """

    key: str
    default: str | int | float | bool
    help: str
    choices: tuple[str, ...] = ()
    section: str = "General"
    title: str = ""
    low: float | None = None
    high: float | None = None
    unit: str = ""
    choice_names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The display name."""
        return self.title or self.key.replace("_", " ").capitalize()

    def choice_name(self, value: str) -> str:
        """Return the display name of a permitted value."""
        if not self.choice_names:
            return value.capitalize()
        return dict(zip(self.choices, self.choice_names, strict=True)).get(value, value)

    def problem(self, value: object) -> str:
        """Return a sentence saying why a value is invalid, or an empty text if it is valid."""
        if type(value) is not type(self.default):
            expected_type = {str: "text", int: "a whole number", float: "a number", bool: "yes or no"}[
                type(self.default)
            ]
            return f"{self.name} must be {expected_type}."
        if self.choices and value not in self.choices:
            return f"{self.name} must be one of {', '.join(self.choices)}."
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            low, high = self.low, self.high
            if (low is not None and value < low) or (high is not None and value > high):
                allowed_range = (
                    f"from {low:g} to {high:g}" if low is not None and high is not None else f"at least {low or 0:g}"
                )
                return f"{self.name} must be {allowed_range} {self.unit}".rstrip() + "."
        return ""

    def parse(self, text: str) -> str | int | float | bool:
        """Parse a value as a user types it. Raises `BadInputError` if it is invalid; nothing is changed."""
        value: str | int | float | bool = text.strip()
        truth_values = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
        try:
            if isinstance(self.default, bool):
                value = truth_values.get(text.strip().lower(), text)
            elif isinstance(self.default, (int, float)):
                value = type(self.default)(text)
        except ValueError:
            value = text
        problem = self.problem(value)
        if problem:
            raise BadInputError(f"{problem} Nothing was changed.")
        return value


SETTINGS: tuple[Setting, ...] = (
    Setting(key="look", default="system", choices=("system", "light", "dark"),
        help="Light, dark, or the same as the system.", section="Appearance", title="Theme"),
    Setting(key="text_scale", default=100, help="Size of all text.", section="Appearance", title="Text size", low=50,
        high=200, unit="%"),
    Setting(key="language", default="system", choices=("system", "en", "zh_CN"),
        help="Language of the window, used from the next start. The manual is in English.", section="Appearance",
        choice_names=("Same as system", "English", "简体中文")),
    Setting(key="annotator", default="", help="Suggested in new projects.", title="Your name"),
    Setting(key="open_last", default=True, help="Start with the project that was open last.",
        title="Open the last project"),
    Setting(key="editor", default="",
        help="Command that opens an item, such as code --wait; {file} is replaced by the file, otherwise the file "
        "is appended. Empty: the system's program for text files."),
    Setting(key="backups", default=5, help="How many of the newest verified backups are always kept.",
        section="Safety", low=1, high=1000),
    Setting(key="backups_hourly", default=24,
        help="Number of hours with changes for which the last backup is kept.", section="Safety",
        title="Hourly backups", low=0, high=1000),
    Setting(key="backups_daily", default=14, help="Number of days with changes for which the last backup is kept.",
        section="Safety", title="Daily backups", low=0, high=1000),
    Setting(key="backups_weekly", default=12,
        help="Number of weeks with changes for which the last backup is kept.", section="Safety",
        title="Weekly backups", low=0, high=1000),
    Setting(key="backup_on_open", default=True,
        help="Make a backup when you open a project that has changed since its last backup.", section="Safety",
        title="Back up when a project is opened"),
    Setting(key="backup_acts", default=100, help="Make a backup after this many changes; 0: only by time.",
        section="Safety", title="Changes between backups", low=0, high=100_000),
    Setting(key="backup_minutes", default=30, help="Make a backup when the last one is older than this.",
        section="Safety", title="Time between backups", low=1, high=10_080, unit="minutes"),
)  # fmt: skip
SHORTCUTS = "shortcuts"
"""The key of the settings file that holds changed shortcuts by action id; the window defines the actions."""


def find_setting(key: str) -> Setting:
    """Return the specification of a setting. Raises `BadInputError` listing the known keys."""
    for setting in SETTINGS:
        if setting.key == key:
            return setting
    raise BadInputError(f"There is no setting {key}. Choose from: {', '.join(setting.key for setting in SETTINGS)}.")


@dataclass(frozen=True)
class Settings:
    """The current settings; unknown keys in the file are preserved when saving."""

    path: Path
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Settings:
        """Read the file; a missing one means all defaults. Raises `BadInputError` if it is not a JSON object."""
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            return cls(path, {})
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(f"The settings file {path.name} cannot be read ({error}).") from error
        try:
            values = json.loads(text)
        except ValueError as error:
            raise BadInputError(f"The settings file {path.name} is not valid JSON ({error}).") from error
        if not isinstance(values, dict):
            raise BadInputError(f"The settings file {path.name} must contain one JSON object.")
        return cls(path, values)

    def get(self, key: str) -> Any:
        """Return the value of a known setting, or its default if the stored value is invalid."""
        setting = find_setting(key)
        value = self.values.get(key, setting.default)
        return setting.default if setting.problem(value) else value

    @property
    def shortcuts(self) -> Mapping[str, tuple[str, ...]]:
        """The changed shortcuts by action id; an empty tuple removes all keys. Malformed entries are ignored."""
        stored = self.values.get(SHORTCUTS)
        if not isinstance(stored, dict):
            return {}
        return {
            action: tuple(keys)
            for action, keys in stored.items()
            if isinstance(keys, list) and all(isinstance(key, str) for key in keys)
        }

    def with_value(self, key: str, value: str | int | float | bool) -> Settings:
        """Return the settings with one value changed, written to disk by an atomic replace.

        Raises `BadInputError` for an invalid value; nothing is changed then.
        """
        problem = find_setting(key).problem(value)
        if problem:
            raise BadInputError(f"{problem} Nothing was changed.")
        return self._write({**self._read_stored(), key: value})

    def without(self, key: str) -> Settings:
        """Return the settings with one value reset to its default, written to disk."""
        find_setting(key)
        return self._write({name: value for name, value in self._read_stored().items() if name != key})

    def with_shortcuts(self, shortcuts: Mapping[str, tuple[str, ...]]) -> Settings:
        """Return the settings with exactly these shortcuts changed, by action id, written to disk."""
        other_values = {name: value for name, value in self._read_stored().items() if name != SHORTCUTS}
        if not shortcuts:
            return self._write(other_values)
        keys_by_action = {action: list(keys) for action, keys in sorted(shortcuts.items())}
        return self._write({**other_values, SHORTCUTS: keys_by_action})

    def _read_stored(self) -> Mapping[str, Any]:
        """Return the values now on disk: a command may have changed them since they were read."""
        try:
            return Settings.load(self.path).values if self.path.exists() else self.values
        except BadInputError:
            return self.values

    def _write(self, values: Mapping[str, Any]) -> Settings:
        temporary = self.path.with_suffix(".tmp")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(dict(values), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            temporary.replace(self.path)
        except OSError as error:
            raise MissingEnvironmentError(f"The settings could not be saved ({error.strerror}).") from error
        return Settings(self.path, values)
