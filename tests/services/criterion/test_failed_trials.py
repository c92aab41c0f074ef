"""A failed proof shows the rule, the program that ran and what came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from annotator.__main__ import main
from annotator.criteria.proof.proof_checks import Judge, ProofCheck, ProofReport, Trial
from annotator.sandbox import Job, TestCode
from annotator.services.criterion import revisions
from annotator.services.criterion.proofs import PROGRAMS, failed_trials, with_programs
from tests.template_projects import copy_project, project_of_rows


@dataclass
class OneJob:
    """A judge that runs two tests for every answer."""

    sandbox: object = True

    def jobs(self, answer: str) -> list[Job]:
        tests = (("small", "assert add(1, 1) == 2"), ("large", "assert add(9, 9) == 18"))
        return [
            Job(id=name, language="python", code=f"{answer}\n", tests=(TestCode(name, code),)) for name, code in tests
        ]


def test_the_program_of_the_test_that_failed_is_kept_and_shown() -> None:
    trials = (
        Trial(label="the reference", kind="reference", expected="pass", score=0.5, ok=False,
         detail="large: AssertionError", answer="def add(a, b): ..."),
        Trial(label="the example in line 3", kind="reference", expected="pass", score=1.0, ok=True, detail="",
         answer="def add(a, b): return a + b"),
    )  # fmt: skip
    report = ProofReport(
        (
            ProofCheck(name="reference", title="The reference passes", outcome="fail", required=True, summary="fails",
             trials=trials),
        )
    )  # fmt: skip
    first = with_programs(report, cast(Judge, OneJob())).checks[0]
    assert first.facts[PROGRAMS] == {"the reference": "def add(a, b): ...\n\n\nassert add(9, 9) == 18\n"}
    document: dict[str, Any] = {
        "title": first.title, "outcome": "fail", "required": True, "facts": first.facts,
        "trials": [{"label": "the reference", "detail": "large: AssertionError", "answer": "", "ok": False}],
    }  # fmt: skip
    [found] = failed_trials([document])
    assert found.seen == "large: AssertionError" and found.program == first.facts[PROGRAMS]["the reference"]
    assert with_programs(report, cast(Judge, OneJob(None))) == report, "where no code is run there is no program"


def test_the_command_shows_the_rule_and_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"id": "sort", "prompt": "How do I sort a list?", "reference": "Use sorted(x).", "language": "python"}
    store = project_of_rows(tmp_path / "p.annotator", [row])
    revisions.save_criterion(store, "sort", "grading:\n  keywords: [heapq]\n")
    store.close()
    main(["criterion", "prove", str(tmp_path / "p.annotator")])
    said = capsys.readouterr().out
    assert "the reference" in said and "heapq" in said and "    Use sorted(x)." in said


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
    assert "2 answers get a different score (of 3); 2 of them switch between passing and failing" in said
    assert main(["show", project, "--subject", "gen", "--json"]) == 0
    assert "[yield]" in capsys.readouterr().out  # a dry run saves nothing
    assert _set(project, "other.yaml") == 3
    refused = capsys.readouterr().err
    assert "The reference does not earn the full score. Nothing was saved." in refused and "--anyway" in refused
    assert "2 answers get a different score" in refused
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
    assert capsys.readouterr().out.strip() == "No existing score would change."


def test_a_document_with_errors_is_refused(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _set(project, "broken.yaml") == 3
    assert "did you mean keywords?" in capsys.readouterr().err
