"""Settings are data: one tuple of specifications, read from one small JSON file.

Window state is not a setting: the window keeps it in QSettings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError, MissingEnvironmentError


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key, default, permitted values (empty: any of the default's type) and what it does."""

    key: str
    default: str | int | float | bool
    choices: tuple[str, ...]
    help: str


SETTINGS: tuple[Setting, ...] = (
    Setting("look", "system", ("system", "light", "dark"), "Light, dark, or as the system has it."),
    Setting("text_scale", 100, (), "Size of all text in percent."),
    Setting("annotator", "", (), "Your name, used when a new project asks for it."),
    Setting("backups", 5, (), "How many of the newest verified backups are kept beside a project in any case."),
    Setting("backups_hourly", 24, (), "For how many hours with work the last backup of the hour is kept."),
    Setting("backups_daily", 14, (), "For how many days with work the last backup of the day is kept."),
    Setting("backups_weekly", 12, (), "For how many weeks with work the last backup of the week is kept."),
    Setting("backup_on_open", True, (), "A backup is made when a project with newer work than its last one is opened."),
    Setting("backup_acts", 100, (), "A backup is made after this many acts; 0 leaves it to the time."),
    Setting("backup_minutes", 30, (), "A backup is made when the last one is older than this many minutes."),
)


@dataclass(frozen=True)
class Settings:
    """The settings in force; unknown keys in the file are kept and handed back when saving."""

    path: Path
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Settings:
        """Read the file; a missing one means all defaults. Raises `BadInputError` if it is not a JSON object."""
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return cls(path, {})
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(f"The settings file {path.name} cannot be read ({error}).") from error
        try:
            values = json.loads(text)
        except ValueError as error:
            raise BadInputError(f"The settings file {path.name} is not valid JSON ({error}).") from error
        if not isinstance(values, dict):
            raise BadInputError(f"The settings file {path.name} must hold one JSON object.")
        return cls(path, values)

    def get(self, key: str) -> Any:
        """Return the value of a known setting, or its default if the stored one does not fit."""
        spec = next(item for item in SETTINGS if item.key == key)
        value = self.values.get(key, spec.default)
        fits = type(value) is type(spec.default) and (not spec.choices or value in spec.choices)
        return value if fits else spec.default

    def with_value(self, key: str, value: str | int | float | bool) -> Settings:
        """Return the settings with one value changed, written to disk by an atomic replace."""
        changed = {**self.values, key: value}
        temporary = self.path.with_suffix(".tmp")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(changed, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            temporary.replace(self.path)
        except OSError as error:
            raise MissingEnvironmentError(f"The settings could not be saved ({error.strerror}).") from error
        return Settings(self.path, changed)
