"""Read folders that this program exported, whatever their format: the manifest says which file is read in which way.

What a format has no place for does not come back with it; a release folder and the tables hold items whole.
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
    release_folder,
)
from annotator.formats.read import realisticcodebench
from annotator.formats.read.candidates import Candidate, RowError
from annotator.formats.read.columns import ColumnError, Row, listing, mapping, read_rows, text
from annotator.formats.write.export_folder import short_key
from annotator.formats.write.flat_rows import JSON_COLUMNS

_Rows = Iterator[Candidate | RowError]


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where an export holds its items, and what reads them."""

    file: str
    read: Callable[[Path], _Rows]


def read(path: Path, unused: Mapping[str, str]) -> _Rows:
    """Yield the items of a folder that this program exported; one that does not verify is refused.

    Raises `BadInputError` for another folder, and for an export that holds no items.
    """
    if not path.is_dir():
        raise BadInputError(f"{path.name} is not a release folder.")
    manifest = release_folder.read_manifest(path)
    if manifest["format"] == release_folder.FORMAT:
        yield from release_folder.read(path, unused)
        return
    layout = _LAYOUTS.get(str(manifest.get("target")))
    if layout is None:
        raise BadInputError(f"{path.name} is an export of {manifest.get('target')}, which holds no items to import.")
    if problems := release_folder.verify(path):
        raise BadInputError(f"{path.name} is not as it was exported, so nothing was imported.", details=problems[:20])
    keys = manifest.get("keys")
    keys = keys if isinstance(keys, dict) else {}
    for found in layout.read(path / layout.file):
        key = keys.get(short_key(found.key)) if isinstance(found, Candidate) else None
        yield replace(found, key=key) if isinstance(found, Candidate) and isinstance(key, str) else found


def _flat_item(row: Row) -> Candidate:
    """Return a row of plain columns as the item it was made from; what had no fixed shape is JSON text in it."""
    objects = {name: _object(text(row, name, default="{}"), name) for name in JSON_COLUMNS}
    names = [name for name in row if name.startswith(_TEST_PART)]
    tests = listing(row, "tests")
    if names:
        # Croissant has a column a part, each with a list of texts.
        parts = {name.removeprefix(_TEST_PART): listing(row, name) for name in names}
        tests = [dict(zip(parts, values, strict=True)) for values in zip(*parts.values(), strict=True)]
    found = [{**test, "inputs": _object(test.get("inputs") or "{}", "inputs")} for test in tests]
    return release_folder.candidate_of({**row, **objects, "tests": found})


def _object(value: str, name: str) -> dict[str, Any]:
    try:
        found = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise ColumnError(f"column {name} is not JSON text: {error}") from None
    if not isinstance(found, dict):
        raise ColumnError(f"column {name} must hold an object")
    return found


def _sample_item(row: Row) -> Candidate:
    """Return a sample of an Inspect task as an item: what its scorer runs stands in its metadata."""
    about = mapping(row, "metadata")
    scoring = mapping(about, "scoring")
    tests = [
        {"name": test["name"], "code": test["code"], "language": about.get("language"), "timeout": test.get("seconds")}
        for test in listing(scoring, "tests")
    ]
    asked = text(row, "input", filled=True)
    return release_folder.candidate_of(
        {
            **{name: text(about, name, default="") for name in ("key", "language", "task", "domain", "difficulty")},
            **{name: text(about, name, default="") for name in ("licence", "criterion")},
            "prompt": asked,
            "original_prompt": text(scoring, "prompt", default=asked),
            "reference": text(row, "target", default=""),
            "context": text(scoring, "context", default=""),
            "entry_point": text(scoring, "entry_point", default=""),
            "files": mapping(about, "files"),
            "tests": tests,
        }
    )


def _format(read: Callable[[Path, Mapping[str, str]], _Rows], file: str = "") -> _Layout:
    return _Layout(file, lambda path: read(path, {}))


_TEST_PART = "test_"
_LAYOUTS: Mapping[str, _Layout] = MappingProxyType(
    {
        "humaneval": _format(humaneval.read, "problems.jsonl"),
        "lm-eval": _format(humaneval.read, "problems.jsonl"),
        "evalplus": _format(evalplus.read, "evalplus.jsonl"),
        "infibench": _format(infibench.read),
        "domaineval": _format(domaineval.read),
        "evocodebench": _format(evocodebench.read),
        "coco": _format(cocobench.read),
        "coco-five-keys": _format(cocobench.read),
        "realisticcodebench": _format(realisticcodebench.read),
        "inspect": _Layout("dataset.jsonl", lambda path: read_rows(path, _sample_item)),
        "huggingface": _Layout("data/test.jsonl", lambda path: read_rows(path, _flat_item)),
        "huggingface-parquet": _Layout("data/test-00000-of-00001.parquet", lambda path: read_rows(path, _flat_item)),
        "croissant": _Layout("records.jsonl", lambda path: read_rows(path, _flat_item)),
    }
)
