"""Read spreadsheets (.xlsx), using the values stored in the file, as tables."""

from __future__ import annotations

import codecs
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.read.import_records import RowError
from annotator.formats.read.tables.imported_table import Line, SourceTable, make_table

SIZE_LIMIT = 512 * 1024 * 1024
"""A small zip file can unpack to far more than the memory."""
_MAX_PARTS = 20_000
# The exceptions of openpyxl for parts that are missing, not XML, or not of their declared type.
_WORKBOOK_ERRORS = (
    KeyError, ValueError, TypeError, AttributeError, IndexError, OSError, SyntaxError, zipfile.BadZipFile,
)  # fmt: skip
_CONTENT_TYPES = "[Content_Types].xml"


def is_workbook(path: Path) -> bool:
    """Return whether a file is an Office document with sheets."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False
    return _CONTENT_TYPES in names and any(name.startswith("xl/") for name in names)


def open_workbook(path: Path, sheet: str = "", *, has_heads: bool = True) -> SourceTable:
    """Return the table of a sheet, or else of the first that has one; other sheets are named in the notes.

    Raises `BadInputError` for a missing sheet, and for a file that cannot be read, that unpacks to more than
    `SIZE_LIMIT`, or whose formulas were never calculated.
    """
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
    if len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > SIZE_LIMIT:
        limit = SIZE_LIMIT // (1024 * 1024)
        raise BadInputError(f"{path.name} unpacks to more than {limit} MB. Save its sheet as CSV UTF-8.")
    sheets = _read_sheets(path)
    filled_titles = [title for title, rows in sheets if any(any(map(str.strip, cells)) for _, cells, _ in rows)]
    if not filled_titles:
        raise BadInputError(f"{path.name} has no sheet with rows. Nothing was imported.")
    if sheet and sheet not in filled_titles:
        raise BadInputError(f"{path.name} has no sheet {sheet} with rows. Choose from: {', '.join(filled_titles)}.")
    title, rows = next((title, rows) for title, rows in sheets if title == (sheet or filled_titles[0]))
    notes = [
        Message("The sheet {name} is left out. To import it: sheet={name}.", name=other)
        for other in filled_titles
        if other != title
    ]
    return make_table(path.name, _sheet_lines(path.name, rows), notes, has_heads=has_heads)


_SheetRow = tuple[int, Sequence[str], str]
"""A row's number, its cells, and a problem with one of them."""


def _read_sheets(path: Path) -> list[tuple[str, list[_SheetRow]]]:
    import openpyxl

    try:
        # Not read-only: that mode trusts the sizes that a sheet declares, and some programs declare one cell.
        with path.open("rb") as stream:  # By its name alone, the library would refuse a spreadsheet called .csv.
            values = openpyxl.load_workbook(stream, data_only=True)
            # Loading takes nearly all the time, so a file without formulas is loaded once.
            formulas = openpyxl.load_workbook(stream, data_only=False) if _may_have_formulas(path) else None
        sheets = []
        for sheet in values.worksheets:
            if formulas is not None:
                _require_calculated_values(path, sheet, formulas[sheet.title])
            sheets.append((sheet.title, [_sheet_row(cells) for cells in sheet.iter_rows()]))
    except _WORKBOOK_ERRORS as error:
        raise BadInputError(
            f"{path.name} cannot be read as a spreadsheet ({error}). Open it in a spreadsheet program and save it "
            "again, or save it as CSV UTF-8; nothing was imported."
        ) from error
    return sheets


def _may_have_formulas(path: Path) -> bool:
    """Return whether a sheet has an element whose name begins with f, or a part is in UTF-16, which is not searched."""
    with zipfile.ZipFile(path) as archive:
        for data in map(archive.read, archive.namelist()):
            if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return True
            if b"sheetData" in data and (b"<f" in data or b":f" in data):
                return True
    return False


def _require_calculated_values(path: Path, values: Any, sheet: Any) -> None:
    """Raise `BadInputError` if no formula of a sheet has a stored value, which means it was never calculated."""
    formulas = [cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    if formulas and all(values[cell.coordinate].value is None for cell in formulas):
        raise BadInputError(
            f"{path.name}: the formulas of {sheet.title}, such as {formulas[0].coordinate}, were never calculated. "
            "Open the file in a spreadsheet program and save it; nothing was imported."
        )


def _sheet_row(cells: Sequence[Any]) -> _SheetRow:
    problem = ""
    for cell in cells:
        if cell.data_type == "e" and not problem:
            problem = f"cell {cell.coordinate} holds the error {cell.value}"
    return cells[0].row, [text_of_value(cell.value) for cell in cells], problem


def _sheet_lines(name: str, rows: Sequence[_SheetRow]) -> Iterator[Line]:
    for number, cells, problem in rows:
        if problem:
            yield RowError(name, number, problem)
        else:
            yield number, cells


def text_of_value(value: Any) -> str:
    """Return a cell's value as text: whole numbers without a point, dates as ISO 8601, booleans as TRUE and FALSE."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return str(value)
