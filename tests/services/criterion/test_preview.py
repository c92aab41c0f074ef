"""What `criterion set` says before it saves: a reference that fails, answers of runs that get another score."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.__main__ import main
from tests.template_projects import copy_project

GOOD = "grading:\n  keywords: [yield]\n"
OTHER = "grading:\n  keywords: [generator]\n"


def _build_project(path: Path) -> None:
    item = {"id": "gen", "prompt": "What makes a generator?", "reference": "The keyword yield."}
    answers = [("good", "It is yield."), ("bad", "A generator is one."), ("mute", "No idea.")]
    rows = [{"subject": "gen", "model": model, "response": text} for model, text in answers]
    items, responses, good = (path.with_name(name) for name in ("items.jsonl", "answers.jsonl", "good.yaml"))
    for file, texts in ((items, [item]), (responses, rows)):
        file.write_text("".join(f"{json.dumps(row)}\n" for row in texts))
    good.write_text(GOOD)
    project = str(path)
    for line in (
        ["new", project, "--name", "P", "--annotator", "Ada"],
        ["import", "jsonl", str(items), "--project", project],
        ["select", project, "--subject", "gen", "--verdict", "accept"],
        ["criterion", "set", project, "--subject", "gen", "--file", str(good)],
        ["criterion", "prove", project],
        ["release", "create", project, "--version", "1.0"],
        ["run", "start", project, "--release", "1.0", "--replay", str(responses)],
    ):
        assert main(line) == 0


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    for name, text in (("good.yaml", GOOD), ("other.yaml", OTHER), ("broken.yaml", "grading:\n  keyword: [a]\n")):
        Path(name).write_text(text)
    copy_project(tmp_path / "p.annotator", "a run by a criterion", _build_project)
    return "p.annotator"


def _set(project: str, file: str, *more: str) -> int:
    return main(["criterion", "set", project, "--subject", "gen", "--file", file, *more])


def test_a_criterion_that_its_reference_fails_is_saved_only_anyway(
    project: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert _set(project, "other.yaml", "--dry-run") == 0
    said = capsys.readouterr().out
    assert "The reference does not earn the full score." in said
    assert "2 answers get another score (of 3); 2 of them switch between passing and failing" in said
    assert main(["show", project, "--subject", "gen", "--json"]) == 0
    assert "[yield]" in capsys.readouterr().out  # a dry run saves nothing
    assert _set(project, "other.yaml") == 3
    refused = capsys.readouterr().err
    assert "The reference does not earn the full score. Nothing was saved." in refused and "--anyway" in refused
    assert "2 answers get another score" in refused
    assert main(["show", project, "--subject", "gen", "--json"]) == 0
    assert "[yield]" in capsys.readouterr().out
    assert _set(project, "other.yaml", "--anyway", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["done"].startswith("Criterion of") and found["preview"]["failing"] == ["the reference"]
    assert found["preview"]["radius"]["flips"] == 2
    assert main(["show", project, "--subject", "gen", "--json"]) == 0
    assert "[generator]" in capsys.readouterr().out


def test_what_changes_nothing_is_saved_without_a_word(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert _set(project, "good.yaml", "--dry-run") == 0
    assert capsys.readouterr().out.strip() == "No score so far would change."


def test_a_document_with_errors_is_refused(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _set(project, "broken.yaml") == 3
    assert "did you mean keywords?" in capsys.readouterr().err
