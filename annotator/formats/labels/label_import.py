"""Read the labels in a file or folder, whichever tool wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.formats.labels import argilla, doccano, label_studio, potato, promptfoo
from annotator.formats.labels.imported_labels import ImportedLabel, LabelPlace, OmittedPart
from annotator.formats.read.field_names import usual_columns
from annotator.formats.read.import_records import RowError
from annotator.formats.read.lines import only_object, read_objects

TOOLS = (label_studio.TOOL, argilla.TOOL, doccano.TOOL, potato.TOOL, promptfoo.TOOL)
LabelReader = Callable[[Mapping[str, Any], LabelPlace], Iterator[ImportedLabel | OmittedPart]]


@dataclass(frozen=True, slots=True)
class LabelShape:
    """One form of a tool's rows."""

    tool: str
    fits: Callable[[Mapping[str, Any]], bool]
    read: LabelReader


SHAPES = (
    LabelShape(label_studio.TOOL, label_studio.is_task, label_studio.read_task),
    LabelShape(label_studio.TOOL, label_studio.is_minimal, label_studio.read_minimal),
    LabelShape(argilla.TOOL, argilla.is_record, argilla.read_record),
    LabelShape(argilla.TOOL, argilla.is_flat, argilla.read_flat),
    LabelShape(argilla.TOOL, argilla.is_text_task, argilla.read_text_task),
    LabelShape(potato.TOOL, potato.is_state, potato.read_state),
    LabelShape(potato.TOOL, potato.is_instance, potato.read_instance),
    LabelShape(promptfoo.TOOL, promptfoo.is_result, promptfoo.read_result),
    LabelShape(doccano.TOOL, doccano.is_example, doccano.read_example),
)
_SUFFIXES = (".json", ".jsonl", ".csv", ".tsv")
_INSTANCES = "annotated_instances.jsonl"
_STATE = "user_state.json"
# doccano names a file after its annotator, or by one of these words if it holds the labels of all.
_FILES_OF_ALL = ("all", "train", "data", "export")
_MAX_LISTED_ERRORS = 5


def find_tool(path: Path) -> str:
    """Return the tool that wrote a file or folder, by its first row; "" for candidates and unreadable files."""
    try:
        for file in _find_files(path):
            for item in _read_rows(file):
                if isinstance(item, RowError):
                    return ""
                shape = _find_shape(item[1])
                if shape is None:
                    return ""
                # Candidates with a solution or tests may have a text and labels like doccano's rows.
                is_candidate = bool({"reference", "tests"} & usual_columns(list(item[1])).keys())
                return "" if is_candidate and shape.tool == doccano.TOOL else shape.tool
    except BadInputError:
        return ""
    return ""


def read_labels(path: Path) -> Iterator[ImportedLabel | OmittedPart | RowError]:
    """Yield every answer in a file or folder, the parts left out, and the rows that cannot be read.

    Raises `BadInputError` if it cannot be opened, or if none of the `TOOLS` wrote it.
    """
    is_known = False
    row_errors: list[str] = []
    for file in _find_files(path):
        for item in _read_rows(file):
            if isinstance(item, RowError):
                row_errors.append(str(item))
                yield item
                continue
            row, value, author = item
            shape = _find_shape(value)
            if shape is None:
                yield RowError(file.name, row, f"not a row of {', '.join(TOOLS)}")
                continue
            is_known = True
            person = author or _person_by_name(file, shape.tool)
            is_named_by_file = bool(person) and not author
            place = LabelPlace(file.relative_to(path).as_posix() if path.is_dir() else file.name, row, person)
            try:
                for label in shape.read(value, place):
                    if is_named_by_file and isinstance(label, ImportedLabel) and label.person == person:
                        yield replace(label, is_named_by_file=True)
                    else:
                        yield label
            except (AttributeError, TypeError, ValueError, KeyError):
                # Tools write a fixed form, so a row that differs is reported instead of guessed at.
                yield RowError(file.name, row, f"not in the form that {shape.tool} writes")
    if not is_known:
        raise BadInputError(
            f"{path.name} is not an export of a known tool. Labels are read from {', '.join(TOOLS)}: "
            "JSON, JSON lines or CSV. Nothing was imported.",
            details=tuple(row_errors[:_MAX_LISTED_ERRORS]),
        )


def _find_shape(row: Mapping[str, Any]) -> LabelShape | None:
    return next((shape for shape in SHAPES if shape.fits(row)), None)


def _find_files(path: Path) -> list[Path]:
    """Return the files of a path; of a person's folder only the instances, or the state if there are none."""
    if not path.exists():
        raise BadInputError(f"There is no file or folder {path.name}. Nothing was imported.")
    if not path.is_dir():
        refuse_project(path)
        return [path]
    root = path.resolve()
    files = [
        file
        for file in sorted(path.rglob("*"))
        if file.suffix in _SUFFIXES and file.is_file() and file.resolve().is_relative_to(root)
    ]
    by_person = [file for file in files if file.name == _INSTANCES]
    by_person += [file for file in files if file.name == _STATE and not (file.parent / _INSTANCES).is_file()]
    if not files:
        raise BadInputError(f"{path.name} contains no exported labels (JSON, JSON lines or CSV). Nothing was imported.")
    return sorted(by_person) or files


def _person_by_name(file: Path, tool: str) -> str:
    """Return the person named by a file or its folder, if the tool writes one per person."""
    if tool == potato.TOOL:
        return file.parent.name if file.name in (_INSTANCES, _STATE) else ""
    if tool == doccano.TOOL and file.stem.casefold() not in _FILES_OF_ALL:
        return file.stem
    return ""


def _read_rows(path: Path) -> Iterator[tuple[int, dict[str, Any], str] | RowError]:
    """Yield number, row and author of every row in a file; a file with a single object is split into its rows."""
    document = only_object(path) if path.suffix == ".json" else None
    if document is None:
        for item in read_objects(path):
            yield item if isinstance(item, RowError) else (*item, "")
        return
    # Argilla may write its records by id.
    is_by_name = document and all(isinstance(value, dict) and _find_shape(value) for value in document.values())
    own_rows = list(document.values()) if is_by_name else [document]
    rows, author = promptfoo.promptfoo_results(document) or (own_rows, "")
    for number, row in enumerate(rows, start=1):
        if isinstance(row, dict):
            yield number, row, author
        else:
            yield RowError(path.name, number, "the row is not an object")
