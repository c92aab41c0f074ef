"""Look at a file before it is imported: what format it is, its first items, and what would be left out."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from annotator.answers.masked import MASK
from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.read.candidates import Candidate, RowError
from annotator.formats.read.jsonl import similar_field
from annotator.formats.read.row_checks import RowChecks
from annotator.formats.recognition import Recognised, ignored_columns, recognise, usual_columns
from annotator.formats.registry import import_format, is_response_format
from annotator.sandbox.libraries import IMAGE_MODULES
from annotator.text.python_tree import imported_modules, modules_meaning, tree_or_empty

ITEMS_SHOWN = 5
_ROWS_READ = 200
_OWN = "jsonl"
_PAIR = re.compile(r"(\w+)\s*=\s*(\S.*?)(?=\s+\w+\s*=|\s*$)")


def read_mapping(text: str) -> dict[str, str]:
    """Return field -> column of a text such as "prompt=question tests=unit tests"; columns may have spaces."""
    return {field: column.strip("\"'") for field, column in _PAIR.findall(text)}


def write_mapping(mapping: Mapping[str, str]) -> str:
    """Return the text that `read_mapping` reads."""
    return " ".join(f"{field}={column}" for field, column in mapping.items())


def name_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return columns that are left out, each with the field that it is probably meant for, if there is one."""
    return tuple(f"{name} ({field}?)" if (field := similar_field(name)) else name for name in columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """What an import would bring: its format, the formats that fit the content (best first) and the first items.

    ``ignored`` are the columns of the first rows that are not read, ``warnings`` what speaks against the format;
    ``lacking`` are modules that the Python of the first items imports and the sandbox does not have. ``mapping`` names
    the columns of fields: those that were given, else those of usual names.
    """

    format: str
    recognised: tuple[str, ...]
    items: tuple[Candidate, ...]
    errors: tuple[RowError, ...]
    ignored: tuple[str, ...]
    warnings: tuple[Message, ...]
    lacking: tuple[str, ...] = ()
    mapping: dict[str, str] = field(default_factory=dict)


def recognised_format(path: Path, mapping: Mapping[str, str] | None = None) -> tuple[str, dict[str, str]]:
    """Return the format that fits a file or folder best, and where its fields are, if they have other names.

    Raises `BadInputError` where no format fits and no column goes by a usual name of the prompt.
    """
    return _best_format(path, recognise(path), mapping or {})


def answer_columns_left_out(path: Path, format: str) -> tuple[str, ...]:
    """Return the columns of the first rows that reading answers of models does not look at."""
    return ignored_columns(format, _recognise_if_possible(path).columns, {})


def _best_format(path: Path, found: Recognised, mapping: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    if found.formats and found.formats[0] != _OWN:
        return found.formats[0], dict(mapping)
    usual = {field: column for field, column in usual_columns(found.columns).items() if column not in mapping.values()}
    usual.update(mapping)
    if not (found.formats or mapping) and "prompt" not in usual:
        columns = ", ".join(found.columns[:12])
        if not columns:
            raise BadInputError(
                f"{path.name} is in no format that is known here, nor are these JSON lines or a table. "
                "annotator formats lists what can be imported."
            )
        likely = next((name for name in found.columns if similar_field(name) == "prompt"), "")
        meant = f"Did you mean prompt by {likely}? Then say prompt={likely}." if likely else (
            "Say which column holds the prompt, such as prompt=question."
        )  # fmt: skip
        raise BadInputError(f"{path.name} is in no format that is known here; its columns are: {columns}. {meant}")
    return _OWN, usual


def preview_import(path: Path, format: str = "", mapping: Mapping[str, str] | None = None) -> ImportPreview:
    """Read the first rows as a format, or as the one that fits best. Raises `BadInputError` as reading does.

    Of answers (`is_response_format`) no items are shown: they belong to candidates that are here already.
    """
    if format:
        found, mapping = _recognise_if_possible(path), dict(mapping or {})
    else:
        found = recognise(path)
        format, mapping = _best_format(path, found, mapping or {})
    items: list[Candidate] = []
    errors: list[RowError] = []
    left_out: dict[str, None] = {}
    if is_response_format(format):
        left_out.update(dict.fromkeys(ignored_columns(format, found.columns, mapping)))
    else:
        rows = RowChecks().check(import_format(format).read(path, mapping))
        for item in islice(rows, _ROWS_READ):
            if isinstance(item, RowError):
                errors.append(item)
                continue
            left_out.update(dict.fromkeys(item.place.left_out if item.place else ()))
            if len(items) < ITEMS_SHOWN:
                items.append(item)
        if errors:
            # A bad row does not tell which of its columns were not read, and one of them may be a slip of the pen.
            left_out = dict.fromkeys(ignored_columns(format, found.columns, mapping)) | left_out
    warnings = _warnings(format, found, mapping)
    lacking = lacking_modules(items)
    return ImportPreview(
        format=format,
        recognised=found.formats,
        items=tuple(items),
        errors=tuple(errors),
        ignored=tuple(left_out),
        warnings=warnings,
        lacking=lacking,
        mapping=mapping,
    )


def _recognise_if_possible(path: Path) -> Recognised:
    """Return what a file looks like; nothing where that cannot be told, as its format was chosen by hand."""
    try:
        return recognise(path)
    except BadInputError:
        return Recognised(())


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
    missing = [column for column in mapping.values() if column.partition(".")[0] not in found.columns]
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
