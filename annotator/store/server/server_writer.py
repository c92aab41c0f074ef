"""Sessions on a server's project: many readers, and one writer at a time among all clients."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, Boolean, Engine, Integer, event
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlmodel import Session

from annotator.base.addresses import ServerAddress
from annotator.base.errors import KnownError
from annotator.store.file.writer import SharedStatements, Writer, make_engine
from annotator.store.server.server_connection import WRITING_LOCK, as_known_server_error, connect_to_server

if TYPE_CHECKING:
    import psycopg


class ServerDialect(SharedStatements, PGDialect_psycopg):
    """PostgreSQL without value conversion: booleans are 0 and 1, JSON is text, integers have any size."""

    supports_statement_cache = True
    supports_native_boolean = False
    supports_native_json_serialization = False
    supports_native_json_deserialization = False
    colspecs = {
        column_type: driver_type
        for column_type, driver_type in PGDialect_psycopg.colspecs.items()
        if column_type not in (Boolean, Integer) and not issubclass(column_type, JSON)
    }


registry.register("postgresql.annotator", __name__, ServerDialect.__name__)


class ServerWriter(Writer):
    """The engines of one project on a server.

    A writing session holds an advisory lock until it ends, so that acts are serialized as in a file. Sessions from
    `loose` do not need it, because they lock the rows that they change.
    """

    def __init__(self, address: ServerAddress, read_only: bool, client: str) -> None:
        self._address = address
        self._client = client
        super().__init__(address.name, read_only)
        self._loose = self._engine(read_only=read_only, takes_lock=False)

    def _engine(self, *, read_only: bool, takes_lock: bool = True) -> Engine:
        def creator() -> psycopg.Connection[Any]:
            connection = connect_to_server(self._address, read_only=read_only, client=self._client)
            connection.autocommit = False
            return connection

        engine = make_engine("postgresql+annotator://", creator)

        @event.listens_for(engine, "begin")
        def begin(connection: Any) -> None:
            if read_only:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                return
            if not takes_lock:
                return
            if not self._durable:
                connection.exec_driver_sql("SET LOCAL synchronous_commit TO off")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITING_LOCK})")

        return engine

    def loose(self) -> AbstractContextManager[Session]:
        """Lend a writing session without the advisory lock, for acts that lock the rows they change."""
        return self._writing(self._loose)

    def write_digests(self, seconds: float = float("inf")) -> None:
        """Do nothing: only a file has digests."""

    def renew(self) -> None:
        """Do nothing: a server manages its own log."""

    def _as_known_error(self, error: BaseException) -> KnownError | None:
        return as_known_server_error(error, self._name)

    def close(self) -> None:
        """Close all connections."""
        super().close()
        self._loose.dispose()
