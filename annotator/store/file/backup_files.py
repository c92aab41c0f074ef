"""Backups of an open project, next to it: each is checked before it counts, and rotated by hour, day and week.

Each backup has a record (a file of the same name with ``.json``) with its digest, its reason, and the number of rows
of each table, so that a later check finds changed bytes as well as a broken structure.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from annotator.base.clock import now
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.open_files import is_open_here
from annotator.base.paths import BACKUPS_SUFFIX
from annotator.jobs.progress import Progress
from annotator.model.rows.project_rows import BackupRow
from annotator.store.file import schema
from annotator.store.file.connection import connect, connect_without_log, error_name, translate_errors

GOOD, UNKNOWN, DAMAGED = "good", "not checked", "damaged"
UNFINISHED = ".annotator-unfinished"
"""The suffix of a copy that is still being written; no other program uses it."""
_DATABASE_SUFFIXES = ("", "-journal", "-wal", "-shm")
_GRACE_S = 2.0
"""Age below which an empty copy counts as being written."""
_MAX_ROWS_LISTED = 20
_STAMP = "%Y%m%dT%H%M%S%fZ"


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A backup that passed its check when it was made."""

    path: Path
    made_at: datetime


@dataclass(frozen=True, slots=True)
class DatabaseCopy:
    """The number of rows in each table of a copy, and the problems of the project that was copied."""

    rows: dict[str, int]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rotation:
    """The number of backups to keep: the newest, and the last of each recent hour, day and week."""

    newest: int = 5
    hourly: int = 0
    daily: int = 0
    weekly: int = 0


def backup_folder(project: Path) -> Path:
    """Return the folder that holds a project's backups."""
    return project.with_name(f"{project.name}{BACKUPS_SUFFIX}")


def list_backup_files(project: Path) -> tuple[BackupFile, ...]:
    """Return the project's backups, newest first."""
    files = []
    for path in backup_folder(project).glob(f"{_escape_glob(project.stem)}-*Z{project.suffix}"):
        stamp = path.stem[len(project.stem) + 1 :]
        try:
            moment = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
        except ValueError:
            continue
        files.append(BackupFile(path, moment))
    return tuple(sorted(files, key=lambda backup: backup.made_at, reverse=True))


def _escape_glob(text: str) -> str:
    return "".join(f"[{character}]" if character in "*?[" else character for character in text)


def find_file_problems(connection: sqlite3.Connection, progress: Progress | None = None) -> tuple[str, ...]:
    """Return the problems of a file's pages, references and layout, or if there are none, of its content.

    Empty means sound. The content of a file of an older version is checked only after its upgrade.
    """
    work = progress or Progress()
    work.report(work.done, text="checking pages and references")
    return tuple(_find_page_problems(connection)) or _find_content_problems(connection, work)


def _find_content_problems(connection: sqlite3.Connection, progress: Progress) -> tuple[str, ...]:
    """Return the problems of the layout or content of a file whose pages and references are sound."""
    layout_problems = schema.find_schema_differences(connection).describe()
    if layout_problems or schema.version_of(connection) != schema.SCHEMA_VERSION:
        return layout_problems
    # Loads SQLModel, which opening a project does without.
    from annotator.store.soundness.project_checks import find_problems_in_file

    return find_problems_in_file(connection, progress)


def _find_page_problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the problems reported by SQLite's integrity and foreign key checks."""
    for row in connection.execute("PRAGMA integrity_check(20)"):
        if row[0] != "ok":
            yield str(row[0])
    missing = connection.execute("PRAGMA foreign_key_check")
    for table, row, parent, _ in missing.fetchmany(_MAX_ROWS_LISTED):
        yield f"{table} row {row} points to a missing {parent}"
    unlisted = sum(1 for _ in missing)
    if unlisted:
        yield f"and {unlisted} more rows point to something missing"


