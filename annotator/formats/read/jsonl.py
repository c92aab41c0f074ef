"""Read JSON lines with our own field names, or with a mapping of fields to columns."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotator.base.ids import content_hash
from annotator.formats.interchange.humaneval import docstring_title
from annotator.formats.read.field_names import CREDIT_FIELDS, OBJECT_FIELDS, TEXT_FIELDS, find_field, similar_field
from annotator.formats.read.import_records import Candidate, CandidateTest, RowError, first_line
from annotator.formats.read.lines import parse_json, read_objects
from annotator.formats.read.typed_columns import (
    ColumnError,
    Row,
    language_name,
    make_row,
    row_files,
    row_licence,
    text_column,
)
from annotator.text.markup.written_as_html import plain_text_of
from annotator.text.python_tree import UNREADABLE, read_tree

# A number with more digits cannot be below 2**63, the largest that the database stores.
_MAX_DIGITS = 20
_QUESTION_FIELDS = ("title", "prompt")
_ANSWER_FIELDS = ("context", "reference")
MARKUP_FIELDS = (*_QUESTION_FIELDS, *_ANSWER_FIELDS)
"""Fields that people write as HTML, which is converted to plain text."""
_MARKUP_LANGUAGES = frozenset({"html", "xml", "svg", "xhtml", "vue", "php"})
_CONTEST_FIELDS = {"input": "stdin", "output": "expected"}
"""Names that contests use for the standard input of a program and its expected output."""
_TEST_FIELDS = frozenset(
    ("name", "code", "language", "inputs", "expected", "weight", "timeout", "stdin", *_CONTEST_FIELDS)
)
TASKS = ("generation", "completion", "understanding", "modification", "review", "question")


def read_jsonl(path: Path, mapping: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per row; ``mapping`` names the column (dotted for nested ones) that holds a field."""
    columns = {find_field(field): column for field, column in mapping.items()}
    for _, _, item in read_rows_with_items(path, columns):
        yield item


def read_rows_with_items(path: Path, mapping: Mapping[str, str]) -> Iterator[tuple[int, Row, Candidate | RowError]]:
    """Yield line number, columns, and the candidate or error of each row."""
    for file, name in row_files(path):
        for item in read_objects(file, mapping):
            if isinstance(item, RowError):
                yield item.line, {}, RowError(name, item.line, item.reason)
                continue
            line, row = item
            candidate = make_row(row, lambda columns: _own_or_other_candidate(columns, mapping), name, line)
            yield line, row, _name_changes(candidate, row, mapping)


def _name_changes(item: Candidate | RowError, row: Row, mapping: Mapping[str, str]) -> Candidate | RowError:
    """Return a candidate whose place names the columns converted to plain text, and the unread fields of its tests."""
    if isinstance(item, RowError) or item.place is None:
        return item
    texts = {name: row.get(mapping.get(name, name)) for name in MARKUP_FIELDS}
    changed = [name for name, text in texts.items() if isinstance(text, str) and text and text != getattr(item, name)]
    tests = mapping.get("tests", "tests")
    unread = dict.fromkeys(
        f"{tests}.{name}"
        for test in _test_items(_find_value(row, tests))
        if isinstance(test, dict)
        for name in test
        if name not in _TEST_FIELDS
    )
    if not changed and not unread:
        return item
    converted = tuple(mapping.get(name, name) for name in changed)
    return replace(item, place=replace(item.place, converted=converted, left_out=(*item.place.left_out, *unread)))


def _own_or_other_candidate(row: Row, mapping: Mapping[str, str]) -> Candidate:
    """Return a row's candidate; a row written by this program keeps its key, language name and texts."""
    key = row.get("key")
    if not mapping and "id" not in row and isinstance(key, str) and key.partition(":")[2] and "\x00" not in key:
        return replace(row_candidate(row, mapping, prefix="jsonl"), key=key, language=str(row.get("language") or ""))
    return read_candidate(row, mapping)


def read_candidate(row: Row, mapping: Mapping[str, str]) -> Candidate:
    """Return the candidate of a row from any origin; if its prompt is HTML, its texts are converted to plain text.

    A row with one of our task names stays unchanged, since this program never writes HTML.
    """
    parsed = row_candidate(row, mapping, prefix="jsonl")
    if mapping.get("html") == "keep" or _find_value(row, mapping.get("task", "task")) in TASKS:
        return parsed
    texts = _plain_texts(parsed, _QUESTION_FIELDS)
    if "prompt" in texts:
        if parsed.language.lower() not in _MARKUP_LANGUAGES:
            texts |= _plain_texts(parsed, _ANSWER_FIELDS)
        if not _field_text(row, "title", mapping):
            texts["title"] = _make_title(texts["prompt"], parsed.entry_point)
    return replace(parsed, **texts) if texts else parsed


