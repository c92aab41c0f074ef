"""The connections of an open project file: counted while in use, and replaced together if its log is removed.

Another program may remove the write-ahead log because it takes itself for the last user, or a person may delete it.
Open connections then keep writing into the removed log, and none of that reaches the project. A new connection does
not help: all connections of a process share one index of the log, so it would read the new log by the old index. So
all are closed before a new one is opened.
"""

from __future__ import annotations

import logging
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeAlias

from annotator.base.errors import DamagedFileError, KnownError, MissingEnvironmentError
from annotator.base.messages import Message
from annotator.base.open_files import holds_open
from annotator.store.file.connection import ProjectConnection, connect, connect_without_log
from annotator.store.file.file_lock import FileLock, WaitingWrites

_log = logging.getLogger("annotator.store")
_MAX_WAIT_S = 10.0
_CLOSING_S = 1.0
_POLL_S = 0.01
Identity: TypeAlias = tuple[int, int]
"""Device and inode of a file."""
LogFiles: TypeAlias = tuple[Identity | None, Identity | None]
"""The log and its index; None for a missing one."""
Content: TypeAlias = tuple[str, str, int, str]
"""A project, the act of an earlier number, and the number and identifier of the newest act."""


class OpenConnections:
    """Opens and tracks the connections of one project file."""

    def __init__(
        self, path: Path, prepare: Callable[[sqlite3.Connection], object], lock: FileLock | None = None
    ) -> None:
        """Open no connection yet; ``prepare`` is called with each new one, ``lock`` is shared with another owner."""
        self.path = path
        self._prepare = prepare
        self._lock = lock or FileLock(path)
        self.waiting_writes = WaitingWrites(self._lock)
        self._condition = threading.Condition(threading.RLock())
        self._users = Counter[int]()
        self._waiting_replacements = 0
        self._closers: list[Callable[[], object]] = []
        self._opened: list[ProjectConnection] = []
        self._log_files: LogFiles | None = None
        self._file_state: tuple[int, int] | None = None
        self._identity: Identity | None = None
        self._checked_state: tuple[int, int] | None = None
        self._content: Content | None = None
        self._has_unsaved_log = True
        self._released = False
        self._warning_callback: Callable[[Message], object] | None = None

    def share_lock(self) -> FileLock:
        """Return the lock on the file for another owner in this process."""
        return self._lock.share()

    def before_replacing(self, close: Callable[[], object]) -> None:
        """Call ``close`` before all connections are closed, so that a pool can give up its own."""
        self._closers.append(close)

    def open(self, *, read_only: bool) -> ProjectConnection:
        """Open a connection. Raises `MissingEnvironmentError` if the file was moved or overwritten, or lost its log."""
        with self._condition:
            if self.is_moved():
                # The file at this path may now be another project.
                raise MissingEnvironmentError(self.describe_move())
            if self.is_log_removed():
                raise self._in_use_error()
            if not self._open_connections():
                self._log_files = self._identity = None
                self._refuse_missing()
            connection = connect(self.path, read_only=read_only)
            self._opened = [*self._open_connections(), connection]
            try:
                # SQLite opens the log at the first read.
                connection.execute("PRAGMA schema_version").fetchone()
                if self._log_files is None and connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                    self._remember_log()
                self.refuse_overwritten()
                self._prepare(connection)
                if self._content is None and (content := _read_content(connection, 0)):
                    # This read includes the log, so which acts are in the file itself is unknown.
                    self._content = content[0], "", 0, ""
            except BaseException:
                connection.close()
                raise
            return connection

    @contextmanager
    def use(self) -> Iterator[None]:
        """Count this thread as a user of connections, which keeps them from being replaced."""
        thread_id = threading.get_ident()
        with self._condition:
            if thread_id not in self._users:
                self._condition.wait_for(self._has_no_waiting_replacement)
            self._users[thread_id] += 1
        try:
            yield
        finally:
            with self._condition:
                self._users[thread_id] -= 1
                self._users += Counter()
                self._condition.notify_all()
                self._close_lock()

    def is_used_here(self) -> bool:
        """Return whether this thread uses a connection now."""
        return threading.get_ident() in self._users

    def is_log_removed(self) -> bool:
        """Return whether the connections' log or its index is no longer the one beside the file."""
        file = self._describe_file()
        if self._log_files is None or not self._open_connections() or self.is_moved():
            return False
        if self._identify_log() != self._log_files:
            return True
        # The file's state was read before the log's identity, so it belongs to this log.
        self._file_state = file
        return False

    def is_moved(self) -> bool:
        """Return whether the connections' file was renamed, moved or deleted."""
        return self._identity is not None and bool(self._open_connections()) and self._identify("") != self._identity

    def refuse_overwritten(self) -> None:
        """Raise `MissingEnvironmentError` if another file was copied over the open one.

        The file itself changes only when the log is copied into it, so its project and its acts must still be there.
        """
        with self._condition:
            state = self._describe_file()
            if state in (None, self._checked_state) or self.is_moved():
                return
            with closing(connect_without_log(self.path)) as connection:
                content = _read_content(connection, self._content[2] if self._content else 0)
            if content is None:
                return  # The log is being copied, or the file is new.
            if self._content is not None and content[:2] != (self._content[0], self._content[3]):
                raise MissingEnvironmentError(
                    f"Another file was copied over {self.path.name} while it was open here, so nothing more is saved "
                    "in it. Close it in every window and program, then copy that file or a backup to its place again."
                )
            self._checked_state, self._content = state, content

    def describe_move(self) -> Message:
        """Return the message for a file that was renamed, moved or deleted."""
        name = self.path.name
        if self._lock.is_deleted():
            return Message(
                "{name} was deleted while open here. Back up now: the backup contains everything.", name=name
            )
        return Message(
            "{name} was renamed or moved while open here. Saved work is in it; close the project and open it under "
            "its new name.",
            name=name,
        )

    def save_moved(self, *, again: bool = True) -> bool:
        """Copy a moved file's log into the file; returns True the first time that the whole log was copied.

        The log keeps its place and name, so opening the file under its new name would miss the log's content;
        SQLite itself does not copy it on closing either (``databaseIsUnmoved`` in its pager.c). Without ``again``
        nothing is done if all was copied before.
        """
        with self._condition:
            if not self.is_moved() or not (again or self._has_unsaved_log):
                return False
            if self._copy_log() and self._has_unsaved_log:
                self._has_unsaved_log = False
                return True
            return False

    def replace(self) -> bool:
        """Close all connections if their log was removed, so that new ones are opened; returns False if data is lost.

        If nobody else has written since, the removed log is first copied into the file. Otherwise its content is lost.
        Raises `MissingEnvironmentError` if connections are in use for too long.
        """
        with self._condition:
            self._waiting_replacements += 1
            try:
                if self.is_used_here() or not self._condition.wait_for(self._is_unused, _MAX_WAIT_S):
                    raise self._in_use_error()
                return not self.is_log_removed() or self._close_all()
            finally:
                self._waiting_replacements -= 1
                self._condition.notify_all()

    def on_warning(self, callback: Callable[[Message], object]) -> None:
        """Register a callback for problems with the file that were repaired; it runs in the thread that found them."""
        self._warning_callback = callback

    def warn(self, message: Message) -> None:
        """Log and report a problem with the file that was repaired."""
        _log.warning(message)
        if self._warning_callback is not None:
            self._warning_callback(message)

    def recheck_damage(self, error: DamagedFileError) -> KnownError:
        """Return the error to show after a failed read, because a file may only look damaged while it changes."""
        if self._released or self.is_used_here():
            return error
        with self.use():
            try:
                with closing(self.open(read_only=True)) as connection:
                    quick_check = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            except sqlite3.DatabaseError:
                return error
        if quick_check != "ok":
            return error
        return MissingEnvironmentError(f"{self.path.name} changed while it was read, and is intact. Try again.")

    def release(self) -> None:
        """Release the file's lock before the last connections are closed. Call `close` after that."""
        with self._condition:
            if not self._released:
                self._released = True
                self._lock.release()

    def close(self) -> None:
        """Close the file's lock once no connection is left; connections in use are closed by their users."""
        with self._condition:
            self._close_lock()

    def _close_all(self) -> bool:
        _log.warning("the log of the open project was removed")
        self._lock.bar()
        try:
            is_saved = self._save_log()
            for close in self._closers:
                close()
            # Without the lock, the last connection to close would copy its outdated log into the file.
            for connection in self._open_connections():
                connection.close()
        finally:
            self._lock.unbar()
        deadline = time.monotonic() + _CLOSING_S
        while any(identity is not None and holds_open(identity) for identity in self._log_files or ()):
            # A reading thread finishes its statement first.
            if time.monotonic() > deadline:
                raise self._in_use_error()
            time.sleep(_POLL_S)
        self._log_files = None
        return is_saved

    def _save_log(self) -> bool:
        """Copy the removed log into the file, unless somebody has changed or opened the file since."""
        own_files = self._log_files or (None, None)
        current_files = self._identify_log()
        has_others = any(current not in (own, None) for current, own in zip(current_files, own_files, strict=True))
        return not has_others and self._describe_file() == self._file_state and self._copy_log()

    def _copy_log(self) -> bool:
        """Copy the log into the file; returns whether all of it was copied."""
        for connection in self._open_connections():
            with connection.borrowed() as is_open:
                if not is_open:
                    continue
                try:
                    busy, pages, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                except sqlite3.Error:
                    # A read-only connection cannot copy it.
                    continue
            if not busy and pages == copied:
                return True
        return False

    def _remember_log(self) -> None:
        log_files = self._identify_log()
        # Without write permission there may be no log, and on Windows an open file cannot be removed.
        if None not in log_files and sys.platform != "win32":
            self._log_files = log_files
            self._file_state = self._describe_file()
            self._identity = self._identify("")
            self._has_unsaved_log = True
            self._lock.hold()

    def _identify_log(self) -> LogFiles:
        return self._identify("-wal"), self._identify("-shm")

    def _identify(self, ending: str) -> Identity | None:
        try:
            status = Path(f"{self.path}{ending}").stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _describe_file(self) -> tuple[int, int] | None:
        """Return the file's size and modification time, which differ after somebody has written to it."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_size, status.st_mtime_ns

    def _refuse_missing(self) -> None:
        if not self.path.exists():
            raise MissingEnvironmentError(
                f"{self.path.name} is no longer there: it was renamed, moved or deleted. Close the project, "
                "and open it under its new name."
            )

    def _has_no_waiting_replacement(self) -> bool:
        return not self._waiting_replacements

    def _is_unused(self) -> bool:
        return not self._users

    def _open_connections(self) -> list[ProjectConnection]:
        return [connection for connection in self._opened if connection.is_open]

    def _close_lock(self) -> None:
        if self._released and not self._users and not self._open_connections():
            self._lock.close()

    def _in_use_error(self) -> MissingEnvironmentError:
        return MissingEnvironmentError(
            f"Another program removed the log of {self.path.name} while it is in use here. Try again in a moment; if "
            "that does not help, close the project and open it again."
        )


def _read_content(connection: sqlite3.Connection, act_number: int) -> Content | None:
    """Return a file's project and acts, see `Content`; None if it cannot be read now."""
    query = (
        "SELECT p.id, coalesce((SELECT id FROM change WHERE seq = ?), ''), coalesce(n.seq, 0), coalesce(n.id, '') "
        "FROM project p LEFT JOIN change n ON n.seq = (SELECT max(seq) FROM change)"
    )
    try:
        row = connection.execute(query, (act_number,)).fetchone()
    except sqlite3.DatabaseError:
        return None
    return row and tuple(row)
