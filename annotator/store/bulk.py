"""One act on many subjects: which ones is kept in a table of the connection, so that every step is one statement."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

from sqlalchemy import Connection

from annotator.base.ids import new_id

SOME = 500
"""Up to so many subjects the counts are kept by the triggers; for more they are summed up before and after."""
NAMED = 1000
"""Naming more subjects than this costs the window more than asking for what is on screen again."""
_CACHE_KILOBYTES = 64 * 1024
_NODE = 1 << 48

KIND = (
    "task, language, domain, area, difficulty, coalesce(verdict, ''), coalesce(holder_id, ''), "
    "CASE WHEN prompt_id IS NULL THEN 0 ELSE 1 END, CASE WHEN criterion_id IS NULL THEN 0 ELSE 1 END, proven"
)
"""What a subject is counted by, in the order of the columns of ``subject_count``."""
COUNTED = (
    "task", "language", "domain", "area", "difficulty", "verdict", "holder_id", "has_prompt", "has_criterion", "proven"
)  # fmt: skip
"""The columns of ``subject_count`` in the same order."""
BY_KIND = ", ".join(str(number) for number in range(1, len(COUNTED) + 1))

CHOSEN = "(SELECT row FROM chosen)"
UPDATE = "UPDATE OR FAIL"
"""The way to change many rows in a transaction that is given up if any of it fails: so SQLite need not be able to take
the statement alone back, for which it would keep a copy of every page that it touches."""


def choose_rows(connection: Connection, rows: Iterable[int]) -> int:
    """Choose the subjects at some rows instead of those before; rows that are gone are left out. Returns how many."""
    _clear(connection)
    if not _is_file(connection):
        query = "INSERT INTO chosen SELECT s.row FROM subject s WHERE s.row = ANY(CAST(? AS BIGINT[]))"
        connection.exec_driver_sql(query, (list(rows),))
        return _count(connection)
    connection.exec_driver_sql(
        "INSERT OR IGNORE INTO chosen SELECT value FROM json_each(?) WHERE value IN (SELECT row FROM subject)",
        (json.dumps(list(rows)),),
    )
    return _count(connection)


def choose_ids(connection: Connection, ids: Iterable[str]) -> int:
    """Choose subjects by their identifiers instead of those before; returns how many there are."""
    _clear(connection)
    if not _is_file(connection):
        query = "INSERT INTO chosen SELECT s.row FROM subject s WHERE s.id = ANY(CAST(? AS TEXT[]))"
        connection.exec_driver_sql(query, (list(ids),))
        return _count(connection)
    connection.exec_driver_sql(
        "INSERT OR IGNORE INTO chosen SELECT s.row FROM json_each(?) j CROSS JOIN subject s ON s.id = j.value",
        (json.dumps(list(ids)),),
    )
    return _count(connection)


def choose_touched(connection: Connection, change_id: str, tables: Sequence[str]) -> tuple[set[str], int]:
    """Choose the subjects that an act's rows are about; returns the tables with such rows, and how many subjects."""
    _clear(connection)
    found = set()
    for table in tables:
        first = f"SELECT 1 FROM {table} WHERE change_id = ? LIMIT 1"
        if connection.exec_driver_sql(first, (change_id,)).first() is None:
            continue
        found.add(table)
        rows = "SELECT row FROM subject WHERE change_id = ?"
        if table != "subject":
            rows = f"SELECT s.row FROM {table} w CROSS JOIN subject s ON s.id = w.subject_id WHERE w.change_id = ?"
        connection.exec_driver_sql(f"INSERT INTO chosen {rows} ON CONFLICT DO NOTHING", (change_id,))
    return found, _count(connection)


def choose_arriving(connection: Connection, change_id: str, after: int, most: int) -> int:
    """Choose up to so many subjects of an import that are not visible, after a row; returns how many there are."""
    return _choose_unseen(connection, "row > ?", (change_id, after, most))


def choose_unfinished(connection: Connection, change_id: str, source_id: str, most: int) -> int:
    """Choose up to so many subjects that an import has brought and nobody has seen; returns how many there are."""
    return _choose_unseen(connection, "source_id = ?", (change_id, source_id, most))


def _choose_unseen(connection: Connection, condition: str, values: tuple[object, ...]) -> int:
    """Choose the unseen subjects of an act that fulfil a condition; the values are the act, its own, and how many."""
    _clear(connection)
    connection.exec_driver_sql(
        f"INSERT INTO chosen SELECT row FROM subject WHERE change_id = ? AND {condition} AND active = 0 "
        "ORDER BY row LIMIT ?",
        values,
    )
    return _count(connection)


def _clear(connection: Connection) -> None:
    # Named without its schema: on both databases a table of the connection comes before one of the project.
    kind = "INTEGER" if _is_file(connection) else "BIGINT"
    connection.exec_driver_sql(f"CREATE TEMP TABLE IF NOT EXISTS chosen (row {kind} PRIMARY KEY)")
    connection.exec_driver_sql("DELETE FROM chosen")


