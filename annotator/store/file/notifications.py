"""Report what other windows and commands change in a project file: one connection polls for their commits."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from annotator.base.errors import KnownError
from annotator.model.changes import Changes
from annotator.store.file.open_connections import OpenConnections
from annotator.store.file.window_locks import WindowLocks

if TYPE_CHECKING:
    from annotator.store.file.writer import Session

OnChanges: TypeAlias = Callable[[Changes], object]
OnWindows: TypeAlias = Callable[[tuple[str, ...]], object]
"""Gets the people who have the project open in other windows; for a file, only their number is known."""

_log = logging.getLogger("annotator.store")
_POLL_S = 0.1
# A run of another process commits several times a second; pages that count responses need not follow each commit. The
# last change must still be shown within a second on a busy machine.
GAP_S = 0.25
"""The least time between two reports of changes."""
_WINDOWS_S = 1.0
# Own acts in quick succession leave little time between them: with a short wait the lock would be missed repeatedly.
_LOCK_WAIT_S = 1.0
_JOIN_S = 2.0
_MAX_CHANGES = 200
NAMED = 50
"""The most subjects that a change lists; an empty list may mean any subject."""

# Rows about subjects without an entry in the undo log: noun, table, and which of its rows.
_ABOUT_SUBJECTS = (
    ("proof", "proof", "1"),
    ("response", "response", "run_id IS NULL"),
    ("suggestion", "suggestion", "1"),
)
# Other tables without an entry there: the nouns that pages know them by, and a query whose result changes with them.
_WITHOUT_LOG: tuple[tuple[tuple[str, ...], str], ...] = (
    (("run",), "SELECT group_concat(id || state || reason || coalesce(finished_at, '') || coalesce(score_set_id, '')) "
               "FROM run"),
    (("response",), "SELECT max(rowid) FROM response"),
    (("response",), "SELECT max(rowid) FROM failure"),
    (("score",), "SELECT max(rowid) FROM score"),
    (("score",), "SELECT max(rowid) FROM score_set"),
    (("release",), "SELECT max(rowid) FROM release"),
    (("conflict",), "SELECT max(rowid) FROM conflict"),
    (("annotator",), "SELECT group_concat(id || name || role) FROM annotator"),
    (("project",), "SELECT group_concat(name || settings) FROM project"),
    # A long import becomes visible, and search complete, after the act that the log names.
    (("source", "subject"), "SELECT group_concat(change_id) FROM arrival"),
    (("subject",), "SELECT count(*) FROM (SELECT 1 FROM search_gap LIMIT 1)"),
)  # fmt: skip
READ = "SELECT " + ", ".join(
    f"({query})"
    for query in (
        "SELECT max(seq) FROM change",
        *(f"SELECT max(rowid) FROM {table} WHERE {which}" for _, table, which in _ABOUT_SUBJECTS),
        *(query for _, query in _WITHOUT_LOG),
    )
)
"""The query of each poll, whose result shows what changed."""


class _State(NamedTuple):
    """A summary of the file's content that differs after every reported change."""

    change: int
    about_subjects: tuple[int, ...]
    others: tuple[object, ...]


class _Mark(NamedTuple):
    """The writing connection before its commit, and whether the listener has seen every earlier commit."""

    writer: sqlite3.Connection
    version: int
    nothing_missed: bool


