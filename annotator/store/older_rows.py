"""Rows of an older schema: columns that came later get what the migration that added them gave to rows in files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotator.store.schema import migrate

Row = dict[str, Any]


def completed(
    tables: Mapping[str, Sequence[Mapping[str, Any]]], travelling: Mapping[str, Iterable[str]]
) -> tuple[dict[str, list[Row]], dict[str, frozenset[str]]]:
    """Return rows with the columns they lack, and which columns of which table these are.

    ``travelling`` names the columns of every known table. What a migration gave no value to is still lacking in what
    is returned, and so are tables that nobody knows: whoever checks the rows refuses them.
    """
    given = _given_to_old_rows()
    rows_of: dict[str, list[Row]] = {}
    later: dict[str, frozenset[str]] = {}
    for table, rows in tables.items():
        starts = given.get(table, {})
        lacking = {
            name: starts[name] for name in travelling.get(table, ()) if rows and name in starts and name not in rows[0]
        }
        rows_of[table] = [lacking | dict(row) for row in rows]
        later[table] = frozenset(lacking)
    return rows_of, later


def _given_to_old_rows() -> dict[str, dict[str, Any]]:
    """Return the value of every column that old rows can do without, by table: its default, or null."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection, 0)
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found: dict[str, dict[str, Any]] = {}
        for table in tables:
            columns = connection.execute(
                'SELECT name, dflt_value FROM pragma_table_info(?) WHERE dflt_value IS NOT NULL OR NOT "notnull"',
                (table,),
            )
            # A default is an expression of SQL, written by a migration of our own.
            found[table] = {
                name: None if default is None else connection.execute(f"SELECT {default}").fetchone()[0]
                for name, default in columns.fetchall()
            }
        return found
    finally:
        connection.close()
