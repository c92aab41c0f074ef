"""One act on many subjects: which ones is kept in a table of the connection, so that every step is one statement."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Text,
    Update,
    and_,
    any_,
    case,
    cast,
    column,
    delete,
    func,
    insert,
    literal,
    literal_column,
    select,
    table,
    true,
)
from sqlalchemy.types import TypeEngine

from annotator.base.ids import new_id
from annotator.store.tables import CHOSEN, SUBJECT, SUBJECT_COUNT, as_stored, is_chosen, is_file, named, upsert

SOME = 500
"""Up to so many subjects the counts are kept by the triggers; for more they are summed up before and after."""
NAMED = 1000
"""Naming more subjects than this costs the window more than asking for what is on screen again."""
_CACHE_KILOBYTES = 64 * 1024
_NODE = 1 << 48

COUNTED = (
    "task", "language", "domain", "area", "difficulty", "verdict", "holder_id", "has_prompt", "has_criterion", "proven"
)  # fmt: skip
"""What a subject is counted by: the columns of ``subject_count``."""
_MOVED = table("moved", *(column(name) for name in (*COUNTED, "subjects")))
"""What the chosen subjects are counted by, in a table of the connection."""


def kind(subject: FromClause = SUBJECT) -> dict[str, ColumnElement[Any]]:
    """Return what a subject is counted by, in the order of `COUNTED`."""
    return {
        **{name: subject.c[name] for name in ("task", "language", "domain", "area", "difficulty")},
        "verdict": func.coalesce(subject.c.verdict, ""),
        "holder_id": func.coalesce(subject.c.holder_id, ""),
        "has_prompt": case((subject.c.prompt_id.is_(None), 0), else_=1),
        "has_criterion": case((subject.c.criterion_id.is_(None), 0), else_=1),
        "proven": subject.c.proven,
    }


def counts(subject: FromClause, condition: ColumnElement[bool]) -> Select[Any]:
    """Return the query that counts the subjects that fulfil a condition by their kind."""
    columns = [value.label(name) for name, value in kind(subject).items()]
    places: list[ColumnElement[int]] = [literal_column(str(number)) for number in range(1, len(COUNTED) + 1)]
    return select(*columns, func.count().label("subjects")).where(condition).group_by(*places)


def in_one_go(statement: Update) -> Update:
    """Return a change of many rows in a transaction that is given up if any of it fails.

    So SQLite need not be able to take the statement alone back, for which it would keep a copy of every page that it
    touches.
    """
    return statement.prefix_with("OR FAIL", dialect="sqlite")


def choose_rows(connection: Connection, rows: Iterable[int]) -> int:
    """Choose the subjects at some rows instead of those before; rows that are gone are left out. Returns how many."""
    return _choose(connection, SUBJECT.c.row, list(rows), BigInteger())


def choose_ids(connection: Connection, ids: Iterable[str]) -> int:
    """Choose subjects by their identifiers instead of those before; returns how many there are."""
    return _choose(connection, SUBJECT.c.id, list(ids), Text())


def _choose(
    connection: Connection, column: ColumnElement[Any], values: Sequence[object], kind_of_value: TypeEngine[Any]
) -> int:
    """Choose the subjects that have one of these values in a column. All values are one, so there may be any number."""
    _clear(connection)
    found = _is_among(connection, column, values, kind_of_value)
    connection.execute(insert(CHOSEN).from_select(["row"], select(SUBJECT.c.row).where(found)))
    return _count(connection)


def _is_among(
    connection: Connection, column: ColumnElement[Any], values: Sequence[object], kind_of_value: TypeEngine[Any]
) -> ColumnElement[bool]:
    if is_file(connection):
        given = func.json_each(json.dumps(values)).table_valued("value")
        return column.in_(select(given.c.value))
    return column == any_(cast(values, ARRAY(kind_of_value)))


def verdicts_at(connection: Connection, rows: Iterable[int]) -> dict[str, int]:
    """Return how many of the subjects at some rows have which verdict; undecided ones are left out."""
    is_named = _is_among(connection, SUBJECT.c.row, list(rows), BigInteger())
    query = select(SUBJECT.c.verdict, func.count()).where(is_named, SUBJECT.c.verdict.is_not(None))
    return {str(verdict): int(count) for verdict, count in connection.execute(query.group_by(SUBJECT.c.verdict))}


def rows_of(connection: Connection, ids: Iterable[str]) -> tuple[int, ...]:
    """Return the rows of some subjects; those that are not in the project now are left out."""
    is_named = _is_among(connection, SUBJECT.c.id, list(ids), Text())
    return tuple(connection.scalars(select(SUBJECT.c.row).where(is_named, as_stored(SUBJECT.c.active) == 1)))


def choose_touched(connection: Connection, change_id: str, tables: Sequence[str]) -> tuple[set[str], int]:
    """Choose the subjects that an act's rows are about; returns the tables with such rows, and how many subjects."""
    _clear(connection)
    found = set()
    for name in tables:
        work = named(name)
        is_touched = work.c.change_id == change_id
        if connection.execute(select(work.c.id).where(is_touched).limit(1)).first() is None:
            continue
        found.add(name)
        if name == "subject":
            rows = select(SUBJECT.c.row).where(is_touched)
        else:
            rows = select(SUBJECT.c.row).where(SUBJECT.c.id.in_(select(work.c.subject_id).where(is_touched)))
        connection.execute(upsert(connection, CHOSEN).from_select(["row"], rows).on_conflict_do_nothing())
    return found, _count(connection)


