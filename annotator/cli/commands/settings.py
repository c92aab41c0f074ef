"""The settings of the window and of this machine, from the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode
from annotator.cli.output import answer, table
from annotator.cli.parser import command, group

if TYPE_CHECKING:
    from annotator.base.settings import Settings
    from annotator.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add settings list, set and reset."""
    inner = group(commands, "settings", "see and change the settings of this machine")
    command(inner, "list", "list the settings", "annotator settings list", _list)
    parser = command(inner, "set", "change a setting", "annotator settings set text_scale 125", _set)
    parser.add_argument("key", metavar="KEY", help="annotator settings list names them")
    parser.add_argument("value", metavar="VALUE", help="the new value; yes or no for a switch")
    parser = command(inner, "reset", "put a setting back to its first value", "annotator settings reset look", _reset)
    parser.add_argument("key", metavar="KEY", help="annotator settings list names them")


def _settings() -> Settings:
    from annotator.base.paths import config_dir
    from annotator.base.settings import Settings

    return Settings.load(config_dir() / "settings.json")


def _list(options: argparse.Namespace) -> int:
    from annotator.base.settings import SETTINGS

    settings = _settings()
    found = [
        {"key": item.key, "value": settings.get(item.key), "default": item.default, "help": item.help}
        for item in SETTINGS
    ]
    rows = [(item.key, _shown(settings.get(item.key)), _shown(item.default), item.help) for item in SETTINGS]
    answer(options.json, {"settings": found}, table(("setting", "value", "at first", "what it does"), rows))
    return ExitCode.DONE


def _set(options: argparse.Namespace) -> int:
    from annotator.base.settings import spec

    value = spec(options.key).parse(options.value)
    _settings().with_value(options.key, value)
    answer(options.json, {"key": options.key, "value": value}, f"{options.key} is {_shown(value)} now.")
    return ExitCode.DONE


def _reset(options: argparse.Namespace) -> int:
    value = _settings().without(options.key).get(options.key)
    answer(options.json, {"key": options.key, "value": value}, f"{options.key} is {_shown(value)} again.")
    return ExitCode.DONE


def _shown(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
