"""Commands to list, check and restore backups, and to recover what can be read of a damaged project."""

import argparse
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, ExitCode, UsageError
from annotator.base.paths import project_path
from annotator.cli.command import Argument, Option, Texts, command, project_place
from annotator.cli.output import CommandAnswer, text_table, write_error
from annotator.cli.progress_display import ProgressDisplay
from annotator.model.rows.project_rows import BackupRow
from annotator.services.project import backups as backing_up
from annotator.services.project import recovery


def parse_file(text: str) -> Path:
    """Parse the path of a project file; addresses are rejected, as these commands work on files only."""
    place = project_place(text)
    if not isinstance(place, Path):
        raise argparse.ArgumentTypeError(
            f"{place.name} is on a server; back it up and repair it there (pg_dump). This command is for project files."
        )
    return place


_ProjectPath = Annotated[Path, Argument("PROJECT", "the project file", parse=parse_file)]


@command("backups list", "annotator backups list p.annotator")
def list_backups(*, project: _ProjectPath) -> CommandAnswer:
    """List a project's backups."""
    backups = backing_up.list_project_backups(project)
    if not backups and not project.exists():
        raise BadInputError(f"There is no project {project.name}, and there are no backups of it.")
    text = _make_backup_table(backups) if backups else "No backups yet. annotator backup creates one."
    return CommandAnswer({"backups": backups}, text)


@command("backups verify", "annotator backups verify p.annotator")
def verify_backups(
    display: ProgressDisplay, *, project: _ProjectPath, backup: Annotated[Texts, Option("NAME", "default: all")] = ()
) -> CommandAnswer:
    """Check that backups are intact."""
    backups = backing_up.verify_project_backups(project, backup, display.start("Checking"))
    for row in backups:
        for problem in row.problems:
            write_error(f"{row.path.name}: {problem}")
    return CommandAnswer(
        {"backups": backups},
        _make_backup_table(backups) if backups else "No backups yet.",
        ExitCode.BAD_INPUT if any(row.problems for row in backups) else ExitCode.DONE,
    )


@command("backups restore", "annotator backups restore p.annotator")
def restore_backup(
    *, project: _ProjectPath, backup: Annotated[str, Option("NAME", "default: the newest good one")] = ""
) -> CommandAnswer:
    """Replace the project with a backup."""
    row, replaced_file = backing_up.restore_project_backup(project, backup)
    text = (
        f"The project is restored to its state of {row.made_at.astimezone():%Y-%m-%d %H:%M:%S}. The previous file is "
        f"kept as {replaced_file.parent.name}/{replaced_file.name}"
    )
    return CommandAnswer({"restored": row, "aside": str(replaced_file)}, text)


@command("recover", "annotator recover p.annotator --to recovered.annotator")
def recover_project(
    display: ProgressDisplay,
    *,
    project: _ProjectPath,
    to: Annotated[Path | None, Option("FILE", "create an intact project from what can be read")] = None,
    lines: Annotated[Path | None, Option("FILE.jsonl", "write every readable row as a JSON line")] = None,
    without_backup: Annotated[bool, Option(help="add nothing from the newest good backup")] = False,
) -> CommandAnswer:
    """Check a damaged project, and save what can be read."""
    if without_backup and to is None:
        raise UsageError("--without-backup applies to the file of --to; give both.")
    report = recovery.examine_project(project, display.start("Reading"))
    rows = [(item.name, item.readable, "?" if item.lost is None else item.lost, item.problem) for item in report.tables]
    parts = [
        f"Read from {report.source}: {'intact' if not report.problems else f'{len(report.problems)} problems'}",
        text_table(("table", "readable", "lost", "problem"), rows, (1, 2)),
        f"Newest change: {report.newest.label}, {report.newest.created_at[:19]}"
        if report.newest
        else "No change can be read.",
        f"Newest backup: {report.backups[0].path.name}" if report.backups else "There is no backup.",
    ]
    data: dict[str, object] = {"examined": report, "salvaged": None}
    target = project_path(to) if to is not None else None
    rows_file = lines or (target.with_suffix(".jsonl") if target else None)
    if rows_file is not None:
        saved = recovery.salvage_project(
            project, rows_file, target, use_backup=not without_backup, progress=display.start("Saving")
        )
        data["salvaged"] = saved
        parts.append(f"{saved.written} rows written to {saved.lines.name}")
        if saved.project:
            parts.append(f"{saved.project.name} has {sum(saved.kept.values())} rows, {saved.from_backup} from a backup")
        parts.extend(saved.left_out)
    return CommandAnswer(data, "\n".join(parts))


def _make_backup_table(rows: tuple[BackupRow, ...]) -> str:
    lines = [
        (row.path.name, row.made_at.astimezone().strftime("%Y-%m-%d %H:%M:%S"), f"{row.size / 1e6:.1f}",
         "" if row.acts is None else row.acts, row.state, row.reason)
        for row in rows
    ]  # fmt: skip
    return text_table(("backup", "created", "MB", "changes", "state", "reason"), lines, (2, 3))
