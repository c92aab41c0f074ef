"""Tests of whole programs, in any language: a standard input and the expected standard output."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotator.sandbox import Job, Runner
from annotator.sandbox.sandbox_jobs import FAIL, MACHINERY, PASS, JobResult, TestResult

_TOLERANCE = 1e-9
_MAX_SHOWN = 80


def stdin_of(test: Mapping[str, Any]) -> str | None:
    """Return a test's standard input for the program; None for a test that is code."""
    inputs = test.get("inputs")
    stdin = inputs.get("stdin") if isinstance(inputs, Mapping) else None
    return stdin if isinstance(stdin, str) and not test.get("code") else None


def can_run(test: Mapping[str, Any]) -> bool:
    """Return whether a test can be run: it has code, or a standard input."""
    return bool(str(test.get("code") or "").strip()) or stdin_of(test) is not None


def add_programs(result: JobResult | None, job: Job, tests: Sequence[Mapping[str, Any]], runner: Runner) -> JobResult:
    """Run the job's code once per test, and return the result with these tests' results appended."""
    submitted = [(test, runner.submit(_program_job(job, test))) for test in tests]
    finished = [(test, future.result()) for test, future in submitted]
    results = (*(result.tests if result else ()), *(_judge_run(test, job_result) for test, job_result in finished))
    failed_result = next((test_result for test_result in results if test_result.outcome == MACHINERY), None)
    failed_result = failed_result or next((test_result for test_result in results if test_result.outcome != PASS), None)
    base = result or JobResult(id=job.id, outcome=PASS)
    if base.outcome not in (PASS, MACHINERY) and (failed_result is None or failed_result.outcome != MACHINERY):
        return replace(base, tests=results)
    outcome, message = (failed_result.outcome, failed_result.message) if failed_result else (PASS, "")
    return replace(base, tests=results, outcome=outcome, message=message)


def _program_job(job: Job, test: Mapping[str, Any]) -> Job:
    seconds = float(test["timeout"]) if test.get("timeout") else job.limits.wall_s
    # The whole output is compared, so all of it is kept.
    limits = replace(job.limits, wall_s=seconds, cpu_s=seconds, kept_kb=job.limits.output_kb)
    return replace(job, tests=None, stdin=stdin_of(test) or "", limits=limits)


def _judge_run(test: Mapping[str, Any], job_result: JobResult) -> TestResult:
    name = str(test.get("name") or "test")
    if job_result.outcome != PASS:
        return TestResult(name=name, outcome=job_result.outcome, message=job_result.message)
    expected, printed = _printed_lines(str(test.get("expected") or "")), _printed_lines(job_result.stdout)
    for number, line in enumerate(expected):
        words = printed[number] if number < len(printed) else []
        if not _same_words(line, words):
            message = (
                f"line {number + 1}: expected {' '.join(line)[:_MAX_SHOWN]!r}, printed {' '.join(words)[:_MAX_SHOWN]!r}"
            )
            return TestResult(name=name, outcome=FAIL, message=message)
    if len(printed) > len(expected):
        message = f"{len(printed)} lines were printed, {len(expected)} expected"
        return TestResult(name=name, outcome=FAIL, message=message)
    return TestResult(name=name, outcome=PASS)


def _printed_lines(text: str) -> list[list[str]]:
    """Return the words of each line; space around them and empty lines at the end do not count."""
    lines = [line.split() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _same_words(expected: Sequence[str], printed: Sequence[str]) -> bool:
    return len(expected) == len(printed) and all(map(_same_word, expected, printed))


def _same_word(expected: str, printed: str) -> bool:
    """Return whether two words are equal; decimal fractions may differ in their number of digits."""
    if expected == printed:
        return True
    if "." not in expected + printed:
        return False
    try:
        return math.isclose(float(expected), float(printed), rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    except ValueError:
        return False
