"""Open, check, upgrade, read and write a project file.

Reading connections use only the standard library, so the first page can be shown before SQLModel is loaded.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from annotator.base.addresses import Place
from annotator.base.clock import now_text
from annotator.base.errors import BadInputError, DamagedFileError, KnownError, MissingEnvironmentError
from annotator.base.ids import new_id
from annotator.base.messages import Message
from annotator.base.paths import PROJECT_SUFFIX
from annotator.jobs.progress import Cancelled, Progress
from annotator.model.rows.queue_rows import AnnotatorRow
from annotator.store.file import backup_files, schema, window_locks
from annotator.store.file.client_acts import BEGAN, OWN_ACTS, ActsOfOthers, JobActs
from annotator.store.file.connection import (
    NO_LOCKS,
    WritingOptions,
    as_known_file_error,
    connect,
    connect_without_log,
    damaged_file_error,
    error_name,
    interrupt_when_cancelled,
    translate_errors,
)
from annotator.store.file.file_lock import FileLock, WaitingWrites, lacks_locks
from annotator.store.file.notifications import FileListener, OnChanges, OnWindows
from annotator.store.file.open_connections import OpenConnections

if TYPE_CHECKING:
    from annotator.store.file.writer import Session, Writer

T = TypeVar("T")

_log = logging.getLogger("annotator.store")
QUICK_CHECK_BYTES = 16 * 1024 * 1024
"""Maximum size of a file that is checked while it is opened."""
_KEEP_ALL = 1 << 16
"""A number of backups that is never reached: an upgrade removes none."""
_HEADER_BYTES = 100
"""The size of the header of every SQLite file."""
_MAX_LISTED = 5
_DAMAGE_ERRORS = (sqlite3.Error, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""The errors raised on opening if the rows it reads are damaged."""
_RECHECK_DELAY_S = 0.2
_LONGEST_CLOSING_S = 2.0
"""Maximum time for digests when a project is closed; after a large import the rest is written at a later closing."""


