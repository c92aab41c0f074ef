"""Recognise tables among other files, and open them."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.formats.read.tables.delimited import is_delimited, open_delimited
from annotator.formats.read.tables.imported_table import SourceTable
from annotator.formats.read.tables.parquet import PARQUET_MARK, open_parquet
from annotator.formats.read.tables.workbook import is_workbook, open_workbook

_TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".psv")
_POSSIBLE_TABLES = (".txt",)
# The first bytes of .xlsx (a zip file), of older Office files such as .xls, and of OpenDocument inside its zip file.
_ZIP_MAGIC = b"PK"
_OLD_OFFICE_MAGIC = b"\xd0\xcf\x11\xe0"
_OPEN_DOCUMENT_MAGIC = b"mimetypeapplication/vnd.oasis.opendocument"
_SAMPLE_BYTES = 1 << 16


def open_table(path: Path, options: Mapping[str, str] = MappingProxyType({})) -> SourceTable | None:
    """Return a file's table, recognised by its content, and for text also by its name; None for any other file.

    ``options`` may name the ``encoding`` of a text and the ``sheet`` of a workbook; ``heads`` is
    "none" for a table whose first row is data.

    Raises `BadInputError` for a broken table, and for an unsupported kind of spreadsheet.
    """
    refuse_project(path)
    if not path.is_file():
        return None
    has_heads = options.get("heads") != "none"
    try:
        with path.open("rb") as stream:
            start = stream.read(_SAMPLE_BYTES)
        if start.startswith(_OLD_OFFICE_MAGIC) or _OPEN_DOCUMENT_MAGIC in start[:200]:
            raise BadInputError(
                f"{path.name} is an office document in an unsupported format. "
                "Save it as .xlsx or as CSV UTF-8; nothing was imported."
            )
        if start.startswith(PARQUET_MARK):
            return open_parquet(path)
        if start.startswith(_ZIP_MAGIC) and is_workbook(path):
            return open_workbook(path, options.get("sheet", ""), has_heads=has_heads)
        suffix = path.suffix.lower()
        if suffix in _TABLE_SUFFIXES or (suffix in _POSSIBLE_TABLES and _looks_delimited(start)):
            return open_delimited(path, options.get("encoding", ""), has_heads=has_heads)
    except OSError as error:
        raise BadInputError(f"{path.name} cannot be read ({error.strerror or error}). Nothing was imported.") from error
    if suffix == ".xlsx":
        raise BadInputError(f"{path.name} is not a valid spreadsheet. Open it and save it again; nothing was imported.")
    return None


def read_text_table_to_end(path: Path, options: Mapping[str, str] = MappingProxyType({})) -> None:
    """Read all rows of a text table. Raises `BadInputError` if a broken quote makes a row unreadable."""
    if path.suffix.lower() not in (*_TABLE_SUFFIXES, *_POSSIBLE_TABLES):
        return
    table = open_table(path, options)
    for _ in table.rows if table is not None else ():
        continue


def _looks_delimited(start: bytes) -> bool:
    encoding = "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    text = start.decode(encoding, "replace")
    return not text.lstrip().startswith(("{", "[")) and is_delimited(text)
