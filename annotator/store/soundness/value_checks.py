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
_ANY_NUMBER = ("seed", "views")
"""Integers that may be negative or large; all others are counts and positions."""
_MAX_COUNT, _MAX_NUMBER = 1 << 53, (1 << 63) - 1
_MAX_SENTENCES = 20


class _Undecodable(bytes):
    """A text that is not UTF-8."""


Fault = Callable[[Any], str]


def find_value_problems(connection: Connection, report: Callable[[str], object]) -> Iterator[str]:
    """Yield a sentence for each invalid value; ``report`` is called with each table's name."""
    with _reading_any_text(connection):
        for table in SUBJECT.metadata.sorted_tables:
            report(table.name)
            yield from _problems_of(connection, table)


@contextmanager
def _reading_any_text(connection: Connection) -> Iterator[None]:
    """Read a file's texts that are not UTF-8 as `_Undecodable` instead of failing."""
    driver: Any = connection.connection.driver_connection
    if not is_file(connection):
        yield
        return
    before, driver.text_factory = driver.text_factory, _decode
    try:
        yield
    finally:
        driver.text_factory = before


def _decode(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _Undecodable(data)


def _problems_of(connection: Connection, table: Table) -> Iterator[str]:
    checks = [(column.name, _is_plain(column), value_fault(column)) for column in table.columns]
    has_rowid = is_file(connection) and table.dialect_kwargs.get("sqlite_with_rowid") is not False
    names = "".join(f', "{column.name}"' for column in table.columns)
    # Written as text, so that values are read as stored, and no statement is compiled for each table.
    query = f'SELECT {"rowid" if has_rowid else "0"}{names} FROM "{table.name}"'
    rows = connection.execution_options(stream_results=True).exec_driver_sql(query)
    for part in rows.partitions(_CHUNK):
        numbers, *columns = zip(*part, strict=True)
        for (name, is_plain, fault), values in zip(checks, columns, strict=True):
            if is_plain(values):
                continue
            for number, value in zip(numbers, values, strict=True):
                problem = fault(value)
                if problem:
                    yield f"{table.name} row {number}: {name} {problem}"


def _is_plain(column: Column[Any]) -> Callable[[tuple[Any, ...]], bool]:
    """Return a fast check of many values of a column, which is True if none of them needs a closer check."""
    words = column.info.get(WORDS)
    if words is not None:
        return lambda values: set(values) <= words and set(map(type, values)) <= {str, int}
    kind = column.type
    if isinstance(kind, (JSON, LargeBinary)) or column.name.endswith("_at"):
        return lambda _: False
    if isinstance(kind, Boolean):
        return lambda values: set(map(type, values)) <= {int} and set(values) <= {0, 1}
    if isinstance(kind, Integer):
        minimum, maximum = _range(column)
        return lambda values: set(map(type, values)) <= {int} and minimum <= min(values) and max(values) <= maximum
    if isinstance(kind, Float):
        return lambda values: set(map(type, values)) <= {float} and all(map(math.isfinite, values))
    return lambda values: set(map(type, values)) <= {str}


def _range(column: Column[Any]) -> tuple[int, int]:
    """Return the smallest and the largest allowed number of a column of integers."""
    return (-_MAX_NUMBER, _MAX_NUMBER) if column.name in _ANY_NUMBER else (0, _MAX_COUNT)


def value_fault(column: Column[Any]) -> Fault:
    """Return a function that describes what is wrong with a stored value of a column, "" if it is valid."""
    describe = _type_fault(column)
    words, nullable = column.info.get(WORDS), column.nullable

    def fault(value: Any) -> str:
        if value is None:
            return "" if nullable else "is missing"
        if type(value) is _Undecodable:
            return "is not UTF-8"
        problem = describe(value)
        if not problem and words is not None and value not in words:
            return f"is {_shorten(value)}, which is not an allowed value"
        return problem

    return fault


def _type_fault(column: Column[Any]) -> Fault:
    kind = column.type
    if isinstance(kind, JSON):
        default = getattr(column.default, "arg", None)
        return _json_fault(list if getattr(default, "__name__", "") == "list" else dict)
    if isinstance(kind, Boolean):
        return lambda value: "" if type(value) is int and value in (0, 1) else "is not 0 or 1"
    if isinstance(kind, Integer):
        minimum, maximum = _range(column)
        return lambda value: "" if type(value) is int and minimum <= value <= maximum else "is not a count"
    if isinstance(kind, Float):
        return lambda value: "" if type(value) in (int, float) and math.isfinite(value) else "is not a number"
    if isinstance(kind, LargeBinary):
        return lambda value: "" if isinstance(value, bytes) else "is not binary"
    if column.name.endswith("_at"):
        return _time_fault
    return lambda value: "" if type(value) is str else "is not a text"


def _time_fault(value: Any) -> str:
    try:
        parse_time(value)
    except (ValueError, TypeError, OverflowError):
        return "is not a time"
    return ""


def _json_fault(shape: type) -> Fault:
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
    rest = 0
    for sentence in sentences:
        if len(first) < _MAX_SENTENCES:
            first.append(sentence)
        else:
            rest += 1
    return [*first, f"and {rest} more of this kind"] if rest else first
