"""Write items as rows: exports with one row per item, and rows of plain columns that data set libraries load.

In rows of plain columns, the same in JSON lines and Parquet, texts are columns and tests are a list of records. Fields
without a fixed shape (inputs of tests, provenance, dependencies, files, extra) are columns of JSON text, so that every
row has the same type.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from annotator.formats.documents.attribution import credit_texts
from annotator.formats.write.export_folder import (
    ExportResult,
    Head,
    Item,
    convert_items,
    json_line,
    keep_first,
    write_export,
)

TEXT_COLUMNS = (
    "id", "key", "title", "task", "language", "domain", "area", "difficulty", "question_type", "licence", "prompt",
    "original_prompt", "reference", "context", "entry_point", "criterion", "content_hash",
)  # fmt: skip
JSON_COLUMNS = ("dependencies", "provenance", "files", "extra", "mode")
TEST_COLUMNS: Mapping[str, str] = {
    "name": "string", "language": "string", "code": "string", "expected": "string", "inputs": "string",
    "weight": "float64", "timeout": "float64",
}  # fmt: skip
COLUMNS = (*TEXT_COLUMNS, *JSON_COLUMNS)


def flat_row(item: Item) -> dict[str, Any]:
    """Return an item as a row: texts, JSON texts, and ``tests`` as a list of records (timeout null or seconds)."""
    row: dict[str, Any] = {name: item.get(name, "") for name in TEXT_COLUMNS}
    row |= {name: _json_text(item.get(name) or {}) for name in JSON_COLUMNS}
    row["tests"] = [_test_record(test) for test in item["tests"]]
    return row


def _test_record(test: Mapping[str, Any]) -> dict[str, Any]:
    timeout = test["timeout"]
    return {
        **{name: test[name] for name in ("name", "language", "code", "expected")},
        "inputs": _json_text(test["inputs"]),
        "weight": float(test["weight"]),
        "timeout": None if timeout is None else float(timeout),
    }


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def column_features() -> list[dict[str, Any]]:
    """Return the columns with their types as a data set card names them, in the order of a row."""
    tests = [{"name": name, "dtype": dtype} for name, dtype in TEST_COLUMNS.items()]
    return [*({"name": name, "dtype": "string"} for name in COLUMNS), {"name": "tests", "list": tests}]


def parquet_bytes(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return rows as a reproducible Parquet file. Raises ImportError without pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"string": pa.string(), "float64": pa.float64()}
    test = pa.struct([(name, kinds[kind]) for name, kind in TEST_COLUMNS.items()])
    schema = pa.schema([*((name, pa.string()) for name in COLUMNS), ("tests", pa.list_(test))])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), out, compression="zstd", version="2.6")
    return out.getvalue()


def export_rows(
    target: str,
    head: Head,
    items: Sequence[Item],
    folder: Path,
    *,
    file: str,
    make: Callable[[Item], dict[str, Any]],
    name: str,
    more: Mapping[str, str] = MappingProxyType({}),
    keeps_keys: bool = True,
) -> ExportResult:
    """Write an export of JSON lines in ``file``, one row per item, ``more`` files, and licence and attribution.

    Graders identify items by the column ``name`` alone, so the first item of each name is written. With
    ``keeps_keys``, an import of the export restores the items' keys.
    """
    converted, left_out = convert_items(items, make)
    converted, namesakes = keep_first(converted, lambda row: str(row[name]), name)
    texts = {
        file: "".join(json_line(row) for _, row in converted),
        **more,
        **credit_texts(head, (item for item, _ in converted)),
    }
    keys = {row[name]: item["key"] for item, row in converted} if keeps_keys else None
    return write_export(target, head, folder, texts, len(converted), [*left_out, *namesakes], keys=keys)
