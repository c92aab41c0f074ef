"""Read folders that this program exported in any format; the manifest determines which file to read and how.

Fields that a format cannot hold are lost; release folders and tables hold whole items.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from annotator.base.errors import BadInputError
from annotator.formats.interchange import (
    cocobench,
    domaineval,
    evalplus,
    evocodebench,
    humaneval,
    infibench,
    realisticcodebench,
    release_folder,
)
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.read.typed_columns import (
    ColumnError,
    Row,
    list_column,
    object_column,
    read_rows,
    row_reader,
    text_column,
)
from annotator.formats.write.export_folder import short_key
from annotator.formats.write.row_exports import JSON_COLUMNS

_Rows = Iterator[Candidate | RowError]
_TEST_COLUMN_PREFIX = "test_"


@dataclass(frozen=True, slots=True)
class _Layout:
    """The file of an export that holds its items, and the function that reads it."""

    file: str
    read: Callable[[Path], _Rows]


def read_exported_folder(path: Path, options: Mapping[str, str]) -> _Rows:
    """Yield the items of a folder that this program exported.

    Raises `BadInputError` for any other folder, a changed one, and an export without items.
    """
    if not path.is_dir():
        raise BadInputError(f"{path.name} is not a release folder.")
    manifest = release_folder.read_manifest(path)
    if manifest["format"] == release_folder.FORMAT:
        yield from release_folder.read_release_folder(path, options)
        return
    layout = _LAYOUTS.get(str(manifest.get("target")))
    if layout is None:
        raise BadInputError(f"{path.name} is an export of {manifest.get('target')}, which holds no items to import.")
    if problems := release_folder.verify_release_folder(path):
        raise BadInputError(
            f"{path.name} has changed since it was exported, so nothing was imported.", details=problems[:20]
        )
    keys = manifest.get("keys")
    keys = keys if isinstance(keys, dict) else {}
    for entry in layout.read(path / layout.file):
        key = keys.get(short_key(entry.key)) if isinstance(entry, Candidate) else None
        yield replace(entry, key=key) if isinstance(entry, Candidate) and isinstance(key, str) else entry


def _flat_item(row: Row) -> Candidate:
    """Return a row of plain columns as an item; columns without a fixed shape contain JSON text."""
    objects = {name: _parse_object(text_column(row, name, default="{}"), name) for name in JSON_COLUMNS}
    names = [name for name in row if name.startswith(_TEST_COLUMN_PREFIX)]
    tests = list_column(row, "tests")
    if names:
        # Croissant has one column for each part of the tests, with a list of texts.
        parts = {name.removeprefix(_TEST_COLUMN_PREFIX): list_column(row, name) for name in names}
        tests = [dict(zip(parts, values, strict=True)) for values in zip(*parts.values(), strict=True)]
    parsed_tests = [{**test, "inputs": _parse_object(test.get("inputs") or "{}", "inputs")} for test in tests]
    return release_folder.item_candidate({**row, **objects, "tests": parsed_tests})


def _parse_object(value: str, name: str) -> dict[str, Any]:
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise ColumnError(f"column {name} is not JSON text: {error}") from None
    if not isinstance(parsed, dict):
        raise ColumnError(f"column {name} must hold an object")
    return parsed


_SAMPLE_TEXTS = ("key", "language", "task", "domain", "difficulty", "licence", "criterion")


def _sample_item(row: Row) -> Candidate:
    """Return a sample of an Inspect task as an item; its metadata contains the tests that its scorer runs."""
    metadata = object_column(row, "metadata")
    scoring = object_column(metadata, "scoring")
    tests = [
        {
            "name": test["name"],
            "code": test["code"],
            "language": metadata.get("language"),
            "timeout": test.get("seconds"),
        }
        for test in list_column(scoring, "tests")
    ]
    prompt = text_column(row, "input", filled=True)
    return release_folder.item_candidate(
        {
            **{name: text_column(metadata, name, default="") for name in _SAMPLE_TEXTS},
            "prompt": prompt,
            "original_prompt": text_column(scoring, "prompt", default=prompt),
            "reference": text_column(row, "target", default=""),
            "context": text_column(scoring, "context", default=""),
            "entry_point": text_column(scoring, "entry_point", default=""),
            "files": object_column(metadata, "files"),
            "tests": tests,
        }
    )


def _folder_layout(read: Callable[[Path, Mapping[str, str]], _Rows], file: str = "") -> _Layout:
    return _Layout(file, lambda path: read(path, {}))


_LAYOUTS: Mapping[str, _Layout] = MappingProxyType(
    {
        "humaneval": _folder_layout(row_reader(humaneval.humaneval_candidate), "problems.jsonl"),
        "lm-eval": _folder_layout(row_reader(humaneval.humaneval_candidate), "problems.jsonl"),
        "evalplus": _folder_layout(row_reader(evalplus.evalplus_candidate), "evalplus.jsonl"),
        "infibench": _folder_layout(infibench.read_infibench),
        "domaineval": _folder_layout(domaineval.read_domaineval),
        "evocodebench": _folder_layout(row_reader(evocodebench.evocodebench_candidate)),
        "coco": _folder_layout(cocobench.read_cocobench),
        "coco-five-keys": _folder_layout(cocobench.read_cocobench),
        "realisticcodebench": _folder_layout(realisticcodebench.read_realisticcodebench),
        "inspect": _Layout("dataset.jsonl", lambda path: read_rows(path, _sample_item)),
        "huggingface": _Layout("data/test.jsonl", lambda path: read_rows(path, _flat_item)),
        "huggingface-parquet": _Layout("data/test-00000-of-00001.parquet", lambda path: read_rows(path, _flat_item)),
        "croissant": _Layout("records.jsonl", lambda path: read_rows(path, _flat_item)),
    }
)
