"""Further runs of a test whose verdict is not settled by its first run.

A test that failed in the judge's process after it touched objects in the answer's process runs again, then in one
process with the answer. A pass in one process is checked by a control run in every language: the same tests with
altered expected values, which must fail. Only the text of the tests decides where a test runs first. A test that passed
close to its time limit runs once more, and is flaky if it then takes too long.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial

from annotator.sandbox.altered_tests import NONE_COMPARED, NONE_EXECUTED, may_pass_altered
from annotator.sandbox.languages import PYTHON, find_language
from annotator.sandbox.programs.altered_programs import alter_expected_values
from annotator.sandbox.python_tests import inspect_tests
from annotator.sandbox.sandbox_jobs import (
    COMPILE_ERROR,
    DISPUTED,
    FAIL,
    FLAKY,
    MACHINERY,
    PASS,
    TAMPERED,
    TIMEOUT,
    Job,
    JobResult,
    TestCode,
)
from annotator.sandbox.units import Look, Unit, first_look, further_look_unit, newer_python_unit, units_of
from annotator.sandbox.verdicts import UnitResult

Done = Callable[[UnitResult, int], None]
Submit = Callable[[Unit, Done], None]
_SAMPLING_INTERVAL = 64
"""One in this many passes of judged tests gets a control run."""
_OLD_PYTHON_ERRORS = ("SyntaxError", "ImportError", "AttributeError")
"""Prefixes of failures that may be due to the sandbox's old Python."""
OWN_EQUALITY = "own_equality"
"""Mark of a test that compared an object with the object's own ``__eq__``."""
_FAR_OFFSET = 10**9
"""Added to and subtracted from expected numbers if a test also passes with slightly altered ones; fits 32 bits."""
_ONLY_FAR_VALUES_FAIL = (
    "passes with other expected values too, and only far values fail: the test checks a bound, or the answer imitates "
    "one"
)
_NO_EXPECTED_VALUE = (
    "code and tests are one program, without a control: the test states no value of its own for a result"
)
_CONTROL_NOT_RUN = (
    "code and tests are one program, without a control: with other expected values, the test does not run"
)
_TOO_DEEP = "passes, but its brackets are nested too deeply to run it with other expected values"
_NEAR_LIMIT_SHARE = 0.9
"""A pass that took at least this share of its limit is close to it."""


def plan_looks(
    first: UnitResult, look: Look, *, uncertain: bool, sampled: bool, doubted: bool = False, lenient: bool = False
) -> Generator[Look, UnitResult, UnitResult]:
    """Yield the further looks that a Python test needs after its ``first``, receive their results, return the verdict.

    ``uncertain`` tests show only when run whether they can be judged from outside: a failure there means that the item
    may need one process, so a pass in one process, with its control, counts. ``doubted`` tests compare identity, change
    a library or look into objects; their failures are run again like those that touched objects kept in the answer's
    process. ``lenient`` ones hold tests that must fail: their control counts only if all of it passes.
    """
    result = first
    if look == "judged" and first.outcome != PASS:
        late = first.outcome == TIMEOUT and first.slowed
        is_touched = any(test.touched for test in first.tests if test.outcome != PASS)
        if not late and (first.outcome != FAIL or not (doubted or is_touched)):
            return first
        if not late and not uncertain:
            again = yield "again"
            if again.outcome in (PASS, MACHINERY):
                return _with_outcome(first, FLAKY) if again.outcome == PASS else again
        result = yield "shared"
    elif look == "judged" and not sampled and not any(OWN_EQUALITY in test.touched for test in first.tests):
        return first
    if result.outcome != PASS:
        return result if uncertain or result.outcome == MACHINERY else first
    control = yield "sample" if look == "judged" and result is first else "control"
    if control.outcome == MACHINERY:
        return control
    tampered = control.outcome == PASS or (not lenient and any(test.outcome == PASS for test in control.tests))
    if result is first:
        return _with_outcome(result, TAMPERED) if tampered else _check_execution(result, control)
    if tampered:
        # A pass in one process proves nothing if the control passes too, so the judge's verdict counts.
        return first
    return result if uncertain else _with_outcome(first, DISPUTED)


def _check_execution(passed: UnitResult, control: UnitResult) -> UnitResult:
    """Return a pass unchanged, or as failed or disputed if its control run reports that no check was executed."""
    for complaint, outcome in ((NONE_EXECUTED, FAIL), (NONE_COMPARED, DISPUTED)):
        if any(complaint in test.message for test in control.tests):
            return _with_outcome(replace(passed, message=complaint), outcome)
    return passed


def _with_outcome(result: UnitResult, outcome: str) -> UnitResult:
    """Return a result with another outcome, also for its failing tests (for all if none failed)."""
    failing = [test.outcome != PASS for test in result.tests]
    tests = tuple(
        replace(test, outcome=outcome) if bad or not any(failing) else test
        for test, bad in zip(result.tests, failing, strict=True)
    )
    return replace(result, outcome=outcome, tests=tests, message=result.message or _OUTCOME_MESSAGES.get(outcome, ""))


_OUTCOME_MESSAGES = {TAMPERED: "the tests passed with other expected values too"}


