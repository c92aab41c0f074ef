"""Further runs of a test whose verdict is not settled by its first run.

A test is "judged" if its checks run in another process than the answer, "shared" if both run in one process. Only the
text of the tests decides which run comes first. A judged failure that touched objects kept in the answer's process is
repeated, then run in one process. An answer can cheat in one process, so a pass there is confirmed by a control: the
same test with other expected values, which must fail. This is done in every language. A pass close to its time limit is
run once more, and is flaky if it then takes too long.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial

from annotator.sandbox.altered_tests import NONE_COMPARED, NONE_EXECUTED, may_pass_altered
from annotator.sandbox.languages import PYTHON, find_language
from annotator.sandbox.programs.altered_programs import alter_expected_values, compare_strictly
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
_SAMPLE_INTERVAL = 64
"""One in this many passes of judged tests is confirmed by a control."""
_OLD_PYTHON_ERRORS = ("SyntaxError", "ImportError", "AttributeError")
"""Prefixes of failures that may be due to an old Python."""
OWN_EQUALITY = "own_equality"
"""Mark of a test that compared objects with an ``__eq__`` defined in the answer."""
_FAR_OFFSET = 10**9
"""Added to and subtracted from expected numbers if nearby values pass too. The results still fit 32 bits."""
_ONLY_FAR_VALUES_FAIL = (
    "also passes with nearby expected values and fails only with distant ones: the test checks a bound, or the answer "
    "imitates that"
)
_ONLY_LOOSELY_EQUAL = (
    "passes with other expected values too, and fails where types are compared: in PHP, `true` equals all that is not "
    "empty by `==`"
)
_NONE_EXPECTED = "code and tests are one program, without a control: the test states no expected value"
_NOT_RUN = "code and tests are one program, without a control: the test does not run with other expected values"
_OTHER_OBJECTS_EQUAL = "also passes with other values in the expected objects of its own types"
_TOO_DEEP = "passes, but its brackets are nested too deeply to confirm this with other expected values"
_CLOSE_TO_LIMIT = 0.9
"""The share of its time limit from which a pass is close to it."""
_DEFAULT_MESSAGES = {TAMPERED: "the tests passed with other expected values too"}


def plan_looks(
    first: UnitResult, look: Look, *, uncertain: bool, sampled: bool, doubted: bool = False, lenient: bool = False
) -> Generator[Look, UnitResult, UnitResult]:
    """Yield the further runs that a Python test needs after its ``first``, receive their results, return the verdict.

    Whether an ``uncertain`` test can be judged from another process shows only when it runs. If it fails there, it may
    need one process, so a pass in one process counts if its control fails. ``doubted`` tests compare identity, change a
    library or look into objects; their failures are repeated like those that touched objects kept in the answer's
    process. ``lenient`` tests contain parts that must fail, so only a control that passes completely counts as passed.
    """
    result = first
    if look == "judged" and first.outcome != PASS:
        is_late = first.outcome == TIMEOUT and first.slowed
        is_touched = any(test.touched for test in first.tests if test.outcome != PASS)
        if not is_late and (first.outcome != FAIL or not (doubted or is_touched)):
            return first
        if not is_late and not uncertain:
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
        # The pass in one process proves nothing, so the judged verdict remains.
        return first
    return result if uncertain else _with_outcome(first, DISPUTED)


def _check_execution(passed: UnitResult, control: UnitResult) -> UnitResult:
    """Return the pass, or a failure or disputed result if its control reports that a test skipped its checks."""
    for complaint, outcome in ((NONE_EXECUTED, FAIL), (NONE_COMPARED, DISPUTED)):
        if any(complaint in test.message for test in control.tests):
            return _with_outcome(replace(passed, message=complaint), outcome)
    return passed


def _with_outcome(result: UnitResult, outcome: str) -> UnitResult:
    """Return a result with another outcome, also for its failing tests (for all if none failed)."""
    has_failed = [test.outcome != PASS for test in result.tests]
    tests = tuple(
        replace(test, outcome=outcome) if failed or not any(has_failed) else test
        for test, failed in zip(result.tests, has_failed, strict=True)
    )
    return replace(result, outcome=outcome, tests=tests, message=result.message or _DEFAULT_MESSAGES.get(outcome, ""))


def is_sampled(code: str, test: str) -> bool:
    """Return whether a judged pass is confirmed by a control; equal answers and tests give equal results."""
    digest = hashlib.sha256(f"{code}\x00{test}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") % _SAMPLE_INTERVAL == 0


RunPlan = Generator[Unit, UnitResult, UnitResult]
"""The further runs of a test: it yields their units, receives their results and returns the verdict."""


def _plan_python_runs(job: Job, test: TestCode, first: UnitResult) -> RunPlan:
    """Run the test as `plan_looks` decides, and repeat a failure that an old Python may cause in the current one."""
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
    is_old = (
        result.outcome in (FAIL, COMPILE_ERROR) and result.message.startswith(_OLD_PYTHON_ERRORS) and not job.libraries
    )
    if is_old and (yield newer_python_unit(job, test)).outcome == PASS:
        return _with_outcome(replace(result, message=f"passes in the current Python: {result.message}"), DISPUTED)
    return result


def _plan_program_runs(job: Job, test: TestCode, unit_of: Callable[[str], Unit | None], passed: UnitResult) -> RunPlan:
    """Confirm a pass by controls: the test with other expected values, and if that passes too, with distant ones.

    Objects of the answer's types are altered alone first: the answer says what they equal, and another check must not
    hide that. The pass is valid if the first other control fails. If no control could be run, it is marked as weaker.
    If all of them pass, it is tampered. If only distant values fail it is disputed, since the test checks a bound or
    the answer tells distant values from near ones. So is what passes all of them only by PHP's loose ``==``, and code
    nested too deeply.
    """
    name = find_language(job.language).name
    if name == "sql":
        # The checks of SQL run separately from the code.
        return passed
    try:
        other_objects = alter_expected_values(name, job.code, test.code, in_objects=True)
    except RecursionError:
        return _with_outcome(replace(passed, message=_TOO_DEEP), DISPUTED)
    unit = unit_of(other_objects) if other_objects != test.code else None
    if unit is not None and (yield unit).outcome == PASS:
        return _with_outcome(replace(passed, message=_OTHER_OBJECTS_EQUAL), DISPUTED)
    has_passing_control = False
    weakness = _NONE_EXPECTED
    for offset in (0, _FAR_OFFSET, -_FAR_OFFSET):
        altered_test = alter_expected_values(name, job.code, test.code, far=offset)
        unit = unit_of(altered_test) if altered_test != test.code else None
        if unit is None:
            break
        control = yield unit
        if control.outcome == COMPILE_ERROR or (control.outcome == MACHINERY and not has_passing_control):
            # A control that did not run proves nothing: a distant value may be too large for its type.
            weakness = f"{_NOT_RUN}: {control.message}"
        elif control.outcome != PASS:
            if not has_passing_control:
                return passed
            return _with_outcome(replace(passed, message=_ONLY_FAR_VALUES_FAIL), DISPUTED)
        else:
            has_passing_control = True
    if not has_passing_control:
        return replace(passed, weaker=weakness)
    strict_test = compare_strictly(name, test.code)
    unit = unit_of(strict_test) if strict_test != test.code else None
    if unit is not None and (yield unit).outcome not in (PASS, MACHINERY):
        return _with_outcome(replace(passed, message=_ONLY_LOOSELY_EQUAL), DISPUTED)
    return _with_outcome(passed, TAMPERED)


def _plan_runs(job: Job, test: TestCode, tools: str, first: UnitResult) -> RunPlan:
    """Run the test until its verdict is settled, and repeat a pass close to its time limit.

    On a busier machine such a pass would be a timeout.
    """

    def unit_of(code: str) -> Unit | None:
        units = units_of(replace(job, tests=(replace(test, code=code),), coverage=False, runs=1), tools)
        return None if isinstance(units, JobResult) else units[0]

    result = first
    if find_language(job.language).name == PYTHON:
        result = yield from _plan_python_runs(job, test, first)
    elif job.mode != "fast" and first.outcome == PASS:
        result = yield from _plan_program_runs(job, test, unit_of, first)
    limits = job.limits_of(test)
    times = ((result.wall_s, limits.wall_s), (result.cpu_s, limits.cpu_s))
    used, allowed = max(times, key=lambda time: time[0] / time[1])
    is_late = job.mode != "fast" and result.outcome == PASS and used >= _CLOSE_TO_LIMIT * allowed
    if is_late and (unit := unit_of(test.code)) is not None and (yield unit).outcome == TIMEOUT:
        message = f"passed in {used:.1f} s of {allowed:g} s, and timed out when repeated"
        return _with_outcome(replace(result, message=message), FLAKY)
    return result


class FurtherRuns:
    """Submits the further runs of a test, each to any free supervisor, until there is a verdict."""

    def __init__(self, job: Job, test: TestCode, tools: str, submit: Submit, settle: Done) -> None:
        self._start = partial(_plan_runs, job, test, tools)
        self._submit, self._settle = submit, settle
        self._plan: RunPlan | None = None
        self._attempts = 1

    def done(self, result: UnitResult, attempts: int) -> None:
        """Receive the result of a run; submit the next run, or report the verdict."""
        self._attempts = max(self._attempts, attempts)
        try:
            if self._plan is None:
                self._plan = self._start(result)
                unit = next(self._plan)
            else:
                unit = self._plan.send(result)
        except StopIteration as end:
            self._settle(end.value, self._attempts)
        else:
            self._submit(unit, self.done)