class ProjectFile:
    """One open project. Close it when done; it may be used from several threads."""

    shared = False
    """Whether the project is shared on a server, so that each client chooses the person who works in it."""
    is_bound_to_annotator = False
    """Whether the server's login determines the person, so that nobody can work as another person."""
    moment = ""
    """The moment of a project in the past (UTC, in the file's format); empty for the present."""

    def __init__(
        self, place: Place, *, read_only: bool, annotator: AnnotatorRow, name: str, lock: FileLock | None = None
    ) -> None:
        """Use `create` or `open` instead; ``lock`` is shared with another owner of the same file."""
        self.place = place
        self.client = new_id()
        self.read_only = read_only
        self.annotator = annotator
        self.project_name = name
        self.acts_of_others = ActsOfOthers()
        self.job_acts = JobActs()
        self.has_arrivals = False
        """Whether some subjects of an import were still invisible when the project was opened."""
        self._lock = threading.RLock()
        self._connections = OpenConnections(place, self.prepare, lock) if isinstance(place, Path) else None
        self.waiting_writes = WaitingWrites() if self._connections is None else self._connections.waiting_writes
        self.writing_options = WritingOptions()
        self._idle: list[sqlite3.Connection] = []
        self._writer: Writer | None = None
        self._listener: FileListener | None = None
        self._closed = False
        if self._connections is not None:
            self._connections.before_replacing(self._idle.clear)

    @property
    def path(self) -> Path:
        """The project's file. Raises `MissingEnvironmentError` for a project on a server."""
        if not isinstance(self.place, Path):
            raise MissingEnvironmentError(f"{self.place.name} is on a server, so there is no file of it here.")
        return self.place

    @classmethod
    def create(
        cls, path: Path, name: str, annotator: str, *, project_id: str = "", annotator_id: str = ""
    ) -> ProjectFile:
        """Create a new project file and open it; pass identifiers if the project already exists elsewhere.

        Raises `BadInputError` if the file exists or a name is empty, `MissingEnvironmentError` if it cannot be written.
        """
        if not name.strip() or not annotator.strip():
            raise BadInputError("A project needs a name and the name of its first annotator.")
        if path.exists():
            raise BadInputError(f"{path.name} already exists. It was not changed; choose another name.")
        if not path.parent.is_dir():
            raise BadInputError(f"The folder for {path.name} does not exist. Create it first, or choose another.")
        try:
            path.touch(exist_ok=False)
        except OSError as error:
            raise MissingEnvironmentError(f"{path.name} could not be created ({error.strerror}).") from error
        try:
            with _explain_missing_locks(path):
                _fill_new_file(path, name.strip(), annotator.strip(), project_id or new_id(), annotator_id or new_id())
        except BaseException:
            for leftover in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
                leftover.unlink(missing_ok=True)
            raise
        return cls.open(path)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, annotator: str | None = None) -> ProjectFile:
        """Open a project; an older one is backed up and then upgraded.

        A file without write permission is always opened read-only. Raises `BadInputError` for a
        missing, foreign, newer or damaged file, for one with foreign triggers or views, and for an unknown annotator.
        """
        try:
            with _explain_missing_locks(path):
                return cls._open(path, read_only, annotator)
        except DamagedFileError as error:
            # A file may look damaged while another program closes it.
            _log.info("%s looks damaged (%s); checking again", path.name, error)
            time.sleep(_RECHECK_DELAY_S)
            return cls._open(path, read_only, annotator)

    def explain(self, error: BaseException) -> KnownError | None:
        """Return the error to show for an unexpected failure if the project is damaged, None if it is sound.

        The whole project is checked to distinguish damage from a bug; only failed commands have to wait for that.
        """
        if isinstance(error, (KnownError, OSError, Cancelled)) or not isinstance(error, Exception):
            return None
        try:
            problems = self.integrity()
        except KnownError as known_error:
            return known_error
        except Exception as failure:  # noqa: BLE001 - a project that cannot be checked is not sound
            problems = (f"the check itself failed ({type(failure).__name__}: {failure})",)
        return damaged_file_error(self.place.name, problems) if problems else None

    @classmethod
    def _open(cls, path: Path, read_only: bool, annotator: str | None) -> ProjectFile:
        lock = FileLock(path)
        try:
            lock.claim_drive()
            return cls._open_sound(path, read_only, annotator, lock)
        except BaseException as error:
            lock.release()
            lock.close()
            if isinstance(error, _DAMAGE_ERRORS):
                raise damaged_file_error(path.name, (f"{type(error).__name__}: {error}",)) from error
            raise

    @classmethod
    def _open_sound(cls, path: Path, read_only: bool, annotator: str | None, lock: FileLock) -> ProjectFile:
        version = _check_header(path)
        read_only = read_only or not path.stat().st_mode & 0o222
        with translate_errors(path.name):
            _check_log(path)
            with closing(connect(path, read_only=read_only)) as connection:
                _refuse_foreign_code(connection, path)
                _check_layout(connection, path)
                if version < schema.SCHEMA_VERSION:
                    if read_only:
                        raise MissingEnvironmentError(
                            f"{path.name} was made by an older version and must be updated first, but it is read-only. "
                            "Copy it to a place where it can be written."
                        )
                    backup_files.make_backup(connection, path, _KEEP_ALL, "an update of the file")
                    schema.upgrade_file_schema(connection, version)
                quick_check(connection, path)
                name, person = _read_identity(connection, path, annotator)
                arrivals = not read_only and connection.execute("SELECT 1 FROM arrival LIMIT 1").fetchone() is not None
        if not read_only:
            backup_files.remove_leftovers(path)
        store = cls(path, read_only=read_only, annotator=person, name=name, lock=lock)
        store.has_arrivals = arrivals
        return store

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        """Lend a read-only connection without loading SQLModel, for lists and counts that must appear at once."""
        self.renew()
        with self._translate_errors(), self._use():
            with self._lock:
                if self._closed:
                    raise BadInputError(f"{self.place.name} has been closed.")
                idle = self._idle.pop() if self._idle else None
            connection = idle or self._new_reader()
            try:
                yield connection
            finally:
                with self._lock:
                    if self._closed or self._is_lost(connection):
                        connection.close()
                    else:
                        self._idle.append(connection)

    def renew(self) -> None:
        """Replace connections whose log was removed by another program."""
        connections = self._connections
        if connections is None or connections.is_used_here():
            return
        if connections.is_moved() or connections.is_log_removed():
            # The writer keeps recent transactions and writes them again if they were lost with the log.
            self.writer().renew()

    def _use(self) -> AbstractContextManager[None]:
        return nullcontext() if self._connections is None else self._connections.use()

    def _new_reader(self) -> sqlite3.Connection:
        return self._file_connections().open(read_only=True)

    def share_lock(self) -> FileLock:
        """Return the lock on the file for another owner in this process; the owner closes it."""
        return self._file_connections().share_lock()

    def _file_connections(self) -> OpenConnections:
        if self._connections is None:
            raise MissingEnvironmentError(f"{self.place.name} is on a server, so there is no file of it here.")
        return self._connections

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            known_error = as_known_file_error(error, self.place.name)
            if isinstance(known_error, DamagedFileError):
                self.renew()
                known_error = self._file_connections().recheck_damage(known_error)
            if known_error is None:
                raise
            raise known_error from error

    def _is_lost(self, connection: sqlite3.Connection) -> bool:  # noqa: ARG002 - a server may have hung up
        return False

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Set up a new connection beyond the file's rules; subclasses override this."""

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Lend a session on one read-only snapshot."""
        with self.writer().session(read_only=True) as session:
            yield session

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[Session]:
        """Lend the only writing session: the block is saved completely or not at all.

        ``durable`` waits until the data is on disk (expert work); run data may pass False. Raises
        `MissingEnvironmentError` for a read-only project, a full disk or a file locked by another program.
        """
        self._refuse_read_only()
        writing = self.writer().session(read_only=False, durable=durable)
        listener = self._listener
        with ExitStack() as stack:
            with self.waiting_writes.wait():
                session = stack.enter_context(writing if listener is None else listener.own_write(writing))
            began = self.job_acts.began
            if began is not None:
                session.info[BEGAN] = began
            yield session
            self.acts_of_others.record_own(session.info.get(OWN_ACTS, ()))
            if began is not None:
                self.job_acts.record(session.info.get(OWN_ACTS, ()), began)

    def is_write_awaited(self, session: Session) -> bool:  # noqa: ARG002 - a server is asked
        """Return whether another write is waiting for the end of this writing ``session``."""
        return self.waiting_writes.exist()

    @contextmanager
    def job(self) -> Iterator[None]:
        """Attribute this thread's writes in the block to a job that begins now."""
        with self.reader() as connection:
            (position,) = connection.execute("SELECT coalesce(max(seq), 0) FROM change").fetchone()
        with self.job_acts.job(int(position)):
            yield

    def claim(self, take: Callable[[Session], T]) -> T:
        """Call ``take`` with a session in which it can claim rows for this client; on a file, the writing session."""
        with self.write() as session:
            return take(session)

    def _refuse_read_only(self) -> None:
        if self.read_only:
            raise MissingEnvironmentError(
                f"{self.place.name} is read-only, so nothing was changed. Make it writable, or work on a copy."
            )

    def writer(self) -> Writer:
        """Return the writer that makes sessions; loads SQLModel on first use."""
        with self._lock:
            if self._closed:
                raise BadInputError(f"{self.place.name} has been closed.")
            if self._writer is None:
                self._writer = self._new_writer()
            return self._writer

    def _new_writer(self) -> Writer:
        # Imported here, so that a project is opened and its first page is read before SQLModel is loaded.
        from annotator.store.file.writer import FileWriter

        return FileWriter(self._file_connections(), self.read_only)

    def on_warning(self, callback: Callable[[Message], object]) -> None:
        """Register a callback for problems with the file that were repaired; it runs in the thread that found them."""
        if self._connections is not None:
            self._connections.on_warning(callback)

    def count_windows(self) -> int:
        """Return the number of windows that have this project open and listen; always 0 on a server."""
        return 0 if self.moment else window_locks.count_windows(self.path)

    def listen(self, on_changes: OnChanges, on_windows: OnWindows) -> bool:
        """Register a window of this project and report changes by others until the project is closed.

        Both callbacks run in another thread: ``on_changes`` for changes, ``on_windows`` when windows open or close.
        Returns False if nothing will be reported: the past does not change, and a file may be out of reach.
        """
        if self.moment:
            return False
        with self._lock:
            if self._closed:
                return False
            try:
                self._listener = self._listener or FileListener(
                    self._file_connections(), self.renew, on_changes, on_windows
                )
            except sqlite3.Error as error:
                _log.info("changes by others will not be reported (%s)", type(error).__name__)
        return self._listener is not None

    def integrity(self, progress: Progress | None = None) -> tuple[str, ...]:
        """Check the whole file and return its problems; empty means sound.

        Raises `Cancelled` if cancelled.
        """
        with self.reader() as connection, interrupt_when_cancelled(connection, progress):
            connection.execute("BEGIN")  # one snapshot, whatever is written meanwhile
            try:
                return backup_files.find_file_problems(connection, progress)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def backups(self) -> tuple[backup_files.BackupFile, ...]:
        """Return the project's backups, newest first."""
        return backup_files.list_backup_files(self.path)

    def make_backup(
        self,
        keep: int | backup_files.Rotation = 5,
        reason: str = "asked for",
        progress: Progress | None = None,
    ) -> backup_files.BackupFile:
        """Write a checked backup next to the project without blocking other work."""
        if self._writer is not None:
            self._writer.write_digests()
        with self.reader() as connection:
            return backup_files.make_backup(connection, self.path, keep, reason, progress)

    def copy_to(self, target: Path, progress: Progress | None = None) -> tuple[str, ...]:
        """Write a checked copy of the project to ``target``; returns the project's problems."""
        with self.reader() as connection:
            return backup_files.copy_database(connection, target, progress).problems

    def checkpoint(self) -> None:
        """Copy the part of the log that no reader needs into the file; does not block readers or writers."""
        self.renew()
        connections = self._file_connections()
        with self._translate_errors(), connections.use(), closing(connections.open(read_only=False)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close every connection; safe to call twice."""
        try:
            if self._writer is not None:
                self._writer.write_digests(_LONGEST_CLOSING_S)
        finally:
            self._close_connections()

    def _close_connections(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            writer, self._writer = self._writer, None
            listener, self._listener = self._listener, None
        if self._connections is not None:
            self._connections.save_moved()
            # While the lock is held, SQLite takes no connection for the last one, and the log would stay.
            self._connections.release()
        if listener is not None:
            listener.close()
        for connection in idle:
            connection.close()
        if writer is not None:
            writer.close()
        if self._connections is not None:
            self._connections.close()


def needs_update(path: Path) -> bool:
    """Return whether a project file has an older version. Raises `KnownError` if it is not a project."""
    return _check_header(path) < schema.SCHEMA_VERSION


def copy_for_update(path: Path, target: Path) -> None:
    """Copy a project file of an older version without changing it. Raises `DamagedFileError` if it is damaged."""
    with translate_errors(path.name):
        _check_log(path)
        with closing(connect(path, read_only=True)) as connection:
            problems = backup_files.find_file_problems(connection)
            if problems:
                raise damaged_file_error(path.name, problems)
            backup_files.copy_database(connection, target)


def _check_header(path: Path) -> int:
    """Return the file's schema version. Raises `KnownError` if it is not a project that can be opened."""
    if path.is_dir():
        raise BadInputError(f"{path.name} is a folder, not a project file.")
    header = _read_header(path)
    if (header is None or header[0] != schema.APPLICATION_ID) and (
        backup_files.list_backup_files(path) or _looks_like_project(path)
    ):
        raise DamagedFileError(
            f"{path.name} is damaged: its beginning is not that of a project. It was left as it is; "
            "annotator recover says what can be read and which backups there are."
        )
    if header is None:
        raise BadInputError(f"{path.name} is not an Annotator project. It was not changed.")
    if header[0] != schema.APPLICATION_ID:
        raise BadInputError(f"{path.name} is a database of another program, not an Annotator project.")
    version = header[1]
    # The header is outdated while an upgrade is still in the write-ahead log, so SQLite reads the version.
    if Path(f"{path}-wal").exists():
        with translate_errors(path.name), closing(connect(path, read_only=True)) as connection:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > schema.SCHEMA_VERSION:
        raise BadInputError(
            f"{path.name} was written by a newer version of Annotator (its schema is {version}, "
            f"this one reads up to {schema.SCHEMA_VERSION}). Update the program; the file was not changed."
        )
    return version


def _read_header(path: Path) -> tuple[int, int] | None:
    """Return application id and schema version from the file itself, None if it is not a database.

    SQLite reads them, because closing any other descriptor of a file that is open here would drop the locks on it. The
    connection uses no locks and no log, so a refused file is not changed and no files are created next to it.
    """
    try:
        status = path.stat()
    except FileNotFoundError as error:
        with_suffix = path.with_name(path.name + PROJECT_SUFFIX)
        advice = (
            f"Did you mean {with_suffix.name}?"
            if with_suffix.exists()
            else "Check the name, or make one with annotator new."
        )
        raise BadInputError(f"There is no project {path.name}. {advice}") from error
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} cannot be read ({error.strerror}).") from error
    # SQLite treats an empty file as an empty database, and blocks on a pipe.
    if not stat.S_ISREG(status.st_mode) or status.st_size < _HEADER_BYTES:
        return None
    if not os.access(path, os.R_OK):
        raise MissingEnvironmentError(f"{path.name} cannot be read ({os.strerror(errno.EACCES)}).")
    with translate_errors(path.name), closing(connect_without_log(path)) as connection:
        try:
            # Lets SQLite read the header of a truncated file too.
            connection.execute("PRAGMA writable_schema = ON")
            application = connection.execute("PRAGMA application_id").fetchone()
            version = connection.execute("PRAGMA user_version").fetchone()
        except sqlite3.DatabaseError as error:
            if error_name(error) not in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
                raise
            return None
    return int(application[0]), int(version[0])


