"""The argument parser of the command line, built only as far as a command needs it."""

from __future__ import annotations

import argparse
from typing import NoReturn

from annotator import __version__
from annotator.base.errors import UsageError
from annotator.cli.command import EXIT_STATUS, ParameterVisitor, add_parser
from annotator.cli.registry import WORDS, load_commands


class CommandParser(argparse.ArgumentParser):
    """Reports a usage error as one sentence with a hint at ``--help``."""

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`."""
        end = "" if message.endswith(("?", ".")) else "."
        raise UsageError(f"{self.prog}: {message}{end} {self.prog} --help shows its usage.")


def build_parser(
    only_word: str | None = None, visit: ParameterVisitor | None = None, second: str = ""
) -> argparse.ArgumentParser:
    """Return the parser; every command sets ``call``, a function from the parsed options to the exit status.

    With a command's first word as ``only_word`` the parser knows only that command; with any other word, all commands
    by name and summary (for ``--help`` and unknown commands); with None, everything. If a word is both a command and
    a group, it is parsed as a group if ``second`` names one of its commands. ``visit`` is called with each parameter.
    """
    parser = CommandParser(
        prog="annotator",
        description="Turn mined candidates into a proven, released benchmark for code models, and read the results.",
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", "-V", action="version", version=f"annotator {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog=parser.prog)
    for word in (only_word,) if only_word in WORDS else WORDS:
        if only_word is not None and only_word != word:
            add_parser(commands.add_parser, word, WORDS[word].summary)
            continue
        loaded = load_commands(word, second)
        exact = next((item for item in loaded if item.name == word), None)
        if exact is not None and f"{word} {second}" not in {item.name for item in loaded}:
            exact.add_to(commands.add_parser, visit, [item for item in loaded if item is not exact])
            continue
        group = add_parser(commands.add_parser, word, WORDS[word].summary)
        group.set_defaults(call=_refuse_group, group=group.prog)
        inner = group.add_subparsers(title="commands", metavar="COMMAND")
        for item in loaded:
            if item is not exact:
                item.add_to(inner.add_parser, visit)
    return parser


def _refuse_group(options: argparse.Namespace) -> NoReturn:
    raise UsageError(f"{options.group} requires a command; {options.group} --help lists them.")
