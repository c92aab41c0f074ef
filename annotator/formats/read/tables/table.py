"""A table as it was found: where its heads are, its columns, and its rows by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.read.candidates import RowError
from annotator.formats.read.field_names import is_usual_name

Line = tuple[int, Sequence[str]] | RowError
"""A row's number and its cells, in order."""
_HEADS_SOUGHT = 12
_SHOWN = 80
_SURVEY_MARK = '{"ImportId"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The columns of a table, its rows (number and filled cells by column), and what was decided in reading it."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[int, dict[str, Any]] | RowError]
    notes: tuple[Message, ...] = ()


def make_table(name: str, lines: Iterator[Line], notes: Sequence[Message] = ()) -> Table:
    """Return the table that lines make whose heads are among the first ones. Raises `BadInputError` without heads."""
    first = list(islice(lines, _HEADS_SOUGHT))
    head = _find_head([[] if isinstance(line, RowError) else line[1] for line in first])
    found = first[head] if head >= 0 else None
    if found is None or isinstance(found, RowError):
        problem = next((line.reason for line in first if isinstance(line, RowError)), "there is no row with heads")
        raise BadInputError(f"{name} is not a table: {problem}. Nothing was imported.")
    after = head + 1
    for number, line in enumerate(first[after : after + 3], start=after):
        # A survey tool repeats its questions, and its own keys, below the heads.
        if not isinstance(line, RowError) and any(cell.startswith(_SURVEY_MARK) for cell in line[1]):
            after = number + 1
            break
    aside = [line for line in (*first[:head], *first[head + 1 : after]) if not isinstance(line, RowError)]
    notes = [*notes, *(_note_of_line(line) for line in aside if any(map(str.strip, line[1])))]
    errors = [line for line in first[:head] if isinstance(line, RowError)]
    rest = list(chain(errors, first[after:]))
    columns = name_columns(found[1], [line[1] for line in rest if not isinstance(line, RowError)])
    rows = _rows(name, columns, chain(rest, lines))
    return Table(columns=tuple(filter(None, columns)), rows=rows, notes=tuple(notes))


def _note_of_line(line: tuple[int, Sequence[str]]) -> Message:
    text = " | ".join(" ".join(cell.split()) for cell in line[1] if cell.strip())
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return Message("Line {number} is no row and is left out: {text}", number=line[0], text=shown)


def _find_head(rows: Sequence[Sequence[str]]) -> int:
    """Return the row of the heads: the first that is filled, unless a later one has more of the names known here.

    A later one must have two such names, since one may be an answer. -1 stands for no filled row.
    """
    filled = [number for number, row in enumerate(rows) if any(map(str.strip, row))]
    if not filled:
        return -1
    wide = next((number for number in filled if sum(bool(cell.strip()) for cell in rows[number]) > 1), filled[0])
    known = {number: len({cell.strip() for cell in rows[number] if is_usual_name(cell)}) for number in filled}
    best = max(filled, key=lambda number: known[number])
    if known[best] > known[filled[0]] and (known[best] > 1 or best == wide):
        return best
    return filled[0] if known[filled[0]] else wide


def name_columns(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of columns by their heads: trimmed, told apart by a number where two are the same.

    A column without a head is called by its letter, as spreadsheets do; "" if it has no cell either.
    """
    width = max([len(heads), *(len(row) for row in rows)], default=0)
    names: list[str] = []
    for number in range(width):
        head = " ".join(heads[number].replace("\ufeff", "").split()) if number < len(heads) else ""
        is_filled = number < len(heads) and any(number < len(row) and row[number].strip() for row in rows)
        name = head or (f"column {column_letters(number)}" if is_filled else "")
        again = 2
        while name and name in names:
            name, again = f"{head} ({again})", again + 1
        names.append(name)
    return names[: len(heads)]


def column_letters(number: int) -> str:
    """Return the letters of a column counted from 0, as spreadsheets name it: A, Z, AA."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _rows(name: str, columns: Sequence[str], lines: Iterator[Line]) -> Iterator[tuple[int, dict[str, Any]] | RowError]:
    for line in lines:
        if isinstance(line, RowError):
            yield line
            continue
        number, cells = line
        if any(cell.strip() for cell in cells[len(columns) :]):
            yield RowError(name, number, "the row has more cells than there are columns")
            continue
        lost = [at for at, cell in enumerate(cells[: len(columns)]) if cell.strip() and not columns[at]]
        if lost:
            yield RowError(name, number, f"the row has a cell in column {column_letters(lost[0])}, which has no head")
            continue
        row = {column: cell for column, cell in zip(columns, cells, strict=False) if cell.strip()}
        if row:
            yield number, row