def _looks_like_project(path: Path) -> bool:
    """Return whether a file without a valid header has the suffix of a project and at least 64 pages."""
    return path.suffix == PROJECT_SUFFIX and path.stat().st_size >= 64 * schema.PAGE_SIZE


@contextmanager
def _explain_missing_locks(path: Path) -> Iterator[None]:
    """Raise the error about missing file locks if they are why the file seems to be busy or its disk broken."""
    try:
        yield
    except MissingEnvironmentError as error:
        if not lacks_locks(path):
            raise
        raise MissingEnvironmentError(NO_LOCKS.format(name=path.name)) from error


def _fill_new_file(path: Path, name: str, annotator: str, project_id: str, annotator_id: str) -> None:
    with translate_errors(path.name), closing(connect(path, read_only=False)) as connection:
        schema.create_file_schema(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            "INSERT INTO annotator (id, created_at, name, role) VALUES (?, ?, ?, 'expert')",
            (annotator_id, now_text(), annotator),
        )
        connection.execute(
            "INSERT INTO project (id, created_at, name, settings) VALUES (?, ?, ?, ?)",
            (project_id, now_text(), name, json.dumps({"annotator": annotator_id})),
        )
        connection.execute("COMMIT")


def _check_log(path: Path) -> None:
    """Check a file that was not closed properly, before SQLite merges the log into it."""
    log = Path(f"{path}-wal")
    if not log.exists() or log.stat().st_size == 0:
        return
    with closing(connect(path, read_only=True)) as connection:
        quick_check(connection, path)
        id_with_log = _project_id(connection)
    with closing(connect_without_log(path)) as connection:
        id_without_log = _project_id(connection)
    if id_without_log and id_with_log != id_without_log:
        raise DamagedFileError(
            f"The file {log.name} beside {path.name} belongs to another project, so nothing was opened. Both were left "
            "as they are; annotator recover says what can be read."
        )


