"""Further runs of a test whose verdict is not settled by its first run.

A failure in the judge that touched objects kept in the answer's process is run again, then in one process. A pass in
one process is controlled by tests with other expected values, in every language. Only the text of the tests decides
where a test runs first. A pass close to its time limit is run once more, and is flaky if it then takes too long.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

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
Steps = Generator[Unit, UnitResult, UnitResult]
"""Further runs of a test: yields what to run, is sent what became of it, and returns the verdict."""
_SAMPLED = 64
"""One in this many passes of judged tests is controlled."""
_LACKING = ("SyntaxError", "ImportError", "AttributeError")
"""Prefixes of failures that may be due to an old Python."""
OWN_EQUALITY = "own_equality"
"""Mark of a test that compared an object by the comparison of the object's own class."""
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


def with_further_looks(job: Job, test: TestCode, tools: str, submit: Submit, settle: Done) -> Done:
    """Return the callback for the result of a test's first run: it runs the test again until there is a verdict."""
    steps: Steps | None = None
    most_attempts = 1

    def done(result: UnitResult, attempts: int) -> None:
        nonlocal steps, most_attempts
        most_attempts = max(most_attempts, attempts)
        try:
            if steps is None:
                steps = _further_steps(job, test, tools, result)
                unit = next(steps)
            else:
                unit = steps.send(result)
        except StopIteration as end:
            settle(end.value, most_attempts)
        else:
            submit(unit, done)

    return done


def _further_steps(job: Job, test: TestCode, tools: str, result: UnitResult) -> Steps:
    is_python = find_language(job.language).name == PYTHON
    if job.mode != "fast":
        result = yield from _look_again(job, test, result) if is_python else _control(job, test, tools, result)
    if is_python:
        result = yield from _run_in_newer_python(job, test, result)
    return (yield from _run_at_the_edge(job, test, tools, result)) if job.mode != "fast" else result


def _look_again(job: Job, test: TestCode, result: UnitResult) -> Steps:
    """Run a Python test until there is a verdict, each time on any free supervisor."""
    style = inspect_tests(test.code)
    doubted = style.compares_identity or bool(style.changes or style.looks_at)
    sampled, lenient = is_sampled(job.code, test.code), may_pass_altered(test.code)
    look, looks = first_look(job, test), list[LookResult]()
    while True:
        looks.append(LookResult(look, result, lenient))
        decision = decide_next_look(looks, uncertain=bool(style.uncertain), sampled=sampled, doubted=doubted)
        if isinstance(decision, UnitResult):
            return decision
        look = decision
        result = yield further_look_unit(job, test, look)


def _control(job: Job, test: TestCode, tools: str, result: UnitResult) -> Steps:
    """Run a passed test of another language once more, with other expected values."""
    if result.outcome != PASS:
        return result
    try:
        other = alter_expected_values(find_language(job.language).name, job.code, test.code)
    except RecursionError:
        # Nested too deeply to be read.
        return result
    units = units_of(replace(job, tests=(replace(test, code=other),), coverage=False), tools)
    if other == test.code or isinstance(units, JobResult):
        return result
    control = yield units[0]
    return _with_outcome(result, TAMPERED) if control.outcome == PASS else result


def _run_in_newer_python(job: Job, test: TestCode, result: UnitResult) -> Steps:
    """Run a test in the current Python if it may fail only for the old one's limits; a pass there is disputed."""
    is_lacking = result.outcome in (FAIL, COMPILE_ERROR) and result.message.startswith(_LACKING)
    if job.libraries or not is_lacking:
        return result
    newer = yield newer_python_unit(job, test)
    doubted = replace(result, message=f"passes in the current Python: {result.message}")
    return _with_outcome(doubted, DISPUTED) if newer.outcome == PASS else result


def _run_at_the_edge(job: Job, test: TestCode, tools: str, result: UnitResult) -> Steps:
    """Run a test that passed close to its time limit once more: on a busier machine it would have failed."""
    seconds = job.limits_of(test).wall_s
    if result.outcome != PASS or result.wall_s < _EDGE * seconds:
        return result
    units = units_of(replace(job, tests=(test,), coverage=False), tools)
    assert not isinstance(units, JobResult), "what has passed can be run"
    again = yield units[0]
    late = replace(result, message=f"passed in {result.wall_s:.1f} s of {seconds:g} s, and took longer again")
    return _with_outcome(late, FLAKY) if again.outcome == TIMEOUT else result