def count_table_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the number of rows of each table of a project, without those of the full-text index."""
    names = [
        row[0]
        for row in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name")
        if not row[0].startswith(("sqlite_", "subject_search"))
    ]
    return {name: int(connection.execute(f'SELECT count(*) FROM main."{name}"').fetchone()[0]) for name in names}


def copy_database(source: sqlite3.Connection, target: Path, progress: Progress | None = None) -> DatabaseCopy:
    """Copy an open database to a new file, which gets its name only after the copy was checked.

    A faithful copy of a damaged project is kept, and its problems are returned. Raises `BadInputError` if pages or rows
    are lost, and `MissingEnvironmentError` if it cannot be written.
    """
    work = progress or Progress()
    temporary = unfinished_copy(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_unfinished(target.parent)
        temporary.touch(exist_ok=False)
    except OSError as error:
        raise MissingEnvironmentError(
            f"The backup {target.name} could not be written ({error.strerror}). The project itself is unchanged."
        ) from error
    try:
        with translate_errors(target.name), closing(sqlite3.connect(temporary)) as copy:
            keep_locked(copy)
            source.execute("BEGIN")  # one snapshot for the counts and the copy, whatever is written meanwhile
            try:
                source_counts = count_table_rows(source)
                # 4,096 pages of 16 KB: progress is reported every 64 MB.
                source.backup(copy, pages=4096, progress=partial(_report_pages, work))
            finally:
                source.execute("ROLLBACK")
            # The copy is in WAL mode like its source, but a backup must be a single file.
            copy.execute("PRAGMA journal_mode = DELETE")
            work.report(work.done, text="checking pages and references of the copy")
            page_problems = tuple(_find_page_problems(copy))
            copy_counts = count_table_rows(copy)
            content_problems = () if page_problems else _find_content_problems(copy, work)
        if page_problems or copy_counts != source_counts:
            details = page_problems or tuple(
                f"{name}: {copy_counts.get(name)} of {source_counts[name]} rows" for name in source_counts
            )
            raise BadInputError(f"The backup {target.name} did not pass its check and was not kept.", details=details)
        temporary.replace(target)
        sync_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)
    return DatabaseCopy(copy_counts, content_problems)


def _report_pages(progress: Progress, _status: int, remaining: int, total: int) -> None:
    progress.report(progress.done, text=f"{total - remaining:,} of {total:,} pages copied")


def unfinished_copy(target: Path) -> Path:
    """Return the temporary path of a copy that is not complete."""
    return target.with_name(target.name + UNFINISHED)


def keep_locked(copy: sqlite3.Connection) -> None:
    """Lock an unfinished copy until it is closed, so that it is not removed as the leftover of a killed process."""
    copy.execute("PRAGMA locking_mode = EXCLUSIVE")
    # The mode alone takes no lock; one that a transaction took stays.
    copy.execute("BEGIN EXCLUSIVE")
    copy.execute("COMMIT")


def remove_leftovers(project: Path) -> None:
    """Remove the unfinished copies that killed processes left next to a project and among its backups."""
    remove_unfinished(project.parent)
    # Copies of version 0.1.0 have another suffix.
    remove_unfinished(backup_folder(project), f"*{UNFINISHED}", f"{_escape_glob(project.stem)}-*{project.suffix}.part")


def remove_unfinished(folder: Path, *patterns: str) -> None:
    """Remove the unfinished copies in a folder that no process is writing."""
    for path in (path for pattern in patterns or (f"*{UNFINISHED}",) for path in folder.glob(pattern)):
        if not _is_being_written(path):
            for ending in _DATABASE_SUFFIXES:
                with suppress(OSError):
                    Path(f"{path}{ending}").unlink(missing_ok=True)


def _is_being_written(path: Path) -> bool:
    """Return whether a process still writes an unfinished copy. A copy just created may not hold its lock yet."""
    try:
        if path.stat().st_size == 0 and time.time() - path.stat().st_mtime < _GRACE_S:
            return True
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        # A lock that cannot be asked about may be held on another machine.
        return error_name(error).startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_CANTOPEN", "SQLITE_IOERR"))
    except (sqlite3.DatabaseError, OSError):
        return False
    return False


def sync_folder(folder: Path) -> None:
    """Wait until a folder's entries are on disk (POSIX only)."""
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
    source: sqlite3.Connection,
    project: Path,
    keep: int | Rotation = 5,
    reason: str = "asked for",
    progress: Progress | None = None,
) -> BackupFile:
    """Write a checked backup next to the project, and remove those outside the rotation."""
    moment = now()
    path = backup_folder(project) / f"{project.stem}-{moment.strftime(_STAMP)}{project.suffix}"
    copied = copy_database(source, path, progress)
    record = {
        "sha256": hash_closed_file(path), "bytes": path.stat().st_size, "reason": reason, "rows": copied.rows,
        **({"problems": copied.problems} if copied.problems else {}),
    }  # fmt: skip
    try:
        _write_record(path, record)
    except OSError as error:
        raise MissingEnvironmentError(
            f"The record of the backup {path.name} could not be written ({error.strerror}). The backup itself is there."
        ) from error
    prune_backups(project, keep if isinstance(keep, Rotation) else Rotation(max(1, keep)))
    return BackupFile(path, moment)


