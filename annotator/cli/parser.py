"""The whole command line in one tree; commands import their services only when called."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from annotator import __version__
from annotator.base.addresses import Place, place
from annotator.base.errors import BadInputError, UsageError

if TYPE_CHECKING:
    Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_PROJECT = "the project file, or the address of a project (postgresql+psycopg://user@host/database)"
_ENDING = """exit status: 0 done, 2 usage, 3 bad input (nothing changed), 4 something is missing here,
5 interrupted (run it again to go on)"""


_OWNERS = {
    "open": "app", "demo": "app", "doctor": "app", "new": "project", "formats": "project", "import": "project",
    "status": "project", "undo": "project", "redo": "project", "backup": "project", "check": "project",
    "history": "history", "backups": "keeping", "recover": "keeping", "mine": "mining", "quotas": "quotas",
    "queue": "queue", "list": "work", "show": "work", "select": "work", "label": "work", "prompt": "work",
    "criterion": "work", "rewrite": "rewrites", "suggest": "suggest", "bugs": "bugs", "tasks": "tasks",
    "judge": "judge", "team": "team", "packet": "packet", "project": "sharing", "lease": "sharing",
    "release": "release", "run": "evaluating", "results": "results", "sandbox": "sandbox", "bench": "bench",
    "settings": "settings", "manual": "manual",
}  # fmt: skip
"""Which module adds a command. One that is missing here is found all the same, but after all modules are loaded."""


def build_parser(named: str = "") -> argparse.ArgumentParser:
    """Return the parser; every command sets ``call``, a function of the options that returns the exit status.

    With the name of a command the tree holds what that command needs and perhaps no other; of any other word, all.
    """
    from annotator.cli.commands import app

    parser = argparse.ArgumentParser(
        prog="annotator",
        description="Turn mined candidates into a proven, released benchmark for code models, and read the results.",
        epilog=_ENDING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", "-V", action="version", version=f"annotator {__version__}")
    parser.set_defaults(call=app.start)
    commands: Commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog=parser.prog)
    for module in _modules(named):
        module.add(commands)
    return parser


def _modules(named: str) -> Sequence[Any]:
    """Return the modules that add commands: the one of a command named, else all, in the order of the help."""
    if named in _OWNERS:
        return (importlib.import_module(f"annotator.cli.commands.{_OWNERS[named]}"),)
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
        sharing,
        suggest,
        tasks,
        team,
        work,
    )

    return (
        app, project, history, keeping, mining, quotas, queue, work, rewrites, suggest, bugs, tasks, judge, team,
        packet, sharing, release, evaluating, results, sandbox, bench, settings, manual,
    )  # fmt: skip


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


def project_place(text: str) -> Place:
    """Return the file or server that an argument means; what is wrong with an address is a matter of usage."""
    try:
        return place(text)
    except BadInputError as error:
        raise argparse.ArgumentTypeError(error.message) from error


def add_project(parser: argparse.ArgumentParser, *, option: bool = False) -> None:
    """Add the project argument, positional or as ``--project``, and ``--annotator``."""
    if option:
        parser.add_argument("--project", type=project_place, required=True, metavar="P", help=_PROJECT)
    else:
        parser.add_argument("project", type=project_place, metavar="PROJECT", help=_PROJECT)
    parser.add_argument("--annotator", metavar="NAME", help="work as this annotator of the project")
