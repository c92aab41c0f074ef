"""Files in the forms that other people write are read whole, or refused with a sentence that names the next step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from annotator.base.errors import BadInputError, UsageError
from annotator.formats.format_registry import import_format
from annotator.formats.read.import_records import Candidate
from annotator.formats.read.lines import read_objects
from annotator.services.runs.recorded_answers import count_answers, import_answers
from annotator.services.sources import imports
from annotator.services.sources.import_preview import plan_import, preview_import, split_mapping
from annotator.services.sources.label_plan import LabelChoices
from annotator.services.sources.tool_labels import preview_labels
from annotator.store.file.project_file import ProjectFile
from tests.formats.public_rows import SAMPLES

_TASK = {"task_id": "a/0", "prompt": "def up(n):\n", "entry_point": "up", "canonical_solution": "    return n + 1\n"}
_TESTED = {**_TASK, "test": "def check(candidate):\n    assert candidate(1) == 2\n"}
_MBPP = {"task_id": 7, "text": "Add one.", "code": "def up(n):\n    return n + 1", "test_list": ["assert up(1) == 2"]}
_CALL = {"id": "sample_0", "code": "def f(n):\n    return n + 1", "input": "1", "output": "2"}


def _read(path: Path, pairs: Mapping[str, str] | None = None) -> list[Candidate]:
    """Return the candidates of a file in the format that fits best; a bad row fails the test."""
    plan = plan_import(path, "", pairs)
    items = list(import_format(plan.format).read(path, plan.mapping))
    assert all(isinstance(item, Candidate) for item in items), items
    return [item for item in items if isinstance(item, Candidate)]


def _sheet(path: Path, *rows: tuple[Any, ...], title: str = "Sheet") -> Path:
    book = openpyxl.load_workbook(path) if path.exists() else openpyxl.Workbook()
    sheet = book.active if not path.exists() else book.create_sheet(title)
    assert sheet is not None
    sheet.title = title
    for row in rows:
        sheet.append(row)
    book.save(path)
    return path


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{**_TESTED, "description": float("nan")}], indent=1),
        json.dumps({**_TESTED, "canonical_solution": float("nan")}),
        json.dumps({**_TESTED, "limits": [float("inf"), -float("inf")]}),
        json.dumps({"version": 1, "about": {"by": "a"}, "data": [_TESTED]}).replace(', "', ',\n "'),
        json.dumps({"about": {"by": "a"}, "data": [_TESTED]}).replace(', "', ',\n "'),
    ],
)
def test_numbers_that_python_writes_are_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "rows.jsonl").write_text(text, "utf-8")
    assert [item.key for item in _read(tmp_path / "rows.jsonl")] == ["humaneval:a/0"]


@pytest.mark.parametrize(
    ("first", "second", "part"),
    [
        (_TESTED, {**_TESTED, "test": "def check(candidate):\n    pass\n"}, "tests"),
        (_MBPP, {**_MBPP, "text": "Add two."}, "prompt"),
        (_CALL, {**_CALL, "output": "3"}, "reference"),
    ],
)
def test_an_id_with_other_content_is_refused_in_every_format(
    store: ProjectFile, tmp_path: Path, first: dict[str, Any], second: dict[str, Any], part: str
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([first, second], indent=2), "utf-8")
    with pytest.raises(BadInputError) as refusal:
        imports.import_paths(store, plan_import(path).format, [path])
    assert (
        f"rows.json:2: the row has the id of line 1 ({first.get('task_id', 'sample_0')}), but"
        in refusal.value.details[0]
    )
    assert part in refusal.value.details[0]
    assert refusal.value.message.count("good rows") == 0, "a command names its own option, once"


@pytest.mark.parametrize("separator", ["\t", ";", ""])
def test_an_id_with_other_content_is_bad_in_every_table(tmp_path: Path, separator: str) -> None:
    rows = [("id", "prompt"), ("1", "one"), ("2", "two"), ("1", "three")]
    path = tmp_path / ("rows.csv" if separator else "rows.xlsx")
    if separator:
        path.write_text("".join(separator.join(row) + "\n" for row in rows), "utf-8")
    else:
        _sheet(path, *rows)
    preview = preview_import(path)
    assert [row.state for row in preview.rows] == ["read", "read", "bad"]
    assert "the id of line 2 (1)" in preview.rows[2].reason and preview.rows[0].reason == "line 4 has the same id"


@pytest.mark.parametrize("row", [_TESTED, _MBPP, {"prompt": "Why?", "answer": None, "id": 3}])
def test_parquet_is_read_in_the_format_of_its_columns(tmp_path: Path, row: dict[str, Any]) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist([row]), tmp_path / "rows.parquet")
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), "utf-8")
    assert _read(tmp_path / "rows.parquet") == _read(tmp_path / "rows.jsonl")


@pytest.mark.parametrize("head", [" Question Text", "Question\u00a0Text ", '"Question\n  Text"'])
def test_heads_are_trimmed_and_offered_for_the_prompt(tmp_path: Path, head: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"{head},Answer\nWhat is a set?,no order\n", "utf-8")
    assert plan_import(path).mapping["prompt"] == "Question Text"
    assert [item.prompt for item in _read(path, {"prompt": "Question Text"})] == ["What is a set?"]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>Don&#39;t use <code>eval</code>.</p>", "Don't use `eval`."),
        ("<p>a &lt; b &amp;&amp; c</p>", "a < b && c"),
        ("<p>one<br/>two</p>", "one\ntwo"),
    ],
)
def test_html_in_a_cell_is_text_unless_it_is_kept(tmp_path: Path, markup: str, text: str) -> None:
    path = _sheet(tmp_path / "rows.xlsx", ("question", "answer"), (markup, "x"))
    (item,) = _read(path)
    assert " ".join(item.prompt.split()) == " ".join(text.split())
    assert item.place is not None and item.place.converted == ("question",)
    assert [item.prompt for item in _read(path, {"html": "keep"})] == [markup]


def test_encoding_and_sheet_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes("question,answer\nКак сделать список?,ряд\n".encode("koi8_r"))  # noqa: RUF001
    pairs, _ = split_mapping([("encoding", "koi8_r")])
    assert [item.prompt for item in _read(path, pairs)] == ["Как сделать список?"]
    with pytest.raises(BadInputError, match="no encoding koi9"):
        plan_import(path, "", {"encoding": "koi9"})
    book = _sheet(tmp_path / "book.xlsx", ("a", "b"), ("1", "2"), title="Notes")
    _sheet(book, ("question", "answer"), ("What is a set?", "no order"), title="Questions")
    assert [item.prompt for item in _read(book, {"sheet": "Questions"})] == ["What is a set?"]
    with pytest.raises(BadInputError, match="has no sheet Answers with rows"):
        plan_import(book, "", {"sheet": "Answers"})


@pytest.mark.parametrize(
    ("row", "format"),
    [
        ({"version": 2, "status": "success", "eval": {}, "plan": {}, "samples": []}, "inspect-log"),
        ({"task_id": "a/0", "generation": "pass", "prompt": "def f():\n"}, "samples"),
        ({"namespace": "kit.up", "completion": "pass"}, "samples"),
        ({"prompt": "p", "reference_code": "x", "metadata": {"problem_id": 1}, "code_context": "c"}, "ds1000"),
    ],
)
def test_forms_of_other_programs_are_recognised(tmp_path: Path, row: dict[str, Any], format: str) -> None:
    (tmp_path / "rows.json").write_text(json.dumps(row), "utf-8")
    assert plan_import(tmp_path / "rows.json").format == format


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_rows_of_every_form_are_read_alike_in_a_list_within_an_object(tmp_path: Path, name: str) -> None:
    plain, listed = tmp_path / "plain" / "rows.jsonl", tmp_path / "listed" / "rows.jsonl"
    texts = {plain: "\n".join(map(json.dumps, SAMPLES[name])), listed: json.dumps({"data": {"rows": SAMPLES[name]}})}
    found = []
    for path, text in texts.items():
        path.parent.mkdir()
        path.write_text(text, "utf-8")
        plan = plan_import(path)
        found.append((plan.format, list(import_format(plan.format).read(path, plan.mapping))))
    assert found[0] == found[1] and found[0][1]


@pytest.mark.parametrize(("opening", "times"), [("func Up(n int,m int) int {", 1), ("", 2)])
def test_a_declaration_is_added_to_a_prompt_that_lacks_it(tmp_path: Path, opening: str, times: int) -> None:
    row = {"task_id": "Go/0", "prompt": f"// Up adds one.\n// Up(1)\n{opening}\n", "canonical_solution": "x\n}\n",
           "declaration": "\nfunc Up(n int, m int) int {\n", "test": "func TestUp(t *testing.T) {}\n"}  # fmt: skip
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), "utf-8")
    (item,) = _read(tmp_path / "rows.jsonl")
    assert item.prompt.count("func Up(") == 1 and (item.prompt == row["prompt"]) == (times == 1)


def test_answers_are_read_by_content_and_a_log_without_answers_is_refused(store: ProjectFile, tmp_path: Path) -> None:
    log = {"version": 2, "status": "success", "eval": {"model": "m/a"}, "plan": {}, "samples": []}
    (tmp_path / "log.txt").write_text(json.dumps(log, indent=1), "utf-8")
    with pytest.raises(BadInputError, match="contains no answers"):
        import_answers(store, "inspect-log", [tmp_path / "log.txt"])
    (tmp_path / "rows.json").write_text(json.dumps([{"task_id": "a/0", "generation": "pass"}]), "utf-8")
    with pytest.raises(BadInputError, match="the first is for a/0"):
        import_answers(store, "samples", [tmp_path / "rows.json"])
    answers = {name: [{"task_id": name, "completion": "x"}] * 2 for name in ("q", "r")}
    (tmp_path / "rows.json").write_text(json.dumps(answers), "utf-8")
    with pytest.raises(BadInputError, match="the first is for q"):
        count_answers(store, plan_import(tmp_path / "rows.json").format, tmp_path / "rows.json")
    result = {"vars": {"q": "Why?"}, "response": {"output": "So."}, "success": True}
    (tmp_path / "out.json").write_text(json.dumps({"version": 1, "results": [result]}), "utf-8")
    with pytest.raises(BadInputError, match="comes from promptfoo, but holds no answer of a person"):
        preview_labels(store, tmp_path / "out.json", LabelChoices())


def test_ds1000_names_the_tests_that_it_leaves_out(tmp_path: Path) -> None:
    about = {"problem_id": 4, "library": "Pandas", "perturbation_type": "Origin"}
    row = {
        "prompt": "Problem:\nSort df.\n",
        "reference_code": "df.sort_index()",
        "metadata": about,
        "code_context": "c",
    }
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), "utf-8")
    (item,) = _read(tmp_path / "rows.jsonl")
    assert (item.key, item.title, item.domain, item.reference) == ("ds1000:4", "Sort df.", "Pandas", "df.sort_index()")
    assert item.provenance["perturbation_type"] == "Origin"
    assert item.place is not None and item.place.left_out == ("code_context",)


@pytest.mark.parametrize(
    ("name", "text", "next_step"),
    [
        ("list.yaml", "- prompt: a\n", "Save it as JSON lines"),
        ("book.ipynb", '{"cells": []}', "Save its tables as CSV or JSON lines"),
        ("page.html", "<table><tr><td>a</td></tr></table>", "Copy its table into a spreadsheet"),
        ("Posts.xml", "<posts></posts>", "annotator mine stackexchange"),
        ("plain.rst", "What is a set", "Save it as one of them"),
        ("words.csv", "Word,Label\ngood,1\n", "--map prompt=COLUMN"),
    ],
)
def test_what_is_not_read_is_refused_with_the_next_step(tmp_path: Path, name: str, text: str, next_step: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "eval_1.yaml").write_text("id: 1\n", "utf-8")
    with pytest.raises(BadInputError, match=next_step):
        plan_import(tmp_path / name)


def test_objects_in_cells_are_json_and_others_name_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('prompt,extra\nWhat?,"{""libs"": [""numpy""]}"\n', "utf-8")
    assert [item.extra for item in _read(path)] == [{"libs": ["numpy"]}]
    path.write_text("prompt,dependencies\nWhat?,numpy\n", "utf-8")
    assert "to leave it out: ignore=dependencies" in preview_import(path).rows[0].reason
    assert len(list(read_objects(path))) == 1


def test_a_person_named_for_labels_comes_before_the_name_of_the_file(store: ProjectFile, tmp_path: Path) -> None:
    path = tmp_path / "classified.jsonl"
    path.write_text(json.dumps({"id": 1, "text": "What is a set?", "label": ["good"]}), "utf-8")
    choices = LabelChoices(targets={"label": "comment"}, add=True)
    assert [name for name, *_ in preview_labels(store, path, choices).people] == ["classified"]
    assert preview_labels(store, path, LabelChoices()).people == (("classified", 0, False),), "named before a choice"
    assert [name for name, *_ in preview_labels(store, path, replace(choices, person="Bo")).people] == ["Bo"]


def test_the_chosen_sheet_and_encoding_hold_for_published_formats(tmp_path: Path) -> None:
    path = _sheet(tmp_path / "two.xlsx", ("instruction", "input", "output"), ("Old task", "", "1"), title="old")
    _sheet(path, ("instruction", "input", "output"), ("New task", "", "2"), title="new")
    assert [item.title for item in _read(path, {"sheet": "new"})] == ["New task"]
    table = tmp_path / "rows.csv"
    table.write_bytes("instruction,input,output\nGröße,,1\n".encode("cp437"))
    assert [item.title for item in _read(table, {"encoding": "cp437"})] == ["Größe"]


def test_words_for_reading_are_no_columns(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("foo,bar\n1,2\n", "utf-8")
    with pytest.raises(BadInputError, match="--map prompt=COLUMN"):
        plan_import(table, "", {"encoding": "utf-8"})
    with pytest.raises(UsageError, match="html=keep"):
        split_mapping([("html", "no")])


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"data": [{"question": "Why?"}, {"question": "How?"}]}, "data"),
        ({"version": 1, "description": "A quiz", "RECORDS": [{"question": "Why?"}, {"question": "How?"}]}, "RECORDS"),
        ({"result": {"total": 2, "p": {"items": [{"question": "Why?"}, {"question": "How?"}]}}}, "result.p.items"),
        ({"tags": [{"a": 1}], "items": [{"question": "Why?"}, {"question": "How?", "n": float("nan")}]}, "items"),
        ({"train": [{"question": "Why?"}], "test": [{"question": "How?"}]}, ""),
        ({"question": ["Why?", "How?"], "tags": [["a"], []]}, ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 0, 2])
def test_rows_in_a_list_within_an_object_are_read(
    tmp_path: Path, document: dict[str, Any], place: str, indent: int | None
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(document, indent=indent), "utf-8")
    assert [item.prompt for item in _read(path)] == ["Why?", "How?"]
    shown = preview_import(path)
    assert [row.line for row in shown.rows] == [1, 2] and (("rows", place) in shown.pairs or not place)
    if not place:
        return
    beside = ["result.total"] if "result" in document else [name for name in document if name != place]
    assert str(shown.notes[0]).startswith(f"The rows are the list {place}")
    assert all(name in str(shown.notes[0]) for name in beside), "what is beside the list is left out by name"


def test_rows_in_an_object_are_read_in_the_format_of_their_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"tasks": [_TESTED, {**_TESTED, "task_id": "a/1"}]}), "utf-8")
    assert [item.key for item in _read(path)] == ["humaneval:a/0", "humaneval:a/1"]
    path.write_text(json.dumps({"answers": [{"task_id": "a/0", "completion": "x"}] * 3}), "utf-8")
    with pytest.raises(BadInputError, match="Save that list as JSON lines"):
        plan_import(path)


def test_one_object_with_a_small_list_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "row.json"
    path.write_text(json.dumps({"title": "Atoms", "description": "Count. " * 40, "examples": [{"n": 1}]}), "utf-8")
    assert [item.title for item in _read(path)] == ["Atoms"]
    with pytest.raises(BadInputError, match=r"no list of rows data. Choose from: examples"):
        _read(path, {"rows": "data"})


def test_a_table_without_heads_keeps_its_first_row(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("5+5,10\n1+1,2\n", "utf-8")
    assert "heads=none" in str(preview_import(table, needs_prompt=False).notes)
    found = preview_import(table, "", {"heads": "none", "prompt": "column A", "reference": "column B"})
    assert [(row.line, row.item.prompt, row.item.reference) for row in found.rows if row.item] == [
        (1, "5+5", "10"), (2, "1+1", "2")
    ]  # fmt: skip
    sheet = _sheet(tmp_path / "rows.xlsx", ("5+5", 10), ("1+1", 2))
    assert [item.prompt for item in _read(sheet, {"heads": "none", "prompt": "column A"})] == ["5+5", "1+1"]
    with pytest.raises(UsageError, match="heads=none"):
        split_mapping([("heads", "2")])


def test_a_spreadsheet_is_known_by_its_content(tmp_path: Path) -> None:
    path = _sheet(tmp_path / "rows.xlsx", ("question",), ("Why?",)).rename(tmp_path / "rows.csv")
    assert [item.prompt for item in _read(path)] == ["Why?"]


def test_tests_of_contests_are_standard_input_and_output(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = {"question": "Add.", "test_cases": [{"input": "1 2", "output": "3", "visible": True}]}
    path.write_text(json.dumps(row), "utf-8")
    (item,) = _read(path)
    assert [(test.inputs, test.expected) for test in item.tests] == [({"stdin": "1 2"}, "3")]
    assert item.place and item.place.left_out == ("test_cases.visible",)
    path.write_text(json.dumps({**row, "test_cases": [{"given": "1 2"}]}), "utf-8")
    assert "no code, input or expected output; its fields are: given" in preview_import(path).rows[0].reason
    path.write_text(json.dumps({**row, "test_cases": [{"input": [1, 2], "output": "3"}]}), "utf-8")
    assert "must be text" in preview_import(path).rows[0].reason
    path.write_text(json.dumps({**row, "test_cases": [{"input": "1 2", "stdin": None, "output": "3"}]}), "utf-8")
    assert _read(path)[0].tests == item.tests
    path.write_text(json.dumps({**row, "test_cases": [{"input": "1", "output": "3", "expected": ""}]}), "utf-8")
    assert "output and expected of test 1 mean the same, and differ" in preview_import(path).rows[0].reason


@pytest.mark.parametrize(
    ("heads", "prompt"),
    [("Questions;Réponse", "Questions"), ("문제;정답", "문제"), ("№;Вопрос для модели", "Вопрос для модели"),
     ("Question;Solution Video", "Question"), ("title;description", "description")],
)  # fmt: skip
def test_heads_in_other_words_are_offered(tmp_path: Path, heads: str, prompt: str) -> None:
    table = tmp_path / "rows.csv"
    table.write_text(f"{heads}\nx;y\n", "utf-8")
    mapping = plan_import(table).mapping
    assert mapping["prompt"] == prompt and "Video" not in mapping.get("reference", "")
