"""Long work on a project in many short transactions: done soon, while nobody waits long for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from types import TracebackType

from sqlalchemy import Connection

from annotator.base.errors import KnownError
from annotator.store.connection import connect
from annotator.store.failures import explained
from annotator.store.project_file import ProjectFile

PART_S = 0.005
"""A part takes about so long, unless told otherwise: with its commit, no longer than a decision may wait."""
_LEAST = 20
SHARED = 16
"""So many parts share a transaction at most, unless told otherwise; as much is made ready before it."""
_LATELY_S = 1.0
_SHORT_S = 0.005
"""With its commit, a transaction takes about so long where others have written lately."""
# On a busy machine a part may take so many times as long by the clock as by what it costs.
_BUSY = 4
_PAUSE_S = 0.001
_PAUSE_SHARE = 0.1
_CHECKPOINT_EVERY = 10
_CACHE_KILOBYTES = 32 * 1024
_WIDER = {"cache_size": -_CACHE_KILOBYTES, "wal_autocheckpoint": 0}


class LongWrite:
    """Long writing under way; ``size`` says how much the next part may be.

    A part is as long as somebody may wait for its end. Parts share a transaction while nobody does, which then writes
    each page once instead of once a part; where others have written lately, threads or programs, a transaction is one
    part, so small that its commit is soon done as well. In the block of the object itself the writing connection keeps
    more pages, and its log is brought into the file between transactions, so that no decision has to do it.
    """

    def __init__(self, store: ProjectFile, most: int, seconds: float = PART_S, shared: int = SHARED) -> None:
        """Start with small parts, and never say more than ``most``, nor what takes longer than so many seconds.

        Up to ``shared`` parts come in one transaction.
        """
        self.size = min(_LEAST, most)
        self._store = store
        self._most = most
        self._seconds = seconds
        self._shared = shared
        self._held = 0.0
        self._parts = 0
        self._begun = 0.0
        self._transactions = 0
        self._before: dict[str, int] = {}

    def __enter__(self) -> LongWrite:
        """Let the connection grow; on a server there is nothing to do."""
        if not self._store.shared:
            with self._store.write(durable=False) as db:
                self._before = _set(db.connection(), _WIDER)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Leave the connection as it was, and what it wrote in the file, so that no later commit waits for it."""
        if self._before:
            # A project that was closed meanwhile has no connection any more; of a full disk the next commit tells.
            with suppress(KnownError):
                self._checkpoint()
                with self._store.write(durable=False) as db:
                    _set(db.connection(), self._before)

    @property
    def ahead(self) -> int:
        """How much comes in one transaction at most, to be made ready before it."""
        return self.size * self._shared

    @contextmanager
    def part(self) -> Iterator[None]:
        """Do a part within a transaction, and reckon from its time how large the next may be."""
        started, worked = time.perf_counter(), time.thread_time()
        if not self._parts:
            self._begun = started
        yield
        taken = max(time.perf_counter() - started, 1e-6)
        self._held += taken
        self._parts += 1
        if not self._store.writer().others_wrote(_LATELY_S):
            # Nobody waits now, and small parts cost more: what counts is the work, not how busy the machine is.
            taken = max(time.thread_time() - worked, taken / _BUSY)
        # At most twice as many: one part says little about the next.
        self.size = max(min(_LEAST, self._most), min(self._most, 2 * self.size, int(self.size * self._seconds / taken)))

    def may_go_on(self) -> bool:
        """Whether another part may come in the same transaction."""
        writer = self._store.writer()
        return self._parts < self._shared and not writer.awaited and not writer.others_wrote(_LATELY_S)

    def pause(self) -> None:
        """Let others write, after a transaction.

        The lock knows no queue: without a pause it would be this thread's again at once. Other programs look only now
        and then whether it is free, so the pause grows with the time it was held.
        """
        started = time.perf_counter()
        self._transactions += 1
        if self._parts and self._store.writer().others_wrote(_LATELY_S):
            self._fit(started - self._begun)
        if self._before and self._transactions % _CHECKPOINT_EVERY == 0:
            self._checkpoint()
        time.sleep(max(_PAUSE_S, self._held * _PAUSE_SHARE - (time.perf_counter() - started)))
        self._held, self._parts = 0.0, 0

    def _fit(self, taken: float) -> None:
        """Make the next part smaller if this transaction, whose commit writes many pages, took too long."""
        if taken > _SHORT_S:
            self.size = max(min(_LEAST, self._most), int(self.size * _SHORT_S / taken))

    def _checkpoint(self) -> None:
        # By a connection of its own: it keeps out nobody, neither who reads nor who writes.
        path = self._store.path
        with explained(path.name), closing(connect(path, read_only=False)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _set(connection: Connection, options: dict[str, int]) -> dict[str, int]:
    """Give a file's connection other options; returns what they were."""
    before = {name: int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()) for name in options}
    for name, value in options.items():
        connection.exec_driver_sql(f"PRAGMA {name} = {value:d}")
    return before
