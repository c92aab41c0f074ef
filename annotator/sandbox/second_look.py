"""Further runs of a test whose verdict is not settled by its first run.

A failure in the judge that touched objects kept in the answer's process is run again, then in one process. A pass in
one process is controlled by tests with other expected values, in every language. Only the text of the tests decides
where a test runs first. A pass close to its time limit is run once more, and is flaky if it then takes too long.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

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
    Limits,
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
_ONLY_SOME_FAIL = (
    "passes with other expected values too, and only far values or other arguments fail: the test checks a bound or "
    "nothing else, or the answer imitates that"
)
_EDGE = 0.9
"""A pass that took at least this share of its limit is close to it."""


@dataclass(frozen=True, slots=True)
class LookResult:
    """A run of a test, and its result."""

    look: Look
    result: UnitResult
    lenient: bool = False
    """Whether some tests are expected to fail: then the control counts against an answer only if all of it passes."""

    @property
    def passes_anything(self) -> bool:
        """Tell whether a control passed what nothing honest passes."""
        if self.lenient:
            return self.result.outcome == PASS
        return any(test.outcome == PASS for test in self.result.tests)


def decide_next_look(
    looks: Sequence[LookResult], *, uncertain: bool, sampled: bool, doubted: bool = False
) -> Look | UnitResult:
    """Return the next look to take, or the verdict.

    ``uncertain`` tests show only when run whether they can be judged from outside: a failure there means that the item
    may need one process, so a pass in one process, with its control, counts. ``doubted`` tests compare identity, change
    a library or look into objects; their failures are run again like those that touched objects kept in the answer's
    process.
    """
    first, last = looks[0], looks[-1]
    result = last.result
    if result.outcome == MACHINERY:
        return result
    if last.look in ("sample", "control"):
        return _controlled(looks, uncertain=uncertain)
    if last.look == "judged":
        if result.outcome == PASS:
            return "sample" if sampled or any(OWN_EQUALITY in test.touched for test in result.tests) else result
        if result.outcome == TIMEOUT:
            return "shared" if result.slowed else result
        if result.outcome != FAIL or not (doubted or _is_touched(result)):
            return result
        return "shared" if uncertain else "again"
    if last.look == "again":
        return "shared" if result.outcome != PASS else _with_outcome(first.result, FLAKY)
    if result.outcome == PASS:
        return "control"
    return result if uncertain else first.result


def _controlled(looks: Sequence[LookResult], *, uncertain: bool) -> UnitResult:
    first, passed, control = looks[0].result, looks[-2].result, looks[-1]
    if looks[0].look == "shared" or first.outcome == PASS:
        return (
            _with_outcome(passed, TAMPERED) if control.passes_anything else _unless_unexecuted(passed, control.result)
        )
    if control.passes_anything:
        # What one process said is worth nothing: what the judge said stands.
        return first
    return passed if uncertain else _with_outcome(first, DISPUTED)


def _unless_unexecuted(passed: UnitResult, control: UnitResult) -> UnitResult:
    """Return a pass; a failure or a disputed result if its control reports that a test ended without its checks."""
    for complaint, outcome in ((NONE_EXECUTED, FAIL), (NONE_COMPARED, DISPUTED)):
        if any(complaint in test.message for test in control.tests):
            return _with_outcome(replace(passed, message=complaint), outcome)
    return passed


def _is_touched(result: UnitResult) -> bool:
    return any(test.touched for test in result.tests if test.outcome != PASS)


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


class Looks:
    """Runs one test until there is a verdict, each time on any free supervisor."""

    def __init__(self, job: Job, test: TestCode, submit: Submit, settle: Done) -> None:
        self._job, self._test, self._submit, self._settle = job, test, submit, settle
        self._looks: list[LookResult] = []
        self._next: Look = first_look(job, test)
        self._attempts = 1
        self._lenient = may_pass_altered(test.code)
        style = inspect_tests(test.code)
        self._uncertain = bool(style.uncertain)
        self._doubted = style.compares_identity or bool(style.changes or style.looks_at)

    def done(self, result: UnitResult, attempts: int) -> None:
        """Take the result of a look; look again, or settle."""
        self._attempts = max(self._attempts, attempts)
        self._looks.append(LookResult(self._next, result, self._lenient))
        sampled = is_sampled(self._job.code, self._test.code)
        decision = decide_next_look(self._looks, uncertain=self._uncertain, sampled=sampled, doubted=self._doubted)
        if isinstance(decision, UnitResult):
            self._settle(decision, self._attempts)
            return
        self._next = decision
        self._submit(further_look_unit(self._job, self._test, decision), self.done)


class FurtherRun:
    """Runs a test once more if its verdict asks for it, and settles what both runs say."""

    def __init__(
        self,
        unit_after: Callable[[UnitResult], Unit | None],
        both: Callable[[UnitResult, UnitResult], UnitResult],
        submit: Submit,
        settle: Done,
    ) -> None:
        self._unit_after, self._both, self._submit, self._settle = unit_after, both, submit, settle
        self._first: tuple[UnitResult, int] | None = None

    def done(self, result: UnitResult, attempts: int) -> None:
        """Take the result of a run; run the test again, or settle."""
        if self._first is not None:
            first, attempts = self._first
            self._settle(self._both(first, result), attempts)
        elif (unit := self._unit_after(result)) is not None:
            self._first = (result, attempts)
            self._submit(unit, self.done)
        else:
            self._settle(result, attempts)


class Controls:
    """Runs what passes again with other expected values, if it still passes with far larger and far smaller ones, and
    if it still does with other values everywhere.

    What passes with all of them is tampered. What fails only later is disputed: its test checks a bound or nothing but
    that there is a result, or the answer tells far values from near ones.
    """

    def __init__(self, controls: Iterator[Unit], submit: Submit, settle: Done) -> None:
        self._controls, self._submit, self._settle = controls, submit, settle
        self._first: tuple[UnitResult, int] | None = None
        self._controlled = 0

    def done(self, result: UnitResult, attempts: int) -> None:
        """Take the result of a run; run the next control, or settle."""
        self._first = self._first or (result, attempts)
        # A far value may be too large for its type, which says nothing.
        passes = result.outcome == PASS or (self._controlled > 1 and result.outcome == COMPILE_ERROR)
        if passes and (control := next(self._controls, None)) is not None:
            self._controlled += 1
            self._submit(control, self.done)
            return
        settled, attempts = self._first
        if passes and self._controlled:
            settled = _with_outcome(settled, TAMPERED)
        elif self._controlled > 1:
            settled = _with_outcome(replace(settled, message=_ONLY_SOME_FAIL), DISPUTED)
        self._settle(settled, attempts)


def _disputed_if_newer_passes(failed: UnitResult, newer: UnitResult) -> UnitResult:
    message = f"passes in the current Python: {failed.message}"
    return _with_outcome(replace(failed, message=message), DISPUTED) if newer.outcome == PASS else failed


def _used_time(limits: Limits, result: UnitResult) -> tuple[float, float]:
    """Return the seconds that a test used and those that it had, of the clock or of the processor: the scarcer ones."""
    times = ((result.wall_s, limits.wall_s), (result.cpu_s, limits.cpu_s))
    return max(times, key=lambda time: time[0] / time[1])


def _is_late(limits: Limits, result: UnitResult) -> bool:
    used, allowed = _used_time(limits, result)
    return result.outcome == PASS and used >= _EDGE * allowed


def _flaky_if_late(limits: Limits, passed: UnitResult, again: UnitResult) -> UnitResult:
    used, allowed = _used_time(limits, passed)
    message = f"passed in {used:.1f} s of {allowed:g} s, and took longer again"
    return _with_outcome(replace(passed, message=message), FLAKY) if again.outcome == TIMEOUT else passed


def _settle_uncontrolled(settle: Done, result: UnitResult, attempts: int) -> None:
    """Dispute a pass of code whose brackets are nested too deeply for a control."""
    if result.outcome == PASS:
        why = "passes, but its brackets are nested too deeply to run it with other expected values"
        result = _with_outcome(replace(result, message=why), DISPUTED)
    settle(result, attempts)


def with_further_looks(job: Job, test: TestCode, tools: str, submit: Submit, settle: Done) -> Done:
    """Return the callback for the result of a test's first run; ``settle`` itself if one run settles it.

    What fails only for an old Python's limits is run in the current one, and what passed close to its time limit once
    more: on a busier machine it would have failed.
    """
    name = find_language(job.language).name

    def unit_of(code: str) -> Unit | None:
        units = units_of(replace(job, tests=(replace(test, code=code),), coverage=False, runs=1), tools)
        return None if isinstance(units, JobResult) else units[0]

    if job.mode != "fast":
        limits = job.limits_of(test)
        settle = FurtherRun(
            lambda result: unit_of(test.code) if _is_late(limits, result) else None,
            partial(_flaky_if_late, limits), submit, settle,
        ).done  # fmt: skip
    if name == PYTHON:
        if not job.libraries:
            settle = FurtherRun(
                lambda result: newer_python_unit(job, test)
                if result.outcome in (FAIL, COMPILE_ERROR) and result.message.startswith(_LACKING)
                else None,
                _disputed_if_newer_passes, submit, settle,
            ).done  # fmt: skip
        return settle if job.mode == "fast" else Looks(job, test, submit, settle).done
    if job.mode == "fast":
        return settle

    tried_tests = {test.code}

    def control_of(far: int = 0, *, also_given: bool = False) -> Unit | None:
        other = alter_expected_values(name, job.code, test.code, far=far, also_given=also_given)
        if other in tried_tests:
            return None
        tried_tests.add(other)
        return unit_of(other)

    try:
        control = control_of()
    except RecursionError:
        return partial(_settle_uncontrolled, settle)
    if control is None:
        return settle
    others = ((_FAR, False), (-_FAR, False), (0, True))
    units = (unit for far, is_given in others if (unit := control_of(far, also_given=is_given)) is not None)
    return Controls(chain((control,), units), submit, settle).done
