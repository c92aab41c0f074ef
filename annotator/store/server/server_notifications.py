"""Report changes by others on a server; one connection waits for its notices."""

from __future__ import annotations

import logging
import threading
import time
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from annotator.base.addresses import ServerAddress
from annotator.base.errors import KnownError
from annotator.model.changes import Changes
from annotator.store.file.notifications import OnChanges, OnWindows
from annotator.store.server.server_connection import WINDOW_LOCK, connect_to_server
from annotator.store.server.server_schema import CHANNEL

if TYPE_CHECKING:
    import psycopg

_Notice: TypeAlias = tuple[str, frozenset[str]]
"""A noun and its subjects (none listed: any may be affected)."""

_log = logging.getLogger("annotator.store")
_WAIT_S = 0.2
_GATHER_S = 0.15
_RETRY_S = 5.0
_JOIN_S = 2.0
_WINDOWS_S = 2.0
# Pages use the nouns that acts report, which are not always the names of the tables.
_NOUNS = {
    "coveragenote": "rewrite",
    "rewriting": "rewrite",
    "quotaplan": "quota",
    "published_table": "published",
    "releaseitem": "release",
    "score_set": "score",
    "score_set_item": "score",
    "model_under_test": "run",
    "failure": "response",
    "blind_key": "study",
    "bug_review": "bug",
    "assignment": "study",
    "seal": "judgement",
    "audit_answer": "audit",
    "suggestion_verdict": "suggestion",
}


class ServerListener:
    """A thread that gathers the notices of other clients and reports them together; close it when done."""

    def __init__(
        self,
        address: ServerAddress,
        client: str,
        person: Callable[[], str],
        on_changes: OnChanges,
        on_windows: OnWindows,
    ) -> None:
        """Start listening. Notices marked with this ``client`` are its own and are ignored.

        ``person`` returns the id of the person who currently works in this window.
        """
        self._address = address
        self._client = client
        self._person = person
        self._on_changes = on_changes
        self._on_windows = on_windows
        self._other_windows: tuple[str, ...] = ()
        self.ended, self.ready = threading.Event(), threading.Event()
        """``ended`` is set when listening is to stop, ``ready`` once the first connection listens."""
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening and wait briefly for the thread; if the server is silent, the thread ends later by itself."""
        self.ended.set()
        self._thread.join(_JOIN_S)

    def _run(self) -> None:
        was_cut_off = False
        while not self.ended.is_set():
            try:
                with connect_to_server(self._address, read_only=True, client=self._client) as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    self.ready.set()
                    if was_cut_off:
                        # Changes made while the connection was lost are unknown, so all are reported.
                        self._on_changes(Changes(frozenset({"subject", "annotator"}) | frozenset(_NOUNS.values())))
                    self._listen(connection)
            except Exception as error:  # noqa: BLE001 - a lost connection must not end the program; it is retried
                if not isinstance(error, KnownError):
                    _log.info("listening was cut off (%s)", type(error).__name__)
                was_cut_off = True
                self.ended.wait(_RETRY_S)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        counted_at = 0.0
        held_person = ""
        while not self.ended.is_set():
            if time.monotonic() - counted_at >= _WINDOWS_S:
                held_person = _hold_window(connection, held_person, self._person())
                self._report_windows(list_other_windows(connection))
                counted_at = time.monotonic()
            notices = self._read_notices(connection, _WAIT_S, 1)
            if notices and not self.ended.is_set():
                # Acts come in bursts; one report at the end covers them all.
                notices += self._read_notices(connection, _GATHER_S, None)
                self._on_changes(_merge_notices(notices))

    def _report_windows(self, names: tuple[str, ...]) -> None:
        if names != self._other_windows:
            self._other_windows = names
            self._on_windows(names)

    def _read_notices(self, connection: psycopg.Connection[Any], seconds: float, limit: int | None) -> list[_Notice]:
        notices = []
        for notice in connection.notifies(timeout=seconds, stop_after=limit):
            table, sender, ids = _parse_payload(notice.payload)
            if sender != self._client:
                notices.append((_NOUNS.get(table, table), ids))
        return notices


def _hold_window(connection: psycopg.Connection[Any], held_person: str, person: str) -> str:
    """Hold the lock that marks this person's open window; the server releases it with the connection."""
    if held_person != person:
        if held_person:
            connection.execute("SELECT pg_advisory_unlock_shared(%s, %s)", (WINDOW_LOCK, _lock_key(held_person)))
        connection.execute("SELECT pg_advisory_lock_shared(%s, %s)", (WINDOW_LOCK, _lock_key(person)))
    return person


def list_other_windows(connection: psycopg.Connection[Any]) -> tuple[str, ...]:
    """Return the names of the people in other windows, one entry for each window."""
    rows = connection.execute(
        "SELECT l.objid::bigint FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE l.locktype = 'advisory' "
        "AND d.datname = current_database() AND l.classid::bigint = %s AND l.objsubid = 2 AND l.granted "
        "AND l.pid <> pg_backend_pid()",
        (WINDOW_LOCK,),
    ).fetchall()
    if not rows:
        return ()
    people = connection.execute("SELECT id, name FROM annotator").fetchall()
    names = {_lock_key(str(person)) & 0xFFFFFFFF: str(name) for person, name in people}
    return tuple(sorted(names.get(int(row[0]), "") for row in rows))


def _lock_key(person: str) -> int:
    """Return a person's lock key: a signed 32-bit number, as the server requires."""
    number = zlib.crc32(person.encode())
    return number - (1 << 32) if number >= 1 << 31 else number


def _parse_payload(payload: str) -> tuple[str, str, frozenset[str]]:
    """Return the table, the client and the subjects of a notice; the client is empty for other programs."""
    table, _, sender_and_ids = payload.partition(" ")
    sender, _, ids = sender_and_ids.rpartition(" ")
    return table, sender.rpartition(" ")[2], frozenset(filter(None, ids.split(",")))


def _merge_notices(notices: list[_Notice]) -> Changes:
    """Return notices as one change. If one lists no subjects, any subject may be affected."""
    subjects = frozenset().union(*(ids for _, ids in notices)) if all(ids for _, ids in notices) else frozenset()
    return Changes(frozenset(noun for noun, _ in notices), subjects)
