"""The queue dealt out from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.services.project import members, projects
from tests.benchmarks import making


@pytest.fixture
def project(tmp_path: Path) -> str:
    path = making.project(tmp_path / "p.annotator", 12)
    store = projects.open_project(path)
    members.add_annotator(store, "Lin")
    store.close()
    return str(path)


def test_deal_show_and_take_back(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["queue", "deal", project, "--to", "Mei", "--to", "Lin", "--count", "3", "--json"]) == 0
    shares = json.loads(capsys.readouterr().out)["shares"]
    assert [(row["person"], row["open"]) for row in shares] == [("Mei", 3), ("Lin", 3), ("", 6)]
    assert main(["list", project, "--turn", "me", "--annotator", "Lin", "--json"]) == 0
    assert [row["row"] for row in json.loads(capsys.readouterr().out)["rows"]] == [2, 4, 6]
    assert main(["queue", "show", project]) == 0
    assert "nobody" in capsys.readouterr().out
    assert main(["queue", "take-back", project, "--from", "Lin"]) == 0
    assert capsys.readouterr().out == "Unassign 3 candidates\n"
    assert main(["undo", project]) == 0
    capsys.readouterr()
    assert main(["list", project, "--turn", "nobody", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 6


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["queue"], 2),
        (["queue", "deal", "P"], 2),
        (["queue", "deal", "P", "--to", "Mei", "--count", "0"], 2),
        (["queue", "deal", "P", "--to", "Zoe"], 3),
        (["queue", "deal", "P", "--to", "Mei", "--language", "cobol"], 3),
        (["queue", "take-back", "P"], 3),
        (["queue", "show", "missing.annotator"], 3),
        (["list", "P", "--turn", "somebody"], 2),
    ],
)
def test_bad_requests(project: str, capsys: pytest.CaptureFixture[str], words: list[str], status: int) -> None:
    assert main([project if word == "P" else word for word in words]) == status
    found = capsys.readouterr()
    assert "Traceback" not in found.err and found.out == ""