def _plain_texts(parsed: Candidate, fields: Sequence[str]) -> dict[str, Any]:
    """Return the fields that change when their HTML is converted to plain text."""
    texts = {name: getattr(parsed, name) for name in fields}
    return {name: plain for name, text in texts.items() if (plain := plain_text_of(text)) != text}


def instruction_candidate(row: Row) -> Candidate:
    """Return a row as a candidate: ``instruction`` and ``input`` are the prompt, ``output`` is the reference."""
    instruction = text_column(row, "instruction", filled=True)
    input_text = text_column(row, "input", default="")
    prompt = f"{instruction}\n\n{input_text}" if input_text.strip() else instruction
    output = text_column(row, "output")
    name = row.get("id")
    has_name = isinstance(name, (str, int)) and not isinstance(name, bool)
    return Candidate(
        key=f"instructions:{name if has_name else content_hash([prompt, output])[:16]}",
        title=first_line(instruction),
        task="question",
        licence=row_licence(row),
        prompt=prompt,
        reference=output,
    )


def row_candidate(row: Row, mapping: Mapping[str, str], prefix: str) -> Candidate:
    """Return one row as a candidate. Raises `ColumnError` for a column that is missing or does not fit."""
    texts = {field: _field_text(row, field, mapping) for field in TEXT_FIELDS}
    if not texts["prompt"].strip():
        column = mapping.get("prompt", "prompt")
        columns = ", ".join(list(row)[:12]) or "none"
        likely_column = next((name for name in row if similar_field(name) == "prompt"), "COLUMN")
        raise ColumnError(
            f"there is no text in column {column} for the prompt; the columns are: {columns}. "
            f"If another one holds it, map it: prompt={likely_column}"
        )
    texts["licence"] = texts["licence"] or ("" if "licence" in mapping else row_licence(row))
    task = texts["task"] or "generation"
    if task not in TASKS:
        raise ColumnError(f"{task} is not a task family; there are: {', '.join(TASKS)}")
    objects = {field: _field_object(row, field, mapping) for field in OBJECT_FIELDS}
    credit = {field: _find_value(row, mapping.get(field, field)) for field in CREDIT_FIELDS}
    objects["provenance"] = {field: value for field, value in credit.items() if value} | objects["provenance"]
    row_id = _find_value(row, mapping.get("id", "id"))
    if row_id is not None and (isinstance(row_id, bool) or not isinstance(row_id, (str, int))):
        raise ColumnError("the id must be a text or a whole number")
    name = "" if row_id is None else str(row_id)
    if "\x00" in name:
        raise ColumnError("the id holds a null character")
    name = name.strip() or content_hash(dict(row))[:16]
    fields: dict[str, Any] = {**texts, **objects, "task": task}
    fields["language"] = language_name(texts["language"])
    fields["title"] = texts["title"] or _make_title(texts["prompt"], texts["entry_point"])
    return Candidate(key=f"{prefix}:{name}", views=_view_count(row, mapping), tests=_make_tests(row, mapping), **fields)


def _make_title(prompt: str, entry_point: str) -> str:
    """Return a title: the first line of the prompt, or the docstring's first sentence for Python code to complete."""
    if entry_point and f"def {entry_point}" in prompt:
        return docstring_title(prompt, entry_point)
    return first_line(prompt)


def _find_value(row: Row, column: str) -> Any:
    """Return a column's value; a dotted name that is not itself a column is looked up in nested objects and lists."""
    if not column:
        return None
    if column in row:
        return row[column]
    if "." not in column:
        return None
    value: Any = row
    for part in column.split("."):
        if isinstance(value, list) and part.isdecimal():
            value = dict(enumerate(value)).get(int(part))
        else:
            value = value.get(part) if isinstance(value, Mapping) else None
    return value


def first_text_place(value: Any, place: str = "") -> str:
    """Return the dotted place of the first text of several words in a row ("turns.0"), or ""."""
    if isinstance(value, str):
        return place if len(value.split()) > 1 else ""
    inner: Iterable[tuple[object, Any]] = ()
    if isinstance(value, Mapping):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    places = (first_text_place(item, f"{place}.{name}" if place else str(name)) for name, item in inner)
    return next(filter(None, places), "")


