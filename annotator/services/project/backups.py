"""Backups of a project: make, list, verify, rotate and restore them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from annotator.base.clock import now
from annotator.base.errors import BadInputError
from annotator.jobs.progress import Progress
from annotator.model.rows.project_rows import BackupRow
from annotator.model.rows.queue_rows import DiskStatus
from annotator.store.file import backup_files
from annotator.store.file.backup_files import Rotation
from annotator.store.file.project_file import ProjectFile


def rotation_from_settings(setting: Callable[[str], Any]) -> Rotation:
    """Return the retention rules from the user's settings; ``setting`` looks up a value by name."""
    return Rotation(
        max(1, int(setting("backups"))),
        max(0, int(setting("backups_hourly"))),
        max(0, int(setting("backups_daily"))),
        max(0, int(setting("backups_weekly"))),
    )


def backup_reason(
    disk: DiskStatus, setting: Callable[[str], Any], *, just_opened: bool = False, at: datetime | None = None
) -> str:
    """Return the reason why a backup is due now (such as "10 acts"), or an empty string if none is.

    A backup is due when work was saved since the last one and either the last one is old enough, enough acts were saved
    since, or the project was just opened.
    """
    if disk.last_saved is None:
        return ""
    if disk.backup_at is None:
        return "the first"
    if disk.last_saved <= disk.backup_at:
        return ""
    if just_opened and setting("backup_on_open"):
        return "opening"
    max_acts = int(setting("backup_acts"))
    if max_acts > 0 and disk.acts_since_backup >= max_acts:
        return f"{disk.acts_since_backup} acts"
    minutes = int(setting("backup_minutes"))
    age = (at or now()) - disk.backup_at
    return f"{minutes} min" if age.total_seconds() >= 60 * minutes else ""


def make_project_backup(store: ProjectFile, rotation: Rotation, reason: str = "asked for") -> BackupRow:
    """Write and verify a backup next to the open project. Raises `KnownError` if it cannot be stored."""
    return backup_files.describe_backup(store.make_backup(rotation, reason))


def list_project_backups(project: Path) -> tuple[BackupRow, ...]:
    """Return a project's backups, newest first, from their metadata. Works for a damaged project too."""
    return tuple(backup_files.describe_backup(item) for item in backup_files.list_backup_files(project))


def verify_project_backups(
    project: Path, names: tuple[str, ...] = (), progress: Progress | None = None
) -> tuple[BackupRow, ...]:
    """Verify the named backups, or all of them, and return them newest first."""
    files = [_find_backup(project, name) for name in names] if names else list(backup_files.list_backup_files(project))
    work = progress or Progress()
    rows = []
    for number, item in enumerate(files):
        work.report(number, len(files), item.path.name)
        rows.append(backup_files.verify_backup(item))
    work.report(len(files), len(files), "checked")
    return tuple(rows)


def newest_good_backup(project: Path) -> BackupRow | None:
    """Return the newest backup that passes verification, None if there is none."""
    for item in backup_files.list_backup_files(project):
        row = backup_files.verify_backup(item)
        if not row.problems:
            return row
    return None


def restore_project_backup(project: Path, name: str = "") -> tuple[BackupRow, Path]:
    """Replace the project with a backup (default: the newest good one); returns it and the path of the replaced file.

    The project must not be open anywhere. Raises `KnownError` and leaves the project unchanged on failure.
    """
    if name:
        item = _find_backup(project, name)
    else:
        newest = newest_good_backup(project)
        if newest is None:
            raise BadInputError(f"There is no good backup of {project.name}. The project is unchanged.")
        item = backup_files.BackupFile(newest.path, newest.made_at)
    return backup_files.describe_backup(item), backup_files.put_backup_back(project, item)


def _find_backup(project: Path, name: str) -> backup_files.BackupFile:
    files = backup_files.list_backup_files(project)
    file_name = Path(name).name
    for item in files:
        if file_name in (item.path.name, item.path.stem):
            return item
    names = ", ".join(item.path.name for item in files[:3]) or "none"
    raise BadInputError(f"There is no backup {file_name} of {project.name}. The newest are: {names}.")
