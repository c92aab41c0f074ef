"""What others change, as it happens: one connection that waits for the server's notices."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, TypeAlias

from annotator.base.addresses import ServerAddress
from annotator.base.errors import KnownError
from annotator.model.changes import Changes
from annotator.store.file.notifications import Told
from annotator.store.server.connection import connect
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
    "suggestion_verdict": "suggestion",
}


class Listener:
    """A thread that gathers the notices of other clients and tells of them together; close it when done."""

    def __init__(self, address: ServerAddress, client: str, told: Told) -> None:
        """Begin to listen. ``client`` is one's own mark: what this client changed itself it knows already."""
        self._address, self._client, self._told = address, client, told
        self._ended = threading.Event()
        self.ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening; returns once the thread has ended, or is left to end by itself while the server is silent."""
        self._ended.set()
        self._thread.join(_END_S)

    def _run(self) -> None:
        missed = False
        while not self._ended.is_set():
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
                self._ended.wait(_RETRY_S)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        while not self._ended.is_set():
            heard = self._hear(connection, _WAIT_S, 1)
            if heard and not self._ended.is_set():
                # Acts come in bursts, and one look at the end shows them all.
                heard += self._hear(connection, _GATHER_S, None)
                self._told(_joined(heard))

    def _hear(self, connection: psycopg.Connection[Any], seconds: float, most: int | None) -> list[_Notice]:
        found = []
        for notice in connection.notifies(timeout=seconds, stop_after=most):
            table, teller, ids = _parts(notice.payload)
            if teller != self._client:
                found.append((_NOUNS.get(table, table), ids))
        return found


def _parts(payload: str) -> tuple[str, str, frozenset[str]]:
    """Return the table, the client and the subjects of a notice; whoever is no client of ours has no mark."""
    table, _, rest = payload.partition(" ")
    teller, _, ids = rest.rpartition(" ")
    return table, teller.rpartition(" ")[2], frozenset(filter(None, ids.split(",")))


def _joined(heard: list[_Notice]) -> Changes:
    """Return notices as one change; one that names no subject may be about all."""
    subjects = frozenset().union(*(ids for _, ids in heard)) if all(ids for _, ids in heard) else frozenset()
    return Changes(frozenset(noun for noun, _ in heard), subjects)
