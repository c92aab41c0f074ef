"""The settings of the window and of this machine, from the terminal."""

from typing import Annotated

from annotator.base.paths import config_dir
from annotator.base.settings import SETTINGS, Settings, find_setting
from annotator.cli.command import Argument, command
from annotator.cli.output import CommandAnswer, answer_list, value_text

_Key = Annotated[str, Argument("KEY", "annotator settings list names them", [item.key for item in SETTINGS])]


@command("settings list", "annotator settings list")
def list_settings() -> CommandAnswer:
    """List the settings."""
    settings = _load()
    records = [
        {"key": item.key, "value": settings.get(item.key), "default": item.default, "help": item.help}
        for item in SETTINGS
    ]
    rows = [tuple(map(value_text, item.values())) for item in records]
    return answer_list("settings", records, ("setting", "value", "default", "meaning"), rows)


@command("settings set", "annotator settings set text_scale 125")
def change_setting(
    *, key: _Key, value: Annotated[str, Argument("VALUE", "new value; yes or no for a switch")]
) -> CommandAnswer:
    """Change a setting."""
    parsed = find_setting(key).parse(value)
    _load().with_value(key, parsed)
    return CommandAnswer({"key": key, "value": parsed}, f"{key} is now {value_text(parsed)}.")


@command("settings reset", "annotator settings reset look")
def reset_setting(*, key: _Key) -> CommandAnswer:
    """Reset a setting to its default."""
    value = _load().without(key).get(key)
    return CommandAnswer({"key": key, "value": value}, f"{key} is reset to {value_text(value)}.")


def _load() -> Settings:
    return Settings.load(config_dir() / "settings.json")
