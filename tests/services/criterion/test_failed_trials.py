"""A failed proof shows the rule, the program that ran and what came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from annotator.__main__ import main
from annotator.criteria.proof.proof_checks import Judge, ProofCheck, ProofReport, Trial
from annotator.model.vocabulary import Verdict
from annotator.sandbox import Job, TestCode
from annotator.services.criterion import revisions
from annotator.services.criterion.proofs import PROGRAMS, failed_trials, with_programs
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.services.sources import imports


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
        Trial(
            label="the reference",
            kind="reference",
            expected="pass",
            score=0.5,
            ok=False,
            detail="large: AssertionError",
            answer="def add(a, b): ...",
        ),
        Trial(
            label="the example in line 3",
            kind="reference",
            expected="pass",
            score=1.0,
            ok=True,
            detail="",
            answer="def add(a, b): return a + b",
        ),
    )
    report = ProofReport(
        (
            ProofCheck(
                name="reference",
                title="The reference passes",
                outcome="fail",
                required=True,
                summary="fails",
                trials=trials,
            ),
        )
    )
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
    rows = tmp_path / "rows.jsonl"
    row = {"id": "sort", "prompt": "How do I sort a list?", "reference": "Use sorted(x).", "language": "python"}
    rows.write_text(json.dumps(row) + "\n")
    store = projects.create_project(tmp_path / "p.annotator", "p", "ada")
    imports.import_paths(store, "jsonl", [rows])
    triage.decide_subjects(store, ["sort"], Verdict.ACCEPT)
    revisions.save_criterion(store, "sort", "grading:\n  keywords: [heapq]\n")
    store.close()
    main(["criterion", "prove", str(tmp_path / "p.annotator")])
    said = capsys.readouterr().out
    assert "the reference" in said and "heapq" in said and "    Use sorted(x)." in said
