"""Compare a project file with an earlier copy of it: rows that are written once never change and are never lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from annotator.store.file import schema
from annotator.store.merge import row_union
from annotator.store.merge.merged_state import UNIQUE_NAMES, base_name
from annotator.store.soundness.value_checks import first_few

_CHANGING: Mapping[str, tuple[str, ...]] = {
    "change": ("nouns",),
    "source": ("counts",),
    "prompt": ("change_id",),
    "run": ("settings", "model_id"),
    "response": ("model_id",),
    "error_label": ("response_id",),
}
"""Columns that this program updates, in addition to those that may differ after a merge."""
_REPLACED: Mapping[str, str] = {"score": "e.outcome = 'machinery'"}
"""Conditions on earlier rows that this program replaces."""
_HAS_SUBJECT = "EXISTS (SELECT 1 FROM main.subject s WHERE s.id = e.subject_id)"
_HAS_RESPONSE = "EXISTS (SELECT 1 FROM main.response r WHERE r.id = e.response_id)"
_KEPT: Mapping[str, str] = {
    "failure": "0",
    "subject": "EXISTS (SELECT 1 FROM main.change c WHERE c.id = e.change_id AND c.state <> 'superseded')",
    **dict.fromkeys(("subjecttext", "testcase", "criterion", "prompt"), _HAS_SUBJECT),
    **dict.fromkeys(("score", "error_label"), _HAS_RESPONSE),
}
"""Conditions on the earlier rows that must still exist; in other tables all must.

A failure is deleted when its request has an answer, and an interrupted import is removed. Rows that refer to a response
are updated when a merge changes its identifier.
"""
_RENUMBERED = ("model_under_test", "response")
"""Tables whose rows may get another identifier in a merge; their number never decreases."""


def find_changed_rows(connection: sqlite3.Connection, earlier: Path) -> list[str] | None:
    """Return a sentence for each row that differs from an earlier copy, or is missing though work is never deleted.

    None if the copy cannot be compared: it has another layout, or it is not of this project's past.
    """
    with _attached(connection, earlier):
        if not _is_of_the_past(connection):
            return None
        return first_few(_changed_rows(connection))


@contextmanager
def _attached(connection: sqlite3.Connection, file: Path) -> Iterator[None]:
    # A backup is never written again, so it needs no locks.
    connection.execute("ATTACH DATABASE ? AS earlier", (f"{file.resolve().as_uri()}?mode=ro&immutable=1",))
    try:
        yield
    finally:
        connection.execute("DETACH DATABASE earlier")


def _is_of_the_past(connection: sqlite3.Connection) -> bool:
    """Return whether this project has the copy's identifier, version, and all of its acts."""
    if connection.execute("PRAGMA earlier.user_version").fetchone()[0] != schema.SCHEMA_VERSION:
        return False
    (is_same,) = connection.execute(
        "SELECT (SELECT id FROM main.project) IS (SELECT id FROM earlier.project) AND NOT EXISTS ("
        "SELECT id FROM earlier.change EXCEPT SELECT id FROM main.change)"
    ).fetchone()
    return bool(is_same)


def _changed_rows(connection: sqlite3.Connection) -> Iterator[str]:
    for table in row_union.TABLES:
        key = row_union.identifying_columns(table)
        is_same = " AND ".join(f'o."{name}" = e."{name}"' for name in key)
        row_id = " || '/' || ".join(f'e."{name}"' for name in key)
        changing = {*key, "active", *row_union.DERIVED.get(table, ()), *_CHANGING.get(table, ())}
        names = [name for name in row_union.exchanged_columns(table) if name not in changing]
        differing = "".join(f"""|| CASE WHEN o."{name}" IS e."{name}" THEN '' ELSE ', {name}' END""" for name in names)
        changed = (
            f"SELECT {row_id}, '' {differing} AS differing "
            f'FROM earlier."{table}" e JOIN main."{table}" o ON {is_same} '
            f"WHERE differing <> '' AND NOT ({_REPLACED.get(table, '0')})"
        )
        for identifier, columns in connection.execute(changed):
            yield f"{table} {identifier}: its {columns[2:]} is not what the last backup has"
        yield from _renamed_rows(connection, table)
        if table in _RENUMBERED:
            (lost,) = connection.execute(
                f'SELECT (SELECT count(*) FROM earlier."{table}") - (SELECT count(*) FROM main."{table}")'
            ).fetchone()
            if lost > 0:
                yield f"{table}: {lost} rows are missing, though the last backup has them"
            continue
        missing = (
            f'SELECT {row_id} FROM earlier."{table}" e WHERE {_KEPT.get(table, "1")} '
            f'AND NOT EXISTS (SELECT 1 FROM main."{table}" o WHERE {is_same})'
        )
        for (identifier,) in connection.execute(missing):
            yield f"{table} {identifier}: it is missing, though the last backup has it"


def _renamed_rows(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    """Yield a sentence for each unique name that changed by more than the suffix of a merge."""
    if table not in UNIQUE_NAMES:
        return
    column, _ = UNIQUE_NAMES[table]
    query = (
        f'SELECT e.id, e."{column}", o."{column}" FROM earlier."{table}" e JOIN main."{table}" o ON o.id = e.id '
        f'WHERE o."{column}" IS NOT e."{column}"'
    )
    for row_id, before, name in connection.execute(query):
        if base_name(table, row_id, before) != base_name(table, row_id, name):
            yield f"{table} {row_id}: its {column} is not what the last backup has"
