"""Read text tables with commas, semicolons, tabs or bars between the cells, in any encoding that spreadsheets write."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.read.field_names import is_usual_name
from annotator.formats.read.tables.encodings import find_encoding
from annotator.formats.read.tables.imported_table import Line, SourceTable, make_table

SEPARATORS = ",;\t|"
_SEPARATOR_NOTES = {
    ";": Message("The cells are separated by semicolons."),
    "\t": Message("The cells are separated by tabs."),
    "|": Message("The cells are separated by bars."),
}
_SAMPLE_ROWS = 20
_SAMPLE_CHARACTERS = 1 << 18


def open_delimited(path: Path, encoding: str = "", *, has_heads: bool = True) -> SourceTable:
    """Return the table of a text file, in the given encoding, or else a detected one.

    Raises `BadInputError` if it is not text or not a table.
    """
    encoding = encoding or find_encoding(path)
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise BadInputError(f"There is no encoding {encoding}. Use a name such as cp1251 or gb18030.") from None
    with path.open(encoding=encoding, newline="") as stream:
        try:
            sample = stream.read(_SAMPLE_CHARACTERS)
        except UnicodeError as error:
            raise _wrong_encoding(path, encoding) from error
    named_separator, start = _named_separator(sample)
    separator = named_separator or find_separator(sample)
    notes = []
    if encoding not in ("utf-8", "utf-8-sig"):
        notes.append(
            Message(
                "The text is read as {encoding}; if its special characters are wrong: encoding=NAME.", encoding=encoding
            )
        )
    if separator in _SEPARATOR_NOTES:
        notes.append(_SEPARATOR_NOTES[separator])
    return make_table(path.name, _read_lines(path, encoding, separator, start), notes, has_heads=has_heads)


def is_delimited(text: str) -> bool:
    """Return whether a text is a table, by a known column name in its first row; for files whose name does not say."""
    first_line = next((line for line in text.splitlines() if line.strip()), "")
    cells = first_line.split(find_separator(text))
    return len(cells) > 1 and any(is_usual_name(cell.strip(' "')) for cell in cells)


def find_separator(text: str) -> str:
    """Return the best separator of the first rows: known column names and equally long rows count, then more cells."""
    ranks = {separator: _rank_separator(text, separator) for separator in SEPARATORS}
    return max(SEPARATORS, key=lambda separator: ranks[separator])


def _rank_separator(text: str, separator: str) -> tuple[float, int]:
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    try:
        rows = [row for row in islice(reader, _SAMPLE_ROWS) if any(map(str.strip, row))]
    except csv.Error:
        return 0.0, 0
    widths = [len(row) for row in rows]
    width = max(set(widths), key=widths.count, default=0)
    if width < 2:
        return 0.0, width
    usual_count = max(sum(is_usual_name(cell) for cell in row) for row in rows)
    return usual_count + widths.count(width) / len(widths), width


def _named_separator(text: str) -> tuple[str, int]:
    """Return the separator named by a first line such as "sep=;", and the number of lines to skip for it."""
    first_line = text.partition("\n")[0].strip('\ufeff"\r ')
    if first_line.lower().startswith("sep=") and first_line[4:] in SEPARATORS and len(first_line) == 5:
        return first_line[4:], 1
    return ("\t", 1) if first_line.lower() == "sep=" else ("", 0)


def _read_lines(path: Path, encoding: str, separator: str, start: int) -> Iterator[Line]:
    """Yield the rows, numbered by their first line."""
    last_line = start
    try:
        with path.open(encoding=encoding, newline="") as stream:
            for _ in range(start):
                stream.readline()
            reader = csv.reader(stream, delimiter=separator, strict=True)
            for cells in reader:
                yield last_line + 1, cells
                last_line = start + reader.line_num
    except UnicodeError as error:
        raise _wrong_encoding(path, encoding) from error
    except csv.Error as error:
        raise BadInputError(
            f"{path.name}:{last_line + 1}: the table cannot be read further ({error}). Correct the quotes of that row, "
            "or save the table as .xlsx; nothing was imported."
        ) from error


def _wrong_encoding(path: Path, encoding: str) -> BadInputError:
    return BadInputError(
        f"{path.name} is not {encoding} throughout. Name its encoding, such as encoding=cp1251, or save it as CSV "
        "UTF-8; nothing was imported."
    )
