"""Read rows: JSON lines, plain or gzipped, a line at a time and never a hostile line whole; JSON arrays; tables."""

from __future__ import annotations

import gzip
import json
import math
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.formats.read.candidates import RowError
from annotator.formats.read.tables.opening import open_table

LINE_LIMIT = 16 * 1024 * 1024
ARRAY_LIMIT = 64 * 1024 * 1024
DEPTH_LIMIT = 100
_BOM = b"\xef\xbb\xbf"
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]] | RowError]:
    """Yield (line number, object) of every row, and a `RowError` for one that is not a JSON object.

    A file named ``.json`` that begins with a bracket is an array of rows, counted in place of lines. A table
    (`open_table`) has its rows by column; in all but Parquet the values are texts, and an empty cell is no value.
    Raises `BadInputError` where no further row can be read: not a file, not UTF-8, broken gzip, not an array, no table.
    """
    refuse_project(path)
    table = open_table(path)
    if table is not None:
        yield from table.rows
        return
    if path.suffix == ".json" and path.is_file():
        rows = _array(path)
        if rows is not None:
            yield from rows
            return
    for number, line in _lines(path):
        if line is None:
            limit = LINE_LIMIT // (1024 * 1024)
            yield RowError(path.name, number, f"the line is longer than {limit} MB")
            continue
        text = _decode(path, number, line)
        if not text.strip():
            continue
        try:
            row = parse(text)
        except ValueError as problem:
            yield RowError(path.name, number, str(problem))
        else:
            yield _row(path, number, row)


def _row(path: Path, number: int, row: Any) -> tuple[int, dict[str, Any]] | RowError:
    if isinstance(row, dict):
        return number, row
    return RowError(path.name, number, f"the row is {_kind(row)}, not an object with columns")


def _array(path: Path) -> list[tuple[int, dict[str, Any]] | RowError] | None:
    """Return the rows of a JSON array, None for a file that does not begin like one."""
    try:
        with path.open("rb") as stream:
            start = stream.read(64).removeprefix(_BOM).lstrip()
            if not start.startswith(b"["):
                return None
            stream.seek(0)
            data = stream.read(ARRAY_LIMIT + 1)
    except OSError as error:
        raise BadInputError(f"{path.name} cannot be read ({error.strerror or error}). Nothing was imported.") from error
    if len(data) > ARRAY_LIMIT:
        limit = ARRAY_LIMIT // (1024 * 1024)
        raise BadInputError(f"{path.name} is an array of more than {limit} MB. Save it as JSON lines, a row a line.")
    try:
        rows = parse(_decode(path, 1, data.removeprefix(_BOM)))
    except ValueError as problem:
        raise BadInputError(f"{path.name}: {problem}. Nothing was imported.") from None
    return [_row(path, number, row) for number, row in enumerate(rows, start=1)]


def parse(text: str) -> Any:
    """Return the value of a JSON text that can be stored and written again as it is.

    Raises ValueError with the reason: not JSON, numbers that JSON does not have, nested more than `DEPTH_LIMIT` deep,
    or half of a character pair, which no UTF-8 file can hold.
    """
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("the row is nested too deeply") from None
    except json.JSONDecodeError as error:
        # What the parser calls extra data is a comma between rows more often than not.
        reason = "something follows the row" if error.msg == "Extra data" else error.msg
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"not valid JSON ({reason}: {place})") from None
    except ValueError as error:
        raise ValueError(f"not valid JSON ({error})") from None
    if text.count("[") + text.count("{") > DEPTH_LIMIT and _deeper_than(value, DEPTH_LIMIT):
        raise ValueError("the row is nested too deeply")
    if _HALF_PAIR.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("the row holds half of a character pair (a lone surrogate)") from None
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]} is too large")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def _deeper_than(value: Any, limit: int) -> bool:
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(limit):
        inner = [item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer)]
        level = [item for item in inner if isinstance(item, (dict, list))]
    return bool(level)


def _decode(path: Path, number: int, line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInputError(
            f"{path.name}:{number}: the text is not UTF-8 (byte {error.start + 1} of the line). "
            "Save the file as UTF-8 and try again; nothing was imported."
        ) from error


def _lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Yield numbered lines; None stands for one over the limit, which is skipped in pieces."""
    if path.is_dir():
        raise BadInputError(f"{path.name} is a folder; this format is read from a file.")
    try:
        with _open(path) as stream:
            number = 0
            while line := stream.readline(LINE_LIMIT):
                number += 1
                if number == 1:
                    line = line.removeprefix(_BOM)
                if len(line) == LINE_LIMIT and not line.endswith(b"\n"):
                    _skip_line(stream)
                    yield number, None
                else:
                    yield number, line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadInputError(f"{path.name} is not a sound gzip file ({error}). Nothing was imported.") from error
    except OSError as error:
        raise BadInputError(f"{path.name} cannot be read ({error.strerror or error}). Nothing was imported.") from error


def _open(path: Path) -> BinaryIO:
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")


def _skip_line(stream: BinaryIO) -> None:
    while piece := stream.readline(LINE_LIMIT):
        if piece.endswith(b"\n"):
            return


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")
