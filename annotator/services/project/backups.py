"""Backups of a project: when one is due, which are kept, what they hold, and putting one back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from annotator.base.clock import now
from annotator.base.errors import BadInputError
from annotator.jobs.progress import Progress
from annotator.model.rows.history import BackupRow
from annotator.model.rows.queue import DiskStatus
from annotator.store.file import backup_files
from annotator.store.file.backup_files import Rotation
from annotator.store.file.project_file import ProjectFile


def rotation(setting: Callable[[str], Any]) -> Rotation:
    """Return which backups are kept; ``setting`` returns the value of a setting."""
    return Rotation(
        max(1, int(setting("backups"))),
        max(0, int(setting("backups_hourly"))),
        max(0, int(setting("backups_daily"))),
        max(0, int(setting("backups_weekly"))),
    )


def due(
    disk: DiskStatus, setting: Callable[[str], Any], *, just_opened: bool = False, at: datetime | None = None
) -> str:
    """Return what a backup should be made for now, in words ("10 acts"), or an empty text if none is due.

    One is due when something was saved since the last and that is old enough, when enough acts were saved since, and
    when a project with newer work than its last backup is opened.
    """
    if disk.last_saved is None:
        return ""
    if disk.backup_at is None:
        return "the first"
    if disk.last_saved <= disk.backup_at:
        return ""
    if just_opened and setting("backup_on_open"):
        return "opening"
    most = int(setting("backup_acts"))
    if most > 0 and disk.acts_since_backup >= most:
        return f"{disk.acts_since_backup} acts"
    minutes = int(setting("backup_minutes"))
    return f"{minutes} min" if ((at or now()) - disk.backup_at).total_seconds() >= 60 * minutes else ""


def make(store: ProjectFile, kept: Rotation, reason: str = "asked for") -> BackupRow:
    """Write and check a backup beside the project while work goes on. Raises `KnownError` if it cannot be kept."""
    return backup_files.described(store.make_backup(kept, reason))


def listing(project: Path) -> tuple[BackupRow, ...]:
    """Return a project's backups, newest first, as their records describe them; the project need not be sound."""
    return tuple(backup_files.described(item) for item in backup_files.backups(project))


def verify(project: Path, names: tuple[str, ...] = (), progress: Progress | None = None) -> tuple[BackupRow, ...]:
    """Check backups now, all of them or those named, newest first."""
    chosen = [_named(project, name) for name in names] if names else list(backup_files.backups(project))
    work = progress or Progress()
    found = []
    for number, item in enumerate(chosen):
        work.report(number, len(chosen), item.path.name)
        found.append(backup_files.verify(item))
    work.report(len(chosen), len(chosen), "checked")
    return tuple(found)


def newest_good(project: Path) -> BackupRow | None:
    """Return the newest backup that passes a check now, None if there is none."""
    for item in backup_files.backups(project):
        found = backup_files.verify(item)
        if not found.problems:
            return found
    return None


def restore(project: Path, name: str = "") -> tuple[BackupRow, Path]:
    """Put a backup (default: the newest that is good) in the project's place; returns it and where the old file went.

    The project must not be open anywhere. Raises `KnownError`; the project is then as it was.
    """
    if name:
        item = _named(project, name)
    else:
        found = newest_good(project)
        if found is None:
            raise BadInputError(f"There is no good backup of {project.name}. The project was left as it is.")
        item = backup_files.BackupFile(found.path, found.made_at)
    return backup_files.described(item), backup_files.restore(project, item)


def _named(project: Path, name: str) -> backup_files.BackupFile:
    there = backup_files.backups(project)
    wanted = Path(name).name
    for item in there:
        if wanted in (item.path.name, item.path.stem):
            return item
    names = ", ".join(item.path.name for item in there[:3]) or "none"
    raise BadInputError(f"There is no backup {wanted} of {project.name}. The newest are: {names}.")
