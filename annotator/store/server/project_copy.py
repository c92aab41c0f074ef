"""Copy a whole project from a file to a server and back; rows are counted and hashed on both sides.

Leases, which belong to the clients of one location, and cached counts and scores, which are recomputed, are not copied.
The search index is rebuilt, so it has no gaps.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Table, insert
from sqlmodel import SQLModel

from annotator.base.addresses import ServerAddress
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.jobs.progress import Progress
from annotator.store.core_tables import SUBJECT_COUNT, raw_table, statement_text
from annotator.store.file import schema as file_schema
from annotator.store.file.backup_files import keep_locked, remove_unfinished, unfinished_copy
from annotator.store.file.connection import connect as open_file
from annotator.store.file.connection import translate_errors as translate_file_errors
from annotator.store.file.project_file import ProjectFile
from annotator.store.merge import row_union  # noqa: F401 - exchange knows every table
from annotator.store.queue import bulk_acts, search
from annotator.store.server import server_schema
from annotator.store.server.server_connection import connect_to_server, translate_errors

if TYPE_CHECKING:
    import psycopg

_NOT_COPIED = ("lease", "run_scores", "run_counts", "subject_count", "search_gap", "block_digest")
_CHUNK = 1000
_TEXTS = "SELECT s.row, s.title, s.key, t.prompt FROM subject s JOIN subjecttext t ON t.subject_id = s.id"
Rows = Iterator[Sequence[tuple[Any, ...]]]
Query = Callable[[str], Iterable[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class CopiedRows:
    """The number and the hash of the copied rows, by table; verified on both sides."""

    rows: dict[str, int]
    hashes: dict[str, str]


class _Checksum:
    """Counts and hashes a table's rows as they are copied, in the order of their primary key."""

    def __init__(self) -> None:
        self.count = 0
        self._hash = hashlib.sha256()

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        for row in rows:
            values = [value.hex() if isinstance(value, bytes) else value for value in row]
            self._hash.update(json.dumps(values, ensure_ascii=False).encode() + b"\n")
            self.count += 1

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


def copy_to_server(source: ProjectFile, address: ServerAddress, progress: Progress | None = None) -> CopiedRows:
    """Copy an open project into a database without a project, in one transaction.

    Raises `BadInputError` if the database has a project or cannot store a text; nothing is changed then.
    """
    with (
        translate_errors(address.name),
        connect_to_server(address, read_only=False) as connection,
        connection.transaction(),
    ):
        server_schema.create_server_schema(connection, address.name)
        # The tables are new, so nobody needs to be notified of changes.
        for table in _copied_tables():
            connection.execute(f'ALTER TABLE "{table.name}" DISABLE TRIGGER USER')
        connection.execute("SET CONSTRAINTS ALL DEFERRED")
        copied = _copy_tables(source, _make_server_writer(connection), progress)
        _advance_sequences(connection)
        # The triggers that count subjects as they are inserted are disabled here.
        subject = raw_table("subject")
        counts = bulk_acts.subject_count_query(subject, subject.c.active == 1)
        insertion = insert(SUBJECT_COUNT).from_select([*bulk_acts.COUNTED, "subjects"], counts)
        connection.execute(statement_text(insertion))
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO subject_search (rowid, words) VALUES (%s, array_to_tsvector(%s::text[]))",
                ((row, search.index_words(*texts)) for row, *texts in connection.execute(_TEXTS).fetchall()),
            )
        connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in _copied_tables():
            connection.execute(f'ALTER TABLE "{table.name}" ENABLE TRIGGER USER')
        _verify_copy(copied, _make_query(connection))
    return copied


