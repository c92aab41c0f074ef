"""Lists as JSON lines: whole, a row a line, the same rows as in the one JSON document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.cli.commands import overview
from annotator.cli.commands.project import history
from annotator.cli.parser import WORDS, load_commands, refuse_unknown
from tests.llm.server import Server, running

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
