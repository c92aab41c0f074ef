"""Acts on many subjects. A temporary table holds the chosen rows, so that every step is one statement."""

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
    delete,
    func,
    insert,
    literal,
    literal_column,
    select,
    true,
)
from sqlalchemy.types import TypeEngine

from annotator.base.ids import new_id
from annotator.store.core_tables import (
    CHOSEN,
    SUBJECT,
    SUBJECT_COUNT,
    as_stored,
    find_table,
    is_chosen,
    is_file,
    upsert,
)

MAX_TRIGGER_COUNTED = 500
"""Up to this number of subjects, triggers update the counts; for more, they are summed before and after the act."""
MAX_LISTED_SUBJECTS = 1000
"""Maximum number of subjects that a change lists; for more, it is cheaper to reload the visible page."""
_CACHE_KILOBYTES = 64 * 1024
_NODE_COUNT = 1 << 48
"""The number of values of the last part of a UUID, which has 12 hex digits."""

COUNTED = (
    "task", "language", "domain", "area", "difficulty", "verdict", "holder_id", "has_prompt", "has_criterion", "proven"
)  # fmt: skip
"""The key columns of ``subject_count``."""


def select_counted_values(subject: FromClause = SUBJECT) -> dict[str, ColumnElement[Any]]:
    """Return a subject's values of the columns in `COUNTED`, in their order."""
    return {
        **{name: subject.c[name] for name in ("task", "language", "domain", "area", "difficulty")},
        "verdict": func.coalesce(subject.c.verdict, ""),
        "holder_id": func.coalesce(subject.c.holder_id, ""),
        "has_prompt": case((subject.c.prompt_id.is_(None), 0), else_=1),
        "has_criterion": case((subject.c.criterion_id.is_(None), 0), else_=1),
        "proven": subject.c.proven,
    }


def subject_count_query(subject: FromClause, condition: ColumnElement[bool]) -> Select[Any]:
    """Return the query that counts the subjects under a condition by the columns in `COUNTED`."""
    columns = [value.label(name) for name, value in select_counted_values(subject).items()]
    positions: list[ColumnElement[int]] = [literal_column(str(number)) for number in range(1, len(COUNTED) + 1)]
    return select(*columns, func.count().label("subjects")).where(condition).group_by(*positions)


def or_fail(statement: Update) -> Update:
    """Return an update of many rows, for a transaction that is rolled back if any part of it fails.

    With OR FAIL, SQLite need not be able to undo a single statement, for which it would copy every changed page.
    """
    return statement.prefix_with("OR FAIL", dialect="sqlite")


def choose_rows(connection: Connection, rows: Iterable[int]) -> int:
    """Choose the subjects at some rows instead of the previous ones, without missing rows; returns their number."""
    return _choose_by_values(connection, SUBJECT.c.row, list(rows), BigInteger())


def choose_ids(connection: Connection, ids: Iterable[str]) -> int:
    """Choose the subjects with some identifiers instead of the previous ones; returns their number."""
    return _choose_by_values(connection, SUBJECT.c.id, list(ids), Text())


def _choose_by_values(
    connection: Connection, column: ColumnElement[Any], values: Sequence[object], value_type: TypeEngine[Any]
) -> int:
    """Choose the subjects by a column's values. All are bound as one parameter, so their number is not limited."""
    _clear_chosen(connection)
    is_match = is_among(connection, column, values, value_type)
    connection.execute(insert(CHOSEN).from_select(["row"], select(SUBJECT.c.row).where(is_match)))
    return _count_chosen(connection)


def is_among(
    connection: Connection, column: ColumnElement[Any], values: Sequence[object], value_type: TypeEngine[Any]
) -> ColumnElement[bool]:
    """Return the condition that a column has one of the values, which are bound as one parameter."""
    if is_file(connection):
        values_table = func.json_each(json.dumps(values)).table_valued("value")
        return column.in_(select(values_table.c.value))
    return column == any_(cast(values, ARRAY(value_type)))


def count_verdicts(connection: Connection, rows: Iterable[int]) -> dict[str, int]:
    """Return the number of subjects at some rows by verdict; undecided ones are left out."""
    is_at_rows = is_among(connection, SUBJECT.c.row, list(rows), BigInteger())
    query = select(SUBJECT.c.verdict, func.count()).where(is_at_rows, SUBJECT.c.verdict.is_not(None))
    return {str(verdict): int(count) for verdict, count in connection.execute(query.group_by(SUBJECT.c.verdict))}


def rows_of(connection: Connection, ids: Iterable[str]) -> tuple[int, ...]:
    """Return the rows of some subjects; inactive ones are left out."""
    is_requested = is_among(connection, SUBJECT.c.id, list(ids), Text())
    return tuple(connection.scalars(select(SUBJECT.c.row).where(is_requested, as_stored(SUBJECT.c.active) == 1)))


def choose_touched(connection: Connection, change_id: str, tables: Sequence[str]) -> tuple[set[str], int]:
    """Choose the subjects that an act changed; returns the tables with its rows, and the number of subjects."""
    _clear_chosen(connection)
    tables_with_rows = set()
    for name in tables:
        work = find_table(name)
        is_touched = work.c.change_id == change_id
        if connection.execute(select(work.c.id).where(is_touched).limit(1)).first() is None:
            continue
        tables_with_rows.add(name)
        if name == "subject":
            rows = select(SUBJECT.c.row).where(is_touched)
        else:
            rows = select(SUBJECT.c.row).where(SUBJECT.c.id.in_(select(work.c.subject_id).where(is_touched)))
        connection.execute(upsert(connection, CHOSEN).from_select(["row"], rows).on_conflict_do_nothing())
    return tables_with_rows, _count_chosen(connection)