def is_sampled(code: str, test: str) -> bool:
    """Return whether a judged pass gets a control run: a fixed choice for each pair of answer and test."""
    digest = hashlib.sha256(f"{code}\x00{test}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") % _SAMPLING_INTERVAL == 0


Course = Generator[Unit, UnitResult, UnitResult]
"""The further runs of a test: it yields their units, receives their results and returns the verdict."""


def _python_course(job: Job, test: TestCode, first: UnitResult) -> Course:
    """Run the looks of `plan_looks`; run a test again in the current Python if the older one may have failed it."""
    result = first
    if job.mode != "fast":
        style = inspect_tests(test.code)
        looks = plan_looks(
            first,
            first_look(job, test),
            uncertain=bool(style.uncertain),
            sampled=is_sampled(job.code, test.code),
            doubted=style.compares_identity or bool(style.changes or style.looks_at),
            lenient=may_pass_altered(test.code),
        )
        try:
            look = next(looks)
            while True:
                look = looks.send((yield further_look_unit(job, test, look)))
        except StopIteration as end:
            result = end.value
    may_need_newer_python = (
        result.outcome in (FAIL, COMPILE_ERROR) and result.message.startswith(_OLD_PYTHON_ERRORS) and not job.libraries
    )
    if may_need_newer_python and (yield newer_python_unit(job, test)).outcome == PASS:
        return _with_outcome(replace(result, message=f"passes in the current Python: {result.message}"), DISPUTED)
    return result


def _program_course(job: Job, test: TestCode, unit_of: Callable[[str], Unit | None], passed: UnitResult) -> Course:
    """Run a passed test with altered expected values and, if it still passes, with far larger and far smaller ones.

    The pass counts if one of these controls fails; if none could be run, it is marked as weaker. It is *tampered* if
    all controls pass, and *disputed* if only those with far values fail: the test checks a bound, or the answer
    recognises near values. It is also *disputed* if the code is nested too deeply to alter.
    """
    name, is_controlled, uncontrolled = find_language(job.language).name, False, _NO_EXPECTED_VALUE
    if name == "sql":
        # Its checks run apart from the code.
        return passed
    for far in (0, _FAR_OFFSET, -_FAR_OFFSET):
        try:
            other = alter_expected_values(name, job.code, test.code, far=far)
        except RecursionError:
            return _with_outcome(replace(passed, message=_TOO_DEEP), DISPUTED)
        unit = unit_of(other) if other != test.code else None
        if unit is None:
            break
        control = yield unit
        if control.outcome == COMPILE_ERROR or (control.outcome == MACHINERY and not is_controlled):
            # It did not run, which says nothing: a far value may be too large for its type.
            uncontrolled = f"{_CONTROL_NOT_RUN}: {control.message}"
        elif control.outcome != PASS:
            far_failed = _with_outcome(replace(passed, message=_ONLY_FAR_VALUES_FAIL), DISPUTED)
            return far_failed if is_controlled else passed
        else:
            is_controlled = True
    if not is_controlled:
        return replace(passed, weaker=uncontrolled)
    return _with_outcome(passed, TAMPERED)


def _course(job: Job, test: TestCode, tools: str, first: UnitResult) -> Course:
    """Run a test until its verdict is settled; a pass close to the time limit runs once more."""

    def unit_of(code: str) -> Unit | None:
        units = units_of(replace(job, tests=(replace(test, code=code),), coverage=False, runs=1), tools)
        return None if isinstance(units, JobResult) else units[0]

    result = first
    if find_language(job.language).name == PYTHON:
        result = yield from _python_course(job, test, first)
    elif job.mode != "fast" and first.outcome == PASS:
        result = yield from _program_course(job, test, unit_of, first)
    limits = job.limits_of(test)
    times = ((result.wall_s, limits.wall_s), (result.cpu_s, limits.cpu_s))
    used, allowed = max(times, key=lambda time: time[0] / time[1])
    is_near_limit = job.mode != "fast" and result.outcome == PASS and used >= _NEAR_LIMIT_SHARE * allowed
    if is_near_limit and (unit := unit_of(test.code)) is not None and (yield unit).outcome == TIMEOUT:
        message = f"passed in {used:.1f} s of {allowed:g} s, and took longer again"
        return _with_outcome(replace(result, message=message), FLAKY)
    return result


class FurtherRuns:
    """Runs a test as often as its verdict needs, each time on any free supervisor."""

    def __init__(self, job: Job, test: TestCode, tools: str, submit: Submit, settle: Done) -> None:
        self._start = partial(_course, job, test, tools)
        self._submit, self._settle = submit, settle
        self._course: Course | None = None
        self._attempts = 1

    def done(self, result: UnitResult, attempts: int) -> None:
        """Take the result of a run; then run the test again or report the verdict."""
        self._attempts = max(self._attempts, attempts)
        try:
            if self._course is None:
                self._course = self._start(result)
                unit = next(self._course)
            else:
                unit = self._course.send(result)
        except StopIteration as end:
            self._settle(end.value, self._attempts)
        else:
            self._submit(unit, self.done)