def prune_backups(project: Path, rotation: Rotation) -> tuple[Path, ...]:
    """Remove the backups outside a rotation, with their records, and return their paths.

    The newest backup of a sound project is always kept.
    """
    files = list_backup_files(project)
    kept_paths = {backup.path for backup in files[: max(1, rotation.newest)]}
    kept_paths.update([backup.path for backup in files if not problems_when_made(backup)][:1])
    for count, pattern in ((rotation.hourly, "%Y%m%d%H"), (rotation.daily, "%Y%m%d"), (rotation.weekly, "%G%V")):
        last_of_period: dict[str, Path] = {}
        for backup in files:  # newest first: the last of each hour, day or week
            last_of_period.setdefault(backup.made_at.strftime(pattern), backup.path)
        kept_paths.update(list(last_of_period.values())[:count])
    removed = tuple(backup.path for backup in files if backup.path not in kept_paths)
    for path in removed:
        path.unlink(missing_ok=True)
        _record_path(path).unlink(missing_ok=True)
    return removed


def hash_closed_file(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hex digits. Raises `MissingEnvironmentError` if it is open here."""
    _refuse_open_here(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _record_path(path: Path) -> Path:
    return path.with_suffix(".json")


def _read_record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(_record_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _write_record(path: Path, record: Mapping[str, Any]) -> None:
    unfinished_record = _record_path(path).with_suffix(".new")
    unfinished_record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    unfinished_record.replace(_record_path(path))


def problems_when_made(backup: BackupFile) -> tuple[str, ...]:
    """Return the problems that the project had when the backup was made."""
    listed = _read_record(backup.path).get("problems", ())
    return tuple(map(str, listed)) if isinstance(listed, list) else ()


def describe_backup(backup: BackupFile, fresh_problems: Sequence[str] | None = None) -> BackupRow:
    """Return a backup's row from its record; ``fresh_problems`` are those of a new check, None without a check."""
    record = _read_record(backup.path)
    rows = record.get("rows")
    rows = rows if isinstance(rows, dict) else {}
    try:
        size = backup.path.stat().st_size
    except OSError:
        size = 0
    state = GOOD if record.get("bytes") == size and size else UNKNOWN
    if fresh_problems is None:
        fresh_problems = problems_when_made(backup) or None
    if fresh_problems is not None:
        state = DAMAGED if fresh_problems else GOOD
    return BackupRow(
        path=backup.path,
        made_at=backup.made_at,
        size=size,
        state=state,
        reason=str(record.get("reason", "")),
        acts=rows.get("change"),
        decisions=rows.get("decision"),
        problems=tuple(fresh_problems or ()),
    )


def verify_backup(backup: BackupFile) -> BackupRow:
    """Check a backup now: its digest and row counts against its record, and the structure of the file."""
    record = _read_record(backup.path)
    fresh_problems = []
    try:
        if record.get("sha256") not in (None, hash_closed_file(backup.path)):
            fresh_problems.append("its content has changed since it was written")
        with closing(connect_without_log(backup.path)) as connection:
            fresh_problems.extend(find_file_problems(connection))
            rows = record.get("rows")
            if isinstance(rows, dict) and not fresh_problems and count_table_rows(connection) != rows:
                fresh_problems.append("some tables have more or fewer rows than were written")
    except OSError as error:
        fresh_problems.append(f"it cannot be read ({error.strerror})")
    except sqlite3.DatabaseError as error:
        fresh_problems.append(str(error))
    return describe_backup(backup, list(dict.fromkeys((*fresh_problems, *problems_when_made(backup)))))


def put_backup_back(project: Path, backup: BackupFile) -> Path:
    """Replace the project by a backup; the replaced file is kept among the backups, and its path returned.

    Raises `BadInputError` for a backup that does not pass its check, and `MissingEnvironmentError` while the project
    is open elsewhere or if there is no space; the project is then unchanged.
    """
    checked = verify_backup(backup)
    if checked.problems:
        raise BadInputError(
            f"The backup {backup.path.name} is damaged, so it was not restored. Choose another one.",
            details=checked.problems,
        )
    _refuse_open(project)
    stamp = now().strftime(_STAMP)
    replaced_copy = backup_folder(project) / f"{project.stem}-before-restore-{stamp}{project.suffix}"
    restored = unfinished_copy(project)
    was_created = False
    try:
        # The log may hold acts that are not in the file yet.
        for ending in ("", "-wal"):
            file = Path(f"{project}{ending}")
            if file.exists():
                _copy_to_disk(file, Path(f"{replaced_copy}{ending}"))
        remove_unfinished(project.parent)
        restored.touch(exist_ok=False)
        was_created = True
        with (
            translate_errors(project.name),
            closing(connect_without_log(backup.path)) as source,
            closing(sqlite3.connect(restored)) as copy,
        ):
            keep_locked(copy)
            source.backup(copy)
            # Backups are in DELETE mode, projects in WAL mode.
            copy.execute("PRAGMA journal_mode = WAL")
        # The log of the replaced file must not be read into the restored one.
        for ending in ("-wal", "-shm"):
            Path(f"{project}{ending}").unlink(missing_ok=True)
        restored.replace(project)
        sync_folder(project.parent)
    except OSError as error:
        raise MissingEnvironmentError(
            f"The backup could not be restored ({error.strerror}). The project is unchanged."
        ) from error
    finally:
        for ending in _DATABASE_SUFFIXES if was_created else ():
            Path(f"{restored}{ending}").unlink(missing_ok=True)
    return replaced_copy


def _refuse_open(project: Path) -> None:
    """Raise `MissingEnvironmentError` if the project is open. For a damaged file this is unknown, so it passes."""
    if not project.exists():
        return
    _refuse_open_here(project)
    try:
        with closing(connect(project, read_only=True)) as connection:
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                return
        with closing(connect(project, read_only=False)) as connection:
            connection.execute("PRAGMA busy_timeout = 200")
            # Leaving WAL needs exclusive access; it also copies the whole log into the file before that is set aside.
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise _open_elsewhere_error(project) from error
    except sqlite3.DatabaseError:
        return


def _refuse_open_here(path: Path) -> None:
    """Raise `MissingEnvironmentError` for a file open in this process: reading it would drop SQLite's locks."""
    if is_open_here(path):
        raise _open_elsewhere_error(path)


def _open_elsewhere_error(path: Path) -> MissingEnvironmentError:
    return MissingEnvironmentError(
        f"{path.name} is open in another window or program. Close it there first; nothing was changed."
    )


def _copy_to_disk(source: Path, target: Path) -> None:
    """Copy a file and wait until it is on disk."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as reading, target.open("wb") as writing:
        while block := reading.read(1 << 20):
            writing.write(block)
        writing.flush()
        os.fsync(writing.fileno())