class FileListener:
    """A thread that polls for commits of others and reports them; close it when done.

    SQLite counts the commits of other connections only, and the writer of this very program is another connection
    than the listener's. So own commits pass through `own_write`, which leaves them out of the reports.
    """

    def __init__(
        self, connections: OpenConnections, renew: Callable[[], object], on_changes: OnChanges, on_windows: OnWindows
    ) -> None:
        """Start listening; ``renew`` replaces connections whose log was removed."""
        self._connections, self._renew, self._on_changes, self._on_windows = connections, renew, on_changes, on_windows
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._connection = connections.open(read_only=True)
        self._work_tables = _tables_of_work(self._connection)
        self._version, self._state = _read_state(self._connection)
        self._own_since = False
        self._reported_at = 0.0
        self._thread = threading.Thread(target=self._run, name="file-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening; returns once the thread has ended."""
        self._ended.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(_JOIN_S)
        with self._lock, self._connections.use():
            self._connection.close()

    @contextmanager
    def own_write(self, writing: AbstractContextManager[Session]) -> Iterator[Session]:
        """Lend a writing session whose commit is not reported."""
        with self._lock:
            with writing as session:
                yield session
                mark = self._before_commit(session)
            if mark is not None:
                self._after_commit(mark)

    def _before_commit(self, session: Session) -> _Mark | None:
        if self._ended.is_set() or not session.in_transaction():
            return None
        writer = cast(sqlite3.Connection, session.connection().connection.driver_connection)
        try:
            # Nobody else can commit now.
            return _Mark(writer, _version(writer), _version(self._connection) == self._version)
        except sqlite3.Error:
            return None

    def _after_commit(self, mark: _Mark) -> None:
        try:
            with self._connections.use():
                version = _version(self._connection)
            if mark.nothing_missed and _version(mark.writer) == mark.version:
                self._version, self._own_since = version, True
        except sqlite3.Error as error:
            # If own and foreign commits cannot be distinguished, they are reported.
            _log.info("a commit was not told from those of others (%s)", type(error).__name__)

    def _run(self) -> None:
        windows, others, looked_at = WindowLocks(self._connections.path), 0, 0.0
        try:
            while not self._ended.wait(_POLL_S):
                if time.monotonic() - looked_at >= _WINDOWS_S:
                    before, others, looked_at = others, windows.count_others(), time.monotonic()
                    if others != before:
                        self._on_windows(("",) * others)
                self._renew_quietly()
                self._report_changes()
        finally:
            windows.close()

    def _report_changes(self) -> None:
        """Report what others have changed since the last poll."""
        if time.monotonic() - self._reported_at < GAP_S or not self._lock.acquire(timeout=_LOCK_WAIT_S):
            return
        changes = None
        try:
            with self._connections.use():
                changes = self._poll()
        except sqlite3.Error as error:
            _log.info("looking for changes of others failed (%s)", type(error).__name__)
            self._reconnect()
        finally:
            self._lock.release()
        if changes is not None and not self._ended.is_set():
            self._reported_at = time.monotonic()
            self._on_changes(changes)

    def _reconnect(self) -> None:
        """Open a new connection; the next poll still compares with the state seen before."""
        with suppress(sqlite3.Error, KnownError), self._lock, self._connections.use():
            if not self._ended.is_set():
                fresh = self._connections.open(read_only=True)
                self._connection.close()
                self._connection, self._version = fresh, -1

    def _renew_quietly(self) -> None:
        try:
            self._renew()
        except KnownError as error:
            # The next act or page to use a connection reports it to the user.
            _log.warning("connections whose log was removed were not replaced: %s", error)

    def _poll(self) -> Changes | None:
        """Return what others have changed since the last poll, None if no page shows it."""
        if self._ended.is_set():
            return None
        quick_version = _version(self._connection)
        if quick_version == self._version and not self._own_since:
            return None
        version, state = _read_state(self._connection)
        before, self._state, self._own_since = self._state, state, False
        if version == self._version:
            return None
        self._version = version
        return self._changes(before, state)

    def _changes(self, before: _State, now: _State) -> Changes | None:
        """Return the difference between two states as a change."""
        nouns, subjects = set[str](), set[str]()
        for (table_nouns, _), old, new in zip(_WITHOUT_LOG, before.others, now.others, strict=True):
            if old != new:
                nouns.update(table_nouns)
        all_listed = "subject" not in nouns
        changes = [
            ({noun}, self._subject_ids(f"SELECT DISTINCT subject_id FROM {table} WHERE rowid > ? AND {which}", (old,)))
            for (noun, table, which), old, new in zip(
                _ABOUT_SUBJECTS, before.about_subjects, now.about_subjects, strict=True
            )
            if old != new
        ]
        if now.change != before.change:
            changes.append(self._logged_changes(before.change))
        for new_nouns, about_ids in changes:
            nouns |= new_nouns
            all_listed = all_listed and about_ids is not None
            subjects |= about_ids or set()
        if not nouns:
            return None
        if subjects or not all_listed:
            nouns.add("subject")
        lists_subjects = all_listed and len(subjects) <= NAMED
        return Changes(frozenset(nouns), frozenset(subjects if lists_subjects else ()))

    def _logged_changes(self, after: int) -> tuple[set[str], set[str] | None]:
        """Return the nouns of the acts after one, and their subjects (None: any subject may be affected)."""
        rows = self._connection.execute(
            "SELECT coalesce(target_id, id), nouns FROM change WHERE seq > ? ORDER BY seq LIMIT ?",
            (after, _MAX_CHANGES + 1),
        ).fetchall()
        # A label that is a message is stored among the nouns, as a JSON object.
        nouns = {str(noun) for _, nouns_text in rows for noun in json.loads(nouns_text) if not noun.startswith("{")}
        if len(rows) > _MAX_CHANGES or "source" in nouns:
            return nouns, None
        ids = [str(row[0]) for row in rows]
        placeholders = ", ".join("?" * len(ids))
        subject_ids = set[str]()
        for table in self._work_tables:
            ids_in_table = self._subject_ids(
                f'SELECT DISTINCT subject_id FROM "{table}" WHERE change_id IN ({placeholders})', ids
            )
            if ids_in_table is None:
                return nouns, None
            subject_ids |= ids_in_table
        return nouns, subject_ids

    def _subject_ids(self, query: str, values: Sequence[str | int]) -> set[str] | None:
        """Return the subject ids of a query, None if there are more than `NAMED`."""
        rows = self._connection.execute(f"{query} LIMIT {NAMED + 1}", values).fetchall()
        return {str(row[0]) for row in rows} if len(rows) <= NAMED else None


def _version(connection: sqlite3.Connection) -> int:
    """Return SQLite's ``data_version``, which changes with commits of other connections."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def _read_state(connection: sqlite3.Connection) -> tuple[int, _State]:
    """Return the file's version and state, both from one snapshot."""
    connection.execute("BEGIN")
    try:
        change, *others = connection.execute(READ).fetchone()
        count = len(_ABOUT_SUBJECTS)
        newest = tuple(row or 0 for row in others[:count])
        return _version(connection), _State(change or 0, newest, tuple(others[count:]))
    finally:
        connection.execute("COMMIT")


def _tables_of_work(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the tables whose rows have both an act and a subject."""
    with closing(
        connection.execute(
            "SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c "
            "WHERE t.type = 'table' AND c.name IN ('change_id', 'subject_id') GROUP BY t.name HAVING count(*) = 2"
        )
    ) as cursor:
        return tuple(str(row[0]) for row in cursor)
