"""A table: find its row of column heads, name its columns, and read its rows by column."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.read.field_names import is_usual_name
from annotator.formats.read.import_records import RowError

Line = tuple[int, Sequence[str]] | RowError
"""A row's number and its cells, in order."""
# Spreadsheets have titles, notes and empty rows above the heads, so these are searched for.
_MAX_HEAD_ROWS = 12
_MAX_NOTE_LENGTH = 80
_MAX_NUMBER_LENGTH = 30
"""Longer cells are not tried as numbers."""
_SURVEY_MARK = '{"ImportId"'
_TOTALS = (
    "total", "totals", "grand total", "subtotal", "sum", "summe", "gesamt", "somme", "suma", "итого", "合计", "总计",
    "合計", "합계",
)  # fmt: skip
_MEANS = ("average", "mean")
_MEAN_TOLERANCE = 0.01
"""Means are often rounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTable:
    """A table's columns, its rows (number, and filled cells by column), and notes on how it was read."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[int, dict[str, Any]] | RowError]
    notes: tuple[Message, ...] = ()


def make_table(
    name: str, lines: Iterator[Line], notes: Sequence[Message] = (), *, has_heads: bool = True
) -> SourceTable:
    """Return the table in some lines, with its heads in one of the first; without heads, columns have letters.

    Raises `BadInputError` if there are no heads although there should be.
    """
    first_lines = list(islice(lines, _MAX_HEAD_ROWS))
    if not has_heads:
        cells = [line[1] for line in first_lines if not isinstance(line, RowError)]
        letters = [f"column {column_letters(number)}" for number in range(max(map(len, cells), default=0))]
        return SourceTable(
            columns=tuple(letters), rows=_read_rows(name, letters, chain(first_lines, lines)), notes=tuple(notes)
        )
    head_index = _find_head([[] if isinstance(line, RowError) else line[1] for line in first_lines])
    head_line = first_lines[head_index] if head_index >= 0 else None
    if head_line is None or isinstance(head_line, RowError):
        problem = next(
            (line.reason for line in first_lines if isinstance(line, RowError)), "there is no row with heads"
        )
        raise BadInputError(f"{name} is not a table: {problem}. Nothing was imported.")
    body_start = head_index + 1
    for number, line in enumerate(first_lines[body_start : body_start + 3], start=body_start):
        # Survey tools repeat their questions and internal keys below the heads.
        if not isinstance(line, RowError) and any(cell.startswith(_SURVEY_MARK) for cell in line[1]):
            body_start = number + 1
            break
    skipped_lines = [
        line
        for line in (*first_lines[:head_index], *first_lines[head_index + 1 : body_start])
        if not isinstance(line, RowError)
    ]
    notes = [*notes, *(_note_of_line(line) for line in skipped_lines if any(map(str.strip, line[1])))]
    if not skipped_lines and not any(map(is_usual_name, head_line[1])):
        notes.append(
            Message(
                "Line {number} is read as the names of the columns. If it is a row: heads=none.", number=head_line[0]
            )
        )
    errors = [line for line in first_lines[:head_index] if isinstance(line, RowError)]
    body_lines = list(chain(errors, first_lines[body_start:]))
    columns = name_columns(head_line[1], [line[1] for line in body_lines if not isinstance(line, RowError)])
    rows = _read_rows(name, columns, chain(body_lines, lines))
    return SourceTable(columns=tuple(filter(None, columns)), rows=rows, notes=tuple(notes))


def _note_of_line(line: tuple[int, Sequence[str]]) -> Message:
    text = " | ".join(" ".join(cell.split()) for cell in line[1] if cell.strip())
    short_text = text if len(text) <= _MAX_NOTE_LENGTH else text[: _MAX_NOTE_LENGTH - 1] + "…"
    return Message("Line {number} is not a row and is left out: {text}", number=line[0], text=short_text)