def choose_unfinished(connection: Connection, change_id: str, source_id: str, max_subjects: int) -> int:
    """Choose at most ``max_subjects`` invisible subjects of an import; returns their number."""
    _clear_chosen(connection)
    invisible = select(SUBJECT.c.row).where(
        SUBJECT.c.change_id == change_id, SUBJECT.c.source_id == source_id, ~SUBJECT.c.active
    )
    connection.execute(insert(CHOSEN).from_select(["row"], invisible.order_by(SUBJECT.c.row).limit(max_subjects)))
    return _count_chosen(connection)


def _clear_chosen(connection: Connection) -> None:
    # The name needs no schema, because both databases look among temporary tables first.
    row_type = "INTEGER" if is_file(connection) else "BIGINT"
    connection.exec_driver_sql(f"CREATE TEMP TABLE IF NOT EXISTS chosen (row {row_type} PRIMARY KEY)")
    connection.execute(delete(CHOSEN))


def _count_chosen(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(CHOSEN)).scalar_one()


def chosen_ids(connection: Connection) -> frozenset[str]:
    """Return the chosen subjects' ids; empty (any may be affected) if there are more than `MAX_LISTED_SUBJECTS`."""
    if _count_chosen(connection) > MAX_LISTED_SUBJECTS:
        return frozenset()
    return frozenset(connection.scalars(select(SUBJECT.c.id).where(is_chosen(SUBJECT.c.row))))


def add_work(
    connection: Connection, table: str, values: Mapping[str, object], copied: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Add a row of expert work for every chosen subject.

    ``values`` are the same in all rows; ``copied`` maps columns to the subject's columns from which they are copied.
    All identifiers share the first part of one UUID; the subject's row number in the last part makes them unique.
    """
    first_id = new_id()
    number = (literal(int(first_id[24:], 16), BigInteger()) + SUBJECT.c.row) % literal(_NODE_COUNT, BigInteger())
    if is_file(connection):
        last_part: ColumnElement[str] = func.printf("%012x", number)
    else:
        last_part = func.lpad(func.to_hex(number), 12, "0")
    work = find_table(table)
    rows = select(
        literal(first_id[:24]).concat(last_part),
        SUBJECT.c.id,
        *(SUBJECT.c[name] for name in copied.values()),
        *(literal(value, work.c[name].type) for name, value in values.items()),
    )
    chosen_rows = rows.where(is_chosen(SUBJECT.c.row)).order_by(SUBJECT.c.row)
    connection.execute(insert(work).from_select(["id", "subject_id", *copied, *values], chosen_rows))


@contextmanager
def recount_chosen(connection: Connection, count: int) -> Iterator[None]:
    """Update the counts of subjects after the block, which changes ``count`` chosen subjects.

    For many subjects the triggers would take longer than the change itself: they are dropped within the transaction,
    `recount` replaces them, and the page cache is enlarged.
    """
    if count <= MAX_TRIGGER_COUNTED or not is_file(connection):
        yield
        return
    condition = is_chosen(SUBJECT.c.row)
    with enlarge_cache(connection), suspend_counting(connection), recount(connection, condition):
        yield


@contextmanager
def recount(connection: Connection, condition: ColumnElement[bool]) -> Iterator[None]:
    """Count the visible subjects under a condition anew after the block."""
    _add_counts(connection, condition, sign=-1)
    yield
    _add_counts(connection, condition, sign=1)
    connection.execute(delete(SUBJECT_COUNT).where(SUBJECT_COUNT.c.subjects == 0))


def _add_counts(connection: Connection, condition: ColumnElement[bool], *, sign: int) -> None:
    """Add the numbers of visible subjects under a condition to the table of counts, or subtract them."""
    counts = subject_count_query(SUBJECT, and_(condition, SUBJECT.c.active)).subquery()
    statement = upsert(connection, SUBJECT_COUNT)
    total = SUBJECT_COUNT.c.subjects + statement.excluded.subjects
    # SQLite would take ON CONFLICT for a join without a WHERE.
    count_rows = select(*(counts.c[name] for name in COUNTED), counts.c.subjects * sign).where(true())
    statement = statement.from_select([*COUNTED, "subjects"], count_rows)
    connection.execute(statement.on_conflict_do_update(index_elements=COUNTED, set_={"subjects": total}))


@contextmanager
def suspend_counting(connection: Connection) -> Iterator[None]:
    """Drop a file's triggers that count subjects during the block, which must update the counts itself.

    On a server the triggers stay, because dropping them would lock out all readers.
    """
    if not is_file(connection):
        yield
        return
    triggers_sql = connection.exec_driver_sql(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'subject_count_%'"
    )
    triggers = [(str(name), str(sql)) for name, sql in triggers_sql]
    for name, _ in triggers:
        connection.exec_driver_sql(f"DROP TRIGGER {name}")
    yield
    for _, sql in triggers:
        connection.exec_driver_sql(sql)


@contextmanager
def enlarge_cache(connection: Connection) -> Iterator[None]:
    """Enlarge a file's page cache for a block that visits many pages repeatedly."""
    if not is_file(connection):
        yield
        return
    previous_size = connection.exec_driver_sql("PRAGMA cache_size").scalar_one()
    connection.exec_driver_sql(f"PRAGMA cache_size = -{_CACHE_KILOBYTES}")
    try:
        yield
    finally:
        connection.exec_driver_sql(f"PRAGMA cache_size = {int(previous_size)}")
