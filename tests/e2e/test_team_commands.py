"""Reviews, votes, confirmations and settlements from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from tests.template_projects import project_of_rows


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    path = tmp_path / "p.annotator"
    row = {"id": "1", "prompt": "What?", "reference": "That."}
    project_of_rows(path, [row], (), people=("Ada", "Bo", "Cy")).close()

    def call(who: str, *arguments: str | Path, status: int = 0) -> Any:
        capfd.readouterr()
        words = ["team", str(arguments[0]), str(path), "--annotator", who, "--json", *map(str, arguments[1:])]
        found = main(words)
        out, err = capfd.readouterr()
        assert found == status and "Traceback" not in err, err
        return json.loads(out) if out else None

    return call


def test_an_edit_is_confirmed_by_the_two_others(run: Any, tmp_path: Path) -> None:
    edited = tmp_path / "s.txt"
    edited.write_text("This.")
    solution = ("--subject", "1", "--artefact", "solution")
    run("Ada", "edit", *solution, "--file", edited)
    run("Ada", "edit", *solution, "--file", edited, status=3)
    run("Ada", "confirm", *solution, status=3)
    run("Bo", "confirm", *solution, "--reject", status=3)
    for name in ("Bo", "Cy"):
        run(name, "confirm", *solution)
    run("Cy", "confirm", *solution, status=3)
    run("Ada", "edit", "--subject", "1", "--artefact", "tests", "--file", edited, status=3)
    acts = [row["act"] for row in run("Ada", "history", "--subject", "1")["history"]]
    assert acts[:3] == ["confirm the solution", "confirm the solution", "edit of the solution"]


def test_votes_marks_comments_settlements_and_locks(run: Any) -> None:
    yes = ("--realistic", "yes", "--uses-llm", "yes")
    run("Ada", "vote", "--subject", "1", *yes)
    run("Bo", "vote", "--subject", "1", "--realistic", "no", "--uses-llm", "yes")
    assert run("Bo", "votes", "--subject", "1")["tally"] is None
    run("Cy", "close-vote", "--subject", "1", "--reason", "two are enough", status=3)
    assert run("Ada", "panel", "--chair", "Cy")["chair"] == "Cy"
    run("Cy", "close-vote", "--subject", "1", "--reason", "two are enough")
    assert run("Bo", "votes", "--subject", "1")["approvals"] == 1
    run("Ada", "review", "--subject", "1", "--difficulty", "1")
    run("Bo", "review", "--subject", "1", "--difficulty", "5", "--note", "tricky")
    run("Bo", "review", "--subject", "1", status=3)
    run("Bo", "review", "--subject", "1", "--difficulty", "9", status=3)
    found = run("Ada", "disagreements")["disagreements"]
    assert [row["about"] for row in found] == ["review:difficulty", "vote:realistic"]
    run("Ada", "settle", "--subject", "1", "--about", "review:difficulty", "--method", "majority", status=3)
    run("Cy", "settle", "--subject", "1", "--about", "review:difficulty", "--method", "adjudicator", "--outcome", "5",
        "--reason", "it is")  # fmt: skip
    assert len(run("Ada", "disagreements")["disagreements"]) == 1
    assert len(run("Ada", "disagreements", "--settled")["disagreements"]) == 2
    run("Ada", "comment", "--subject", "1", "--text", "@Bo why?")
    assert run("Bo", "mentions")["mentions"][0]["text"] == "@Bo why?"
    run("Ada", "lock", "--subject", "1")
    run("Bo", "vote", "--subject", "1", *yes, status=3)
    run("Ada", "lock", "--subject", "1", "--open", status=3)
    run("Ada", "lock", "--subject", "1", "--open", "--reason", "typo")
    run("Bo", "vote", "--subject", "1", *yes, status=3)
    run("Bo", "vote", "--subject", "nowhere", *yes, status=3)


def test_the_panel_is_set_and_its_votes_are_sealed_until_all_are_in(run: Any) -> None:
    assert run("Ada", "panel")["voters"] == 13
    assert run("Ada", "panel", "--voters", "3")["needed"] == 3
    assert run("Ada", "panel", "--voters", "3", "--keep", "2")["needed"] == 2
    run("Ada", "panel", "--keep", "2", status=2)
    run("Ada", "panel", "--voters", "3", "--keep", "4", status=3)
    run("Ada", "panel", "--voters", "0", status=3)
    yes = ("--subject", "1", "--realistic", "yes", "--uses-llm", "yes")
    run("Ada", "vote", *yes)
    run("Bo", "vote", *yes)
    hidden = run("Bo", "panel")
    assert hidden["report"] is None and "votes on 1 subject are sealed" in hidden["hidden"]
    run("Cy", "vote", *yes)
    shown = run("Bo", "panel")
    assert shown["report"]["kept"] == 1 and shown["report"]["distribution"] == {"3": 1}
    assert run("Bo", "votes", "--subject", "1")["tally"]["realistic"] == {"yes": 3}


def test_a_reply_takes_a_mention_off_the_list(run: Any) -> None:
    run("Ada", "comment", "--subject", "1", "--text", "@Bo why? @Cy too")
    [said] = run("Cy", "comments", "--subject", "1")["comments"]
    assert said["mentions"] == ["Bo", "Cy"]
    run("Bo", "comment", "--subject", "1", "--text", "Because.", "--reply-to", said["id"])
    assert run("Bo", "mentions")["mentions"] == [] and len(run("Cy", "mentions")["mentions"]) == 1
    run("Bo", "comment", "--subject", "1", "--text", "Because.", "--reply-to", "nothing", status=3)
