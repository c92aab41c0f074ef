"""Sessions on a project: many readers, one writer, explicit transactions.

The engines of all projects share compiled statements, so that each one is compiled once in a process.
"""

from __future__ import annotations

import sqlite3
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from typing import Any, cast

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.exc import DBAPIError, InvalidRequestError
from sqlalchemy.pool import QueuePool
from sqlmodel import Session as Session

from annotator.base.errors import DamagedFileError, KnownError, MissingEnvironmentError
from annotator.base.messages import Message
from annotator.store.file.connection import as_known_file_error
from annotator.store.file.open_connections import OpenConnections
from annotator.store.file.replay import TransactionRecording, write_again
from annotator.store.soundness import block_digests

FILE_DIALECT = "sqlite+annotator://"
"""The URL of an engine for project files."""
_MAX_STATEMENTS = 2_000
"""Maximum number of cached statements; the program has some hundred, in several sizes."""
_RECENT_ACTS = 16
"""Number of acts that can be written again if the log is removed."""
_ATTEMPTS = 3
_LOG_REMOVED = Message("Another program removed the project's log. Your last changes are safe.")
_WRITTEN_AGAIN = Message("Another program removed the project's log. Your last change was saved again.")


class _CompiledStatements(dict[Any, Any]):
    """A cache that is emptied when full, because each search may create a new form of a statement."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= _MAX_STATEMENTS:
            self.clear()
        super().__setitem__(key, value)


class SharedStatements:
    """Mixin that makes dialects of one class and server version equal, so engines share compiled statements."""

    server_version_info: tuple[Any, ...] | None

    def __eq__(self, other: object) -> bool:
        """Return whether the other dialect compiles to the same text; that depends on the server's version."""
        return type(self) is type(other) and self.server_version_info == getattr(other, "server_version_info", None)

    def __hash__(self) -> int:
        """Return a hash consistent with `__eq__`."""
        return hash(type(self))


@cache
def compiled_statements() -> dict[Any, Any]:
    """Return the process-wide cache of statements compiled by SQLAlchemy."""
    return _CompiledStatements()


def make_engine(url: str, creator: Callable[[], Any]) -> Engine:
    """Return an engine for the dialect of a URL, with connections from ``creator``."""
    return create_engine(
        url,
        creator=creator,
        poolclass=QueuePool,
        pool_size=4,
        max_overflow=4,
        # Tracebacks are logged, and the log must not contain a subject's texts.
        hide_parameters=True,
        execution_options={"compiled_cache": compiled_statements()},
    )


class FileDialect(SharedStatements, SQLiteDialect_pysqlite):
    """SQLAlchemy's SQLite dialect with shared compiled statements."""

    supports_statement_cache = True


registry.register("sqlite.annotator", __name__, FileDialect.__name__)


def driver_connection(session: Session) -> sqlite3.Connection:
    """Return a session's own connection, for plain SQL within its transaction; one to a server has that type too."""
    session.flush()
    return cast(sqlite3.Connection, session.connection().connection.driver_connection)


class Writer(ABC):
    """The engines of one project. Only one writing session exists at a time, across all threads."""

    def __init__(self, name: str, read_only: bool) -> None:
        """Connect on first use; ``name`` is the project's name in error messages."""
        self._name = name
        self._write_lock = threading.RLock()
        self._durable = True
        self._readers = self._engine(read_only=True)
        self._writers = self._readers if read_only else self._engine(read_only=False)

    @abstractmethod
    def _engine(self, *, read_only: bool) -> Engine:
        """Return an engine whose transactions begin according to the project's rules."""

    @abstractmethod
    def _as_known_error(self, error: BaseException) -> KnownError | None:
        """Return the `KnownError` for a failure of the driver, or None if it is a bug."""

    @contextmanager
    def session(self, *, read_only: bool, durable: bool = True) -> Iterator[Session]:
        """Lend a session; a writing one is committed at the end of the block and rolled back on any error."""
        if read_only:
            with self._translate_errors(), Session(self._readers, expire_on_commit=False) as session:
                yield session
            return
        with self._write_lock:
            self._durable = durable
            with self._writing(self._writers) as session:
                yield session

    @contextmanager
    def _writing(self, engine: Engine) -> Iterator[Session]:
        with self._translate_errors(), Session(engine, expire_on_commit=False) as session:
            try:
                yield session
                session.commit()
            except BaseException:
                # An interruption may happen during the commit itself, after which there is nothing to roll back.
                with suppress(InvalidRequestError):
                    session.rollback()
                raise

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            known_error = self._as_known_error(error.orig or error if isinstance(error, DBAPIError) else error)
            if known_error is None:
                raise
            raise known_error from error

    @abstractmethod
    def write_digests(self, seconds: float = float("inf")) -> None:
        """Write the digests of what this program changed, unless another writer is at work, who writes them later."""

    @abstractmethod
    def renew(self) -> None:
        """Make sure that connections see the same project as others, including recent commits."""

    def close(self) -> None:
        """Close all connections."""
        self._readers.dispose()
        self._writers.dispose()


class _LooksDamagedError(DamagedFileError):
    """A read failed as if the file were damaged; the file is checked again before this is reported."""


