"""Recognise the format of a file or folder by its content, and list the columns that its reader ignores."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.format_registry import IMPORTS, RESPONSES, import_format, is_response_format
from annotator.formats.interchange.release_folder import is_export
from annotator.formats.interchange.release_items import ITEMS
from annotator.formats.interchange.response_files import is_generations
from annotator.formats.read.field_names import READING_WORDS, unused_columns, usual_columns
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.read.lines import only_object, places_beside, read_objects, row_lists
from annotator.formats.read.tables.table_opening import open_table
from annotator.formats.read.typed_columns import row_files
from annotator.formats.write.export_folder import MANIFEST


@dataclass(frozen=True, slots=True)
class Recognised:
    """Matching formats, the best first, and the columns of the rows (none for a folder that is read as a whole).

    ``notes`` say how the file was read, and ``rows_place`` names the list that has the rows.
    """

    formats: tuple[str, ...]
    columns: tuple[str, ...] = ()
    notes: tuple[Message, ...] = ()
    rows_place: str = ""


_OTHER_KINDS = (
    (
        (".zip", ".whl", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".7z", ".rar"),
        "is an archive. Unpack it, or mine it under Repositories if it holds code.",
    ),
    ((".csv.gz", ".tsv.gz", ".xlsx.gz", ".parquet.gz", ".bz2", ".xz", ".zst"), "is compressed. Unpack it first."),
    ((".ipynb",), "is a notebook. Save its tables as CSV or JSON lines."),
    ((".xml",), "is XML. Mine it if it is a dump of Stack Exchange (annotator mine stackexchange), or save it as CSV."),
    ((".html", ".htm", ".md"), "is a page. Copy its table into a spreadsheet, and save that as CSV or .xlsx."),
)
"""Endings of file names that cannot be imported, with advice for the user."""
_YAML = (".yaml", ".yml")
_MEDIA = ("image", "audio", "video", "font")
OWN_FORMAT = "jsonl"
"""The format of our own rows, whose fields may have other names."""
_SAMPLE_ROWS = 200
"""Number of rows that are read to list the columns."""
_TRIAL_ROWS = 20
"""Number of rows that a format is tried on."""
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
# Exports in other formats have a manifest too, so the manifest alone does not identify a release folder.
_FOLDERS = (
    ("annotator", ITEMS),
    ("infibench", "**/eval_*.yaml"),
    ("realisticcodebench", "t*/*/"),
    ("realisticcodebench", "tasks/t*/*/"),
)


def recognise_format(path: Path, options: Mapping[str, str] = MappingProxyType({})) -> Recognised:
    """Recognise a folder by its files, or a file by its first rows, read with ``options``.

    A file of one object in no known form is recognised by the list of rows that makes up most of it. Raises
    `BadInputError` if it cannot be read.
    """
    if not path.exists():
        raise BadInputError(f"There is no file or folder {path.name}. Nothing was imported.")
    if path.suffix in _YAML and path.is_file():
        return _recognise_yaml(path)
    if path.is_dir():
        if is_export(path):
            return Recognised(("annotator",))
        for name, pattern in _FOLDERS:
            if next(path.glob(pattern), None) is not None and (pattern != ITEMS or (path / MANIFEST).is_file()):
                return Recognised((name,))
        if (path / MANIFEST).is_file() and next(path.rglob("*.jsonl*"), None) is None:
            return Recognised(("annotator",))
        path = row_files(path)[0][0]
    _refuse_other_kinds(path)
    if path.suffix == ".eval":
        return Recognised(("inspect-log",))
    if is_generations(path):
        return Recognised(("samples",))
    table = open_table(path, options)
    if table is not None:
        return Recognised(_readable_formats(path, table.columns, options), table.columns, table.notes)
    columns = _find_columns(path, options)
    formats = _readable_formats(path, columns, options)
    recognised_list = None if formats or "rows" in options else _recognise_list(path, options)
    return recognised_list or Recognised(formats, columns)


def _recognise_list(path: Path, options: Mapping[str, str]) -> Recognised | None:
    """Recognise the list of rows that makes up more than half of a file's only object.

    None if there is none, if ``options`` name a column of the object, or if the object has a prompt and the rows of
    the list have none.
    """
    document = only_object(path) or {}
    if any(column.partition(".")[0] in document for column in options.values()):
        return None
    sizes = {place: len(json.dumps(rows)) for place, rows in row_lists(document).items()}
    place = max(sizes, key=lambda name: sizes[name], default="")
    if 2 * sizes.get(place, 0) <= sum(len(json.dumps(value)) for value in document.values()):
        return None
    recognised = recognise_format(path, {**options, "rows": place})
    texts = [name for name, value in document.items() if isinstance(value, str)]
    if not recognised.formats and "prompt" in usual_columns(texts).keys() - usual_columns(recognised.columns).keys():
        return None
    left_out = places_beside(document, place)
    note = (
        Message("The rows are the list {place}; left out beside it: {names}.", place=place, names=", ".join(left_out))
        if left_out
        else Message("The rows are the list {place}.", place=place)
    )
    return replace(recognised, notes=(note, *recognised.notes), rows_place=place)


def _readable_formats(path: Path, columns: Sequence[str], options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the formats whose columns are all present, those with more columns first.

    Rows with a prompt and tests are items, not answers. A format that can read none of the first rows is left out if
    another one can: related sets share column names.
    """
    format_columns = {item.name: item.columns for item in IMPORTS}
    if not {"prompt", "tests"} <= {*columns, *usual_columns(columns)}:
        format_columns |= {item.name: item.columns for item in RESPONSES}
    counts = {name: len(_matching_columns(alternatives, columns)) for name, alternatives in format_columns.items()}
    formats = sorted((name for name, count in counts.items() if count), key=lambda name: -counts[name])
    readable = [name for name in formats if len(formats) == 1 or _reads_rows(path, name, options)]
    return tuple(readable or formats)


