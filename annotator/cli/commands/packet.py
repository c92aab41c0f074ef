"""Work apart: write a colleague's share or one's own work as one file, and merge what comes back."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode
from annotator.base.paths import project_path
from annotator.cli.output import answer, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add packet export, import and open."""
    inner = group(commands, "packet", "share the work with a colleague as one file")
    export = command(
        inner, "export", "write a colleague's share, or everything here",
        "annotator packet export p.annotator --for Bo --out bo.packet --passphrase-env PHRASE", _export,
    )  # fmt: skip
    add_project(export)
    export.add_argument("--out", type=Path, required=True, metavar="FILE")
    export.add_argument("--for", dest="person", default="", metavar="NAME", help="blind: only what NAME needs")
    export.add_argument("--subject", action="append", default=[], metavar="ID", help="goes with the share; repeat it")
    export.add_argument("--runs", action="store_true", help="with releases, runs and responses")
    reading = command(
        inner, "import", "merge a packet or another project file",
        "annotator packet import p.annotator back.packet", _import,
    )  # fmt: skip
    add_project(reading)
    reading.add_argument("files", type=Path, nargs="+", metavar="FILE")
    reading.add_argument("--unrelated", action="store_true", help="merge even if it belongs to another project")
    opening = command(
        inner, "open", "make a project of a share you were sent",
        "annotator packet open bo.packet mine.annotator", _open,
    )  # fmt: skip
    opening.add_argument("file", type=Path, metavar="PACKET")
    opening.add_argument("project", type=Path, metavar="PROJECT", help="the file to make")
    for parser in (export, reading, opening):
        parser.add_argument(
            "--passphrase-env", metavar="VARIABLE", default="", help="the environment variable with the passphrase"
        )


def _passphrase(options: argparse.Namespace) -> str:
    """Return the passphrase; never an argument, which other people of the machine could read."""
    if not options.passphrase_env:
        return ""
    found = os.environ.get(options.passphrase_env, "")
    if not found:
        raise BadInputError(f"The environment variable {options.passphrase_env} is empty. Nothing was done.")
    return found


def _export(options: argparse.Namespace) -> int:
    from annotator.services import packets, projects

    phrase = _passphrase(options)
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        packet = packets.export_packet(
            store, options.out, person=options.person, subject_ids=options.subject, passphrase=phrase,
            run_data=options.runs,
        )  # fmt: skip
    finally:
        store.close()
    counts = {name: len(rows) for name, rows in packet.tables.items() if rows}
    data = {"file": str(options.out), "for": packet.for_name, "rows": counts, "sealed": bool(phrase)}
    text = f"{packet.rows} rows written to {options.out.name}"
    text += f" for {packet.for_name}." if packet.for_name else "."
    answer(options.json, data, text)
    return ExitCode.DONE


def _import(options: argparse.Namespace) -> int:
    from annotator.services import packets, projects

    phrase = _passphrase(options)
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        reports = [
            (path, packets.import_packet(store, path, passphrase=phrase, unrelated=options.unrelated))
            for path in options.files
        ]
    finally:
        store.close()
    rows = [(path.name, str(item.total), str(item.known), str(item.conflicts)) for path, item in reports]
    text = table(("file", "new rows", "known", "conflicts"), rows, (1, 2, 3))
    if any(item.conflicts for _, item in reports):
        text += "\nConflicts were kept side by side; the Consensus page shows them. Nothing was overwritten."
    data = [
        {"file": path.name, "added": item.added, "known": item.known, "conflicts": item.conflicts}
        for path, item in reports
    ]
    answer(options.json, {"merged": data}, text)
    return ExitCode.DONE


def _open(options: argparse.Namespace) -> int:
    from annotator.services import packets

    path = project_path(options.project)
    store = packets.open_packet(options.file, path, passphrase=_passphrase(options))
    name, person = store.project_name, store.annotator.name
    store.close()
    answer(
        options.json, {"project": str(path), "name": name, "annotator": person}, f"{path.name} is ready for {person}."
    )
    return ExitCode.DONE
