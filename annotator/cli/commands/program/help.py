"""The program's settings, its manual, and shell completion."""

import argparse
import sys
from typing import Annotated

import shtab

from annotator.base.paths import config_dir
from annotator.base.settings import SETTINGS, Settings, find_setting
from annotator.cli.command import Argument, CommandParameter, Option, Texts, command
from annotator.cli.output import CommandAnswer, answer_list, value_text
from annotator.cli.parser import build_parser
from annotator.services.program import manual

_Key = Annotated[
    str, Argument("KEY", "name of the setting; annotator settings list shows them", [item.key for item in SETTINGS])
]


@command("settings list", "annotator settings list")
def list_settings() -> CommandAnswer:
    """List the settings."""
    settings = _load_settings()
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
    _load_settings().with_value(key, parsed)
    return CommandAnswer({"key": key, "value": parsed}, f"{key} is now {value_text(parsed)}.")


@command("settings reset", "annotator settings reset look")
def reset_setting(*, key: _Key) -> CommandAnswer:
    """Reset a setting to its default."""
    value = _load_settings().without(key).get(key)
    return CommandAnswer({"key": key, "value": value}, f"{key} is reset to {value_text(value)}.")


def _load_settings() -> Settings:
    return Settings.load(config_dir() / "settings.json")


@command("manual", "annotator manual withdraw an item")
def show_manual(
    *,
    topic: Annotated[Texts, Argument("TOPIC", "a page, or words to search for; default: list the pages")] = (),
    search: Annotated[str | None, Option("WORDS", "list the places with these words")] = None,
) -> CommandAnswer:
    """Read or search the manual."""
    pages = manual.load_manual()
    topic_text = " ".join(topic)
    name = topic_text.partition("#")[0].removesuffix(".md")
    hits = pages.search(search or topic_text) if search or name not in pages.topics else ()
    if search or hits:
        rows = [(hit.place, hit.title, hit.excerpt) for hit in hits]
        return answer_list("hits", hits, ("page", "section", "text"), rows, none="No match.")
    if topic_text:
        page = pages.topic(name)
        text = manual.format_for_terminal(page.text)
        return CommandAnswer({"topic": page.id, "title": page.title, "text": text}, text)
    topics = [{"topic": page.id, "title": page.title} for page in pages.topics.values()]
    return answer_list("topics", topics, ("page", "about"), [tuple(row.values()) for row in topics])


_SHELLS = ("bash", "zsh", "fish")
_FOLDER_METAVARS = ("DIR", "FOLDER")
_FILE_METAVARS = ("DUMP", "FILE", "PACKET", "PATH", "PROJECT", "SOURCE")


@command("completion", 'eval "$(annotator completion bash)"', json=False)
def print_completion(*, shell: Annotated[str, Argument(help="your shell", choices=_SHELLS)]) -> int:
    """Print a script that lets a shell complete commands, options and files."""
    sys.stdout.write(f"{shtab.complete(build_parser(visit=_set_completion), shell)}\n")
    return 0


def _set_completion(parameter: CommandParameter, action: argparse.Action) -> None:
    """Set the completions of a parameter: its choices, files or folders."""
    if parameter.declared.choices is not None:
        action.choices = parameter.declared.choices
    elif parameter.metavar in (*_FILE_METAVARS, *_FOLDER_METAVARS):
        completion = shtab.DIRECTORY if parameter.metavar in _FOLDER_METAVARS else shtab.FILE
        action.complete = completion  # type: ignore[attr-defined]  # an attribute that shtab reads
