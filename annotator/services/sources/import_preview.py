"""Look at a file before it is imported: what format it is, its first items, and what would be left out."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from annotator.answers.masked import MASK
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.formats.read.candidates import Candidate, RowError
from annotator.formats.read.field_names import IGNORE, choose_columns, field_named, similar_field, unused_columns
from annotator.formats.read.jsonl import MARKUP_FIELDS, read_rows_with_items
from annotator.formats.read.row_checks import RowChecks
from annotator.formats.recognition import OWN, Recognised, ignored_columns, recognise
from annotator.formats.registry import import_format, is_response_format
from annotator.sandbox.libraries import IMAGE_MODULES
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue.candidates import known_contents
from annotator.text.python_tree import imported_modules, modules_meaning, tree_or_empty

ITEMS_SHOWN = 5
ROWS_SHOWN = 200
RowState = Literal["read", "known", "changed", "bad"]
_PAIR = re.compile(r"(\w+)\s*=\s*(\S.*?)(?=\s+\w+\s*=|\s*$)")


Pairs = tuple[tuple[str, str], ...]
"""Fields, or "ignore", each with a column."""


def read_pairs(text: str) -> Pairs:
    """Return field and column of a text such as "prompt=question ignore=unit tests"; columns may have spaces."""
    return tuple((field, column.strip("\"'")) for field, column in _PAIR.findall(text))


def write_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the text that `read_pairs` reads."""
    return " ".join(f"{field}={column}" for field, column in pairs if column)


def shape_of(columns: Iterable[str]) -> str:
    """Return what files with the same heads have in common, in whatever order."""
    return content_hash(sorted(columns))


