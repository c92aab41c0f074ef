"""What README promises a newcomer: its own example, word for word and in order."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from annotator.__main__ import main

README = Path(__file__).parents[2] / "README.md"
FILES = ("questions.jsonl", "answers.jsonl")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.sandbox
def test_own_questions_reach_a_leaderboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in zip(FILES, _blocks("jsonl"), strict=True):
        Path(name).write_text(text, encoding="utf-8")
    [commands] = _blocks("console")
    *lines, last = commands.splitlines()
    assert last.startswith("annotator open "), "the window is tried elsewhere"
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "annotator"
        assert main(words) == 0, capsys.readouterr().err
    assert "careful" in capsys.readouterr().out
    assert main(["results", "own.annotator", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["model"], row["score"]) for row in rows] == [("careful", 1.0), ("hasty", 0.5)]
