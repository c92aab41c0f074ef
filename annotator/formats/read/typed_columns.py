"""Typed access to the columns of imported rows: a value of the right type, or an error that says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from annotator.base.errors import BadInputError
from annotator.formats.read.import_records import Candidate, RowError, RowPlace
from annotator.formats.read.lines import json_kind, read_objects
from annotator.sandbox.languages import find_language

_LANGUAGES_BY_ENDING = {
    "go_test.go": "go", "jl": "julia", "rkt": "racket", "pl": "perl", "hs": "haskell", "ml": "ocaml", "kt": "kotlin",
}  # fmt: skip
Row = Mapping[str, Any]
Converted = TypeVar("Converted")


class ColumnError(ValueError):
    """A column that is missing or does not hold what it should; the message says which."""


def text_column(row: Row, name: str, *, default: str | None = None, filled: bool = False) -> str:
    """Return a column's text; ``default`` replaces a missing or null one, ``filled`` refuses blank texts."""
    value = row.get(name)
    if value is None and default is not None:
        return default
    if value is not None and not isinstance(value, str):
        raise ColumnError(f"column {name} holds {json_kind(value)}, not a text")
    if value is None:
        columns = ", ".join(list(row)[:12]) or "none"
        raise ColumnError(f"there is no text in column {name}; the columns are: {columns}")
    if "\x00" in value:
        raise ColumnError(f"column {name} holds a null character")
    if filled and not value.strip():
        raise ColumnError(f"column {name} is empty")
    return value


def row_name(row: Row, name: str) -> str:
    """Return a column that names the row: a text that is not blank, or a whole number."""
    value = row.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_column(row, name, filled=True).strip()


def row_licence(row: Row) -> str:
    """Return the licence named in a row; the person who imports a data set states its licence."""
    return next((value for name in ("licence", "license") if isinstance(value := row.get(name), str)), "").strip()


def language_name(name: str) -> str:
    """Return our name for a language, given by any of its names ("Java", "java 17") or the ending of its files."""
    for spelling in (name, name.rstrip("0123456789. ")):
        with suppress(BadInputError):
            return find_language(spelling).name
    return _LANGUAGES_BY_ENDING.get(name.strip().lower(), name.strip())


def text_list_column(row: Row, name: str) -> list[str]:
    """Return a column's list of texts; a missing one is empty."""
    texts = list_column(row, name)
    if not all(isinstance(item, str) and "\x00" not in item for item in texts):
        raise ColumnError(f"column {name} must be a list of texts")
    return texts


def list_column(row: Row, name: str) -> list[Any]:
    """Return a column's list; a missing or empty value is an empty one."""
    value = row.get(name) or []
    if not isinstance(value, list):
        raise ColumnError(f"column {name} must be a list")
    return value


def object_column(row: Row, name: str) -> dict[str, Any]:
    """Return a column's object; a missing or empty value is an empty one."""
    value = row.get(name) or {}
    if not isinstance(value, dict):
        raise ColumnError(f"column {name} must be an object")
    return value


def number_column(row: Row, name: str, default: float = 0.0) -> float | int:
    """Return a column's number as it is written; a missing one is ``default``."""
    value = row.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ColumnError(f"column {name} must be a number")
    return value


def read_rows(
    path: Path, make: Callable[[Row], Converted], name: str = "", options: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Converted | RowError]:
    """Yield ``make``'s result for each row of a file, and a `RowError` for each row it refuses.

    ``options`` say how a table is opened.
    """
    for item in read_objects(path, options):
        if isinstance(item, RowError):
            yield RowError(name or item.file, item.line, item.reason)
            continue
        line, columns = item
        yield make_row(columns, make, name or path.name, line)


def dataset_candidate(row: Row, dataset: str, name_column: str, **fields: Any) -> Candidate:
    """Return a row as a Python task of a data set; ``name_column`` has its name, ``fields`` its further fields."""
    name = row_name(row, name_column)
    prefix = dataset.lower().replace("-", "").replace("+", "plus")
    defaults = {
        "language": "python",
        "licence": row_licence(row),
        "provenance": {"dataset": dataset, name_column: name},
    }
    return Candidate(key=f"{prefix}:{name}", **{**defaults, **fields})


def row_reader(
    make: Callable[[Row], Candidate],
) -> Callable[[Path, Mapping[str, str]], Iterator[Candidate | RowError]]:
    """Return the reader of a format by its rows: of a file, or of every JSON-lines file below a folder."""

    def read_candidates(path: Path, mapping: Mapping[str, str]) -> Iterator[Candidate | RowError]:
        for file, name in row_files(path):
            yield from read_rows(file, make, name, mapping)

    return read_candidates


def make_row(columns: Row, make: Callable[[Row], Converted], name: str, line: int) -> Converted | RowError:
    """Return ``make``'s result for a row, or a `RowError` if it refuses the row. Candidates get their place."""
    row = _ReadColumns(columns)
    try:
        converted = make(row)
    except ColumnError as problem:
        return RowError(name, line, str(problem))
    if isinstance(converted, Candidate):
        if _has_gap(columns):
            reason = "the answer belongs between prompt and suffix, and no task here has such a gap"
            return RowError(name, line, f"{reason}. If suffix is something else, delete that column")
        left_out = tuple(column for column in columns if column not in row.read_names)
        converted = replace(converted, place=RowPlace(file=name, line=line, left_out=left_out))
    return converted


def _has_gap(columns: Row) -> bool:
    """Return whether a row is an infilling task of a published set, whose program goes on after the answer."""
    suffix = columns.get("suffix")
    return {"prompt", "canonical_solution"} <= columns.keys() and isinstance(suffix, str) and bool(suffix.strip())


class _ReadColumns(dict[str, Any]):
    """A row that records which columns were read, so that the user can be told about the others."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        super().__init__(columns)
        self.read_names: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read_names.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a column's value, and record that it was read."""
        self.read_names.add(name)
        return super().get(name, default)


def row_files(path: Path) -> list[tuple[Path, str]]:
    """Return the JSON-lines files of a path in order, with the names to report them by.

    Links that lead out of the folder are not followed. Raises `BadInputError` for a folder without any.
    """
    if not path.is_dir():
        return [(path, path.name)]
    root = path.resolve()
    files = [
        (file, file.relative_to(path).as_posix())
        for file in sorted(path.rglob("*.jsonl*"))
        if file.name.endswith((".jsonl", ".jsonl.gz")) and file.is_file() and file.resolve().is_relative_to(root)
    ]
    if not files:
        raise BadInputError(
            f"{path.name} contains no .jsonl files. Name the files in it one by one; nothing was imported."
        )
    return files
