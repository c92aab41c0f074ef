"""What marks a file as ours, the migrations that lead to the current schema, and what in a schema is not ours."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

APPLICATION_ID = 0x414E4E54  # "ANNT": SQLite's own place for a file's kind
PAGE_SIZE = 16384
_FOR_SERVERS = ".postgresql.sql"
_FOLDER = Path(__file__).parents[1] / "migrations"
_ACTIVE_KINDS = ("trigger", "view")
"""What does something by itself when the project is read or written."""


@dataclass(frozen=True, slots=True)
class SchemaObject:
    """A table, index, trigger or view of a file."""

    kind: str
    name: str
    sql: str

    def __str__(self) -> str:
        """Return its kind and name."""
        return f"{self.kind} {self.name}"


def migrations() -> tuple[tuple[int, Path], ...]:
    """Return the migrations in order, as (version they lead to, file)."""
    found = _FOLDER.glob("[0-9][0-9][0-9][0-9]_*.sql")
    return tuple(sorted((int(path.name[:4]), path) for path in found if not path.name.endswith(_FOR_SERVERS)))


def for_servers(migration: Path) -> Path:
    """Return the PostgreSQL text of a migration, which stands beside SQLite's."""
    return migration.with_suffix(_FOR_SERVERS)


def schema_version() -> int:
    """Return the version this program writes."""
    return migrations()[-1][0]


def statements(script: str) -> Iterator[str]:
    """Split a migration into statements (``executescript`` would commit half-way)."""
    pending = ""
    for line in re.sub(r"^--.*$", "", script, flags=re.MULTILINE).splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            if pending.strip():
                yield pending.strip()
            pending = ""
    if pending.strip():
        yield pending.strip()


def migrate(connection: sqlite3.Connection, start: int, end: int | None = None) -> None:
    """Bring a file from version ``start`` to ``end`` (the current one): one transaction a step, its version inside."""
    for version, path in migrations():
        if version <= start or (end is not None and version > end):
            continue
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in statements(path.read_text(encoding="utf-8")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version:d}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def foreign_objects(connection: sqlite3.Connection) -> tuple[SchemaObject, ...]:
    """Return what a file holds beyond what the migrations of its version create, by kind, name and SQL."""
    version = int(connection.execute("PRAGMA main.user_version").fetchone()[0])
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        migrate(fresh, 0, version)
        ours = set(_objects(fresh))
    return tuple(item for item in _objects(connection) if item not in ours)


def foreign_code(connection: sqlite3.Connection) -> tuple[SchemaObject, ...]:
    """Return the triggers and views that no migration of the file's version creates.

    A fresh schema takes a tenth of a second. Where the text of each stands in some migration, none is made.
    """
    active = [item for item in _objects(connection) if item.kind in _ACTIVE_KINDS]
    known = {statement.rstrip(";") for statement in _statements_on(_ACTIVE_KINDS)} if active else set()
    if all(item.sql in known for item in active):
        return ()
    return tuple(item for item in foreign_objects(connection) if item.kind in _ACTIVE_KINDS)


def _objects(connection: sqlite3.Connection) -> list[SchemaObject]:
    # SQLite's own tables and indexes, such as statistics, begin with sqlite_.
    rows = connection.execute(
        "SELECT type, name, sql FROM main.sqlite_master "
        "WHERE type IN ('trigger', 'view') OR name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name"
    )
    return [SchemaObject(str(kind), str(name), str(sql)) for kind, name, sql in rows]


def _statements_on(kinds: tuple[str, ...]) -> Iterator[str]:
    beginnings = tuple(f"CREATE {kind.upper()} " for kind in kinds)
    for _, path in migrations():
        for statement in statements(path.read_text(encoding="utf-8")):
            if statement.startswith(beginnings):
                yield statement
