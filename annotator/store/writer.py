"""Sessions on a project file: many readers, one writer, explicit transactions."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from annotator.store.connection import connect
from annotator.store.failures import known


class Writer:
    """The engines of one project; only one writing session exists at a time, in whatever thread."""

    def __init__(self, path: Path, read_only: bool, prepare: Callable[[sqlite3.Connection], object]) -> None:
        """Connect on first use; ``prepare`` is called with each new connection."""
        self._path = path
        self._prepare = prepare
        self._lane = threading.RLock()
        self._durable = True
        self._readers = self._engine(read_only=True)
        self._writers = self._readers if read_only else self._engine(read_only=False)

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

        return engine

    @contextmanager
    def session(self, *, read_only: bool, durable: bool = True) -> Iterator[Session]:
        """Lend a session; a writing one is committed at the end of the block and rolled back on any error."""
        if read_only:
            with self._explained(), Session(self._readers, expire_on_commit=False) as session:
                yield session
            return
        with self._lane:
            self._durable = durable
            with self._explained(), Session(self._writers, expire_on_commit=False) as session:
                try:
                    yield session
                    session.commit()
                except BaseException:
                    session.rollback()
                    raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            sentence = known(getattr(error, "orig", None) or error, self._path.name)
            if sentence is None:
                raise
            raise sentence from error

    def close(self) -> None:
        """Close all connections."""
        self._readers.dispose()
        self._writers.dispose()
