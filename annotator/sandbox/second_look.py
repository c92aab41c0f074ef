"""Further runs of a test whose verdict is not settled by its first run.

A failure in the judge that touched objects kept in the answer's process is run again, then in one process. A pass in
one process is controlled by tests with other expected values, in every language. Only the text of the tests decides
where a test runs first. A pass close to its time limit is run once more, and is flaky if it then takes too long.
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
_SAMPLED = 64
"""One in this many passes of judged tests is controlled."""
_LACKING = ("SyntaxError", "ImportError", "AttributeError")
"""Prefixes of failures that may be due to an old Python."""
OWN_EQUALITY = "own_equality"
"""Mark of a test that compared an object by the comparison of the object's own class."""
_FAR = 10**9
"""What is added to expected numbers, or taken from them, where others pass too: it fits 32 bits."""
_ONLY_FAR_VALUES_FAIL = (
    "passes with other expected values too, and only far values fail: the test checks a bound, or the answer imitates "
    "one"
)
_ONLY_LOOSELY_EQUAL = (
    "passes with other expected values too, and fails where types are compared: in PHP, `true` equals all that is not "
    "empty by `==`"
)
_NONE_EXPECTED = "code and tests are one program, without a control: the test states no value of its own for a result"
_NOT_RUN = "code and tests are one program, without a control: with other expected values, the test does not run"
_TOO_DEEP = "passes, but its brackets are nested too deeply to run it with other expected values"
_EDGE = 0.9
"""A pass that took at least this share of its limit is close to it."""


def take_looks(
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
        return _with_outcome(result, TAMPERED) if tampered else _unless_unexecuted(result, control)
    if tampered:
        # What one process said is worth nothing: what the judge said stands.
        return first
    return result if uncertain else _with_outcome(first, DISPUTED)


def _unless_unexecuted(passed: UnitResult, control: UnitResult) -> UnitResult:
    """Return a pass; a failure or a disputed result if its control reports that a test ended without its checks."""
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
    return replace(result, outcome=outcome, tests=tests, message=result.message or _WHY.get(outcome, ""))


_WHY = {TAMPERED: "the tests passed with other expected values too"}


def is_sampled(code: str, test: str) -> bool:
    """Tell whether a judged pass is controlled: the same of each pair of answer and test every time."""
    digest = hashlib.sha256(f"{code}\x00{test}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") % _SAMPLED == 0


Course = Generator[Unit, UnitResult, UnitResult]
"""The further runs of a test: it yields their units, receives their results and returns the verdict."""


def _python_course(job: Job, test: TestCode, first: UnitResult) -> Course:
    """Look again as `take_looks` says, and run what fails only for an old Python's limits in the current one."""
    result = first
    if job.mode != "fast":
        style = inspect_tests(test.code)
        looks = take_looks(
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
    is_old = result.outcome in (FAIL, COMPILE_ERROR) and result.message.startswith(_LACKING) and not job.libraries
    if is_old and (yield newer_python_unit(job, test)).outcome == PASS:
        return _with_outcome(replace(result, message=f"passes in the current Python: {result.message}"), DISPUTED)
    return result


def _program_course(job: Job, test: TestCode, unit_of: Callable[[str], Unit | None], passed: UnitResult) -> Course:
    """Run what passes again with other expected values, and if it still passes with far larger and far smaller ones.

    A pass holds if one of these controls was seen to fail; if none could be run, it is marked as weaker for that. What
    passes with all of them is tampered. What fails with far values alone is disputed: its test checks a bound, or the
    answer tells far values from near ones. So is what passes with all of them only by PHP's loose ``==``, and code
    nested too deeply for a control.
    """
    name, is_controlled, uncontrolled = find_language(job.language).name, False, _NONE_EXPECTED
    if name == "sql":
        # Its checks run apart from the code.
        return passed
    for far in (0, _FAR, -_FAR):
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
            uncontrolled = f"{_NOT_RUN}: {control.message}"
        elif control.outcome != PASS:
            far_failed = _with_outcome(replace(passed, message=_ONLY_FAR_VALUES_FAIL), DISPUTED)
            return far_failed if is_controlled else passed
        else:
            is_controlled = True
    if not is_controlled:
        return replace(passed, weaker=uncontrolled)
    strict = compare_strictly(name, test.code)
    unit = unit_of(strict) if strict != test.code else None
    if unit is not None and (yield unit).outcome not in (PASS, MACHINERY):
        return _with_outcome(replace(passed, message=_ONLY_LOOSELY_EQUAL), DISPUTED)
    return _with_outcome(passed, TAMPERED)


def _course(job: Job, test: TestCode, tools: str, first: UnitResult) -> Course:
    """Settle the first run, and run what passed close to its time limit once more: a busier machine would fail it."""

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
    is_late = job.mode != "fast" and result.outcome == PASS and used >= _EDGE * allowed
    if is_late and (unit := unit_of(test.code)) is not None and (yield unit).outcome == TIMEOUT:
        message = f"passed in {used:.1f} s of {allowed:g} s, and took longer again"
        return _with_outcome(replace(result, message=message), FLAKY)
    return result


class FurtherRuns:
    """Takes the results of a test's runs, each on any free supervisor, until there is a verdict."""

    def __init__(self, job: Job, test: TestCode, tools: str, submit: Submit, settle: Done) -> None:
        self._start = partial(_course, job, test, tools)
        self._submit, self._settle = submit, settle
        self._course: Course | None = None
        self._attempts = 1

    def done(self, result: UnitResult, attempts: int) -> None:
        """Take the result of a run; run the test again, or settle."""
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
