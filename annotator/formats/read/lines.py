"""Read rows from JSON lines, plain or gzipped, one line at a time up to a maximum length; JSON arrays, also those
within an object; and tables.

Python's ``NaN``, ``Infinity`` and ``-Infinity``, which JSON lacks, are read as floats. A ``NaN`` column counts as
missing, since pandas writes missing cells that way.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, cast

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.formats.read.field_names import is_usual_name
from annotator.formats.read.import_records import RowError
from annotator.formats.read.tables.table_opening import open_table

LINE_LIMIT = 64 * 1024 * 1024
"""Maximum number of bytes of a line, and of an array or object over several lines."""
DEPTH_LIMIT = 100
_START_BYTES = 1 << 12
"""Number of bytes that are read to recognise an array or object."""
_BOM = b"\xef\xbb\xbf"


def read_objects(
    path: Path, options: Mapping[str, str] = MappingProxyType({})
) -> Iterator[tuple[int, dict[str, Any]] | RowError]:
    """Yield (line number, object) of every row, and a `RowError` for one that is not a JSON object.

    Rows of an array, and objects that span several lines, are numbered by row instead of by line. The option ``rows``
    names a list within the file's only object (`row_lists`); without it, an object may map names to rows. The rows of
    a table are keyed by column (`open_table`, which gets the ``options``); except in Parquet the values are texts, and
    an empty cell has no value. Raises `BadInputError` if no further row can be read: not a file, not UTF-8, broken
    gzip, a broken array, no table, no such list.
    """
    refuse_project(path)
    table = open_table(path, options)
    if table is not None:
        yield from table.rows
        return
    document = _read_only_object(path) or {}
    place = options.get("rows", "")
    rows = _find_row_list(path, document, place) if place else _named_rows(document)
    if place or rows:
        yield from (_object_row(path, number, row) for number, row in enumerate(rows, start=1))
        return
    for number, text in row_texts(path):
        if isinstance(text, RowError):
            yield text
            continue
        try:
            row = parse_json(text)
        except ValueError as problem:
            yield RowError(path.name, number, str(problem))
        else:
            yield _object_row(path, number, row)


def only_object(path: Path) -> dict[str, Any] | None:
    """Return the only object in a file; None for any other file, and for an object that maps names to rows.

    Raises `BadInputError` if the file cannot be read.
    """
    document = _read_only_object(path)
    return None if document is None or _named_rows(document) else document


def _named_rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of an object that consists of objects with the same keys, or of lists (`_rows_of_lists`).

    The keys of the outer object are the ids of the rows, or the columns, as pandas writes a table: then the inner keys
    are numbers, or fewer usual names than the outer ones.
    """
    if len(document) > 1 and all(isinstance(value, list) and value for value in document.values()):
        return _rows_of_lists(document)
    objects = [value for value in document.values() if isinstance(value, dict)]
    if len(objects) < max(len(document), 2) or any(item.keys() != objects[0].keys() for item in objects):
        return []
    if all(isinstance(value, (dict, list)) for item in objects for value in item.values()):
        # Objects of lists, such as the splits "train" and "test", are not rows themselves.
        return []
    inner_keys = list(objects[0])
    has_numbers = all(map(str.isdecimal, inner_keys))
    if has_numbers or sum(map(is_usual_name, document)) > sum(map(is_usual_name, inner_keys)):
        rows = {name: {column: cells[name] for column, cells in document.items()} for name in inner_keys}
    else:
        rows = dict(document)
    return [row if has_numbers or name in row.values() else {"id": name, **row} for name, row in rows.items()]


