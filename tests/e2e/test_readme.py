"""What README promises a newcomer: all its commands, word for word and in order."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.cli.parser import WORDS
from tests.documents import follow

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.sandbox
@pytest.mark.usefixtures("place")
def test_own_questions_reach_a_leaderboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert follow(README.read_text(encoding="utf-8"), lambda: "\n".join(capsys.readouterr())) >= 19
    capsys.readouterr()
    assert main(["results", "own.annotator", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["model"], row["score"]) for row in rows] == [("careful", 1.0), ("hasty", 0.5)]


def test_every_picture_and_file_that_is_named_exists() -> None:
    text = README.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert len(links) >= 7
    assert [name for name in links if not (README.parent / name).exists()] == []
    scripts = re.findall(r"`?(packaging/[\w/]+(?:\.\w+)?)", text)
    assert [name for name in scripts if not (README.parent / name).exists()] == []


def test_every_command_named_in_a_sentence_exists() -> None:
    named = re.findall(r"`annotator\s+([a-z-]+)", README.read_text(encoding="utf-8"))
    assert len(named) > 8 and set(named) <= set(WORDS)
