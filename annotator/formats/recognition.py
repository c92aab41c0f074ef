"""Recognise the format of a file or folder by its content, and list the columns that its reader ignores."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.format_registry import import_format, is_response_format
from annotator.formats.interchange.release_folder import is_export
from annotator.formats.interchange.release_items import ITEMS
from annotator.formats.interchange.response_files import is_generations
from annotator.formats.read.field_names import FIELDS, READING_WORDS, unused_columns, usual_columns
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.read.lines import only_object, places_beside, read_objects, row_lists
from annotator.formats.read.tables.table_opening import open_table
from annotator.formats.read.typed_columns import row_files
from annotator.formats.write.export_folder import MANIFEST


@dataclass(frozen=True, slots=True)
class RowShape:
    """One form of a format's rows: the columns that identify it, and the other columns that are read."""

    format: str
    needed: frozenset[str]
    read: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Recognised:
    """Matching formats, the best first, and the columns of the rows (none for a folder that is read as a whole).

    ``notes`` say how the file was read, and ``rows_place`` names the list that has the rows.
    """

    formats: tuple[str, ...]
    columns: tuple[str, ...] = ()
    notes: tuple[Message, ...] = ()
    rows_place: str = ""


def _shape(format: str, needed: str, read: str = "") -> RowShape:
    return RowShape(format, frozenset(needed.split()), frozenset(read.split()))


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
_MBPP = "challenge_test_list test_imports test_setup_code"
_COCO = "task_id id metadata data_soure data_source code corrected_code input expected_output"
SHAPES: tuple[RowShape, ...] = (
    RowShape("jsonl", frozenset({"prompt"}), frozenset({*FIELDS, "key"})),
    _shape("humaneval", "task_id prompt canonical_solution test entry_point"),
    _shape("evalplus", "task_id prompt canonical_solution entry_point base_input plus_input", "test contract atol"),
    _shape("mbpp", "task_id text code test_list", _MBPP),
    _shape("mbpp", "task_id prompt code test_list", _MBPP),
    _shape("mbppplus", "task_id prompt code test_list test", _MBPP),
    _shape(
        "mbppplus", "task_id prompt canonical_solution entry_point base_input plus_input assertion", "contract atol"
    ),
    _shape("bigcodebench", "task_id complete_prompt canonical_solution test entry_point", "instruct_prompt libs"),
    _shape(
        "livecodebench",
        "question_id question_content public_test_cases",
        "question_title starter_code private_test_cases metadata platform contest_id contest_date difficulty",
    ),
    _shape("multipl-e", "name language prompt tests stop_tokens", "doctests"),
    _shape("multipl-e", "name language prompt tests doctests"),
    _shape(
        "humanevalpack",
        "task_id prompt declaration canonical_solution buggy_solution test entry_point",
        "bug_type failure_symptoms instruction example_test test_setup docstring",
    ),
    _shape(
        "humanevalx", "task_id prompt declaration canonical_solution test", "example_test test_setup docstring text"
    ),
    _shape(
        "domaineval",
        "method_name method_path method_code test_code_list instruction method_code_mask",
        "full_method_name",
    ),
    _shape(
        "evocodebench",
        "namespace completion_path signature_position body_position",
        "type project_path dependency requirement tests indent domain",
    ),
    _shape("naturalcodebench", "_id problem testcases", "prompt setup_code reference_solution classification"),
    _shape(
        "mined",
        "repository module_path qualified_name signature body_span code tests",
        "revision domain kind docstring span indent masked context dependencies loc similar filters instruction "
        "libraries place provenance selected in_place context_lines taken_against",
    ),
    _shape("cruxeval", "code input output id"),
    _shape("classeval", "task_id skeleton test solution_code class_name", "import_statement"),
    _shape("ds1000", "prompt reference_code metadata code_context"),
    _shape("apps", "question solutions input_output", "problem_id id difficulty url starter_code"),
    _shape(
        "codecontests",
        "name description public_tests solutions",
        "private_tests generated_tests time_limit input_file output_file",
    ),
    _shape("instructions", "instruction input output"),
    _shape("coco", "description issue_categories code", _COCO),
    _shape("coco", "description bug_code corrected_code", _COCO),
    _shape("coco", "description incomplete_code complete_code", _COCO),
    _shape("coco", "description code input expected_output", _COCO),
    *(
        _shape("samples", needed, "prompt language model sample idx finish_reason _identifier")
        for needed in (
            "task_id completion",
            "task_id solution",
            "task_id generation",
            "namespace completion",
            "subject response",
        )
    ),
    _shape("samples", "doc_id doc resps", "filtered_resps target arguments"),
    _shape("inspect-log", "version status eval plan", "results stats samples reductions logging"),
    _shape("outcomes", "model function outcomes", "protocol domain repository path mask"),
)
"""The known forms of rows, of candidates and of answers."""

