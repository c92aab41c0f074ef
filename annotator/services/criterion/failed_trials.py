"""What a failed proof shows: the rule that failed, the program that ran, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotator.criteria.proof.checks import Judge, ProofReport
from annotator.model.rows.views import FailedTrial
from annotator.sandbox import Job

PROGRAMS = "programs"
"""The fact of a check that holds, by a trial's label, the program that ran."""
_MOST = 3


def with_programs(report: ProofReport, judge: Judge) -> ProofReport:
    """Add to a report the programs of right answers that failed, each with the test that failed."""
    first, *rest = report.checks
    wrong = [trial for trial in first.trials if trial.ok is False]
    if not wrong or judge.sandbox is None:
        return report
    found = {trial.label: _program(judge.jobs(trial.answer), trial.detail) for trial in wrong}
    programs = {label: program for label, program in found.items() if program}
    return replace(report, checks=(replace(first, facts={**first.facts, PROGRAMS: programs}), *rest))


def _program(jobs: Sequence[Job], said: str) -> str:
    """Return the program of the job whose test is named in what was said, else of the first; its test follows it."""
    named = [job for job in jobs if any(test.name in said for test in job.tests or ())]
    for job in named or jobs:
        tests = "\n\n".join(test.code.strip("\n") for test in job.tests or ())
        return f"{job.code.rstrip()}\n\n\n{tests}\n" if tests else job.code
    return ""


def failed_trials(checks: Sequence[Mapping[str, Any]]) -> tuple[FailedTrial, ...]:
    """Return what was tried and did not do as it must, of the checks a proof needs; a few of each."""
    return tuple(
        FailedTrial(
            check=check["title"],
            label=trial["label"],
            seen=trial["detail"],
            answer=trial.get("answer", ""),
            program=check["facts"].get(PROGRAMS, {}).get(trial["label"], ""),
        )
        for check in checks
        if check["required"] and check["outcome"] != "pass"
        for trial in [trial for trial in check["trials"] if not trial["ok"]][:_MOST]
    )