def copy_to_file(source: ProjectFile, path: Path, progress: Progress | None = None) -> CopiedRows:
    """Copy an open project into a new file, which gets its name when it is complete.

    Raises `BadInputError` if the file exists, `MissingEnvironmentError` if it cannot be written.
    """
    if path.exists():
        raise BadInputError(f"{path.name} already exists. It was not changed; choose another name.")
    unfinished = unfinished_copy(path)
    try:
        remove_unfinished(path.parent)
        unfinished.touch(exist_ok=False)
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} could not be created ({error.strerror}).") from error
    try:
        with translate_file_errors(path.name), closing(open_file(unfinished, read_only=False)) as connection:
            keep_locked(connection)
            file_schema.create_file_schema(connection)
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("PRAGMA defer_foreign_keys = ON")
            copied = _copy_tables(source, make_file_writer(connection), progress)
            connection.execute(f"INSERT INTO subject_search (rowid, title, key, prompt) {_TEXTS}")
            connection.execute("COMMIT")
            _verify_copy(copied, connection.execute)
            connection.execute("PRAGMA journal_mode = WAL")
        unfinished.replace(path)
    finally:
        for leftover in (
            unfinished,
            Path(f"{unfinished}-journal"),
            Path(f"{unfinished}-wal"),
            Path(f"{unfinished}-shm"),
        ):
            leftover.unlink(missing_ok=True)
    return copied


def _copied_tables() -> list[Table]:
    return [table for table in SQLModel.metadata.sorted_tables if table.name not in _NOT_COPIED]


def _select_statement(table: Table) -> str:
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    key = ", ".join(f'"{column.name}"' for column in table.primary_key)
    return f'SELECT {names} FROM "{table.name}" ORDER BY {key}'


def _copy_tables(source: ProjectFile, write: Callable[[Table, Rows], None], progress: Progress | None) -> CopiedRows:
    """Read one snapshot of a project and pass its tables to ``write``, parents first."""
    work = progress or Progress()
    tables = _copied_tables()
    rows, hashes = {}, {}
    with source.read() as db:
        connection = db.connection().execution_options(stream_results=True, yield_per=_CHUNK)
        for number, table in enumerate(tables):
            work.report(number, len(tables), table.name)
            cursor, checksum = connection.exec_driver_sql(_select_statement(table)), _Checksum()
            write(table, _checked_rows(cursor.partitions(_CHUNK), checksum))
            rows[table.name], hashes[table.name] = checksum.count, checksum.digest
    return CopiedRows(rows, hashes)


def _checked_rows(parts: Iterable[Sequence[Any]], checksum: _Checksum) -> Rows:
    for part in parts:
        rows = [tuple(row) for row in part]
        checksum.add(rows)
        yield rows


def _make_server_writer(connection: psycopg.Connection[Any]) -> Callable[[Table, Rows], None]:
    def write(table: Table, rows: Rows) -> None:
        names = ", ".join(f'"{column.name}"' for column in table.columns)
        with connection.cursor() as cursor, cursor.copy(f'COPY "{table.name}" ({names}) FROM STDIN') as copy:
            for part in rows:
                for row in part:
                    copy.write_row(row)

    return write


def make_file_writer(connection: sqlite3.Connection) -> Callable[[Table, Rows], None]:
    """Return a function that writes the rows of a table into a file."""

    def write(table: Table, rows: Rows) -> None:
        names = ", ".join(f'"{column.name}"' for column in table.columns)
        placeholders = ", ".join("?" * len(table.columns))
        for part in rows:
            connection.executemany(f'INSERT INTO "{table.name}" ({names}) VALUES ({placeholders})', part)

    return write


def _advance_sequences(connection: psycopg.Connection[Any]) -> None:
    """Advance the sequences past the highest copied numbers."""
    for table, column in (("change", "seq"), ("subject", "row")):
        connection.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), "
            f'coalesce(max("{column}"), 0) + 1, false) FROM "{table}"'
        )


def _make_query(connection: psycopg.Connection[Any]) -> Query:
    def query(sql: str) -> Iterator[tuple[Any, ...]]:
        with connection.cursor("compared") as cursor:
            cursor.itersize = _CHUNK
            yield from cursor.execute(sql)

    return query


def _verify_copy(copied: CopiedRows, query: Query) -> None:
    """Read all copied rows back. Raises `BadInputError` if they differ from the source."""
    for table in _copied_tables():
        checksum = _Checksum()
        checksum.add(query(_select_statement(table)))
        if (checksum.count, checksum.digest) != (copied.rows[table.name], copied.hashes[table.name]):
            raise BadInputError(
                f"The copy differs from the project in {table.name}, so it was not kept. The project is unchanged."
            )