def _field_text(row: Row, field: str, mapping: Mapping[str, str]) -> str:
    column = mapping.get(field, field)
    value = _find_value(row, column)
    if value is None:
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        text_place = first_text_place(value, column)
        hint = f"its first text is {field}={text_place}" if text_place else f"to leave it out: ignore={column}"
        raise ColumnError(f"column {column} must hold text for the field {field}; {hint}")
    _require_storable(value, f"column {column}")
    return value


def _require_storable(text: str, place: str) -> None:
    """Raise `ColumnError` for text that a database cannot store."""
    if "\x00" in text:
        raise ColumnError(f"{place} holds a null character")
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ColumnError(f"{place} holds half of a character pair (a lone surrogate)") from None


def _field_object(row: Row, field: str, mapping: Mapping[str, str]) -> dict[str, Any]:
    column = mapping.get(field, field)
    value = _find_value(row, column)
    if isinstance(value, str):
        # Cells of tables hold JSON as text.
        with suppress(ValueError):
            value = parse_json(value)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ColumnError(
            f"column {column} must hold an object for the field {field}; to leave it out: ignore={column}"
        )
    return value


def _view_count(row: Row, mapping: Mapping[str, str]) -> int | None:
    value = _find_value(row, mapping.get("views", "views"))
    if value is None:
        return None
    # Cells of tables are texts.
    if isinstance(value, str) and value.isdecimal() and len(value) < _MAX_DIGITS:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise ColumnError("views must be a whole number, not below 0")
    return value


def _make_tests(row: Row, mapping: Mapping[str, str]) -> tuple[CandidateTest, ...]:
    column = mapping.get("tests", "tests")
    value = _find_value(row, column)
    if value is not None and not isinstance(value, (str, list)):
        raise ColumnError(f"tests must be code, or a list of tests; to leave them out: ignore={column}")
    return tuple(_make_test(number, item) for number, item in enumerate(_test_items(value), start=1))


def _test_items(value: Any) -> list[Any]:
    """Return the tests in a column: a list, also one as JSON or Python text, or else a text as the single test."""
    if not isinstance(value, str):
        return value if isinstance(value, list) else []
    text = value.strip()
    if not text:
        return []
    if text.startswith("["):
        for read_list in (json.loads, _python_value):
            with suppress(*UNREADABLE, TypeError):
                items = read_list(text)
                if isinstance(items, list) and items and all(isinstance(item, (str, dict)) for item in items):
                    return items
    return [value]


def _python_value(text: str) -> Any:
    return ast.literal_eval(read_tree(text, "eval"))


def _make_test(number: int, item: Any) -> CandidateTest:
    if isinstance(item, str):
        item = {"code": item}
    if not isinstance(item, dict):
        raise ColumnError(f'test {number} must be code, or an object such as {{"name": "empty", "code": "…"}}')
    if item.keys() - _TEST_FIELDS and not item.keys() & (_TEST_FIELDS - {"name"}):
        raise ColumnError(f"test {number} has no code, input or expected output; its fields are: {', '.join(item)}")
    for contest_name, name in _CONTEST_FIELDS.items():
        if item.get(contest_name) is not None:
            if item.get(name) not in (None, item[contest_name]):
                raise ColumnError(f"{contest_name} and {name} of test {number} mean the same, and differ")
            item = {**item, name: item[contest_name]}
    texts = {field: item.get(field, "") for field in ("code", "language", "expected")}
    if not all(isinstance(value, str) for value in texts.values()):
        raise ColumnError(f"code, language and expected of test {number} must be text")
    for field, value in texts.items():
        _require_storable(value, f"{field} of test {number}")
    stdin = item.get("stdin")
    weight = item.get("weight", 1.0)
    timeout = item.get("timeout")
    if stdin is not None and not isinstance(stdin, str):
        raise ColumnError(f"the input of test {number} must be text, which the program gets as its standard input")
    inputs = item.get("inputs", {})
    numbers = (weight, 0 if timeout is None else timeout)
    if any(isinstance(entry, bool) or not isinstance(entry, (int, float)) for entry in numbers):
        raise ColumnError(f"weight and timeout of test {number} must be numbers")
    if not isinstance(inputs, dict):
        raise ColumnError(f"inputs of test {number} must be an object")
    inputs = inputs if stdin is None else {"stdin": stdin, **inputs}
    return CandidateTest(
        name=str(item.get("name", f"test {number}")), inputs=inputs, weight=float(weight), timeout=timeout, **texts
    )
