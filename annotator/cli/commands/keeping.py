"""Backups of a project, and what can be saved of a damaged one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode, UsageError
from annotator.base.paths import project_path
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import command, group, project_place

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.model.history_rows import BackupRow


def add(commands: Commands) -> None:
    """Add the commands of backups, and recover."""
    backups = group(commands, "backups", "list, check and put back the backups of a project")
    _project(command(backups, "list", "list a project's backups", "annotator backups list p.annotator", _list))
    parser = command(
        backups, "verify", "check backups against their records", "annotator backups verify p.annotator", _verify
    )
    _project(parser)
    parser.add_argument("--backup", action="append", default=[], metavar="NAME", help="default: all of them")
    parser = command(
        backups, "restore", "put a backup in the project's place", "annotator backups restore p.annotator", _restore
    )
    _project(parser)
    parser.add_argument("--backup", default="", metavar="NAME", help="default: the newest that is good")
    parser = command(
        commands,
        "recover",
        "say what is intact in a damaged project, and save what can be read",
        "annotator recover p.annotator --to recovered.annotator",
        _recover,
    )
    _project(parser)
    parser.add_argument("--to", type=Path, metavar="FILE", help="make a sound project of what can be read")
    parser.add_argument("--lines", type=Path, metavar="FILE.jsonl", help="write every readable row as a line of JSON")
    parser.add_argument("--without-backup", action="store_true", help="add nothing from the newest good backup")


def _project(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=_file, metavar="PROJECT", help="the project file")


def _file(text: str) -> Path:
    """Return the file that an argument means; what these commands look after is a file's alone."""
    found = project_place(text)
    if not isinstance(found, Path):
        raise argparse.ArgumentTypeError(
            f"{found.name} is on a server, which is backed up and repaired there (pg_dump); this is for project files."
        )
    return found


def _rows(rows: tuple[BackupRow, ...]) -> str:
    lines = [
        (
            row.path.name,
            row.made_at.astimezone().strftime("%Y-%m-%d %H:%M:%S"),
            f"{row.size / 1e6:.1f}",
            "" if row.acts is None else str(row.acts),
            row.state,
            row.reason,
        )
        for row in rows
    ]
    return table(("backup", "made", "MB", "acts", "state", "made for"), lines, (2, 3))


def _list(options: argparse.Namespace) -> int:
    from annotator.services import backing_up

    found = backing_up.listing(options.project)
    text = _rows(found) if found else "There is no backup yet. annotator backup makes one."
    answer(options.json, {"backups": found}, text)
    return ExitCode.DONE


def _verify(options: argparse.Namespace) -> int:
    from annotator.services import backing_up

    found = backing_up.verify(options.project, tuple(options.backup), progress_line("Checking"))
    for row in found:
        for problem in row.problems:
            sys.stderr.write(f"{row.path.name}: {problem}\n")
    answer(options.json, {"backups": found}, _rows(found) if found else "There is no backup yet.")
    return ExitCode.BAD_INPUT if any(row.problems for row in found) else ExitCode.DONE


def _restore(options: argparse.Namespace) -> int:
    from annotator.services import backing_up

    row, aside = backing_up.restore(options.project, options.backup)
    text = (
        f"The project is what it was at {row.made_at.astimezone():%Y-%m-%d %H:%M:%S}. The file that stood there is "
        f"kept as {aside.parent.name}/{aside.name}"
    )
    answer(options.json, {"restored": row, "aside": str(aside)}, text)
    return ExitCode.DONE


def _recover(options: argparse.Namespace) -> int:
    from annotator.services import recovering

    if options.without_backup and options.to is None:
        raise UsageError("--without-backup says what goes into the file of --to; give both.")
    found = recovering.examine(options.project, progress_line("Reading"))
    rows = [(item.name, str(item.readable), _lost(item.lost), item.problem) for item in found.tables]
    parts = [
        f"Read from {found.source}: {'sound' if not found.problems else f'{len(found.problems)} problems'}",
        table(("table", "readable", "lost", "problem"), rows, (1, 2)),
        f"Newest act: {found.newest.label}, {found.newest.created_at[:19]}" if found.newest else "No act can be read.",
        f"Newest backup: {found.backups[0].path.name}" if found.backups else "There is no backup.",
    ]
    data: dict[str, object] = {"examined": found, "salvaged": None}
    if options.to is not None or options.lines is not None:
        target = project_path(options.to) if options.to is not None else None
        lines = options.lines or target.with_suffix(".jsonl") if target else options.lines
        saved = recovering.salvage(
            options.project, lines, target, use_backup=not options.without_backup, progress=progress_line("Saving")
        )
        data["salvaged"] = saved
        parts.append(f"{saved.written} rows written to {saved.lines.name}")
        if saved.project:
            parts.append(f"{saved.project.name} holds {sum(saved.kept.values())} rows, {saved.from_backup} of a backup")
        parts.extend(saved.left_out)
    answer(options.json, data, "\n".join(parts))
    return ExitCode.DONE


def _lost(count: int | None) -> str:
    return "?" if count is None else str(count)
