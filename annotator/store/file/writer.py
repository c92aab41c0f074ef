"""Sessions on a project: many readers, one writer, explicit transactions."""

from __future__ import annotations

import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, InvalidRequestError
from sqlalchemy.pool import QueuePool
from sqlmodel import Session as Session

from annotator.base.errors import KnownError
from annotator.store.file.connection import connect, known


class Writer(ABC):
    """The engines of one project; only one writing session exists at a time, in whatever thread."""

    def __init__(self, name: str, read_only: bool) -> None:
        """Connect on first use; sentences call the project ``name``."""
        self._name = name
        self._lane = threading.RLock()
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
            with self._translate_errors(), Session(self._readers, expire_on_commit=False) as session:
                yield session
            return
        with self._lane:
            self._durable = durable
            with self._writing(self._writers) as session:
                yield session

    @contextmanager
    def _writing(self, engine: Engine) -> Iterator[Session]:
        with self._translate_errors(), Session(engine, expire_on_commit=False) as session:
            try:
                yield session
                session.commit()
            except BaseException:
                # An interruption can hit the commit itself: what it has done by then cannot be taken back.
                with suppress(InvalidRequestError):
                    session.rollback()
                raise

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
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

        return engine

    def _known(self, error: BaseException) -> KnownError | None:
        return known(error, self._name) if isinstance(error, sqlite3.Error) else None
