"""What others change, as it happens: one connection that waits for the server's notices."""

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
from annotator.store.file.notifications import Told, WindowsTold
from annotator.store.server.connection import WINDOW, connect
from annotator.store.server.schema import CHANNEL

if TYPE_CHECKING:
    import psycopg

_Notice: TypeAlias = tuple[str, frozenset[str]]
"""A noun, and the subjects it is about (none named: perhaps all)."""

_log = logging.getLogger("annotator.store")
_WAIT_S = 0.2
_GATHER_S = 0.15
_RETRY_S = 5.0
_END_S = 2.0
_WINDOWS_S = 2.0
# Pages know these by the noun that acts report, which is not always the table's name.
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


class Listener:
    """A thread that gathers the notices of other clients and tells of them together; close it when done."""

    def __init__(
        self,
        address: ServerAddress,
        client: str,
        person: Callable[[], str],
        told: Told,
        windows_told: WindowsTold,
    ) -> None:
        """Begin to listen. ``client`` is one's own mark: what this client changed itself it knows already.

        ``person`` returns the id of who works in this window now.
        """
        self._address, self._client, self._person = address, client, person
        self._told, self._windows_told = told, windows_told
        self._others: tuple[str, ...] = ()
        self.ended, self.ready = threading.Event(), threading.Event()
        """Set once nobody wants to hear any more, and once it is heard what others do."""
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening; returns once the thread has ended, or is left to end by itself while the server is silent."""
        self.ended.set()
        self._thread.join(_END_S)

    def _run(self) -> None:
        missed = False
        while not self.ended.is_set():
            try:
                with connect(self._address, read_only=True, client=self._client) as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    self.ready.set()
                    if missed:
                        # Nobody knows what happened while the line was down.
                        self._told(Changes(frozenset({"subject", "annotator"}) | frozenset(_NOUNS.values())))
                    self._listen(connection)
            except Exception as error:  # noqa: BLE001 - a lost line must not end the program; it is tried again
                if not isinstance(error, KnownError):
                    _log.info("listening was cut off (%s)", type(error).__name__)
                missed = True
                self.ended.wait(_RETRY_S)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        looked_at, held = 0.0, ""
        while not self.ended.is_set():
            if time.monotonic() - looked_at >= _WINDOWS_S:
                held = _hold_window(connection, held, self._person())
                self._tell_windows(_other_windows(connection))
                looked_at = time.monotonic()
            heard = self._hear(connection, _WAIT_S, 1)
            if heard and not self.ended.is_set():
                # Acts come in bursts, and one look at the end shows them all.
                heard += self._hear(connection, _GATHER_S, None)
                self._told(_joined(heard))

    def _tell_windows(self, names: tuple[str, ...]) -> None:
        if names != self._others:
            self._others = names
            self._windows_told(names)

    def _hear(self, connection: psycopg.Connection[Any], seconds: float, most: int | None) -> list[_Notice]:
        found = []
        for notice in connection.notifies(timeout=seconds, stop_after=most):
            table, teller, ids = _parts(notice.payload)
            if teller != self._client:
                found.append((_NOUNS.get(table, table), ids))
        return found


def _hold_window(connection: psycopg.Connection[Any], held: str, person: str) -> str:
    """Hold the lock that says in whose window the project is open; the server ends it with the connection."""
    if held != person:
        if held:
            connection.execute("SELECT pg_advisory_unlock_shared(%s, %s)", (WINDOW, _key_of(held)))
        connection.execute("SELECT pg_advisory_lock_shared(%s, %s)", (WINDOW, _key_of(person)))
    return person


def _other_windows(connection: psycopg.Connection[Any]) -> tuple[str, ...]:
    """Return the names of the people in other windows, once for each."""
    rows = connection.execute(
        "SELECT l.objid::bigint FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE l.locktype = 'advisory' "
        "AND d.datname = current_database() AND l.classid::bigint = %s AND l.objsubid = 2 AND l.granted "
        "AND l.pid <> pg_backend_pid()",
        (WINDOW,),
    ).fetchall()
    if not rows:
        return ()
    people = connection.execute("SELECT id, name FROM annotator").fetchall()
    names = {_key_of(str(person)) & 0xFFFFFFFF: str(name) for person, name in people}
    return tuple(sorted(names.get(int(row[0]), "") for row in rows))


def _key_of(person: str) -> int:
    """Return the number that stands for a person in a lock's name: 32 bits with a sign, as the server wants it."""
    number = zlib.crc32(person.encode())
    return number - (1 << 32) if number >= 1 << 31 else number


def _parts(payload: str) -> tuple[str, str, frozenset[str]]:
    """Return the table, the client and the subjects of a notice; whoever is no client of ours has no mark."""
    table, _, rest = payload.partition(" ")
    teller, _, ids = rest.rpartition(" ")
    return table, teller.rpartition(" ")[2], frozenset(filter(None, ids.split(",")))


def _joined(heard: list[_Notice]) -> Changes:
    """Return notices as one change; one that names no subject may be about all."""
    subjects = frozenset().union(*(ids for _, ids in heard)) if all(ids for _, ids in heard) else frozenset()
    return Changes(frozenset(noun for noun, _ in heard), subjects)
