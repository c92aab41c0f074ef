"""Tests of whole programs: each gives a standard input and names what must be printed. They run in any language."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotator.sandbox import Job, Runner
from annotator.sandbox.work import FAIL, MACHINERY, PASS, JobResult, TestResult

_NEAR = 1e-9
_SHOWN = 80


def stdin_of(test: Mapping[str, Any]) -> str | None:
    """Return the standard input that a test gives to a program; None for a test that is code."""
    inputs = test.get("inputs")
    stdin = inputs.get("stdin") if isinstance(inputs, Mapping) else None
    return stdin if isinstance(stdin, str) and not test.get("code") else None


def can_run(test: Mapping[str, Any]) -> bool:
    """Tell whether a test decides by itself: it is code, or a standard input with what must be printed."""
    return bool(str(test.get("code") or "").strip()) or stdin_of(test) is not None


def add_programs(result: JobResult | None, job: Job, tests: Sequence[Mapping[str, Any]], runner: Runner) -> JobResult:
    """Run the job's code once for each of the tests, and return the result with theirs behind those it has."""
    waiting = [(test, runner.submit(_program_job(job, test))) for test in tests]
    done = [(test, future.result()) for test, future in waiting]
    results = (*(result.tests if result else ()), *(_judged(test, ran) for test, ran in done))
    failed = next((item for item in results if item.outcome == MACHINERY), None)
    failed = failed or next((item for item in results if item.outcome != PASS), None)
    whole = result or JobResult(id=job.id, outcome=PASS)
    if whole.outcome not in (PASS, MACHINERY) and (failed is None or failed.outcome != MACHINERY):
        return replace(whole, tests=results)
    outcome, message = (failed.outcome, failed.message) if failed else (PASS, "")
    return replace(whole, tests=results, outcome=outcome, message=message)


def _program_job(job: Job, test: Mapping[str, Any]) -> Job:
    seconds = float(test["timeout"]) if test.get("timeout") else job.limits.wall_s
    # All that is printed is compared.
    limits = replace(job.limits, wall_s=seconds, cpu_s=seconds, kept_kb=job.limits.output_kb)
    return replace(job, tests=None, stdin=stdin_of(test) or "", limits=limits)


def _judged(test: Mapping[str, Any], ran: JobResult) -> TestResult:
    name = str(test.get("name") or "test")
    if ran.outcome != PASS:
        return TestResult(name=name, outcome=ran.outcome, message=ran.message)
    wanted, printed = _printed_lines(str(test.get("expected") or "")), _printed_lines(ran.stdout)
    for number, line in enumerate(wanted):
        found = printed[number] if number < len(printed) else []
        if not _same_words(line, found):
            said = f"line {number + 1}: expected {' '.join(line)[:_SHOWN]!r}, printed {' '.join(found)[:_SHOWN]!r}"
            return TestResult(name=name, outcome=FAIL, message=said)
    if len(printed) > len(wanted):
        more = f"{len(printed)} lines were printed, {len(wanted)} expected"
        return TestResult(name=name, outcome=FAIL, message=more)
    return TestResult(name=name, outcome=PASS)


def _printed_lines(text: str) -> list[list[str]]:
    """Return the words of each line; space around them and empty lines at the end do not count."""
    lines = [line.split() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _same_words(wanted: Sequence[str], found: Sequence[str]) -> bool:
    return len(wanted) == len(found) and all(map(_same_word, wanted, found))


def _same_word(wanted: str, found: str) -> bool:
    """Tell whether two words are the same; decimal fractions may be written to other places."""
    if wanted == found:
        return True
    if "." not in wanted + found:
        return False
    try:
        return math.isclose(float(wanted), float(found), rel_tol=_NEAR, abs_tol=_NEAR)
    except ValueError:
        return False
