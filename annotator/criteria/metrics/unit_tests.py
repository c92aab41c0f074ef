"""Unit tests of a criterion: assemble programs with the response's code and run them in the sandbox."""

from __future__ import annotations

from concurrent.futures import Future

from annotator.criteria.document.criterion_document import UnitTest
from annotator.criteria.metrics.extraction import (
    OTHER_TIMEOUT,
    TIMEOUTS,
    assemble_program,
    extract_code,
    is_bare_program,
)
from annotator.criteria.metrics.rule_results import NotScoredError, RuleResult, rate_rule
from annotator.sandbox import Job, JobResult, Limits, Runner, TestCode
from annotator.sandbox.sandbox_jobs import UNSETTLED


def unit_test_program(test: UnitTest, response: str) -> str:
    """Return the program for a test, without the test itself."""
    is_whole = not test.prefix and is_bare_program(response, test.language)
    text = f"{test.prefix}\n{response}"
    code = response if is_whole else extract_code(text, test.language, only_longest=test.only_longest)
    return assemble_program(code, test.language, test.prefix_file)


def unit_test_job(test: UnitTest, response: str) -> Job:
    """Return the job of one test. In Python the verdict comes from another process, where possible."""

    seconds = test.timeout or TIMEOUTS.get(test.language, OTHER_TIMEOUT)
    limits = Limits(wall_s=seconds, cpu_s=seconds, memory_mb=1024)
    return Job(
        id=test.label,
        language=test.language,
        code=unit_test_program(test, response),
        tests=(TestCode(test.label, test.code),),
        limits=limits,
    )


PendingTests = tuple[tuple[UnitTest, "Future[JobResult] | None"], ...]
"""Started tests with their futures; None if the response has no code to run."""


def start_unit_tests(tests: tuple[UnitTest, ...], response: str, runner: Runner) -> PendingTests:
    """Submit a response's tests to the sandbox without waiting for them."""
    jobs = [(test, unit_test_job(test, response)) for test in tests]
    return tuple((test, runner.submit(job) if job.code.strip() else None) for test, job in jobs)


def collect_unit_tests(pending: PendingTests) -> list[RuleResult]:
    """Wait for the tests and return their results. Raises `NotScoredError` if the sandbox failed."""
    return [_make_result(test, None if future is None else future.result()) for test, future in pending]


def _make_result(test: UnitTest, job_result: JobResult | None) -> RuleResult:
    if job_result is None:
        return rate_rule(test, "unit_test", test.label, False, "no code in the response")
    if job_result.outcome == "machinery":
        raise NotScoredError(f"{test.label}: the sandbox failed: {job_result.message}")
    passed = job_result.outcome == "pass"
    unsettled = job_result.outcome if job_result.outcome in UNSETTLED else ""
    detail = "passed" if passed else f"{job_result.outcome.replace('_', ' ')}: {job_result.message}".strip(": ")
    if job_result.weaker:
        detail += f" (weaker verdict: {job_result.weaker})"
    return rate_rule(test, "unit_test", test.label, None if unsettled else passed, detail, unsettled=unsettled)
