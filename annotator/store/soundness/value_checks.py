"""Check every value against its column: type, UTF-8, kind of JSON, times, allowed words.

The rules come from the models, so a new column needs no code here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    Table,
)

from annotator.base.clock import parse_time
from annotator.model.tables.table_columns import WORDS
from annotator.store.core_tables import SUBJECT, is_file

_CHUNK = 2000
_UNBOUNDED_COLUMNS = ("seed", "views")
"""Integers that may be negative or large; all others are counts and positions."""
_MAX_COUNT = 1 << 53
_MAX_NUMBER = (1 << 63) - 1
_MAX_SENTENCES = 20


class _Undecodable(bytes):
    """A text that is not UTF-8."""


Fault = Callable[[Any], str]


def find_value_problems(connection: Connection, report: Callable[[str], object]) -> Iterator[str]:
    """Yield a sentence for each invalid value; ``report`` is called with each table's name."""
    with _read_any_text(connection):
        for table in SUBJECT.metadata.sorted_tables:
            report(table.name)
            yield from _find_table_problems(connection, table)


@contextmanager
def _read_any_text(connection: Connection) -> Iterator[None]:
    """Read a file's texts that are not UTF-8 as `_Undecodable` instead of failing."""
    driver: Any = connection.connection.driver_connection
    if not is_file(connection):
        yield
        return
    previous_factory, driver.text_factory = driver.text_factory, _decode
    try:
        yield
    finally:
        driver.text_factory = previous_factory


def _decode(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _Undecodable(data)


def _find_table_problems(connection: Connection, table: Table) -> Iterator[str]:
    checks = [(column.name, _make_quick_check(column), make_value_check(column)) for column in table.columns]
    has_rowid = is_file(connection) and table.dialect_kwargs.get("sqlite_with_rowid") is not False
    names = "".join(f', "{column.name}"' for column in table.columns)
    # Written as text, so that values are read as stored, and no statement is compiled for each table.
    query = f'SELECT {"rowid" if has_rowid else "0"}{names} FROM "{table.name}"'
    rows = connection.execution_options(stream_results=True).exec_driver_sql(query)
    for part in rows.partitions(_CHUNK):
        numbers, *columns = zip(*part, strict=True)
        for (name, is_surely_valid, fault), values in zip(checks, columns, strict=True):
            if is_surely_valid(values):
                continue
            for number, value in zip(numbers, values, strict=True):
                problem = fault(value)
                if problem:
                    yield f"{table.name} row {number}: {name} {problem}"


def _make_quick_check(column: Column[Any]) -> Callable[[tuple[Any, ...]], bool]:
    """Return a fast check of many values of a column, which is True if none of them needs a closer check."""
    words = column.info.get(WORDS)
    if words is not None:
        return lambda values: set(values) <= words and set(map(type, values)) <= {str, int}
    column_type = column.type
    if isinstance(column_type, (JSON, LargeBinary)) or column.name.endswith("_at"):
        return lambda _: False
    if isinstance(column_type, Boolean):
        return lambda values: set(map(type, values)) <= {int} and set(values) <= {0, 1}
    if isinstance(column_type, Integer):
        minimum, maximum = _allowed_range(column)
        return lambda values: set(map(type, values)) <= {int} and minimum <= min(values) and max(values) <= maximum
    if isinstance(column_type, Float):
        return lambda values: set(map(type, values)) <= {float} and all(map(math.isfinite, values))
    return lambda values: set(map(type, values)) <= {str}


def _allowed_range(column: Column[Any]) -> tuple[int, int]:
    """Return the smallest and the largest allowed number of a column of integers."""
    return (-_MAX_NUMBER, _MAX_NUMBER) if column.name in _UNBOUNDED_COLUMNS else (0, _MAX_COUNT)


def make_value_check(column: Column[Any]) -> Fault:
    """Return a function that describes the fault of a column's stored value, "" if it is valid."""
    describe = _make_type_check(column)
    words = column.info.get(WORDS)
    is_nullable = column.nullable

    def fault(value: Any) -> str:
        if value is None:
            return "" if is_nullable else "is missing"
        if type(value) is _Undecodable:
            return "is not UTF-8"
        problem = describe(value)
        if not problem and words is not None and value not in words:
            return f"is {_shorten(value)}, which is not an allowed value"
        return problem

    return fault


def _make_type_check(column: Column[Any]) -> Fault:
    column_type = column.type
    if isinstance(column_type, JSON):
        default = getattr(column.default, "arg", None)
        return _make_json_check(list if getattr(default, "__name__", "") == "list" else dict)
    if isinstance(column_type, Boolean):
        return lambda value: "" if type(value) is int and value in (0, 1) else "is not 0 or 1"
    if isinstance(column_type, Integer):
        minimum, maximum = _allowed_range(column)
        return lambda value: "" if type(value) is int and minimum <= value <= maximum else "is not a count"
    if isinstance(column_type, Float):
        return lambda value: "" if type(value) in (int, float) and math.isfinite(value) else "is not a number"
    if isinstance(column_type, LargeBinary):
        return lambda value: "" if isinstance(value, bytes) else "is not binary"
    if column.name.endswith("_at"):
        return _check_time
    return lambda value: "" if type(value) is str else "is not a text"


def _check_time(value: Any) -> str:
    try:
        parse_time(value)
    except (ValueError, TypeError, OverflowError):
        return "is not a time"
    return ""


def _make_json_check(shape: type) -> Fault:
    word = "array" if shape is list else "object"
    empty = "[]" if shape is list else "{}"

    def fault(value: Any) -> str:
        if value == empty:
            return ""
        if type(value) is not str:
            return "is not JSON"
        try:
            return "" if isinstance(json.loads(value), shape) else f"is not a JSON {word}"
        except (ValueError, RecursionError):
            return "is not JSON"

    return fault


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def first_few(sentences: Iterable[str]) -> list[str]:
    """Return the first sentences, with a final one that counts the rest."""
    first: list[str] = []
    unlisted = 0
    for sentence in sentences:
        if len(first) < _MAX_SENTENCES:
            first.append(sentence)
        else:
            unlisted += 1
    return [*first, f"and {unlisted} more of this kind"] if unlisted else first
