"""JSON lines with our own field names, or with a mapping of fields to columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from annotator.base.errors import UsageError
from annotator.base.ids import content_hash
from annotator.formats.interchange.humaneval import title_of
from annotator.formats.read.candidates import Candidate, CandidateTest, RowError, first_line
from annotator.formats.read.columns import ColumnError, Row, language_name, licence_of, read_rows, row_files, text

TEXT_FIELDS = (
    "title", "task", "language", "domain", "area", "difficulty", "question_type", "licence", "prompt", "reference",
    "context", "entry_point", "criterion",
)  # fmt: skip
OBJECT_FIELDS = ("dependencies", "provenance", "extra")
FIELDS = ("id", *TEXT_FIELDS, *OBJECT_FIELDS, "views", "tests")
_DIGITS = 20
_ALIKE = 0.8
TASKS = ("generation", "completion", "understanding", "modification", "review", "question")


def similar_field(column: str) -> str:
    """Return the field that a column's name is probably meant for, as a slip of the pen; empty if there is none."""
    plain = column.lower().replace("-", "_").replace(" ", "_")
    by_letters = {field.replace("_", ""): field for field in FIELDS}
    found = get_close_matches(plain.replace("_", ""), by_letters, n=1, cutoff=_ALIKE)
    return by_letters[found[0]] if found and column not in FIELDS else ""


def read(path: Path, mapping: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per row; ``mapping`` names the column (dotted for nested ones) that holds a field."""
    unknown = [field for field in mapping if field not in FIELDS]
    if unknown:
        field = similar_field(unknown[0])
        meant = f" Did you mean {field}?" if field else ""
        raise UsageError(f"There is no field {unknown[0]}.{meant} The fields are: {', '.join(FIELDS)}.")
    for file, name in row_files(path):
        yield from read_rows(file, lambda row: candidate(row, mapping, prefix="jsonl"), name)


def read_instructions(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per instruction: ``instruction`` and ``input`` are the prompt, ``output`` is the reference."""
    yield from read_rows(path, _instruction)


def _instruction(row: Row) -> Candidate:
    instruction, given = text(row, "instruction", filled=True), text(row, "input", default="")
    prompt = f"{instruction}\n\n{given}" if given.strip() else instruction
    output = text(row, "output")
    name = row.get("id")
    known = isinstance(name, (str, int)) and not isinstance(name, bool)
    return Candidate(
        key=f"instructions:{name if known else content_hash([prompt, output])[:16]}",
        title=first_line(instruction),
        task="question",
        licence=licence_of(row),
        prompt=prompt,
        reference=output,
    )


def candidate(row: Row, mapping: Mapping[str, str], prefix: str) -> Candidate:
    """Turn one row into a candidate; raises `ColumnError` saying which column is missing or does not fit."""
    texts = {field: _text(row, field, mapping) for field in TEXT_FIELDS}
    if not texts["prompt"].strip():
        column = mapping.get("prompt", "prompt")
        columns = ", ".join(list(row)[:12]) or "none"
        likely = next((name for name in row if similar_field(name) == "prompt"), "COLUMN")
        raise ColumnError(
            f"there is no text in column {column} for the prompt; the columns are: {columns}. "
            f"If another one holds it, map it: prompt={likely}"
        )
    task = texts["task"] or "generation"
    if task not in TASKS:
        raise ColumnError(f"{task} is not a task family; there are: {', '.join(TASKS)}")
    objects = {field: _object(row, field, mapping) for field in OBJECT_FIELDS}
    identity = _lookup(row, mapping.get("id", "id"))
    if identity is not None and (isinstance(identity, bool) or not isinstance(identity, (str, int))):
        raise ColumnError("the id must be a text or a whole number")
    name = "" if identity is None else str(identity)
    if "\x00" in name:
        raise ColumnError("the id holds a null character")
    name = name if name.strip() else content_hash(dict(row))[:16]
    fields: dict[str, Any] = {**texts, **objects, "task": task}
    fields["language"] = language_name(texts["language"])
    fields["title"] = texts["title"] or _title(texts["prompt"], texts["entry_point"])
    return Candidate(key=f"{prefix}:{name}", views=_views(row, mapping), tests=_tests(row, mapping), **fields)


def _title(prompt: str, entry_point: str) -> str:
    """Return what a prompt asks for, in a line; of Python code to be completed it is the docstring's first sentence."""
    return title_of(prompt, entry_point) if entry_point and f"def {entry_point}" in prompt else first_line(prompt)


def _lookup(row: Row, column: str) -> Any:
    """Return a column's value; a dotted name that is not a column of its own goes into nested objects."""
    if column in row:
        return row[column]
    if "." not in column:
        return None
    value: Any = row
    for part in column.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def _text(row: Row, field: str, mapping: Mapping[str, str]) -> str:
    column = mapping.get(field, field)
    value = _lookup(row, column)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ColumnError(f"column {column} must hold text for the field {field}")
    _refuse_unstorable(value, f"column {column}")
    return value


def _refuse_unstorable(text: str, what: str) -> None:
    """Raise `ColumnError` for what a database cannot hold."""
    if "\x00" in text:
        raise ColumnError(f"{what} holds a null character")
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ColumnError(f"{what} holds half of a character pair (a lone surrogate)") from None


def _object(row: Row, field: str, mapping: Mapping[str, str]) -> dict[str, Any]:
    value = _lookup(row, mapping.get(field, field))
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ColumnError(f"column {mapping.get(field, field)} must hold an object for the field {field}")
    return value


def _views(row: Row, mapping: Mapping[str, str]) -> int | None:
    value = _lookup(row, mapping.get("views", "views"))
    if value is None:
        return None
    # A table has texts alone.
    if isinstance(value, str) and value.isdecimal() and len(value) < _DIGITS:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise ColumnError("views must be a whole number, not below 0")
    return value


def _tests(row: Row, mapping: Mapping[str, str]) -> tuple[CandidateTest, ...]:
    value = _lookup(row, mapping.get("tests", "tests"))
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value] if value.strip() else []
    if not isinstance(value, list):
        raise ColumnError("tests must be code, or a list of tests")
    return tuple(_test(number, item) for number, item in enumerate(value, start=1))


def _test(number: int, item: Any) -> CandidateTest:
    if isinstance(item, str):
        item = {"code": item}
    if not isinstance(item, dict):
        raise ColumnError(f'test {number} must be code, or an object such as {{"name": "empty", "code": "…"}}')
    texts = {field: item.get(field, "") for field in ("code", "language", "expected")}
    if not all(isinstance(value, str) for value in texts.values()):
        raise ColumnError(f"code, language and expected of test {number} must be text")
    for field, value in texts.items():
        _refuse_unstorable(value, f"{field} of test {number}")
    inputs, weight, timeout = item.get("inputs", {}), item.get("weight", 1.0), item.get("timeout")
    numbers = (weight, 0 if timeout is None else timeout)
    if any(isinstance(found, bool) or not isinstance(found, (int, float)) for found in numbers):
        raise ColumnError(f"weight and timeout of test {number} must be numbers")
    if not isinstance(inputs, dict):
        raise ColumnError(f"inputs of test {number} must be an object")
    return CandidateTest(
        name=str(item.get("name", f"test {number}")), inputs=inputs, weight=float(weight), timeout=timeout, **texts
    )
