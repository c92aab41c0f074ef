"""Sessions on a project: many readers, one writer, explicit transactions."""

from __future__ import annotations

import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, InvalidRequestError
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from annotator.base.errors import KnownError
from annotator.store.connection import connect
from annotator.store.failures import known

_ELSEWHERE_S = 60.0
"""Of another program only what it has written is known, and people write once in a while; so that counts for long."""


class Writer(ABC):
    """The engines of one project; only one writing session exists at a time, in whatever thread."""

    def __init__(self, name: str, read_only: bool) -> None:
        """Connect on first use; sentences call the project ``name``."""
        self._name = name
        self._lane = threading.RLock()
        self._waiting: list[None] = []
        # Which thread wrote last, and which other one before it; with the moments at which they began.
        self._last: tuple[tuple[int, float], ...] = ()
        self._durable = True
        self._readers = self._engine(read_only=True)
        self._writers = self._readers if read_only else self._engine(read_only=False)

    @abstractmethod
    def _engine(self, *, read_only: bool) -> Engine:
        """Return an engine whose transactions begin as the project's rules have it."""

    @abstractmethod
    def _known(self, error: BaseException) -> KnownError | None:
        """Return the known error that a failure of the driver amounts to, or None if it is a bug."""

    @contextmanager
    def session(self, *, read_only: bool, durable: bool = True) -> Iterator[Session]:
        """Lend a session; a writing one is committed at the end of the block and rolled back on any error."""
        if read_only:
            with self._explained(), Session(self._readers, expire_on_commit=False) as session:
                yield session
            return
        self._enter()
        try:
            mine = threading.get_ident()
            self._last = ((mine, time.monotonic()), *[item for item in self._last if item[0] != mine][:1])
            self._durable = durable
            with self._writing(self._writers) as session:
                yield session
        finally:
            self._lane.release()

    def _enter(self) -> None:
        if self._lane.acquire(blocking=False):
            return
        self._waiting.append(None)
        try:
            self._lane.acquire()
        finally:
            self._waiting.pop()

    @property
    def awaited(self) -> bool:
        """Whether somebody waits for the writing session that is under way, as far as can be known."""
        return bool(self._waiting)

    def others_wrote(self, seconds: float) -> bool:
        """Tell whether another thread than this has written in the last seconds, as far as can be known."""
        mine, since = threading.get_ident(), time.monotonic() - seconds
        return any(begun > since for thread, begun in self._last if thread != mine)

    @contextmanager
    def _writing(self, engine: Engine) -> Iterator[Session]:
        with self._explained(), Session(engine, expire_on_commit=False) as session:
            try:
                yield session
                session.commit()
            except BaseException:
                # An interruption can hit the commit itself: what it has done by then cannot be taken back.
                with suppress(InvalidRequestError):
                    session.rollback()
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            sentence = self._known(error.orig or error if isinstance(error, DBAPIError) else error)
            if sentence is None:
                raise
            raise sentence from error

    def close(self) -> None:
        """Close all connections."""
        self._readers.dispose()
        self._writers.dispose()


class FileWriter(Writer):
    """The engines of one project file."""

    def __init__(self, path: Path, read_only: bool, prepare: Callable[[sqlite3.Connection], object]) -> None:
        """Connect on first use; ``prepare`` is called with each new connection."""
        self._path = path
        self._prepare = prepare
        self._elsewhere = -_ELSEWHERE_S
        super().__init__(path.name, read_only)

    def _engine(self, *, read_only: bool) -> Engine:
        def creator() -> sqlite3.Connection:
            connection = connect(self._path, read_only=read_only)
            self._prepare(connection)
            return connection

        engine = create_engine("sqlite://", creator=creator, poolclass=QueuePool, pool_size=4, max_overflow=4)

        @event.listens_for(engine, "begin")
        def begin(connection: Any) -> None:
            if read_only:
                connection.exec_driver_sql("BEGIN")
                return
            # Settable only between transactions; expert work waits for the disk, run data need not.
            connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            self._look(connection)

        return engine

    def _look(self, connection: Any) -> None:
        """Note whether another program has written since this connection last did."""
        version = connection.exec_driver_sql("PRAGMA data_version").scalar_one()
        if connection.info.setdefault("data_version", version) != version:
            connection.info["data_version"] = version
            self._elsewhere = time.monotonic()

    def others_wrote(self, seconds: float) -> bool:
        """Tell whether another thread has written in the last seconds, or another program in the last minute."""
        return super().others_wrote(seconds) or self._elsewhere > time.monotonic() - _ELSEWHERE_S

    def _known(self, error: BaseException) -> KnownError | None:
        return known(error, self._name) if isinstance(error, sqlite3.Error) else None
