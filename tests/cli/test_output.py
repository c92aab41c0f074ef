"""What commands write: safe text and whole numbers, JSON lines, and how far they are."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.cli.command import command
from annotator.cli.commands import overview
from annotator.cli.commands.project import history
from annotator.cli.commands.results import leaderboard_csv
from annotator.cli.commands.runs import start
from annotator.cli.output import (
    CommandAnswer,
    answer_list,
    json_text,
    paint_difference,
    paint_finding,
    text_table,
    write_error,
)
from annotator.cli.parser import WORDS, load_commands, refuse_unknown
from annotator.cli.progress_display import INTERVAL_S, ProgressDisplay, describe_progress
from annotator.formats.write.table_writer import csv_text, rows_as_csv
from annotator.jobs.progress import Progress
from annotator.model.rows.result_rows import Column, Leaderboard, Table, ValueCell, text_cell
from annotator.services.runs.execution import RunLive
from annotator.text.hidden_characters import CONTROL_CHARACTERS, visible_text
from tests.llm.server import Server, running
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
    assert not CONTROL_CHARACTERS & {*out, *err} and out.startswith(r"\x1b]0;owned")


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
    assert not CONTROL_CHARACTERS & set(text) and json.loads(text) == {"name": EVIL + "é\u2028"}


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
    assert not CONTROL_CHARACTERS & {*out, *err} and "owned" in out and r"\x1b[2Jnone" in err


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


# How far a command is: on a terminal, in a pipe, and while nothing is reported.


def wait_for(stream: Any, text: str) -> None:
    limit = time.monotonic() + 60
    while text not in stream.getvalue() and time.monotonic() < limit:
        time.sleep(0.005)
    assert text in stream.getvalue()


def test_a_pipe_gets_lines_while_nothing_is_reported() -> None:
    stream = io.StringIO()
    with ProgressDisplay(stream, "annotator prove", interval_s=0.01) as display:
        wait_for(stream, "annotator prove: 0 s so far\n")
        progress = display.start("Proving")
        progress.report(0, 12)
        progress.report(3, 12, "HumanEval/3")
        wait_for(stream, "Proving: 3 of 12 (25%), ")
    lines = stream.getvalue().splitlines()
    assert lines[-1].endswith(" so far, HumanEval/3")
    assert " a second, about " in lines[-1]
    assert "\x1b" not in stream.getvalue()


def test_pace_and_time_left_are_those_of_the_current_stage() -> None:
    progress = Progress()
    progress.report(90, 100)
    progress.started_at = progress.stage_started_at = progress.started_at - 1000
    progress.report(91, 100)
    assert "one in 1,000 s, about 150 min left" in describe_progress("Mining", progress)
    progress.report(1, 4)
    assert describe_progress("Mining", progress) == "Mining: 1 of 4 (25%), 17 min so far"
    progress.stage_started_at -= 10
    progress.report(2, 4)
    assert ", one in 10 s, about 20 s left, 17 min so far" in describe_progress("Mining", progress)
    progress.report(3, 100)
    assert describe_progress("Mining", progress) == "Mining: 3 of 100 (3%), 17 min so far"


def test_times_are_in_minutes_from_two_minutes_on() -> None:
    progress = Progress()
    for seconds, text in ((90, "b: 90 s so far"), (600, "b: 10 min so far")):
        progress.started_at = time.monotonic() - seconds
        assert describe_progress("b", progress) == text


def test_a_quick_command_says_nothing() -> None:
    for stream in (io.StringIO(), Terminal()):
        with ProgressDisplay(stream, "annotator list"):
            pass
        assert stream.getvalue() == ""


def test_a_terminal_shows_reports_at_once_and_is_clear_at_the_end() -> None:
    stream = Terminal()
    with ProgressDisplay(stream, "annotator import") as display:
        display.start("Importing").report(1, 4)
        assert stream.getvalue().startswith("\r\x1b[KImporting: 1 of 4 (25%)")
        display.hide()
        assert stream.getvalue().endswith("\r\x1b[K")
        written = len(stream.getvalue())
        time.sleep(0.02)
        assert len(stream.getvalue()) == written
        display.start("Indexing").report(1, 2, "a\x1b[2Jb")
        assert "Indexing: 1 of 2" in stream.getvalue() and "\x1b[2J" not in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_a_closed_pipe_does_not_end_the_command() -> None:
    stream = io.StringIO()
    with ProgressDisplay(stream, "annotator list", interval_s=0.001):
        stream.close()
        time.sleep(0.02)


def test_every_command_tells_that_it_is_at_work(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.cli.command.ProgressDisplay", partial(ProgressDisplay, interval_s=0.001))

    @command("work", "annotator work", json=False)
    def work() -> CommandAnswer:
        """Work until a line about it is written."""
        wait_for(sys.stderr, "annotator work: 0 s so far\n")
        return CommandAnswer({}, "Done.")

    parser = argparse.ArgumentParser()
    work.add_to(parser.add_subparsers().add_parser)
    options = parser.parse_args(["work"])
    options.json = False
    assert options.call(options) == 0 and capsys.readouterr().out == "Done.\n"
    assert INTERVAL_S <= 5
    silent = [item.name for word in WORDS for item in load_commands(word) if item.window]
    assert silent == ["open"], "a window shows its own progress"


def test_loading_a_command_is_shown(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.cli.run.ProgressDisplay", partial(ProgressDisplay, interval_s=0.001))

    def load_slowly(arguments: list[str]) -> None:
        wait_for(sys.stderr, "Loading annotator: 0 s so far\n")
        refuse_unknown(arguments)

    monkeypatch.setattr("annotator.cli.run.refuse_unknown", load_slowly)
    assert main(["formats", "--help"]) == 0
    assert "usage: annotator formats" in capsys.readouterr().out


# Lists as JSON lines: whole, a row a line, the same rows as in the one JSON document.
COUNT = 60


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path, rows = tmp_path / "p.annotator", tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"id": f"q{n}", "prompt": f"Question {n}\u2028?"}) + "\n" for n in range(COUNT)))
    assert main(["new", str(path), "--name", "P", "--annotator", "Ada"]) == 0
    assert main(["import", "jsonl", str(rows), "--project", str(path)]) == 0
    capsys.readouterr()
    return path


def read_lines(capsys: pytest.CaptureFixture[str], *words: str | Path) -> list[Any]:
    assert main([*map(str, words), "--jsonl"]) == 0
    said = capsys.readouterr()
    assert not said.err
    return [json.loads(line) for line in said.out.split("\n")[:-1]]


def test_all_subjects_are_read_a_page_at_a_time(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "_PAGE_SIZE", 7)
    rows = read_lines(capsys, "list", project)
    assert [row["key"] for row in rows] == [f"jsonl:q{n}" for n in range(COUNT)]
    assert main(["list", str(project), "--json", "--limit", "100"]) == 0
    assert rows == json.loads(capsys.readouterr().out)["rows"]
    by_title = read_lines(capsys, "list", project, "--sort", "title")
    assert len(by_title) == COUNT and sorted(row["row"] for row in by_title) == [row["row"] for row in rows]
    assert read_lines(capsys, "list", project, "--limit", "3", "--after", "2") == rows[2:5]
    assert main(["list", str(project)]) == 0
    assert "50 of 60 subjects" in capsys.readouterr().out


def test_the_whole_history_is_read(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_PAGE_SIZE", 2)
    for verdict in ("accept", "reject", "flag", "skip"):
        assert main(["select", str(project), "--subject", "q1", "--verdict", verdict]) == 0
    capsys.readouterr()
    rows = read_lines(capsys, "history", "list", project)
    assert [row["seq"] for row in rows] == [5, 4, 3, 2, 1]
    assert read_lines(capsys, "history", "list", project, "--limit", "3", "--search", "Ada") == rows[:3]


def test_drafts_are_the_rows_of_the_document(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(server := Server(reply=lambda *_: "visualization")):
        asked = ["suggest", "ask", str(project), "--kind", "domain", "--model", "m", "--base-url", server.url]
        assert main([*asked, "--subject", "q1", "--subject", "q2"]) == 0
    capsys.readouterr()
    assert main(["suggest", "list", str(project), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["suggestions"]
    assert len(rows) == 2 and read_lines(capsys, "suggest", "list", project) == rows


@pytest.mark.parametrize("words", ["bugs list", "run list", "tasks list", "team disagreements", "suggest list"])
def test_a_list_without_rows_has_no_lines(project: Path, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert read_lines(capsys, *words.split(), project) == []


def test_two_forms_at_once_are_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", str(project), "--json", "--jsonl"]) == 2
    assert main(["results", str(project), "--csv", "--jsonl"]) == 2
    assert "not allowed with argument" in capsys.readouterr().err
    assert main(["show", str(project), "--subject", "q1", "--jsonl"]) == 2
    assert "Did you mean --json?" in capsys.readouterr().err


def test_every_command_that_lists_takes_the_same_option() -> None:
    named = {item.name for word in WORDS for item in load_commands(word) if item.rows}
    listing = {item.name for word in WORDS for item in load_commands(word) if item.name.endswith(("list", "log"))}
    short = {"backups list", "judge list", "lease list", "release list", "settings list"}
    assert named >= listing - short
    for name in named:
        refuse_unknown([*name.split(), "p", "--jsonl"])


# The JSON lines of a run that goes on: throttled, but never without what holds it up.


def _live(**changes: Any) -> RunLive:
    counts = dict.fromkeys(("to_score", "answered", "cached", "failed", "prompt_tokens", "completion_tokens"), 0)
    return RunLive(**{"run_id": "r", "total": 4, "scored": 0, "cost": 0.0, "seconds": 0.0, **counts, **changes})


def test_what_holds_a_run_up_is_written_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start.run_list, "find_run", lambda *_: SimpleNamespace(model="m"))
    clock = iter([0.0, 0.0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3])
    monkeypatch.setattr(start.time, "monotonic", lambda: next(clock))
    store: Any = None
    write = start.RunReports(display=store, as_json=True).watch(store)
    assert write is not None
    for live in (
        _live(),
        _live(scored=1),
        _live(scored=2, obstacle="no worker"),
        _live(scored=3, obstacle="no worker"),
    ):
        write(live)
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [(event.get("scored"), event.get("obstacle")) for event in events if "scored" in event]
    assert told == [(0, ""), (2, "no worker")]
