"""A connection for lists and counts that is asked as one asks `sqlite3`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from annotator.store.server.words import statement

if TYPE_CHECKING:
    import psycopg


class ServerReader:
    """Answers ``execute`` as `sqlite3.Connection` does; rows are tuples, values are bound by ``?``."""

    dialect_name = "postgresql"

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        """Ask over a connection that is open."""
        self.connection = connection

    def execute(self, sql: str, values: Sequence[object] = ()) -> psycopg.Cursor[Any]:
        """Run one statement and return its cursor."""
        return self.connection.execute(statement(sql), tuple(values))

    @property
    def usable(self) -> bool:
        """Whether the server is still at the other end."""
        return not self.connection.closed

    def close(self) -> None:
        """Hang up."""
        self.connection.close()