def _rows_of_lists(document: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """Return the rows of lists of objects with the same keys, or of lists that are columns, one of them texts under a
    usual name; none for other lists. A row that does not hold the name of its list gets it as the column ``list``.
    """
    lists = list(document.values())
    if all(isinstance(row, dict) for rows in lists for row in rows):
        if any(rows[0].keys() != lists[0][0].keys() for rows in lists):
            return []
        return [
            row if name in row.values() else {"list": name, **row} for name, rows in document.items() for row in rows
        ]
    are_columns = any(
        is_usual_name(name) and all(isinstance(cell, str) for cell in document[name]) for name in document
    )
    if not are_columns or any(len(cells) != len(lists[0]) for cells in lists):
        return []
    return [dict(zip(document, cells, strict=True)) for cells in zip(*lists, strict=True)]


def _read_only_object(path: Path) -> dict[str, Any] | None:
    texts = list(islice(row_texts(path), 2)) if _starts_with(path, b"{") else []
    if len(texts) != 1 or isinstance(texts[0][1], RowError):
        return None
    try:
        value = parse_json(texts[0][1])
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def row_lists(document: Mapping[str, Any], place: str = "") -> dict[str, list[Any]]:
    """Return the lists with objects in an object and in the objects within it, by dotted place ("data.items")."""
    lists: dict[str, list[Any]] = {}
    for name, value in document.items():
        inner_place = f"{place}.{name}" if place else name
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            lists[inner_place] = value
        elif isinstance(value, dict):
            lists |= row_lists(value, inner_place)
    return lists


def places_beside(document: Mapping[str, Any], place: str, outer: str = "") -> list[str]:
    """Return the dotted places of the values beside a list of rows, or beside an object that contains it."""
    places: list[str] = []
    for name, value in document.items():
        inner_place = f"{outer}.{name}" if outer else name
        if isinstance(value, dict) and place.startswith(f"{inner_place}."):
            places += places_beside(value, place, inner_place)
        elif inner_place != place:
            places.append(inner_place)
    return places


def _find_row_list(path: Path, document: Mapping[str, Any], place: str) -> list[Any]:
    lists = row_lists(document)
    if place not in lists:
        available_lists = f" Choose from: {', '.join(lists)}." if lists else ""
        raise BadInputError(f"{path.name} has no list of rows {place}.{available_lists} Nothing was imported.")
    return lists[place]


def row_texts(path: Path) -> Iterator[tuple[int, str | RowError]]:
    """Yield number and text of each row: one per line, unless the file begins with an array or an object that goes on
    in the next line.
    """
    if _has_rows_over_lines(path):
        yield from _multiline_elements(path)
        return
    limit = LINE_LIMIT // (1024 * 1024)
    for number, line in _read_lines(path):
        if line is None:
            yield number, RowError(path.name, number, f"the line is longer than {limit} MB")
            continue
        text = _decode_line(path, number, line)
        if text.strip():
            yield number, text


def _has_rows_over_lines(path: Path) -> bool:
    """Return whether a file begins with an array, or with an object whose first line ends within it."""
    with _open_unpacked(path) as stream:
        start = stream.read(_START_BYTES).removeprefix(_BOM).lstrip()
    first, _, rest = start.partition(b"\n")
    continues = first.rstrip().endswith((b"{", b"[", b":", b",")) and bool(rest.strip()) and not _has_value(first)
    return start.startswith(b"[") or (start.startswith(b"{") and continues)


def _has_value(line: bytes) -> bool:
    try:
        _END_DECODER.raw_decode(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return True


def _starts_with(path: Path, mark: bytes) -> bool:
    with _open_unpacked(path) as stream:
        return stream.read(_START_BYTES).removeprefix(_BOM).lstrip().startswith(mark)


def _multiline_elements(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number (from 1) and text of each element of an array, or of each object in a sequence of them.

    The whole file is decoded at once. Raises `BadInputError` if it is too large, or not JSON.
    """
    with _open_unpacked(path) as stream:
        data = stream.read(LINE_LIMIT + 1)
    if len(data) > LINE_LIMIT:
        limit = LINE_LIMIT // (1024 * 1024)
        raise BadInputError(
            f"{path.name} is more than {limit} MB of JSON without one row per line. Save it as JSON lines."
        )
    text = _decode_line(path, 1, data.removeprefix(_BOM))
    try:
        yield from enumerate(_split_elements(text), start=1)
    except RecursionError:
        raise BadInputError(f"{path.name} is nested too deeply. Nothing was imported.") from None
    except json.JSONDecodeError as error:
        raise BadInputError(
            f"{path.name}: {_describe_json_error(error)}. "
            "Write one array of objects, or one object per line; nothing was imported."
        ) from None


def _split_elements(text: str) -> Iterator[str]:
    """Yield the text of each element of an array, or of each value of a sequence of them."""
    position = _after_space(text, 0)
    is_array = text.startswith("[", position)
    position = _after_space(text, position + 1) if is_array else position
    while position < len(text) and not (is_array and text[position] == "]"):
        _, end = _END_DECODER.raw_decode(text, position)
        yield text[position:end]
        position = _after_space(text, end)
        if not is_array:
            continue
        if text.startswith(",", position):
            position = _after_space(text, position + 1)
        elif not text.startswith("]", position):
            raise json.JSONDecodeError("Expecting ',' delimiter", text, position)
    if is_array:
        if position == len(text):
            raise json.JSONDecodeError("Expecting ']'", text, position)
        if _after_space(text, position + 1) != len(text):
            raise json.JSONDecodeError("Extra data", text, position + 1)


def _after_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _object_row(path: Path, number: int, row: Any) -> tuple[int, dict[str, Any]] | RowError:
    if isinstance(row, dict):
        # Only NaN does not equal itself.
        return number, {name: None if value != value else value for name, value in row.items()}
    return RowError(path.name, number, f"the row is {json_kind(row)}, not an object with columns")


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; ``NaN``, ``Infinity`` and ``-Infinity`` are floats, as in Python.

    Raises ValueError with the reason: not JSON, numbers too large for a float, nested more than `DEPTH_LIMIT` deep, or
    half of a character pair, which no UTF-8 file can hold.
    """
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("the row is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(_describe_json_error(error)) from None
    except ValueError as error:
        raise ValueError(f"not valid JSON ({error})") from None
    if text.count("[") + text.count("{") > DEPTH_LIMIT and _is_deeper_than(value, DEPTH_LIMIT):
        raise ValueError("the row is nested too deeply")
    if "\\ud" in text or "\\uD" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("the row contains half of a character pair (a lone surrogate)") from None
    return value


def _describe_json_error(error: json.JSONDecodeError) -> str:
    # The parser's "Extra data" is usually a comma between rows.
    reason = "something follows the row" if error.msg == "Extra data" else error.msg
    place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"
    return f"not valid JSON ({reason}: {place})"


def _parse_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]} is too large")
    return value


_DECODER = json.JSONDecoder(parse_float=_parse_finite)
_END_DECODER = json.JSONDecoder(parse_float=str, parse_int=str)
"""Only used to find the end of a value."""


def _is_deeper_than(value: Any, limit: int) -> bool:
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(limit):
        inner = [item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer)]
        level = [item for item in inner if isinstance(item, (dict, list))]
    return bool(level)


def _decode_line(path: Path, number: int, line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInputError(
            f"{path.name}:{number}: the text is not UTF-8 (byte {error.start + 1} of the line). "
            "Save the file as UTF-8 and try again; nothing was imported."
        ) from error


def _read_lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Yield numbered lines, None for a line over the limit, which is skipped in pieces."""
    with _open_unpacked(path) as stream:
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


@contextmanager
def _open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a file, decompressing gzip; errors while it is open become a `BadInputError`."""
    if path.is_dir():
        raise BadInputError(f"{path.name} is a folder; this format is read from a file.")
    try:
        with _open_stream(path) as stream:
            yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadInputError(f"{path.name} is not a valid gzip file ({error}). Nothing was imported.") from error
    except OSError as error:
        raise BadInputError(f"{path.name} cannot be read ({error.strerror or error}). Nothing was imported.") from error


def _open_stream(path: Path) -> BinaryIO:
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")


def _skip_line(stream: BinaryIO) -> None:
    while piece := stream.readline(LINE_LIMIT):
        if piece.endswith(b"\n"):
            return


def json_kind(value: Any) -> str:
    """Return the kind of a JSON value for messages: "a list"."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "a number"
    names = {list: "a list", dict: "an object", str: "a text", bool: "true or false"}
    return names.get(type(value), "null")
