"""Check, as a part of a proof, that an item's tests try more than one input and cover every branch."""

from __future__ import annotations

import re
from collections.abc import Callable

from annotator.base.messages import Message
from annotator.construction.languages.single_call import end_at_second_call
from annotator.criteria.proof.proof_checks import Judge, ProofCheck, ProofReport, Trial, cut_lines, inputs_check
from annotator.text.fenced_code import fence_code

_PYTHON_TESTS = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+test|\bparametrize\b|\bexpand\b", re.MULTILINE)
"""Tests and parameter sets. Each runs in a process of its own, so several of them make several first calls."""


def check_inputs(
    judge: Judge, answer: str, report: ProofReport, step: Callable[[str], object] = lambda _: None
) -> ProofCheck | None:
    """Report branches that no test takes, and try a right answer changed so that it works for one call only.

    None if neither is possible: without a sandbox, or without coverage and with a program that cannot be changed so.
    """
    if judge.sandbox is None:
        return None
    coverage = next((item for item in report.checks if item.name == "coverage"), None)
    measured = coverage is not None and "partial" in coverage.facts
    partial = list(coverage.facts["partial"]) if coverage is not None and measured else []
    changed = _single_call(judge, answer)
    if changed is None:
        return inputs_check(partial, None) if measured else None
    step("one call")
    [verdict] = judge.verdicts([changed], expected=False)
    if verdict.score is None or verdict.score < judge.full_score:
        return inputs_check(partial, None)
    trial = Trial(
        label=Message("the reference, valid for one call only"),
        kind="once",
        expected="fail",
        score=verdict.score,
        ok=False,
        detail=verdict.why,
        answer=changed,
    )
    return inputs_check(partial, trial)


def _single_call(judge: Judge, answer: str) -> str | None:
    """Return the answer changed so that it works for one call; None if several tests call it."""
    jobs = judge.jobs(answer)
    if len(jobs) != 1 or not jobs[0].tests or len(jobs[0].tests) != 1:
        return None
    [job] = jobs
    tests = [test.code for test in job.tests or ()]
    if job.language == "python" and len(_PYTHON_TESTS.findall("\n".join(tests))) > 1:
        return None
    own = cut_lines(job.code, judge.code_lines(answer))
    code = end_at_second_call(own, job.language, tests)
    return None if code is None else fence_code(code, job.language)