def _project_id(connection: sqlite3.Connection) -> str:
    """Return the project's id, empty if unknown (a new file whose content is still in its log)."""
    try:
        row = connection.execute("SELECT id FROM project").fetchone()
    except sqlite3.DatabaseError:
        return ""
    return str(row[0]) if row else ""


def _refuse_foreign_code(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `BadInputError` if the file has foreign triggers or views, which could change reads and writes."""
    foreign = schema.find_foreign_code(connection)
    if foreign:
        names = ", ".join(map(str, foreign[:3]))
        raise BadInputError(
            f"{path.name} holds triggers or views that are not Annotator's ({names}), so it was not opened. "
            "It was not changed; annotator recover makes a project without them.",
            details=tuple(schema_object.sql for schema_object in foreign),
        )


def _check_layout(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `DamagedFileError` if a table, index, trigger or view of the file's version is missing or changed."""
    missing = schema.find_schema_differences(connection).missing
    if missing or schema.version_of(connection) < 1:
        raise damaged_file_error(
            path.name, tuple(f"the {schema_object} is missing or changed" for schema_object in missing[:_MAX_LISTED])
        )


def quick_check(connection: sqlite3.Connection, path: Path) -> None:
    """Check a small file; the application checks large ones in the background."""
    if path.stat().st_size > QUICK_CHECK_BYTES:
        return
    problems = [str(row[0]) for row in connection.execute("PRAGMA quick_check(5)") if row[0] != "ok"]
    if problems:
        raise damaged_file_error(path.name, tuple(problems))


def _read_identity(connection: sqlite3.Connection, path: Path, annotator: str | None) -> tuple[str, AnnotatorRow]:
    row = connection.execute("SELECT name, settings FROM project").fetchone()
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    people = [
        AnnotatorRow(**annotator_row)
        for annotator_row in cursor.execute("SELECT id, name, role FROM annotator ORDER BY rowid")
    ]
    if row is None or not people:
        raise BadInputError(f"{path.name} has no project in it; it may come from an interrupted copy.")
    if annotator is not None:
        return row[0], find_person(people, annotator, path.name)
    preferred_id = _parse_settings(row[1]).get("annotator")
    return row[0], next((person for person in people if person.id == preferred_id), people[0])


def find_person(people: Sequence[AnnotatorRow], name: str, project: str) -> AnnotatorRow:
    """Return the person with a name. Raises `BadInputError` with the existing names if there is none."""
    for person in people:
        if person.name == name:
            return person
    names = ", ".join(person.name for person in people)
    raise BadInputError(
        f"There is no annotator {name} in {project}. Choose from: {names}. A new one joins with annotator project join "
        "--name."
    )


def _parse_settings(text: str) -> dict[str, Any]:
    settings = json.loads(text)
    if not isinstance(settings, dict):
        raise ValueError("the settings of the project are not an object")
    return settings