def choose_unfinished(connection: Connection, change_id: str, source_id: str, most: int) -> int:
    """Choose up to so many subjects that an import has brought and nobody has seen; returns how many there are."""
    _clear(connection)
    unseen = select(SUBJECT.c.row).where(
        SUBJECT.c.change_id == change_id, SUBJECT.c.source_id == source_id, ~SUBJECT.c.active
    )
    connection.execute(insert(CHOSEN).from_select(["row"], unseen.order_by(SUBJECT.c.row).limit(most)))
    return _count(connection)


def _clear(connection: Connection) -> None:
    # Named without its schema: on both databases a table of the connection comes before one of the project.
    kind_of_row = "INTEGER" if is_file(connection) else "BIGINT"
    connection.exec_driver_sql(f"CREATE TEMP TABLE IF NOT EXISTS chosen (row {kind_of_row} PRIMARY KEY)")
    connection.execute(delete(CHOSEN))


def _count(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(CHOSEN)).scalar_one()


def chosen_ids(connection: Connection) -> frozenset[str]:
    """Return the chosen subjects' identifiers; none if there are more than `NAMED`, which means: possibly all."""
    if _count(connection) > NAMED:
        return frozenset()
    return frozenset(connection.scalars(select(SUBJECT.c.id).where(is_chosen(SUBJECT.c.row))))


def add_work(
    connection: Connection, table: str, values: Mapping[str, object], copied: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Add a row of expert work for every chosen subject.

    ``values`` are the same in all rows, ``copied`` names what comes from the subject's own columns. Identifiers are
    those of one moment with the subject's row number in their last part, so that each is made once.
    """
    first = new_id()
    number = (literal(int(first[24:], 16), BigInteger()) + SUBJECT.c.row) % literal(_NODE, BigInteger())
    if is_file(connection):
        last: ColumnElement[str] = func.printf("%012x", number)
    else:
        last = func.lpad(func.to_hex(number), 12, "0")
    work = named(table)
    rows = select(
        literal(first[:24]).concat(last),
        SUBJECT.c.id,
        *(SUBJECT.c[name] for name in copied.values()),
        *(literal(value, work.c[name].type) for name, value in values.items()),
    )
    chosen = rows.where(is_chosen(SUBJECT.c.row)).order_by(SUBJECT.c.row)
    connection.execute(insert(work).from_select(["id", "subject_id", *copied, *values], chosen))


@contextmanager
def counted(
    connection: Connection,
    many: int,
    becomes: Mapping[str, str] = MappingProxyType({}),
    *,
    changing: Sequence[str] = (),
) -> Iterator[None]:
    """Change ``many`` chosen subjects in the block, with the counts of subjects right at its end.

    For a great many the triggers would cost more than the change itself: they are put away within the transaction,
    the counts of the chosen are taken off before and added after, and the page cache may grow for as long. If all the
    block does is give columns of all the chosen one value, ``becomes`` names it, and nothing is counted twice.
    ``changing`` names the columns if it changes no others, but perhaps not all to one value.
    """
    if many <= SOME or not is_file(connection):
        # On a server the triggers always do it: taking them away would keep out everybody who reads.
        yield
        return
    # From here on only a file is meant, whose triggers and tables of the connection are SQLite's own.
    found = connection.exec_driver_sql(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'subject_count_%'"
    )
    triggers = [(str(name), str(sql)) for name, sql in found]
    with roomy(connection):
        for name, _ in triggers:
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        _count_chosen(connection)
        _add_counts(connection, -_MOVED.c.subjects)
        yield
        becomes = becomes or _common(connection, changing)
        if not becomes:
            _count_chosen(connection)
        _add_counts(connection, _MOVED.c.subjects, becomes)
        connection.execute(delete(SUBJECT_COUNT).where(SUBJECT_COUNT.c.subjects == 0))
        for _, sql in triggers:
            connection.exec_driver_sql(sql)


def _common(connection: Connection, columns: Sequence[str]) -> dict[str, str]:
    """Return the values that all the chosen subjects have in some columns; nothing if they differ in one of them."""
    if not columns:
        return {}
    values = select(*(func.coalesce(SUBJECT.c[name], "") for name in columns)).distinct()
    found = connection.execute(values.where(is_chosen(SUBJECT.c.row), SUBJECT.c.active).limit(2)).all()
    return dict(zip(columns, found[0], strict=True)) if len(found) == 1 else {}


@contextmanager
def roomy(connection: Connection) -> Iterator[None]:
    """Let the page cache of a file grow for a block that comes back to many pages."""
    if not is_file(connection):
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
    connection.execute(delete(_MOVED))
    chosen = counts(SUBJECT, and_(is_chosen(SUBJECT.c.row), SUBJECT.c.active))
    connection.execute(insert(_MOVED).from_select([*COUNTED, "subjects"], chosen))


def _add_counts(
    connection: Connection, subjects: ColumnElement[int], becomes: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Add what was counted of the chosen to the counts, with the columns that became something else."""
    columns = (literal(becomes[name]) if name in becomes else _MOVED.c[name] for name in COUNTED)
    # Without a condition SQLite takes the word ON for the beginning of a join.
    moved = select(*columns, subjects).where(true())
    into = upsert(connection, SUBJECT_COUNT).from_select([*COUNTED, "subjects"], moved)
    more = SUBJECT_COUNT.c.subjects + into.excluded.subjects
    connection.execute(into.on_conflict_do_update(index_elements=COUNTED, set_={"subjects": more}))