class FileWriter(Writer):
    """The engines of one project file.

    After each commit it checks that its log still belongs to the file. If not, the act is written again.
    """

    def __init__(self, connections: OpenConnections, read_only: bool) -> None:
        self._connections = connections
        self._is_read_only = read_only
        self._recording = TransactionRecording()
        self._recent: deque[TransactionRecording] = deque(maxlen=_RECENT_ACTS)
        self._has_digests = True
        super().__init__(connections.path.name, read_only)
        connections.before_replacing(super().close)

    @contextmanager
    def session(self, *, read_only: bool, durable: bool = True) -> Iterator[Session]:
        """Lend a session; a writing one is committed at the end of the block, and repeated if the log was removed."""
        try:
            if read_only or self._is_read_only:
                if not self._connections.is_used_here():
                    self.renew()
                with self._connections.use(), super().session(read_only=True) as session:
                    yield session
                return
            with self._write_lock:
                self.renew()
                self._connections.refuse_overwritten()
                self._recording = TransactionRecording()
                self._has_digests = False
                with self._connections.use(), super().session(read_only=False, durable=durable) as session:
                    yield session
                self.confirm(self._recording)
        except _LooksDamagedError as error:
            self.renew()
            raise self._connections.recheck_damage(error) from error

    def renew(self) -> None:
        """Replace the connections if their log was removed, and write lost recent transactions again.

        If the file was renamed or moved instead, its log is copied into it.
        """
        if self._connections.is_moved():
            self._save_moved(again=False)
        elif self._connections.is_log_removed():
            with self._write_lock, self._translate_errors():
                self._replace([])

    def confirm(self, recording: TransactionRecording) -> None:
        """Check that a committed transaction is in the file, and write it again if it is not."""
        if self._connections.is_moved():
            self._save_moved(again=True)
        elif self._connections.is_log_removed():
            with self._translate_errors():
                self._replace([recording])
        self._connections.refuse_overwritten()
        if recording.is_act:
            self._recent.append(recording)

    def _save_moved(self, *, again: bool) -> None:
        if self._connections.save_moved(again=again):
            self._connections.warn(self._connections.describe_move())

    def _replace(self, committed: list[TransactionRecording]) -> None:
        """Replace the connections; repeat lost transactions, recent ones and those just ``committed``."""
        written = 0
        if not self._connections.replace():
            if not all(recording.is_whole for recording in committed):
                raise MissingEnvironmentError(
                    f"Another program removed the log of {self._name} during this write. Earlier changes are safe. "
                    "Do this again."
                )
            written = self._write_again([*self._recent, *committed])
        self._connections.warn(_WRITTEN_AGAIN if written else _LOG_REMOVED)

    def _write_again(self, recordings: Sequence[TransactionRecording]) -> int:
        """Write transactions that are missing in the file; returns how many were missing."""
        written = 0
        for _ in range(_ATTEMPTS):
            try:
                with self._connections.use(), closing(self._open_for_writing()) as connection:
                    written += write_again(connection, recordings)
                    is_saved = not self._connections.is_log_removed()
            except sqlite3.IntegrityError as error:
                raise MissingEnvironmentError(
                    f"Another program removed the log of {self._name} and changed the same data. Nothing of this was "
                    "saved; check the current state, and do it again."
                ) from error
            if is_saved:
                return written
            self._connections.replace()
        raise MissingEnvironmentError(
            f"Another program keeps removing the log of {self._name}. Nothing of this was saved; close the other "
            "program, and try again."
        )

    def write_digests(self, seconds: float = float("inf")) -> None:
        """Write the digests of blocks of rows for some seconds; those still missing are written another time."""
        if self._has_digests:
            return
        is_complete = False
        self._has_digests = True  # A write in another thread sets this to False again.
        with (
            suppress(KnownError, OSError, sqlite3.Error),
            self._connections.use(),
            closing(self._connections.open(read_only=False)) as connection,
        ):
            connection.execute("PRAGMA busy_timeout = 0")
            is_complete = block_digests.write_digests(connection, seconds)
        if not is_complete:
            self._has_digests = False

    def _open_for_writing(self) -> sqlite3.Connection:
        connection = self._connections.open(read_only=False)
        block_digests.watch_changes(connection)
        return connection

    def _engine(self, *, read_only: bool) -> Engine:
        def creator() -> sqlite3.Connection:
            return self._connections.open(read_only=True) if read_only else self._open_for_writing()

        engine = make_engine(FILE_DIALECT, creator)

        @event.listens_for(engine, "begin")
        def begin(connection: Any) -> None:
            if read_only:
                connection.exec_driver_sql("BEGIN")
                return
            # `synchronous` can only be set between transactions. Expert work waits for the disk, run data need not.
            connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
            with self._connections.waiting_writes.wait():
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.exec_driver_sql(block_digests.REMOVE_MARK)

        if not read_only:

            @event.listens_for(engine, "after_cursor_execute")
            def record(
                _connection: object, _cursor: object, statement: str, parameters: Any, _context: object, many: bool
            ) -> None:
                self._recording.add(statement, parameters, many)

        return engine

    def _as_known_error(self, error: BaseException) -> KnownError | None:
        known_error = as_known_file_error(error, self._name) if isinstance(error, sqlite3.Error) else None
        return _LooksDamagedError(known_error.message) if isinstance(known_error, DamagedFileError) else known_error