OWN_FORMAT = "jsonl"
"""The format of our own rows, whose fields may have other names."""
_SAMPLE_ROWS = 200
_TRIAL_ROWS = 20
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
# Exports in other formats have a manifest too, so the manifest alone does not identify a release folder.
_FOLDERS = (
    ("annotator", ITEMS),
    ("infibench", "**/eval_*.yaml"),
    ("realisticcodebench", "t*/*/"),
    ("realisticcodebench", "tasks/t*/*/"),
)
_LICENCES = frozenset({"licence", "license"})


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
    columns = _columns(path, options)
    formats = _readable_formats(path, columns, options)
    inside = None if formats or "rows" in options else _recognise_list(path, options)
    return inside or Recognised(formats, columns)


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
    inside = recognise_format(path, {**options, "rows": place})
    texts = [name for name, value in document.items() if isinstance(value, str)]
    if not inside.formats and "prompt" in usual_columns(texts).keys() - usual_columns(inside.columns).keys():
        return None
    beside = places_beside(document, place)
    note = (
        Message("The rows are the list {place}; left out beside it: {names}.", place=place, names=", ".join(beside))
        if beside
        else Message("The rows are the list {place}.", place=place)
    )
    return replace(inside, notes=(note, *inside.notes), rows_place=place)


def _readable_formats(path: Path, columns: Sequence[str], options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the formats whose columns are all present, those with more columns first.

    A format that can read none of the first rows is left out if another one can: related sets share column names.
    """
    matching_shapes = sorted((shape for shape in SHAPES if shape.needed <= set(columns)), key=_certainty, reverse=True)
    formats = tuple(dict.fromkeys(shape.format for shape in matching_shapes))
    return tuple(name for name in formats if len(formats) == 1 or _reads_first_rows(path, name, options)) or formats


def _reads_first_rows(path: Path, format: str, options: Mapping[str, str]) -> bool:
    if is_response_format(format):
        return True
    rows = import_format(format).read(path, {word: text for word, text in options.items() if word in READING_WORDS})
    return any(isinstance(item, Candidate) for item in islice(rows, _TRIAL_ROWS))


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
        raise BadInputError(f"{path.name} is of the kind {kind}. What can be imported is JSON lines or a table.")


def ignored_columns(format: str, columns: Sequence[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns that a format does not read; ``mapping`` names the columns of fields."""
    if format == OWN_FORMAT:
        return unused_columns(columns, mapping)
    shapes = [shape for shape in SHAPES if shape.format == format]
    if not shapes:
        return ()
    shape = max([one for one in shapes if one.needed <= set(columns)] or shapes, key=_certainty)
    mapped = {column.partition(".")[0] for column in mapping.values()}
    return tuple(name for name in columns if name not in shape.needed | shape.read | _LICENCES | mapped)


def _columns(path: Path, options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of the first readable rows, in order."""
    columns: dict[str, None] = {}
    for item in islice(read_objects(path, options), _SAMPLE_ROWS):
        if not isinstance(item, RowError):
            columns.update(dict.fromkeys(item[1]))
    return tuple(columns)


def _certainty(shape: RowShape) -> int:
    return len(shape.needed)
