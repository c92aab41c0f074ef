"""Online backups beside the project: each checked before it counts, kept by the hour, the day and the week.

A backup has a small record beside it (the same name with ``.json``): its digest, what it was made for, and how many
rows each table had. So a later look finds bits that have rotted, not only a broken structure.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from annotator.base.clock import now
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.open_files import is_open_here
from annotator.base.paths import BACKUPS_SUFFIX
from annotator.model.rows.history import BackupRow
from annotator.store.file import schema
from annotator.store.file.connection import connect, connect_without_log, translate_errors

GOOD, UNKNOWN, DAMAGED = "good", "not checked", "damaged"
PART = ".part"
"""What the name of an unfinished copy ends in."""
_ENDINGS = ("", "-journal", "-wal", "-shm")
_NEW_S = 2.0
_SHOWN = 20
_STAMP = "%Y%m%dT%H%M%S%fZ"


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A backup that passed its check when it was made."""

    path: Path
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Copied:
    """How many rows each table of a copy has, and what is wrong with the project that was copied."""

    rows: dict[str, int]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rotation:
    """Which backups are kept: the newest few, then the last of each hour, day and week for so many of them."""

    newest: int = 5
    hourly: int = 0
    daily: int = 0
    weekly: int = 0


def backup_folder(project: Path) -> Path:
    """Return the folder that holds a project's backups."""
    return project.with_name(f"{project.name}{BACKUPS_SUFFIX}")


def backups(project: Path) -> tuple[BackupFile, ...]:
    """Return the project's backups, newest first."""
    found = []
    for path in backup_folder(project).glob(f"{_escaped(project.stem)}-*Z{project.suffix}"):
        stamp = path.stem[len(project.stem) + 1 :]
        try:
            moment = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
        except ValueError:
            continue
        found.append(BackupFile(path, moment))
    return tuple(sorted(found, key=lambda item: item.made_at, reverse=True))


def _escaped(text: str) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in text)


