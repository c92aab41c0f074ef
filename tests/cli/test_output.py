"""What commands write: nothing steers a terminal, no text becomes a formula, numbers stay numbers."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.cli.commands.results import leaderboard_csv
from annotator.cli.output import (
    CommandAnswer,
    answer_list,
    json_text,
    paint_difference,
    paint_finding,
    text_table,
    write_error,
)
from annotator.formats.write.table_writer import csv_text, rows_as_csv
from annotator.model.rows.result_rows import Column, Leaderboard, Table, ValueCell, text_cell
from annotator.text.hidden_characters import STEERING, visible_text
from tests.result_projects import leaderboard_row

EVIL = "\x1b]0;owned\x07\x1b[2J\r\x9b31m\u202edrow\x7f\x00"


def test_control_characters_are_shown_and_not_carried_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert visible_text(EVIL) == r"\x1b]0;owned\x07\x1b[2J\r\x9b31m\u202edrow\x7f\x00"
    assert visible_text("plain\n\ttext, Größe, 中文, e\u200d\r\n") == "plain\n\ttext, Größe, 中文, e\u200d\n"
    CommandAnswer({"name": EVIL}, f"{EVIL}\nnext").write(as_json=False)
    write_error(EVIL)
    CommandAnswer({"name": EVIL}).write(as_json=True)
    CommandAnswer({"name": EVIL}, event="end").write(as_json=True)
    out, err = capsys.readouterr()
    assert not STEERING & {*out, *err} and out.startswith(r"\x1b]0;owned")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "stream", "coloured"),
    [
        ({"TERM": "xterm-256color"}, Terminal, True),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, Terminal, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, Terminal, False),
        ({"TERM": "dumb"}, Terminal, False),
        ({}, Terminal, False),
        ({"TERM": "xterm-256color"}, io.StringIO, False),
    ],
)
def test_differences_have_colours_on_terminals_that_have_some(
    environment: dict[str, str], stream: type[io.StringIO], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", found := stream())
    CommandAnswer({}, f"+ new {EVIL}\n- old\n~ other\n-----  ---", paint=paint_difference).write(as_json=False)
    plain = f"+ new {visible_text(EVIL)}\n- old\n~ other\n-----  ---\n"
    added, removed, rest = plain.split("\n", 2)
    painted = f"\x1b[32m{added}\x1b[0m\n\x1b[31m{removed}\x1b[0m\n{rest}"
    assert found.getvalue() == (painted if coloured else plain)


def test_what_does_not_work_is_red() -> None:
    assert [paint_finding(line)[:5] for line in ("no     Docker", "yes    Python", "notes")] == [
        "\x1b[31m",
        "yes  ",
        "notes",
    ]


def test_json_is_read_back_as_it_was() -> None:
    text = json_text({"name": EVIL + "é\u2028"})
    assert not STEERING & set(text) and json.loads(text) == {"name": EVIL + "é\u2028"}


def test_a_cell_takes_one_line_and_columns_stand_below_each_other() -> None:
    text = text_table(("name", "n"), [("a\x1b[1m\nb", "1"), ("c", "2")], (1,))
    assert text.splitlines() == ["name        n", "----------  -", r"a\x1b[1m b  1", "c           2"]


def test_the_rule_below_a_long_last_column_ends_before_the_terminal_does() -> None:
    _head, rule, row = text_table(("set", "libraries"), [("a", "numpy, " * 100)]).splitlines()
    assert len(rule) < 80 and row.endswith("numpy,")


def test_names_of_a_project_reach_no_terminal_as_they_are(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, rows = tmp_path / "p.annotator", tmp_path / "rows.jsonl"
    row = {"id": "x", "title": f"T{EVIL.replace(chr(0), '')}", "prompt": "P", "reference": "r", "language": "python"}
    rows.write_text(json.dumps(row) + "\n")
    assert main(["new", str(path), "--name", "P", "--annotator", "Ada"]) == 0
    assert main(["import", "jsonl", str(rows), "--project", str(path)]) == 0
    for words in (["list", str(path)], ["list", str(path), "--json"], ["show", str(path), "--subject", "x"]):
        main(words)
    main(["results", str(tmp_path / "\x1b[2Jnone.annotator")])
    out, err = capfd.readouterr()
    assert not STEERING & {*out, *err} and "owned" in out and r"\x1b[2Jnone" in err


@pytest.mark.parametrize(
    "text", ["=1+1", "+a", "-a", "@a", "\t=1", "\rx", " =1", "\uff1d1", "-1+cmd|' /C calc'!A0", "\n=1"]
)
def test_no_text_becomes_a_formula(text: str) -> None:
    [_, [found, _]] = csv.reader(io.StringIO(rows_as_csv(("a", "b"), [(text, 1)]), newline=""))
    assert found == f"'{text}".replace("\r", "\n")


@pytest.mark.parametrize("text", ["-1.00", "+2", "1e-9", "", "a=b", "n/a", "3 of 4"])
def test_numbers_and_plain_texts_stay_as_they_are(text: str) -> None:
    assert next(csv.reader(io.StringIO(rows_as_csv([text, "b"], [])))) == [text, "b"]


def test_csv_and_json_carry_numbers_as_numbers() -> None:
    cells = (
        ValueCell("75.50; 3 disputed", 75.5),
        ValueCell("3 of 4", 3.0),
        ValueCell("n/a"),
        ValueCell("0.10", 0.1),
        text_cell("7B"),
    )
    columns = (Column(title, (cell,), numeric=title != "e") for title, cell in zip("abcde", cells, strict=True))
    found = Table(name="t", title="T", columns=tuple(columns))
    assert csv_text(found).splitlines()[1] == "75.5,3,n/a,0.10,7B"


def test_a_table_of_a_command_puts_whole_numbers_right_and_names_booleans() -> None:
    shown = text_table(("what", "count", "sound", "share"), [("a", 7, True, "1.0"), ("b", 12, False, "12.0")], (3,))
    assert shown.splitlines()[2:] == ["a         7  yes      1.0", "b        12  no      12.0"]
    assert answer_list("rows", [], ("what",), []).text == "what\n----"
    assert answer_list("rows", [], ("what",), [], none="There is none.").text == "There is none."
    assert answer_list("rows", ["r"], ("what",), [("a",)], none="There is none.").data == {"rows": ["r"]}


def test_a_table_without_the_rows_that_were_filtered_keeps_its_columns() -> None:
    found = Table(
        name="t", title="T", columns=(Column.of_texts("model", ["b", "a"]), Column.of_numbers("score", [1.0, None]))
    )
    assert csv_text(found.with_rows(found.rows[::-1])) == "model,score\na,n/a\nb,1.00\n"
    assert csv_text(found.with_rows([])) == "model,score\n"
    assert [column.numeric for column in found.with_rows([]).columns] == [False, True]


def test_the_leaderboard_has_a_number_a_cell() -> None:
    row = leaderboard_row(
        "=m", rank=1, score=0.9, low=0.8597, high=0.9974, passed=9, failed=1, items=10, samples=10,
        groups={"language": {"go": 0.5}}, protocol="plain", unsettled={"disputed": 3},
    )  # fmt: skip
    unknown = leaderboard_row("n", machinery=2, samples=2, groups={"language": {"go": None}}, protocol="plain")
    lines = list(
        csv.DictReader(
            io.StringIO(leaderboard_csv(Leaderboard(version="1", rows=(row, unknown), items=12), "language"))
        )
    )
    assert lines[0] == {
        "rank": "1", "model": "'=m", "score %": "90.00", "from": "85.97", "to": "99.74", "pass": "9", "partial": "0",
        "fail": "1",
        "no answer": "0", "machinery": "0", "items": "10", "of items": "12", "disputed": "3", "go": "50.00",
    }  # fmt: skip
    assert lines[1]["score %"] == lines[1]["rank"] == lines[1]["go"] == ""
    numbers = (value for line in lines for name, value in line.items() if name != "model")
    assert all(re.fullmatch(r"(\d+(\.\d+)?)?", value) for value in numbers)


def test_only_the_one_place_writes_csv_or_to_stderr() -> None:
    package = Path(main.__code__.co_filename).parent
    texts = {path.relative_to(package).as_posix(): path.read_text("utf-8") for path in package.rglob("*.py")}
    assert [name for name, text in texts.items() if "csv.writer(" in text] == ["formats/write/table_writer.py"]
    commands = {name: text for name, text in texts.items() if name.startswith("cli/")}
    assert [name for name, text in commands.items() if "sys.stderr.write(" in text] == ["cli/output.py"]
