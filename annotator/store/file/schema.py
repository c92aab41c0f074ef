"""What marks a file as ours, and the migrations that lead to the current schema."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

APPLICATION_ID = 0x414E4E54  # "ANNT": SQLite's own place for a file's kind
PAGE_SIZE = 16384
_FOR_SERVERS = ".postgresql.sql"
_FOLDER = Path(__file__).parents[1] / "migrations"


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


def migrate(connection: sqlite3.Connection, start: int) -> None:
    """Bring a file from version ``start`` to the current one: one transaction a step, its version inside it."""
    for version, path in migrations():
        if version <= start:
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
