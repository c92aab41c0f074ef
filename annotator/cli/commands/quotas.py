"""How many subjects of which kind a project wants, and how many it has."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode, UsageError
from annotator.cli.commands.work import read_text
from annotator.cli.output import answer, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.mining.quotas import Quota
    from annotator.store.project_file import ProjectFile


def add(commands: Commands) -> None:
    """Add quotas show and quotas set."""
    inner = group(commands, "quotas", "say how many subjects of which kind are wanted")
    parser = command(
        inner, "show", "show how far the quotas are filled", "annotator quotas show p.annotator --json", _show
    )
    add_project(parser)
    parser = command(
        inner,
        "set",
        "set the quotas of a project",
        "annotator quotas set p.annotator --quota language=python,difficulty=hard:20 --quota language=go:10",
        _set,
    )
    add_project(parser)
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument(
        "--quota",
        action="append",
        metavar="K=V,K=V:N",
        help="N subjects with these values of area, language, task, domain, difficulty; repeat it",
    )
    chosen.add_argument("--file", type=Path, metavar="F.json", help="a list of objects with wanted and the values")
    chosen.add_argument("--none", action="store_true", help="want nothing in particular")


def parse_quota(text: str) -> dict[str, object]:
    """Return "language=python,difficulty=hard:20" as an object. Raises `UsageError` for anything else."""
    conditions, _, number = text.rpartition(":")
    if not number.strip().isdecimal():
        raise UsageError(f"{text} does not end with a colon and how many are wanted, such as language=python:20.")
    row: dict[str, object] = {"wanted": int(number)}
    for part in filter(None, conditions.split(",")):
        name, sign, value = part.partition("=")
        if not sign or name.strip() in row:
            raise UsageError(f"{text}: each condition is one name=value, such as language=python.")
        row[name.strip()] = value.strip()
    return row


def _set(options: argparse.Namespace) -> int:
    from annotator.mining.quotas import parse_quotas
    from annotator.services import projects, quotas

    if options.file:
        try:
            rows = json.loads(read_text(options.file))
        except (ValueError, RecursionError) as error:
            raise BadInputError(f"{options.file.name} is not valid JSON ({error}). Nothing was changed.") from error
    else:
        rows = [parse_quota(text) for text in options.quota or ()]
    found: tuple[Quota, ...] = parse_quotas(rows)
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        quotas.keep(store, found)
        return _tell(store, options)
    finally:
        store.close()


def _show(options: argparse.Namespace) -> int:
    from annotator.services import projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        return _tell(store, options)
    finally:
        store.close()


def _tell(store: ProjectFile, options: argparse.Namespace) -> int:
    from annotator.services import quotas

    rows = quotas.progress(store)
    lines = [
        (row.label, str(row.filled), str(row.wanted), str(max(0, row.wanted - row.filled)), str(row.open))
        for row in rows
    ]
    total = ("all", *(str(sum(int(line[place]) for line in lines)) for place in (1, 2, 3)), "")
    text = table(("quota", "filled", "wanted", "missing", "open"), [*lines, total], (1, 2, 3, 4))
    data = [{**dict(row.values), "wanted": row.wanted, "filled": row.filled, "open": row.open} for row in rows]
    answer(options.json, data, text if rows else "No quotas are set. annotator quotas set --help shows how.")
    return ExitCode.DONE