def problems(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return what is wrong with a file: pages, layout, references, and then values, hashes, caches and history.

    Empty means sound. The content of a file of an older version is not looked at before it is upgraded.
    """
    return tuple(_page_problems(connection)) or _further_problems(connection)


def _further_problems(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return what is wrong with the layout or content of a file whose pages and references are sound."""
    found = schema.differences(connection).describe()
    if found or schema.version_of(connection) != schema.SCHEMA_VERSION:
        return found
    # Loads SQLModel, which opening a project does without.
    from annotator.store.file.content import content_problems

    return content_problems(connection)


def _page_problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what the integrity and foreign key checks of SQLite find."""
    for row in connection.execute("PRAGMA integrity_check(20)"):
        if row[0] != "ok":
            yield str(row[0])
    missing = connection.execute("PRAGMA foreign_key_check")
    for table, row, parent, _ in missing.fetchmany(_SHOWN):
        yield f"{table} row {row} points to a missing {parent}"
    more = sum(1 for _ in missing)
    if more:
        yield f"and {more} more rows point to something missing"


def counts(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many rows each table of a project has; the full-text index's own tables are left out."""
    names = [
        row[0]
        for row in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name")
        if not row[0].startswith(("sqlite_", "subject_search"))
    ]
    return {name: int(connection.execute(f'SELECT count(*) FROM main."{name}"').fetchone()[0]) for name in names}


def copy_database(source: sqlite3.Connection, target: Path) -> Copied:
    """Copy an open database to a new file, check the copy, and only then give it its name.

    A faithful copy of a project that is not sound is kept, and what is wrong with it is returned. Raises
    `BadInputError` if pages or rows are lost, and `MissingEnvironmentError` if it cannot be written.
    """
    temporary = target.with_name(target.name + PART)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
    except OSError as error:
        raise MissingEnvironmentError(
            f"The backup {target.name} could not be written ({error.strerror}). The project itself is unchanged."
        ) from error
    try:
        with translate_errors(target.name), closing(sqlite3.connect(temporary)) as copy:
            # Held until it is complete, so that nobody takes it for one that was left by a kill.
            copy.execute("PRAGMA locking_mode = EXCLUSIVE")
            source.execute("BEGIN")  # one snapshot for the counts and the copy, whatever is written meanwhile
            try:
                wanted = counts(source)
                source.backup(copy, pages=4096)
            finally:
                source.execute("ROLLBACK")
            copy.execute("PRAGMA journal_mode = DELETE")
            found = tuple(_page_problems(copy))
            kept = counts(copy)
            unsound = () if found else _further_problems(copy)
        if found or kept != wanted:
            details = found or tuple(f"{name}: {kept.get(name)} of {wanted[name]} rows" for name in wanted)
            raise BadInputError(f"The backup {target.name} did not pass its check and was not kept.", details=details)
        temporary.replace(target)
        settle(target.parent)
    finally:
        temporary.unlink(missing_ok=True)
    return Copied(kept, unsound)


def remove_leftovers(project: Path) -> None:
    """Remove unfinished backups that a kill left and that nobody is writing any more.

    What a killed restore left beside the project stays: it holds no lock, so it might be one that is at work.
    """
    for path in backup_folder(project).glob(f"{_escaped(project.stem)}-*{project.suffix}{PART}"):
        if path.exists() and not _is_being_written(path):
            for ending in _ENDINGS:
                with suppress(OSError):
                    Path(f"{path}{ending}").unlink(missing_ok=True)


def _is_being_written(path: Path) -> bool:
    """Tell whether a process holds the lock of an unfinished copy; one that has just been created may not have it."""
    try:
        if path.stat().st_size == 0 and time.time() - path.stat().st_mtime < _NEW_S:
            return True
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        return error.sqlite_errorname.startswith("SQLITE_BUSY")
    except (sqlite3.DatabaseError, OSError):
        return False
    return False


def settle(folder: Path) -> None:
    """Wait until the disk has the names in a folder, where the system can be asked for that."""
    if os.name != "posix":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_backup(
    source: sqlite3.Connection, project: Path, keep: int | Rotation = 5, reason: str = "asked for"
) -> BackupFile:
    """Write a checked backup beside the project and give up those that the rotation does not keep."""
    moment = now()
    path = backup_folder(project) / f"{project.stem}-{moment.strftime(_STAMP)}{project.suffix}"
    copied = copy_database(source, path)
    record = {
        "sha256": digest(path), "bytes": path.stat().st_size, "reason": reason, "rows": copied.rows,
        **({"problems": copied.problems} if copied.problems else {}),
    }  # fmt: skip
    try:
        _record_path(path).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise MissingEnvironmentError(
            f"The record of the backup {path.name} could not be written ({error.strerror}). The backup itself is there."
        ) from error
    prune(project, keep if isinstance(keep, Rotation) else Rotation(max(1, keep)))
    return BackupFile(path, moment)


def prune(project: Path, rotation: Rotation) -> tuple[Path, ...]:
    """Remove the backups that a rotation does not keep, with their records; returns them.

    The newest of a project that was sound is always kept.
    """
    there = backups(project)
    kept = {item.path for item in there[: max(1, rotation.newest)]}
    kept.update([item.path for item in there if not problems_when_made(item)][:1])
    for count, pattern in ((rotation.hourly, "%Y%m%d%H"), (rotation.daily, "%Y%m%d"), (rotation.weekly, "%G%V")):
        seen: dict[str, Path] = {}
        for item in there:  # newest first: the last of each hour, day or week
            seen.setdefault(item.made_at.strftime(pattern), item.path)
        kept.update(list(seen.values())[:count])
    gone = tuple(item.path for item in there if item.path not in kept)
    for path in gone:
        path.unlink(missing_ok=True)
        _record_path(path).unlink(missing_ok=True)
    return gone


def digest(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hex digits. Raises `MissingEnvironmentError` if it is open here."""
    _refuse_open_here(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _record_path(path: Path) -> Path:
    return path.with_suffix(".json")


def _record(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_record_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def problems_when_made(item: BackupFile) -> tuple[str, ...]:
    """Return what was wrong with the project when a backup of it was made."""
    found = _record(item.path).get("problems", ())
    return tuple(map(str, found)) if isinstance(found, list) else ()


def described(item: BackupFile, found: Sequence[str] | None = None) -> BackupRow:
    """Return a backup with what its record says; ``found`` are the problems of a fresh check, None without one."""
    record = _record(item.path)
    rows = record.get("rows")
    rows = rows if isinstance(rows, dict) else {}
    try:
        size = item.path.stat().st_size
    except OSError:
        size = 0
    state = GOOD if record.get("bytes") == size and size else UNKNOWN
    if found is None:
        found = problems_when_made(item) or None
    if found is not None:
        state = DAMAGED if found else GOOD
    return BackupRow(
        path=item.path,
        made_at=item.made_at,
        size=size,
        state=state,
        reason=str(record.get("reason", "")),
        acts=rows.get("change"),
        decisions=rows.get("decision"),
        problems=tuple(found or ()),
    )


def verify(item: BackupFile) -> BackupRow:
    """Check a backup now: its digest and row counts against its record, and the structure of the file."""
    record, found = _record(item.path), []
    try:
        if record.get("sha256") not in (None, digest(item.path)):
            found.append("its content is not what was written")
        with closing(connect_without_log(item.path)) as connection:
            found.extend(problems(connection))
            rows = record.get("rows")
            if isinstance(rows, dict) and not found and counts(connection) != rows:
                found.append("tables do not have as many rows as were written")
    except OSError as error:
        found.append(f"it cannot be read ({error.strerror})")
    except sqlite3.DatabaseError as error:
        found.append(str(error))
    return described(item, found)


def restore(project: Path, backup: BackupFile) -> Path:
    """Put a backup in the project's place; what was there is kept among the backups, and its path returned.

    Raises `BadInputError` for a backup that does not pass its check, and `MissingEnvironmentError` while the project
    is open somewhere or if there is no room; the project is then as it was.
    """
    checked = verify(backup)
    if checked.problems:
        raise BadInputError(
            f"The backup {backup.path.name} is damaged, so it was not put back. Choose another one.",
            details=checked.problems,
        )
    _refuse_open(project)
    stamp = now().strftime(_STAMP)
    aside = backup_folder(project) / f"{project.stem}-before-restore-{stamp}{project.suffix}"
    fresh = project.with_name(f"{project.name}{PART}")
    try:
        for ending in ("", "-wal"):
            there = Path(f"{project}{ending}")
            if there.exists():
                _copy(there, Path(f"{aside}{ending}"))
        _copy(backup.path, fresh)
        with translate_errors(project.name), closing(sqlite3.connect(fresh)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        # A log of what was there before must not be read into what stands there now.
        for ending in ("-wal", "-shm"):
            Path(f"{project}{ending}").unlink(missing_ok=True)
        fresh.replace(project)
        settle(project.parent)
    except OSError as error:
        raise MissingEnvironmentError(
            f"The backup could not be put back ({error.strerror}). The project is as it was."
        ) from error
    finally:
        for ending in ("", "-wal", "-shm"):
            Path(f"{fresh}{ending}").unlink(missing_ok=True)
    return aside


def _refuse_open(project: Path) -> None:
    """Raise `MissingEnvironmentError` if somebody has the project open; a damaged one cannot be asked."""
    if not project.exists():
        return
    _refuse_open_here(project)
    try:
        with closing(connect(project, read_only=True)) as connection:
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                return
        with closing(connect(project, read_only=False)) as connection:
            connection.execute("PRAGMA busy_timeout = 200")
            # Leaving WAL needs the file for oneself; it also brings all of the log into the file that is set aside.
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise _open_elsewhere(project) from error
    except sqlite3.DatabaseError:
        return


def _refuse_open_here(path: Path) -> None:
    """Raise `MissingEnvironmentError` for a file that SQLite has open here, whose locks reading it would drop."""
    if is_open_here(path):
        raise _open_elsewhere(path)


def _open_elsewhere(path: Path) -> MissingEnvironmentError:
    return MissingEnvironmentError(
        f"{path.name} is open in another window or program. Close it there first; nothing was changed."
    )


def _copy(source: Path, target: Path) -> None:
    """Copy a file so that the disk has it before this returns."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as reading, target.open("wb") as writing:
        while block := reading.read(1 << 20):
            writing.write(block)
        writing.flush()
        os.fsync(writing.fileno())
