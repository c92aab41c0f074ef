"""Make Arrow tables, which polars reads without copying, and pandas through its Arrow types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from annotator.base.errors import MissingEnvironmentError

Kind = Literal["text", "number", "count", "truth"]


def arrow_table(kinds: Mapping[str, Kind], rows: Sequence[Sequence[Any]]) -> Any:
    """Return rows as a `pyarrow.Table` with columns of the given names and kinds; None becomes null.

    Raises `MissingEnvironmentError` without pyarrow.
    """
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingEnvironmentError(
            "Arrow tables need pyarrow, which is not installed. Install benchmark-annotator[parquet]."
        ) from error
    types = {"text": pa.string(), "number": pa.float64(), "count": pa.int64(), "truth": pa.bool_()}
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    arrays = [pa.array(values, types[kind]) for values, kind in zip(columns, kinds.values(), strict=True)]
    return pa.table(arrays, names=list(kinds))
