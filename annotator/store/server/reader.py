"""A connection for lists and counts that is asked as one asks `sqlite3`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg


class ServerReader:
    """Answers ``execute`` as `sqlite3.Connection` does: rows are tuples."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        """Ask over a connection that is open."""
        self.connection = connection

    def execute(self, sql: str, values: Mapping[str, object] | None = None) -> psycopg.Cursor[Any]:
        """Run one statement, with psycopg's marks for values, and return its cursor."""
        return self.connection.execute(sql, values)

    @property
    def usable(self) -> bool:
        """Whether the server is still at the other end."""
        return not self.connection.closed

    def close(self) -> None:
        """Hang up."""
        self.connection.close()
