"""Preview a file before it is imported: its format, its first items, and the columns that would be left out."""

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
from annotator.base.errors import BadInputError, UsageError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.formats.format_registry import import_format, is_response_format
from annotator.formats.read.field_names import (
    IGNORE,
    READING_WORDS,
    choose_columns,
    find_field,
    is_usual_name,
    similar_field,
    unused_columns,
)
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.read.jsonl import MARKUP_FIELDS, first_text_place, read_rows_with_items
from annotator.formats.read.lines import read_objects
from annotator.formats.read.row_checks import RowChecks
from annotator.formats.read.tables.table_opening import read_text_table_to_end
from annotator.formats.read.typed_columns import row_files
from annotator.formats.recognition import OWN_FORMAT, Recognised, ignored_columns, recognise_format
from annotator.sandbox.libraries import IMAGE_MODULES
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue.stored_candidates import fetch_visible_contents
from annotator.text.highlight import is_known_language
from annotator.text.python_tree import candidate_code_modules, imported_modules, tree_or_empty

ITEMS_SHOWN = 5
ROWS_SHOWN = 200
_MAX_CHECKED_BYTES = 64 * 1024 * 1024
_NAMES_SHOWN = 12
_NAME_CHARACTERS = 60
_ALLOWED_VALUES = {"html": "keep", "heads": "none"}
RowState = Literal["read", "known", "changed", "bad"]
_PAIR = re.compile(r"(\w+)\s*=\s*(\S.*?)(?=\s+\w+\s*=|\s*$)")


Pairs = tuple[tuple[str, str], ...]
"""(field or "ignore", column) pairs."""


def read_pairs(text: str) -> Pairs:
    """Parse a text such as "prompt=question ignore=unit tests" to (field, column) pairs; columns may have spaces."""
    return tuple((field, column.strip("\"'")) for field, column in _PAIR.findall(text))


def write_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Return pairs as a text that `read_pairs` can read."""
    return " ".join(f"{field}={column}" for field, column in pairs if column)


def column_shape(columns: Iterable[str]) -> str:
    """Return a hash of column heads that does not depend on their order."""
    return content_hash(sorted(columns))


def split_mapping(pairs: Sequence[tuple[str, str]]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Split pairs into the column of each field and the columns to ignore.

    Repeated spaces in column names are ignored. Raises `UsageError` for a field that does not exist.
    """
    mapping = {}
    ignored = []
    for word, column in pairs:
        field = find_field(word)
        name = " ".join(column.split())
        if name != _ALLOWED_VALUES.get(field, name):
            raise UsageError(f"Only {field}={_ALLOWED_VALUES[field]} is allowed, not {field}={name}.")
        if field == IGNORE:
            ignored.append(name)
        else:
            mapping[field] = name
    return mapping, tuple(ignored)


def pairs_of_heads(columns: Sequence[str], fields: Mapping[str, str]) -> Pairs:
    """Return the pairs that map each column to its field in ``fields`` and ignore the other columns."""
    column_by_field = {field: column for column, field in fields.items()}
    unread = unused_columns(columns, choose_columns(columns, column_by_field))
    left_out = [name for name in columns if name not in fields and name not in unread]
    return (*column_by_field.items(), *((IGNORE, name) for name in left_out))


def name_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return ignored columns, each with the field it is probably meant for, if there is one."""
    return tuple(f"{name} ({field}?)" if (field := similar_field(name)) else name for name in columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewRow:
    """A row of the file: new ("read"), already in the project with the same or different content, or bad.

    ``reason`` explains why a row is bad, ``cells`` are its texts in the order of the preview's columns, and ``item`` is
    the candidate. ``clash`` is the line that has the same id as a bad row.
    """

    line: int
    state: RowState
    reason: str = ""
    cells: tuple[str, ...] = ()
    item: Candidate | None = None
    clash: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """A preview of an import: its format, the formats that fit the content (best first) and the first items.

    ``ignored`` are the columns that are not read, ``warnings`` reasons against the format, and ``lacking`` the modules
    that the items' Python code imports and the sandbox does not have. ``mapping`` has the column of each field, given
    or guessed by its name. Only our own format has ``columns`` and cells in ``rows``. ``notes`` say how a table was
    read, and ``has_more`` that there are more rows. ``pairs`` is the mapping in the form for `split_mapping`.
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
    """The plan for reading a file or folder: its format, the column of each field, and the columns left out."""

    format: str
    mapping: dict[str, str]
    left_out: tuple[str, ...]
    notes: tuple[Message, ...] = ()
    warnings: tuple[Message, ...] = ()


