"""Write many rows in steps that grow while no other write is waiting; when one is, the transaction ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from itertools import islice
from types import TracebackType
from typing import TypeVar

from sqlalchemy import Connection
from sqlmodel import Session

from annotator.base.errors import KnownError
from annotator.store.file.file_lock import SEES_OTHERS
from annotator.store.file.project_file import ProjectFile

T = TypeVar("T")

FIRST_STEP, LONGEST_STEP = 100, 1_000
"""Number of rows of a step after another write waited, and of the longest step, which takes some 25 ms."""
MOST = 10_000
"""Maximum number of rows in a transaction: their commit takes some 20 ms, for which a decision has to wait too."""
_CHECKPOINT_EVERY = 2 * MOST
# SQLite retries after at most 0.1 s (sqliteDefaultBusyCallback). If waiting writes cannot be detected, pause briefly.
_MAX_WAIT_S = 0.1 if SEES_OTHERS else 0.002
_POLL_S = 0.0005


class LongWrite:
    """A long write to a project. Inside the block, a file's writing connection caches more pages.

    The write-ahead log is copied into the file between transactions, so that the commit of a decision need not do it.
    """

    def __init__(self, store: ProjectFile) -> None:
        self._store = store
        self._rows_not_copied = 0
        self._step = FIRST_STEP

    def __enter__(self) -> LongWrite:
        """Enlarge the cache; does nothing on a server."""
        if not self._store.shared:
            with self._store.write(durable=False) as db:
                self._store.writing_options.begin(db.connection())
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Copy the log into the file, so that no later commit has to, and restore the connection's options."""
        if not self._store.shared:
            self._store.writing_options.end()
            # A project closed meanwhile has no connection; a full disk is reported by the next commit.
            with suppress(KnownError):
                self._store.checkpoint()
            with suppress(KnownError), self._store.write(durable=False) as db:
                self._store.writing_options.restore(db.connection())

    def repeat(
        self,
        write_rows: Callable[[Session, int], int],
        around: Callable[[Connection], AbstractContextManager[object]] = nullcontext,
    ) -> Iterator[int]:
        """Call ``write_rows`` with a maximum number of rows until it returns 0 instead of the number of rows it wrote.

        Yields the number of rows of each transaction once it is committed. ``around`` makes its context.
        """
        count = 1  # not 0, so that the loop begins
        while count:
            rows = 0
            with self._store.write(durable=False) as db, around(db.connection()):
                while rows < MOST and (count := write_rows(db, min(self._step, MOST - rows))):
                    rows += count
                    if self._store.is_write_awaited(db):
                        self._step = FIRST_STEP
                        break
                    self._step = min(2 * self._step, LONGEST_STEP)
            self._let_others_write()
            self._copy_log(rows)
            yield rows

    def write_all(self, rows: Iterable[T], write_part: Callable[[Session, Sequence[T]], object]) -> None:
        """Write rows with ``write_part``; they are read before a transaction begins, so that reading blocks nobody."""
        remaining = iter(rows)
        while batch := list(islice(remaining, MOST)):
            for _ in self.repeat(partial(_write_next, iter(batch), write_part)):
                pass

    def _let_others_write(self) -> None:
        # The writer's lock is not fair: without a pause this thread would take it again at once.
        end = time.monotonic() + _MAX_WAIT_S
        while self._store.waiting_writes.exist() and time.monotonic() < end:
            time.sleep(_POLL_S)

    def _copy_log(self, rows: int) -> None:
        self._rows_not_copied += rows
        if not self._store.shared and self._rows_not_copied >= _CHECKPOINT_EVERY:
            self._rows_not_copied = 0
            self._store.checkpoint()


def _write_next(
    rows: Iterator[T], write_part: Callable[[Session, Sequence[T]], object], db: Session, max_rows: int
) -> int:
    part = list(islice(rows, max_rows))
    if part:
        write_part(db, part)
    return len(part)
