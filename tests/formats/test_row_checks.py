"""What holds for the rows of every format: one content an id, numbers that JSON lacks, the columns left out."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.base.plain_json import plain_json, python_text, python_value
from annotator.formats.format_registry import import_format
from annotator.formats.labels.imported_labels import ImportedLabel
from annotator.formats.labels.label_import import read_labels
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.read.lines import only_object
from annotator.formats.read.row_checks import RowChecks
from annotator.formats.read.typed_columns import ColumnError, number_column, row_name, text_list_column

_TASK = {
    "task_id": "demo/0", "prompt": "def up(n):\n", "entry_point": "up", "canonical_solution": "    return n + 1\n",
    "test": "def check(candidate):\n    assert candidate(1) == 2\n",
}  # fmt: skip


def _read(format: str, path: Path) -> list[Candidate | RowError]:
    return list(RowChecks().check(import_format(format).read(path, {})))


def _rows(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [("prompt", "def up(n, m):\n", "prompt"), ("canonical_solution", "    return 2\n", "reference"),
     ("test", "def check(candidate):\n    pass\n", "tests"), ("language", "java", "tests"),
     ("license", "MIT", "other fields")],
)  # fmt: skip
def test_an_id_with_other_content_is_a_bad_row_that_names_both(
    tmp_path: Path, column: str, value: str, named: str
) -> None:
    rows = [_TASK, {**_TASK, "task_id": "demo/1"}, {**_TASK, column: value}, _TASK]
    first, _, bad, again = _read("humaneval", _rows(tmp_path / "r.jsonl", *rows))
    assert isinstance(first, Candidate) and isinstance(again, Candidate), "the same content twice is no fault"
    assert isinstance(bad, RowError)
    assert f"r.jsonl:3: the row has the id of line 1 (demo/0), but not its {named}." in str(bad)


def test_an_id_counts_over_the_files_of_a_folder(tmp_path: Path) -> None:
    _rows(tmp_path / "a.jsonl", {"id": 1, "prompt": "one"})
    _rows(tmp_path / "b.jsonl", {"id": "1", "prompt": "two"})
    bad = _read("jsonl", tmp_path)[1]
    assert str(bad).startswith("b.jsonl:1: the row has the id of a.jsonl:1 (1), but not its prompt.")


def test_numbers_of_python_are_read_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"prompt": "p", "reference": NaN, "extra": {"a": [NaN, Infinity, -Infinity], "b": 1.5}}\n')
    [item] = _read("jsonl", path)
    assert isinstance(item, Candidate) and item.reference == ""
    stored = json.loads(json.dumps(dict(item.extra), allow_nan=False))
    nan, *infinities = python_value(stored)["a"]
    assert math.isnan(nan) and infinities == [math.inf, -math.inf] and stored["b"] == 1.5


def test_a_null_character_is_the_matter_of_its_row(tmp_path: Path) -> None:
    rows = [{"prompt": "a", "note": "\x00"}, {"prompt": "b", "extra": {"x": ["\x00"]}}, {"prompt": "c \\u0000"}]
    first, bad, third = _read("jsonl", _rows(tmp_path / "r.jsonl", *rows))
    assert isinstance(first, Candidate) and isinstance(third, Candidate), "it counts where it would be stored"
    assert str(bad) == "r.jsonl:2: the row contains a null character. Remove it"


@pytest.mark.parametrize(
    ("read", "value"), [(text_list_column, ["x\x00"]), (text_list_column, [1]), (number_column, True), (row_name, True)]
)
def test_a_column_of_another_type_is_refused(read: Callable[..., object], value: object) -> None:
    with pytest.raises(ColumnError, match="column a"):
        read({"a": value}, "a")


def test_an_object_around_a_single_object_is_no_list_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text('{"only": {"id": 1}}')
    assert only_object(path) == {"only": {"id": 1}}
    path.write_text('{"one": {"id": 1}, "two": {"id": 2}}')
    assert only_object(path) is None


def test_numbers_of_python_are_code_that_runs() -> None:
    value = {"a": [1, math.inf, {"b": -math.inf}], "c": "NaN"}
    assert python_text(value) == """{'a': [1, float("inf"), {'b': float("-inf")}], 'c': 'NaN'}"""
    assert python_value(plain_json(value)) == value


def test_the_columns_that_no_row_is_asked_for_are_left_out(tmp_path: Path) -> None:
    path = _rows(tmp_path / "r.jsonl", _TASK, {**_TASK, "task_id": "demo/1", "natural_language": "English"})
    first, second = (item.place for item in _read("humaneval", path) if isinstance(item, Candidate))
    assert first is not None and second is not None
    assert (first.left_out, second.left_out, second.line) == ((), ("natural_language",), 2)


def test_a_label_studio_annotation_counts_as_it_was_last_changed(tmp_path: Path) -> None:
    written = {"type": "textarea", "from_name": "why", "value": {"start": 0, "text": ["It is short."]}}
    annotation = {"completed_by": 7, "created_at": "2024-01-01", "updated_at": "2024-02-01", "result": [written]}
    cancelled = annotation | {"was_cancelled": True}
    path = tmp_path / "labels.json"
    path.write_text(json.dumps([{"id": 5, "data": {"text": "A"}, "annotations": [annotation, cancelled]}]))
    label, omitted = read_labels(path)
    assert isinstance(label, ImportedLabel)
    assert (label.person, label.moment, label.values) == ("7", "2024-02-01", ("It is short.",))
    assert str(omitted) == "labels.json:1: a cancelled annotation by 7"
