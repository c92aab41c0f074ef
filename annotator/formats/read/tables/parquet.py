"""Read Parquet files, as data set hubs distribute them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.formats.read.import_records import RowError
from annotator.formats.read.tables.imported_table import SourceTable

PARQUET_MARK = b"PAR1"
"""The first bytes of a Parquet file."""
_BATCH_ROWS = 200
"""Rows become Python objects in batches, so that memory does not grow with the file."""


def open_parquet(path: Path) -> SourceTable:
    """Return the rows of a Parquet file with JSON values.

    Raises `BadInputError` for a broken file and `MissingEnvironmentError` without pyarrow.
    """
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingEnvironmentError(
            f"{path.name} is Parquet, and reading that needs pyarrow, which is not installed. "
            "Install benchmark-annotator[parquet], or save the file as JSON lines."
        ) from None
    try:
        with pq.ParquetFile(path) as file:
            columns = tuple(file.schema_arrow.names)
    except (ValueError, OSError) as error:
        raise _broken_file_error(path, error) from error
    return SourceTable(columns=columns, rows=_read_rows(path, pq))


def _read_rows(path: Path, pq: Any) -> Iterator[tuple[int, dict[str, Any]] | RowError]:
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                for row in batch.to_pylist():
                    number += 1
                    try:
                        yield number, {name: _json_value(cell) for name, cell in row.items() if cell is not None}
                    except ValueError as problem:
                        yield RowError(path.name, number, str(problem))
    except (ValueError, OSError) as error:
        raise _broken_file_error(path, error) from error


def _broken_file_error(path: Path, error: Exception) -> BadInputError:
    return BadInputError(f"{path.name} is not a valid Parquet file ({error}). Fetch it again; nothing was imported.")


def _json_value(value: Any) -> Any:
    """Return a value as a JSON value. Raises ValueError if JSON cannot hold it."""
    if isinstance(value, dict):
        return {str(name): _json_value(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    raise ValueError(f"a cell holds {type(value).__name__}, which is not a text, number, list or object")