def _count(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT count(*) FROM chosen").scalar_one())


def chosen_ids(connection: Connection) -> frozenset[str]:
    """Return the chosen subjects' identifiers; none if there are more than `NAMED`, which means: possibly all."""
    if _count(connection) > NAMED:
        return frozenset()
    found = connection.exec_driver_sql(f"SELECT id FROM subject WHERE row IN {CHOSEN}")
    return frozenset(record[0] for record in found)


def insert(
    connection: Connection, table: str, values: Mapping[str, object], copied: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Add a row of expert work for every chosen subject.

    ``values`` are the same in all rows, ``copied`` names what comes from the subject's own columns. Identifiers are
    those of one moment with the subject's row number in their last part, so that each is made once.
    """
    first = new_id()
    names = ("id", "subject_id", *copied, *values)
    number = "(CAST(? AS BIGINT) + s.row) % CAST(? AS BIGINT)"
    last = f"printf('%012x', {number})" if _is_file(connection) else f"lpad(to_hex({number}), 12, '0')"
    made = [f"? || {last}", "s.id", *(f"s.{name}" for name in copied.values())]
    marks = ", ".join([*made, *("?" * len(values))])
    connection.exec_driver_sql(
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {marks} "
        "FROM chosen h CROSS JOIN subject s ON s.row = h.row ORDER BY h.row",
        (first[:24], int(first[24:], 16), _NODE, *values.values()),
    )


@contextmanager
def counted(
    connection: Connection,
    many: int,
    becomes: Mapping[str, str] = MappingProxyType({}),
    *,
    changing: Sequence[str] = (),
    unseen: bool = False,
) -> Iterator[None]:
    """Change ``many`` chosen subjects in the block, with the counts of subjects right at its end.

    For a great many the triggers would cost more than the change itself: they are put away within the transaction,
    the counts of the chosen are taken off before and added after, and the page cache may grow for as long. If all the
    block does is give columns of all the chosen one value, ``becomes`` names it, and nothing is counted twice; nor is
    it where the chosen are ``unseen``, that is, none of them is counted yet. ``changing`` names the columns if it
    changes no others, but perhaps not all to one value.
    """
    if many <= SOME or not _is_file(connection):
        # On a server the triggers always do it: taking them away would keep out everybody who reads.
        yield
        return
    found = connection.exec_driver_sql(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'subject_count_%'"
    )
    triggers = [(str(name), str(sql)) for name, sql in found]
    with roomy(connection):
        for name, _ in triggers:
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        if not unseen:
            _count_chosen(connection)
            _add_counts(connection, ", ".join(COUNTED), "-subjects")
        yield
        becomes = becomes or _common(connection, changing)
        if not becomes:
            _count_chosen(connection)
        columns = ", ".join("?" if name in becomes else name for name in COUNTED)
        _add_counts(connection, columns, "subjects", [becomes[name] for name in COUNTED if name in becomes])
        connection.exec_driver_sql("DELETE FROM subject_count WHERE subjects = 0")
        for _, sql in triggers:
            connection.exec_driver_sql(sql)


def _common(connection: Connection, columns: Sequence[str]) -> dict[str, str]:
    """Return the values that all the chosen subjects have in some columns; nothing if they differ in one of them."""
    if not columns:
        return {}
    values = ", ".join(f"coalesce({name}, '')" for name in columns)
    found = connection.exec_driver_sql(
        f"SELECT DISTINCT {values} FROM subject WHERE row IN {CHOSEN} AND active = 1 LIMIT 2"
    ).all()
    return dict(zip(columns, found[0], strict=True)) if len(found) == 1 else {}


@contextmanager
def roomy(connection: Connection) -> Iterator[None]:
    """Let the page cache of a file grow for a block that comes back to many pages."""
    if not _is_file(connection):
        yield
        return
    before = connection.exec_driver_sql("PRAGMA cache_size").scalar_one()
    connection.exec_driver_sql(f"PRAGMA cache_size = -{_CACHE_KILOBYTES}")
    try:
        yield
    finally:
        connection.exec_driver_sql(f"PRAGMA cache_size = {int(before)}")


def _count_chosen(connection: Connection) -> None:
    """Count the chosen subjects by their kind into a table of the connection."""
    connection.exec_driver_sql(f"CREATE TEMP TABLE IF NOT EXISTS moved ({', '.join(COUNTED)}, subjects)")
    connection.exec_driver_sql("DELETE FROM temp.moved")
    connection.exec_driver_sql(
        f"INSERT INTO temp.moved SELECT {KIND}, count(*) FROM subject WHERE row IN {CHOSEN} AND active = 1 "
        f"GROUP BY {BY_KIND}"
    )


def _add_counts(connection: Connection, columns: str, subjects: str, values: Sequence[str] = ()) -> None:
    connection.exec_driver_sql(
        f"INSERT INTO subject_count SELECT {columns}, {subjects} FROM temp.moved WHERE 1 "
        "ON CONFLICT DO UPDATE SET subjects = subjects + excluded.subjects",
        tuple(values),
    )


def _is_file(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"
