"""Completion of commands, options and files in a shell."""

import argparse
import sys
from typing import Annotated

import shtab

from annotator.cli.command import Argument, CommandParameter, command
from annotator.cli.parser import build_parser

_SHELLS = ("bash", "zsh", "fish")
_FOLDERS = ("DIR", "FOLDER")
_FILES = ("DUMP", "FILE", "PACKET", "PATH", "PROJECT", "SOURCE")


@command("completion", 'eval "$(annotator completion bash)"', json=False)
def print_completion(*, shell: Annotated[str, Argument(help="your shell", choices=_SHELLS)]) -> int:
    """Print a script that lets a shell complete commands, options and files."""
    sys.stdout.write(f"{shtab.complete(build_parser(visit=_offer), shell)}\n")
    return 0


def _offer(parameter: CommandParameter, action: argparse.Action) -> None:
    """Set the completions of a parameter: its choices, files or folders."""
    if parameter.declared.choices is not None:
        action.choices = parameter.declared.choices
    elif parameter.metavar in (*_FILES, *_FOLDERS):
        offered = shtab.DIRECTORY if parameter.metavar in _FOLDERS else shtab.FILE
        action.complete = offered  # type: ignore[attr-defined]  # an attribute that shtab reads
