"""Digests of blocks of a file's rows, which reveal changes by other programs.

Every block of rows has the digest of its content when this program last wrote it. Temporary triggers, which only this
program's connections have, remove the digest of a block as a row of it is changed or deleted. When a project is closed
or backed up, missing digests are written, and a mark that none is missing; the next transaction removes the mark.
Only rows whose numbers the file assigns have digests, because a new one then always comes after those with a digest.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from functools import cache

from annotator.store.core_tables import SUBJECT
from annotator.store.history.undo_log import LABELS

_ROW_BITS = 10
_DERIVED = {"verdict", "prompt_id", "criterion_id", "proven", "holder_id", *LABELS}
"""A subject's columns that `caches` recomputes, as it does ``active`` of all tables: bulk acts and undo change them."""
_WITHOUT_DIGESTS = ("subject_count", "search_gap", "block_digest")
"""A gap of the search index has the number of its first subject, so it can get between others."""
_MAX_TRANSACTION_S = 0.05
"""Maximum time of a writing transaction, because other windows wait meanwhile."""
_COMPLETE_MARK = ("", 0)
REMOVE_MARK = "DELETE FROM block_digest WHERE table_name = ''"
"""Begins every writing transaction: without the mark, blocks may grow and new ones may lack a digest."""


@cache
def _covered_columns() -> Mapping[str, str]:
    """Return the columns with digests of each table, as SQL."""
    return {
        table.name: ", ".join(
            f'"{column.name}"'
            for column in sorted(table.columns, key=lambda column: column.name)
            if column.name != "active" and not (table is SUBJECT and column.name in _DERIVED)
        )
        for table in SUBJECT.metadata.sorted_tables
        if table.name not in _WITHOUT_DIGESTS
    }


@cache
def _watching_triggers() -> tuple[str, ...]:
    return tuple(
        f'CREATE TEMP TRIGGER "{act[:6]}_{table}_digest" AFTER {act} ON main."{table}" BEGIN '
        f"DELETE FROM block_digest WHERE table_name = '{table}' AND block = OLD.rowid >> {_ROW_BITS}; END"
        for table, columns in _covered_columns().items()
        for act in (f"UPDATE OF {columns}", "DELETE")
    )


def watch_changes(connection: sqlite3.Connection) -> None:
    """Make a writing connection remove the digests of the blocks that it changes."""
    for trigger in _watching_triggers():
        connection.execute(trigger)


def write_digests(connection: sqlite3.Connection, seconds: float) -> bool:
    """Write the missing digests of an open file, and the mark; returns False if there was no time for all of them.

    Raises `sqlite3.Error` if another writer is at work. What was written before that remains.
    """
    end = time.monotonic() + seconds
    while not (is_complete := _write_some_digests(connection)) and time.monotonic() < end:
        pass
    return is_complete


def _write_some_digests(connection: sqlite3.Connection) -> bool:
    """Write missing digests in one short transaction; if none is missing then, write the mark and return True."""
    connection.execute("BEGIN IMMEDIATE")
    stored = _stored_digests(connection)
    deadline = float("inf")
    if _COMPLETE_MARK in stored:
        connection.execute("ROLLBACK")
        return True
    for table in _covered_columns():
        for block, last_row in _list_blocks(connection, table):
            if not _lacks_digest(connection, stored, table, block, last_row):
                continue
            if time.monotonic() > deadline:
                connection.execute("COMMIT")
                return False
            # The time begins with the first missing digest, so that every transaction writes one.
            deadline = min(deadline, time.monotonic() + _MAX_TRANSACTION_S)
            row = (table, block, last_row, _compute_digest(connection, table, block, last_row))
            connection.execute("INSERT OR REPLACE INTO block_digest VALUES (?, ?, ?, ?)", row)
    # Triggers leave counts of 0, which say nothing and which no check compares.
    connection.execute("DELETE FROM subject_count WHERE subjects = 0")
    connection.execute("INSERT INTO block_digest VALUES ('', 0, 0, '')")
    connection.execute("COMMIT")
    return True


def _lacks_digest(
    connection: sqlite3.Connection, stored: Mapping[tuple[str, int], tuple[int, str]], table: str, block: int,
    last_row: int,
) -> bool:  # fmt: skip
    digested_row, digest = stored.get((table, block), (None, ""))
    # Rows that another program changed keep their old digest, also in a block that has grown since.
    return digested_row is None or (
        digested_row != last_row and _compute_digest(connection, table, block, digested_row) == digest
    )


def find_changed_blocks(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a sentence for each block of rows that another program changed."""
    digests = _stored_digests(connection)
    mark = digests.pop(_COMPLETE_MARK, None)
    is_complete = mark is not None
    if mark not in (None, (0, "")):
        yield "block_digest: another program changed the mark that digests are complete"
    for table in _covered_columns():
        for block, last_row in _list_blocks(connection, table):
            digested_row, digest = digests.pop((table, block), (None, ""))
            has_grown = digested_row != last_row
            if (has_grown and is_complete) or (
                digested_row is not None and _compute_digest(connection, table, block, digested_row) != digest
            ):
                yield f"{table}: another program changed rows between {block << _ROW_BITS} and {last_row}"
    for table, block in digests:
        yield f"{table}: another program changed rows: all from {block << _ROW_BITS} on are missing"


def _stored_digests(connection: sqlite3.Connection) -> dict[tuple[str, int], tuple[int, str]]:
    """Return the last row and the digest of each block."""
    rows = connection.execute("SELECT table_name, block, last_row, digest FROM block_digest")
    return {(table, block): (last_row, digest) for table, block, last_row, digest in rows}


def _list_blocks(connection: sqlite3.Connection, table: str) -> Iterator[tuple[int, int]]:
    """Yield the number and the last row of each block that has rows."""
    (row,) = connection.execute(f'SELECT min(rowid) FROM "{table}"').fetchone()
    while row is not None:
        block = row >> _ROW_BITS
        next_start = (block + 1) << _ROW_BITS
        yield (
            block,
            connection.execute(f'SELECT max(rowid) FROM "{table}" WHERE rowid < ?', (next_start,)).fetchone()[0],
        )
        (row,) = connection.execute(f'SELECT min(rowid) FROM "{table}" WHERE rowid >= ?', (next_start,)).fetchone()


def _compute_digest(connection: sqlite3.Connection, table: str, block: int, last_row: int) -> str:
    query = f'SELECT rowid, {_covered_columns()[table]} FROM "{table}" WHERE rowid BETWEEN ? AND ? ORDER BY rowid'
    rows = connection.execute(query, (block << _ROW_BITS, last_row)).fetchall()
    return hashlib.sha256(json.dumps(rows, default=bytes.hex).encode()).hexdigest()