def _find_head(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of the head row: the first filled one, unless a later one has more known column names.

    A later one needs two known names, since a single one may be an answer. Returns -1 if no row is filled.
    """
    filled = [number for number, row in enumerate(rows) if any(map(str.strip, row))]
    if not filled:
        return -1
    wide = next((number for number in filled if sum(bool(cell.strip()) for cell in rows[number]) > 1), filled[0])
    usual_counts = {number: len({cell.strip() for cell in rows[number] if is_usual_name(cell)}) for number in filled}
    best = max(filled, key=lambda number: usual_counts[number])
    if usual_counts[best] > usual_counts[filled[0]] and (usual_counts[best] > 1 or best == wide):
        return best
    return filled[0] if usual_counts[filled[0]] else wide


def name_columns(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a column name for each head, trimmed, with a number added to repeated ones.

    A column without a head is named by its letter as in spreadsheets, or "" if it has no filled cell either.
    """
    width = max([len(heads), *(len(row) for row in rows)], default=0)
    names: list[str] = []
    for number in range(width):
        head = " ".join(heads[number].replace("\ufeff", "").split()) if number < len(heads) else ""
        is_filled = number < len(heads) and any(number < len(row) and row[number].strip() for row in rows)
        name = head or (f"column {column_letters(number)}" if is_filled else "")
        repetition = 2
        while name and name in names:
            name = f"{head} ({repetition})"
            repetition += 1
        names.append(name)
    return names[: len(heads)]


def column_letters(number: int) -> str:
    """Return a spreadsheet's letters for a column number counted from 0: A, Z, AA."""
    letters = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def _read_rows(
    name: str, columns: Sequence[str], lines: Iterator[Line]
) -> Iterator[tuple[int, dict[str, Any]] | RowError]:
    """Yield the rows by column.

    A last row that begins with a word for a total or mean, and has that of a column, is an error.
    """
    last: tuple[int, dict[str, Any]] | RowError | None = None
    sums: dict[str, float] = {}
    counts = Counter[str]()
    for row in _filled_rows(name, columns, lines):
        if last is not None:
            yield last
            if not isinstance(last, RowError):
                sums |= {column: sums.get(column, 0.0) + _cell_number(cell) for column, cell in last[1].items()}
                counts.update(last[1].keys())
        last = row
    if last is not None and not isinstance(last, RowError) and _is_summary(last[1], sums, counts):
        last = RowError(name, last[0], "the row is a total or mean of the rows above. Delete it, or leave it out")
    if last is not None:
        yield last


def _is_summary(row: Mapping[str, str], sums: Mapping[str, float], counts: Mapping[str, int]) -> bool:
    label = next(iter(row.values())).strip().rstrip(":").casefold()
    numbers = {name: _cell_number(cell) for name, cell in row.items() if name in sums}
    if label in _MEANS:
        return any(
            math.isclose(number, sums[name] / counts[name], rel_tol=_MEAN_TOLERANCE) for name, number in numbers.items()
        )
    return label in _TOTALS and any(math.isclose(number, sums[name]) for name, number in numbers.items())


def _cell_number(cell: str) -> float:
    """Return the number in a cell, with or without separated thousands; a text is not a number (NaN)."""
    try:
        # Python's error repeats the text, which is slow for the long texts of most cells.
        return float(cell.replace(",", "")) if len(cell) < _MAX_NUMBER_LENGTH else math.nan
    except ValueError:
        return math.nan


def _filled_rows(
    name: str, columns: Sequence[str], lines: Iterator[Line]
) -> Iterator[tuple[int, dict[str, Any]] | RowError]:
    for line in lines:
        if isinstance(line, RowError):
            yield line
            continue
        number, cells = line
        if any(cell.strip() for cell in cells[len(columns) :]):
            yield RowError(name, number, "the row has more cells than there are columns")
            continue
        unnamed_columns = [
            index for index, cell in enumerate(cells[: len(columns)]) if cell.strip() and not columns[index]
        ]
        if unnamed_columns:
            yield RowError(
                name, number, f"the row has a cell in column {column_letters(unnamed_columns[0])}, which has no header"
            )
            continue
        row = {column: cell for column, cell in zip(columns, cells, strict=False) if cell.strip()}
        if row:
            yield number, row
