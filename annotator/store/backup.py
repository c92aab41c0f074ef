"""Online backups beside the project, each checked before it counts, the oldest given up."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from annotator.base.clock import now
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.store.failures import explained


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A backup that passed its check when it was made."""

    path: Path
    made_at: datetime


def backup_folder(project: Path) -> Path:
    """Return the folder that holds a project's backups."""
    return project.with_name(f"{project.name}-backups")


def backups(project: Path) -> tuple[BackupFile, ...]:
    """Return the project's backups, newest first."""
    found = []
    for path in backup_folder(project).glob(f"{project.stem}-*Z{project.suffix}"):
        stamp = path.stem[len(project.stem) + 1 :]
        try:
            moment = datetime.strptime(stamp, "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)
        except ValueError:
            continue
        found.append(BackupFile(path, moment))
    return tuple(sorted(found, key=lambda item: item.made_at, reverse=True))


def problems(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return what the integrity and foreign key checks find; empty means sound."""
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        found.append(f"{table} row {row} points to a missing {parent}")
    return tuple(found)


def copy_database(source: sqlite3.Connection, target: Path) -> None:
    """Copy an open database to a new file, check the copy, and only then give it its name.

    Raises `BadInputError` if the copy is not sound and `MissingEnvironmentError` if it cannot be written.
    """
    temporary = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
    except OSError as error:
        raise MissingEnvironmentError(
            f"The backup {target.name} could not be written ({error.strerror}). The project itself is unchanged."
        ) from error
    try:
        with explained(target.name):
            copy = sqlite3.connect(temporary)
            try:
                source.backup(copy, pages=4096)
                copy.execute("PRAGMA journal_mode = DELETE")
                found = problems(copy)
            finally:
                copy.close()
        if found:
            raise BadInputError(f"The backup {target.name} did not pass its check and was not kept.", details=found)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def make_backup(source: sqlite3.Connection, project: Path, keep: int = 5) -> BackupFile:
    """Write a checked backup beside the project and keep the newest ``keep``."""
    moment = now()
    stamp = moment.strftime("%Y%m%dT%H%M%S%fZ")
    path = backup_folder(project) / f"{project.stem}-{stamp}{project.suffix}"
    copy_database(source, path)
    for old in backups(project)[max(1, keep) :]:
        old.path.unlink(missing_ok=True)
    return BackupFile(path, moment)