def split_mapping(pairs: Sequence[tuple[str, str]]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the column of each field, and the columns to leave out, of pairs of a field or "ignore" and a column.

    Columns are named as heads are read: spaces around and between their words do not matter. Raises `UsageError` for a
    field that does not exist.
    """
    mapping, ignored = {}, []
    for word, column in pairs:
        field, name = field_named(word), " ".join(column.split())
        if field == IGNORE:
            ignored.append(name)
        else:
            mapping[field] = name
    return mapping, tuple(ignored)


def pairs_of_heads(columns: Sequence[str], fields: Mapping[str, str]) -> Pairs:
    """Return the pairs that give each column the field in ``fields``, and no other column any."""
    chosen = {field: column for column, field in fields.items()}
    unread = unused_columns(columns, choose_columns(columns, chosen))
    left_out = [name for name in columns if name not in fields and name not in unread]
    return (*chosen.items(), *((IGNORE, name) for name in left_out))


def name_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return columns that are left out, each with the field that it is probably meant for, if there is one."""
    return tuple(f"{name} ({field}?)" if (field := similar_field(name)) else name for name in columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewRow:
    """What becomes of a row: a new candidate, one that is known, with the same or other content, or nothing (bad).

    ``reason`` says why a row is bad, ``cells`` has its texts by the preview's columns, and ``item`` what was read.
    ``converted`` names the columns whose HTML was turned into text, which the cells show; ``clash`` is the line whose
    id a bad row has.
    """

    line: int
    state: RowState
    reason: str = ""
    cells: tuple[str, ...] = ()
    item: Candidate | None = None
    converted: tuple[str, ...] = ()
    clash: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """What an import would bring: its format, the formats that fit the content (best first) and the first items.

    ``ignored`` are the columns that are not read, ``warnings`` what speaks against the format; ``lacking`` are modules
    that the Python of the first items imports and the sandbox does not have. ``mapping`` names the columns of fields:
    those that were given, else those of usual names. ``columns`` and the cells of ``rows`` are there for our own format
    only; ``notes`` say how a table was read, and ``has_more`` that ``rows`` are only the first. ``pairs`` are what was
    chosen or found of the columns, as `split_mapping` takes it.
    """

    format: str
    recognised: tuple[str, ...]
    items: tuple[Candidate, ...]
    errors: tuple[RowError, ...]
    ignored: tuple[str, ...]
    warnings: tuple[Message, ...]
    lacking: tuple[str, ...] = ()
    mapping: dict[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    rows: tuple[PreviewRow, ...] = ()
    notes: tuple[Message, ...] = ()
    has_more: bool = False
    pairs: Pairs = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """How a file or folder is going to be read: its format, the column of each field, and the columns left out."""

    format: str
    mapping: dict[str, str]
    left_out: tuple[str, ...]
    notes: tuple[Message, ...] = ()


def plan_import(
    path: Path, format: str = "", mapping: Mapping[str, str] | None = None, ignored: Sequence[str] = ()
) -> ImportPlan:
    """Return how a file or folder is read: in a format, or in the one that fits best, its fields by usual names.

    Raises `BadInputError` where no format fits and no column goes by a usual name of the prompt.
    """
    found = _recognise(path, format)
    chosen, columns = _choose(path, found, format, mapping or {}, ignored)
    left_out = ignored_columns(chosen, found.columns, columns)
    rows = list(islice(_own_rows(path, columns, found.columns), ROWS_SHOWN)) if chosen == OWN else []
    notes = (*found.notes, *_note_on_markup(rows))
    return ImportPlan(format=chosen, mapping=columns, left_out=left_out, notes=notes)


def answer_columns_left_out(path: Path, format: str) -> tuple[str, ...]:
    """Return the columns of the first rows that reading answers of models does not look at."""
    return ignored_columns(format, _recognise(path, format).columns, {})


def _recognise(path: Path, format: str) -> Recognised:
    """Look at a file's content; where a format was chosen that is no table's, nothing else needs to fit."""
    try:
        return recognise(path)
    except BadInputError:
        if format in ("", OWN):
            raise
        return Recognised(())


def _choose(
    path: Path, found: Recognised, format: str, mapping: Mapping[str, str], ignored: Sequence[str]
) -> tuple[str, dict[str, str]]:
    if format and format != OWN:
        return format, dict(mapping)
    if not format and not ignored and found.formats and found.formats[0] != OWN:
        return found.formats[0], dict(mapping)
    # Rows of a published format mean something else by the same names.
    guesses = not found.formats or found.formats[0] == OWN
    chosen = {field_named(field): column for field, column in mapping.items()}
    columns = choose_columns(found.columns, chosen, ignored, guesses=guesses)
    named = OWN in found.formats or format or mapping or ignored
    if named or "prompt" in columns:
        return OWN, columns
    names = ", ".join(found.columns[:12])
    if not names:
        raise BadInputError(
            f"{path.name} is in no format that is known here, nor are these JSON lines or a table. "
            "annotator formats lists what can be imported."
        )
    likely = next((name for name in found.columns if similar_field(name) == "prompt"), "")
    meant = f"Did you mean prompt by {likely}? Then say prompt={likely}." if likely else (
        "Say which column holds the prompt, such as prompt=question."
    )  # fmt: skip
    raise BadInputError(f"{path.name} is in no format that is known here; its columns are: {names}. {meant}")


def preview_import(
    path: Path,
    format: str = "",
    mapping: Mapping[str, str] | None = None,
    ignored: Sequence[str] = (),
    store: ProjectFile | None = None,
    *,
    needs_prompt: bool = True,
    kept: Mapping[str, Pairs] | None = None,
) -> ImportPreview:
    """Read the first rows as a format, or as the one that fits best. Raises `BadInputError` as reading does.

    With ``store`` rows that it has are told apart. Of answers (`is_response_format`) no items are shown: they belong to
    candidates that are here already. Without ``needs_prompt`` a table in no known format is shown as our own rows, so
    that somebody can say which column is the prompt. ``kept`` has what was chosen for files of the same shape
    (`shape_of`), where nothing is chosen for this one.
    """
    found = _recognise(path, format)
    if kept and not mapping and not ignored and (pairs := kept.get(shape_of(found.columns))):
        mapping, ignored = split_mapping(pairs)
    if not needs_prompt and not found.formats and found.columns:
        format = format or OWN
    chosen, columns = _choose(path, found, format, mapping or {}, ignored)
    rows: list[PreviewRow] = []
    if not is_response_format(chosen):
        read = _own_rows(path, columns, found.columns) if chosen == OWN else _rows_of_format(path, chosen, columns)
        rows = list(islice(read, ROWS_SHOWN + 1))
    has_more = len(rows) > ROWS_SHOWN
    rows = _compare(rows[:ROWS_SHOWN], store)
    items = tuple(row.item for row in rows if row.item is not None)[:ITEMS_SHOWN]
    return ImportPreview(
        format=chosen,
        recognised=found.formats,
        items=items,
        errors=tuple(RowError(path.name, row.line, row.reason) for row in rows if row.state == "bad"),
        ignored=_left_out(chosen, found, columns, rows),
        warnings=_warnings(chosen, found, columns),
        lacking=lacking_modules(items),
        mapping=columns,
        columns=found.columns if chosen == OWN else (),
        rows=tuple(rows),
        notes=(*found.notes, *_note_on_markup(rows)),
        has_more=has_more,
        pairs=(*(pair for pair in columns.items() if pair[1]), *((IGNORE, name) for name in ignored)),
    )


def _own_rows(path: Path, mapping: Mapping[str, str], columns: Sequence[str]) -> Iterator[PreviewRow]:
    for line, row, item in read_rows_with_items(path, mapping):
        texts = {name: _cell_text(row.get(name)) for name in columns}
        if isinstance(item, RowError):
            yield PreviewRow(line=line, state="bad", reason=item.reason, cells=tuple(texts.values()))
            continue
        read = {mapping.get(name, name): getattr(item, name) for name in MARKUP_FIELDS}
        changed = {column: text for column, text in read.items() if texts.get(column) and texts[column] != text}
        cells = tuple((texts | changed).values())
        yield PreviewRow(line=line, state="read", cells=cells, item=item, converted=tuple(changed))


def _rows_of_format(path: Path, format: str, mapping: Mapping[str, str]) -> Iterator[PreviewRow]:
    for item in import_format(format).read(path, mapping):
        if isinstance(item, RowError):
            yield PreviewRow(line=item.line, state="bad", reason=item.reason)
        else:
            yield PreviewRow(line=item.place.line if item.place else 0, state="read", item=item)


def _cell_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _compare(rows: Sequence[PreviewRow], store: ProjectFile | None) -> list[PreviewRow]:
    """Return rows with the state of those whose key is known, in the project or from an earlier row."""
    known: dict[str, str] = {}
    if store is not None:
        keys = [row.item.key for row in rows if row.item is not None]
        with store.read() as db:
            known = known_contents(db.connection(), keys)
    earlier: dict[str, PreviewRow] = {}
    checks = RowChecks()
    compared = [_compared(row, known, earlier, checks) for row in rows]
    clashes = {row.clash: row.line for row in reversed(compared) if row.clash}
    return [
        replace(row, reason=f"line {clashes[row.line]} has the same id") if row.line in clashes else row
        for row in compared
    ]


def _compared(
    row: PreviewRow, known: Mapping[str, str], earlier: dict[str, PreviewRow], checks: RowChecks
) -> PreviewRow:
    if row.item is None:
        return row
    first = earlier.setdefault(row.item.key, row)
    (checked,) = checks.check([row.item])
    if isinstance(checked, RowError):
        clash = 0 if first is row else first.line
        return replace(row, state="bad", reason=checked.reason, item=None, clash=clash)
    if first is not row:
        return replace(row, state="known", reason=f"the same as line {first.line}" if first.line else "")
    if row.item.key not in known:
        return row
    return replace(row, state="known" if known[row.item.key] == checked.content_hash() else "changed")


def _left_out(
    format: str, found: Recognised, mapping: Mapping[str, str], rows: Sequence[PreviewRow]
) -> tuple[str, ...]:
    """Return the columns that are not read: those that no row used, and those that no reader of the format knows."""
    named = dict.fromkeys(ignored_columns(format, found.columns, mapping))
    places = [row.item.place for row in rows if row.item is not None and row.item.place is not None]
    unused = dict.fromkeys(name for place in places for name in place.left_out)
    # A bad row does not tell which of its columns were not read, and one of them may be a slip of the pen.
    return tuple(unused) if places and format != OWN and len(places) == len(rows) else tuple(named | unused)


def _note_on_markup(rows: Iterable[PreviewRow]) -> tuple[Message, ...]:
    """Say in which columns HTML was read as text."""
    changed = dict.fromkeys(column for row in rows for column in row.converted)
    return (Message("HTML was turned into text in: {columns}.", columns=", ".join(changed)),) if changed else ()


def lacking_modules(items: Iterable[Candidate]) -> tuple[str, ...]:
    """Return the modules that the Python of candidates imports and neither Python nor the sandbox has, in order."""
    there = {*sys.stdlib_module_names, *IMAGE_MODULES, "solution"}
    found: set[str] = set()
    for item in items:
        if item.language.lower() == "python":
            for code in (item.reference, item.context.replace(MASK, "pass")):
                found |= imported_modules(tree_or_empty(code))
            for test in item.tests:
                found |= imported_modules(tree_or_empty(test.code)) - modules_meaning(item.reference, test.code)
    return tuple(sorted(found - there))


def format_warnings(path: Path, format: str, mapping: Mapping[str, str]) -> tuple[Message, ...]:
    """Return what speaks against reading a file as a format. Raises `BadInputError` for what cannot be read."""
    return _warnings(format, recognise(path), mapping)


def _warnings(format: str, found: Recognised, mapping: Mapping[str, str]) -> tuple[Message, ...]:
    """Say which columns are missing that fields were said to be in; else whether another format fits better."""
    missing = [column for column in mapping.values() if column and column.partition(".")[0] not in found.columns]
    if missing and found.columns:
        near = get_close_matches(missing[0], found.columns, n=1)
        if near:
            return (
                Message(
                    "The first rows have no column {missing}. Did you mean {meant}? Their columns are: {columns}.",
                    missing=", ".join(missing),
                    meant=near[0],
                    columns=", ".join(found.columns),
                ),
            )
        return (
            Message(
                "The first rows have no column {missing}; their columns are: {columns}.",
                missing=", ".join(missing),
                columns=", ".join(found.columns),
            ),
        )
    if not found.formats or found.formats[0] == format or mapping:
        return ()
    ignored = ignored_columns(format, found.columns, mapping)
    if format in found.formats and ignored:
        return (
            Message(
                "This looks like {format}: read as {chosen}, the columns {ignored} are left out.",
                format=found.formats[0],
                chosen=format,
                ignored=", ".join(ignored),
            ),
        )
    return (Message("This looks like {format}, not like {chosen}.", format=found.formats[0], chosen=format),)
