"""Write exports with one row per item; formats differ in the row and in the additional files."""

from __future__ import annotations

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