def plan_import(
    path: Path, format: str = "", mapping: Mapping[str, str] | None = None, ignored: Sequence[str] = ()
) -> ImportPlan:
    """Plan how to read a file or folder, in the given or the best format, with columns found by usual names.

    Raises `BadInputError` if no format fits and no column has a usual name for the prompt.
    """
    recognised = _recognise_file(path, format, mapping)
    format_name, columns = _choose_reading(path, recognised, format, mapping or {}, ignored)
    left_out = ignored_columns(path, format_name, recognised.columns, columns)
    warnings = _find_warnings(path, format_name, recognised, columns)
    return ImportPlan(format=format_name, mapping=columns, left_out=left_out, notes=recognised.notes, warnings=warnings)


def answer_columns_left_out(path: Path, format: str) -> tuple[str, ...]:
    """Return the columns of the first rows that are ignored when model answers are read."""
    return ignored_columns(path, format, _recognise_file(path, format, {}).columns, {})


def _recognise_file(path: Path, format: str, mapping: Mapping[str, str] | None) -> Recognised:
    """Recognise a file's format; with a chosen format other than our own, an unrecognised file is accepted."""
    try:
        return recognise_format(path, mapping or {})
    except BadInputError:
        if format in ("", OWN_FORMAT):
            raise
        return Recognised(())


def _choose_reading(
    path: Path, recognised: Recognised, format: str, mapping: Mapping[str, str], ignored: Sequence[str]
) -> tuple[str, dict[str, str]]:
    if recognised.rows_place:
        mapping = {"rows": recognised.rows_place, **mapping}
    if format and format != OWN_FORMAT:
        return format, dict(mapping)
    if not format and not ignored and recognised.formats and recognised.formats[0] != OWN_FORMAT:
        return _choose_known_format(path, recognised), dict(mapping)
    # In a published format, the same column names may have other meanings.
    may_guess = not recognised.formats or recognised.formats[0] == OWN_FORMAT
    reading = {word: value for word, value in mapping.items() if word in READING_WORDS}
    column_by_field = {find_field(field): column for field, column in mapping.items() if field not in reading}
    columns = choose_columns(recognised.columns, column_by_field, ignored, guesses=may_guess)
    unfit_columns = _find_unfit_columns(path, {"language": "language"} | columns, mapping) - set(
        column_by_field.values()
    )
    if unfit_columns:
        columns = choose_columns(recognised.columns, column_by_field, (*ignored, *unfit_columns), guesses=may_guess)
    is_own_table = OWN_FORMAT in recognised.formats or format or column_by_field or ignored
    if is_own_table or "prompt" in columns:
        return OWN_FORMAT, columns | reading
    if not recognised.columns:
        raise BadInputError(
            f"{path.name} has an unknown format and is neither JSON lines nor a table. Save it as one of them; "
            "annotator formats lists what else can be imported."
        )
    names = ", ".join(name if len(name) <= _NAME_CHARACTERS else f"{name[:_NAME_CHARACTERS]}…"
                      for name in recognised.columns[:_NAMES_SHOWN])  # fmt: skip
    likely_prompt = next((name for name in recognised.columns if similar_field(name) == "prompt"), "")
    place = likely_prompt or _find_example_place(path, reading)
    hint = "No column holds sentences. To use one as the prompt all the same: --map prompt=COLUMN."
    if place and len(place) <= _NAME_CHARACTERS:
        hint = f"Is {place} the prompt? Then add --map prompt={place}."
    raise BadInputError(
        f"{path.name} has an unknown format; its columns are: {names}. {hint} "
        "Answers of models need the columns task_id and completion.",
        details=tuple(map(str, recognised.notes)),
    )


