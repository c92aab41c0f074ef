"""The failed trials of a proof: the rule that failed, the program that ran, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotator.criteria.proof.proof_checks import Judge, ProofReport
from annotator.model.rows.view_rows import FailedTrial
from annotator.sandbox import Job

PROGRAMS = "programs"
"""The key in a check's facts for the programs that ran, by trial label."""
_MAX_TRIALS = 3


def with_programs(report: ProofReport, judge: Judge) -> ProofReport:
    """Add to a report the programs of right answers that failed, each followed by the failed test."""
    first, *rest = report.checks
    wrong = [trial for trial in first.trials if trial.ok is False]
    if not wrong or judge.sandbox is None:
        return report
    all_programs = {trial.label: _program(judge.jobs(trial.answer), trial.detail) for trial in wrong}
    programs = {label: program for label, program in all_programs.items() if program}
    return replace(report, checks=(replace(first, facts={**first.facts, PROGRAMS: programs}), *rest))


def _program(jobs: Sequence[Job], failure_text: str) -> str:
    """Return the program and tests of the job whose test is named in the failure, else of the first job."""
    matching = [job for job in jobs if any(test.name in failure_text for test in job.tests or ())]
    for job in matching or jobs:
        tests = "\n\n".join(test.code.strip("\n") for test in job.tests or ())
        return f"{job.code.rstrip()}\n\n\n{tests}\n" if tests else job.code
    return ""


def failed_trials(checks: Sequence[Mapping[str, Any]]) -> tuple[FailedTrial, ...]:
    """Return the failed trials of the required checks, a few per check."""
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
        for trial in [trial for trial in check["trials"] if not trial["ok"]][:_MAX_TRIALS]
    )
