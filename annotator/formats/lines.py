"""Read JSON lines, plain or gzipped, a line at a time and never a hostile line whole."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from annotator.base.errors import BadInputError
from annotator.formats.candidate import RowError

LINE_LIMIT = 16 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]] | RowError]:
    """Yield (line number, object) of every row, and a `RowError` for one that is not a JSON object.

    Raises `BadInputError` where no further row can be read: not a file, not UTF-8, broken gzip.
    """
    for number, line in _lines(path):
        if line is None:
            limit = LINE_LIMIT // (1024 * 1024)
            yield RowError(path.name, number, f"the line is longer than {limit} MB")
            continue
        text = _decode(path, number, line)
        if not text.strip():
            continue
        try:
            row = json.loads(text, parse_constant=_refuse_constant)
        except RecursionError:
            yield RowError(path.name, number, "the row is nested too deeply")
        except ValueError as error:
            yield RowError(path.name, number, f"not valid JSON ({error})")
        else:
            if isinstance(row, dict):
                yield number, row
            else:
                yield RowError(path.name, number, f"the row is {_kind(row)}, not an object with columns")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


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
