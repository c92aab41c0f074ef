"""Read models' responses from JSON lines with ``subject, model, sample, response``, or other common names for them.

Other files that can be read are logs of Inspect, samples logged by the LM Evaluation Harness, and BigCode's
``generations.json``: a list of programs per item, in the order of the items (CRUXEval's file names the items).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.formats.interchange.inspect_log import read_log
from annotator.formats.read.field_names import is_usual_name
from annotator.formats.read.import_records import ImportedResponse, RowError
from annotator.formats.read.lines import parse_json, read_objects, row_texts
from annotator.formats.read.typed_columns import ColumnError, Row, make_row, number_column, row_name, text_column
from annotator.llm.answers import UNKNOWN_END

_SUBJECT_COLUMNS = ("subject", "case", "task_id", "namespace")
_TEXT_COLUMNS = ("response", "completion", "solution", "generation")
_SAMPLE_COLUMNS = ("sample", "idx")
_PROMPT_COLUMNS = ("messages", "prompt")
FIELD_NAMES = ("subject", "response", "sample", "prompt", "model", "finish_reason")
"""The fields of a row, by our names."""
_TASK_NAME_COLUMNS = ("task_id", "name", "question_id", "id", "key")
_HARNESS_FILE_PREFIX = "samples_"
_HARNESS_RESULTS = "results_*.json"


def read_responses(
    path: Path, item_order: Callable[[], Sequence[str]] = tuple
) -> Iterator[ImportedResponse | RowError]:
    """Yield a response per row; rows without a model get one guessed from the file's name.

    Rows without a sample number are numbered in order. A row without a finish reason, as the harness logs them, gets
    `UNKNOWN_END`, since it may have been cut off. For generations of BigCode's harness, ``item_order`` returns the
    subjects in the order of the file.
    """
    groups = _read_generations(path) if path.suffix == ".json" and path.is_file() else None
    if groups is not None:
        yield from _generation_responses(path, groups, item_order)
        return
    if path.is_file() and _is_inspect_log(path):
        yield from read_log(path)
        return
    read_response = partial(_read_response, *_model_of(path))
    counts: dict[tuple[str, str], int] = {}
    for item in read_objects(path):
        if isinstance(item, RowError):
            yield item
            continue
        line, row = item
        for answer_row in _answer_rows(row):
            response = make_row(answer_row, read_response, path.name, line)
            if isinstance(response, ImportedResponse) and response.sample < 0:
                number = counts.get((response.subject, response.model), 0)
                counts[response.subject, response.model] = number + 1
                response = replace(response, sample=number)
            yield response


def _read_response(fallback_model: str, is_certain: bool, row: Row) -> ImportedResponse:
    """Return the response in a row, with sample -1 if it has no number."""
    return ImportedResponse(
        subject=row_name(row, _first_column(row, _SUBJECT_COLUMNS)),
        model=text_column(row, "model", default=fallback_model),
        sample=_sample_number(row),
        text=text_column(row, _first_column(row, _TEXT_COLUMNS)),
        finish_reason=text_column(row, "finish_reason", default=UNKNOWN_END),
        prompt=_prompt_of(row),
        is_model_named=is_certain or row.get("model") is not None,
    )


def _sample_number(row: Row) -> int:
    column = _first_column(row, _SAMPLE_COLUMNS)
    if row.get(column) is None:
        return -1
    number = number_column(row, column)
    if not isinstance(number, int) or not 0 <= number < 10**6:
        raise ColumnError("sample must be a whole number, not below 0")
    return number


def _is_inspect_log(path: Path) -> bool:
    """Return whether a file is an Inspect log, which may be damaged if its name says so."""
    if path.suffix == ".eval":
        return True
    try:
        first = next(read_objects(path), None)
    except BadInputError:
        first = None
    if first is None or isinstance(first, RowError):
        return path.suffix == ".json"
    return {"eval", "status"} <= first[1].keys()


def is_generations(path: Path) -> bool:
    """Return whether a file holds the generations of BigCode's harness."""
    return path.suffix == ".json" and path.is_file() and _read_generations(path) is not None


def _read_generations(path: Path) -> list[Any] | dict[str, Any] | None:
    """Return the groups of programs in a generations file: a list, or an object by item name.

    None if it is another file, such as one of columns. Raises `BadInputError` if it cannot be read.
    """
    texts = list(islice(row_texts(path), 2))
    if not texts or isinstance(texts[0][1], RowError):
        return None
    try:
        first = parse_json(texts[0][1])
    except ValueError:
        return None
    if isinstance(first, list) and _is_group(first):
        return [parse_json(text) if isinstance(text, str) else None for _, text in row_texts(path)]
    is_named = isinstance(first, dict) and all(map(_is_group, first.values())) and not any(map(is_usual_name, first))
    return first if first and is_named and len(texts) == 1 else None


def _is_group(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)


def _generation_responses(
    path: Path, groups: list[Any] | dict[str, Any], item_order: Callable[[], Sequence[str]]
) -> Iterator[ImportedResponse | RowError]:
    names: Sequence[str] = list(groups) if isinstance(groups, dict) else item_order()
    if len(names) != len(groups):
        raise BadInputError(
            f"{path.name} has programs for {len(groups)} items in their order, but there are {len(names)} items here. "
            "Write them as JSON lines that name the items, with task_id and completion. Nothing was imported."
        )
    model = path.name.removesuffix(".json")
    values = groups.values() if isinstance(groups, dict) else groups
    for number, (name, group) in enumerate(zip(names, values, strict=True), start=1):
        if not isinstance(group, list) or not all(isinstance(text, str) for text in group):
            yield RowError(path.name, number, f"the programs for {name} are not a list of texts")
            continue
        for sample, text in enumerate(group):
            yield ImportedResponse(
                subject=name, model=model, sample=sample, text=text, finish_reason=UNKNOWN_END, is_model_named=False
            )


def _prompt_of(row: Row) -> str:
    """Return the prompt in a row, which is a text or the messages of a chat."""
    column = _first_column(row, _PROMPT_COLUMNS)
    if not isinstance(row.get(column), list):
        return text_column(row, column, default="")
    contents = (message.get("content") for message in row[column] if isinstance(message, Mapping))
    return "\n\n".join(content for content in contents if isinstance(content, str))


def _model_of(path: Path) -> tuple[str, bool]:
    """Return the model of rows that name none, and whether it is certain.

    The harness names its folder after the model; a model taken from the file name is only a guess.
    """
    folder = path.resolve().parent
    if path.name.startswith(_HARNESS_FILE_PREFIX) and next(folder.glob(_HARNESS_RESULTS), None) is not None:
        return folder.name.replace("__", "/"), True
    return path.name.removesuffix(".gz").removesuffix(".jsonl"), False


def _answer_rows(row: Row) -> Sequence[Row]:
    """Return one row per answer for a row of the harness, which has all answers to a task; other rows unchanged."""
    document = row.get("doc")
    answers = row.get("resps")
    if not isinstance(document, dict) or not isinstance(answers, list):
        return (row,)
    task_name = document.get(_first_column(document, _TASK_NAME_COLUMNS))
    subject = row.get("doc_id") if task_name is None else task_name
    texts = [text for group in answers for text in (group if isinstance(group, list) else [group])]
    return [{"subject": subject, "response": text} for text in texts]


def _first_column(row: Row, names: tuple[str, ...]) -> str:
    """Return the first of the columns that has a value, else the first one."""
    return next((name for name in names if row.get(name) is not None), names[0])
