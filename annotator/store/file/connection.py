"""Connections to a project file: their settings, and the messages for their errors."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import DamagedFileError, KnownError, MissingEnvironmentError
from annotator.jobs.progress import Cancelled, Progress

if TYPE_CHECKING:
    from sqlalchemy import Connection


BUSY_MILLISECONDS = 5000
_POLL_S = 0.1


class ProjectConnection(sqlite3.Connection):
    """A connection that knows whether it is open, and cannot be closed while another thread borrows it."""

    is_open = True

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._borrowing = threading.Lock()

    @contextmanager
    def borrowed(self) -> Iterator[bool]:
        """Yield whether the connection is open, and keep it from being closed, which could crash a statement."""
        with self._borrowing:
            yield self.is_open

    def close(self) -> None:
        """Close the connection once nobody borrows it; safe to call twice."""
        with self._borrowing:
            super().close()
            self.is_open = False


def connect(path: Path, *, read_only: bool) -> ProjectConnection:
    """Open one connection with the project's settings; the caller sends BEGIN and COMMIT itself."""
    mode = "mode=ro" if read_only else "mode=rw"
    if read_only and not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists():
        # Where SQLite cannot create the shared-memory file, it reads a WAL database only as an immutable one.
        mode += "&immutable=1"
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?{mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        factory=ProjectConnection,
    )
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def connect_without_log(path: Path) -> sqlite3.Connection:
    """Open a connection that reads only the file, without its log and without locks.

    Closing it does not drop the locks of this process's other connections on the file, because SQLite keeps the
    descriptor until those are closed too.
    """
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)


def error_name(error: BaseException | None) -> str:
    """Return SQLite's name of an error, or an empty text for errors of Python's module, such as undecodable text."""
    return str(getattr(error, "sqlite_errorname", ""))


@contextmanager
def interrupt_when_cancelled(connection: sqlite3.Connection, progress: Progress | None) -> Iterator[None]:
    """Interrupt the connection's statement when ``progress`` is cancelled, and raise `Cancelled`.

    A single statement may take minutes without checking for cancellation, so another thread polls.
    """
    if progress is None:
        yield
        return
    finished = threading.Event()
    watcher = threading.Thread(
        target=_interrupt_when_cancelled, args=(connection, progress, finished), name="interrupt", daemon=True
    )
    watcher.start()
    try:
        yield
    except sqlite3.OperationalError as error:
        if error_name(error) != "SQLITE_INTERRUPT":
            raise
        raise Cancelled from None
    finally:
        finished.set()
        # The thread must not interrupt the connection's next user.
        watcher.join()


def _interrupt_when_cancelled(connection: sqlite3.Connection, progress: Progress, finished: threading.Event) -> None:
    while not finished.wait(_POLL_S):
        if progress.cancelled:
            connection.interrupt()


_DAMAGED_MESSAGE = (
    "{name} is damaged. It was left as it is; a verified backup may be in the folder {name}-backups beside it, "
    "and annotator recover says what can be read."
)
_DAMAGE_MARKS = (
    "malformed", "not a database", "corrupt", "vtable constructor failed", "Could not decode to UTF-8"
)  # fmt: skip
NO_LOCKS = (
    "File locks do not work in the folder of {name}, so two programs could damage the project. Nothing was changed. "
    "Keep it on a local disk, or ask the administrator of the file system to turn locks on."
)
_NO_SHARED_MEMORY = (
    "Programs cannot share memory through the folder of {name}, which a project needs. Nothing was changed. Keep it on "
    "a local disk."
)
_KNOWN_ERRORS: Mapping[tuple[str, ...], str] = {
    ("disk is full", "SQLITE_FULL"): "The disk is full, so nothing of this was saved. Free some space and try again.",
    ("database is locked", "database table is locked", "SQLITE_BUSY"): "Another program is writing to {name}, so "
    "nothing of this was saved. Try again when it has finished.",
    ("readonly database", "read-only", "unable to open database file"): "{name} or its folder cannot be written, so "
    "nothing was changed. Check its permissions, or copy it elsewhere.",
    # Some network file systems cannot map a file into memory, as the log's index needs.
    ("SQLITE_IOERR_SHM",): _NO_SHARED_MEMORY,
    ("disk I/O error",): "The disk reported an error with {name}, so nothing of this was saved. Check the disk and "
    "open it again.",
    ("locking protocol",): NO_LOCKS,
    _DAMAGE_MARKS: _DAMAGED_MESSAGE,
}


def as_known_file_error(error: BaseException, name: str) -> KnownError | None:
    """Return the `KnownError` for a database failure on the file ``name``, or None if the failure is a bug."""
    text = f"{error} {error_name(error)}"
    for fragments, sentence in _KNOWN_ERRORS.items():
        if any(fragment in text for fragment in fragments):
            error_type = DamagedFileError if fragments == _DAMAGE_MARKS else MissingEnvironmentError
            return error_type(sentence.format(name=name))
    return None


def damaged_file_error(name: str, problems: tuple[str, ...]) -> DamagedFileError:
    """Return the error for a damaged file ``name``, with its problems as details."""
    return DamagedFileError(_DAMAGED_MESSAGE.format(name=name), details=problems)


@contextmanager
def translate_errors(name: str) -> Iterator[None]:
    """Raise SQLite's errors inside the block as `KnownError` where they are known."""
    try:
        yield
    except sqlite3.Error as error:
        known_error = as_known_file_error(error, name)
        if known_error is None:
            raise
        raise known_error from error


_CACHE_KILOBYTES = 32 * 1024
# During a long write the log is copied between transactions (`LongWrite`), never as part of a commit.
_OPTIONS = {"cache_size": -_CACHE_KILOBYTES, "wal_autocheckpoint": 0}


class WritingOptions:
    """Sets options of the writing connection for long writes, and restores the previous ones after the last of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._previous: dict[str, int] = {}

    def begin(self, connection: Connection) -> None:
        """Set the options at the beginning of a long write."""
        with self._lock:
            previous = _set_options(connection, _OPTIONS)
            self._previous = self._previous or previous
            self._users += 1

    def end(self) -> None:
        """Record the end of a long write; call `restore` next."""
        with self._lock:
            self._users -= 1

    def restore(self, connection: Connection) -> None:
        """Restore the previous options unless another long write is running."""
        with self._lock:
            if not self._users:
                _set_options(connection, self._previous)
                self._previous = {}


def _set_options(connection: Connection, options: Mapping[str, int]) -> dict[str, int]:
    """Set options of a file's connection and return their previous values."""
    previous = {name: int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()) for name in options}
    for name, value in options.items():
        connection.exec_driver_sql(f"PRAGMA {name} = {value:d}")
    return previous
