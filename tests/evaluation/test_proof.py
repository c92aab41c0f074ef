"""Judges of a proof."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from annotator.evaluation.proof import TestsJudge
from annotator.sandbox import Job, JobResult, TestResult

ITEM = {
    "language": "javascript",
    "entry_point": "f",
    "tests": [{"name": f"row {number}", "code": f"check({number});"} for number in range(5)],
}


class Knowing:
    """A sandbox in which an answer passes the tests whose numbers it holds; it keeps what it was given."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def submit(self, job: Job) -> Future[JobResult]:
        self.jobs.append(job)
        passed = {test.name: test.name[-1] in job.code for test in job.tests or ()}
        tests = tuple(TestResult(name=name, outcome="pass" if good else "fail") for name, good in passed.items())
        done: Future[JobResult] = Future()
        done.set_result(JobResult(id=job.id, outcome="pass" if all(passed.values()) else "fail", tests=tests))
        return done


def answer(numbers: str) -> str:
    return f"```javascript\nfunction f() {{ return '{numbers}'; }}\n```"


@pytest.mark.parametrize(
    ("wanted", "numbers", "score", "runs"),
    [
        (False, "", 0.0, [1]),
        (False, "1234", 0.0, [1]),
        (False, "0", 0.0, [1, 5]),
        (False, "01234", 1.0, [1, 5]),
        (True, "", 0.0, [5]),
        (True, "01234", 1.0, [5]),
    ],
)
def test_what_the_first_test_refuses_sees_no_other(wanted: bool, numbers: str, score: float, runs: list[int]) -> None:
    sandbox = Knowing()
    [verdict] = TestsJudge(ITEM, sandbox).verdicts([answer(numbers)], expected=wanted)
    assert verdict.score == score
    assert [len(job.tests or ()) for job in sandbox.jobs] == runs