def _read_first_rows(path: Path, options: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    rows = (row for file, _ in row_files(path) for row in read_objects(file, options) if not isinstance(row, RowError))
    return (row for _, row in islice(rows, ROWS_SHOWN))


def _find_example_place(path: Path, options: Mapping[str, str]) -> str:
    """Return the column that holds the first text of several words and is not named as another field is, else the
    dotted place of such a text in a column, else "".
    """
    rows = [
        {name: value for name, value in row.items() if not is_usual_name(name)}
        for row in _read_first_rows(path, options)
    ]
    texts = [{name: value for name, value in row.items() if isinstance(value, str)} for row in rows]
    return next(filter(None, map(first_text_place, texts + rows)), "")


def _find_unfit_columns(path: Path, columns: Mapping[str, str], options: Mapping[str, str]) -> set[str]:
    """Return the columns whose first rows mostly name no programming languages, or have lists for references."""
    rows = list(_read_first_rows(path, options))
    language_column = columns["language"]
    reference_column = columns.get("reference", "")
    languages = {value for row in rows if isinstance(value := row.get(language_column), str) and value.strip()}
    unfit = set()
    if 2 * sum(map(is_known_language, languages)) < len(languages):
        unfit.add(language_column)
    if any(isinstance(row.get(reference_column), list) for row in rows):
        unfit.add(reference_column)
    return unfit


def _choose_known_format(path: Path, recognised: Recognised) -> str:
    """Return the best format. Raises `BadInputError` for answers in a nested list, which cannot be read."""
    if recognised.rows_place and is_response_format(recognised.formats[0]):
        raise BadInputError(
            f"{path.name} has answers of models in its list {recognised.rows_place}. Save that list as JSON lines."
        )
    return recognised.formats[0]


def preview_import(
    path: Path,
    format: str = "",
    mapping: Mapping[str, str] | None = None,
    ignored: Sequence[str] = (),
    store: ProjectFile | None = None,
    *,
    needs_prompt: bool = True,
    saved_pairs: Mapping[str, Pairs] | None = None,
) -> ImportPreview:
    """Read the first rows in the given format or the one that fits best. Raises `BadInputError` as reading does.

    With ``store``, rows that the project has already are marked. Answers (`is_response_format`) are shown without
    items, because they belong to existing candidates. Without ``needs_prompt``, a table in no known format is shown as
    our own rows, so that a person can choose the prompt's column. ``saved_pairs`` has earlier choices by the shape of
    the file (`column_shape`), used if nothing is chosen for this one.
    """
    recognised = _recognise_file(path, format, mapping)
    if saved_pairs and not mapping and not ignored and (pairs := saved_pairs.get(column_shape(recognised.columns))):
        mapping, ignored = split_mapping(pairs)
    if not needs_prompt and not recognised.formats and recognised.columns:
        format = format or OWN_FORMAT
    format_name, columns = _choose_reading(path, recognised, format, mapping or {}, ignored)
    rows: list[PreviewRow] = []
    if not is_response_format(format_name):
        if format_name == OWN_FORMAT:
            all_rows = _preview_own_rows(path, columns, recognised.columns)
        else:
            all_rows = _preview_rows_of_format(path, format_name, columns)
        rows = list(islice(all_rows, ROWS_SHOWN + 1))
    has_more = len(rows) > ROWS_SHOWN
    if has_more and path.is_file() and path.stat().st_size <= _MAX_CHECKED_BYTES:
        # A broken quote below the rows shown would otherwise only be reported by the import.
        read_text_table_to_end(path, columns)
    rows = _compare_with_project(rows[:ROWS_SHOWN], store)
    items = tuple(row.item for row in rows if row.item is not None)[:ITEMS_SHOWN]
    return ImportPreview(
        format=format_name,
        recognised=recognised.formats,
        items=items,
        errors=tuple(RowError(path.name, row.line, row.reason) for row in rows if row.state == "bad"),
        ignored=_find_left_out_columns(path, format_name, recognised.columns, columns, rows),
        warnings=_find_warnings(path, format_name, recognised, columns),
        lacking=lacking_modules(items),
        mapping=columns,
        columns=recognised.columns if format_name == OWN_FORMAT else (),
        rows=tuple(rows),
        notes=(*recognised.notes, *_describe_markup(rows)),
        has_more=has_more,
        pairs=(*(pair for pair in columns.items() if pair[1]), *((IGNORE, name) for name in ignored)),
    )


def _preview_own_rows(path: Path, mapping: Mapping[str, str], columns: Sequence[str]) -> Iterator[PreviewRow]:
    for line, row, item in read_rows_with_items(path, mapping):
        texts = {name: _format_cell(row.get(name)) for name in columns}
        if isinstance(item, RowError):
            yield PreviewRow(line=line, state="bad", reason=item.reason, cells=tuple(texts.values()))
            continue
        converted = item.place.converted if item.place else ()
        texts |= {
            mapping.get(name, name): getattr(item, name)
            for name in MARKUP_FIELDS
            if mapping.get(name, name) in converted
        }
        yield PreviewRow(line=line, state="read", cells=tuple(texts.values()), item=item)


def _preview_rows_of_format(path: Path, format: str, mapping: Mapping[str, str]) -> Iterator[PreviewRow]:
    for item in import_format(format).read(path, mapping):
        if isinstance(item, RowError):
            yield PreviewRow(line=item.line, state="bad", reason=item.reason)
        else:
            yield PreviewRow(line=item.place.line if item.place else 0, state="read", item=item)


def _format_cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _compare_with_project(rows: Sequence[PreviewRow], store: ProjectFile | None) -> list[PreviewRow]:
    """Return the rows with their states; a key may be known from the project or from an earlier row."""
    known_hashes: dict[str, str] = {}
    if store is not None:
        keys = [row.item.key for row in rows if row.item is not None]
        with store.read() as db:
            known_hashes = fetch_visible_contents(db.connection(), keys)
    earlier: dict[str, PreviewRow] = {}
    checks = RowChecks()
    compared = [_compare_row(row, known_hashes, earlier, checks) for row in rows]
    clashes = {row.clash: row.line for row in reversed(compared) if row.clash}
    return [
        replace(row, reason=f"line {clashes[row.line]} has the same id") if row.line in clashes else row
        for row in compared
    ]


def _compare_row(
    row: PreviewRow, known_hashes: Mapping[str, str], earlier: dict[str, PreviewRow], checks: RowChecks
) -> PreviewRow:
    if row.item is None:
        return row
    first_row = earlier.setdefault(row.item.key, row)
    (checked,) = checks.check([row.item])
    if isinstance(checked, RowError):
        clash = 0 if first_row is row else first_row.line
        return replace(row, state="bad", reason=checked.reason, item=None, clash=clash)
    if first_row is not row:
        return replace(row, state="known", reason=f"the same as line {first_row.line}" if first_row.line else "")
    if row.item.key not in known_hashes:
        return row
    return replace(row, state="known" if known_hashes[row.item.key] == checked.content_hash() else "changed")


def _find_left_out_columns(
    path: Path, format: str, columns: Sequence[str], mapping: Mapping[str, str], rows: Sequence[PreviewRow]
) -> tuple[str, ...]:
    """Return the columns that are not read: those that no row uses, and in our own format unknown ones."""
    places = [row.item.place for row in rows if row.item is not None and row.item.place is not None]
    unused = [name for place in places for name in place.left_out]
    unread = ignored_columns(path, format, columns, mapping) if format == OWN_FORMAT or not places else ()
    return tuple(dict.fromkeys((*unread, *unused)))


def _describe_markup(rows: Iterable[PreviewRow]) -> tuple[Message, ...]:
    """Return a note on the columns whose HTML was converted to text."""
    places = [row.item.place for row in rows if row.item is not None and row.item.place is not None]
    changed_columns = ", ".join(dict.fromkeys(column for place in places for column in place.converted))
    return (note_on_markup(changed_columns),) if changed_columns else ()


def note_on_markup(columns: str) -> Message:
    """Return the note on columns whose HTML was converted to text."""
    return Message("HTML was converted to text in: {columns}. To keep it: html=keep.", columns=columns)


def lacking_modules(items: Iterable[Candidate]) -> tuple[str, ...]:
    """Return the modules, sorted, that candidates' Python code imports but that Python and the sandbox lack."""
    available = {*sys.stdlib_module_names, *IMAGE_MODULES, "solution"}
    imported: set[str] = set()
    for item in items:
        if item.language.lower() == "python":
            for code in (item.reference, item.context.replace(MASK, "pass")):
                imported |= imported_modules(tree_or_empty(code))
            for test in item.tests:
                imported |= imported_modules(tree_or_empty(test.code)) - candidate_code_modules(
                    item.reference, test.code
                )
    return tuple(sorted(imported - available))


def _find_warnings(path: Path, format: str, recognised: Recognised, mapping: Mapping[str, str]) -> tuple[Message, ...]:
    """Warn about mapped columns that are missing, else about another format that fits better."""
    columns = [column for field, column in mapping.items() if column and field not in READING_WORDS]
    missing = [column for column in columns if column.partition(".")[0] not in recognised.columns]
    if missing and recognised.columns:
        names = {"missing": ", ".join(missing), "columns": ", ".join(recognised.columns)}
        if similar_columns := get_close_matches(missing[0], recognised.columns, n=1):
            return (
                Message(
                    "The first rows have no column {missing}. Did you mean {meant}? Their columns are: {columns}.",
                    meant=similar_columns[0],
                    **names,
                ),
            )
        return (Message("The first rows have no column {missing}; their columns are: {columns}.", **names),)
    if not recognised.formats or recognised.formats[0] == format or mapping:
        return ()
    ignored = ignored_columns(path, format, recognised.columns, mapping)
    if format in recognised.formats and ignored:
        return (
            Message(
                "This looks like {format}; when read as {chosen}, the columns {ignored} are left out.",
                format=recognised.formats[0],
                chosen=format,
                ignored=", ".join(ignored),
            ),
        )
    return (Message("This looks like {format}, not like {chosen}.", format=recognised.formats[0], chosen=format),)
