"""References between rows, held back while a merge brings rows in any order, and checked at its end."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection


class Missing(NamedTuple):
    """A row that refers to something that is nowhere."""

    table: str
    parent: str


def defer(connection: Connection) -> None:
    """Hold references back until `missing` is asked or the transaction ends."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    else:
        connection.exec_driver_sql("SET CONSTRAINTS ALL DEFERRED")


def missing(connection: Connection) -> Missing | None:
    """Return a row that refers to nothing, None if there is none.

    A server says so by raising SQLAlchemy's ``IntegrityError``.
    """
    if connection.dialect.name == "sqlite":
        found = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        return None if found is None else Missing(found[0], found[2])
    connection.exec_driver_sql("SET CONSTRAINTS ALL IMMEDIATE")
    return None
