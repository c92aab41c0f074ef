"""The whole command line in one tree; commands import their services only when called."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from annotator import __version__
from annotator.base.errors import UsageError

if TYPE_CHECKING:
    Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_ENDING = """exit status: 0 done, 2 usage, 3 bad input (nothing changed), 4 something is missing here,
5 interrupted (run it again to go on)"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; every command sets ``call``, a function of the options that returns the exit status."""
    from annotator.cli.commands import (
        app,
        bench,
        bugs,
        evaluating,
        history,
        judge,
        keeping,
        manual,
        mining,
        packet,
        project,
        queue,
        quotas,
        release,
        results,
        rewrites,
        sandbox,
        settings,
        suggest,
        tasks,
        team,
        work,
    )

    parser = argparse.ArgumentParser(
        prog="annotator",
        description="Turn mined candidates into a proven, released benchmark for code models, and read the results.",
        epilog=_ENDING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", "-V", action="version", version=f"annotator {__version__}")
    parser.set_defaults(call=app.start)
    commands: Commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for module in (
        app, project, history, keeping, mining, quotas, queue, work, rewrites, suggest, bugs, tasks, judge, team,
        packet, release, evaluating, results, sandbox, bench, settings, manual,
    ):  # fmt: skip
        module.add(commands)
    return parser


def command(
    commands: Commands,
    name: str,
    summary: str,
    example: str,
    call: Callable[[argparse.Namespace], int],
    *,
    json: bool = True,
) -> argparse.ArgumentParser:
    """Add a command with a summary, an example shown by ``--help``, and ``--json`` for machines."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  {example}\n\n{_ENDING}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if json:
        parser.add_argument("--json", action="store_true", help="answer with one JSON document")
    parser.set_defaults(call=call)
    return parser


def group(commands: Commands, name: str, summary: str) -> Commands:
    """Add a command that has commands of its own; called alone it shows its help."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=_ENDING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )

    def ask(_: argparse.Namespace) -> NoReturn:
        raise UsageError(f"{parser.prog} needs one of its commands; {parser.prog} --help lists them.")

    parser.set_defaults(call=ask)
    return parser.add_subparsers(title="commands", metavar="COMMAND")


def add_project(parser: argparse.ArgumentParser, *, option: bool = False) -> None:
    """Add the project argument, positional or as ``--project``, and ``--annotator``."""
    if option:
        parser.add_argument("--project", type=Path, required=True, metavar="P", help="the project file")
    else:
        parser.add_argument("project", type=Path, metavar="PROJECT", help="the project file")
    parser.add_argument("--annotator", metavar="NAME", help="work as this annotator of the project")
