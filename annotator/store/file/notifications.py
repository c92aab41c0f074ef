"""Report changes to a project file by other windows and commands; one connection polls for their commits."""

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
"""A function that is called with the people who have the project open elsewhere; files have empty names."""

_log = logging.getLogger("annotator.store")
_POLL_S = 0.1
# A run of another process commits several times a second; pages that count responses need not follow each commit. The
# last change must still be shown within a second on a busy machine.
GAP_S = 0.25
"""Minimum time between two reports of changes."""
_WINDOWS_S = 1.0
"""The time between two counts of the other windows."""
# Own acts in quick succession leave little time between them: with a short wait the lock would be missed repeatedly.
_LOCK_WAIT_S = 1.0
_JOIN_S = 2.0
_MAX_CHANGES = 200
"""Maximum number of acts whose subjects are looked up; after more, any subject may have changed."""
MAX_LISTED_SUBJECTS = 50
"""Maximum number of subjects that a change lists; an empty list may mean any subject."""

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
        *(f"SELECT max(rowid) FROM {table} WHERE {row_condition}" for _, table, row_condition in _ABOUT_SUBJECTS),
        *(query for _, query in _WITHOUT_LOG),
    )
)
"""The query of each poll, whose result shows what changed."""


class _State(NamedTuple):
    """A summary of the file's content; every change to report also changes it."""

    change: int
    about_subjects: tuple[int, ...]
    other_results: tuple[object, ...]


class _CommitMark(NamedTuple):
    """The writing connection before its commit, and whether the listener has seen every earlier commit."""

    writer: sqlite3.Connection
    version: int
    has_seen_all: bool


class FileListener:
    """A thread that polls for commits of others and reports them; close it when done.

    SQLite reports the commits of all other connections, including this program's own writing connection. So own
    commits pass through `own_write`, which leaves them out of the reports.
    """

    def __init__(
        self, connections: OpenConnections, renew: Callable[[], object], on_changes: OnChanges, on_windows: OnWindows
    ) -> None:
        """Start listening; ``renew`` replaces connections whose log was removed."""
        self._connections = connections
        self._renew = renew
        self._on_changes = on_changes
        self._on_windows = on_windows
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._connection = connections.open(read_only=True)
        self._work_tables = _tables_of_work(self._connection)
        self._version, self._state = _read_state(self._connection)
        self._has_own_commits = False
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

    def _before_commit(self, session: Session) -> _CommitMark | None:
        if self._ended.is_set() or not session.in_transaction():
            return None
        writer = cast(sqlite3.Connection, session.connection().connection.driver_connection)
        try:
            # Nobody else can commit now.
            return _CommitMark(writer, _version(writer), _version(self._connection) == self._version)
        except sqlite3.Error:
            return None

    def _after_commit(self, mark: _CommitMark) -> None:
        try:
            with self._connections.use():
                version = _version(self._connection)
            if mark.has_seen_all and _version(mark.writer) == mark.version:
                self._version = version
                self._has_own_commits = True
        except sqlite3.Error as error:
            # If own and foreign commits cannot be distinguished, they are reported.
            _log.info("an own commit could not be distinguished from others (%s)", type(error).__name__)

    def _run(self) -> None:
        windows = WindowLocks(self._connections.path)
        other_windows = 0
        counted_at = 0.0
        try:
            while not self._ended.wait(_POLL_S):
                if time.monotonic() - counted_at >= _WINDOWS_S:
                    previous_count, other_windows = other_windows, windows.count_others()
                    counted_at = time.monotonic()
                    if other_windows != previous_count:
                        self._on_windows(("",) * other_windows)
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
            _log.info("polling for changes by others failed (%s)", type(error).__name__)
            self._reconnect()
        finally:
            self._lock.release()
        if changes is not None and not self._ended.is_set():
            self._reported_at = time.monotonic()
            self._on_changes(changes)

    def _reconnect(self) -> None:
        """Open a new connection; the next poll still compares with the previous state."""
        with suppress(sqlite3.Error, KnownError), self._lock, self._connections.use():
            if not self._ended.is_set():
                connection = self._connections.open(read_only=True)
                self._connection.close()
                self._connection = connection
                self._version = -1

    def _renew_quietly(self) -> None:
        try:
            self._renew()
        except KnownError as error:
            # The next act or page to use a connection reports it to the user.
            _log.warning("connections whose log was removed were not replaced: %s", error)

    def _poll(self) -> Changes | None:
        """Return the changes by others since the last poll, None if no page shows them."""
        if self._ended.is_set():
            return None
        quick_version = _version(self._connection)
        if quick_version == self._version and not self._has_own_commits:
            return None
        version, state = _read_state(self._connection)
        before, self._state = self._state, state
        self._has_own_commits = False
        if version == self._version:
            return None
        self._version = version
        return self._compare_states(before, state)

    def _compare_states(self, before: _State, now: _State) -> Changes | None:
        """Return the difference between two states."""
        nouns, subjects = set[str](), set[str]()
        for (table_nouns, _), old, new in zip(_WITHOUT_LOG, before.other_results, now.other_results, strict=True):
            if old != new:
                nouns.update(table_nouns)
        all_listed = "subject" not in nouns
        changes = [
            (
                {noun},
                self._subject_ids(
                    f"SELECT DISTINCT subject_id FROM {table} WHERE rowid > ? AND {row_condition}", (old,)
                ),
            )
            for (noun, table, row_condition), old, new in zip(
                _ABOUT_SUBJECTS, before.about_subjects, now.about_subjects, strict=True
            )
            if old != new
        ]
        if now.change != before.change:
            changes.append(self._logged_changes(before.change))
        for new_nouns, subject_ids in changes:
            nouns |= new_nouns
            all_listed = all_listed and subject_ids is not None
            subjects |= subject_ids or set()
        if not nouns:
            return None
        if subjects or not all_listed:
            nouns.add("subject")
        lists_subjects = all_listed and len(subjects) <= MAX_LISTED_SUBJECTS
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
        """Return the subject ids of a query, None if there are more than `MAX_LISTED_SUBJECTS`."""
        rows = self._connection.execute(f"{query} LIMIT {MAX_LISTED_SUBJECTS + 1}", values).fetchall()
        return {str(row[0]) for row in rows} if len(rows) <= MAX_LISTED_SUBJECTS else None


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
