"""Commands of later versions: named, explained, and honest about not being there."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from annotator.cli.parser import command, group, not_in_this_version

if TYPE_CHECKING:
    from annotator.cli.parser import Commands

_GROUPS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        "judge",
        "judge pairs blind",
        (
            ("export", "write pairs for a rater"),
            ("import", "read a rater's judgements"),
            ("agreement", "say how far raters agree"),
        ),
    ),
    (
        "packet",
        "share the work with a colleague as one file",
        (("export", "write a colleague's share"), ("import", "merge a colleague's work")),
    ),
)


def add(commands: Commands) -> None:
    """Add the commands that later versions will fill."""
    for name, summary, members in _GROUPS:
        inner = group(commands, name, f"{summary} (not in this version)")
        for member, what in members:
            add_later(inner, name, member, what)


def add_later(inner: Commands, name: str, member: str, what: str) -> None:
    """Add one command of a later version to a group."""
    parser = command(inner, member, f"{what} (not in this version)", f"annotator {name} {member}", _later)
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT")
    parser.set_defaults(what=f"annotator {name} {member}", any_arguments=True)


def _later(options: argparse.Namespace) -> int:
    not_in_this_version(options.what)