def _matching_columns(alternatives: str, columns: Iterable[str]) -> frozenset[str]:
    """Return the largest set of columns, among those that a bar separates, that is present; else an empty one."""
    candidates = (frozenset(names.split()) for names in alternatives.split("|"))
    return max((names for names in candidates if names <= {*columns}), key=len, default=frozenset())


def _reads_rows(path: Path, format: str, options: Mapping[str, str]) -> bool:
    return is_response_format(format) or any(
        isinstance(item, Candidate) for item in _read_first_rows(path, format, options)
    )


def _read_first_rows(path: Path, format: str, options: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Read the first rows in a format of candidates."""
    reading_options = {word: text for word, text in options.items() if word in READING_WORDS}
    return islice(import_format(format).read(path, reading_options), _TRIAL_ROWS)


def _recognise_yaml(path: Path) -> Recognised:
    """Recognise an InfiBench case or suite. Raises `BadInputError` for any other YAML file."""
    if fnmatch(path.name, "eval_*") or "\ncases:" in "\n" + path.read_text("utf-8", errors="replace"):
        return Recognised(("infibench",))
    raise BadInputError(
        f"{path.name} is not an InfiBench suite, the only YAML that can be imported. Save it as JSON lines."
    )


def _refuse_other_kinds(path: Path) -> None:
    """Raise `BadInputError` for unsupported files recognised by name; their content would look like broken text."""
    for suffixes, advice in _OTHER_KINDS:
        if path.name.lower().endswith(suffixes):
            raise BadInputError(f"{path.name} {advice}")
    with path.open("rb") as stream:
        if stream.read(len(_LFS_POINTER)) == _LFS_POINTER:
            raise BadInputError(f"{path.name} only points to a file in Git LFS. Fetch that with git lfs pull.")
    kind = (mimetypes.guess_type(path.name)[0] or "").partition("/")[0]
    if kind in _MEDIA:
        raise BadInputError(f"{path.name} is a file of type {kind}. Only JSON lines and tables can be imported.")


def ignored_columns(path: Path, format: str, columns: Sequence[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of a file that a format does not read; ``mapping`` names the columns of fields."""
    if format == OWN_FORMAT:
        return unused_columns(columns, mapping)
    if is_response_format(format):
        [response_format] = [item for item in RESPONSES if item.name == format]
        needed = _matching_columns(response_format.columns, columns) or frozenset(response_format.columns.split())
        read_columns = needed | frozenset(response_format.other_columns.split())
        return tuple(name for name in columns if name not in read_columns) if response_format.columns else ()
    rows = _read_first_rows(path, format, mapping) if columns else ()
    places = [item.place for item in rows if isinstance(item, Candidate)]
    return tuple(dict.fromkeys(name for place in places if place for name in place.left_out))


def _find_columns(path: Path, options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of the first readable rows, in order."""
    columns: dict[str, None] = {}
    for item in islice(read_objects(path, options), _SAMPLE_ROWS):
        if not isinstance(item, RowError):
            columns.update(dict.fromkeys(item[1]))
    return tuple(columns)
