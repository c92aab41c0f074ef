"""Tables as people have them are read whole or refused with what to do, and what becomes of each row is said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError, UsageError
from annotator.formats.read.import_records import RowError
from annotator.formats.read.lines import read_objects
from annotator.services.sources.import_preview import (
    column_shape,
    pairs_of_heads,
    plan_import,
    preview_import,
    split_mapping,
)
from annotator.services.sources.imports import save_pasted_text
from annotator.store.file.project_file import ProjectFile
from tests import careless_tables as tables


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("careless") / "p.annotator"
    assert main(["new", str(path), "--name", "P", "--annotator", "Ada"]) == 0
    return path


@pytest.fixture
def run(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    own = tmp_path / "p.annotator"
    shutil.copy(project, own)
    capsys.readouterr()

    def run_import(*words: str | Path, status: int = 0) -> Any:
        assert main(["import", *map(str, words), "--project", str(own), "--json"]) == status
        said = capsys.readouterr()
        return (json.loads(said.out) if said.out else {}), said.err

    return run_import


@pytest.mark.parametrize(
    ("row", "mapping"),
    [
        ({"raw_nl": "Why?", "Difficulty level": "easy"}, {"prompt": "raw_nl", "difficulty": "Difficulty level"}),
        ({"Your question": "Why?", "Question difficulty": "easy"},
         {"prompt": "Your question", "difficulty": "Question difficulty"}),
        ({"test_prompt": "Why?", "judge_question": "Right?", "answer_facts": ["a"]}, {"prompt": "test_prompt"}),
    ],
)  # fmt: skip
def test_longer_heads_tell_the_fields(tmp_path: Path, row: Any, mapping: dict[str, str]) -> None:
    (tmp_path / "tasks.jsonl").write_text(json.dumps(row), "utf-8")
    assert preview_import(tmp_path / "tasks.jsonl").mapping == mapping


def test_a_careless_csv_becomes_twenty_sound_items(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tables.careless_csv(tmp_path)
    data, _ = run("auto", path, "--preview")
    [preview] = data["previews"]
    assert preview["mapping"] == {"id": "ID", "prompt": "Question Text", "reference": "Answer"}
    assert preview["ignored"] == ["Notes"]
    assert [row["line"] for row in preview["rows"] if row["state"] == "bad"] == [22]
    assert "id of line 4 (q3)" in preview["bad"][0]["reason"]
    assert [row["reason"] for row in preview["rows"] if row["line"] == 4] == ["line 22 has the same id"]
    assert preview["items"][0]["title"] == "How do I **reverse a list** if a > 1? Don't use “eval” in a café."
    said = " ".join(preview["notes"])
    assert "cp1252" in said and "semicolons" in said and "HTML was converted to text in: Question Text" in said
    data, told = run("jsonl", path, "--skip-bad")
    assert "prompt from Question Text" in told and "HTML was converted to text" in told
    assert data["left_out"] == [], "only the row that is refused has a note"
    data, _ = run("auto", path, "--preview")
    states = [row["state"] for row in data["previews"][0]["rows"]]
    assert states == ["known"] * 20 + ["bad"], "what is there is told apart"


@pytest.mark.parametrize("total", ["Total:,3", "Grand total,3.0", "average,1.5"])
def test_a_line_of_totals_is_named_and_no_item(run: Callable[..., Any], tmp_path: Path, total: str) -> None:
    (tmp_path / "t.csv").write_text(f"question,points\nWhat does sum do?,2\nsum,1\n{total}\n", "utf-8")
    data, said = run("auto", tmp_path / "t.csv", "--skip-bad")
    assert data["added"] == 2 and "t.csv:4: the row is a total or mean of the rows above" in said


def test_a_quote_that_is_broken_below_the_rows_shown_is_reported_by_the_preview(tmp_path: Path) -> None:
    rows = "".join(f'"What is {number}?",x\n' for number in range(300))
    (tmp_path / "t.csv").write_text(f'question,answer\n{rows}"What is a "set"?",x\n', "utf-8")
    with pytest.raises(BadInputError, match=r"t\.csv:302: the table cannot be read further"):
        preview_import(tmp_path / "t.csv")


@pytest.mark.parametrize(
    "text",
    ["id,question\n1,What is 1 + 1?\n2,sum\n", "question,points\nTotal,3\n", "id,question\n1,a\ntotal,What?\n",
     "question,answer\n1 + 1?,2\ntotal,3\n"],
)  # fmt: skip
def test_a_word_for_a_total_alone_makes_no_line_of_totals(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text, "utf-8")
    rows = list(read_objects(tmp_path / "t.csv", {}))
    assert len(rows) == text.count("\n") - 1 and not any(isinstance(row, RowError) for row in rows)


def test_the_format_may_be_left_out_or_stand_before_the_files(run: Callable[..., Any], tmp_path: Path) -> None:
    path, other = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("question\nWhat is a set?\n", "utf-8")
    other.write_text("question\nWhat is a list?\n", "utf-8")
    data, told = run(path, other)
    assert data["added"] == 2 and "a.csv read as Table or JSON lines (jsonl), prompt from question." in told
    for words in ((path,), ("auto", path), ("jsonl", path), ("jsonl", "--skip-bad", path)):
        assert run(*words)[0]["known"] == 1
    other.write_text("prompt\nWhat is a list?\n", "utf-8")
    assert "have different formats" in run(path, other, status=2)[1]
    assert "neither a file nor a format; did you mean jsonl?" in run("jsnl", path, status=2)[1]


def test_rows_of_several_lines_are_numbered_by_their_first_one(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('prompt,answer\n"Two\nlines",1\n\n"",2\n"Two\nmore",3\n', "utf-8")
    numbers = [row[0] for row in read_objects(tmp_path / "t.csv", {}) if not isinstance(row, RowError)]
    assert numbers == [2, 5, 6]


def test_columns_are_chosen_and_left_out_by_name(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("\ufeffNr , My ask , answer\n1,What is a set?,no order\n", "utf-8")
    data, _ = run("jsonl", path, "--preview", "--map", "prompt= My  ask", "--map", "ignore=answer")
    [preview] = data["previews"]
    assert preview["mapping"] == {"prompt": "My ask"} and preview["ignored"] == ["Nr", "answer"]
    data, _ = run("jsonl", path, "--preview", "--map", "prompt=My ask", "--map", "entry point=Nr")
    assert data["previews"][0]["mapping"] == {"reference": "answer", "prompt": "My ask", "entry_point": "Nr"}
    _, told = run("jsonl", path, "--map", "promt=My ask", status=2)
    assert "Did you mean prompt" in told


@pytest.mark.parametrize(
    ("make", "prompts", "left_out"),
    [
        (tables.excel_unicode_text, ['Was tut\r\n"x = 1"?', "如何排序?"], ()),
        (tables.excel_with_separator_line, ["Add 1,5 and 2?", "Größe?"], ()),
        (tables.google_sheet, ["What does len([]) return?", "What is 0.25 + 0.25?", "Is None false?"], ()),
        (tables.pandas_csv, ["Write add(a, b).", "Write neg(a)."], ("column A",)),
        (tables.sheet_with_dates, ["How many seconds has a day?", "What is a third?"], ("Nr", "Asked")),
    ],
)
def test_exports_of_other_programs_are_read(
    tmp_path: Path, make: Callable[[Path], Path], prompts: list[str], left_out: tuple[str, ...]
) -> None:
    found = preview_import(make(tmp_path))
    assert [item.prompt for item in found.items] == prompts
    assert found.ignored == left_out and not found.errors and found.format == "jsonl"


def test_lines_above_the_heads_and_other_sheets_are_named(tmp_path: Path) -> None:
    found = preview_import(tables.google_sheet(tmp_path))
    said = " ".join(found.notes)
    assert "Line 1 is not a row and is left out: Questions of the autumn course" in said
    assert "Line 2" in said and "The sheet Old questions is left out" in said
    assert [(item.key, item.reference, item.difficulty) for item in found.items] == [
        ("jsonl:s1", "0", "easy"), ("jsonl:s2", "0.5", "hard"), ("jsonl:3", "TRUE", "easy"),
    ]  # fmt: skip


def test_a_list_of_tests_in_a_cell_is_one_test_each(tmp_path: Path) -> None:
    items = preview_import(tables.pandas_csv(tmp_path)).items
    assert [[test.code for test in item.tests] for item in items] == [
        ["assert add(1, 2) == 3", "assert add(0, 0) == 0"], ["assert neg(1) == -1"],
    ]  # fmt: skip


def test_keys_below_the_heads_of_a_survey_are_no_rows(tmp_path: Path) -> None:
    path = tables.survey_export(tmp_path)
    with pytest.raises(BadInputError, match=r"Is .* the prompt"):
        preview_import(path)
    found = preview_import(path, "", {"prompt": "Q1", "reference": "Q2"})
    assert [item.prompt for item in found.items] == [
        "Why is `a<b<c` true?", "What does vector<int> v(3) hold?"
    ], "tags that HTML does not have are code"  # fmt: skip
    assert [row.line for row in found.rows] == [4, 5] and len(found.notes) == 3


def test_cells_with_errors_and_sheets_never_calculated_are_refused(tmp_path: Path) -> None:
    found = preview_import(tables.sheet_with_dates(tmp_path, broken=True))
    assert [str(error) for error in found.errors] == ["office.xlsx:4: cell C4 holds the error #DIV/0!"]
    [item] = preview_import(tables.sheet_calculated(tmp_path)).items
    assert item.reference == "42", "a formula counts for its value"
    with pytest.raises(BadInputError, match="such as B2, were never calculated"):
        preview_import(tables.sheet_never_calculated(tmp_path))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("old.xls", b"\xd0\xcf\x11\xe0" + b"\0" * 600, "Save it as .xlsx or as CSV UTF-8"),
        ("broken.xlsx", b"PK\x03\x04 cut", "not a valid spreadsheet"),
        ("broken.parquet", b"PAR1 cut", "not a valid Parquet file"),
        ("bytes.csv", b"prompt\n\x00\xff\x81\x00\x01\x02\x90\n", "not UTF-8, nor another known encoding"),
        ("empty.csv", b"\n\n", "there is no row with heads"),
        ("open.csv", b'prompt,answer\n"never closed,1\n', "the table cannot be read further"),
    ],
)
def test_what_is_no_table_is_refused_with_what_to_do(
    run: Callable[..., Any], tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    _, told = run("auto", path, status=3)
    assert reason in told


def test_a_sheet_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tables.google_sheet(tmp_path)
    monkeypatch.setattr("annotator.formats.read.tables.workbook.SIZE_LIMIT", 1000)
    with pytest.raises(BadInputError, match="Save its sheet as CSV"):
        preview_import(path)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-16", "prompt,answer\nÜber 5 €?,ja\n"),
        ("utf-16-le", "prompt,answer\nÜber 5 €?,ja\n"),
        ("utf-8-sig", "prompt,answer\nÜber 5 €?,ja\n"),
        ("cp1252", "prompt;answer\nWie groß ist “x”?;10 €\n"),
        ("cp1252", "prompt;answer\nWhat is 5 £?;5\n"),
        ("cp1250", "prompt;answer\nNapisz funkcję, która sortuje całe listę malejąco.;tak\n"),
        ("gb18030", "问题,答案\n一天有多少秒?,八万六千四百\n"),
        ("iso2022_kr", "질문,정답\n하루는 몇 초입니까?,많음\n"),
        ("shift_jis", "prompt,answer\nリストを並べ替える方法は何ですか,ソート\n"),
        (
            "cp1251",
            "prompt;answer\n\u043a\u0430\u043a \u0447\u0438\u0442\u0430\u0442\u044c \u0444\u0430\u0439\u043b;open\n",
        ),
    ],
)
def test_tables_in_encodings_of_spreadsheets_are_read(tmp_path: Path, encoding: str, text: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(text.encode(encoding))
    [item] = preview_import(path).items
    assert item.prompt in text and item.reference and "\ufffd" not in item.prompt


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_told_by_the_rows(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "rows.csv"
    cells = [["Question", "Answer", "Lang"], ['"What, if; x|y?"', "a", "python"], ['"Second\tone"', "b", "java"]]
    path.write_text("".join(separator.join(row) + "\n" for row in cells), "utf-8")
    items = preview_import(path).items
    assert [item.prompt for item in items] == ["What, if; x|y?", "Second\tone"] and items[1].language == "java"


def test_heads_that_are_missing_or_doubled_have_names(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("prompt,Note, Note ,,\nWhy?,a,b,c,\n", "utf-8")
    found = preview_import(path)
    assert found.columns == ("prompt", "Note", "Note (2)", "column D") and found.ignored == found.columns[1:]
    path.write_text("prompt,answer\nWhy?,a,lost\n,\n", "utf-8")
    assert [error.reason for error in preview_import(path).errors] == ["the row has more cells than there are columns"]


def test_parquet_is_read_as_its_rows_are(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "rows.parquet"
    rows = [
        {"task_id": "X/0", "prompt": "def f():\n", "canonical_solution": "    pass\n", "test": "def check(f): pass",
         "entry_point": "f", "stars": 3},
        {"task_id": "X/1", "prompt": None, "canonical_solution": "", "test": "", "entry_point": "g", "stars": None},
    ]  # fmt: skip
    __import__("pyarrow.parquet").parquet.write_table(pa.Table.from_pylist(rows), path)
    found = preview_import(path)
    assert found.format == "humaneval" and [item.key for item in found.items] == ["humaneval:X/0"]
    assert found.ignored == ("stars",) and len(found.errors) == 1 and "prompt" in found.errors[0].reason


def test_a_choice_is_kept_for_files_of_the_same_shape(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("a,b\nfirst,second\n", "utf-8")
    other.write_text("a,c\nfirst,second\n", "utf-8")
    kept = {column_shape(("b", "a")): (("prompt", "b"),)}
    assert preview_import(one, needs_prompt=False, saved_pairs=kept).items[0].prompt == "second"
    found = preview_import(other, needs_prompt=False, saved_pairs=kept)
    assert not found.items and found.columns == ("a", "c"), "another shape is asked about"


def test_heads_give_a_column_a_field_and_the_others_none(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("prompt,question,answer\np,q,a\n", "utf-8")
    columns = plan_import(path).mapping
    assert columns == {"reference": "answer"}
    pairs = pairs_of_heads(("prompt", "question", "answer"), {"question": "prompt"})
    mapping, ignored = split_mapping(pairs)
    plan = plan_import(path, "jsonl", mapping, ignored)
    assert plan.left_out == ("prompt", "answer")
    [item] = preview_import(path, "jsonl", mapping, ignored).items
    assert (item.prompt, item.reference) == ("q", "")
    with pytest.raises(UsageError, match="no field colour"):
        split_mapping((("colour", "answer"),))


def test_known_rows_with_other_content_are_told_apart(store: ProjectFile, tmp_path: Path) -> None:
    with store.reader() as connection:
        [key] = next(iter(connection.execute("SELECT key FROM subject WHERE key LIKE 'jsonl:%' LIMIT 1")))
    path = tmp_path / "rows.csv"
    path.write_text(f"id,prompt\n{key.partition(':')[2]},Other content\nnew-one,New\n", "utf-8")
    assert [row.state for row in preview_import(path, store=store).rows] == ["changed", "read"]


def test_what_was_pasted_is_a_table_or_json_lines(tmp_path: Path) -> None:
    copied = save_pasted_text('Question\tAnswer\n"two\nlines?"\t4\n', tmp_path)
    assert copied.name == "clipboard.csv" and preview_import(copied).items[0].prompt == "two\nlines?"
    rows = save_pasted_text('{"prompt": "Why?"}\n', tmp_path)
    assert rows.name == "clipboard.jsonl" and preview_import(rows).items[0].prompt == "Why?"
    assert save_pasted_text('[{"prompt": "Why?"}]', tmp_path).suffix == ".json"
    with pytest.raises(BadInputError, match="The clipboard contains no text"):
        save_pasted_text(" \n", tmp_path)


def test_the_head_is_not_an_answer_that_reads_like_one(tmp_path: Path) -> None:
    path = tmp_path / "rows.xlsx"
    book = openpyxl.Workbook()
    for row in (["Pregunta", "Respuesta"], ["Which word names a lesson?", "question"], ["And a key?", "code"]):
        book.worksheets[0].append(row)
    book.save(path)
    found = preview_import(path, "", {"prompt": "Pregunta"})
    assert found.columns == ("Pregunta", "Respuesta") and len(found.items) == 2
